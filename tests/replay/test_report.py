"""`sim report`: one page that holds all it shows, of a replay and of a cluster."""

from __future__ import annotations

import json
import re

from slimsched.render.replay import report
from slimsched.replay.rows import Row
from slimsched.replay.schedule import Schedule


def data(text):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])


def test_a_replay(sim):
    (sim.cwd / "t.swf").write_text("1 0 -1 100 3\n2 1 -1 50 4\n3 2 -1 20 1\n4 3 -1 5 9\n", encoding="ascii")
    sim("replay", "t.swf", "--procs", "4", "--policy", "easy", "--out", "run")

    assert sim("report", "run", "-o", "run.html") == ""

    text = (sim.cwd / "run.html").read_text(encoding="utf-8")
    assert "<h1>t.swf under easy</h1>\n<p>4 jobs, 4 nodes, 4 processors</p>" in text
    assert "<tr><td>mean wait</td><td>33 s</td></tr>" in text
    found = data(text)
    assert (found["nodes"], found["first"], found["last"], found["states"]) == (4, "n1", "n4", ["REFUSED", "COMPLETED"])
    assert sorted(found["jobs"]) == [
        [1, 0, 3, 0, 0, 100, 1, [0, 2], -1],
        [2, 0, 4, 1, 100, 150, 1, [0, 3], -1],
        [3, 0, 1, 2, 2, 22, 1, [3, 3], -1],
        [4, 0, 9, 3, -1, -1, 0, [], -1],
    ]


def test_what_has_happened_in_a_cluster(sim):
    sim("init", "--nodes", "b[1-2],a1", "--cpus", "2")
    sim("sbatch", "--parsable", "-N", "2", "--exclusive", "--wrap", "sleep 60")
    sim("sbatch", "--parsable", "-w", "a1", "-n", "2", "--wrap", "sleep 600")
    sim("sbatch", "--parsable", "--hold", "--wrap", "sleep 60")
    sim("advance", "1m")
    sim("scontrol", "update", "nodename=b2", 'extra={"load": 0.9}')
    sim("advance", "1m")
    sim("scontrol", "update", "nodename=b2", 'extra={"load": 0.2}')
    sim("scontrol", "update", "nodename=b2", "comment=nothing new")
    sim("sbatch", "-Q", "--extra", "load<0.1", "--wrap", "sleep 60")

    sim("report", "-o", "cluster.html")

    text = (sim.cwd / "cluster.html").read_text(encoding="utf-8")
    assert "<h1>Cluster cluster at 2026-01-01T00:02:00</h1>" in text
    jobs = data(text)["jobs"]
    began = jobs[0][3]
    assert [[job[0], job[2], job[4], job[5], job[7]] for job in jobs] == [
        [1, 4, began, began + 60, [0, 1]],
        [2, 2, began, began + 120, [2, 2]],
        [3, 1, -1, -1, []],
        [4, 1, -1, -1, []],
    ]
    assert data(text)["extra"] == [[began + 60, 1, "load", 0.9], [began + 120, 1, "load", 0.2]]
    assert data(text)["constraints"][0][0] == "load<0.1"


def test_texts_of_users_are_no_markup():
    evil = "</script><img src=x onerror=alert(1)>@DATA@"
    row = Row(1, evil, 1, 0, 0, 5, 5, 5, evil, "Main", -1, "n1", "")

    text = report.page(evil, Schedule([row], ["n1"], 1))

    assert data(text)["users"] == [evil]
    assert text.count("<script") == 2
    assert "<img" not in text
    assert "<h1>&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;@DATA@</h1>" in text


def test_the_page_needs_nothing_else():
    text = report.page("t", Schedule([], ["n1"], 1))

    assert not re.search(r"https?:|\bsrc=|\bhref=|@import|\burl\(|\bfetch\(|@[A-Z]+@", text)


def test_a_damaged_run(sim):
    (sim.cwd / "run").mkdir()
    (sim.cwd / "run" / "run.json").write_text('{"machine": {"cpus": 3}}', encoding="ascii")
    (sim.cwd / "run" / "summary.json").write_text('{"metrics": {}}', encoding="ascii")
    said = "sim: error: run: run.json does not describe a machine\n"
    assert sim.run("report", "run", "-o", "x.html") == (1, "", said)

    text = '{"machine": {"processors": 1, "nodes": 2}, "processors": 2}'
    (sim.cwd / "run" / "run.json").write_text(text, encoding="ascii")
    (sim.cwd / "run" / "jobs.csv").write_text("a,b\n", encoding="ascii")
    answer = sim.run("report", "run", "-o", "x.html")
    assert answer.err.startswith(
        "sim: error: run/jobs.csv: line 1: these are not the columns of a schedule (job, user, "
    )
