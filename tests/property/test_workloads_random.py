"""Random workloads at both paces, to their end: all modes of preemption, reservations, licences, requeues, suspensions,
failing nodes, heterogeneous jobs, limits, dependencies, arrays, features, GPUs, updates of jobs and of node data.

At every instant nothing is given out twice; at the end nothing runs, nothing is held by a job that has ended, and no
job waits that could start.
"""

from __future__ import annotations

import copy

import pytest
import world
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scenarios import JOBS, LICENSES, NODES, OTHERS, PLACES, PLAIN, WAITS, Play, config

from slimsched.controller.accounts import add
from slimsched.controller.accounts.options import TABLES
from slimsched.controller.accounts.where import Request
from slimsched.controller.core import Controller
from slimsched.controller.life import requeue, suspend
from slimsched.controller.schedule import event_loop, main_pass
from slimsched.controller.submit.submission import submit_together
from slimsched.controller.update import failing_nodes
from slimsched.controller.update import job as job_fields
from slimsched.model import bitmap
from slimsched.model.cluster import Cluster
from slimsched.model.request import JobRequest
from slimsched.slurm import states
from slimsched.slurm.words import find

PARTITIONS = st.sampled_from(["high", "debug", "low", "low,debug"])
SUBMIT = st.tuples(
    st.just("submit_to"), PARTITIONS, st.one_of(PLAIN, JOBS).map(lambda job: job | {"time_limit": 30}), WAITS, PLACES
)
HET = st.tuples(st.just("submit_het"), PARTITIONS, st.lists(st.integers(1, 6), min_size=2, max_size=3))
CHANGES = ["timelimit=10", "partition=high", "partition=low", "numnodes=2", "numcpus=3", "nice=50", "features=rack1"]
CHANGES += ["extra=load<5", "priority=99", "reqnodelist=n2", "dependency=", "oversubscribe=no"]
ALL_LICENSES = f"licenses=lic:{LICENSES}"
CHANGES += [ALL_LICENSES, "licenses="]
TROUBLE = st.one_of(
    SUBMIT,
    HET,
    st.tuples(st.just("advance"), st.sampled_from([1, 7, 60, 900])),
    st.tuples(st.sampled_from(["requeue", "requeuehold", "suspend", "resume"]), PLACES),
    st.tuples(st.just("change"), PLACES, st.sampled_from(CHANGES)),
    st.tuples(st.just("fail"), NODES, st.sampled_from([0, 5, 300])),
    st.tuples(st.just("put"), NODES, st.just("RESUME")),
)
WORKLOADS = st.builds(
    lambda first, second, third: first + second + third,
    st.lists(SUBMIT, min_size=4, max_size=10),
    st.lists(TROUBLE, min_size=4, max_size=16),
    OTHERS,
)
SETTINGS = st.fixed_dictionaries(
    {
        "PreemptMode": st.sampled_from(["REQUEUE", "CANCEL", "SUSPEND,GANG", "OFF"]),
        "PreemptExemptTime": st.sampled_from(["", "30"]),
        "GraceTime": st.sampled_from([0, 0, 20]),
        "Selection": st.sampled_from(["cons_tres+backfill", "cons_tres+backfill", "linear+backfill", "linear+builtin"]),
        "PriorityType": st.sampled_from(["priority/basic", "priority/multifactor"]),
        "ReturnToService": st.sampled_from(["0", "2"]),
        "Limits": st.booleans(),
    }
)


LIMITED = {
    "PreemptMode": "REQUEUE", "PreemptExemptTime": "", "GraceTime": 0, "Selection": "cons_tres+backfill",
    "PriorityType": "priority/basic", "ReturnToService": "0", "Limits": True,
}  # fmt: skip
FIVE = ("submit_to", "high", {"time_limit": 30, "num_tasks": 5}, "", 0)


def preempting(pace: str, given: dict) -> Cluster:
    """Return the cluster of the scenarios with three tiers, of which the lower ones give way."""
    conf = config(given["Selection"])
    mode = given["PreemptMode"]
    part_mode = mode.split(",")[0]
    tiers = {"high": (3, "OFF"), "debug": (2, part_mode), "low": (1, part_mode)}
    parts = {name: {"priority_tier": tier, "preempt_mode": how, "max_time": 120} for name, (tier, how) in tiers.items()}
    parts["low"]["grace_time"] = given["GraceTime"]
    parts["debug"]["default"] = True
    parts["batch"] = {"nodes": "n[3-4]", "max_time": 1440}
    keys = {**conf.slurm, "PreemptType": "preempt/partition_prio", "PreemptMode": mode, "MinJobAge": "0"}
    if mode == "OFF":
        keys["PreemptType"] = "preempt/none"
    keys |= {key: given[key] for key in ("PreemptExemptTime", "PriorityType", "ReturnToService") if given[key]}
    if given["Limits"]:
        keys["AccountingStorageEnforce"] = "limits,qos"
    made = world.config(conf.nodes, parts, **keys)
    made.pace = pace
    cluster = Cluster(made, world.START)
    if given["Limits"]:
        ctl = Controller(cluster)
        define(ctl, "account", "lab", GrpTRES="cpu=10", MaxJobs="5")
        define(ctl, "user", world.ME.name, account="lab")
    return cluster


def define(ctl: Controller, kind: str, name: str, account: str = "", **limits: str) -> None:
    """Add an account or a user, with limits."""
    request = Request(kind, {"names": [name], **({"accounts": [account]} if account else {})})
    for key, value in limits.items():
        option = find(TABLES[kind], key)
        assert option is not None
        request.settings.append((option, "=", value))
    add.add(ctl, request)


class Workload(Play):
    """A play whose jobs may be ended by others, requeued or lose their nodes."""

    def head(self):
        return None  # a job of a higher tier may come before any plan

    def submit_to(self, partition: str, fields: dict, kind: str, place: int) -> None:
        self.submit(fields | {"partition": partition}, kind, place)

    def submit_het(self, partition: str, tasks: list[int]) -> None:
        made = [JobRequest(partition=partition, num_tasks=count, time_limit=30, sim_runtime=300) for count in tasks]
        self.ids.append(submit_together(self.ctl, made, world.ME).job_id)

    def requeue(self, place: int) -> None:
        requeue.requeue(self.ctl, [self.picked(place)])

    def requeuehold(self, place: int) -> None:
        requeue.requeue(self.ctl, [self.picked(place)], hold=True)

    def suspend(self, place: int) -> None:
        suspend.suspend(self.ctl, [self.picked(place)])

    def resume(self, place: int) -> None:
        suspend.resume(self.ctl, [self.picked(place)])

    def change(self, place: int, text: str) -> None:
        if text == ALL_LICENSES:
            self.licenses = LICENSES * len(self.ctl.cluster.jobs)  # an array's tasks each take theirs
        job_fields.update(self.ctl, job_fields.parse([f"jobid={self.picked(place)}", text], lambda *told: None))

    def fail(self, names: str, after: int) -> None:
        failing_nodes.fail_nodes(self.ctl, names, after)

    def finish(self) -> None:
        """Let all reservations and jobs end on nodes that are up, and look at what is left."""
        self.do(("put", "n[1-4]", "RESUME"))
        for name in list(self.ctl.cluster.reservations):
            self.do(("unreserve", name))
        event_loop.advance_until_idle(self.ctl, watch=lambda now: self.check())
        while stopped := [job for job in self.ctl.cluster.jobs.values() if job.state == states.SUSPENDED]:
            assert not suspend.resume(self.ctl, [str(stopped[0].job_id)])  # nothing runs, so that its CPUs are free
            event_loop.advance_until_idle(self.ctl, watch=lambda now: self.check())
        jobs = self.ctl.cluster.jobs
        assert jobs.keys() >= set(self.ids)
        assert not any(job.active for job in jobs.values())
        assert self.ctl.select.idle() == bitmap.full(4)
        waiting = {job.job_id for job in jobs.values() if job.pending}
        trial = Controller(copy.deepcopy(self.ctl.cluster))
        main_pass.run_pass(trial)
        assert {job_id for job_id in waiting if not trial.cluster.jobs[job_id].pending} == set()


@pytest.mark.parametrize("pace", ["fast", "slurm"])
@example(
    keys=LIMITED, steps=[FIVE, (*FIVE[:2], {"time_limit": 30, "num_tasks": 4}, "", 0), ("submit_het", "high", [1, 1])]
)
@given(keys=SETTINGS, steps=WORKLOADS)
@settings(max_examples=6)
def test_workloads_run_to_their_end(pace, keys, steps):
    Workload(preempting(pace, keys)).run(steps).finish()
