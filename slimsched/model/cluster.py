"""The cluster in memory: node table, partitions, jobs, reservations and the present instant.

It needs no file: the controller, the plugins and the event loop work on it alone, and a trace can be driven
through it. ``state/`` fills it from a directory and writes back what `touch_job` and its fellows marked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from slimsched.model import bitmap
from slimsched.model.complex import ComplexState
from slimsched.model.config import Config, NodeConf, NodeSetConf, PartitionConf
from slimsched.model.job import Job
from slimsched.model.node import Node, NodeState
from slimsched.model.reservation import Reservation
from slimsched.slurm.reasons import Reason
from slimsched.slurm.states import DYNAMIC, PENDING
from slimsched.text import hostlist

TYPE_CHECKING = False
if TYPE_CHECKING:
    from slimsched.model.node_names import NodeNames

SINCE = "req_time_start"  # the counter of `statistics` with the instant of the last reset
GAUGES = frozenset({"schedule_queue_length", "bf_table_size", "bf_when_last_cycle"})
"""Statistics that are not counters; a reset of the counters keeps them."""

_POWER_KEYS = {"suspend_time": "SuspendTime", "suspend_timeout": "SuspendTimeout", "resume_timeout": "ResumeTimeout"}


class Cluster:
    """A cluster: everything that slurmctld would hold in memory."""

    def __init__(self, config: Config, now: int = 0) -> None:
        """Build the node table and partitions of ``config``; ``now`` is the present in seconds since 1970."""
        self.config = config
        self.now = now
        self.boot_time = now  # when the cluster was made; nodes show it as BootTime
        self.nodes: list[Node] = []
        self.node_index: dict[str, int] = {}
        self.partitions: dict[str, PartitionConf] = {}
        self.jobs: dict[int, Job] = {}
        self.reservations: dict[str, Reservation] = {}
        self.accounting: dict[str, dict[str, str]] = {}  # see model.account
        self.usage: dict[str, dict[str, str]] = {}  # of associations and QOS; see priority.usage
        self.settings: dict[str, str] = {}  # keys of slurm.conf that commands have set since it was read
        self.users: dict[str, int] = {}  # names that the system does not know -> ids of their own
        self.complexes = ComplexState()
        self.ranked = False  # the select plugin has given the nodes an order of its own, by their node_rank
        self.select_nodeinfo: dict[int, Any] = {}  # node index -> record for the select plugin to fill
        self.select_jobinfo: dict[int, Any] = {}  # job id -> the same of a job
        self.plugin_state: dict[str, dict[str, object]] = {}  # plugin -> what its state_save returned
        self.next_job_id = config.number("FirstJobId")
        self.reservations_made = 0
        self.triggers: list[dict[str, Any]] = []  # of strigger; `model.trigger` reads and keeps them
        self.triggers_made = 0
        self.crontabs: dict[str, str] = {}  # the text of each user
        self.next_priority = 0xFFFF0000 - 1  # what priority/basic gives to the next job (4294901759)
        self.last_backfill = 0  # instant of the last backfill cycle
        self.rhythm: dict[str, int] = {}  # when passes came and were asked for (`controller.schedule.rhythm`)
        self.pass_due = False  # something changed that could start a job, and no pass has run since
        self.arrays_due = False  # that pass gives new arrays' tasks their ids, after all jobs of this instant
        self.statistics: dict[str, int] = {}  # counters for sdiag
        self.dirty_jobs: set[int] = set()
        self._job_watchers: list[set[int]] = []
        self._reason_watchers: list[set[int]] = []  # of those, who hears of reasons, too
        self._plan_watchers: list[set[int]] = []  # and who hears of plans
        self._priority_watchers: list[set[int]] = []  # who hears of priorities, and of nothing else
        self.dirty_nodes: set[str] = set()
        self.removed_nodes: set[str] = set()
        self.dirty_partitions: set[str] = set()
        self.dirty_reservations: set[str] = set()
        self.dirty_accounting: set[str] = set()
        self.partitions_reset = False  # earlier changes of partitions are void
        self.gone_jobs: list[Job] = []  # purged from memory, on their way to the archive
        self.events: list[dict[str, object]] = []  # what happened in this command, for the journal; see `record`
        self.origin = "", ""  # the command and its user
        self.epoch: dict[str, int] = {}  # data -> how often it changed; keys the evaluation caches
        self.categories: dict[str, str] = {}  # category of requests -> what it cannot use (`controller.categories`)
        self.admitted: set[tuple[object, ...]] = set()  # what partitions let in (`requests.partition_limits`)
        self.partition_changes = 0  # how often a partition was added, replaced or removed
        self.layout_changes = 0  # how often these, or any data of the nodes, changed
        self.has_complexes = False  # whether it offers complex attributes of its own, by command or configuration
        self._bitmaps: dict[str, int] = {}
        self._names: NodeNames | None = None  # once a hostlist is made
        self._folded = "", 0  # the hostlist that was made last, and its nodes
        self._cpus: dict[str, int] = {}
        for conf in config.nodes:
            self._list_nodes(conf)
        for part in config.partitions:
            self.add_partition(part)

    # nodes

    def _list_nodes(self, conf: NodeConf) -> None:
        for name in hostlist.expand(conf.node_name, dialect="slurm"):
            self.node_index[name] = len(self.nodes)
            self.nodes.append(Node(name, len(self.nodes), conf))

    def add_nodes(self, confs: Iterable[NodeConf]) -> None:
        """Add dynamic nodes, each described by itself, at the end of the table."""
        for conf in confs:
            self._list_nodes(conf)
            self.nodes[-1].made = self.nodes[-1].saved.made = conf
            self.nodes[-1].flags.append(DYNAMIC)
        self._renew()

    def remove_nodes(self, gone: int) -> None:
        """Remove nodes from the table; the others keep their order and get new numbers."""
        for index in bitmap.iterate(gone):
            self.removed_nodes.add(self.nodes[index].name)
        self.nodes = [node for node in self.nodes if not gone >> node.index & 1]
        for index, node in enumerate(self.nodes):
            node.index = index
        self.node_index = {node.name: node.index for node in self.nodes}
        self._renew()

    def saved_node(self, name: str) -> NodeState:
        """Return what is stored of a node: nothing of one that was removed."""
        index = self.node_index.get(name)
        return NodeState() if index is None else self.nodes[index].saved

    def _renew(self) -> None:
        """Forget what was known of the table of nodes."""
        self.changed("nodes", "features", "extra", "state", "power", "load", "complexes-host")
        self._bitmaps.clear()
        self._cpus.clear()
        self._names, self._folded = None, ("", 0)
        for node in self.nodes:
            node.partitions = []
        for part in self.partitions.values():
            self.add_partition(part)

    # partitions

    def add_partition(self, part: PartitionConf) -> None:
        """Add or replace a partition and note it on its nodes."""
        self.partitions[part.partition_name] = part
        self._partition_changed(part.partition_name)
        members = set(bitmap.iterate(self.partition_bitmap(part.partition_name)))
        for node in self.nodes:
            listed, wanted = part.partition_name in node.partitions, node.index in members
            if wanted and not listed:
                node.partitions.append(part.partition_name)
            elif listed and not wanted:
                node.partitions.remove(part.partition_name)

    def drop_partition(self, name: str) -> None:
        """Remove a partition, if it is there, from the table and from its nodes."""
        if self.partitions.pop(name, None) is None:
            return
        self._partition_changed(name)
        for node in self.nodes:
            if name in node.partitions:
                node.partitions.remove(name)

    def _partition_changed(self, name: str) -> None:
        self.partition_changes += 1
        self.layout_changes += 1
        self.admitted.clear()
        self._bitmaps.pop(name, None)
        self._cpus.pop(name, None)
        self._find_complexes()

    def _find_complexes(self) -> None:
        offered = any(part.complexes for part in self.partitions.values())
        self.has_complexes = offered or bool(self.epoch.get("complexes"))

    def reset_partitions(self) -> None:
        """Put the partitions back as configured, whatever commands changed (``scontrol reconfigure``)."""
        for name in list(self.partitions):
            self.drop_partition(name)
        for part in self.config.partitions:
            self.add_partition(part)
        self.dirty_partitions.clear()
        self.partitions_reset = True

    def reset_features(self) -> None:
        """Give nodes the features that are configured, whatever commands changed (``scontrol reconfigure``)."""
        for node in self.nodes:
            if (node.features, node.active_features) != (node.conf.features, node.conf.features):
                node.change(features=node.conf.features, active_features=node.conf.features)
                self.touch_node(node)
                self.changed("features")

    def partition_bitmap(self, name: str) -> int:
        """Return the nodes of a partition ("ALL" in its node list means every node)."""
        mask = self._bitmaps.get(name)
        if mask is None:
            text = self.partitions[name].nodes
            mask = bitmap.full(len(self.nodes)) if text.upper() == "ALL" else self.bitmap_of(text, sets=True)
            self._bitmaps[name] = mask
        return mask

    def partition_cpus(self, name: str) -> int:
        """Return the CPUs of all nodes of a partition, whatever their state."""
        total = self._cpus.get(name)
        if total is None:
            total = sum(self.nodes[i].cpus for i in bitmap.iterate(self.partition_bitmap(name)))
            self._cpus[name] = total
        return total

    @property
    def default_partition(self) -> str:
        """Name of the default partition, "" if there is none."""
        return next((p.partition_name for p in self.partitions.values() if p.default), "")

    # jobs; the state directory leaves records unread of those that wait, are part of no other and keep no nodes

    def begun(self) -> list[Job]:
        """Return the jobs that wait no more: they run, are suspended, or have ended."""
        return [job for job in dict.values(self.jobs) if isinstance(job, Job) and job.state != PENDING]

    def planned(self) -> list[Job]:
        """Return the jobs that wait and for which the scheduler plugin keeps nodes."""
        return [job for job in dict.values(self.jobs) if isinstance(job, Job) and job.planned and job.state == PENDING]

    def related(self, ids: Collection[int]) -> list[Job]:
        """Return the jobs of these ids, and all tasks and components of what they are or are part of."""
        named = [job for job_id in ids if (job := self.jobs.get(job_id)) is not None]
        wanted = {
            *ids,
            *(job.array_job_id or job.job_id for job in named),
            *(job.het_job_id or job.job_id for job in named),
        }
        for job_id in wanted:
            self.jobs.get(job_id)  # it is read now, if it was not
        read = [job for job in dict.values(self.jobs) if isinstance(job, Job)]
        return [job for job in read if not wanted.isdisjoint((job.job_id, job.array_job_id, job.het_job_id))]

    def components(self, job: Job) -> list[Job]:
        """Return the components of a job that are still in memory, in their order; a plain job alone."""
        if not job.het_job_id:
            return [job]
        ids = range(job.het_job_id, job.het_job_id + job.het_size)
        return [one for n in ids if (one := self.jobs.get(n)) is not None and one.het_job_id == job.het_job_id]

    @property
    def saves_power(self) -> bool:
        """Whether idle nodes may go down: both programs are named, which slurmctld needs for it."""
        slurm = self.config.slurm
        return bool(slurm.get("SuspendProgram") and slurm.get("ResumeProgram"))

    def power_span(self, node: Node, name: str) -> int:
        """Return a node's ``suspend_time``, ``suspend_timeout`` or ``resume_timeout`` in seconds, -1 for ever.

        It is the longest of its partitions that have one, else the cluster's.
        """
        given = [getattr(self.partitions[part], name) for part in node.partitions]
        spans = [span for span in given if span is not None] or [self.config.number(_POWER_KEYS[name])]
        return -1 if -1 in spans else max(spans)

    # node sets

    def first_nodes(self, mask: int, count: int) -> int:
        """Return ``count`` nodes of ``mask``, the first in the select plugin's order, else in that of the table."""
        if not self.ranked:
            return bitmap.lowest(mask, count)
        return bitmap.of(sorted(bitmap.iterate(mask), key=lambda k: self.nodes[k].node_rank)[:count])

    def bitmap_of(self, text: str, *, sets: bool = False) -> int:
        """Return the set of the nodes named by a hostlist; a `KeyError` names an unknown node.

        ``sets``: a name may also be that of a NodeSet.
        """
        if not text:
            return 0
        if text == self._folded[0] and not sets:
            return self._folded[1]
        index, names = self.node_index, hostlist.expand(text, dialect="slurm")
        if not sets or not self.config.node_sets:
            return bitmap.of([index[name] for name in names])
        known = {each.node_set: each for each in self.config.node_sets}
        mask = bitmap.of([index[name] for name in names if name not in known])
        for name in known.keys() & set(names):
            mask |= self._members(known[name])
        return mask

    def _members(self, each: NodeSetConf) -> int:
        """Return the nodes of a NodeSet: those that it names, or ALL, and those configured with its feature."""
        having = (node.index for node in self.nodes if each.feature in node.conf.features.split(","))
        named = bitmap.full(len(self.nodes)) if each.nodes.upper() == "ALL" else self.bitmap_of(each.nodes)
        return named | (bitmap.of(having) if each.feature else 0)

    def bitmap_of_known(self, text: str) -> int:
        """Return the set of those nodes of a hostlist that there are: for filters, which no unknown node meets."""
        index = self.node_index
        return bitmap.of(index[name] for name in hostlist.expand(text, dialect="slurm") if name in index)

    def hostlist_of(self, mask: int) -> str:
        """Return a node set as a hostlist, in the order of the node table."""
        if mask != self._folded[1]:
            if self._names is None:
                from slimsched.model.node_names import NodeNames

                self._names = NodeNames([node.name for node in self.nodes])
            self._folded = self._names.hostlist_of(mask), mask
        return self._folded[0]

    def folded(self, text: str) -> int | None:
        """Return the node set whose hostlist was made last if ``text`` is that list: it need not be read back."""
        return self._folded[1] if text == self._folded[0] else None

    # the journal

    def record(self, event: str, **details: object) -> None:
        """Note an event of this instant for the history: its kind, the record it concerns, and its details.

        The first detail names the thing (``job=5``, ``node="n1"``, ``reservation=...``, ``partition=...``).
        """
        for name, value in details.items():
            if type(value) is str and len(value) > _LONGEST:
                details[name] = shorten(value)
        self.events.append({"event": event, "time": self.now, **details})

    # marks for the state directory

    def touch_job(self, job: Job) -> None:
        """Note that a job changed and must be written."""
        self.dirty_jobs.add(job.job_id)
        for changed in self._job_watchers:
            changed.add(job.job_id)

    def watch_jobs(self, *, plans: bool = False) -> set[int]:
        """Return a set to which the ids of changed jobs are added from now on; the caller empties it.

        A new reason (`set_reason`) or priority (`set_priority`) is no change here, nor without ``plans`` is a new plan
        (`set_plan`).
        """
        changed: set[int] = set()
        self._job_watchers.append(changed)
        if plans:
            self._plan_watchers.append(changed)
        return changed

    def watch_reasons(self) -> set[int]:
        """Return a set to which the ids of jobs are added whose reason, or anything else, changes from now on."""
        changed: set[int] = set()
        self._job_watchers.append(changed)
        self._reason_watchers.append(changed)
        return changed

    def watch_priorities(self) -> set[int]:
        """Return a set to which the ids of jobs are added whose priority alone changes from now on."""
        changed: set[int] = set()
        self._priority_watchers.append(changed)
        return changed

    def set_priority(self, job: Job, priority: int) -> None:
        """Set the priority of a job that waits and is not held, to another than 0; nothing else changes with it."""
        if job.priority != priority:
            job.priority = priority
            self.dirty_jobs.add(job.job_id)
            for changed in self._priority_watchers:
                changed.add(job.job_id)

    def set_reason(self, job: Job, reason: Reason, text: str = "") -> None:
        """Set why a job waits, and the text that replaces the word; nothing is written if that is known already."""
        if job.reason != reason or job.state_desc != text:
            job.reason, job.state_desc = reason, text
            self.dirty_jobs.add(job.job_id)
            for changed in self._reason_watchers:
                changed.add(job.job_id)

    def set_plan(self, job: Job, scheduler: str, start_time: int, nodes: str = "", *, planned: bool = False) -> None:
        """Set what a cycle of a ``scheduler`` has planned for a job; nothing is written if that is known already."""
        new = scheduler, start_time, nodes, planned
        if (job.scheduler, job.start_time, job.sched_nodes, job.planned) != new:
            job.scheduler, job.start_time, job.sched_nodes, job.planned = new
            self.dirty_jobs.add(job.job_id)
            for changed in self._plan_watchers:
                changed.add(job.job_id)

    def touch_node(self, node: Node) -> None:
        """Note that a node changed and must be written."""
        self.dirty_nodes.add(node.name)

    def count(self, name: str, value: int = 1) -> None:
        """Count something for ``sdiag``."""
        self.statistics[name] = self.statistics.get(name, 0) + value

    def reset_statistics(self) -> None:
        """Reset the counters at this instant."""
        kept = {name: value for name, value in self.statistics.items() if name in GAUGES}
        self.statistics = {**kept, SINCE: self.now}

    def touch_accounting(self, key: str) -> None:
        """Note that an accounting record, or (``usage PLACE``) a place's usage, changed and must be written."""
        self.dirty_accounting.add(key)

    def changed(self, *data: str) -> None:
        """Count a change of ``data`` ("extra", "features", "state", ...) so that caches over it expire."""
        self.layout_changes += 1
        for key in data:
            self.epoch[key] = self.epoch.get(key, 0) + 1
        self._find_complexes()

    def take_epoch(self, epoch: dict[str, int]) -> None:
        """Go on counting changes where an earlier command has stopped."""
        self.epoch = epoch
        self._find_complexes()


_LONGEST = 300


def shorten(value: object) -> object:
    """Return a value as the history keeps it: long texts (an ``Extra`` of a megabyte) are cut."""
    return f"{value[:_LONGEST]}..." if isinstance(value, str) and len(value) > _LONGEST else value
