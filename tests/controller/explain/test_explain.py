"""Why a job does not start: what is left after each step, what each node lacks, what would help, and when."""

from __future__ import annotations

import pytest
import world

from slimsched.controller.explain import explanation
from slimsched.controller.life import cancel, selectors
from slimsched.controller.schedule import hold
from slimsched.model.reservation import Reservation


def found(ctl, job, tasks=""):
    return explanation.explain(ctl, job, tasks)


def left(ctl, job):
    """Return the steps with the nodes left after them, of the job's first partition."""
    return [(step.step, step.nodes_left) for step in found(ctl, job).partitions[0].steps]


def reasons(ctl, job):
    return {reason.nodes: reason.reason for reason in found(ctl, job).partitions[0].reasons}


def remedies(ctl, job):
    """Return the commands of all changes that have one."""
    answer = found(ctl, job)
    hurdles = [*answer.hurdles, *(hurdle for view in answer.partitions for hurdle in view.hurdles)]
    return [change.command for hurdle in hurdles for change in hurdle.changes if change.command]


def extra(ctl, **texts):
    for name, text in texts.items():
        ctl.cluster.nodes[ctl.cluster.node_index[name]].change(extra=text)
    ctl.cluster.changed("extra")


def test_each_step_counts_what_is_left():
    ctl = world.controller()
    extra(ctl, node1='{"load": 0.99}', node2='{"load": 0.2}', node3='{"load": 0.3}')
    ctl.cluster.nodes[2].change(state="DOWN", reason="disk")
    ctl.cluster.changed("state")
    world.job(ctl, nodelist="node2", exclusive="NODE", runtime=600, time_limit=10)
    job = world.job(ctl, extra="load<0.5", exclude="node8", features="intel")

    assert left(ctl, job) == [
        ("partition", 8),
        ("node state", 7),
        ("exclude", 6),
        ("constraint", 3),
        ("extra", 1),
        ("hardware", 1),
        ("resources", 0),
        ("priority", 0),
    ]
    assert reasons(ctl, job) == {
        "node3": "state=DOWN (disk), wanted a node in service",
        "node8": "excluded by --exclude=node8",
        "node[5-6]": "features rack2,amd, wanted intel",
        "node7": "features rack2,amd,big, wanted intel",
        "node1": "load=0.99, wanted load<0.5",
        "node4": "no load, wanted load<0.5",
        "node2": "0 of 4 CPUs free, wanted 1; job 1 until 2026-01-01T00:10:00",
    }


def test_not_now_from_never():
    ctl = world.controller()
    world.fill(ctl)
    busy = world.job(ctl)
    too_long = world.job(ctl, time_limit=10_000)
    too_big = world.job(ctl, mem_per_node=2000, hold=True)

    assert [found(ctl, job).verdict for job in (busy, too_long, too_big)] == ["not now", "never", "never"]
    assert found(ctl, too_long).partitions[0].hurdles[0].text == (
        "TimeLimit=6-22:40:00, partition debug allows 2:00:00"
    )
    assert reasons(ctl, too_big) == {"node[1-8]": "RealMemory=1000, wanted 2000"}


def test_the_expected_start_and_what_it_waits_for():
    ctl = world.controller()
    world.job(ctl, min_nodes=8, exclusive="NODE", time_limit=30)
    job = world.job(ctl)
    start = found(ctl, job).start

    assert (start.time, [(wait.job, wait.end) for wait in start.waits_for]) == (
        world.START + 1800,
        [("1", world.START + 1800)],
    )


def test_a_held_job():
    ctl = world.controller()
    job = world.job(ctl, hold=True)
    answer = found(ctl, job)

    assert answer.verdict == "not now"
    assert [(hurdle.what, hurdle.text) for hurdle in answer.hurdles] == [("hold", "it is held (JobHeldUser)")]
    assert remedies(ctl, job) == ["sim scontrol release 1"]
    assert answer.start.basis == "not before it is released"


@pytest.mark.parametrize(
    ("fields", "what", "until"),
    [
        ({"begin_time": world.START + 3600}, "begin time", world.START + 3600),
        ({"dependency": "afterok:1"}, "dependency", world.START + 1800),
        ({"dependency": "after:1+7"}, "dependency", world.START + 420),
        ({"dependency": "afterok:1,afterany:1"}, "dependency", world.START + 1800),
        ({"dependency": "singleton", "name": "all"}, "dependency", world.START + 1800),
    ],
)
def test_what_is_waited_for(fields, what, until):
    ctl = world.controller()
    world.fill(ctl)
    job = world.job(ctl, **fields)
    answer = found(ctl, job)

    assert [(hurdle.what, hurdle.verdict, hurdle.until) for hurdle in answer.hurdles] == [(what, "not now", until)]


def test_a_dependency_that_cannot_hold():
    ctl = world.controller()
    first = world.job(ctl, hold=True)
    job = world.job(ctl, dependency="afterok:1")
    cancel.cancel_job(ctl, first)
    ctl.settle()

    assert found(ctl, job).verdict == "never"
    assert found(ctl, job).start is None


def test_one_change_that_suffices_comes_before_several():
    ctl = world.controller()
    for name in ("node1", "node2"):
        ctl.cluster.nodes[ctl.cluster.node_index[name]].change(flags=["DRAIN"], reason="disk")
    ctl.cluster.changed("state")
    job = world.job(ctl, nodelist="node[1-2]", min_nodes=2)

    assert remedies(ctl, job)[0] == "sim scontrol update nodename=node[1-2] state=resume"


def test_fewer_nodes_would_do():
    ctl = world.controller()
    world.job(ctl, nodelist="node[1-2]", min_nodes=2, exclusive="NODE", runtime=600)
    job = world.job(ctl, min_nodes=8)

    assert "sim scontrol update jobid=2 numnodes=6" in remedies(ctl, job)


def test_a_reservation_keeps_nodes():
    ctl = world.controller()
    now = world.START
    ctl.cluster.reservations["r"] = Reservation(
        name="r", start_time=now + 600, end_time=now + 1200, nodes="node[1-8]", users="other"
    )
    job = world.job(ctl, time_limit=60)

    assert reasons(ctl, job) == {
        "node[1-8]": "reserved by r from 2026-01-01T00:10:00 to 2026-01-01T00:20:00",
    }
    assert remedies(ctl, job)[0] == "sim scontrol update jobid=1 timelimit=9:00"


def test_jobs_ahead_keep_nodes():
    ctl = world.controller()
    world.job(ctl, nodelist="node1", exclusive="NODE", time_limit=30, runtime=1800)
    world.fill(ctl)
    job = world.job(ctl, time_limit=60)

    assert reasons(ctl, job)["node[2-8]"] == "promised to job 2 from 2026-01-01T00:30:00"
    assert remedies(ctl, job)[0] == "sim scontrol update jobid=3 timelimit=29:00"


def test_jobs_ahead_in_strict_order():
    ctl = world.controller(SchedulerType="sched/builtin")
    world.job(ctl, nodelist="node1", exclusive="NODE", time_limit=30, runtime=1800)
    world.fill(ctl)
    job = world.job(ctl, time_limit=5)

    assert reasons(ctl, job)["node[2-8]"] == "held for job 2, which comes first"
    start = found(ctl, job).start
    assert (start.time, start.basis) == (
        world.START + 3600,
        "after running jobs reach their time limits and the jobs ahead have run",
    )
    assert [(wait.job, wait.state, wait.nodes, wait.end) for wait in start.waits_for] == [
        ("1", "RUNNING", "node1", world.START + 1800),
        ("2", "PENDING", "node[1-8]", world.START + 1800),
    ]


def test_the_trap_of_backfill_plans():
    ctl = world.controller()
    extra(ctl, node1='{"a": 1}')
    world.job(ctl, nodelist="node1", exclusive="NODE", time_limit=30, runtime=1800)
    job = world.job(ctl, extra="a=1")
    world.later(ctl, 1)
    answer = found(ctl, job)

    assert job.sched_nodes
    assert any("bf_extra_constraints" in text for text in answer.story)
    assert (answer.start.time, answer.start.nodes) == (world.START + 1800, "node1")


def test_flux_constraints():
    ctl = world.controller()
    job = world.job(ctl, flux_constraint='{"properties": ["big"]}', requires=["-host:node7"], hold=True)

    assert left(ctl, job)[2:4] == [("flux-constraint", 2), ("requires", 1)]
    assert reasons(ctl, job)["node7"] == "its host, wanted not host in node7"


def test_ignored_extra_is_said_to_be():
    ctl = world.controller(SchedulerParameters="")
    job = world.job(ctl, extra="load<<0.5", hold=True)
    step = next(step for step in found(ctl, job).partitions[0].steps if step.step == "extra")

    assert step.asked == "load<<0.5 (ignored: SchedulerParameters does not contain extra_constraints)"
    assert step.nodes_left == 8


def test_several_partitions():
    ctl = world.controller()
    world.fill(ctl)
    job = world.job(ctl, partition="debug,batch")
    answer = found(ctl, job)

    assert [view.partition for view in answer.partitions] == ["debug", "batch"]
    assert answer.verdict == "not now"


def test_too_little_together():
    ctl = world.controller()
    world.job(ctl, nodelist="node[7-8]", min_nodes=2, num_tasks=4, cpus_per_task=1, runtime=600)
    never = world.job(ctl, num_tasks=9, min_nodes=1, max_nodes=2, hold=True)
    later = world.job(ctl, num_tasks=7, features="big", max_nodes=2)

    assert (found(ctl, never).verdict, left(ctl, never)[3]) == ("never", ("size", 0))
    assert (found(ctl, later).verdict, left(ctl, later)[-2:]) == ("not now", [("priority", 2), ("together", 0)])


def test_an_array_and_its_throttle():
    ctl = world.controller()
    world.job(ctl, array="0-9%2", runtime=600)
    waiting = next(job for job in ctl.cluster.jobs.values() if job.pending)
    answer = found(ctl, waiting, "5")

    assert answer.story[-2:] == [
        "Task 5 is one of its array's waiting tasks, which share one record.",
        "Tasks of array 1: 8 PENDING, 2 RUNNING.",
    ]
    assert [hurdle.what for hurdle in answer.hurdles] == ["array limit"]
    assert remedies(ctl, waiting) == ["sim scontrol update jobid=1 arraytaskthrottle=3"]


def test_a_running_job():
    ctl = world.controller()
    extra(ctl, node2='{"a": 1}')
    job = world.job(ctl, extra="a=1", time_limit=10)
    extra(ctl, node2='{"a": 2}')
    answer = found(ctl, job)

    assert answer.verdict == ""
    assert answer.story[:3] == [
        "It has been running on node2 since 2026-01-01T00:00:00, when it was submitted.",
        "The main scheduling pass started it.",
        "It ends at 2026-01-01T00:10:00 at the latest.",
    ]
    assert [reason.reason for reason in answer.partitions[0].reasons] == ["no longer: a=2, wanted a=1"]


def test_a_finished_job():
    ctl = world.controller()
    job = world.job(ctl, runtime=60)
    world.later(ctl, 120)

    assert found(ctl, job).story == [
        f"It ran on {job.nodes} for 1:00 and ended COMPLETED at 2026-01-01T00:01:00 with exit code 0."
    ]


def test_nothing_is_changed():
    ctl = world.controller()
    world.fill(ctl)
    jobs = [world.job(ctl, **fields) for fields in ({}, {"array": "0-3"}, {"hold": True}, {"min_nodes": 3})]
    hold.hold(ctl, ["2"])
    cluster = ctl.cluster
    cluster.dirty_jobs.clear()
    before = [(repr(job), cluster.epoch.copy(), len(cluster.events)) for job in cluster.jobs.values()]
    for job in [*jobs, cluster.jobs[1]]:
        found(ctl, job)

    assert [(repr(job), cluster.epoch.copy(), len(cluster.events)) for job in cluster.jobs.values()] == before
    assert not cluster.dirty_jobs
    assert selectors.find(cluster, selectors.parse("1"))


def test_licenses():
    ctl = world.controller(Licenses="matlab:2")
    world.job(ctl, licenses="matlab:2", runtime=600)
    job = world.job(ctl, licenses="matlab:1")

    assert [(hurdle.what, hurdle.text) for hurdle in found(ctl, job).hurdles] == [
        ("licenses", "it needs the licenses matlab:1; free: matlab:0; held by job 1 (matlab:2)")
    ]


def test_limits_of_accounts(sim):
    sim.init(
        """
        [slurm]
        AccountingStorageEnforce = "limits"
        [[nodes]]
        NodeName = "n[1-2]"
        CPUs = 4
        [[partitions]]
        PartitionName = "debug"
        Nodes = "ALL"
        Default = true
        """
    )
    sim("sacctmgr -i add account lab")
    sim("sacctmgr -i add user me account=lab maxjobs=1")
    for _ in range(2):
        sim("sbatch --uid=me -A lab --wrap 'sleep 600'")
    said = sim("explain 2")

    assert (
        "the association of user me in account lab: MaxJobs=1; 1 in use, this job asks for 1 (AssocMaxJobsLimit)"
        in said
    )
    assert "It cannot start now, but it can later." in said


def test_jobs_without_end():
    ctl = world.controller()
    ctl.cluster.partitions["debug"].max_time = ctl.cluster.partitions["debug"].default_time = None
    world.fill(ctl)
    job = world.job(ctl)

    assert (found(ctl, job).start.time, found(ctl, job).start.basis) == (0, "unknown: job 1 may run forever")


def test_ranks_are_folded():
    ctl = world.controller()
    job = world.job(ctl, flux_constraint='{"ranks": ["6-7"]}', hold=True)

    assert reasons(ctl, job) == {"node[1-6]": "its rank, wanted rank in 6-7"}
