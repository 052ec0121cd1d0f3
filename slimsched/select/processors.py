"""``select/processors``: a machine as a pool of processors, whole nodes that are all the same to everybody.

The books are two sets of nodes for each job and no more, so that a start and an end cost the same on ten nodes and on a
hundred thousand. Nothing else is given out: no memory, no part of a node, no generic resources; a job that needs a
generic resource, or neighbouring nodes, can never run here.
"""

from __future__ import annotations

from slimsched.errors import Never, NotNow, PluginError
from slimsched.model import bitmap
from slimsched.select.api import JobTest, Mode, Selection, SelectPlugin
from slimsched.select.need import NeedTable
from slimsched.select.openings import Foresight, Openings, Shape, Steps
from slimsched.select.place import ask_of
from slimsched.text.times import YEAR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from slimsched.model.job import Job
    from slimsched.model.node import Node


class Processors(SelectPlugin, Foresight):
    """Whole nodes by number; any of them will do."""

    plugin_type = "select/processors"
    plugin_name = "Processor pool node selection plugin"
    waits_for_start = False

    def init(self) -> None:
        """Set up; `node_init` and `job_init` follow."""
        self._changes = self._moves = 0
        self.node_init(())

    def fini(self) -> None:
        """Forget everything."""
        self.node_init(())

    def node_init(self, nodes: Sequence[Node]) -> None:
        """Start with every node idle; `job_init` follows."""
        self._changes += 1
        self._cpus = [node.cpus for node in nodes]
        self._measure()
        self._all = bitmap.full(len(nodes))
        self._busy = 0
        self._held: dict[int, int] = {}  # job id -> its nodes
        self._running: dict[int, Job] = {}  # those that are not suspended
        self._needs = NeedTable(self.cluster.config, self.cluster.partitions, whole_nodes=True, memory=False)
        self._shapes: dict[int, Shape] = {}  # by the number of nodes
        self._steps: Steps = []
        self._steps_of = -1  # the instant that they hold for

    def reconfigure(self) -> None:
        """Rebuild everything from the nodes and the active jobs."""
        self.node_init(self.cluster.nodes)
        self.job_init(self.cluster.begun())

    def update_node_config(self, index: int) -> None:
        """Read the node's present number of CPUs."""
        self._cpus[index] = self.cluster.nodes[index].cpus
        self._measure()
        self._changes += 1

    def _measure(self) -> None:
        """Note how many CPUs every node has at least, and whether none has more."""
        self._each = min(self._cpus, default=1)
        self._alike = max(self._cpus, default=1) == self._each

    def nodeinfo_set(self, job: Job) -> None:
        """Note that the end of a job may have moved."""
        self._moved()

    # jobs

    def job_init(self, jobs: Sequence[Job]) -> None:
        """Book what the active jobs hold; nodes that are no longer configured are passed over."""
        self._busy, self._held, self._running = 0, {}, {}
        self._moved()
        for job in jobs:
            if job.active:
                self._held[job.job_id] = self.cluster.bitmap_of_known(job.nodes)
                if not (job.suspend_time and job.state == "SUSPENDED"):
                    self._run(job)

    def job_test(self, request: JobTest, mode: Mode) -> Selection:
        """Choose nodes; see `SelectPlugin.job_test`."""
        if request.has_choices:
            from slimsched.select.alternatives import best

            return best(self.cluster, request, mode, self._job_test)
        return self._job_test(request, mode)

    def _job_test(self, request: JobTest, mode: Mode) -> Selection:
        usable = request.bitmap & ~bitmap.of(request.exc_cores)
        ever = self._pick(request, usable)
        if ever is None:
            raise Never()
        if mode == Mode.TEST_ONLY:
            return self._answer(request, ever)
        now = self.cluster.now
        later = mode == Mode.WILL_RUN and request.start > now
        found = None if later else self._pick(request, usable & ~self._busy)
        if found is not None:
            return self._answer(request, found, now)
        if request.preemptee_candidates:
            return self._preempt(request, usable)
        if mode == Mode.RUN_NOW:
            raise NotNow()
        for end, opened in self._forecast():
            found = self._pick(request, usable & opened) if end >= request.start or opened == self._all else None
            if found is not None:
                return self._answer(request, found, max(end, request.start))
        raise NotNow()

    def _preempt(self, request: JobTest, usable: int) -> Selection:
        """Return the nodes of a job that others make room for, the first candidates first."""
        free = usable & ~self._busy
        for place, job in enumerate(request.preemptee_candidates):
            free |= usable & self._held.get(job.job_id, 0)
            found = self._pick(request, free)
            if found is not None:
                answer = self._answer(request, found, self.cluster.now)
                gone = request.preemptee_candidates[: place + 1]
                answer.preempted = [one for one in gone if self._held.get(one.job_id, 0) & found]
                return answer
        raise NotNow()

    def job_begin(self, job: Job) -> None:
        """Book ``job.nodes``; PluginError if one of them is not free (any more)."""
        nodes = self.cluster.bitmap_of(job.nodes)
        if nodes & self._busy:
            raise PluginError(f"job {job.job_id} is to have nodes that are in use")
        self._held[job.job_id] = nodes
        self._run(job)

    def job_fini(self, job: Job) -> None:
        """Free what the job holds; nothing happens if it holds nothing."""
        self._stop(job)
        self._held.pop(job.job_id, None)

    def job_suspend(self, job: Job, indf_susp: bool = True) -> None:
        """Leave the nodes to others; under gang scheduling they stay, as jobs take turns."""
        if indf_susp:
            self._stop(job)

    def job_resume(self, job: Job, indf_susp: bool = True) -> None:
        """Take the nodes again; PluginError if other jobs have them."""
        if indf_susp:
            if self._held.get(job.job_id, 0) & self._busy:
                raise PluginError(f"other jobs have the nodes of job {job.job_id}")
            self._run(job)

    def _run(self, job: Job) -> None:
        self._busy |= self._held[job.job_id]
        self._running[job.job_id] = job
        self._moved()

    def _stop(self, job: Job) -> None:
        if self._running.pop(job.job_id, None) is not None:
            self._busy &= ~self._held[job.job_id]
            self._moved()

    def _moved(self) -> None:
        """Note that what jobs hold, or when they end, has changed."""
        self._steps_of = -1
        self._moves += 1

    # foresight (`slimsched.select.openings`)

    @property
    def shape_changes(self) -> int:
        """How often the nodes have changed."""
        return self._changes

    @property
    def changes(self) -> int:
        """How often what jobs hold, or when they end, has changed."""
        return self._moves

    def first_end(self) -> int:
        """Return when the first running job reaches its limit."""
        steps = self._forecast()
        return steps[1][0] if len(steps) > 1 else self.cluster.now + YEAR

    def shape(self, request: JobTest) -> Shape | None:
        """Return what jobs of one size have in common, ``None`` for one that leaves a choice to `job_test`."""
        if request.exc_cores or request.most_cpus or request.has_choices or request.req_nodes > request.min_nodes:
            return None
        count = self._count(request)
        if count is None:
            return None
        found = self._shapes.get(count)
        if found is None:
            need = self._needs.find(request.job, request.partition)
            found = self._shapes[count] = Shape(need, ask_of(need, request), count, self._all, alike=True)
        return found

    def open_now(self, shape: Shape) -> int:
        """Return the nodes that nobody uses."""
        return self.idle()

    def openings(self, shape: Shape, candidates: int) -> Openings:
        """Return when nodes open."""
        return Openings(shape, self._all, self._forecast())

    def pick(self, request: JobTest, openings: Openings, instant: int) -> int:
        """Return the nodes that a job would get of ``request.bitmap``; Never if too few."""
        found = self._pick(request, request.bitmap)
        if found is None:
            raise Never()
        return found

    def idle(self) -> int:
        """Return the nodes that nobody uses."""
        return self._all & ~self._busy

    def _forecast(self) -> Steps:
        """Return the instants at which nodes open, the present first; kept until something changes."""
        now = self.cluster.now
        if self._steps_of != now:
            opened = self._all & ~self._busy
            self._steps, self._steps_of = [(now, opened)], now
            exact = "bf_exact" in self.cluster.config.parameters
            for end, job_id in sorted((self._end(job, now), job_id) for job_id, job in self._running.items()):
                opened |= self._held[job_id]
                if exact and self._steps[-1][0] == end:
                    self._steps[-1] = end, opened
                else:
                    self._steps.append((end, opened))
        return self._steps

    def _end(self, job: Job, now: int) -> int:
        return max(job.end_time, now + 1) if job.end_time else now + YEAR

    # the choice

    def _count(self, request: JobTest) -> int | None:
        """Return the least number of nodes for a job, None if this machine has not what it asks for."""
        asked = request.job.request
        if _devices(asked.gres, asked.gpus, asked.gpus_per_node, asked.gpus_per_socket, asked.gpus_per_task):
            return None
        if asked.contiguous or asked.tres_per_task:
            return None
        cpus = max((asked.num_tasks or 1) * (asked.cpus_per_task or 1), asked.min_cpus or 0)
        count = max(request.min_nodes, -(-cpus // max(1, self._each)), request.required.bit_count())
        return count if count <= request.max_nodes else None

    def _pick(self, request: JobTest, usable: int) -> int | None:
        """Return the first of the usable nodes, the required ones among them; None if too few."""
        count = self._count(request)
        if count is None or request.required & ~usable:
            return None
        have = usable.bit_count()
        if have < count:
            return None
        wanted = min(max(count, request.req_nodes), request.max_nodes, have)
        more = wanted - request.required.bit_count()
        return request.required | bitmap.lowest(usable & ~request.required, more)

    def _answer(self, request: JobTest, nodes: int, start: int = 0) -> Selection:
        found = Selection(nodes, start_time=start)
        if request.amounts:
            count = nodes.bit_count()
            found.cpus = [self._each] * count if self._alike else [self._cpus[i] for i in bitmap.iterate(nodes)]
            found.memory = [0] * count
        return found


def _devices(*texts: str) -> Iterable[str]:
    """Return the requests for generic resources that ask for some."""
    return [text for text in texts if text and text != "none"]
