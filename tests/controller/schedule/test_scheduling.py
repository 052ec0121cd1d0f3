"""The scheduling pass: order, reasons, and the single job of a submission."""

from __future__ import annotations

import pytest
import world

from slimsched.controller.life import cancel, requeue, selectors
from slimsched.controller.schedule import hold
from slimsched.model.reservation import Reservation

TOO_FEW = "PENDING Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions"
RESERVED = "PENDING ReqNodeNotAvail, May be reserved for other job"


def cycle(ctl):
    ctl.cluster.pass_due = True
    ctl.settle()


def test_the_first_that_waits_holds_up_the_lower_ones():
    ctl = world.uniform(SchedulerType="sched/builtin")
    jobs = [world.whole(ctl, n) for n in (3, 2, 1)]

    assert world.shown(*jobs) == ["RUNNING n[1-3]", "PENDING Resources", "PENDING Priority"]


def test_explicit_priorities_decide():
    """Scenario backfill_priority_explicit."""
    ctl = world.uniform()
    running = world.whole(ctl, 4, 10)
    jobs = {p: world.whole(ctl, n, m, priority=p) for p, n, m in ((100, 1, 30), (300, 1, 30), (200, 4, 30), (50, 1, 5))}
    cancel.cancel(ctl, selectors.parse(str(running.job_id)))
    ctl.settle()
    world.later(ctl, 30)

    assert world.shown(*jobs.values()) == ["PENDING Priority", "RUNNING n1", "PENDING Resources", "RUNNING n2"]


@pytest.mark.parametrize(
    ("states", "fields", "expected"),
    [
        ({"n1": ("IDLE", "DRAIN")}, {"nodelist": "n1"}, RESERVED),
        ({"n1": ("DOWN",)}, {"nodelist": "n1"}, "PENDING ReqNodeNotAvail, UnavailableNodes:n1"),
        ({"n1": ("DOWN",)}, {"min_nodes": 4}, TOO_FEW),
        ({"n1": ("DOWN",), "n2": ("DOWN",)}, {"num_tasks": 9}, "PENDING ReqNodeNotAvail, UnavailableNodes:n[1-2]"),
        ({"n1": ("DOWN",), "n2": ("DOWN",)}, {"num_tasks": 8}, "RUNNING n[3-4]"),
        ({"n1": ("IDLE", "DRAIN")}, {"extra": "a=1"}, RESERVED),
        ({}, {"extra": "a=2"}, "PENDING Constraints"),
        ({}, {"extra": "a=1", "min_nodes": 2}, "PENDING Constraints"),
        ({}, {"extra": "a=1", "exclude": "n1"}, "PENDING Constraints"),
        ({}, {"extra": "a=1", "nodelist": "n2"}, "PENDING BadConstraints"),
        ({}, {"extra": "a=1", "features": "all", "exclude": "n1"}, "PENDING BadConstraints"),
        ({}, {"extra": "a=1", "features": "all"}, "RUNNING n1"),
        ({}, {"time_limit": 180}, "PENDING PartitionTimeLimit"),
        ({}, {"min_nodes": 3, "partition": "batch"}, "PENDING PartitionNodeLimit"),
        ({}, {"begin_time": world.START + 60}, "PENDING BeginTime"),
        ({}, {"hold": True}, "PENDING JobHeldUser"),
    ],
)
def test_reasons(states, fields, expected):
    """Scenarios drained_nodes, down_nodes, extra_match_drained, extra_with_feature_nodelist."""
    ctl = world.uniform()
    world.tag(ctl, "n1", '{"a": 1}')
    for node, state in states.items():
        world.put(ctl, node, *state)
    ctl.settle()
    job = world.submit(ctl, **fields)
    at_submission = world.shown(job)
    world.later(ctl, 1)

    assert at_submission == world.shown(job) == [expected]
    assert job.held == (job.reason in {"BadConstraints", "JobHeldUser"})


def test_partition_states():
    """Scenario partition_states."""
    ctl = world.uniform()
    part = ctl.cluster.partitions["debug"]
    part.state = "DOWN"
    job = world.submit(ctl)
    assert world.shown(job) == ["PENDING PartitionDown"]

    part.state = "DRAIN"
    cycle(ctl)
    assert world.shown(job) == ["RUNNING n1"]


def test_bad_constraints_wait_for_a_release():
    """SURPRISES C22: a changed Extra alone does not bring the job back."""
    ctl = world.uniform()
    job = world.submit(ctl, extra="a=1", nodelist="n2")
    world.tag(ctl, "n2", '{"a": 1}')
    ctl.settle()
    assert world.shown(job) == ["PENDING BadConstraints"]

    hold.release(ctl, [str(job.job_id)])
    ctl.settle()
    assert world.shown(job) == ["RUNNING n2"]


def test_a_job_of_required_nodes_holds_up_these_only():
    """Scenario required_nodes."""
    ctl = world.uniform()
    jobs = [
        world.submit(ctl, nodelist="n3"),
        world.submit(ctl, nodelist="n3", exclusive="NODE"),
        world.submit(ctl, nodelist="n[3-4]", min_nodes=2),
        world.submit(ctl, nodelist="n4", min_nodes=2),
        world.submit(ctl, exclude="n[1-3]"),
    ]
    world.later(ctl, 1)

    assert world.shown(*jobs) == ["RUNNING n3", "PENDING Resources", RESERVED, "RUNNING n[1,4]", "RUNNING n4"]


def test_several_partitions():
    """Scenario multi_partition: limits have the last word."""
    ctl = world.uniform()
    world.submit(ctl, nodelist="n[1-2]", min_nodes=2, exclusive="NODE")
    jobs = [
        world.submit(ctl, partition="batch,debug", exclusive="NODE"),
        world.submit(ctl, partition="debug,batch", exclusive="NODE"),
        world.submit(ctl, partition="debug,batch", exclusive="NODE", time_limit=300),
        world.submit(ctl, partition="debug,batch", min_nodes=3),
    ]
    world.later(ctl, 1)

    assert world.shown(*jobs) == ["RUNNING n3", "RUNNING n4", "PENDING None", "PENDING PartitionNodeLimit"]
    assert [(job.partition, job.request.time_limit) for job in jobs[:2]] == [("batch", 1440), ("debug", 30)]


def test_a_maintenance_reservation_lets_short_jobs_through():
    """Scenario reservation_maint_future."""
    ctl = world.uniform()
    now = ctl.cluster.now
    ctl.cluster.reservations["m"] = Reservation(
        name="m", start_time=now + 1200, end_time=now + 4800, nodes="n[1-4]", flags=["MAINT"], users="me"
    )
    jobs = [world.submit(ctl, time_limit=limit, **more) for limit, more in ((30, {}), (20, {}), (25, {"time_min": 5}))]
    world.later(ctl, 1)

    kept_out = "PENDING ReqNodeNotAvail, Reserved for maintenance"
    assert world.shown(*jobs) == [kept_out, "RUNNING n1", "RUNNING n1"]
    assert (world.at(jobs[0]), jobs[2].request.time_limit) == (4800, 20)


def test_a_job_in_its_reservation():
    """Scenario reservation_now_user."""
    ctl = world.uniform()
    now = ctl.cluster.now
    ctl.cluster.reservations["r"] = Reservation(
        name="r", start_time=now, end_time=now + 3600, nodes="n[1-2]", users="me"
    )
    jobs = [
        world.submit(ctl, min_nodes=4),
        world.whole(ctl, 2),
        world.whole(ctl, 2, reservation="r"),
        world.submit(ctl, nodelist="n1"),
        world.whole(ctl, 1),
    ]
    cycle(ctl)

    assert world.shown(*jobs) == [
        "PENDING Resources", "RUNNING n[3-4]", "RUNNING n[1-2]", RESERVED, "PENDING Priority",
    ]  # fmt: skip


def test_a_reservation_to_come_is_waited_for():
    ctl = world.uniform(MinJobAge="0")
    now = ctl.cluster.now
    ctl.cluster.reservations["r"] = Reservation(
        name="r", start_time=now + 600, end_time=now + 1200, nodes="n2", users="me"
    )
    job = world.submit(ctl, reservation="r", time_limit=60)
    assert world.shown(job) == ["PENDING Reservation"]

    world.later(ctl, 600)
    assert world.shown(job) == ["RUNNING n2"]

    world.later(ctl, 600)
    assert (job.state, world.at(job), ctl.cluster.reservations) == ("TIMEOUT", 600, {})


def test_arrays_start_task_by_task_up_to_their_throttle():
    """Scenario array_throttle."""
    ctl = world.uniform()
    record = world.submit(ctl, array="0-5%2")
    running = [job for job in ctl.cluster.jobs.values() if job.active]

    assert [job.array_task_id for job in running] == [0, 1]
    assert (record.array_tasks, record.reason) == ("2-5", "JobArrayTaskLimit")


def test_defer_tries_nothing_at_submission():
    ctl = world.uniform(params="defer")
    first, second = world.submit(ctl), world.submit(ctl)
    assert world.shown(first, second) == ["PENDING None", "PENDING None"]

    world.later(ctl, 1)
    assert world.shown(first, second) == ["RUNNING n1", "RUNNING n1"]


def test_a_submission_leaves_other_jobs_alone():
    ctl = world.uniform()
    world.whole(ctl, 4)
    waiting = [world.whole(ctl, 1) for _ in range(3)]
    world.later(ctl, 40)
    before = [(job.start_time, job.sched_nodes, job.last_sched_eval) for job in waiting]
    cycles = ctl.cluster.statistics["bf_cycle_counter"]
    world.later(ctl, 5)
    late = world.whole(ctl, 1)

    assert world.shown(late) == ["PENDING Priority"]
    assert [(job.start_time, job.sched_nodes, job.last_sched_eval) for job in waiting] == before
    assert ctl.cluster.statistics["bf_cycle_counter"] == cycles


def test_a_submission_compares_itself_with_few_of_those_that_wait(monkeypatch):
    ctl = world.uniform()
    world.whole(ctl, 4)
    for partition in ("debug", "batch") * 20:
        world.whole(ctl, partition=partition)
    compared = []
    monkeypatch.setattr(ctl.priority, "in_partition", lambda job, part: compared.append(job) or job.priority)
    late = [world.whole(ctl, partition=partition) for partition in ("debug", "batch")]

    assert world.shown(*late) == ["PENDING Priority"] * 2
    assert len(compared) < 10


def test_default_queue_depth_ends_the_main_pass():
    ctl = world.uniform(params="default_queue_depth=2,bf_max_job_test=1")
    jobs = [world.submit(ctl, extra="a=1") for _ in range(3)]
    last = world.submit(ctl, hold=True)
    hold.release(ctl, [str(last.job_id)])
    ctl.settle()

    assert world.shown(*jobs, last) == ["PENDING Constraints"] * 3 + ["PENDING None"]


def test_licenses_are_counted():
    ctl = world.uniform(Licenses="a:3,b:1", MinJobAge="0")
    wishes = ("a:2", "a:2", "a:1,b:1", "b|a", "")
    jobs = [world.submit(ctl, licenses=wish, sim_runtime=60) for wish in wishes]
    assert world.shown(*jobs) == [
        "RUNNING n1", "PENDING Licenses", "RUNNING n1", "PENDING Licenses", "RUNNING n1",
    ]  # fmt: skip

    world.later(ctl, 60)
    assert world.shown(jobs[1], jobs[3]) == ["RUNNING n1", "RUNNING n1"]
    assert [job.licenses_alloc for job in jobs] == ["a:2", "a:2", "a:1,b:1", "b", ""]


BUSY = {"nodelist": "n1", "exclusive": "NODE", "time_limit": 30}


@pytest.mark.parametrize(
    ("select", "running", "fields", "expected"),
    [
        # two of n1, n2 are wanted and n2 is drained: n1 alone does not do
        ("select/cons_tres", {}, {"exclusive": "NODE"}, RESERVED),
        ("select/cons_tres", BUSY, {"exclusive": "NODE"}, "PENDING Resources"),
        ("select/cons_tres", {"nodelist": "n1", "num_tasks": 1}, {"exclusive": "NODE"}, "PENDING Resources"),
        ("select/cons_tres", BUSY, {"num_tasks": 2}, "PENDING Resources"),
        ("select/cons_tres", {"nodelist": "n1", "num_tasks": 4}, {"num_tasks": 2}, RESERVED),  # it shares with that
        ("select/linear", {}, {"num_tasks": 2}, RESERVED),
        ("select/linear", {"nodelist": "n1", "num_tasks": 1}, {"num_tasks": 2}, "PENDING Resources"),
    ],
)
def test_too_few_nodes_of_which_others_use_some(select, running, fields, expected):
    """A job that also waits for others holds up those behind it; one whose nodes are not there does not."""
    ctl = world.uniform(SelectType=select)
    if running:
        world.submit(ctl, **running)
    world.put(ctl, "n2", "IDLE", "DRAIN")
    job = world.submit(ctl, min_nodes=2, exclude="n[3-4]", **fields)
    cycle(ctl)

    assert world.shown(job) == [expected]


def test_a_job_that_one_of_its_partitions_can_never_serve_is_not_given_up():
    ctl = world.uniform()
    blocker = world.whole(ctl, 2, 10, nodelist="n[1-2]")
    job = world.submit(ctl, partition="debug,batch", exclude="n[3-4]")
    waiting = world.shown(job)
    cancel.cancel(ctl, selectors.parse(str(blocker.job_id)))
    ctl.settle()

    assert waiting + world.shown(job) == ["PENDING Resources", "RUNNING n1"]


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        # n4 is free; the head wants all nodes, and the one behind it would run beyond the head's start
        ("", ["PENDING Resources", "PENDING Priority"]),
        ("bf_min_prio_reserve=4000000000", ["PENDING Resources", "PENDING Priority"]),
        ("bf_min_prio_reserve=4294967295", ["PENDING Resources", "RUNNING n4"]),
        ("bf_min_age_reserve=600", ["PENDING Resources", "RUNNING n4"]),
    ],
)
def test_jobs_too_young_or_unimportant_to_hold_up_others(params, expected):
    ctl = world.uniform(params=f"defer,{params}")
    world.whole(ctl, 3, 30)
    cycle(ctl)
    jobs = [world.whole(ctl, 4, 30), world.whole(ctl, 1, 60)]
    cycle(ctl)

    assert world.shown(*jobs) == expected


@pytest.mark.parametrize(
    ("params", "running"),
    [
        ("", [True, True, True, True]),
        ("sched_max_job_start=1", [True, False, False, False]),
        ("sched_max_job_start=3", [True, True, True, False]),
        ("partition_job_depth=1", [True, False, True, False]),
        ("default_queue_depth=2", [True, False, True, False]),
    ],
)
def test_how_many_jobs_the_main_pass_takes(params, running):
    """Without backfill; two jobs in each of two partitions, batch before debug."""
    ctl = world.uniform(params=f"defer,{params}")
    ctl.sched.schedule = lambda: 0
    jobs = [world.whole(ctl, 1, 10, partition=name) for name in ("debug", "debug", "batch", "batch")]
    for job, priority in zip(jobs, (4, 2, 3, 1), strict=True):
        job.priority = priority
    cycle(ctl)

    assert [job.active for job in jobs] == running


def test_a_requeued_job_goes_behind_others_of_its_priority():
    """With equal priorities the submission decides, which for a requeued job is when it was requeued."""
    ctl = world.uniform(PriorityType="priority/multifactor")
    jobs = [world.whole(ctl, 4, 30) for _ in range(3)]
    world.later(ctl, 10)
    requeue.requeue(ctl, [str(jobs[0].job_id)])
    world.later(ctl, 3600 * 3)

    assert len({job.priority for job in jobs}) == 1
    assert sorted(jobs, key=lambda job: job.start_time) == [*jobs[1:], jobs[0]]


@pytest.mark.parametrize(
    ("fields", "limit"),
    [
        ({"time_limit": 30, "time_min": 5, "deadline": world.START + 1200}, 20),
        ({"time_limit": 15, "time_min": 5, "deadline": world.START + 1200}, 15),
        ({"time_min": 5, "deadline": world.START + 600}, 10),
        ({"time_limit": 30}, 30),
    ],
)
def test_a_job_runs_up_to_its_deadline_and_no_longer(fields, limit):
    ctl = world.uniform()
    job = world.submit(ctl, **fields)

    assert (world.shown(job), job.request.time_limit) == (["RUNNING n1"], limit)
    assert job.end_time == job.start_time + limit * 60
