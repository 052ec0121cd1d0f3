"""`sim sweep`: every combination once, kept by what went into it; what fails stops nothing."""

from __future__ import annotations

import pytest

GRID = """\
[generate]
procs = 8
jobs = 12
load = 1.5

[grid]
seed = [1, 2]
policy = {policies}
"""


@pytest.fixture
def sweep(sim):
    def run(policies, *words):
        (sim.cwd / "grid.toml").write_text(GRID.format(policies=policies), encoding="ascii")
        return sim.run("sweep", "grid.toml", "--workers", "2", *words, env={"SLIMSCHED_NOTES": "1"})

    return run


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_only_what_is_missing_is_replayed(sweep, sim):
    first = sweep('["fcfs"]')
    assert first.code == 0
    assert first.out.splitlines()[0].split() == ["fcfs", "x2"]
    assert first.err.splitlines()[0] == "sim: note: 2 cells, 0 of them replayed before"
    before = contents(sim.cwd / "grid")

    again = sweep('["fcfs", "easy"]')

    assert again.err.splitlines()[0] == "sim: note: 4 cells, 2 of them replayed before"
    assert again.out.splitlines()[0].split() == ["fcfs", "x2", "easy", "x2"]
    after = contents(sim.cwd / "grid")
    assert {name: after[name] for name in before} == before
    assert sum(name.name == "summary.json" for name in after) == 4


def test_a_cell_gives_what_a_replay_gives(sweep, sim):
    sweep('["easy"]', "--out", "there")
    cells = [path for path in (sim.cwd / "there").iterdir() if path.name != "traces"]
    sim("replay", "there/traces/seed-1.swf", "--policy", "easy", "--out", "alone")

    assert contents(sim.cwd / "alone") in [contents(cell) for cell in cells]


def test_a_cell_that_fails_does_not_stop_the_others(sweep, sim):
    answer = sweep('["sjf", "easy"]')

    assert answer.code == 1
    assert answer.out.splitlines()[0].split() == ["easy", "x2"]
    said = [line for line in answer.err.splitlines() if line.startswith("sim: error: ")]
    assert sorted(said)[0].startswith(
        "sim: error: policy sjf, trace grid/traces/seed-1.swf: no policy 'sjf'; there are"
    )
    assert len(list((sim.cwd / "grid").glob("*/error.txt"))) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[grid", "g.toml: Expected ']' at the end of a table declaration (at end of document)"),
        ("[cells]", "a sweep has the tables [grid] and [generate], no cells"),
        ("", "a sweep has the tables [grid] and [generate]"),
        ("[grid]\npolicy = 'easy'", "[grid] names no trace, and there is no [generate]"),
        ("[grid]\ntrace = 'none.swf'", "none.swf: No such file or directory"),
        ("[generate]\nprocs = 'x'\n[grid]", "[generate] and seed take numbers"),
        ("[generate]\ncores = 3\n[grid]", "[generate] has procs, jobs, load, users"),
    ],
)
def test_faults(sim, text, said):
    (sim.cwd / "g.toml").write_text(text, encoding="ascii")

    assert sim.run("sweep", "g.toml") == (1, "", f"sim: error: {said}\n")


def results(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


SMALL = '[generate]\nprocs = 8\njobs = 20\n[grid]\npolicy = ["fcfs", "easy"]\nseed = [1, 2]\n'


@pytest.mark.filterwarnings("ignore")
def test_dask_leaves_the_same_bytes(sim):
    pytest.importorskip("distributed")
    (sim.cwd / "grid.toml").write_text(SMALL, encoding="ascii")
    sim("sweep", "grid.toml", "--out", "here")
    told = sim("sweep", "grid.toml", "--out", "here")

    assert sim("sweep", "grid.toml", "--out", "there", "--dask", "local", "--workers", "2") == told

    assert results(sim.cwd / "here") == results(sim.cwd / "there")


@pytest.mark.parametrize("words", [("--dask", "local"), ("--dask-jobqueue", "2")])
def test_without_dask(sim, monkeypatch, words):
    import sys

    for name in ("dask", "dask.distributed"):
        monkeypatch.setitem(sys.modules, name, None)
    (sim.cwd / "grid.toml").write_text(SMALL, encoding="ascii")
    said = (
        f"sim: error: {words[0]} needs Dask: pip install 'slimsched[cluster]'; without it cells run in processes here\n"
    )
    assert sim.run("sweep", "grid.toml", *words) == (1, "", said)


def test_both_kinds_of_dask(sim):
    (sim.cwd / "grid.toml").write_text(SMALL, encoding="ascii")
    said = "sim: error: give one of --dask and --dask-jobqueue\n"
    assert sim.run("sweep", "grid.toml", "--dask", "local", "--dask-jobqueue", "2") == (1, "", said)
