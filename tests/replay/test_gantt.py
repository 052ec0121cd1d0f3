"""`sim gantt`: who ran where, in the terminal, in a pipe, and as pictures."""

from __future__ import annotations

import io
import xml.etree.ElementTree as xml

import pytest
from rich.console import Console

from slimsched.render.replay import bars, gantt, stills
from slimsched.render.replay.bars import Drawing
from slimsched.replay.rows import Row
from slimsched.replay.schedule import Schedule

TRACE = "1 0 -1 100 3 -1 -1 3 100 -1 1 7\n2 1 -1 50 4 -1 -1 4 50 -1 1 8\n3 2 -1 20 1 -1 -1 1 20 -1 1 7\n"


def row(number, user, procs, submit, start, end, nodes):
    return Row(number, user, procs, submit, start, end, end - start, 60, "COMPLETED", "Main", -1, nodes, "")


@pytest.fixture
def run(sim):
    (sim.cwd / "t.swf").write_text(TRACE, encoding="ascii")
    sim("replay", "t.swf", "--procs", "4", "--policy", "easy", "--out", "run")
    return sim


def test_a_replay_in_a_pipe(run):
    assert run("gantt", "run", env={"COLUMNS": "33"}) == (
        "n1 AAAAAAAAAAAAAAAAAAAABBBBBBBBBB\n"
        "n2 AAAAAAAAAAAAAAAAAAAABBBBBBBBBB\n"
        "n3 AAAAAAAAAAAAAAAAAAAABBBBBBBBBB\n"
        "n4 AAAAA...............BBBBBBBBBB\n"
        "   0 s         1 min       2 min\n"
        "user: A user7, B user8\n"
    )


def test_a_part_under_fewer_lines_and_other_colours(run):
    words = ("gantt", "run", "--rows", "2", "--colour", "wait", "--from", "90", "--to", "110")
    assert run(*words, env={"COLUMNS": "27"}) == (
        "n[1-2] AAAAAAAAAACCCCCCCCCC\n"
        "n[3-4] AAAAAAAAAACCCCCCCCCC\n"
        "       1.5 min\n"
        "wait: A none, C to 1 h\n"
    )  # fmt: skip


def test_what_has_happened_in_a_cluster(sim):
    sim("init", "--nodes", "b[1-2],a1", "--cpus", "2")
    sim("sbatch", "-Q", "-N", "2", "--exclusive", "--wrap", "sleep 60")
    sim("sbatch", "-Q", "-w", "a1", "--wrap", "sleep 600")
    sim("sbatch", "-Q", "--hold", "--wrap", "sleep 60")
    sim("advance", "2m")

    shown = sim("gantt", "--colour", "state", env={"COLUMNS": "23"}).splitlines()

    assert shown[:3] == ["b1 AAAAAAAAAA..........", "b2 AAAAAAAAAA..........", "a1 BBBBBBBBBBBBBBBBBBBB"]
    assert shown[-1] == "state: A COMPLETED, B RUNNING"


def test_the_terminal_has_the_same_signs_in_colour():
    drawing = Drawing(Schedule([row(1, "\x1b[2Jann", 1, 0, 0, 10, "n1")], ["n1", "n2"], 2))
    grid = gantt.Grid(drawing, "user", 23, 10)
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, color_system="truecolor", width=80)
    for line in gantt.drawn(grid):
        console.print(line)

    assert [line.plain for line in gantt.drawn(grid)][:2] == ["n1 " + "A" * 20, "n2 " + "." * 20]
    red, green, blue = (int(bars.colour("user", 0)[at : at + 2], 16) for at in (1, 3, 5))
    assert f"48;2;{red};{green};{blue}" in out.getvalue()
    assert "\x1b[2J" not in out.getvalue()


def test_a_job_shorter_than_a_sign_is_not_lost():
    rows = [row(1, "ann", 1, 0, 0, 1, "n1"), row(2, "bob", 1, 0, 5000, 10_000, "n1")]
    grid = gantt.Grid(Drawing(Schedule(rows, ["n1"], 1)), "user", 23, 1)

    assert next(gantt.plain(grid)) == "n1 A" + "." * 9 + "B" * 10


def test_an_svg_has_a_box_for_each_range_of_nodes():
    rows = [row(1, "ann", 2, 0, 0, 10, "n[1,3]"), row(2, "bob", 1, 0, 10, 20, "n2")]
    drawing = Drawing(Schedule(rows, ["n1", "n2", "n3"], 3))

    picture = xml.fromstring("\n".join(stills.svg(drawing, "user", "a < b & c")))

    space = "{http://www.w3.org/2000/svg}"
    paths = {path.get("fill"): path.get("d") for path in picture.iter(f"{space}path") if path.get("fill")}
    half = (stills.WIDTH - stills.LEFT - 10) / 2
    assert {ink: d.count("M") for ink, d in paths.items()} == {bars.colour("user", 0): 2, bars.colour("user", 1): 1}
    assert paths[bars.colour("user", 1)].startswith(
        f"M{stills.LEFT + half:.1f} {stills.TOP + 160 / 3:.1f}h{half - 1:.1f}"
    )
    assert next(picture.iter(f"{space}text")).text == "a < b & c"
    assert picture.find(f"{space}title").text == "a < b & c"


def test_pictures_of_a_run(run):
    assert run("gantt", "run", "--svg", "run.svg", "--colour", "size") == ""
    picture = xml.fromstring((run.cwd / "run.svg").read_text(encoding="utf-8"))
    texts = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["t.swf under easy", "0 s", "15 s", "30 s", "45 s", "1 min", "1.2 min", "1.5 min", "1.8 min",
                     "2 min", "2.2 min", "2.5 min", "n1", "n4", "1 processor", "2 to 8"]  # fmt: skip


def test_a_png(run):
    pytest.importorskip("matplotlib")
    assert run("gantt", "run", "--png", "run.png") == ""
    assert (run.cwd / "run.png").read_bytes().startswith(b"\x89PNG")


def test_without_matplotlib(run, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.collections", None)
    said = "sim: error: --png needs matplotlib: pip install 'slimsched[png]'; --svg needs nothing\n"
    assert run.run("gantt", "run", "--png", "run.png") == (1, "", said)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--from", "noon"), "--from noon: give seconds of the trace, or a time such as 2026-01-31T12:00"),
        (("--from", "5", "--to", "5"), "--to is not after --from"),
    ],
)
def test_refusals(run, words, said):
    assert run.run("gantt", "run", *words) == (1, "", f"sim: error: {said}\n")


def test_nothing_ran(sim):
    sim("init")
    answer = sim.run("gantt", env={"SLIMSCHED_NOTES": "1", "COLUMNS": "25"})
    assert (answer.code, answer.err) == (0, "sim: note: no job ran in this time\n")
    assert answer.out.splitlines()[0].endswith("." * 10)
