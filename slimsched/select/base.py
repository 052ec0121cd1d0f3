"""The base of the built-in select plugins: the guide's functions over the books and the placer.

A plugin says by class attributes what it gives out; the three modes, preemption, suspension, growing and shrinking
are the same for all.
"""

from __future__ import annotations

from slimsched.errors import Never, NotNow, PluginError
from slimsched.select.api import JobTest, Mode, SelectInfo, Selection, SelectPlugin
from slimsched.select.best_fit import may_suffice
from slimsched.select.category import room_of
from slimsched.select.ledger import Ledger
from slimsched.select.need import RESERVED, NeedTable
from slimsched.select.openings import Forecast, Foresight, Openings, Shape
from slimsched.select.place import Placer
from slimsched.select.pool import Pool, kind_of
from slimsched.select.questions import Answers, Standing, question
from slimsched.select.rules import Rules
from slimsched.text.times import YEAR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from slimsched.model.job import Job
    from slimsched.model.node import Node
    from slimsched.model.reservation import Reservation
    from slimsched.select.need import Need
    from slimsched.select.steps import Steps
    from slimsched.select.will_run import Search


class Booking(SelectPlugin, Foresight):
    """A plugin that books CPUs, memory and gres of nodes."""

    whole_nodes = False  # jobs share nodes only where a partition says so
    cr_plugin = 2  # what ``get_info_from_plugin("CR_PLUGIN")`` answers

    def init(self) -> None:
        """Set up; `node_init` and `job_init` follow."""
        self._dims: list[int] = []
        self._rebuilt = 0

    def fini(self) -> None:
        """Forget everything."""
        self.node_init(())

    def reconfigure(self) -> None:
        """Rebuild everything from the configuration, the nodes and the active jobs."""
        self.node_init(self.cluster.nodes)
        self.job_init(self.cluster.begun())

    # nodes

    def node_init(self, nodes: Sequence[Node]) -> None:
        """Start with every node idle; `job_init` follows."""
        config = self.cluster.config
        self.rules = Rules(config, whole_nodes=self.whole_nodes)
        self.needs = NeedTable(config, self.cluster.partitions, whole_nodes=self.whole_nodes, memory=self.rules.memory)
        kinds = [kind_of(node, self.rules.unit) for node in nodes]
        self.empty = Pool(kinds)
        self.ledger = Ledger(self.cluster, self.rules, self.needs, kinds)
        self.placer = self._placer()
        self.forecast = Forecast(self.cluster, self.ledger, self.empty)
        self.steps: Steps | None = None  # once a step has asked for nodes
        self._verdicts = Answers()  # on an empty cluster
        self._searches: Standing[Search] = Standing()  # when and where jobs will run
        self._chances: Standing[bool] = Standing()  # whether nodes may do for them by an instant
        self._rebuilt += 1

    def update_node_config(self, index: int) -> None:
        """Read the node's present configuration, weight included; jobs keep what they hold."""
        kind = kind_of(self.cluster.nodes[index], self.rules.unit)
        self.ledger.pool.refit(index, kind)
        self.empty.refit(index, kind)
        self.ledger.futures.forget()
        self.placer = self._placer()
        self._rebuilt += 1

    def nodeinfo_set(self, job: Job) -> None:
        """Refresh what is known about a job and its end."""
        record = self.cluster.select_jobinfo.get(job.job_id)
        if record is not None:
            from slimsched.select import info

            info.fill_job(record, job)
        self.ledger.futures.move(job)

    def nodeinfo_set_all(self) -> None:
        """Refresh all records of nodes."""
        from slimsched.select import info

        for index, record in self.cluster.select_nodeinfo.items():
            info.fill_node(record, self.ledger.pool, index)

    # jobs

    def job_init(self, jobs: Sequence[Job]) -> None:
        """Book what the active jobs hold; nodes that are no longer configured are passed over."""
        for job_id in list(self.ledger.holds):
            self.ledger.end(job_id)
        self.ledger.load(jobs)

    def job_test(self, request: JobTest, mode: Mode) -> Selection:
        """Choose nodes; see `SelectPlugin.job_test`."""
        if request.has_choices:
            from slimsched.select.alternatives import best

            return best(self.cluster, request, mode, self._job_test)
        return self._job_test(request, mode)

    def _job_test(self, request: JobTest, mode: Mode) -> Selection:
        """Answer a question about one set of nodes."""
        need = self.needs.find(request.job, request.partition)
        if mode == Mode.TEST_ONLY:
            if (shape := self._alike(need, request)) is not None:
                found = self.placer.whole(shape, request, shape.nodes)
            else:
                found = self.placer.place(need, self.empty.less(request.exc_cores), request)
            if not found:
                raise Never()
            return found
        later = mode == Mode.WILL_RUN and self.waits_for_start and request.start > self.cluster.now
        if not later and (found := self._now(need, request)):
            return found
        if not self._possible(need, request):
            raise Never()
        found = None
        if mode == Mode.WILL_RUN:
            found = self._foreseen(need, request, request.start if later else 0)
        elif request.preemptee_candidates:
            found = self._preempt(need, request)
        if not found:
            raise NotNow()
        return found

    def job_begin(self, job: Job) -> None:
        """Book ``job.nodes`` and give the CPUs their numbers; PluginError if something is not free (any more)."""
        self.ledger.begin(job)

    def job_fini(self, job: Job) -> None:
        """Free what the job holds; nothing happens if it holds nothing."""
        self.ledger.end(job.job_id)
        if self.steps is not None:
            self.steps.forget(job.job_id)

    def job_suspend(self, job: Job, indf_susp: bool = True) -> None:
        """Free the CPUs and keep memory and gres; under gang scheduling the CPUs stay too, as jobs take turns."""
        if indf_susp:
            self.ledger.suspend(job)

    def job_resume(self, job: Job, indf_susp: bool = True) -> None:
        """Take the CPUs again; PluginError if other jobs have them."""
        if indf_susp:
            self.ledger.resume(job)

    def job_mem_confirm(self, job: Job) -> None:
        """Check that no node of the job has less memory than its jobs hold of it."""
        if not self.ledger.fits(job):
            raise PluginError(f"job {job.job_id} holds more memory than its nodes have")

    def job_expand_allow(self) -> bool:
        """Jobs can be expanded."""
        return True

    def job_expand(self, from_job: Job, to_job: Job) -> None:
        """Move all that one job holds to another, in both records too."""
        self.ledger.merge(from_job, to_job)

    def job_resized(self, job: Job, node: Node) -> None:
        """Take a node away from the job, in its record too; PluginError if it is its last."""
        self.ledger.shrink(job, 1 << node.index)

    # steps

    def step_pick_nodes(self, job: Job, step_jobinfo: SelectInfo, node_count: int) -> int | None:
        """Choose nodes for the step ``step_jobinfo.get("step_id")``, those without steps first; sets its ``nodes``."""
        step_id = self.jobinfo_get(step_jobinfo, "step_id")
        hold = self.ledger.holds.get(job.job_id)
        if hold is None or not isinstance(step_id, int):
            return None
        if self.steps is None:
            from slimsched.select.steps import Steps

            self.steps = Steps()
        found = self.steps.pick(job.job_id, step_id, hold.mask, node_count)
        if found:
            self.jobinfo_set(step_jobinfo, "nodes", self.cluster.hostlist_of(found))
        return found

    def step_finish(self, job: Job, step_id: int, killing_step: bool) -> None:
        """Take back the nodes of a step that has ended."""
        if not killing_step and self.steps is not None:
            self.steps.finish(job.job_id, step_id)

    # reservations and other information

    def resv_test(
        self, resv: Reservation, node_cnt: int, avail_bitmap: int, core_bitmap: dict[int, int] | None = None
    ) -> int | None:
        """Choose nodes as a job of whole nodes would get them; with ``core_cnt``, note the CPUs in ``core_bitmap``."""
        cpus = [node.cpus - (core_bitmap or {}).get(node.index, 0) for node in self.cluster.nodes]
        return self.placer.reserve(cpus, resv.core_cnt, node_cnt, avail_bitmap, core_bitmap)

    def get_info_from_plugin(self, dinfo: str, job: Job | None = None) -> object:
        """Return ``CR_PLUGIN`` (0: whole nodes, 2: CPUs), or ``CPU_IDS`` of a job."""
        if dinfo == "CR_PLUGIN":
            return self.cr_plugin
        if dinfo == "CPU_IDS" and job:
            return list(job.cpu_ids)
        return None

    def ba_init(self, nodes: Sequence[Node], sanity_check: bool = False) -> None:
        """Read the dimensions from node names that end in one digit (0-9, A-Z) for each dimension."""
        from slimsched.select.dims import dimensions

        self._dims = dimensions([node.name for node in nodes], strict=sanity_check)

    def ba_get_dims(self) -> list[int]:
        """Return the size of the system in each dimension."""
        return list(self._dims)

    # foresight (`slimsched.select.openings`)

    @property
    def shape_changes(self) -> int:
        """How often shapes have become void."""
        return self._rebuilt + self.needs.by_user

    @property
    def changes(self) -> int:
        """How often what jobs hold, or when they end, has changed."""
        return self.ledger.futures.version

    def first_end(self) -> int:
        """Return when the first running job reaches its limit, seconds since 1970."""
        ends = self.ledger.futures.ends(self.cluster.now)
        return ends[0][0] if ends else self.cluster.now + YEAR

    def shape(self, request: JobTest) -> Shape | None:
        """Return what a job has in common with others, ``None`` for one that is like no other."""
        if request.exc_cores or request.most_cpus or request.has_choices or request.job.request.switches:
            return None
        return self.forecast.shape(self.needs.find(request.job, request.partition), request)

    def open_now(self, shape: Shape) -> int:
        """Return the nodes that would each do for a job at present."""
        return self.forecast.open_now(shape)

    def openings(self, shape: Shape, candidates: int) -> Openings:
        """Return when nodes open for a job."""
        return self.forecast.of(shape, candidates)

    def pick(self, request: JobTest, openings: Openings, instant: int) -> int:
        """Return the nodes that a job would get of ``request.bitmap`` at ``instant``; Never if too few."""
        if openings.shape.alike and not (request.required or self.placer.topology):
            return self.placer.pick_alike(openings.shape, request, request.bitmap)
        need = self.needs.find(request.job, request.partition)
        shares = need.mode != RESERVED  # where it does not, open nodes are empty
        pool = self.ledger.futures.at(self.cluster.now, instant) if shares else self.empty
        return self.placer.pick(need, pool, request)

    def may_suffice(self, shape: Shape, nodes: int, instant: int) -> bool:
        """Whether the nodes have the CPUs that the job wants by an instant."""
        now, futures, need = self.cluster.now, self.ledger.futures, shape.need
        if instant <= now:
            instant = 0  # whenever the present is, it is the present
        asked = shape, nodes, instant
        found, changes = self._chances.look(self.shape_changes, futures.touched(now), asked)
        if found is None or (changes and any(moved & nodes and end > instant for moved, end, _ in changes)):
            room = room_of(futures.at(now, instant), need)
            found = may_suffice(shape.ask, room, room.at_least(need.node_cpus) & nodes)
        self._chances.note(asked, found)
        return found

    def idle(self) -> int:
        """Return the nodes on which some CPU is free."""
        return self.forecast.idle()

    def _placer(self) -> Placer:
        return Placer(self.cluster, self.empty, whole_units=self.rules.whole_units, linear=self.whole_nodes)

    def _possible(self, need: Need, request: JobTest) -> bool:
        """Whether the job fits on the candidates at all; the answer is kept, as waiting jobs ask again and again."""

        def place() -> Selection | None:
            return self.placer.place(need, self.empty.less(request.exc_cores), request)

        if (shape := self._alike(need, request)) is not None:
            return (shape.nodes & request.bitmap).bit_count() >= shape.size
        if request.most_cpus:  # bounds change with every start and end
            return place() is not None
        asked = *question(need, request), tuple(request.exc_cores.items())
        return self._verdicts.of(self._rebuilt, asked, place) is not None

    def _now(self, need: Need, request: JobTest) -> Selection | None:
        """Return where the job fits at present."""
        shape = None if self.ledger.suspended else self._alike(need, request)
        if shape is None:
            found = self._fits(need, request, self.ledger.pool)
        else:
            found = self.placer.whole(shape, request, self.forecast.empty_nodes())
        if found:
            found.start_time = self.cluster.now
        return found

    def _alike(self, need: Need, request: JobTest) -> Shape | None:
        """Return the shape of a job that takes any so many of its candidates, whole, ``None`` for any other."""
        asked = request.job.request
        if need.mode != RESERVED or request.required or request.exc_cores or request.most_cpus or asked.switches:
            return None
        if self.placer.topology or len(self.empty.kinds) != 1 or request.has_choices:
            return None
        shape = self.forecast.shape(need, request)
        return shape if shape.size and shape.alike else None

    def _foreseen(self, need: Need, request: JobTest, start: int) -> Selection | None:
        """Return when and where the job fits from ``start`` on (0: the present).

        What was found is kept, as many jobs ask for the same, cycle after cycle (see `will_run.Search`).
        """
        from slimsched.select.will_run import Search  # most submissions have no use for it

        def place(pool: Pool) -> Selection | None:
            return self._fits(need, request, pool)

        def lacks(pool: Pool) -> bool:
            return self.placer.lacks(need, pool, request)

        ledger = self.ledger
        if request.preemptee_candidates or request.exc_cores or request.most_cpus or request.job.request.switches:
            return Search().go_on(ledger, request, start, place, lacks)
        cluster, searches = self.cluster, self._searches
        state = self._rebuilt, cluster.epoch.get("power", 0), cluster.config.parameters.text("bf_window_linear")
        asked = *question(need, request), start, request.until, self.placer.wants_one_node(request), request.amounts
        known, changes = searches.look(state, ledger.futures.touched(cluster.now), asked)
        if known is None:
            known = Search()
            known.go_on(ledger, request, start, place, lacks)
        elif changes:
            known.doubt(changes, request.bitmap)
            known.go_on(ledger, request, start, place, lacks)
        searches.note(asked, known)
        return known.found

    def _fits(self, need: Need, request: JobTest, pool: Pool) -> Selection | None:
        """Return where the job fits in a pool, unless that is on more switches than it accepts at present."""
        found = self.placer.place(need, pool.less(request.exc_cores), request)
        return None if found and self.placer.too_far(request.job, found.bitmap) else found

    def _preempt(self, need: Need, request: JobTest) -> Selection | None:
        from slimsched.select import preempt

        ledger = self.ledger

        def place(pool: Pool) -> Selection | None:
            return self.placer.place(need, pool, request)

        pool = ledger.pool.less(request.exc_cores)
        found = preempt.find(request.preemptee_candidates, ledger.holds, request.bitmap, pool, place)
        if found:
            found.start_time = self.cluster.now
        return found
