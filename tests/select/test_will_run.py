"""When a job will run: what a search has found is asked about again only as far as it may have changed."""

from __future__ import annotations

import pytest
from select_world import NOW, World

from slimsched.errors import NotNow
from slimsched.select.future import Futures
from slimsched.select.pool import Pool
from slimsched.select.records import Mode, Selection
from slimsched.select.will_run import Search

HERE, THERE = 0b0011, 0b1100


@pytest.mark.parametrize(
    ("changes", "failed", "stands"),
    [
        ([], 100, True),
        ([(THERE, 900, True), (THERE, 900, False)], 100, True),  # other nodes
        ([(HERE, 99, True), (HERE, 199, False)], 100, True),  # by then the jobs have ended either way
        ([(HERE, 150, True)], 0, True),  # room that was missing may be there now
        ([(HERE, 150, False)], 100, True),  # even less is free
        ([(HERE, 200, False)], 100, False),
        ([(HERE, 300, True)], 0, False),
    ],
)
def test_what_is_doubted(changes: list[tuple[int, int, bool]], failed: int, stands: bool) -> None:
    search = Search()
    search.failed, search.found = 100, Selection(0b1, start_time=200)

    search.doubt(changes, HERE)

    assert (search.failed, search.found is not None) == (failed, stands)


def test_a_search_goes_on_where_room_was_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    instants: list[int] = []
    state = Futures.state

    def looked(self: Futures, count: int) -> Pool:
        instants.append(count)
        return state(self, count)

    monkeypatch.setattr(Futures, "state", looked)
    world = World(nodes=5)
    jobs = [world.start(nodes=f"node{k}", num_tasks=4, minutes=5 << k) for k in (1, 2, 3, 4)]
    job = world.job(num_tasks=16, min_nodes=4, max_nodes=4)

    def will_run() -> tuple[int, str, list[int]]:
        """Say when and where the job will run, and after how many ends the search has looked at the nodes."""
        instants.clear()
        found = world.try_mode(job, Mode.WILL_RUN)
        return found.start_time - NOW, world.cluster.hostlist_of(found.bitmap), instants.copy()

    assert will_run() == (2400, "node[1-3,5]", [1, 2, 3])
    assert will_run() == (2400, "node[1-3,5]", [])  # nothing has changed
    short = world.start(nodes="node5", num_tasks=1, minutes=5)
    assert will_run() == (2400, "node[1-3,5]", [])  # less is free, but not by then
    world.end(short)
    assert will_run() == (2400, "node[1-3,5]", [])  # more is free, but only until an instant that was too early
    long = world.start(nodes="node5", num_tasks=1, minutes=200)
    assert will_run() == (4800, "node[1-4]", [3, 4])
    world.end(long)
    assert will_run() == (2400, "node[1-3,5]", [1, 2, 3])
    world.end(jobs[3])
    assert will_run() == (1200, "node[1-2,4-5]", [1, 2])


def test_one_that_found_no_room_goes_on_too() -> None:
    world = World(nodes=2)
    first, second = (world.start(nodes=f"node{k}", num_tasks=4, minutes=10 * k) for k in (1, 2))
    job = world.job(num_tasks=8, min_nodes=2, max_nodes=2)

    def will_run() -> int:
        test = world.query(job)
        test.until = NOW + 900
        try:
            return world.plugin.job_test(test, Mode.WILL_RUN).start_time - NOW
        except NotNow:
            return 0

    assert will_run() == 0  # not before the instant after which nobody looks
    world.end(first)
    assert will_run() == 0
    world.end(second)
    third = world.start(nodes="node1", num_tasks=4, minutes=12)
    assert third.nodes == "node1"
    assert will_run() == 720
