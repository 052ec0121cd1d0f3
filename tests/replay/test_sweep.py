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


FAULTS = {
    "[grid": "Expected ']' at the end of a table declaration (at end of document)",
    "[cells]": "a sweep has the tables [grid] and [generate], no cells",
    "": "a sweep has the tables [grid] and [generate]",
    "[grid]\npolicy = 'easy'": "[grid] names no trace, and there is no [generate]",
    "[grid]\ntrace = 't'\nseed = 1": "[grid] seed is for the workloads of [generate], which there is not",
    "generate = 1\n[grid]": "[generate] is a table",
    "[generate]\nprocs = 'x'\n[grid]": "[generate] procs = 'x': give a whole number from 2 on",
    "[generate]\nprocs = 1\n[grid]": "[generate] procs = 1: give a whole number from 2 on",
    "[generate]\nprocs = [8, 16]\n[grid]": "[generate] procs = [8, 16]: give a whole number from 2 on",
    "[generate]\njobs = 2.5\n[grid]": "[generate] jobs = 2.5: give a whole number from 1 on",
    "[generate]\nload = nan\n[grid]": "[generate] load = nan: give a number above 0",
    "[generate]\nload = inf\n[grid]": "[generate] load = inf: give a number above 0",
    "[generate]\nload = 0\n[grid]": "[generate] load = 0: give a number above 0",
    "[generate]\nusers = true\n[grid]": "[generate] users = true: give a whole number from 1 on",
    "[generate]\nextra = 0.3\n[grid]": "[generate] extra = 0.3: goes with nodes",
    "[generate]\nnodes = 2\nextra = 1.3\n[grid]": "[generate] extra = 1.3: give a number from 0 to 1",
    "[generate]\nnodes = 5\n[grid]": "[generate] 64 processors are not on 5 equal nodes",
    "[generate]\nnodes = 4\nrefresh = 90\n[grid]": "[generate] new loads come each N times 60 seconds",
    "[generate]\nnodes = 4\n[grid]\ncluster = 'c'": "[grid] cluster: the workloads of [generate] have their own",
    "[generate]\n[grid]\ntrace = 'c'": "[grid] trace: the workloads of [generate] have their own",
    "[generate]\n[grid]\nseed = [1, 'x']": "[grid] seed = 'x': give a whole number",
    "[generate]\n[grid]\nscale_load = [1, -inf]": "[grid] scale_load = -inf: give a number above 0",
    "[generate]\n[grid]\nkill = 1": "[grid] kill = 1: give true or false",
    "[generate]\n[grid]\npolicy = []": "[grid] policy = []: give one value at least",
    "[generate]\n[grid]\npolicy = 2020-01-01": "[grid] policy = 2020-01-01: give a text",
    "[generate]\n[grid]\nprocs = 99999999999": "[grid] procs = 99999999999: give a whole number from 1 on",
}


@pytest.mark.parametrize("text", FAULTS)
def test_faults(sim, text):
    (sim.cwd / "g.toml").write_text(text, encoding="ascii")

    assert sim.run("sweep", "g.toml") == (1, "", f"sim: error: g.toml: {FAULTS[text]}\n")


@pytest.mark.parametrize("table", ["grid", "generate"])
def test_keys_that_there_are_not(sim, table):
    (sim.cwd / "g.toml").write_text(f"[grid]\n[{table}]\ncores = 3\n".replace("[grid]\n[grid]", "[grid]"))

    answer = sim.run("sweep", "g.toml")

    assert (answer.code, answer.out) == (1, "")
    assert answer.err.startswith(f"sim: error: g.toml: [{table}] has no cores; there are ")


def test_a_trace_that_there_is_not(sim):
    (sim.cwd / "g.toml").write_text("[grid]\ntrace = 'none.swf'", encoding="ascii")

    assert sim.run("sweep", "g.toml") == (1, "", "sim: error: none.swf: No such file or directory\n")


PICKY = """\
[generate]
procs = 16
jobs = 30
nodes = 4
extra = 0.5
features = 0.3
complexes = 0.2
refresh = 600

[grid]
seed = [1, 2]
policy = ["slurm-backfill", "checked=bf_extra_constraints"]
"""


def test_workloads_with_constraints(sim):
    (sim.cwd / "g.toml").write_text(PICKY, encoding="ascii")

    answer = sim.run("sweep", "g.toml", "--workers", "2")

    assert answer.code == 0, answer
    assert answer.out.splitlines()[0].split() == ["slurm-backfill", "x2", "checked", "x2"]
    traces = sim.cwd / "g" / "traces"
    assert {path.name for path in traces.iterdir()} == {
        "slurm.conf", "seed-1.events", "seed-1.changes", "seed-2.events", "seed-2.changes",
    }  # fmt: skip
    cells = [path.parent for path in (sim.cwd / "g").glob("*/nodes.csv")]
    assert len(cells) == 4
    for cell in cells:
        extras = {row.rsplit(",", 1)[-1] for row in (cell / "jobs.csv").read_text(encoding="ascii").splitlines()[1:]}
        assert extras == {"", "load<0.5"}
        assert '""load""' in (cell / "nodes.csv").read_text(encoding="ascii")


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
