"""Preemption by partition and by QOS, with all that becomes of the jobs that go."""

from __future__ import annotations

import pytest
import world

from slimsched.controller.core import Controller
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config, NodeConf, PartitionConf
from slimsched.model.reservation import Reservation


def controller(mode="REQUEUE", kind="preempt/partition_prio", low=None, **slurm):
    """Return a cluster of two nodes with the partitions low and high."""
    config = Config(
        slurm={"PreemptType": kind, "PreemptMode": mode, "DefMemPerCPU": "100", **slurm},
        nodes=[NodeConf(node_name="node[1-2]", cpus=4, real_memory=1000)],
        partitions=[
            PartitionConf(partition_name="low", nodes="ALL", default=True, max_time=60, **(low or {})),
            PartitionConf(partition_name="high", nodes="ALL", priority_tier=10, max_time=60),
        ],
    )
    return Controller(Cluster(config, world.START))


def jobs(ctl, **fields):
    """Fill the cluster with a job of low, and submit one of high for a node."""
    fields = {"batch": True, "requeue": True, **fields}
    low = world.job(ctl, partition="low", num_tasks=8, runtime=600, **fields)
    high = world.job(ctl, partition="high", num_tasks=4, runtime=60)
    return low, high


@pytest.mark.parametrize(
    ("mode", "state"), [("REQUEUE", "PENDING"), ("CANCEL", "PREEMPTED"), ("SUSPEND,GANG", "SUSPENDED")]
)
@pytest.mark.parametrize("select", ["select/cons_tres", "select/linear"])
def test_modes(mode, state, select):
    low, high = jobs(
        controller(mode, SelectType=select, SelectTypeParameters="CR_CPU"[: 0 if "linear" in select else 9])
    )

    assert (low.state, high.state) == (state, "RUNNING")


def test_a_job_that_cannot_be_requeued_is_cancelled():
    low, high = jobs(controller("REQUEUE"), requeue=False)
    assert (low.state, high.state) == ("PREEMPTED", "RUNNING")


def test_a_suspended_job_goes_on_when_the_other_has_ended():
    ctl = controller("SUSPEND,GANG")
    low, high = jobs(ctl)
    end = low.end_time
    world.later(ctl, 60)

    assert (low.state, high.state) == ("RUNNING", "COMPLETED")
    assert low.end_time == end + 60
    world.later(ctl, 600)
    assert low.state == "COMPLETED"


@pytest.mark.parametrize(
    ("low", "slurm"),
    [
        ({"preempt_mode": "OFF"}, {}),
        ({"priority_tier": 10}, {}),
        ({}, {"PreemptType": "preempt/none"}),
        ({}, {"PreemptMode": "OFF"}),
        ({}, {"PreemptExemptTime": "5:00"}),
    ],
    ids=["partition off", "same tier", "no preemption", "mode off", "exempt"],
)
def test_who_is_spared(low, slurm):
    first, second = jobs(controller(low=low, **slurm))
    assert (first.state, second.state, second.reason) == ("RUNNING", "PENDING", "Resources")


def test_exempt_for_a_time_only():
    ctl = controller(PreemptExemptTime="5:00")
    low = world.job(ctl, partition="low", num_tasks=8, runtime=900, batch=True, requeue=True)
    world.later(ctl, 300)
    high = world.job(ctl, partition="high", num_tasks=4)
    assert (low.state, high.state) == ("PENDING", "RUNNING")


def test_grace():
    ctl = controller("CANCEL", low={"grace_time": 120})
    low, high = jobs(ctl)
    assert (low.state, high.state) == ("RUNNING", "PENDING")
    assert low.preempt_time == world.START + 120

    world.later(ctl, 119)
    assert (low.state, high.state) == ("RUNNING", "PENDING")
    world.later(ctl, 1)
    assert (low.state, high.state) == ("PREEMPTED", "RUNNING")
    assert low.end_time == high.start_time == world.START + 120


def test_grace_ends_at_a_check_at_the_pace_of_slurm():
    ctl = controller("CANCEL", low={"grace_time": 4})
    low = world.job(ctl, partition="low", num_tasks=8, runtime=600)
    ctl.cluster.config.pace = "slurm"
    world.job(ctl, partition="high", num_tasks=4, runtime=60)

    assert low.preempt_time == world.START + 30
    world.later(ctl, 60)
    assert (low.state, low.end_time) == ("PREEMPTED", world.START + 30)


def test_a_job_that_ends_in_its_time_of_grace_was_preempted():
    ctl = controller("CANCEL", low={"grace_time": 120})
    low = world.job(ctl, partition="low", num_tasks=8, runtime=20)
    world.job(ctl, partition="high", num_tasks=4, runtime=60)
    world.later(ctl, 20)

    assert (low.state, low.exit_code, low.end_time) == ("PREEMPTED", 0, world.START + 20)


@pytest.mark.parametrize(("slurm", "patience"), [({}, 40), ({"KillWait": "5", "MessageTimeout": "20"}, 25)])
def test_who_lost_the_nodes_of_its_victim_waits_before_it_preempts_again(slurm, patience):
    ctl = controller("CANCEL", low={"grace_time": 10}, **slurm)
    first, second = [world.job(ctl, partition="low", num_tasks=4, runtime=600) for _ in range(2)]
    high = world.job(ctl, partition="high", num_tasks=4, runtime=60)
    assert (first.preempt_time, second.preempt_time) == (world.START + 10, 0)

    world.put(ctl, first.nodes, "IDLE", "DRAIN")
    world.later(ctl, patience - 1)
    assert (first.state, second.preempt_time, high.state) == ("PREEMPTED", 0, "PENDING")
    world.later(ctl, 1)
    assert (second.preempt_time, high.state) == (world.START + patience + 10, "PENDING")
    world.later(ctl, 10)
    assert (second.state, high.state, high.preempts_since) == ("PREEMPTED", "RUNNING", 0)


def test_no_more_jobs_go_than_must():
    ctl = controller("CANCEL")
    small = [world.job(ctl, partition="low", num_tasks=2, runtime=600) for _ in range(4)]
    world.job(ctl, partition="high", num_tasks=2)

    assert [job.state for job in small].count("PREEMPTED") == 1


@pytest.mark.parametrize(("parameters", "gone"), [("", [2]), ("youngest_first", [3])])
def test_of_several_jobs_the_one_on_the_fewest_nodes_goes_then_the_oldest(parameters, gone):
    ctl = controller("CANCEL", PreemptParameters=parameters)
    wide = world.job(ctl, partition="low", num_tasks=2, min_nodes=2, max_nodes=2, runtime=600)
    small = []
    for _ in range(2):
        ctl.cluster.now += 1
        small.append(world.job(ctl, partition="low", num_tasks=3, runtime=600))
    world.job(ctl, partition="high", num_tasks=2)

    assert [job.job_id for job in (wide, *small) if job.state == "PREEMPTED"] == gone


def test_by_qos():
    ctl = controller("CANCEL", kind="preempt/qos")
    ctl.cluster.accounting = {
        "qos normal": {"ID": "1"},
        "qos urgent": {"ID": "2", "Preempt": "normal"},
        "qos safe": {"ID": "3"},
    }
    spared = world.job(ctl, num_tasks=4, qos="safe", runtime=600)
    taken = world.job(ctl, num_tasks=4, qos="normal", runtime=600)
    urgent = world.job(ctl, num_tasks=2, qos="urgent")

    assert (spared.state, taken.state, urgent.state) == ("RUNNING", "PREEMPTED", "RUNNING")
    assert urgent.nodes == "node2"


def test_a_suspended_job_that_is_cancelled_stays_so():
    from slimsched.controller.life import transitions

    ctl = controller("SUSPEND,GANG")
    low, high = jobs(ctl)
    transitions.end_job(ctl, low, "CANCELLED")
    ctl.settle()
    world.later(ctl, 120)
    assert (low.state, high.state) == ("CANCELLED", "COMPLETED")


@pytest.mark.parametrize("scheduler", ["Main", "Backfill"])
def test_at_slurms_pace_one_pass_frees_the_nodes_and_the_next_starts_the_job(scheduler):
    ctl = controller(SchedulerParameters=f"bf_interval={1000 if scheduler == 'Main' else 1},sched_interval=1000")
    ctl.cluster.config.pace = "slurm"
    low = world.job(ctl, partition="low", num_tasks=8, runtime=600, batch=True, requeue=True)
    world.later(ctl, 10)
    high = world.job(ctl, partition="high", num_tasks=4, runtime=60, batch=True)
    world.later(ctl, 5)

    assert (low.state, low.restarts, high.state, high.scheduler) == ("PENDING", 1, "RUNNING", "Main")
    assert world.at(high) == (11 if scheduler == "Main" else 10)


@pytest.mark.parametrize("reserved", [False, True])
def test_a_cycle_preempts_behind_a_job_that_waits(reserved):
    """Nothing is idle, and nobody reads the plans."""
    ctl = controller(SchedulerParameters="bf_interval=1")
    ctl.forecasting = False
    if reserved:
        start = world.START + 86400
        ctl.cluster.reservations["r"] = Reservation(name="r", start_time=start, end_time=start + 60, nodes="node1")
    world.job(ctl, partition="high", num_tasks=4, runtime=3000, time_limit=50)
    low = world.job(ctl, partition="low", num_tasks=4, runtime=3000, batch=True, requeue=True)
    waits = world.job(ctl, partition="high", min_nodes=2, exclusive="NODE", time_limit=10)
    short = world.job(ctl, partition="high", num_tasks=4, runtime=60, time_limit=5)
    world.later(ctl, 5)

    assert (waits.state, short.state, low.state) == ("PENDING", "RUNNING", "PENDING")
