"""`sim generate`: the same seed gives the same jobs, and they have the traits of the model."""

from __future__ import annotations

import math
from collections import Counter

import pytest

from slimsched.replay.model import BUCKETS, Workload, _below, _prices, generate


def test_a_seed_gives_the_same_trace(sim):
    words = ("generate", "--procs", "64", "--jobs", "20")
    first = sim(*words, "--seed", "3")

    assert sim(*words, "--seed", "3") == first
    assert sim(*words, "--seed", "4") != first
    assert sim(*words, "--seed", "3", "-o", "x.swf") == ""
    assert (sim.cwd / "x.swf").read_text() == first
    head = ["; Version: 2.2", "; Computer: synthetic, model of Lublin and Feitelson", "; MaxJobs: 20", "; MaxProcs: 64"]
    assert first.splitlines()[:5] == [*head, "; Note: seed 3, load of the model"]
    assert all(len(line.split()) == 18 for line in first.splitlines()[5:])


def test_a_trace_can_be_replayed(sim):
    text = sim("generate", "--procs", "32", "--jobs", "40", "--load", "1.5")

    lines = sim("replay", "-", "--starts", "-", stdin=text).splitlines()

    assert [int(line.split(",")[0]) for line in lines[1:]] == list(range(1, 41))


@pytest.fixture(scope="module")
def jobs():
    return generate(Workload(128, 8000, 1))


def test_sizes(jobs):
    sizes = Counter(job.processors for job in jobs)

    assert sizes[1] / len(jobs) == pytest.approx(0.244, abs=0.02)
    powers = sum(count for size, count in sizes.items() if size & (size - 1) == 0 and size > 1)
    assert powers / len(jobs) > 0.57
    assert max(sizes) == 128


def test_run_times_are_a_mixture_of_two_gammas(jobs):
    logs = [math.log(job.run) for job in jobs if job.processors == 1]
    share = 0.78 - 0.0054

    assert sum(logs) / len(logs) == pytest.approx(share * 4.2 * 0.94 + (1 - share) * 312 * 0.03, abs=0.25)
    assert max(logs) <= 12
    assert all(job.estimate >= job.run for job in jobs)


def test_arrivals_have_the_rhythm_of_a_day(jobs):
    hours = Counter(job.submit // 3600 % 24 for job in jobs)

    assert sum(hours[hour] for hour in range(9, 17)) > 2 * sum(hours[hour] for hour in range(8))
    assert [job.submit for job in jobs] == sorted(job.submit for job in jobs)


def test_the_day_sums_up_to_itself():
    assert sum(_prices()) / BUCKETS == pytest.approx(1, abs=0.01)
    assert _below(0) == 0
    assert _below(1000) == pytest.approx(1)


@pytest.mark.parametrize("load", [0.5, 1.2])
def test_a_load(load):
    made = generate(Workload(64, 500, 2, load))

    assert sum(job.run * job.processors for job in made) / 64 / made[-1].submit == pytest.approx(load, rel=0.05)
