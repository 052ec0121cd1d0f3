"""The books: what every job holds of which nodes.

The job records say it (``nodes``, ``cpus``, ``memory``, ``gres``, ``cpu_ids``); the ledger keeps it in the form that
tests need, and changes both together when a job shrinks or takes over what another holds.
"""

from __future__ import annotations

from itertools import zip_longest

from slimsched.errors import PluginError
from slimsched.model import bitmap
from slimsched.model.job import GANG
from slimsched.select import gres
from slimsched.select.category import open_cpus
from slimsched.select.cpuset import CpuSets
from slimsched.select.future import FIRST_WINDOW, Futures
from slimsched.select.grant import booked_cpus
from slimsched.select.need import RESERVED, SHARED, NeedTable
from slimsched.select.pool import Hold, NodeKind, Part, Pool
from slimsched.slurm.states import SUSPENDED
from slimsched.text import hostlist

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.select.rules import Rules


_Line = tuple[int, int, str, str]
"""A job's record of one node: CPUs, memory, gres, CPU numbers."""


class Ledger:
    """Jobs, what they hold, and the pool that follows from it."""

    def __init__(self, cluster: Cluster, rules: Rules, needs: NeedTable, kinds: Sequence[NodeKind]) -> None:
        """Nothing is held; ``kinds`` by node."""
        self.cluster = cluster
        self.rules = rules
        self.needs = needs
        self.pool = Pool(kinds)
        self.jobs: dict[int, Job] = {}
        self.suspended = 0  # how many of them use only memory and gres
        self.holds: dict[int, Hold] = {}
        self.cpu_sets = CpuSets(len(kinds), block=rules.block)
        self.futures = Futures(self.pool, self.holds, 0 if rules.whole_nodes else FIRST_WINDOW)

    def load(self, jobs: Sequence[Job]) -> None:
        """Book what the active jobs hold; CPU numbers that are on record first, so that nobody else gets them."""
        holds = [(job, self._read(job)) for job in jobs if job.active and job.nodes]
        for job, hold in sorted(holds, key=lambda pair: not pair[0].cpu_ids):
            hold.running = job.state != SUSPENDED or job.suspended_for == GANG
            self._enter(job, hold)

    def begin(self, job: Job) -> None:
        """Book what the job's record says; PluginError if it is not free, or the job holds something already."""
        if job.job_id in self.holds:
            raise PluginError(f"job {job.job_id} has begun already")
        hold = self._read(job)
        self._check(job, hold)
        job.cpu_ids = []
        self._enter(job, hold)

    def end(self, job_id: int) -> None:
        """Free what a job holds, if anything."""
        hold = self.holds.pop(job_id, None)
        if hold:
            self._leave(job_id, hold)
            del self.jobs[job_id]

    def suspend(self, job: Job) -> None:
        """Free the CPUs of a job; memory and gres stay with it."""
        hold = self.holds.get(job.job_id)
        if hold and hold.running:
            self._leave(job.job_id, hold)
            hold.running = False
            self._enter(job, hold)

    def resume(self, job: Job) -> None:
        """Book the CPUs of a suspended job; PluginError if others have them."""
        hold = self.holds.get(job.job_id)
        if hold and not hold.running:
            self._leave(job.job_id, hold)
            hold.running = True
            try:
                self._check(job, hold)
                job.cpu_ids = []
            except PluginError:
                hold.running = False
                raise
            finally:
                self._enter(job, hold)

    def shrink(self, job: Job, nodes: int) -> None:
        """Take nodes away from a job, in the books and in its record."""
        hold = self.holds.get(job.job_id)
        if hold is None or hold.mask & nodes != nodes or hold.mask == nodes:
            raise PluginError(f"job {job.job_id} does not hold exactly these nodes")
        self._leave(job.job_id, hold)
        names = hostlist.expand(job.nodes, dialect="slurm")
        kept = [k for k, name in enumerate(names) if not nodes >> self.cluster.node_index.get(name, 0) & 1]
        job.nodes = hostlist.fold([names[k] for k in kept])
        for column in ("cpus", "memory", "gres", "cpu_ids"):
            old = getattr(job, column)
            setattr(job, column, [old[k] for k in kept if k < len(old)])
        self._enter(job, self._read(job, running=hold.running))

    def merge(self, from_job: Job, to_job: Job) -> None:
        """Give all that ``from_job`` holds to ``to_job``, in the books and in both records."""
        ours, theirs = self.holds.get(to_job.job_id), self.holds.get(from_job.job_id)
        if not ours or not theirs or not (ours.running and theirs.running):
            raise PluginError("only a running job can take over what a running job holds")
        if ours.mode != theirs.mode or (ours.mode == SHARED and ours.mask & theirs.mask):
            raise PluginError(f"jobs {from_job.job_id} and {to_job.job_id} do not share nodes in the same way")
        total = dict(self._parts(to_job))
        for node, part in self._parts(from_job):
            total[node] = self._sum(node, total[node], part) if node in total else part
        self.end(from_job.job_id)
        self._leave(to_job.job_id, ours)
        self._write(from_job, {})
        self._write(to_job, total)
        self._enter(to_job, self._read(to_job))

    def fits(self, job: Job) -> bool:
        """Whether no node of the job has less memory than its jobs hold of it."""
        hold = self.holds.get(job.job_id)
        pool = self.pool
        uses = [pool.uses[number] for number, _ in pool.numbers.parts(hold.mask)] if hold else []
        return all(use.memory <= pool.kinds[use.kind].memory for use in uses)

    def _read(self, job: Job, *, running: bool = True) -> Hold:
        """Return what the job's record says that it holds; nodes that are no longer configured are passed over."""
        need, pool, rules = self.needs.find(job, job.partition), self.pool, self.rules
        groups, order = self._groups(job)
        parts = []
        for (cpus, memory, text, ids), nodes in groups.items():
            for kind, same in pool.by_kind(nodes):
                taken = gres.restore(kind.gres, text) if text and kind.gres else ()
                whole = rules.whole_nodes
                booked = kind.cpus if whole else booked_cpus(need, kind, cpus, whole_units=rules.whole_units)
                held = memory if rules.memory else 0
                parts.append(Part(same, booked, held, taken, ids=gres.unfold_ids(ids) if ids else 0))
        hold = Hold(need, job.user_id, parts, order)
        hold.running = running
        return hold

    def _groups(self, job: Job) -> tuple[dict[_Line, int], list[int] | None]:
        """Return which nodes the job's record says the same of, and its order if that is not the node table's."""
        mask = self.cluster.folded(job.nodes)
        if mask is not None and (same := _same(job, mask.bit_count())) is not None:
            return {same: mask}, None
        record = self._parts(job)
        order = [node for node, _ in record]
        groups = bitmap.grouped(record)
        return groups, order if order != sorted(order) else None

    def _parts(self, job: Job) -> list[tuple[int, _Line]]:
        """Return the job's record by node index."""
        cluster = self.cluster
        mask = cluster.folded(job.nodes)
        if mask is not None:
            places: list[int | None] = [*bitmap.indices(mask)]
        else:
            places = [cluster.node_index.get(name) for name in hostlist.expand(job.nodes, dialect="slurm")]
        columns = zip_longest(places, job.cpus, job.memory, job.gres, job.cpu_ids)
        return [
            (place, (cpus or 0, memory or 0, text or "", ids or ""))
            for place, cpus, memory, text, ids in columns
            if place is not None
        ]

    def _sum(self, node: int, one: _Line, other: _Line) -> _Line:
        slots = self.pool.kind(node).gres
        taken = gres.restore(slots, ",".join(filter(None, (one[2], other[2]))))
        ids = gres.unfold_ids(one[3]) | gres.unfold_ids(other[3])
        return one[0] + other[0], one[1] + other[1], gres.show(slots, taken), gres.fold_ids(ids)

    def _write(self, job: Job, parts: dict[int, _Line]) -> None:
        order = sorted(parts)
        job.nodes = self.cluster.hostlist_of(bitmap.of(order))
        rows = [parts[node] for node in order]
        job.cpus, job.memory = [row[0] for row in rows], [row[1] for row in rows]
        job.gres, job.cpu_ids = [row[2] for row in rows], [row[3] for row in rows]

    def _check(self, job: Job, hold: Hold) -> None:
        """Raise PluginError if a node has not what the job is to hold of it."""
        need, pool = hold.need, self.pool
        for part in hold.parts:
            for number, nodes in pool.numbers.parts(part.nodes):
                use = pool.uses[number]
                kind = pool.kinds[use.kind]
                few = open_cpus(need, kind, use) < (1 if need.mode == RESERVED else part.cpus)
                clash = part.gres and gres.clash(kind.gres, use.gres, part.gres)
                if few or clash or use.memory + part.memory > kind.memory:
                    name = self.cluster.nodes[(nodes & -nodes).bit_length() - 1].name
                    raise PluginError(f"node {name} does not have what job {job.job_id} is to be given")

    def _enter(self, job: Job, hold: Hold) -> None:
        self.jobs[job.job_id] = job
        self.holds[job.job_id] = hold
        self.pool.add(hold)
        self.suspended += not hold.running
        self.futures.enter(job)
        if hold.running:
            self._number(job, hold)

    def _leave(self, job_id: int, hold: Hold) -> None:
        if hold.running:
            self.cpu_sets.free(hold)
        self.pool.remove(hold)
        self.suspended -= not hold.running
        self.futures.leave(job_id)

    def _number(self, job: Job, hold: Hold) -> None:
        """Give the job's CPUs their numbers, or note those that it has."""
        count = hold.mask.bit_count()
        if len(job.cpu_ids) == count:
            self.cpu_sets.mark(hold)
            return
        self.cpu_sets.take(hold, self.pool, hold.need.cpus_per_task)
        if len(hold.parts) == 1:
            job.cpu_ids = [gres.fold_ids(hold.parts[0].ids)] * count
            return
        texts = {}
        for part in hold.parts:
            texts.update(dict.fromkeys(bitmap.indices(part.nodes), gres.fold_ids(part.ids)))
        job.cpu_ids = [texts[node] for node in hold.order or sorted(texts)]


def _same(job: Job, count: int) -> _Line | None:
    """Return what a job's record says of each of its nodes, ``None`` if it does not say the same of all."""
    cpus, memory, gres, ids = job.cpus, job.memory, job.gres, job.cpu_ids
    same = (
        (not cpus or len(cpus) == count == cpus.count(cpus[0]))
        and (not memory or len(memory) == count == memory.count(memory[0]))
        and (not gres or len(gres) == count == gres.count(gres[0]))
        and (not ids or len(ids) == count == ids.count(ids[0]))
    )
    if not same:
        return None
    return cpus[0] if cpus else 0, memory[0] if memory else 0, gres[0] if gres else "", ids[0] if ids else ""
