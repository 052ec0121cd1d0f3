"""What the built-in select plugins share: booking what jobs hold, and testing jobs against what is free.

A plugin says by class attributes what it gives out (whole nodes, or CPUs by core or socket); the three modes,
preemption, suspension, growing and shrinking are the same for all.
"""

from __future__ import annotations

from slimsched.errors import Never, NotNow, PluginError
from slimsched.model.job import SUSPENDED
from slimsched.select import gres
from slimsched.select.api import JobTest, Mode, Selection, SelectPlugin
from slimsched.select.category import open_cpus
from slimsched.select.future import Futures
from slimsched.select.grant import booked_cpus
from slimsched.select.need import RESERVED, Need, NeedTable
from slimsched.select.place import Placer
from slimsched.select.pool import Hold, Kind, Pool, Share, kind_of
from slimsched.text import hostlist

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from slimsched.model.job import Job
    from slimsched.model.node import Node


class Booking(SelectPlugin):
    """A plugin that books CPUs, memory and gres of nodes."""

    MAX_VERDICTS = 10_000
    whole_nodes = False  # jobs share nodes only where a partition says so

    def init(self) -> None:
        """Read ``SelectTypeParameters``."""
        words = self.cluster.config.get("SelectTypeParameters").upper()
        found = (unit for unit in ("CORE", "SOCKET", "BOARD") if f"CR_{unit}" in words.replace("CR_CORE_DEFAULT", ""))
        self.unit = "NODE" if self.whole_nodes else next(found, "CPU")
        self.memory = "MEMORY" in words
        self._jobs: dict[int, Job] = {}
        self._holds: dict[int, Hold] = {}
        self.node_init(())

    def reconfigure(self) -> None:
        """Forget what was worked out from partitions and configuration."""
        config = self.cluster.config
        self.needs = NeedTable(config, self.cluster.partitions, whole_nodes=self.whole_nodes, memory=self.memory)
        self._verdicts: dict[tuple[object, ...], bool] = {}
        for pool in (self.pool, self.empty):
            pool.rooms.clear()
        self.futures.forget()

    # nodes

    def node_init(self, nodes: Sequence[Node]) -> None:
        """Start with every node idle; `job_init` follows."""
        kinds = [self._kind(node) for node in nodes]
        self.pool = Pool(kinds)
        self.empty = Pool(kinds)
        self.placer = Placer(nodes, whole_units=self.unit not in {"CPU", "NODE"})
        self.futures = Futures(self.pool, self._jobs, self._holds)
        self.reconfigure()

    def update_node_config(self, index: int) -> None:
        """Take in what the node now has; jobs keep what they hold."""
        kind = self._kind(self.cluster.nodes[index])
        self.pool.refit(index, kind)
        self.empty.refit(index, kind)
        self._verdicts.clear()
        self.placer = Placer(self.cluster.nodes, whole_units=self.placer.whole_units)
        self.futures.forget()

    def _kind(self, node: Node) -> Kind:
        return kind_of(node, self.unit)

    # jobs

    def job_init(self, jobs: Sequence[Job]) -> None:
        """Book what the active jobs hold; nodes that are no longer configured are passed over."""
        for job_id in list(self._holds):
            self._free(job_id)
        for job in jobs:
            if job.active and job.nodes:
                hold = self._hold(job)
                hold.running = job.state != SUSPENDED
                self._book(job, hold)

    def job_test(self, request: JobTest, mode: Mode) -> Selection:
        """Choose nodes; see `SelectPlugin.job_test`."""
        need = self.needs.find(request.job, request.partition)
        if mode == Mode.TEST_ONLY:
            return self._test_only(need, request)
        found = self.placer.place(need, self._less(self.pool, request), request)
        if found:
            found.start_time = self.cluster.now
            return found
        if not self._possible(need, request):
            raise Never("BadConstraints")
        if request.preemptee_candidates:
            found = self._preempt(need, request)
        if not found and mode == Mode.WILL_RUN:
            found = self._will_run(need, request)
        if not found:
            raise NotNow("Resources")
        return found

    def job_begin(self, job: Job) -> None:
        """Book ``job.nodes``; PluginError if they are not free (any more)."""
        if job.job_id in self._holds:
            raise PluginError(f"{self.plugin_type}: job {job.job_id} has begun already")
        hold = self._hold(job)
        self._check_room(job, hold)
        self._book(job, hold)

    def job_fini(self, job: Job) -> None:
        """Free what the job holds; nothing happens if it holds nothing."""
        self._free(job.job_id)

    def job_suspend(self, job: Job, indf_susp: bool = True) -> None:
        """Free the CPUs and keep memory and gres; gang scheduling keeps the CPUs too, its jobs take turns."""
        hold = self._holds.get(job.job_id)
        if hold and hold.running and indf_susp:
            self.pool.remove(hold)
            hold.running = False
            self.pool.add(hold)
            self.futures.forget()

    def job_resume(self, job: Job, indf_susp: bool = True) -> None:
        """Take the CPUs again; PluginError if other jobs have them."""
        hold = self._holds.get(job.job_id)
        if hold and not hold.running and indf_susp:
            self.pool.remove(hold)
            hold.running = True
            try:
                self._check_room(job, hold)
            except PluginError:
                hold.running = False
                raise
            finally:
                self.pool.add(hold)
                self.futures.forget()

    def job_mem_confirm(self, job: Job) -> None:
        """Check that the memory booked on each of the job's nodes is no more than it has."""
        hold = self._holds.get(job.job_id)
        for share in hold.shares if hold else ():
            if self.pool.use(share.node).memory > self.pool.kind(share.node).memory:
                name = self.cluster.nodes[share.node].name
                raise PluginError(f"{self.plugin_type}: node {name} has not the memory that its jobs hold")

    def job_expand_allow(self) -> bool:
        """Jobs can be expanded."""
        return True

    def nodeinfo_set(self, job: Job) -> None:
        """Note that the job, for example its end, changed."""
        self.futures.forget()

    # what follows is for this module and its tests

    def _less(self, pool: Pool, request: JobTest) -> Pool:
        """Return the pool less the CPUs that are held for reservations."""
        if not request.exc_cores:
            return pool
        fork = pool.fork()
        for index, cpus in request.exc_cores.items():
            kind = pool.kind(index)
            fork.refit(index, kind._replace(cpus=max(0, kind.cpus - cpus)))
        return fork

    def _test_only(self, need: Need, request: JobTest) -> Selection:
        """Return where the job fits if no other holds anything; Never if it does not."""
        found = self.placer.place(need, self._less(self.empty, request), request)
        if not found:
            raise Never("BadConstraints")
        return found

    def _possible(self, need: Need, request: JobTest) -> bool:
        """Whether the job fits on the candidates at all; the answer is kept, as waiting jobs ask again and again."""
        sizes = request.min_nodes, request.max_nodes, request.req_nodes
        key = (need, request.bitmap, request.required, sizes, tuple(request.exc_cores.items()))
        known = self._verdicts.get(key)
        if known is None:
            if len(self._verdicts) >= self.MAX_VERDICTS:
                self._verdicts.clear()
            known = self.placer.place(need, self._less(self.empty, request), request) is not None
            self._verdicts[key] = known
        return known

    def _will_run(self, need: Need, request: JobTest) -> Selection | None:
        """Return the first time and place, as the running jobs end at their limits."""
        window = self.cluster.config.scheduler_parameters().get("bf_window_linear", "")
        for end, pool in self.futures.after(self.cluster.now, request.bitmap, int(window) if window.isdigit() else 0):
            found = self.placer.place(need, self._less(pool, request), request)
            if found:
                found.start_time = end
                return found
        return None

    def _preempt(self, need: Need, request: JobTest) -> Selection | None:
        """Return where the job fits once some of the candidates are gone: as few as will do, the first ones first."""
        candidates = [job for job in request.preemptee_candidates if job.job_id in self._holds]
        gone: list[Job] = []
        found = None
        for job in candidates:
            if self._holds[job.job_id].mask & request.bitmap:
                gone.append(job)
                found = self._without(gone, need, request)
                if found:
                    break
        if not found:
            return None
        for job in gone[:-1]:
            fewer = [other for other in gone if other is not job]
            less = self._without(fewer, need, request)
            if less:
                gone, found = fewer, less
        found.start_time = self.cluster.now
        found.preempted = gone
        return found

    def _without(self, gone: Sequence[Job], need: Need, request: JobTest) -> Selection | None:
        fork = self._less(self.pool, request).fork()
        for job in gone:
            fork.remove(self._holds[job.job_id])
        return self.placer.place(need, fork, request)

    def _hold(self, job: Job) -> Hold:
        """Return what the job record says that it holds."""
        need = self.needs.find(job, job.partition)
        index = self.cluster.node_index
        shares = []
        for k, name in enumerate(hostlist.expand(job.nodes, dialect="slurm")):
            if name in index:
                kind = self.pool.kind(index[name])
                cpus = job.cpus[k] if k < len(job.cpus) else 0
                booked = booked_cpus(need, kind, cpus, whole_units=self.placer.whole_units)
                if self.whole_nodes:
                    booked = kind.cpus
                memory = job.memory[k] if self.memory and k < len(job.memory) else 0
                text = job.gres[k] if k < len(job.gres) else ""
                taken = gres.restore(kind.gres, text) if text and kind.gres else ()
                shares.append(Share(index[name], booked, memory, taken))
        return Hold(need, job.user_id, shares)

    def _check_room(self, job: Job, hold: Hold) -> None:
        """Raise PluginError if a node has not what the job is to hold of it."""
        need = self.needs.find(job, job.partition)
        for share in hold.shares:
            use = self.pool.use(share.node)
            kind = self.pool.kinds[use.kind]
            clash = any(a & b for a, b in zip(use.gres, share.gres, strict=False))
            few = open_cpus(need, kind, use) < (1 if need.mode == RESERVED else share.cpus)
            if clash or few or use.memory + share.memory > kind.memory:
                name = self.cluster.nodes[share.node].name
                raise PluginError(f"{self.plugin_type}: node {name} has not what job {job.job_id} is to get")

    def _book(self, job: Job, hold: Hold) -> None:
        self._jobs[job.job_id] = job
        self._holds[job.job_id] = hold
        self.pool.add(hold)
        self.futures.forget()

    def _free(self, job_id: int) -> None:
        hold = self._holds.pop(job_id, None)
        if hold:
            del self._jobs[job_id]
            self.pool.remove(hold)
            self.futures.forget()
