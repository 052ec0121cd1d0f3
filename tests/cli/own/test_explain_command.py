"""``sim explain`` as a user sees it: whole output, JSON, tasks, finished and archived jobs, large clusters."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from slimsched.render import terminal
from slimsched.render.explain import StyledLine

WAITING = """\
Job 2 (wrap) of root: PENDING, reason Resources
It cannot start now, but it can later.

Nodes left in partition debug after each step; 1 node wanted:
      3  partition   debug
      2  node state  up
      1  extra       load<0.5
      1  hardware    1 CPU, 100 MB
      0  resources   free now
      0  priority    no other job comes first

Why each node is ruled out (first reason only):
  node03: state=IDLE+DRAIN (disk), wanted a node in service
  node01: load=0.99, wanted load<0.5
  node02: 0 of 12 CPUs free, wanted 1; job 1 until 2026-01-01T00:30:00

What would have to change (cheapest change first):
  nodes: no node can be used, 1 wanted
    1. wait for running jobs to end
    2. change the nodes' Extra data (node01: load=0.99, wanted load<0.5)
         sim scontrol update nodename=node01 extra='{"load": 0.25}'
    3. submit it again without --extra
    4. end job 1
         sim scancel 1

Expected start: 2026-01-01T00:30:00 on node02, when running jobs reach their time limits
  after job 1 on node02, which ends at 2026-01-01T00:30:00 at the latest
"""


@pytest.fixture
def busy(sim):
    """The document's three nodes: one too loaded, one in use, one drained; job 2 waits."""
    sim("scontrol", "update", "nodename=node01", 'extra={"load": 0.99}')
    sim("scontrol", "update", "nodename=node02", 'extra={"load": 0.2}')
    sim("scontrol", "update", "nodename=node03", "state=drain", "reason=disk")
    for options in (["--exclusive", "-t", "30"], ["-t", "10"]):
        sim("sbatch", "--uid=root", *options, "--extra", "load<0.5", "--wrap", "sleep 600")
    return sim


def test_a_waiting_job(busy):
    assert busy("explain", "2") == WAITING


def test_json(busy):
    answer = json.loads(busy("explain", "2", "--json"))

    assert answer["verdict"] == "not now"
    assert answer["start"]["time"] == 1767225600 + 1800
    assert answer["partitions"][0]["steps"][2] == {"step": "extra", "asked": "load<0.5", "nodes_left": 1}
    assert answer["partitions"][0]["reasons"][1] == {
        "nodes": "node01",
        "count": 1,
        "step": "extra",
        "reason": "load=0.99, wanted load<0.5",
    }


def test_it_changes_nothing(busy):
    before = {path: path.read_bytes() for path in busy.state.rglob("*") if path.is_file()}
    for job in ("1", "2"):
        busy("explain", job)

    assert {path: path.read_bytes() for path in busy.state.rglob("*") if path.is_file()} == before


def test_tasks_of_an_array(sim):
    sim("sbatch --array 0-5%1 -t 10 --wrap 'sleep 60'")

    assert sim("explain", "1").startswith("Job 1_[1-5%1] (wrap)")
    assert sim("explain", "1_0").startswith("Job 1_0 (wrap)")
    assert "Task 3 is one of its array's waiting tasks" in sim("explain", "1_3")
    sim("advance 1d")
    assert "ended COMPLETED" in sim("explain", "1")
    assert sim("explain", "1_4").splitlines()[1].startswith("It ran on node01 for 1:00 and ended COMPLETED")


def test_a_refused_job(sim):
    sim.run("sbatch --requires nothere --wrap true")
    said = sim("explain 1")

    assert said.startswith("Job 1 (wrap) of ")
    assert "node[01-03]: no features, wanted nothere" in said


@pytest.mark.parametrize("job", ["77", "77_1"])
def test_unknown_jobs(sim, job):
    assert sim.run("explain", job) == (1, "", f"sim: error: Invalid job id specified: {job}\n")


def test_bad_ids(sim):
    assert sim.run("explain", "x").code == 1
    assert sim.run("explain").code == 1


def test_a_large_cluster_is_summarised(sim):
    sim("init --nodes n[0001-0200] --cpus 4")
    for i in range(40):
        sim("slurmd", "-N", f"n{i + 1:04}", "--extra", json.dumps({"load": 1 + i}))
    sim("sbatch --extra load<1 --wrap 'sleep 60'")
    said = sim("explain 1").splitlines()

    assert "  21 more: extra" in said
    assert len(said) < 50
    assert sum(": no load, wanted load<1" in line for line in sim("explain 1 --nodes").splitlines()) == 160


def test_colours_on_a_terminal():
    console = Console(file=io.StringIO(), force_terminal=True, width=60, color_system="standard", highlight=False)
    terminal.show_lines([StyledLine("It can never start", "bold red"), StyledLine("name \x1b[2J")], console)

    assert console.file.getvalue() == "\x1b[1;31mIt can never start\x1b[0m\nname \\x1b[2J\n"


def test_data_neither_breaks_lines_nor_fills_the_screen(sim):
    sim("scontrol", "update", "nodename=node01", f"extra={json.dumps({'a': 'x' * 5000 + chr(10) + 'y'})}")
    sim("sbatch", "-J", "a\x1bb", "--extra", "a=1", "--wrap", "true")
    said = sim("explain", "1")

    assert all(line.isprintable() for line in said.splitlines())
    assert max(map(len, said.splitlines())) < 500


def test_deep_constraints(sim):
    deep = '{"not": [' * 1000 + "{}" + "]}" * 1000
    sim("sbatch", "--hold", "--flux-constraint", deep, "--wrap", "true")
    assert "flux-constraint" in sim("explain", "1")
    sim("sbatch", "--hold", "--extra", "(" * 500 + "a=1" + ")" * 500, "--wrap", "true")
    assert "no a, wanted a=1" in sim("explain", "2")
