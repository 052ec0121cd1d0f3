"""`sim generate --nodes`: workloads with constraints, and nodes whose load changes."""

from __future__ import annotations

from itertools import islice

import pytest

from slimsched.replay import constrained

WORDS = ("generate", "--procs", "32", "--nodes", "8", "--jobs", "120", "--load", "0.7", "--seed", "3", "--out", "made")


def test_the_three_files_go_through_a_replay(sim):
    sim(*WORDS, "--extra", "0.5", "--features", "0.3", "--complexes", "0.3", "--refresh", "3600")
    lines = (sim.cwd / "made" / "jobs.events").read_text(encoding="ascii").splitlines()
    wishes = {word: sum(word in line for line in lines) for word in ("--extra load<0.5", "-C big", "-l scratch=1")}
    assert all(15 < count < 75 for count in wishes.values()), wishes

    sim("replay", "made/jobs.events", "--cluster", "made/slurm.conf", "--events", "made/changes.txt", "--out", "run")

    rows = (sim.cwd / "run" / "jobs.csv").read_text(encoding="ascii").splitlines()[1:]
    assert len(rows) == 120
    assert sum(",COMPLETED," in row for row in rows) > 110
    assert sum(row.endswith("load<0.5") for row in rows) == wishes["--extra load<0.5"]


def test_the_same_numbers_make_the_same_files(sim):
    sim(*WORDS)
    before = {path.name: path.read_bytes() for path in (sim.cwd / "made").iterdir()}
    sim(*WORDS)
    assert {path.name: path.read_bytes() for path in (sim.cwd / "made").iterdir()} == before
    sim(*WORDS[:-1], "later", "--refresh", "900")
    assert (sim.cwd / "later" / "jobs.events").read_bytes() == before["jobs.events"]


def test_staler_reports_tell_the_same_truth():
    wanted = constrained.Workload(8, 50, 1)
    fresh, stale = (
        constrained.generate(wanted, constrained.Wishes(2, refresh=refresh)).changes for refresh in (60, 600)
    )
    loads = list(islice(constrained.true_loads(1, 2), 100))

    def told(text, node, second):
        lines = [line.split() for line in text.splitlines()[1:]]
        return [line[-1] for line in lines if line[3] == f"nodename=n{node}" and int(line[0]) <= second][-1]

    for step in range(100):
        assert told(fresh, 1, step * 60) == f"{loads[step][0]}}}'"
        assert told(stale, 2, step * 60) == f"{loads[step - step % 10][1]}}}'"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--nodes", "5", "--out", "x"), "32 processors are not on 5 equal nodes"),
        (("--nodes", "8", "--out", "x", "--refresh", "90"), "new loads come each N times 60 seconds"),
        (("--nodes", "8"), "--nodes and --out DIR go together"),
    ],
)
def test_refusals(sim, words, said):
    assert sim.run("generate", "--procs", "32", *words) == (1, "", f"sim: error: {said}\n")
