"""The view of a node: its state in Slurm's words, and what jobs hold of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model.bitmap import iterate
from slimsched.model.request import INFINITE
from slimsched.model.resources import capacity, gres
from slimsched.render.units import tres
from slimsched.slurm import states
from slimsched.slurm.states import RUNNING, SUSPENDED

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.node import Node

SHORT = {row.word: row.short or row.word for row in (*states.NODE_STATES, *states.NODE_WORDS)}
"""Long word of ``sinfo`` -> short one."""


class NodeView:
    """One node with what is held of it; memory in MB."""

    __slots__ = ("cluster", "cpus_used", "flags", "gres_held", "memory_used", "node", "owners", "reservation", "still")

    def __init__(self, node: Node, cluster: Cluster) -> None:
        self.node, self.cluster = node, cluster
        self.flags = set(node.flags)
        self.cpus_used = self.memory_used = 0
        self.gres_held: list[str] = []  # of each job: gpu:2(IDX:0-1)
        self.owners: list[int] = []  # job ids
        self.reservation = ""
        self.still = False  # a job stands still here, and has left its CPUs

    @property
    def base(self) -> str:
        """The base state: IDLE, MIXED, ALLOCATED, DOWN, FUTURE, UNKNOWN."""
        if self.node.state != states.IDLE or not (self.cpus_used or self.still):
            return self.node.state
        return states.ALLOCATED if self.cpus_used >= self.node.cpus else states.MIXED

    @property
    def full(self) -> str:
        """The state of ``scontrol show node``: ``MIXED+DRAIN``."""
        return "+".join([self.base, *(flag for flag in states.NODE if flag in self.flags)])

    @property
    def state(self) -> str:
        """The long word of ``sinfo``: ``mixed``, ``drained*``."""
        return self.word + self.suffix

    @property
    def compact(self) -> str:
        """The short word of ``sinfo``: ``mix``, ``drain*``."""
        return SHORT.get(self.word, self.word) + self.suffix

    @property
    def word(self) -> str:
        """The long word without what is attached to it."""
        base, flags = self.base, self.flags
        busy = base in (states.ALLOCATED, states.MIXED) or states.COMPLETING in flags
        if states.INVALID_REG in flags:
            return "inval"
        if self._maintained:
            return "maint"
        for flag, at_work, at_rest in ((states.DRAIN, "draining", "drained"), (states.FAIL, "failing", "fail")):
            if flag in flags:
                return at_work if busy else at_rest
        if base != states.IDLE:
            return base.lower()
        if states.COMPLETING not in flags and self.suffix:
            return "idle"
        resting = ((states.COMPLETING, "completing"), (states.RESERVED, "reserved"), (states.PLANNED, "planned"))
        return next((word for flag, word in resting if flag in flags), "idle")

    @property
    def _maintained(self) -> bool:
        """Whether it is in maintenance and at rest otherwise."""
        busy = self.base in (states.ALLOCATED, states.MIXED, states.DOWN)
        kept = busy or {states.DRAIN, states.COMPLETING} & self.flags
        return states.MAINT in self.flags and not kept

    @property
    def suffix(self) -> str:
        """The suffix of the word.

        ``$`` in maintenance, ``#`` powering up, ``%`` powering down, ``~`` powered down, ``!`` to be powered down,
        ``*`` silent, ``+`` ending its jobs, ``-`` planned.
        """
        base, flags = self.base, self.flags
        drain = states.DRAIN in flags
        busy_or_down = base in (states.ALLOCATED, states.MIXED, states.DOWN)
        whole = not self._maintained and (drain or not flags & {states.FAIL, states.INVALID_REG})
        tests = (
            ("$", whole and states.MAINT in flags and (drain or busy_or_down)),
            ("#", whole and states.POWERING_UP in flags),
            ("%", whole and states.POWERING_DOWN in flags),
            ("~", whole and states.POWERED_DOWN in flags),
            ("!", whole and states.POWER_DOWN in flags),
            ("*", states.NO_RESPOND in flags),
            ("+", whole and not drain and base == states.ALLOCATED and states.COMPLETING in flags),
            ("-", whole and not drain and base == states.MIXED and states.PLANNED in flags),
        )
        return next((mark for mark, holds in tests if holds), "")

    @property
    def rank(self) -> int:
        """The sort key of the state in ``sinfo``."""
        return sum(row.code for row in states.NODE_STATES if row.name == self.base or row.name in self.flags)

    # what it is

    @property
    def hostname(self) -> str:
        """The name of the machine that it is on."""
        return self.node.conf.node_hostname or self.node.name

    @property
    def address(self) -> str:
        """Its network address."""
        return self.node.conf.node_addr or self.node.name

    @property
    def port(self) -> str:
        """The port of its daemon: its own one of those that its line of the configuration lists."""
        text = self.node.conf.port or self.cluster.config.get("SlurmdPort")
        if not text.startswith("["):
            return text
        from slimsched.text import hostlist

        names = hostlist.expand(self.node.conf.node_name)
        ports = hostlist.expand(f"p{text}")
        return ports[min(names.index(self.node.name), len(ports) - 1)][1:]

    @property
    def boot_time(self) -> int:
        """When it was started, in seconds since 1970; 0: never, as it is in the cloud."""
        return self.node.boot_time or (0 if self._never_up else self.cluster.boot_time)

    @property
    def last_busy(self) -> int:
        """When it last had a job, in seconds since 1970; 0: it is off."""
        if states.POWERED_DOWN in self.flags or self._never_up:
            return 0
        return self.node.last_busy or self.cluster.boot_time

    @property
    def _never_up(self) -> bool:
        return states.CLOUD in self.flags and not self.node.boot_time

    @property
    def suspend_time(self) -> int:
        """For how many seconds it may be idle before it is switched off, -1 for ever."""
        return self.cluster.power_span(self.node, "suspend_time")

    @property
    def reason_user(self) -> str:
        """The user who gave it its reason, "" if it has none."""
        return self.node.reason_user if self.node.reason else ""

    @property
    def effective_cpus(self) -> int:
        """CPUs that jobs may use: those that the system keeps are left out."""
        return self.node.cpus - self.node.core_spec_count * self.node.threads_per_core

    @property
    def tres(self) -> str:
        """What it has: ``cpu=8,mem=64000M,billing=8``."""
        return tres(self.cluster.config, {**capacity([self.node]), "node": 0})

    # what jobs hold of it

    @property
    def tres_used(self) -> str:
        """What jobs hold of it."""
        held = {"cpu": self.cpus_used, "mem": self.memory_used, **gres(self.gres_used)}
        return tres(self.cluster.config, held)

    @property
    def free_memory(self) -> int:
        """Memory in MB that no job holds."""
        return max(0, self.node.real_memory - self.memory_used)

    @property
    def gres_used(self) -> str:
        """How much of each generic resource is in use: ``gpu:0``."""
        counts = {item.rpartition(":")[0]: 0 for item in self.node.gres.split(",") if item}
        for item in ",".join(self.gres_held).split(","):
            name, _, count = item.partition("(")[0].rpartition(":")
            same = (kind for kind in counts if kind.startswith(name.split(":")[0]))
            kind = name if name in counts else next(same, "")
            if name and kind:
                counts[kind] += int(count or 0)
        return ",".join(f"{name}:{count}" for name, count in counts.items())


def views(cluster: Cluster) -> list[NodeView]:
    """Return the views of all nodes, in the order of the node table."""
    found = [NodeView(node, cluster) for node in cluster.nodes]
    for job in cluster.begun():
        if job.active:
            for place, index in enumerate(iterate(cluster.bitmap_of(job.nodes))):
                view = found[index]
                view.owners.append(job.job_id)
                view.memory_used += job.memory[place] if place < len(job.memory) else 0
                view.still |= job.state == SUSPENDED
                if job.state == RUNNING:
                    view.cpus_used += job.cpus[place] if place < len(job.cpus) else 0
                if place < len(job.gres) and job.gres[place]:
                    view.gres_held.append(job.gres[place])
    _plans(cluster, found)
    _reservations(cluster, found)
    return found


def _plans(cluster: Cluster, found: list[NodeView]) -> None:
    """Flag the nodes that backfill keeps for a waiting job and that have something left to keep."""
    for job in cluster.planned():
        if job.sched_nodes:
            for index in iterate(cluster.bitmap_of(job.sched_nodes)):
                if found[index].base in (states.IDLE, states.MIXED):
                    found[index].flags.add(states.PLANNED)


def _reservations(cluster: Cluster, found: list[NodeView]) -> None:
    """Flag the nodes of the reservations in force; the first maintenance gives a node its reservation's name."""
    for resv in cluster.reservations.values():
        if not resv.nodes or not resv.start_time <= cluster.now < (resv.end_time or INFINITE << 8):
            continue
        maint = "MAINT" in resv.flags
        for index in iterate(cluster.bitmap_of(resv.nodes)):
            view = found[index]
            view.flags.update((states.RESERVED, states.MAINT) if maint else (states.RESERVED,))
            if maint or not view.reservation:
                view.reservation = resv.name
