"""The power of nodes: which are switched on and off, when, and how long it takes.

slurmctld calls ResumeProgram and SuspendProgram for it. Here nodes obey by themselves: they are up after
``[simulation] node_boot`` (else after ResumeTimeout) and off after SuspendTimeout. Without the two programs and a
SuspendTime no node is switched off because it is idle; orders are obeyed all the same. Of the nodes that jobs want,
ResumeRate are switched on in a minute, of the idle ones SuspendRate off: the others wait for their turn.
Source: power_save.html; slurmctld's power saving, by behaviour.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.life import node_failure
from slimsched.model import bitmap
from slimsched.slurm import states
from slimsched.slurm.states import (
    DRAIN,
    FAIL,
    INVALID_REG,
    NO_RESPOND,
    POWER_DOWN,
    POWER_UP,
    POWERED_DOWN,
    POWERING_DOWN,
    POWERING_UP,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.model.node import Node

TOO_LATE = "ResumeTimeout reached"
NEVER = -1
MINUTE = 60


class Power:
    """The power of the nodes of one cluster."""

    def __init__(self, ctl: Controller) -> None:
        self._ctl, self._cluster = ctl, ctl.cluster

    # jobs

    def wake(self, job: Job) -> bool:
        """Switch on those nodes of a job that starts that are off; true if it has to wait for some."""
        self._call(node for node in self._nodes(job) if POWERED_DOWN in node.flags)
        return self.ready_at(job) > self._cluster.now

    def ready_at(self, job: Job) -> int:
        """Return when the nodes that a job waits for are up: all of them, for a batch job by default the first."""
        waits = job.request.wait_all_nodes
        every = bool(waits) if waits is not None else "sbatch_wait_nodes" in self._cluster.config.parameters
        nodes = list(self._nodes(job))
        if job.has_script and not every:
            del nodes[1:]
        up = (node.power_time + boot_time(self._cluster, node) for node in nodes if _called(node))
        return max(up, default=0)

    def back_at(self, nodes: int) -> int:
        """Return when all of some nodes, which go down now, can be switched on again; 0 if one does not go down."""
        found = [self._cluster.nodes[index] for index in bitmap.iterate(nodes)]
        if not all(node.state == states.IDLE and POWERING_DOWN in node.flags for node in found):
            return 0
        return max((next_instant(self._cluster, node) for node in found), default=0)

    def release(self, job: Job) -> None:
        """Take note that a job leaves its nodes: idle ones may go down, at once or after their SuspendTime."""
        cluster = self._cluster
        part = cluster.partitions.get(job.partition)
        for index in bitmap.iterate(cluster.bitmap_of(job.nodes) & ~self._busy(but=job)):
            node = cluster.nodes[index]
            if POWERED_DOWN in node.flags:  # its turn to be switched on has not come
                self._put(node, node.state, list(node.flags), 0)
                continue
            node.change(last_busy=cluster.now)
            cluster.touch_node(node)
            if POWER_DOWN in node.flags or (part is not None and part.power_down_on_idle):
                self._go_down(node)
            elif self._ctl.agenda is not None:
                self._ctl.agenda.note_node(node)

    # orders and events

    def obey(self, node: Node) -> None:
        """Carry out the order that a node was given, if that is possible now."""
        if POWER_UP in node.flags and POWERED_DOWN in node.flags:
            self._call([node])
        elif POWER_DOWN in node.flags and not self._busy() >> node.index & 1:
            self._go_down(node)

    def look(self, node: Node) -> None:
        """Let happen what is due on a node; if it has been idle for too long, on all that have been."""
        now, cluster = self._cluster.now, self._cluster
        if not node.power_time:
            if 0 < idle_until(cluster, node) <= now:
                self.rest()
        elif next_instant(cluster, node) <= now:
            if POWERING_DOWN in node.flags:
                self._be_off(node)
            elif POWERED_DOWN in node.flags:
                self._come_up(node)
            elif boot_time(cluster, node) <= cluster.power_span(node, "resume_timeout"):
                self._be_up(node)
            else:
                self._fail(node)

    def rest(self) -> None:
        """Switch off nodes that have been idle for too long, as many as may go, and note the turn of the others."""
        now, later = self._cluster.now, 0
        for due, node in self._idle():
            if due <= now:
                self._go_down(node)
            elif not later and idle_until(self._cluster, node) <= now:
                later = due
        if later and self._ctl.agenda is not None:
            self._ctl.agenda.note_turn(later)

    def instants(self) -> Iterator[tuple[int, Node]]:
        """Yield when nodes come up or are off, and when idle ones go down."""
        for node in self._cluster.nodes:
            if node.power_time:
                yield next_instant(self._cluster, node), node
        if self._cluster.saves_power:
            yield from self._idle()

    def _idle(self) -> list[tuple[int, Node]]:
        """Return the idle nodes that go down in time, and when."""
        cluster = self._cluster
        may = bitmap.full(len(cluster.nodes)) & ~self._busy() & ~_kept_on(cluster)
        idle = ((idle_until(cluster, cluster.nodes[k]), k) for k in bitmap.iterate(may))
        found = sorted((due, k) for due, k in idle if due)
        down = sorted(node.power_time for node in cluster.nodes if POWERING_DOWN in node.flags)
        spans = {cluster.power_span(cluster.nodes[k], "suspend_timeout") for _, k in found}
        span = MINUTE if NEVER in spans else min(MINUTE, max(spans, default=0))
        turn = _Turns(-(-cluster.config.number("SuspendRate") * span // MINUTE), span, down)
        return [(turn.after(due), cluster.nodes[k]) for due, k in found]

    def _call(self, nodes: Iterable[Node]) -> None:
        """Switch on nodes that are off, each when it is its turn."""
        cluster = self._cluster
        turn = _Turns(cluster.config.number("ResumeRate"), MINUTE, self._calls())
        for node in nodes:
            time = turn.after(cluster.now)
            if time <= cluster.now:
                self._come_up(node)
            else:
                self._put(node, node.state, list(node.flags), time)

    def _calls(self) -> list[int]:
        """Return when nodes were switched on in the last minute, or will be."""
        cluster, since = self._cluster, self._cluster.now - MINUTE
        called = [node.power_time for node in cluster.nodes if _called(node)]
        up = (
            node.boot_time - boot_time(cluster, node) for node in cluster.nodes if node.boot_time and not _called(node)
        )
        return sorted((*called, *(time for time in up if time > since)))

    def _nodes(self, job: Job) -> Iterator[Node]:
        return (self._cluster.nodes[index] for index in bitmap.iterate(self._cluster.bitmap_of(job.nodes)))

    def _busy(self, but: Job | None = None) -> int:
        """Return the nodes that jobs hold."""
        mask, cluster, roster = 0, self._cluster, self._ctl.roster
        for job in map(cluster.jobs.__getitem__, roster.running | roster.suspended):
            if job is not but:
                mask |= cluster.bitmap_of(job.nodes)
        return mask

    # what becomes of a node

    def _come_up(self, node: Node) -> None:
        flags = node_failure.without(node, {POWERED_DOWN, POWER_UP, POWERING_UP, NO_RESPOND})
        self._put(node, node.state, [*flags, POWERING_UP, NO_RESPOND], self._cluster.now)

    def _go_down(self, node: Node) -> None:
        """Begin to switch a node off: a drain that came with the order has had its time."""
        gone: set[str] = {POWER_DOWN, NO_RESPOND, POWERING_UP, *((DRAIN,) if POWER_DOWN in node.flags else ())}
        state = node.state
        if "idle_on_node_suspend" in self._cluster.config.get("SlurmctldParameters").lower():
            state, gone = states.IDLE, gone | {DRAIN, FAIL}
        self._put(node, state, [*node_failure.without(node, gone), POWERING_DOWN], self._cluster.now)

    def _be_up(self, node: Node) -> None:
        node.change(boot_time=self._cluster.now, last_busy=self._cluster.now)
        self._put(node, node.state, node_failure.without(node, {POWERING_UP, NO_RESPOND}), 0)

    def _be_off(self, node: Node) -> None:
        node.change(active_features=node.features)
        self._cluster.changed("features")
        self._put(node, node.state, [*node_failure.without(node, {POWERING_DOWN, INVALID_REG}), POWERED_DOWN], 0)

    def _fail(self, node: Node) -> None:
        """Give up a node that did not come up in time; its jobs go elsewhere."""
        gone = frozenset[str]((POWERING_UP, NO_RESPOND, DRAIN, POWER_DOWN))
        node.change(reason=TOO_LATE, reason_time=self._cluster.now, reason_uid=0, reason_user="root")
        self._put(node, states.DOWN, [*node_failure.without(node, gone), POWERED_DOWN], 0)
        node_failure.kill_jobs(self._ctl, node)

    def _put(self, node: Node, state: str, flags: list[str], since: int) -> None:
        """Give a node its state; ``since``: it is on its way from this instant on, 0: it has arrived."""
        node.change(power_time=since)
        self._cluster.touch_node(node)
        node_failure.put(self._ctl, node, state, flags)
        self._cluster.changed("power")
        if self._ctl.agenda is not None:
            self._ctl.agenda.note_node(node)


class _Turns:
    """Turns of nodes to be switched: ``rate`` of them in any ``span`` of seconds, 0 for all at once."""

    def __init__(self, rate: int, span: int, taken: list[int]) -> None:
        """Begin with the instants that were taken before, in order."""
        self._rate, self._span, self._taken = rate, span, taken

    def after(self, instant: int) -> int:
        """Take the first turn from an instant on, and return its time; instants are asked for in their order."""
        if 0 < self._rate <= len(self._taken):
            instant = max(instant, self._taken[-self._rate] + self._span)
        self._taken.append(instant)
        return instant


def _called(node: Node) -> bool:
    """Whether a node comes up, or is to be switched on when it is its turn."""
    return POWERING_UP in node.flags or (POWERED_DOWN in node.flags and node.power_time > 0)


def next_instant(cluster: Cluster, node: Node) -> int:
    """Return when a node that goes up or down is there, or has failed; 0 for any other."""
    if POWERING_UP in node.flags:
        return node.power_time + min(boot_time(cluster, node), cluster.power_span(node, "resume_timeout") + 1)
    if POWERING_DOWN in node.flags:
        return node.power_time + cluster.power_span(node, "suspend_timeout") + 1
    return node.power_time


def idle_until(cluster: Cluster, node: Node) -> int:
    """Return when an idle node goes down if nobody wants it before, 0 for never."""
    span = cluster.power_span(node, "suspend_time")
    may = node.state in (states.IDLE, states.DOWN) and not states.SWITCHING.intersection(node.flags)
    excluded = {word.strip().upper() for word in cluster.config.get("SuspendExcStates").split(",")}
    if not cluster.saves_power or span == NEVER or not may or excluded.intersection((node.state, *node.flags)):
        return 0
    return (node.last_busy or cluster.boot_time) + span + 1


def boot_time(cluster: Cluster, node: Node) -> int:
    """Return how many seconds a node takes to come up."""
    text = cluster.config.node_boot
    if not text:
        return cluster.power_span(node, "resume_timeout")
    from slimsched.text import times

    return times.duration(text)


def _kept_on(cluster: Cluster) -> int:
    """Return the nodes that SuspendExcNodes (``n[1-9]:3``: any three of them) and SuspendExcParts keep on."""
    mask = 0
    for name in filter(None, cluster.config.get("SuspendExcParts").split(",")):
        mask |= cluster.partition_bitmap(name) if name in cluster.partitions else 0
    text = cluster.config.get("SuspendExcNodes")
    if ":" not in text:
        return mask | cluster.bitmap_of_known(text)
    for names, count in counted(text):
        nodes = cluster.bitmap_of_known(names)
        on = (k for k in bitmap.iterate(nodes) if cluster.nodes[k].up and POWERED_DOWN not in cluster.nodes[k].flags)
        fit = bitmap.of(on)
        mask |= nodes if not 0 < count < nodes.bit_count() else bitmap.lowest(fit, min(count, fit.bit_count()))
    return mask


def counted(text: str) -> Iterator[tuple[str, int]]:
    """Yield the hostlists of ``a[1-2]:1,b`` with their counts, 0 for all."""
    import re

    for item in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", text):
        names, _, count = item.partition(":")
        yield names, int(count) if count.isdigit() else 0
