"""`--policy conservative` beside the plainest conservative backfilling, and beside one that keeps its promises."""

from __future__ import annotations

from random import Random

import pytest
from conservative import Job, anew, kept


def starts(sim, jobs, processors=10):
    lines = [
        f"{job.number} {job.submit} -1 {job.run} {job.processors} -1 -1 {job.processors} {job.limit}" for job in jobs
    ]
    (sim.cwd / "t.swf").write_text("\n".join(lines) + "\n", encoding="ascii")
    answer = sim("replay", "t.swf", "--procs", str(processors), "--policy", "conservative", "--starts", "-")
    return {int(job): int(start) for job, start in (line.split(",") for line in answer.splitlines()[1:])}


@pytest.mark.parametrize("seed", range(6))
def test_every_pass_makes_all_promises_anew(sim, seed):
    rng, submit, jobs = Random(seed), 0, []
    for number in range(1, 60):
        submit += rng.choice((0, 0, 1, 5, 30, 90))
        run = rng.choice((1, 7, 30, 60, 61, 200, 700))
        jobs.append(Job(number, submit, run, rng.choice((1, 1, 2, 3, 5, 8, 10)), run * rng.choice((1, 1, 2, 5))))

    assert starts(sim, jobs) == anew(jobs, 10)


def test_a_promise_is_lost_to_a_job_ahead_in_the_queue(sim):
    """Job 1 ends 80 s before its limit. If job 4 keeps its promise, 31, it is in the way of job 3, who came before."""
    jobs = [Job(1, 0, 20, 7, 100), Job(2, 1, 30, 1, 30), Job(3, 2, 50, 9, 100), Job(4, 3, 10, 3, 10)]

    assert starts(sim, jobs) == anew(jobs, 10) == {1: 0, 2: 1, 3: 20, 4: 70}
    assert kept(jobs, 10) == {1: 0, 2: 1, 3: 41, 4: 20}


def test_a_promise_holds_certain_processors(sim):
    """From 1096 on, 8 of the 40 are free, but not the same ones throughout: jobs 3 and 4 are promised different 32."""
    jobs = [
        Job(1, 96, 200, 2, 1000), Job(2, 127, 700, 16, 700), Job(3, 137, 200, 32, 1000), Job(4, 138, 60, 32, 60),
        Job(5, 168, 700, 8, 3500), Job(6, 169, 200, 2, 1000),
    ]  # fmt: skip

    assert starts(sim, jobs, 40) == {1: 96, 2: 127, 6: 169, 5: 369, 3: 827, 4: 1027}
    assert anew(jobs, 40) == {1: 96, 2: 127, 5: 296, 3: 827, 6: 996, 4: 1027}
