"""Select plugins under random jobs, ends, suspensions, shrinking, growing and node losses."""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from slimsched.errors import Never, NotNow, PluginError
from slimsched.model.bitmap import iterate
from slimsched.model.config import NodeConf
from slimsched.select import gres
from slimsched.select.api import Mode
from slimsched.select.questions import Standing, answer
from slimsched.slurm.states import RUNNING, SUSPENDED

sys.path.insert(0, str(Path(__file__).parent.parent / "select"))

from select_world import World

KINDS = st.sampled_from(
    [
        ("cons_tres", "CR_CPU_Memory", {"cpus": 4}),
        ("cons_tres", "CR_Core_Memory", {"cpus": 8, "sockets": 2, "cores_per_socket": 2, "threads_per_core": 2}),
        ("cons_tres", "CR_Socket", {"cpus": 4, "sockets": 2, "cores_per_socket": 2}),
        ("linear", "CR_Memory", {"cpus": 4}),
    ]
)
REQUESTS = st.fixed_dictionaries(
    {},
    optional={
        "num_tasks": st.integers(1, 9),
        "cpus_per_task": st.integers(1, 4),
        "min_nodes": st.integers(1, 3),
        "exclusive": st.sampled_from(["", "NODE", "USER"]),
        "mem_per_cpu": st.integers(1, 500),
        "contiguous": st.booleans(),
        "gres": st.sampled_from(["", "gpu:1", "gpu:a:1", "gpu:2"]),
        "gpus": st.sampled_from(["", "1", "3"]),
        "nodelist": st.sampled_from(["", "node2", "node1,node3"]),
    },
)


class Machine(RuleBasedStateMachine):
    @initialize(kind=KINDS, weights=st.lists(st.integers(1, 3), min_size=4, max_size=4))
    def build(self, kind, weights):
        select, params, shape = kind
        nodes = [
            NodeConf(node_name=f"node{k}", real_memory=1000, weight=w, gres="gpu:a:1,gpu:b:1" if k < 3 else "", **shape)
            for k, w in enumerate(weights, 1)
        ]
        self.world = World(select, params, nodes)
        self.running, self.suspended = [], []
        self.asked = []  # about the future
        self.idle = self.world.free()

    @rule(request=REQUESTS, user=st.integers(0, 2), minutes=st.integers(1, 9))
    def start(self, request, user, minutes):
        job = self.world.job(user=user, minutes=minutes, **request)
        self.world.start(job)
        if job.nodes:
            self.running.append(job)

    @precondition(lambda self: self.running)
    @rule(pick=st.randoms())
    def end(self, pick):
        job = pick.choice(self.running)
        self.running.remove(job)
        self.world.end(job)

    @precondition(lambda self: self.running)
    @rule(pick=st.randoms())
    def suspend(self, pick):
        job = pick.choice(self.running)
        self.world.plugin.job_suspend(job)
        job.state = SUSPENDED
        self.running.remove(job)
        self.suspended.append(job)

    @precondition(lambda self: self.suspended)
    @rule()
    def resume(self):
        job = self.suspended[0]
        try:
            self.world.plugin.job_resume(job)
        except PluginError:
            return
        job.state = RUNNING
        self.running.append(self.suspended.pop(0))

    @precondition(lambda self: any("," in j.nodes or "-" in j.nodes for j in self.running))
    @rule(pick=st.randoms())
    def shrink(self, pick):
        job = pick.choice([j for j in self.running if "," in j.nodes or "-" in j.nodes])
        index = pick.choice(list(iterate(self.world.cluster.bitmap_of(job.nodes))))
        self.world.plugin.job_resized(job, self.world.cluster.nodes[index])

    @precondition(lambda self: len(self.running) > 1)
    @rule(pick=st.randoms())
    def expand(self, pick):
        source, target = pick.sample(self.running, 2)
        try:
            self.world.plugin.job_expand(source, target)
        except PluginError:
            return
        assert not source.nodes
        self.running.remove(source)
        self.world.end(source)

    @rule(node=st.integers(0, 3))
    def lose_node(self, node):
        for job in [*self.running, *self.suspended]:
            if self.world.cluster.bitmap_of(job.nodes) >> node & 1:
                self.world.end(job)
        self.running = [j for j in self.running if j.active]
        self.suspended = [j for j in self.suspended if j.active]

    @precondition(lambda self: self.running)
    @rule(pick=st.randoms(), seconds=st.integers(-200, 200))
    def move_an_end(self, pick, seconds):
        job = pick.choice(self.running)
        job.end_time += seconds
        self.world.plugin.nodeinfo_set(job)

    @rule(seconds=st.integers(0, 90))
    def wait(self, seconds):
        self.world.cluster.now += seconds

    @rule(request=REQUESTS, user=st.integers(0, 2), nodes=st.integers(1, 15))
    def ask_for_the_future(self, request, user, nodes):
        """What cannot suffice by an instant starts later."""
        plugin, test = self.world.plugin, self.world.query(self.world.job(user=user, **request))
        shape = plugin.shape(test)
        test.bitmap &= nodes
        try:
            found = plugin.job_test(test, Mode.WILL_RUN)
        except (Never, NotNow):
            return
        assert shape is None or plugin.may_suffice(shape, test.bitmap, found.start_time)
        self.asked = [*self.asked[-3:], test]

    @precondition(lambda self: self.asked)
    @rule(seconds=st.integers(0, 900))
    def ask_again(self, seconds):
        """Answers that stand are those that would be found anew."""
        plugin, instant = self.world.plugin, self.world.cluster.now + seconds

        def answers():
            for test in self.asked:
                for start in (0, instant):
                    test.start = start
                    found = answer(plugin, test, Mode.WILL_RUN)
                    yield found and (found.bitmap, found.start_time, found.cpus, found.memory, found.gres)
                shape = plugin.shape(test)
                yield shape and plugin.may_suffice(shape, test.bitmap, instant)

        standing = list(answers())
        plugin._searches, plugin._chances = Standing(), Standing()
        assert standing == list(answers())

    @rule()
    def restart(self):
        world = self.world
        before = world.free()
        world.plugin.reconfigure()
        assert world.free() == before

    @invariant()
    def the_future_is_the_present_less_what_has_ended(self):
        if not hasattr(self, "world"):
            return
        ledger = self.world.plugin.ledger
        pool = ledger.pool.fork()
        for count, (_, _, hold) in enumerate(ledger.futures.ends(self.world.cluster.now), 1):
            pool.remove(hold)
            state = ledger.futures.state(count)
            assert all(state.use(node) == pool.use(node) for node in range(len(self.world.cluster.nodes)))

    @invariant()
    def nothing_is_given_out_twice(self):
        if not hasattr(self, "world"):
            return
        cpus, memory, devices, ids = {}, {}, {}, {}
        for job in [*self.running, *self.suspended]:
            nodes = list(iterate(self.world.cluster.bitmap_of(job.nodes)))
            assert len(nodes) == len(job.cpus) == len(job.memory) == len(job.gres)
            for k, node in enumerate(nodes):
                memory[node] = memory.get(node, 0) + job.memory[k]
                for entry in gres.parse(job.gres[k]):
                    assert not devices.get(node, 0) & entry.devices
                    devices[node] = devices.get(node, 0) | entry.devices
                if job in self.running:
                    cpus[node] = cpus.get(node, 0) + job.cpus[k]
                    mask = gres.unfold_ids(job.cpu_ids[k])
                    assert not ids.get(node, 0) & mask
                    assert mask.bit_count() >= job.cpus[k]
                    ids[node] = ids.get(node, 0) | mask
        for node in self.world.cluster.nodes:
            assert cpus.get(node.index, 0) <= node.cpus
            if self.world.plugin.rules.memory:
                assert memory.get(node.index, 0) <= node.real_memory

    def teardown(self):
        if hasattr(self, "world"):
            for job in [*self.running, *self.suspended]:
                self.world.end(job)
            assert self.world.free() == self.idle


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


@settings(max_examples=200, deadline=None)
@given(
    busy=st.lists(st.integers(0, 4), min_size=4, max_size=4),
    weights=st.lists(st.integers(1, 2), min_size=4, max_size=4),
    tasks=st.integers(1, 12),
    per_task=st.integers(1, 2),
    low=st.integers(1, 3),
    more=st.integers(0, 3),
    required=st.sets(st.integers(0, 3), max_size=2),
)
def test_a_job_fits_if_and_only_if_some_set_of_nodes_will_do(busy, weights, tasks, per_task, low, more, required):
    nodes = [NodeConf(node_name=f"node{k}", cpus=4, real_memory=1000, weight=w) for k, w in enumerate(weights, 1)]
    world = World("cons_tres", "CR_CPU_Memory", nodes)
    for k, cpus in enumerate(busy):
        if cpus:
            world.start(num_tasks=1, cpus_per_task=cpus, nodelist=f"node{k + 1}")
    names = ",".join(f"node{k + 1}" for k in sorted(required))
    job = world.job(num_tasks=tasks, cpus_per_task=per_task, min_nodes=low, max_nodes=low + more, nodelist=names)
    question = world.query(job)
    free = [(4 - cpus) // per_task * per_task for cpus in busy]
    most = max(question.min_nodes, min(question.max_nodes, tasks))

    def possible(counts, sizes):
        wanted = max(tasks * per_task, question.min_nodes * per_task)
        return any(
            required <= set(chosen) and sum(sizes[i] for i in chosen) >= wanted and all(sizes[i] for i in chosen)
            for count in counts
            for chosen in combinations(range(4), count)
        )

    counts = range(question.min_nodes, most + 1)
    expected = possible(counts, free)

    assert bool(world.where(job)) == expected if possible(counts, [4 // per_task * per_task] * 4) else True
    if expected:
        found = world.try_mode(job, Mode.RUN_NOW)
        assert sum(found.cpus) >= tasks * per_task
        assert all(have <= free[i] for have, i in zip(found.cpus, iterate(found.bitmap), strict=True))
