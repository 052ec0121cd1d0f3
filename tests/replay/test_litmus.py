"""Textbook schedules of EASY and strict order, and the same starts from an independent loop over a pool."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from random import Random

import pytest

LITMUS = {
    "A long narrow job must not delay the head": ("100 6 100, 50 8 50, 1000 4 1000", "0 100 150"),
    "a long job may use the spare processors": ("100 6 100, 50 8 50, 1000 2 1000", "0 100 2"),
    "a running job ends early": ("20 6 100, 50 8 50, 30 4 30", "0 32 2"),
    "plans go by estimate, not by run time": ("100 6 100, 50 8 50, 10 4 200", "0 100 150"),
    "a candidate ends exactly at the shadow time": ("20 6 100, 50 10 50, 98 4 98, 80 1 80", "0 100 2 20"),
    "a second waiting job has no promise": ("100 6 100, 50 8 50, 10 9 10, 200 2 200", "0 100 203 3"),
}
"""What it shows -> run time, processors and estimate of the jobs, which come second by second; and their starts."""

ROOT = Path(__file__).parents[2]


def starts(sim, lines, *words):
    (sim.cwd / "t.swf").write_text("; MaxProcs: 10\n" + "\n".join(lines) + "\n", encoding="ascii")
    answer = sim("replay", "t.swf", "--starts", "-", *words)
    return {int(job): int(start) for job, start in (line.split(",") for line in answer.splitlines()[1:])}


def swf(number, submit, run, procs, estimate):
    return f"{number} {submit} -1 {run} {procs} -1 -1 {procs} {estimate} -1 1 1 1 -1 1 1 -1 -1"


@pytest.mark.parametrize("machine", [("--procs", "10"), ("--nodes", "10", "--cpus", "1")], ids=" ".join)
@pytest.mark.parametrize("case", LITMUS)
def test_easy(sim, case, machine):
    jobs, expected = LITMUS[case]
    lines = [swf(n + 1, n, *job.split()) for n, job in enumerate(jobs.split(", "))]

    found = starts(sim, lines, "--policy", "easy", *machine)

    assert [found[n + 1] for n in range(len(lines))] == [int(start) for start in expected.split()]


def test_an_end_and_a_submission_in_one_second(sim):
    """The end comes first, then the submission, then one pass, so the head starts and the new job waits."""
    lines = [swf(1, 0, 20, 6, 100), swf(2, 1, 50, 8, 50), swf(3, 20, 30, 4, 30)]

    assert starts(sim, lines) == {1: 0, 2: 20, 3: 70}


def workload(seed, count):
    rng = Random(seed)
    submit = 0
    for number in range(1, count + 1):
        submit += rng.choice((0, 0, 1, 5, 30, 90))
        run = rng.choice((1, 7, 30, 60, 61, 200, 700))
        yield number, submit, run, rng.choice((1, 1, 2, 3, 5, 8, 10)), run * rng.choice((1, 1, 2, 5))


@pytest.fixture(scope="module")
def loop():
    spec = importlib.util.spec_from_file_location("bench_ratio", ROOT / "benchmarks" / "bench_ratio.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", range(4))
def test_easy_starts_are_those_of_a_bare_loop(sim, loop, seed):
    jobs = list(workload(seed, 150))
    bare = loop.Loop(10)
    bare.run([loop.Job(*job) for job in jobs])
    lines = [swf(*job) for job in jobs]

    pool = starts(sim, lines, "--procs", "10")

    assert pool == bare.starts
    assert starts(sim, lines, "--nodes", "10") == pool


@pytest.mark.parametrize("seed", range(2))
def test_strict_order(sim, seed):
    jobs = list(workload(seed, 120))
    free, expected, ends, now = 10, {}, [], 0
    for number, submit, run, procs, _ in jobs:
        now = max(now, submit)
        while free < procs or (ends and min(ends)[0] <= now):
            end, freed = min(ends)
            ends.remove((end, freed))
            free, now = free + freed, max(now, end)
        expected[number], free = now, free - procs
        ends.append((now + run, procs))

    assert starts(sim, [swf(*job) for job in jobs], "--policy", "fcfs") == expected
