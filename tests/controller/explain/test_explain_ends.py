"""What would be if the first jobs to end had ended: the rules are asked on a copy without them."""

from __future__ import annotations

import pytest
import world

from slimsched.controller.explain import end_times


@pytest.fixture
def ctl():
    """Four jobs of one node, which end after 10, 20, 30 minutes and never, and one that waits."""
    made = world.controller()
    made.cluster.partitions["debug"].max_time = None
    for minutes in (30, 10, 20, 0xFFFFFFFF):
        world.job(made, exclusive="NODE", time_limit=minutes, runtime=None)
    world.job(made, hold=True)
    return made


def fewer_than(count):
    return lambda view: sum(job.active for job in view.jobs.values()) < count


@pytest.mark.parametrize(
    ("count", "minutes"), [(4, 10), (3, 20), (2, 30), (1, None)], ids=["one", "two", "three", "the endless one"]
)
def test_the_end_after_which_it_passes(ctl, count, minutes):
    expected = 0 if minutes is None else world.START + minutes * 60

    assert end_times.first_end(ctl.cluster, fewer_than(count)) == expected


def test_what_passes_already_waits_for_no_end(ctl):
    assert end_times.first_end(ctl.cluster, fewer_than(9)) == 0


@pytest.mark.parametrize(("count", "passes"), [(1, True), (0, False)])
def test_if_nothing_ran(ctl, count, passes):
    assert end_times.passes_alone(ctl.cluster, fewer_than(count)) is passes


def test_pending_jobs_stay_and_the_cluster_is_not_touched(ctl):
    before = dict(ctl.cluster.jobs)
    seen = []
    end_times.passes_alone(ctl.cluster, lambda view: bool(seen.append(sorted(view.jobs))))

    assert seen == [[5]]
    assert ctl.cluster.jobs == before


def test_few_questions_are_asked(ctl):
    asked = []

    def passes(view):
        asked.append(view)
        return fewer_than(3)(view)

    end_times.first_end(ctl.cluster, passes)
    assert len(asked) <= 3
