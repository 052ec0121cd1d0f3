"""When and where a job can start: the timeline of promises and the select plugin's forecast, put together.

The timeline knows what is promised to other pending jobs, the select plugin when running jobs free their nodes.
A job starts at the first instant that suits both: the present, the end of a running job, or the end of a promise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.errors import Never, NotNow
from slimsched.model import bitmap
from slimsched.model.record import Record
from slimsched.select.openings import Foresight
from slimsched.select.records import JobTest, Mode

if TYPE_CHECKING:
    from slimsched.sched.api import Block, Candidates, Entry
    from slimsched.sched.timeline import Slot, Timeline
    from slimsched.select.api import Selection, SelectPlugin
    from slimsched.select.openings import Openings, Steps


class Plan(NamedTuple):
    """A start in the future or now; ``free``: the nodes promised to nobody while the job would run, busy or not."""

    start: int
    nodes: int
    free: int


class Request(Record):
    """What is asked of the planner for one job; ``seconds``: how long its nodes must be free of promises."""

    entry: Entry
    where: Candidates
    seconds: int
    blocks: list[Block] = []


class Planner:
    """Finds the first possible start of jobs, up to ``horizon``."""

    def __init__(self, timeline: Timeline, select: SelectPlugin, horizon: int, *, exact: bool = False) -> None:
        """``exact``: nodes that are judged alone count as a pool of processors."""
        self.timeline = timeline
        self._exact = exact
        self._select = select
        self._foresight = select if isinstance(select, Foresight) else None
        self._horizon = horizon

    def find(self, request: Request, start: int) -> Plan | None:
        """Return the first plan from ``start`` on, ``None`` if there is none within the horizon."""
        if self._foresight is not None and not request.blocks:
            test = _test(request, request.where.bitmap)
            openings = self._foresight.openings(test)
            if openings is not None:
                return self._find_alone(self._foresight, request, test, openings, start)
        return self._find_together(request, start)

    def _find_alone(
        self, foresight: Foresight, request: Request, test: JobTest, openings: Openings, start: int
    ) -> Plan | None:
        """Plan a job whose nodes can be judged one by one: step by step, as more of them open."""
        usable, required = request.where.bitmap & openings.nodes, request.where.required
        count, steps = openings.count, openings.steps
        for i in range(openings.first(usable), len(steps)):
            instant, opened = steps[i]
            instant = max(instant, start)
            after = steps[i + 1][0] if i + 1 < len(steps) else None
            if instant > self._horizon:
                return None
            if after is not None and after <= instant:
                continue
            slot = self.timeline.earliest(instant, request.seconds, usable & opened, count, required, after)
            if slot is not None:
                if slot.start > self._horizon:
                    return None
                if self._exact:
                    return self._fungible(request, slot, count, steps)
                nodes = slot.nodes
                if nodes.bit_count() > count:
                    test.bitmap = nodes
                    nodes = foresight.pick(test)
                return Plan(slot.start, nodes, self._free(request, slot.start))
        return None

    def _fungible(self, request: Request, slot: Slot, count: int, steps: Steps) -> Plan:
        """Choose nodes as if they were a pool of processors, of which nobody holds a particular one.

        A job that starts takes those that are promised soonest after its end, one that waits those that open last.
        """
        required = request.where.required
        if slot.start > steps[0][0]:
            nodes = _last_opened(slot.nodes, count, required, steps)
        else:
            nodes = self.timeline.soonest_promised(slot.nodes, count, required, slot.start + request.seconds)
        return Plan(slot.start, nodes, nodes)

    def _find_together(self, request: Request, start: int) -> Plan | None:
        """Plan any other job: ask WILL_RUN about what is free of promises, from promise to promise, as Slurm does."""
        timeline, where = self.timeline, request.where
        instant: int | None = start
        while instant is not None:
            slot = timeline.earliest(instant, request.seconds, where.bitmap, where.min_nodes, where.required)
            if slot is None or slot.start > self._horizon:
                return None
            begin = slot.start
            free = slot.nodes & ~_blocked(request, begin)
            forecast = self._forecast(request, free)
            later = self._next(request, begin)
            if forecast is None:
                instant = later
                continue
            at = max(begin, forecast.start_time)
            if later is not None and at > later:
                instant = later  # other nodes may be free by then
            elif at > begin and forecast.bitmap & ~self._free(request, at):
                instant = at
            else:
                return Plan(at, forecast.bitmap, free) if at <= self._horizon else None
        return None

    def _forecast(self, request: Request, nodes: int) -> Selection | None:
        """Ask the select plugin when the job could run on ``nodes``, promises apart."""
        where = request.where
        if nodes.bit_count() < where.min_nodes or where.required & ~nodes:
            return None
        try:
            return self._select.job_test(_test(request, nodes), Mode.WILL_RUN)
        except (NotNow, Never):
            return None

    def _free(self, request: Request, start: int) -> int:
        """Return the nodes that are free from ``start`` for as long as the job runs."""
        return self.timeline.free(start, start + request.seconds) & ~_blocked(request, start)

    def _next(self, request: Request, instant: int) -> int | None:
        """Return the next instant at which other nodes may be free."""
        ends = [block.end for block in request.blocks if block.end > instant]
        change = self.timeline.next_change(instant)
        if change is not None:
            ends.append(change)
        return min(ends, default=None)


def _test(request: Request, nodes: int) -> JobTest:
    job, part, _ = request.entry
    where = request.where
    wish = where.max_nodes if job.request.max_nodes else where.min_nodes
    return JobTest(job, nodes, where.min_nodes, where.max_nodes, wish, where.required, partition=part.partition_name)


def _last_opened(nodes: int, count: int, required: int, steps: Steps) -> int:
    """Return ``count`` of ``nodes``, the required ones and then those that open last."""
    chosen, later = required, 0
    for _, opened in reversed(steps):
        missing = count - chosen.bit_count()
        if not missing:
            break
        chosen |= bitmap.lowest(later & ~opened & nodes & ~chosen, missing)
        later = opened
    return chosen | bitmap.lowest(later & nodes & ~chosen, count - chosen.bit_count())


def _blocked(request: Request, start: int) -> int:
    nodes = 0
    for block in request.blocks:
        if block.start < start + request.seconds and block.end > start:
            nodes |= block.nodes
    return nodes
