"""The start of a heterogeneous job: all of its components at once, each on nodes of its own, or none.

Each component is placed as if those before it ran already; only when all have their nodes does the first one start.
As in slurmctld, where the backfill scheduler does this, no two components share a node.
Source: the guide Heterogeneous Job Support, Limitations; scenarios het_batch, het_cancel.
"""

from __future__ import annotations

import copy
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from slimsched.controller.gridengine import consumables
from slimsched.controller.life import transitions
from slimsched.controller.requests import licensing
from slimsched.controller.schedule import attempt, candidates, job_queue
from slimsched.sched.api import Attempt, Entry, Refusal, Verdict
from slimsched.slurm import reasons, states

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from slimsched.controller.core import Controller
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.sched.api import Candidates
    from slimsched.select.records import Selection

    Placed = tuple[Job, PartitionConf, Selection]

SCHEDULER = "Backfill"
BUSY = Refusal(Verdict.BUSY, reasons.RESOURCES)
IMPOSSIBLE = Refusal(Verdict.PASSED, reasons.PARTITION_CONFIG)
"""What becomes of a component that no nodes suit: it stays in the queue, where a plain job would be refused."""


def try_together(
    ctl: Controller, first: Job, part: PartitionConf, offered: int, excluded: Mapping[int, int]
) -> tuple[Attempt, Candidates]:
    """Try to start a heterogeneous job, its ``first`` component in ``part``; ``excluded``: nodes by job id.

    Returns the candidates of the first component with the attempt.
    """
    groups = [[Entry(first, part, first.priority)], *job_queue.companions(ctl, first)]
    if not all(groups):  # limits hold up one of the others
        return Attempt(Verdict.PASSED), candidates.wanted(ctl, first, part)
    tried: list[tuple[Placed | Refusal, Candidates]] = []
    with ExitStack() as trial:
        taken = 0
        for entries in groups:
            placed, where = _place(ctl, entries, offered, taken, excluded)
            tried.append((placed, where))
            if isinstance(placed, Refusal):
                break
            trial.enter_context(_as_if_running(ctl, *placed))
            taken |= placed[2].bitmap
    found = [placed for placed, _ in tried]
    return _begin(ctl, first, found, groups[len(found) - 1][0].job), tried[0][1]


def _begin(ctl: Controller, first: Job, found: list[Placed | Refusal], last: Job) -> Attempt:
    """Start the components, or note why they wait; ``last``: the component that was tried last."""
    for placed in found:
        if isinstance(placed, Refusal):
            _refuse(ctl, first, last, placed)
            return Attempt(placed.verdict)
    for placed in found:
        assert not isinstance(placed, Refusal)
        job, part, selection = placed
        verdict = attempt.start(ctl, job, part, selection, SCHEDULER).verdict
        if verdict is not Verdict.STARTED:  # the select plugin breaks its word
            if first.active:
                transitions.requeue_job(ctl, first)
            return Attempt(verdict)
    ctl.cluster.count("bf_backfilled_het_jobs", len(found))
    return Attempt(Verdict.STARTED, first)


def _place(
    ctl: Controller, entries: list[Entry], offered: int, taken: int, excluded: Mapping[int, int]
) -> tuple[Placed | Refusal, Candidates]:
    """Return where one component can start, in the first of its partitions that has room outside of ``taken`` nodes."""
    refusal: Refusal | None = None
    for entry in entries:
        job, part = entry.job, entry.partition
        without = excluded.get(job.job_id, 0)
        found, where = attempt.choose(ctl, job, part, offered & ~taken, without, preempts=False)
        if not isinstance(found, Refusal):
            return (job, part, found), where
        if taken:  # is it the other components that are in the way?
            alone, where = attempt.choose(ctl, job, part, offered, without, preempts=False)
            found = alone if isinstance(alone, Refusal) else BUSY
        refusal = refusal or found
    assert refusal is not None
    return (IMPOSSIBLE if refusal.verdict is Verdict.NEVER else refusal), where


@contextmanager
def _as_if_running(ctl: Controller, job: Job, part: PartitionConf, selection: Selection) -> Iterator[None]:
    """Count a component among the running jobs for a while, for licenses, limits and consumables."""
    before = copy.copy(job)
    job.state, job.partition, job.nodes = states.RUNNING, part.partition_name, ctl.cluster.hostlist_of(selection.bitmap)
    job.cpus, job.memory, job.gres = selection.cpus, selection.memory, selection.gres
    job.licenses_alloc = licensing.grant(ctl.cluster, before) or ""
    consumables.begin(ctl, job)
    _counts_changed(ctl, job)
    try:
        yield
    finally:
        consumables.finish(ctl, job)
        for name in job.__struct_fields__:
            setattr(job, name, getattr(before, name))
        _counts_changed(ctl, job)


def _counts_changed(ctl: Controller, job: Job) -> None:
    if ctl.cluster.accounting:
        ctl.cluster.touch_job(job)


def _refuse(ctl: Controller, first: Job, job: Job, refusal: Refusal) -> None:
    """Note why a heterogeneous job waits: for nodes all of it, for anything else the component that lacks it."""
    busy = refusal.verdict is Verdict.BUSY
    for one in ctl.cluster.components(first) if busy else (job,):
        ctl.cluster.set_reason(one, refusal.reason, refusal.text)
