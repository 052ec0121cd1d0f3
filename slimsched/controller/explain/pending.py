"""The reasons why a pending job does not start: in each of its partitions, and whatever the partition.

The steps are the rules of the scheduling pass (`node_rules`), asked one by one, so that what is left after each of
them can be counted and every node can name the first that it failed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.explain import ahead, commands, expected_start, partition_hurdles, room
from slimsched.controller.explain import hurdles as explain_hurdles
from slimsched.controller.explain.answer import (
    NEVER,
    NOT_NOW,
    NOW,
    RESIZE,
    Hurdle,
    NodeReason,
    PartitionView,
    Start,
    StepView,
)
from slimsched.controller.explain.changes import Case, enough, hurdle
from slimsched.controller.explain.steps import Step, explained, left_after
from slimsched.controller.gridengine import complexes, consumables
from slimsched.controller.life import arrays
from slimsched.controller.requests import time_limits
from slimsched.controller.schedule import candidates, job_queue, node_rules
from slimsched.errors import Never, NotNow
from slimsched.model import bitmap
from slimsched.model.record import Record, replaced
from slimsched.sched.api import Entry
from slimsched.select.questions import fits
from slimsched.select.records import Mode
from slimsched.slurm import reasons
from slimsched.text import times

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.controller.explain.answer import Explanation
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job

ORDER = (NOW, NOT_NOW, NEVER)
SENTENCES = {
    NOW: "Nothing keeps it from starting at the next scheduling pass.",
    NOT_NOW: "It cannot start now, but it can later.",
    NEVER: "It can never start unless the job or the cluster changes.",
}
TRAP = (
    "Backfill ignores --extra and has reserved {} for it, where it cannot run; "
    "SchedulerParameters=bf_extra_constraints avoids that."
)

ELSEWHERE = "It can never run in partition {}. To leave that partition out: {}"


def complete(ctl: Controller, job: Job, found: Explanation) -> None:
    """Say why a pending job waits: add verdict, hurdles, partitions and expected start to what is ``found``."""
    alone = _alone(ctl, job)
    others = [_alone(ctl, other) for other in _companions(ctl, job)]
    found.hurdles, found.partitions = [*alone.hurdles, *_together(alone, others)], alone.views
    found.verdict = verdict = _worst(alone.verdict, *(item.verdict for item in found.hurdles))
    found.story.insert(0, SENTENCES[verdict])
    unfit = _planned_in_vain(ctl, job, alone.cases)
    if unfit:
        found.story.append(TRAP.format(ctl.cluster.hostlist_of(unfit)))
    if verdict != NEVER:
        starts = [_start(ctl, each.job, each.cases, each.hurdles, bool(unfit)) for each in (alone, *others)]
        found.start = max(starts, key=lambda start: (not start.time, start.time))
    found.story += _elsewhere(job, alone.views)
    if job.request.deadline:
        found.story.append(_deadline(ctl, job, found.start))


class _Alone(Record):
    """A job, or one component of a heterogeneous one as if it were a job of its own."""

    job: Job
    hurdles: list[Hurdle]
    cases: list[Case]
    views: list[PartitionView]
    verdict: str


def _alone(ctl: Controller, job: Job) -> _Alone:
    hurdles = explain_hurdles.of_job(ctl, job)
    cases = [case_of(ctl, job, part) for part in job_queue.partitions_of(ctl, job)]
    views = [view(case) for case in cases]
    if not cases:
        hurdles.append(Hurdle("partition", f"there is no partition {job.request.partition} any more", NEVER))
    best = min((each.verdict for each in views), key=ORDER.index, default=NEVER)
    return _Alone(job, hurdles, cases, views, _worst(best, *(item.verdict for item in hurdles)))


def _worst(*verdicts: str) -> str:
    return max(verdicts, key=ORDER.index)


def _companions(ctl: Controller, job: Job) -> list[Job]:
    """Return the other components of a heterogeneous job."""
    return [other for other in ctl.cluster.components(job) if other is not job] if job.het_job_id else []


def _together(alone: _Alone, others: list[_Alone]) -> list[Hurdle]:
    """Return what keeps a component that could start by itself: another one, or that their nodes are too few."""
    if not others or alone.verdict != NOW:
        return []
    late = [other for other in others if other.verdict != NOW]
    if not late and alone.job.reason != reasons.RESOURCES:
        return []
    names = " and ".join(f"job {arrays.label(other.job)}" for other in late)
    text = f"{names}, which starts with it, cannot start" if len(late) == 1 else f"{names}, which start with it, cannot"
    if not late:
        text = "its components start together, each on its own nodes, and too few are free for all of them"
    return [Hurdle("components", text, _worst(NOT_NOW, *(other.verdict for other in late)))]


def _elsewhere(job: Job, views: list[PartitionView]) -> list[str]:
    """Return the partitions that are of no use to a job."""
    never = [
        view.partition for view in views if any(item.what == "nodes" for item in view.hurdles if item.verdict == NEVER)
    ]
    others = [view.partition for view in views if view.verdict != NEVER]
    if not never or not others or (job.held and job.reason != reasons.BAD_CONSTRAINTS):
        return []
    return [ELSEWHERE.format(",".join(never), commands.update(job, f"partition={','.join(others)}"))]


def _deadline(ctl: Controller, job: Job, start: Start | None) -> str:
    """Return the instant by which a job must start to meet its deadline."""
    last = time_limits.last_chance(ctl, job)
    late = start is not None and start.time >= last
    told = f"If it has not started by {times.instant(last)}, it is ended because of its deadline"
    return f"{told}; it is expected to start too late." if late else f"{told}."


def _planned_in_vain(ctl: Controller, job: Job, cases: list[Case]) -> int:
    """Return the nodes on which a job is planned although they do not satisfy its ``--extra``."""
    planned = ctl.cluster.bitmap_of(job.sched_nodes)
    for step in (step for case in cases for step in case.steps if step.name == "extra"):
        planned &= ~step.nodes
    return planned if job.request.extra else 0


def case_of(ctl: Controller, job: Job, part: PartitionConf) -> Case:
    """Return a job in a partition with all steps to its nodes."""
    case = Case(ctl, job, part, asked_steps(ctl, job, part), candidates.wanted(ctl, job, part))
    most = job.request.max_nodes
    whole = most is None or most >= part.min_nodes  # else the partition's limit on nodes tells why
    if whole and not _possible(case) and enough(case, left_after([step for step in case.steps if step.lasting])):
        case.steps.append(_whole(case))
    case.steps += explained((node_rules.OWN_RESERVATION, node_rules.RESERVATIONS), ctl, job, part)
    case.steps += [room.free(ctl, job, part), ahead.step(ctl, job, part)]
    if whole and enough(case, left_after(case.steps)):
        problem = _misfit(case, left_after(case.steps))
        if problem:
            case.steps.append(Step("together", problem, 0, lambda _: problem))
    return case


def asked_steps(ctl: Controller, job: Job, part: PartitionConf) -> list[Step]:
    """Return the steps that follow from what the job asks and from the nodes' state, whatever is busy."""
    found = explained(node_rules.EXPLAINED, ctl, job, part)
    wanted = candidates.wanted(ctl, job, part)
    if wanted.required and wanted.required.bit_count() >= wanted.max_nodes:
        named = f"not named by --nodelist={job.request.nodelist}"
        found.append(Step("nodelist", job.request.nodelist, wanted.required, lambda _: named, lasting=True))
    return [*found, room.hardware(ctl, job, part)]


def _whole(case: Case) -> Step:
    """Return the step for nodes that would do one by one, but cannot serve the job together."""
    nodes = left_after([step for step in case.steps if step.lasting])
    every = case.ctl.cluster.nodes
    wanted, there = room.together((every[i] for i in bitmap.iterate(nodes)), case.wanted.max_nodes, case.job.request)
    whole = f"{wanted} and the rest of its request"
    short = f"all suitable nodes together are too small: they have {there}"
    if case.job.request.contiguous:
        whole = f"{whole}, on adjacent nodes (--contiguous)"
        short = "too few suitable nodes are adjacent, or together they are too small"
    return Step("size", whole, 0, lambda _: short, lasting=True)


def _misfit(case: Case, nodes: int) -> str:
    """Return why a job does not fit on nodes that would do one by one, "" if it fits."""
    try:
        complexes.job_test(case.ctl, case.question(nodes))
    except NotNow as wait:
        if wait.reason == reasons.LICENSES and consumables.bounds(case.ctl, case.question(nodes)) is None:
            return ""  # which is a hurdle of its own
        if wait.reason == reasons.LICENSES:
            return (
                consumables.shortage(case.ctl, case.question(nodes))
                or "too little is left of the consumable complex attributes"
            )
        return "together they have too little free for the whole job"
    except Never:
        return "without the nodes in use they cannot satisfy the whole job"
    return ""


def _possible(case: Case) -> bool:
    """Whether the job would fit if every node were up, empty, and had the data that it wants."""
    lasting = left_after([step for step in case.steps if step.lasting])
    return enough(case, lasting) and fits(case.ctl.select, case.question(lasting), Mode.TEST_ONLY)


def view(case: Case) -> PartitionView:
    """Return the explanation of a job in a partition."""
    hurdles = explain_hurdles.of_partition(case.ctl, case.job, case.part)
    possible = NOT_NOW if _possible(case) else NEVER
    missing = hurdle(_cut_down(case) if hurdles else case, possible)
    if missing is not None:
        hurdles = [*_agreeing(hurdles, missing), missing]
    verdict = max([NOW, *(item.verdict for item in hurdles)], key=ORDER.index)
    return PartitionView(
        partition=case.part.partition_name,
        wanted=case.wanted.min_nodes,
        verdict=verdict,
        steps=counted(case.steps),
        reasons=node_reasons(case),
        hurdles=hurdles,
        ranks=ahead.ranks(case.ctl, case.job, case.part),
    )


def _cut_down(case: Case) -> Case:
    """Return the case of a job that asks for no more nodes than its partition allows: a limit tells of the others."""
    most = partition_hurdles.most_nodes(case.ctl, case.part)
    if not 0 < most < case.wanted.min_nodes:
        return case
    return replaced(case, wanted=replaced(case.wanted, min_nodes=most, max_nodes=most))


def _agreeing(limits: list[Hurdle], missing: Hurdle) -> list[Hurdle]:
    """Return the limits with the number of nodes that the missing nodes ask for, where both tell one."""
    fewer = next((change for change in missing.changes if change.what == RESIZE), None)
    if fewer is None:
        return limits
    return [
        replaced(limit, changes=[fewer if change.what == RESIZE else change for change in limit.changes])
        for limit in limits
    ]


def counted(steps: list[Step]) -> list[StepView]:
    """Return the steps with the number of nodes left after each."""
    mask, found = -1, []
    for step in steps:
        mask &= step.nodes
        found.append(StepView(step.name, step.asked, mask.bit_count()))
    return found


def node_reasons(case: Case) -> list[NodeReason]:
    """Return the first failure of each node of the partition, nodes with the same words together."""
    cluster = case.ctl.cluster
    left = cluster.partition_bitmap(case.part.partition_name)
    found: list[NodeReason] = []
    for step in case.steps:
        groups: dict[str, list[int]] = {}
        for i in bitmap.iterate(left & ~step.nodes):
            groups.setdefault(step.words(i), []).append(i)
        for text, nodes in groups.items():
            found.append(NodeReason(cluster.hostlist_of(bitmap.of(nodes)), len(nodes), step.name, text))
        left &= step.nodes
    return found


# the expected start


def _start(ctl: Controller, job: Job, cases: list[Case], hurdles: list[Hurdle], in_vain: bool) -> Start:
    """Return when a job is expected to start; a plan made ``in_vain`` does not count."""
    if job.held:
        return Start(0, "not before it is released")
    planned = None if in_vain else expected_start.planned(ctl, job)
    if planned is not None:
        return planned
    found = [start for case in cases if (start := _foreseen(ctl, case, hurdles)) is not None]
    return min(found, key=lambda start: (not start.time, start.time), default=Start(0, UNKNOWN))


UNKNOWN = "unknown: nothing now running or planned will free the nodes it needs"


SWITCHED_OFF = "when these nodes, which power down, can be switched on again"


def _foreseen(ctl: Controller, case: Case, hurdles: list[Hurdle]) -> Start | None:
    """Return the start in one partition, behind the jobs ahead and when all hurdles but the nodes are gone."""
    hurdles = [*hurdles, *explain_hurdles.of_partition(ctl, case.job, case.part)]
    if any(item.verdict == NEVER for item in hurdles):
        return None
    unknown = dict.fromkeys(item.what for item in hurdles if not item.until)
    if unknown:
        return Start(0, f"unknown, because of the {' and the '.join(unknown)}")
    earliest = max([ctl.cluster.now, *(item.until for item in hurdles)])
    off = left_after([step for step in case.steps if step.name not in (*PASSING, "node state")])
    if not enough(case, off & ctl.sets.up) and enough(case, off) and ctl.power.back_at(off & ~ctl.sets.up) > earliest:
        return Start(ctl.power.back_at(off & ~ctl.sets.up), SWITCHED_OFF, ctl.cluster.hostlist_of(off))
    entry = Entry(case.job, case.part, case.job.priority)
    nodes = left_after([step for step in case.steps if step.name not in PASSING])
    return expected_start.forecast(ctl, entry, nodes, earliest, ahead.ahead(ctl, case.job, case.part))


PASSING = ("reservation", "resources", "priority", "together")
"""Steps that pass with time."""
