"""Random heterogeneous jobs: components run together on nodes of their own, and nothing is booked twice."""

from __future__ import annotations

import contextlib

import world
from hypothesis import given, settings
from hypothesis import strategies as st

from slimsched.controller.life import cancel, requeue, selectors
from slimsched.controller.schedule import event_loop, hold
from slimsched.controller.submit.submission import submit_together
from slimsched.errors import SlurmError
from slimsched.model.request import JobRequest

NODES = 4
component = st.tuples(st.integers(1, 2), st.integers(1, 4), st.integers(1, 40), st.booleans())
events = st.lists(
    st.tuples(
        st.integers(0, 900),  # so long after the one before
        st.lists(component, min_size=1, max_size=3).filter(lambda parts: sum(part[0] for part in parts) <= NODES),
        st.integers(1, 2400),  # seconds that it runs
        st.sampled_from(["", "", "cancel", "part", "hold", "release", "requeue"]),
        st.integers(1, 12),  # done to this job
    ),
    min_size=1,
    max_size=10,
)


def submit(ctl, parts, seconds):
    requests = [
        JobRequest(
            min_nodes=nodes,
            max_nodes=nodes,
            num_tasks=tasks,
            time_limit=limit,
            sim_runtime=seconds,
            licenses="lic:2",
            exclusive="NODE" if alone else "",
        )
        for nodes, tasks, limit, alone in parts
    ]
    if len(requests) > 1:
        submit_together(ctl, requests, world.ME)
    else:
        with contextlib.suppress(SlurmError):
            world.submit_request(ctl, requests[0], world.ME)
    ctl.settle()


def act(ctl, what, number):
    with contextlib.suppress(SlurmError):
        if what == "cancel":
            cancel.cancel(ctl, selectors.parse(str(number)))
        elif what == "part":
            cancel.cancel(ctl, selectors.parse(f"{number}+1"))
        elif what == "hold":
            hold.hold(ctl, [str(number)])
        elif what == "release":
            hold.release(ctl, [str(number)])
        elif what == "requeue":
            requeue.requeue(ctl, [str(number)])
    ctl.settle()


def check(ctl):
    used = [0] * NODES
    whole: dict[int, list[object]] = {}
    for job in ctl.cluster.jobs.values():
        nodes = ctl.cluster.bitmap_of(job.nodes) if job.active else 0
        for place in range(NODES):
            if nodes >> place & 1:
                used[place] += job.cpus[(nodes & ((1 << place) - 1)).bit_count()]
        if job.het_job_id:
            whole.setdefault(job.het_job_id, []).append((job, nodes))
    assert all(cpus <= 4 for cpus in used)
    assert sum(2 for job in ctl.cluster.jobs.values() if job.active) <= 6  # licenses
    for parts in whole.values():
        running = [(job, nodes) for job, nodes in parts if job.active]
        assert not running or not any(job.pending for job, _ in parts)
        assert sum(nodes.bit_count() for _, nodes in running) == len({n for _, m in running for n in bits(m)})
        assert len({job.start_time for job, _ in running}) <= 1
        first = parts[0][0]
        assert not first.finished or not running
    return True


def bits(mask):
    return [place for place in range(NODES) if mask >> place & 1]


@settings(max_examples=40)
@given(events, st.sampled_from(["", "bf_job_part_count_reserve=1"]), st.sampled_from(["backfill", "builtin"]))
def test_components_run_together_on_nodes_of_their_own(workload, params, sched):
    ctl = world.uniform(nodes=NODES, params=params, SchedulerType=f"sched/{sched}", Licenses="lic:6", MinJobAge="0")
    for gap, parts, seconds, what, number in workload:
        event_loop.advance(ctl, ctl.cluster.now + gap, watch=lambda now: check(ctl))
        submit(ctl, parts, seconds)
        check(ctl)
        act(ctl, what, number)
        check(ctl)
    event_loop.advance_until_idle(ctl, watch=lambda now: check(ctl))
    held = {job.het_job_id or job.job_id for job in ctl.cluster.jobs.values() if job.pending and job.held}
    left = [job for job in ctl.cluster.jobs.values() if not job.finished]
    assert {job.het_job_id or job.job_id for job in left} <= held
