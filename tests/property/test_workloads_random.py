"""Random workloads with preemption, reservations, licences, requeues and failing nodes, at both paces, to their end.

At every instant nothing is given out twice; at the end nothing runs, nothing is held by a job that has ended, and no
job waits that could start.
"""

from __future__ import annotations

import copy

import pytest
import world
from hypothesis import given, settings
from hypothesis import strategies as st
from scenarios import JOBS, NODES, OTHERS, PLACES, PLAIN, WAITS, Play, config

from slimsched.controller.core import Controller
from slimsched.controller.life import requeue
from slimsched.controller.schedule import event_loop, main_pass
from slimsched.controller.update import failing_nodes
from slimsched.model import bitmap
from slimsched.model.cluster import Cluster

PARTITIONS = st.sampled_from(["high", "debug", "low", "low,debug"])
SUBMIT = st.tuples(
    st.just("submit_to"), PARTITIONS, st.one_of(PLAIN, JOBS).map(lambda job: job | {"time_limit": 30}), WAITS, PLACES
)
TROUBLE = st.one_of(
    SUBMIT,
    st.tuples(st.just("advance"), st.sampled_from([1, 7, 60, 900])),
    st.tuples(st.just("requeue"), PLACES),
    st.tuples(st.just("fail"), NODES, st.sampled_from([0, 5, 300])),
    st.tuples(st.just("put"), NODES, st.just("RESUME")),
)
WORKLOADS = st.builds(
    lambda first, second, third: first + second + third,
    st.lists(SUBMIT, min_size=4, max_size=10),
    st.lists(TROUBLE, min_size=4, max_size=16),
    OTHERS,
)


def preempting(pace: str, mode: str) -> Cluster:
    """Return the cluster of the scenarios with three tiers, of which the lower ones give way."""
    conf = config("cons_tres+backfill")
    conf.pace = pace
    tiers = {"high": (3, "OFF"), "debug": (2, mode), "low": (1, mode)}
    parts = {name: {"priority_tier": tier, "preempt_mode": how, "max_time": 120} for name, (tier, how) in tiers.items()}
    parts["debug"]["default"] = True
    parts["batch"] = {"nodes": "n[3-4]", "max_time": 1440}
    keys = conf.slurm | {"PreemptType": "preempt/partition_prio", "PreemptMode": "REQUEUE", "MinJobAge": "0"}
    made = world.config(conf.nodes, parts, **keys)
    made.pace = pace
    return Cluster(made, world.START)


class Workload(Play):
    """A play whose jobs may be ended by others, requeued or lose their nodes."""

    def head(self):
        return None  # a job of a higher tier may come before any plan

    def submit_to(self, partition: str, fields: dict, kind: str, place: int) -> None:
        self.submit(fields | {"partition": partition}, kind, place)

    def requeue(self, place: int) -> None:
        requeue.requeue(self.ctl, [self.picked(place)])

    def fail(self, names: str, after: int) -> None:
        failing_nodes.fail_nodes(self.ctl, names, after)

    def finish(self) -> None:
        """Let all reservations and jobs end on nodes that are up, and look at what is left."""
        self.do(("put", "n[1-4]", "RESUME"))
        for name in list(self.ctl.cluster.reservations):
            self.do(("unreserve", name))
        event_loop.advance_until_idle(self.ctl, watch=lambda now: self.check())
        jobs = self.ctl.cluster.jobs
        assert jobs.keys() >= set(self.ids)
        assert not any(job.active for job in jobs.values())
        assert self.ctl.select.idle() == bitmap.full(4)
        waiting = {job.job_id for job in jobs.values() if job.pending}
        trial = Controller(copy.deepcopy(self.ctl.cluster))
        main_pass.run_pass(trial)
        assert {job_id for job_id in waiting if not trial.cluster.jobs[job_id].pending} == set()


@pytest.mark.parametrize("mode", ["REQUEUE", "CANCEL"])
@pytest.mark.parametrize("pace", ["fast", "slurm"])
@given(steps=WORKLOADS)
@settings(max_examples=10)
def test_workloads_run_to_their_end(pace, mode, steps):
    Workload(preempting(pace, mode)).run(steps).finish()
