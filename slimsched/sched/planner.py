"""The planner of starts, when and where: the timeline of promises and the select plugin's forecast, put together.

The timeline knows what is promised to other pending jobs, the select plugin when running jobs free their nodes.
A job starts at the first instant that suits both: the present, the end of a running job, or the end of a promise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model import bitmap
from slimsched.model.record import Value
from slimsched.sched.hints import Hints, best
from slimsched.sched.timeline import Slot
from slimsched.select.openings import Foresight
from slimsched.select.questions import answer
from slimsched.select.records import Mode

if TYPE_CHECKING:
    from slimsched.sched.api import Block
    from slimsched.sched.requests import Request
    from slimsched.sched.timeline import Timeline
    from slimsched.select.api import Selection, SelectPlugin
    from slimsched.select.openings import Openings, Steps


class Plan(Value, frozen=True):
    """A start in the future or now; ``free``: the nodes promised to nobody while the job would run, busy or not.

    One beyond the window is an estimate without ``nodes``.
    """

    start: int
    nodes: int
    free: int


class Planner:
    """Finds the first possible start of jobs, up to ``horizon``."""

    def __init__(
        self, timeline: Timeline, select: SelectPlugin, horizon: int, *, resolution: int = 1, exact: bool = False
    ) -> None:
        """``resolution``: seconds to which the ends of reservations are rounded up.

        ``exact``: nodes that are judged alone count as a pool of processors, and an end is an end. Otherwise, as
        with Slurm, a job does not fit in if a promise begins in the very second in which it would end.
        """
        self.timeline = timeline
        self.horizon = horizon
        self.beyond = False  # whether a start was found beyond it, or none before it
        self._resolution = resolution
        self._exact = exact
        self._margin = 0 if exact else 1  # seconds after its end for which a job's nodes must be free
        self._select = select
        self._foresight = select if isinstance(select, Foresight) else None
        self._hints = Hints()

    def find(self, request: Request, start: int) -> Plan | None:
        """Return the first plan from ``start`` on, ``None`` if there is none."""
        if self._foresight is not None and request.shape is not None and request.alone:
            openings = self._foresight.openings(request.shape, request.where.bitmap)
            return self._find_alone(self._foresight, request, openings, start)
        return self._find_together(request, start)

    def fits(self, request: Request, now: int) -> Plan | None:
        """Return a plan for the present, ``None`` if the job cannot start at once outside of what is promised."""
        free = self._free(request, now, now + request.seconds + self._margin)
        nodes = request.where.bitmap & free
        if nodes.bit_count() < request.where.min_nodes or request.where.required & ~nodes:
            return None
        if self._foresight is not None and request.shape is not None and request.alone:
            nodes &= self._foresight.open_now(request.shape)
            if nodes.bit_count() < request.count or request.where.required & ~nodes:
                return None
            return self._fungible(request, Slot(now, nodes), request.count) if self._exact else Plan(now, nodes, free)
        selection = answer(self._select, request.test(nodes, now), Mode.RUN_NOW)
        return Plan(now, selection.bitmap, free) if selection else None

    def _find_alone(self, foresight: Foresight, request: Request, openings: Openings, start: int) -> Plan | None:
        """Plan a job whose nodes can be judged one by one: step by step, as more of them open."""
        usable, required = request.where.bitmap & openings.nodes, request.where.required
        count, steps, seconds = openings.count, openings.steps, request.seconds + self._margin
        earliest = self.timeline.earliest
        known = self._hints.of(foresight.changes, request.asked)
        promised, opening = best(known, seconds)
        soonest = earliest(max(start, promised), seconds, usable, count, required)  # as far as promises go
        if soonest is None:
            return None
        fresh = start <= self.timeline.times[0]  # not of a part of a heterogeneous job that waits for the others
        start, last = soonest.start, len(steps) - 1
        for i in range(openings.first(usable), last + 1):
            instant, opened = steps[i]
            after = steps[i + 1][0] if i < last else None
            if after is not None and (after <= start or after == instant):
                continue
            if instant > self.horizon:
                slot = None
                break
            if after is not None and after <= opening:
                continue
            slot = earliest(max(instant, start, opening), seconds, usable & opened, count, required, after)
            if slot is not None:
                instant = slot.start
                break
        else:
            return None
        if fresh:
            known[seconds] = start, instant
        if instant > self.horizon:
            self.beyond = True
            return Plan(instant, 0, 0) if slot is None else None
        assert slot is not None
        if self._exact:
            return self._fungible(request, slot, count, steps)
        free = self._free(request, slot.start, slot.start + request.seconds)
        return Plan(slot.start, self._place(foresight, request, openings, slot, free), free)

    def _place(self, foresight: Foresight, request: Request, openings: Openings, slot: Slot, free: int) -> int:
        """Return the nodes that the select plugin would choose at a slot.

        Some plugins choose as if the job could start earlier: at the first instant when enough of the nodes are open
        that nobody is promised while the job runs.
        """
        nodes, instant = slot.nodes, slot.start
        if not foresight.waits_for_start:
            usable = request.where.bitmap & openings.nodes & free
            instant, opened = openings.soonest(usable, request.where.required)
            nodes = usable & opened
        return nodes if nodes.bit_count() == openings.count else foresight.pick(request.test(nodes), openings, instant)

    def _fungible(self, request: Request, slot: Slot, count: int, steps: Steps | None = None) -> Plan:
        """Choose nodes as if they were a pool of processors, of which nobody holds a particular one.

        A job that starts takes those that are promised soonest after its end, one that waits those that open last.
        """
        required = request.where.required
        if steps and slot.start > steps[0][0]:
            nodes = _last_opened(slot.nodes, count, required, steps)
        else:
            nodes = self.timeline.soonest_promised(slot.nodes, count, required, slot.start + request.seconds)
        return Plan(slot.start, nodes, nodes)

    def _find_together(self, request: Request, start: int) -> Plan | None:
        """Plan any other job: ask WILL_RUN about what is free of promises, from promise to promise.

        A start that the forecast finds after more nodes are free of promises is not taken: those may do sooner.
        The search goes on from where one that asks for the same found its start (see `Hints`); Slurm's does not.

        Source: `_attempt_backfill` of src/plugins/sched/backfill/backfill.c, from "TRY_LATER" on.
        """
        now = self.timeline.times[0]
        known = self._hints.of(self._foresight.changes, request.asked) if self._foresight and request.asked else {}
        fresh = start <= now  # as in `_find_alone`
        start = max(start, *best(known, request.seconds))
        while start <= self.horizon:
            usable = request.where.bitmap & ~_blocked(request, start)
            free, later = self.timeline.slot(start, start + request.seconds - 1 + self._margin, usable)
            later = min(filter(None, (later, *self._unblocked(request, start))), default=0)
            forecast = self._forecast(request, free, start, later)
            if forecast is None:
                if not later:
                    break
                start = later
                continue
            at = max(start, forecast.start_time)
            if at > now and self._taken(request, forecast.bitmap, start, at):
                start = at + (self._resolution if at == start else 0)
            elif at > now and 0 < later < at:
                start = later
            else:
                if fresh:
                    known[request.seconds] = start, start
                self.beyond |= at > self.horizon
                return Plan(at, forecast.bitmap, free) if at <= self.horizon else Plan(at, 0, 0)
        self.beyond = True
        return None

    def _unblocked(self, request: Request, instant: int) -> list[int]:
        """Return when reservations free their nodes after an instant."""
        ends = [self._end(request, block) for block in request.blocks]
        return [end for end in (*ends, *(request.held.ends if request.held else ())) if end > instant]

    def _taken(self, request: Request, nodes: int, begin: int, at: int) -> bool:
        """Whether a job planned for ``begin`` would meet other promises if it started ``at`` a later instant.

        Promises are compared in whole units of ``bf_resolution``.
        """
        unit, last = self._resolution, at + request.seconds - self._margin
        free = self.timeline.free(at // unit * unit, -(-last // unit) * unit) & ~_blocked(request, at)
        return bool(nodes & ~free) or request.held_cpus(at) != request.held_cpus(begin)

    def _forecast(self, request: Request, nodes: int, start: int, until: int) -> Selection | None:
        """Ask the select plugin when the job could run on ``nodes``, without regard to promises.

        ``until``: when other nodes are free, so that no end after it matters; 0 for never.
        """
        where = request.where
        if nodes.bit_count() < where.min_nodes or where.required & ~nodes:
            return None
        return answer(self._select, request.test(nodes, start, until), Mode.WILL_RUN)

    def _free(self, request: Request, start: int, end: int) -> int:
        """Return the nodes that are promised to nobody in between, and blocked by no reservation for the job."""
        return self.timeline.free(start, end) & ~_blocked(request, start)

    def _end(self, request: Request, block: Block) -> int:
        """Return when a reservation frees its nodes: a second after the full minute that follows its end.

        If it has nodes that the job requires, or all that would do, its very end counts.
        """
        if self._exact or block.nodes & request.where.required or not request.where.bitmap & ~block.nodes:
            return block.end
        return -(-block.end // self._resolution) * self._resolution + 1


def _last_opened(nodes: int, count: int, required: int, steps: Steps) -> int:
    """Return ``count`` of ``nodes``, the required ones and then those that open last."""
    chosen, later = required, 0
    for _, opened in reversed(steps):
        missing = count - chosen.bit_count()
        if not missing:
            break
        if new := later & ~opened & nodes & ~chosen:
            chosen |= bitmap.lowest(new, missing)
        later = opened
    return chosen | bitmap.lowest(later & nodes & ~chosen, count - chosen.bit_count())


def _blocked(request: Request, start: int) -> int:
    nodes = 0
    for block in request.blocks:
        if block.start < start + request.seconds and block.end > start:
            nodes |= block.nodes
    return nodes
