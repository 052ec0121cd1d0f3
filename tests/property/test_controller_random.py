"""A whole controller under random commands: nothing is given out twice, and a restart sees the same books."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from slimsched.controller.core import Controller
from slimsched.controller.life import node_failure, resize, suspend, transitions
from slimsched.controller.requests.users import User
from slimsched.controller.schedule import event_loop
from slimsched.controller.submit.submission import submit
from slimsched.errors import SlurmError
from slimsched.model import bitmap
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config, NodeConf, PartitionConf
from slimsched.model.request import JobRequest
from slimsched.select import registry
from slimsched.slurm import states

NOW = 1_000_000
USER = User(1000, "ann", 1000, "users")
CLUSTERS = st.fixed_dictionaries(
    {
        "SelectType": st.sampled_from(["select/cons_tres", "select/linear"]),
        "PreemptType": st.sampled_from(["preempt/none", "preempt/partition_prio"]),
        "PreemptMode": st.sampled_from(["OFF", "REQUEUE", "CANCEL", "SUSPEND,GANG", "GANG"]),
        "SchedulerType": st.sampled_from(["sched/backfill", "sched/builtin"]),
    }
)
JOBS = st.fixed_dictionaries(
    {
        "partition": st.sampled_from(["low", "high", "shared"]),
        "time_limit": st.sampled_from([1, 5, 30]),
        "sim_runtime": st.sampled_from([30, 120, 1000]),
        "requeue": st.booleans(),
    },
    optional={
        "num_tasks": st.integers(1, 6),
        "min_nodes": st.integers(1, 3),
        "exclusive": st.just("NODE"),
        "array": st.just("0-2"),
        "mem_per_cpu": st.integers(1, 300),
    },
)


class Machine(RuleBasedStateMachine):
    @initialize(slurm=CLUSTERS)
    def build(self, slurm):
        parts = [
            PartitionConf(partition_name="low", nodes="ALL", default=True),
            PartitionConf(partition_name="high", nodes="ALL", priority_tier=5, grace_time=10),
            PartitionConf(partition_name="shared", nodes="node[1-2]", over_subscribe="FORCE:2"),
        ]
        nodes = [NodeConf(node_name="node[1-4]", cpus=4, real_memory=1000)]
        slurm = {"SelectTypeParameters": "CR_CPU_Memory", "DefMemPerCPU": "50", **slurm}
        if slurm["SelectType"] == "select/linear":
            slurm["SelectTypeParameters"] = "CR_Memory"
        self.ctl = Controller(Cluster(Config(slurm=slurm, nodes=nodes, partitions=parts), NOW))

    def active(self):
        return [job for job in self.ctl.cluster.jobs.values() if job.active]

    def pick(self, number):
        found = self.active()
        return found[number % len(found)] if found else None

    @rule(fields=JOBS)
    def submit(self, fields):
        try:
            submit(self.ctl, JobRequest(name="j", **fields), USER)
        except SlurmError:
            return
        self.ctl.settle()

    @rule(seconds=st.sampled_from([1, 10, 30, 60, 200]))
    def advance(self, seconds):
        event_loop.advance(self.ctl, self.ctl.cluster.now + seconds)

    @rule(number=st.integers(0, 20), resumes=st.booleans())
    def suspend(self, number, resumes):
        job = self.pick(number)
        if job is not None:
            (suspend.resume if resumes else suspend.suspend)(self.ctl, [str(job.job_id)])
            self.ctl.settle()

    @rule(number=st.integers(0, 20))
    def shrink(self, number):
        job = self.pick(number)
        if job is not None and len(job.cpus) > 1:
            resize.shrink(self.ctl, job, bitmap.lowest(self.ctl.cluster.bitmap_of(job.nodes), 1))
            self.ctl.settle()

    @rule(number=st.integers(0, 20))
    def cancel(self, number):
        job = self.pick(number)
        if job is not None:
            transitions.end_job(self.ctl, job, states.CANCELLED)
            self.ctl.settle()

    @rule(number=st.integers(0, 3))
    def lose_a_node(self, number):
        node = self.ctl.cluster.nodes[number]
        node_failure.put(self.ctl, node, "DOWN", [])
        node_failure.fail_jobs(self.ctl, node)
        node_failure.put(self.ctl, node, "IDLE", [])
        self.ctl.settle()

    @invariant()
    def nothing_is_given_out_twice(self):
        cluster = self.ctl.cluster
        cpus, memory, shared = [0] * 4, [0] * 4, [0] * 4
        for job in self.active():
            nodes = list(bitmap.iterate(cluster.bitmap_of(job.nodes)))
            assert len(nodes) == len(job.cpus) == len(job.memory)
            for k, node in enumerate(nodes):
                memory[node] += job.memory[k]
                if job.state == states.RUNNING:
                    (shared if job.partition == "shared" else cpus)[node] += job.cpus[k]
        assert max(memory) <= 1000
        assert max(cpus) <= 4
        assert max(shared) <= 8

    @invariant()
    def a_restart_sees_the_same(self):
        ctl = self.ctl
        again = registry.load(ctl.cluster.config.get("SelectType"), ctl.cluster)
        pools = [plugin.ledger.pool for plugin in (ctl.select, again)]
        uses = [[(use.memory, sum(use.rows)) for use in map(pool.use, range(4))] for pool in pools]
        assert uses[0] == uses[1]


Machine.TestCase.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)
TestController = Machine.TestCase
