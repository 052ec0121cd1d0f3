"""Scheduler and priority plugins of a package that is not ours decide what the guide leaves to them."""

from __future__ import annotations

import contract_lab as lab
import pytest
import site_plugins as site
from world import START

TOML = """
[slurm]
SchedulerType = "sched/SCHED"
PriorityType = "priority/PRIORITY"
SchedulerParameters = "sched_interval=60"
[[nodes]]
NodeName = "node[1-4]"
CPUs = 4
RealMemory = 1000
[[partitions]]
PartitionName = "debug"
Nodes = "ALL"
Default = true
MaxTime = 60
[[partitions]]
PartitionName = "fast"
Nodes = "ALL"
MaxTime = 60
"""
FIRST = 4294901759


@pytest.fixture(autouse=True)
def _installed(tmp_path, monkeypatch):
    names = {name.lower(): f"site_plugins:{name}" for name in ("Newest", "Lifo", "Says", "Gate", "Closed", "Turns")}
    lab.install(tmp_path / "site", monkeypatch, {"sched": names, "priority": {"by_name": "site_plugins:ByName"}})
    site.CALLS.clear()
    site.ANSWERS.clear()


def cluster(sim, sched="backfill", priority="basic"):
    sim.init(TOML.replace("SCHED", sched).replace("PRIORITY", priority))


def submit(sim, *names, options="-N4 --exclusive -t 1"):
    for name in names:
        sim(f"sbatch -J {name} {options} --wrap 'sleep 60'")


def starts(sim):
    """Return job names in the order of their starts."""
    return [line.split("|")[0] for line in sorted(sim("sacct -n -X -P -o JobName,Start").splitlines(), key=_start)]


def _start(line):
    return line.split("|")[1]


def priorities(sim):
    return [int(word) for word in sim("squeue -h -a -S i -o %Q").split()]


# initial_priority


def test_the_answer_is_the_priority_above_all_others_too(sim):
    cluster(sim, "lifo")
    submit(sim, "a", "b", "c", "d")
    assert site.CALLS == [FIRST + 1] * 4
    assert priorities(sim) == [FIRST + 2] * 4


def test_last_in_first_out(sim):
    cluster(sim, "says")
    site.ANSWERS[:] = [10, 20, 30, 40]
    submit(sim, "a", "b", "c", "d")
    assert priorities(sim) == [10, 20, 30, 40]
    sim("advance 10m")
    assert starts(sim) == ["a", "d", "c", "b"]


@pytest.mark.parametrize(
    ("answer", "got", "following"),
    [
        (1, 1, [1, 1]),
        (2, 2, [1, 1]),
        (0, 0, [FIRST - 1, FIRST - 2]),
        (100, 100, [99, 98]),
        (4294967294, 4294967294, [FIRST - 1, FIRST - 2]),
        (4294967295, FIRST - 1, [FIRST - 2, FIRST - 3]),
        (-1, FIRST - 1, [FIRST - 2, FIRST - 3]),
        ("high", FIRST - 1, [FIRST - 2, FIRST - 3]),
        (ValueError("no"), FIRST - 1, [FIRST - 2, FIRST - 3]),
    ],
)
def test_a_strange_answer_holds_nobody_else(sim, answer, got, following):
    cluster(sim, "says")
    submit(sim, "a")
    site.ANSWERS[:] = [answer]
    submit(sim, "b", "c", "d")
    assert priorities(sim)[1:] == [got, *following]
    assert min(site.CALLS) >= 2


# passes


def test_attempts_of_the_plugin_come_first(sim):
    cluster(sim, "newest")
    submit(sim, "a", "b", "c", "d")
    sim("advance 10m")
    assert starts(sim) == ["a", "d", "c", "b"]


def test_priorities_of_the_plugin_count_at_once(sim):
    cluster(sim, "turns")
    submit(sim, "a", "b", "c", "d")
    sim("advance 10m")
    assert starts(sim) == ["a", "d", "c", "b"]


def test_held_jobs_get_passes_and_are_released(sim):
    cluster(sim, "gate")
    submit(sim, "a", options="-n1 -t 1")
    assert sim("squeue -h -o '%t %Q %r'") == "PD 0 JobHeldAdmin\n"
    assert site.CALLS == ["pending", START]
    site.CALLS.clear()
    sim("advance 4m")
    assert [START + 60 * k for k in range(1, 5)] == site.CALLS
    sim("advance 150s")
    assert site.CALLS[4:] == [START + 300, START + 360]
    assert sim("sacct -n -X -P -o Start,NodeList,State") == "2026-01-01T00:05:00|node4|COMPLETED\n"


def test_advance_until_idle_waits_for_the_release(sim):
    cluster(sim, "gate")
    submit(sim, "a", options="-n1 -t 1")
    assert sim("advance --until-idle") == "2026-01-01T00:06:00\n"


def test_waiting_for_a_job_that_nobody_releases_ends(sim):
    cluster(sim, "closed")
    submit(sim, "a", options="-n1 -t 1")
    answer = sim.run("wait 1")
    assert (answer.code, answer.out) == (1, "")
    assert "will not end" in answer.err


def test_what_a_user_holds_stays_held(sim):
    cluster(sim, "closed")
    sim("sbatch --hold -n1 --wrap true")
    submit(sim, "b", options="-n1 -t 1")
    sim("scontrol hold 2")
    sim("advance 10m")
    assert sim("squeue -h -S i -o '%t %Q %r'") == "PD 0 JobHeldUser\nPD 0 JobHeldAdmin\n"
    assert "sched/closed: job 1 is held by a user" in sim("events")


# priority


def test_the_priority_plugin_decides_the_order(sim):
    cluster(sim, priority="by_name")
    submit(sim, "10", "20", "40", "30")
    assert site.CALLS[0] == ("set", FIRST)
    sim("advance 10m")
    assert starts(sim) == ["10", "40", "30", "20"]


def test_priorities_are_those_of_now(sim):
    cluster(sim, priority="by_name")
    sim("sbatch -J 5 -N4 --exclusive -t 50 --wrap 'sleep 3000'")
    submit(sim, "10", "20")
    sim("advance 30m")
    assert sim("squeue -h -t PD -S i -o %Q") == "40\n50\n"


def test_a_priority_for_each_partition(sim):
    cluster(sim, priority="by_name")
    submit(sim, "10")
    submit(sim, "50")
    submit(sim, "20", options="-N4 --exclusive -t 1 -p debug,fast")
    sim("advance 10m")
    assert starts(sim) == ["10", "20", "50"]
