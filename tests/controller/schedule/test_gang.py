"""Jobs that share CPUs take turns."""

from __future__ import annotations

import world

from slimsched.controller.core import Controller
from slimsched.controller.schedule import event_loop
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config, NodeConf, PartitionConf


def controller(mode="GANG", over="FORCE:2", **slurm):
    config = Config(
        slurm={"PreemptMode": mode, "DefMemPerCPU": "100", "SchedulerParameters": "bf_interval=1", **slurm},
        nodes=[NodeConf(node_name="node1", cpus=4, real_memory=1000)],
        partitions=[PartitionConf(partition_name="debug", nodes="ALL", default=True, max_time=60, over_subscribe=over)],
    )
    return Controller(Cluster(config, world.START))


def watch(ctl, jobs, seconds, step=10):
    """Return which jobs run, every so often."""
    found = []
    for _ in range(0, seconds, step):
        found.append("".join("R" if job.state == "RUNNING" else "s" for job in jobs))
        world.later(ctl, step)
    return found


def test_two_jobs_take_turns():
    ctl = controller()
    jobs = [world.job(ctl, num_tasks=4, runtime=60) for _ in range(2)]

    assert watch(ctl, jobs, 120) == ["Rs"] * 3 + ["sR"] * 3 + ["Rs"] * 3 + ["sR"] * 3
    assert [job.state for job in jobs] == ["COMPLETED"] * 2
    assert [job.end_time - world.START for job in jobs] == [90, 120]


def test_the_slice_can_be_set():
    ctl = controller(SchedulerTimeSlice="10")
    jobs = [world.job(ctl, num_tasks=4, runtime=60) for _ in range(2)]
    assert watch(ctl, jobs, 40) == ["Rs", "sR", "Rs", "sR"]


def test_jobs_that_do_not_meet_run_together():
    ctl = controller()
    jobs = [world.job(ctl, num_tasks=2, runtime=600) for _ in range(2)]
    jobs.append(world.job(ctl, num_tasks=4, runtime=600))
    assert watch(ctl, jobs, 90, 30) == ["RRs", "ssR", "RRs"]


def test_without_gang_they_run_at_the_same_time():
    ctl = controller(mode="OFF")
    jobs = [world.job(ctl, num_tasks=4, runtime=60) for _ in range(3)]
    assert watch(ctl, jobs, 30) == ["RRs"] * 3
    assert jobs[2].state == "PENDING"


def test_the_limit_moves_with_the_turns():
    ctl = controller()
    jobs = [world.job(ctl, num_tasks=4, runtime=None, time_limit=1) for _ in range(2)]
    assert event_loop.advance_until_idle(ctl)

    assert [job.state for job in jobs] == ["TIMEOUT"] * 2
    assert [job.end_time - world.START for job in jobs] == [90, 120]


def test_a_person_suspends_for_good():
    from slimsched.controller.life import suspend

    ctl = controller()
    jobs = [world.job(ctl, num_tasks=4, runtime=60) for _ in range(2)]
    assert not suspend.suspend(ctl, ["1"])
    ctl.settle()
    assert watch(ctl, jobs, 60) == ["sR"] * 6
    assert not suspend.resume(ctl, ["1"])
    world.later(ctl, 60)
    assert [job.state for job in jobs] == ["COMPLETED"] * 2
