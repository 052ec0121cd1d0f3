"""In which instants running jobs are taken out for the forecast."""

from __future__ import annotations

import random

import pytest
from select_world import NOW, World

from slimsched.model.config import NodeConf
from slimsched.select.api import NotNow
from slimsched.select.future import Futures
from slimsched.text.times import YEAR

HERE, THERE = 0b01, 0b10


class Ends(Futures):
    """Futures of jobs of which only the ends and the nodes matter."""

    def __init__(self, ends, window=30):
        super().__init__(None, {}, window)
        self.listed = [(end, number, _Held(mask)) for number, (end, mask) in enumerate(ends)]

    def ends(self, now):
        return self.listed


class _Held:
    def __init__(self, mask):
        self.mask = mask


@pytest.mark.parametrize(
    ("ends", "linear", "expected"),
    [
        # the first window ends 30 seconds after the first end, rounded up to half a minute
        ([(95, HERE), (150, HERE), (151, HERE)], "", [(150, 2), (151, 3)]),
        # the next are twice as long, and longer until they hold the next end
        ([(95, HERE), (200, HERE), (300, HERE), (400, HERE)], "", [(95, 1), (200, 2), (300, 3), (400, 4)]),
        ([(95, HERE), (200, HERE), (239, HERE), (241, HERE)], "", [(95, 1), (239, 3), (241, 4)]),
        ([(95, HERE), (195, HERE), (200, HERE), (205, HERE)], "10", [(95, 1), (200, 3), (205, 4)]),
        ([(95, HERE), (31_536_000, HERE)], "1", [(95, 1), (31_536_000, 2)]),
        # a job on other nodes closes a window too, and makes the next one grow
        ([(95, HERE), (140, THERE), (145, HERE)], "", [(145, 3)]),
        ([(95, HERE), (160, THERE), (170, HERE)], "", [(95, 1), (170, 3)]),
        ([(10, THERE), (95, HERE), (1000, THERE), (1001, HERE)], "", [(95, 2), (1001, 4)]),
        ([(95, THERE)], "", []),
    ],
)
def test_windows(ends, linear, expected):
    assert list(Ends(ends).after(0, HERE, linear)) == expected


def test_ends_one_by_one():
    ends = [(95, HERE), (95, HERE), (96, THERE), (97, HERE)]
    assert list(Ends(ends, window=0).after(0, HERE, "")) == [(95, 1), (95, 2), (97, 4)]
    assert list(Ends(ends).after(0, HERE, "", exact=True)) == [(95, 1), (95, 2), (97, 4)]


def test_from_one_instant_until_another():
    ends = [(100, HERE), (200, HERE), (300, HERE), (301, HERE)]
    assert list(Ends(ends).after(0, HERE, "", start=100, until=300)) == [(200, 2), (300, 3)]
    assert list(Ends(ends).after(0, HERE, "", start=199, until=199)) == []


def test_a_forecast_ends_when_other_nodes_are_free():
    world = World(nodes=1)
    world.start(exclusive="NODE", minutes=10)
    test = world.query(world.job())
    assert world.plugin.job_test(test, 2).start_time == NOW + 600

    test.until = NOW + 599
    with pytest.raises(NotNow):
        world.plugin.job_test(test, 2)


def test_jobs_for_gpus_take_the_nodes_with_most_of_them():
    world = World(nodes=[NodeConf(node_name="node[1-3]", cpus=4, real_memory=1000, gres="gpu:2")])
    world.start(gres="gpu:1")
    assert world.start(gres="gpu:1").nodes == "node2"
    assert world.start(gres="gpu:1").nodes == "node3"
    assert world.start().nodes == "node1"


@pytest.mark.parametrize("seed", range(5))
def test_ends_kept_from_change_to_change_are_those_of_a_sort(seed):
    """Also of jobs over their limit, of those without one, and of those that stand still for a while."""
    chance = random.Random(seed)
    world = World(nodes=6)
    cluster, plugin, running = world.cluster, world.plugin, {}
    for _ in range(200):
        what, old = chance.randrange(5), chance.choice(list(running.values()) or [None])
        if what == 0 and old is not None:
            world.end(running.pop(old.job_id))
        elif what == 1 and old is not None:
            old.end_time = chance.choice((0, old.end_time, cluster.now + chance.randrange(900)))
            plugin.nodeinfo_set(old)
        elif what == 2 and old is not None:
            plugin.job_suspend(old)
            plugin.job_resume(old)
        elif what == 3:
            cluster.now += chance.randrange(90)
        else:
            job = world.start(num_tasks=1, minutes=chance.randrange(1, 20))
            running |= {job.job_id: job} if job.nodes else {}
        now, futures = cluster.now, plugin.ledger.futures
        ends = sorted(
            (max(job.end_time, now + 1) if job.end_time else now + YEAR, job_id) for job_id, job in running.items()
        )
        assert [(end, job_id) for end, job_id, _ in futures.ends(now)] == ends
        for count in range(len(ends) + 1):
            fork = plugin.ledger.pool.fork()
            for _, job_id in ends[:count]:
                fork.remove(plugin.ledger.holds[job_id])
            found = futures.state(count)
            assert [found.use(index) for index in range(6)] == [fork.use(index) for index in range(6)]
