"""A replay plans only as far down the queue as some job can still start; the schedule stays the same."""

from __future__ import annotations

import pytest
import world
from hypothesis import given, settings
from hypothesis import strategies as st

from slimsched.controller.schedule import event_loop
from slimsched.sched.api import Entry
from slimsched.sched.cycle import Cycle
from slimsched.sched.outlook import Outlook
from slimsched.sched.requests import Requests

JOBS = st.lists(
    st.tuples(
        st.integers(1, 6),  # nodes
        st.integers(1, 90),  # minutes of its limit
        st.integers(1, 100),  # percent of the limit that it runs
        st.sampled_from(("whole", "shared", "array", "flexible")),
        st.integers(0, 600),  # seconds after the one before it
    ),
    max_size=14,
)


def replay(jobs, params: str, select: str) -> list[tuple[int, int, str]]:
    """Return job id, start and nodes of all that happened."""
    ctl = world.uniform(nodes=6, params=params, MinJobAge="0", SelectType=select)
    ctl.forecasting = False
    for nodes, minutes, percent, kind, pause in jobs:
        world.later(ctl, pause)
        fields = {"time_limit": minutes, "sim_runtime": minutes * 60 * percent // 100}
        if kind == "whole":
            world.submit(ctl, min_nodes=nodes, exclusive="NODE", **fields)
        elif kind == "shared":
            world.submit(ctl, num_tasks=nodes, **fields)
        elif kind == "array":
            world.submit(ctl, array=f"0-{nodes}%2", **fields)
        else:
            world.submit(ctl, min_nodes=nodes, exclusive="NODE", time_min=max(1, minutes // 3), **fields)
    event_loop.advance_until_idle(ctl)
    found = [e for e in ctl.cluster.events if e["event"] == "start"]
    return [(int(str(e["job"])), int(str(e["time"])) - world.START, str(e["nodes"])) for e in found]


def every_place(outlook, now, may_stop):
    """The places that a cycle looks at without an outlook."""
    for place in range(len(outlook._queue)):
        if outlook._quota.used_up:
            return
        yield place


@pytest.mark.parametrize("params", ["", "bf_interval=1", "bf_job_part_count_reserve=1", "bf_max_job_test=3"])
@pytest.mark.parametrize("select", ["select/cons_tres", "select/linear"])
@settings(max_examples=15, deadline=None)
@given(jobs=JOBS)
def test_the_schedule_is_that_of_whole_cycles(jobs, params, select):
    found = replay(jobs, params, select)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Outlook, "places", every_place)
        assert replay(jobs, params, select) == found


def outlook(*jobs, promised=()):
    """An outlook on a queue behind a job on n1-n3; ``promised``: (from, until, node mask) in minutes."""
    ctl = world.uniform(params="defer,bf_exact")
    ctl.cluster.pass_due = True
    world.whole(ctl, 3, 60)
    part = ctl.cluster.partitions["debug"]
    queue = [Entry(world.whole(ctl, nodes, minutes), part, 1) for nodes, minutes in jobs]
    requests = Requests(ctl.sched.host)
    requests.renew()
    cycle = Cycle(ctl.sched.host, requests)
    for begin, end, nodes in promised:
        cycle.timeline.promise(world.START + begin * 60, world.START + end * 60, nodes)
    return Outlook(cycle, queue)


@pytest.mark.parametrize(
    ("jobs", "promised", "lost_from"),
    [
        (((4, 10), (2, 10), (1, 10), (2, 10)), (), 3),  # the third is the last that one node is enough for
        (((4, 10), (2, 10)), (), 0),
        (((4, 10), (1, 30)), ((20, 60, 0b1000),), 0),  # its node is promised before it would end
        (((4, 10), (1, 30)), ((30, 60, 0b1000),), 2),
        (((4, 10), (1, 30), (1, 10)), ((20, 60, 0b1111),), 3),
        ((), (), 0),
    ],
)
def test_from_where_on_nothing_can_start(jobs, promised, lost_from):
    ahead = outlook(*jobs, promised=promised)
    assert [ahead.lost(place) for place in range(len(jobs) + 1)] == [p >= lost_from for p in range(len(jobs) + 1)]
