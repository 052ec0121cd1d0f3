"""Remedies: the changes that would leave enough nodes for a job, the cheapest first.

Each step is left out in turn: if enough nodes pass all the others, one change suffices, and the step's line in
`REMEDIES` says which. Otherwise the changes that the most willing nodes need are put together.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from slimsched.controller.explain import ahead, extra_change, room
from slimsched.controller.explain.answer import Hurdle, Remedy
from slimsched.controller.explain.commands import resize, update
from slimsched.controller.explain.steps import left_after
from slimsched.controller.reservations import blocking
from slimsched.model import bitmap
from slimsched.model.record import Record, replaced
from slimsched.select.questions import fits
from slimsched.select.records import JobTest, Mode
from slimsched.text import times

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.controller.core import Controller
    from slimsched.controller.explain.steps import Step
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.sched.api import Candidates

_BURDEN = {"resources": 1, "priority": 1, "reservation": 1, "extra": 2, "node state": 4}
_HEAVY = 7
"""The weight of a failed step in the search for the nearest nodes; a step that passes by itself weighs least."""

_OF_THE_JOB = frozenset({"hardware", "size", "together", "constraint", "nodelist"})
"""Steps that only a changed request passes."""

_NAMED = 2  # nodes whose own reasons are spelled out


class Case(Record):
    """A job in a partition, with the steps to its nodes and, during the search for a remedy, the nodes concerned."""

    ctl: Controller
    job: Job
    part: PartitionConf
    steps: list[Step]
    wanted: Candidates

    def question(self, nodes: int) -> JobTest:
        """Return the question to the select plugin about the whole job on some nodes."""
        return self.wanted.question(self.job, self.part, nodes)


def hurdle(case: Case, verdict: str) -> Hurdle | None:
    """Return the missing nodes and the remedies, None if no node is missing."""
    left = left_after(case.steps)
    short = case.wanted.min_nodes - left.bit_count()
    missing = case.wanted.required & ~left
    if short <= 0 and not missing:
        return None
    if missing and short <= 0:
        text = f"it requires {case.ctl.cluster.hostlist_of(missing)}, which cannot be used"
    else:
        count = left.bit_count()
        text = f"{count or 'no'} node{'s' * (count > 1)} can be used, {case.wanted.min_nodes} wanted"
    return Hurdle("nodes", text, verdict, 0, changes(case, left))


def changes(case: Case, left: int) -> list[Remedy]:
    """Return the changes each of which would leave enough nodes, the cheapest first."""
    found: list[Remedy] = []
    for step in case.steps:
        rest = left_after([other for other in case.steps if other is not step])
        if enough(case, rest) and (step.name in _OF_THE_JOB or _could(case, rest)):
            found += REMEDIES.get(step.name, _other)(case, step, rest & ~step.nodes)
    found = found or _together(case)
    count = left.bit_count()
    if 0 < count < case.wanted.min_nodes and not case.wanted.required & ~left and _alone(case, left, count):
        found.append(resize(case.ctl, case.job, count))
    return sorted(found, key=lambda change: change.cost)


def _alone(case: Case, nodes: int, count: int) -> bool:
    """Whether the job would start on some nodes if its size were reduced to their number."""
    test = JobTest.of(case.job, case.part.partition_name, nodes, count, count, case.wanted.required)
    return fits(case.ctl.select, test, Mode.RUN_NOW)


def _could(case: Case, nodes: int) -> bool:
    """Whether the whole job fits on some nodes, if they are empty."""
    return enough(case, nodes) and fits(case.ctl.select, case.question(nodes), Mode.TEST_ONLY)


def enough(case: Case, nodes: int) -> bool:
    """Whether some nodes are as many as are wanted, the required ones among them."""
    return nodes.bit_count() >= case.wanted.min_nodes and not case.wanted.required & ~nodes


def _together(case: Case) -> list[Remedy]:
    """Return the changes that only help together, for the nodes that need the fewest."""
    every = case.ctl.cluster.partition_bitmap(case.part.partition_name)
    steps = [step for step in case.steps if step.name != "partition"]
    counts = {i: sum(_BURDEN.get(s.name, _HEAVY) for s in steps if not s.nodes >> i & 1) for i in bitmap.iterate(every)}
    chosen = set(bitmap.iterate(case.wanted.required))
    for i in sorted(counts, key=lambda i: (counts[i], i)):
        if len(chosen) >= case.wanted.min_nodes:
            break
        chosen.add(i)
    if len(chosen) < case.wanted.min_nodes:
        return []
    mask = bitmap.of(chosen)
    parts = [
        min(REMEDIES.get(s.name, _other)(case, s, mask & ~s.nodes), key=lambda c: c.cost)
        for s in steps
        if mask & ~s.nodes
    ]
    if not parts:
        return []
    if len(parts) == 1:
        return parts
    commands = " && ".join(part.command for part in parts if part.command)
    return [Remedy("all of these: " + "; ".join(part.text for part in parts), commands, sum(p.cost for p in parts))]


def _few(case: Case, nodes: int) -> int:
    """Return as many of some nodes as are missing, the required ones first."""
    left = left_after(case.steps)
    required = case.wanted.required & nodes
    others = nodes & ~required
    more = max(0, case.wanted.min_nodes - left.bit_count() - required.bit_count())
    counts = range(more, others.bit_count() + 1)
    more = more + bisect_left(counts, True, key=lambda n: _could(case, left | required | bitmap.lowest(others, n)))
    if more > others.bit_count():  # the job itself is too large
        more = max(0, case.wanted.min_nodes - left.bit_count() - required.bit_count())
    return required | bitmap.lowest(others, more) or bitmap.lowest(nodes, 1)


def _described(case: Case, step: Step, nodes: int) -> str:
    names = case.ctl.cluster.nodes
    told = [f"{names[i].name}: {step.words(i)}" for i in bitmap.iterate(bitmap.lowest(nodes, _NAMED))]
    more = nodes.bit_count() - len(told)
    return "; ".join(told) + (f"; and {more} more" if more > 0 else "")


# the remedies of each step, for nodes that fail only that step


def _state(case: Case, step: Step, nodes: int) -> list[Remedy]:
    few = _few(case, nodes)
    names, until = case.ctl.cluster.hostlist_of(few), case.ctl.power.back_at(few)
    command = Remedy(f"put {names} back in service", f"sim scontrol update nodename={names} state=resume", 3)
    wait = [Remedy(f"wait until {names} can be switched on again, at {times.instant(until)}", "", 0)] if until else []
    return [*wait, replaced(command, cost=3 + few.bit_count())]


def _extra(case: Case, step: Step, nodes: int) -> list[Remedy]:
    wanted = case.job.request.extra or ""
    misspelled = _misspelled(case, nodes, wanted)
    few = _few(case, misspelled if _could(case, left_after(case.steps) | misspelled) else nodes)
    each = [case.ctl.cluster.nodes[i] for i in bitmap.iterate(few)]
    commands = [extra_change.command(node, wanted) for node in each[:_NAMED]]
    command = " && ".join(commands) if all(commands) and len(each) <= _NAMED else ""
    alike = "; ".join(filter(None, (extra_change.similar(node, wanted) for node in each[:_NAMED])))
    told = "; ".join(filter(None, (_described(case, step, few), alike)))
    arrive = Remedy(f"change the nodes' Extra data ({told})", command, 1)
    return [arrive, Remedy("submit it again without --extra", "", 7)]  # Slurm lets no job drop its constraint


def _misspelled(case: Case, nodes: int, wanted: str) -> int:
    """Return the nodes whose Extra data has a key like one that is wanted."""
    every = [case.ctl.cluster.nodes[i] for i in bitmap.iterate(nodes)]
    one_of_each = {node.extra: node for node in every}
    alike = {text for text, node in one_of_each.items() if extra_change.similar(node, wanted)}
    return bitmap.of(node.index for node in every if node.extra in alike)


def _complexes(case: Case, step: Step, nodes: int) -> list[Remedy]:
    return [Remedy(f"change the complex values ({_described(case, step, _few(case, nodes))})", "", 3)]


def _drop(field: str, what: str, cost: int = 5) -> Callable[[Case, Step, int], list[Remedy]]:
    def remedy(case: Case, step: Step, nodes: int) -> list[Remedy]:
        return [Remedy(f"drop {what}", update(case.job, f"{field}="), cost)]

    return remedy


def _again(what: str) -> Callable[[Case, Step, int], list[Remedy]]:
    def remedy(case: Case, step: Step, nodes: int) -> list[Remedy]:
        return [Remedy(f"submit it again without {what}", "", 7)]

    return remedy


def _hardware(case: Case, step: Step, nodes: int) -> list[Remedy]:
    largest = case.ctl.cluster.nodes
    order = sorted(
        bitmap.iterate(nodes), key=lambda i: (not largest[i].gres, -largest[i].cpus, -largest[i].real_memory)
    )
    few = bitmap.of(order[: _few(case, nodes).bit_count()])
    return [Remedy(f"ask for less per node ({_described(case, step, few)})", "", 6)]


def _size(case: Case, step: Step, nodes: int) -> list[Remedy]:
    row = case.job.request.contiguous
    scattered = [Remedy("drop --contiguous", update(case.job, "contiguous=no"), 4)] if row else []
    return [*scattered, Remedy("ask for less in total: fewer tasks, fewer CPUs per task, less memory", "", 6)]


def _reserved(case: Case, step: Step, nodes: int) -> list[Remedy]:
    found = [Remedy(f"wait for the end of the reservation ({_described(case, step, _few(case, nodes))})", "", 0)]
    starts = [block.start for block in blocking.blocks(case.ctl.cluster, case.job) if block.nodes & nodes]
    return found + _shorter(case, min(starts, default=0), "before the reservation begins")


def _resources(case: Case, step: Step, nodes: int) -> list[Remedy]:
    found = [Remedy("wait for running jobs to end", "", 0)]
    holders = room.holders(case.ctl.cluster, _few(case, nodes))
    if holders:
        names = " ".join(str(job.job_id) for job in holders)
        found.append(Remedy(f"end job{'s' * (len(holders) > 1)} {names}", f"sim scancel {names}", 7 + len(holders)))
    return found


def _priority(case: Case, step: Step, nodes: int) -> list[Remedy]:
    first = ahead.ahead(case.ctl, case.job, case.part)
    found = [Remedy("wait for the jobs ahead of it", "", 0)]
    if case.ctl.sched.looks_deeper:
        soonest = ahead.soonest_promise(case.ctl, first, nodes)
        found += _shorter(case, soonest, "before the jobs ahead need the nodes")
    if first:
        most = max(job.priority for job in first) + 1
        found.append(Remedy("raise its priority above theirs", update(case.job, f"priority={most}"), 4))
    return found


def _shorter(case: Case, start: int, why: str) -> list[Remedy]:
    """Return the time limit with which the job would be over in time."""
    minutes = (start - 1 - case.ctl.cluster.now) // 60
    if minutes < 1:
        return []
    limit = times.limit(minutes)
    return [Remedy(f"set the time limit to {limit}, to end {why}", update(case.job, f"timelimit={limit}"), 2)]


def _outside(case: Case, step: Step, nodes: int) -> list[Remedy]:
    names = ", ".join(blocking.names(case.job))
    return [Remedy(f"run outside of reservation {names}", update(case.job, "reservationname="), 5)]


def _elsewhere(case: Case, step: Step, nodes: int) -> list[Remedy]:
    """Name a partition that has the nodes, and that the job has not asked for."""
    cluster = case.ctl.cluster
    asked = case.job.request.partition.split(",")
    for name in cluster.partitions:
        if name not in asked and (cluster.partition_bitmap(name) & nodes).bit_count() >= case.wanted.min_nodes:
            return [Remedy(f"run in partition {name}", update(case.job, f"partition={name}"), 4)]
    return []


def _jointly(case: Case, step: Step, nodes: int) -> list[Remedy]:
    """Say what to do if each node would do but not all of them together: others may become free."""
    found = [Remedy("ask for less in total: fewer tasks, fewer CPUs per task, less memory", "", 6)]
    if room.holders(case.ctl.cluster, _asked_for(case)):
        found = [Remedy("wait for running jobs to end", "", 0), *found]
    return found


def _asked_for(case: Case) -> int:
    """Return the nodes that pass all steps that last."""
    return left_after([step for step in case.steps if step.lasting])


def _other(case: Case, step: Step, nodes: int) -> list[Remedy]:
    return [Remedy(f"ask for less ({step.asked})", "", 6)]


REMEDIES: dict[str, Callable[[Case, Step, int], list[Remedy]]] = {
    "partition": _elsewhere,
    "node state": _state,
    "exclude": _drop("excnodelist", "--exclude", 4),
    "constraint": _drop("features", "--constraint"),
    "flux-constraint": _again("--flux-constraint"),
    "requires": _again("--requires"),
    "extra": _extra,
    "complexes": _complexes,
    "nodelist": _drop("reqnodelist", "--nodelist", 4),
    "hardware": _hardware,
    "size": _size,
    "own reservation": _outside,
    "reservation": _reserved,
    "resources": _resources,
    "priority": _priority,
    "together": _jointly,
}
