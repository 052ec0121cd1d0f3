"""Small random scenarios in the style of the recorded ones: steps that are drawn, and a cluster that plays them.

Whatever happens is checked against the nodes and requests themselves, without asking the code that decided it.
"""

from __future__ import annotations

import json

import msgspec
import world
from hypothesis import strategies as st

from slimsched.controller.core import Controller
from slimsched.controller.life import cancel, selectors
from slimsched.controller.schedule import event_loop, hold
from slimsched.controller.update import node as node_fields
from slimsched.controller.update import reservation, reservation_change
from slimsched.errors import UserError
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config
from slimsched.select import gres
from slimsched.slurm.states import RUNNING
from slimsched.text import times

CONFIGURATIONS = {
    "cons_tres+backfill": {"SelectType": "select/cons_tres", "SelectTypeParameters": "CR_CPU_Memory"},
    "linear+backfill": {"SelectType": "select/linear", "SelectTypeParameters": "CR_Memory"},
    "linear+builtin": {
        "SelectType": "select/linear",
        "SelectTypeParameters": "CR_Memory",
        "SchedulerType": "sched/builtin",
    },
}
FEATURES = {1: {"rack1", "all"}, 2: {"rack1", "all"}, 3: {"rack2", "all"}, 4: {"rack2", "all"}}
CONSTRAINTS = {
    "rack1": lambda found: "rack1" in found,
    "rack2&all": lambda found: {"rack2", "all"} <= found,
    "rack1|rack2": lambda found: bool(found & {"rack1", "rack2"}),
}
EXTRAS = {
    "load<5": lambda extra: extra.get("load", 9) < 5,
    "load>=5": lambda extra: extra.get("load", 0) >= 5,
    "zone=a|load<5": lambda extra: extra.get("zone") == "a" or extra.get("load", 9) < 5,
}
NODE_EXTRAS = ["", '{"load":1}', '{"load":7}', '{"load":7,"zone":"a"}']
LICENSES = 2


def config(name: str) -> Config:
    """Return the four nodes of the records, two of them with GPUs."""
    slurm = {
        "DefMemPerCPU": "100",
        "GresTypes": "gpu",
        "Licenses": f"lic:{LICENSES}",
        "SchedulerParameters": "extra_constraints,bf_interval=1",
        **CONFIGURATIONS[name],
    }
    nodes = [
        world.node("n[1-2]", features="rack1,all", gres="gpu:2"),
        world.node("n[3-4]", features="rack2,all"),
    ]
    partitions = {"debug": {"default": True, "max_time": 120}, "batch": {"nodes": "n[3-4]", "max_time": 1440}}
    return world.config(nodes, partitions, **slurm)


# what is drawn

PLACES = st.integers(0, 7)
NODES = st.sampled_from(["n1", "n2", "n3", "n4", "n[1-2]", "n[3-4]"])
JOBS = st.fixed_dictionaries(
    {
        "time_limit": st.sampled_from([5, 10, 30, 60, 100]),
        "sim_runtime": st.sampled_from([60, 300, 1000, 9999]),
        "partition": st.sampled_from(["debug", "debug", "batch", "debug,batch"]),
    },
    optional={
        "num_tasks": st.integers(1, 9),
        "min_nodes": st.integers(1, 4),
        "exclusive": st.just("NODE"),
        "mem_per_node": st.sampled_from([100, 600, 1000]),
        "features": st.sampled_from(list(CONSTRAINTS)),
        "extra": st.sampled_from(list(EXTRAS)),
        "gres": st.sampled_from(["gpu:1", "gpu:2"]),
        "licenses": st.sampled_from(["lic:1", "lic:2"]),
        "nodelist": NODES,
        "exclude": NODES,
        "reservation": st.sampled_from(["ours", "theirs"]),
        "array": st.sampled_from(["0-4", "0-5%2", "1,3"]),
        "hold": st.just(True),
        "nice": st.sampled_from([100, -100]),
        "requeue": st.booleans(),
        "contiguous": st.just(True),
    },
)
KINDS = st.sampled_from(["after", "afterany", "afterok", "afternotok", "aftercorr"])
PLAIN = st.fixed_dictionaries({"time_limit": st.sampled_from([10, 30, 90]), "num_tasks": st.integers(3, 16)})
WAITS = st.sampled_from(["", "", "", "singleton", "after", "afterany", "afterok", "afternotok", "aftercorr"])
SUBMIT = st.tuples(st.just("submit"), st.one_of(PLAIN, JOBS), WAITS, PLACES)
OTHERS = st.lists(
    st.one_of(
        SUBMIT,
        SUBMIT,
        st.tuples(st.just("advance"), st.sampled_from([1, 30, 301])),
        st.tuples(st.just("advance"), st.sampled_from([60, 900, 4000])),
        st.tuples(st.sampled_from(["hold", "release", "cancel"]), PLACES),
        st.tuples(st.just("cancel_task"), PLACES, st.integers(0, 4)),
        st.tuples(st.just("put"), NODES, st.sampled_from(["DOWN", "DRAIN", "RESUME"])),
        st.tuples(st.just("tag"), NODES, st.sampled_from(NODE_EXTRAS)),
        st.tuples(
            st.just("reserve"),
            st.sampled_from(["ours", "theirs"]),
            NODES,
            st.sampled_from([0, 300, 1800]),
            st.sampled_from([600, 3600]),
            st.sampled_from(["", "MAINT,IGNORE_JOBS", "IGNORE_JOBS"]),
        ),
        st.tuples(st.just("unreserve"), st.sampled_from(["ours", "theirs"])),
    ),
    min_size=6,
    max_size=18,
)
STEPS = st.builds(list.__add__, st.lists(SUBMIT, min_size=3, max_size=8), OTHERS)


class Play:
    """Plays steps, with `check` after each of them and at each instant between."""

    def __init__(self, cluster: Cluster) -> None:
        self.ctl = Controller(cluster)
        self.ids = list(cluster.jobs)
        self.seen = {(job.job_id, job.start_time) for job in cluster.jobs.values() if job.start_time}
        self.events: list[bytes] = []
        self.licenses = 0  # in use; an update may take more than there are, and nothing else adds to them then

    def run(self, steps: list[tuple]) -> Play:
        for step in steps:
            self.do(step)
        return self

    def do(self, step: tuple) -> None:
        """Play one step; what slurmctld would refuse changes nothing."""
        self.ctl.catch_up()
        try:
            getattr(self, step[0])(*step[1:])
        except UserError:
            assert step[0] != "advance"
        self.ctl.settle()
        self.check()
        self.events += [msgspec.json.encode(event) for event in self.ctl.cluster.events[len(self.events) :]]

    def picked(self, place: int) -> str:
        return str(self.ids[place % len(self.ids)]) if self.ids else "1"

    def submit(self, fields: dict, kind: str, place: int) -> None:
        wanted = dict(fields)
        if kind:
            wanted["dependency"] = kind if kind == "singleton" else f"{kind}:{self.picked(place)}"
        wanted.setdefault("time_limit", 30)
        self.ids.append(world.submit(self.ctl, name="job", **wanted).job_id)

    def advance(self, seconds: int) -> None:
        head = self.head()
        event_loop.advance(self.ctl, self.ctl.cluster.now + seconds, watch=lambda now: self.check())
        if head is not None:
            job, planned = head
            assert (job.start_time <= planned and not job.pending) or self.ctl.cluster.now < planned

    def hold(self, place: int) -> None:
        hold.hold(self.ctl, [self.picked(place)])

    def release(self, place: int) -> None:
        hold.release(self.ctl, [self.picked(place)])

    def cancel(self, place: int) -> None:
        cancel.cancel(self.ctl, selectors.parse(self.picked(place)))

    def cancel_task(self, place: int, task: int) -> None:
        cancel.cancel(self.ctl, selectors.parse(f"{self.picked(place)}_{task}"))

    def put(self, names: str, state: str) -> None:
        node_fields.update(
            self.ctl, node_fields.parse([f"nodename={names}", f"state={state}", "reason=test"]), world.ME
        )

    def tag(self, names: str, extra: str) -> None:
        node_fields.update(self.ctl, node_fields.parse([f"nodename={names}", f"extra={extra}"]), world.ME)

    def reserve(self, name: str, nodes: str, later: int, seconds: int, flags: str) -> None:
        begin = times.instant(self.ctl.cluster.now + later)
        given = {"StartTime": begin, "Duration": str(seconds // 60), "Nodes": nodes, "Flags": flags}
        given["Users"] = world.ME.name if name == "ours" else "root"
        words = [f"reservation={name}", *(f"{field}={value}" for field, value in given.items() if value)]
        reservation_change.create(self.ctl, reservation.parse(words, reservation.CREATED), world.ME)

    def unreserve(self, name: str) -> None:
        reservation_change.delete(self.ctl, name)

    # what must hold

    def head(self):
        """Return the job ahead of all others and its planned start, if nothing but running jobs is in its way."""
        pending = [job for job in self.ctl.cluster.jobs.values() if job.pending]
        first = max(pending, key=lambda job: (job.priority, -job.job_id), default=None)
        if first is None or not first.planned or first.scheduler != "Backfill" or self.ctl.cluster.reservations:
            return None  # a new reservation may be in the way of a plan of the cycle before
        plain = not (first.request.extra or first.array_tasks or first.dependency or first.request.licenses)
        alone = plain and "," not in first.request.partition and not any(job.request.reservation for job in pending)
        return (first, first.start_time) if alone and first.reason == "Resources" else None

    def check(self) -> bool:
        self.nothing_is_given_out_twice()
        for job in self.ctl.cluster.jobs.values():
            if job.pending:
                assert job.reason in REASONS, job.reason
            elif job.start_time and (job.job_id, job.start_time) not in self.seen:
                self.seen.add((job.job_id, job.start_time))
                if job.active and job.start_time == self.ctl.cluster.now:
                    self.is_where_it_may_be(job)
        return True

    def nothing_is_given_out_twice(self) -> None:
        cluster = self.ctl.cluster
        cpus, memory, devices, licenses = [0] * 4, [0] * 4, [0] * 4, 0
        for job in cluster.jobs.values():
            if not job.active:
                continue
            nodes = [i for i in range(4) if cluster.bitmap_of(job.nodes) >> i & 1]
            assert len(nodes) == len(job.cpus) == len(job.memory) == len(job.gres)
            licenses += sum(int(item.partition(":")[2] or 1) for item in job.licenses_alloc.split(",") if item)
            for k, node in enumerate(nodes):
                cpus[node] += job.cpus[k] if job.state == RUNNING else 0
                memory[node] += job.memory[k]
                for entry in gres.parse(job.gres[k]):
                    assert not devices[node] & entry.devices
                    devices[node] |= entry.devices
        assert max(cpus) <= 4
        assert max(memory) <= 1000
        assert max(devices) < 4
        assert not any(devices[2:])
        assert licenses <= max(LICENSES, self.licenses)
        self.licenses = licenses

    def is_where_it_may_be(self, job) -> None:
        """Check the nodes of a job that starts at this instant against all that it asked for."""
        cluster, request = self.ctl.cluster, job.request
        nodes = cluster.bitmap_of(job.nodes)
        assert not nodes & ~cluster.partition_bitmap(job.partition)
        assert not nodes & ~self.ctl.sets.up
        required = cluster.bitmap_of(request.nodelist)
        assert not required & ~nodes or required.bit_count() > (request.max_nodes or 4)  # clients cut such a list
        assert not cluster.bitmap_of(request.exclude) & nodes
        assert (request.min_nodes or 1) <= nodes.bit_count()
        for node in (node for node in cluster.nodes if nodes >> node.index & 1):
            if request.features:
                assert CONSTRAINTS[request.features](FEATURES[node.index + 1])
            if request.extra:
                assert EXTRAS[request.extra](json.loads(node.extra or "{}"))
        end = cluster.now + request.time_limit * 60
        for resv in cluster.reservations.values():
            there = cluster.bitmap_of(resv.nodes)
            if resv.name == request.reservation:
                assert not nodes & ~there
                assert resv.start_time <= cluster.now
            elif resv.start_time < end and cluster.now < resv.end_time:
                assert not nodes & there


_WORDS = """
    None Priority Dependency Resources PartitionNodeLimit PartitionTimeLimit PartitionDown PartitionInactive
    JobHeldAdmin BeginTime Licenses AssociationJobLimit AssociationResourceLimit AssociationTimeLimit Reservation
    ReqNodeNotAvail JobHeldUser FrontEndDown DeadLine QOSJobLimit NodeDown BadConstraints DependencyNeverSatisfied
    JobArrayTaskLimit PartitionConfig AccountNotAllowed QOSNotAllowed MaxMemPerLimit ReservationDeleted
    JobHoldMaxRequeue Constraints AssocGrpCpuLimit AssocMaxJobsLimit
"""
REASONS = frozenset(_WORDS.split())
"""Reason words of jobs that wait; of limits those that the workloads set."""
