"""Candidates: the nodes on which a job may be placed in a partition, or the refusal if there are too few.

The tests follow one another as slurmctld's do, and the first that fails gives the reason. Their order and texts
were derived from recorded scenarios (down_nodes, drained_nodes, extra_with_feature_nodelist, ...).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.gridengine import complexes
from slimsched.controller.requests import time_limits
from slimsched.controller.reservations import blocking
from slimsched.controller.schedule import node_rules
from slimsched.errors import Never, NotNow
from slimsched.model.request import INFINITE
from slimsched.sched.api import Candidates, Refusal, Verdict
from slimsched.select.records import JobTest, Mode
from slimsched.slurm import reasons

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job

GIVEN_UP = Refusal(Verdict.NEVER, reasons.BAD_CONSTRAINTS)
UNMATCHED = Refusal(Verdict.PASSED, reasons.CONSTRAINTS)
BUSY = Refusal(Verdict.BUSY, reasons.RESOURCES)


def wanted(ctl: Controller, job: Job, part: PartitionConf, *, extra: bool = True) -> Candidates:
    """Return what a job asks for in a partition, whatever the nodes' states; ``extra``: whether ``--extra`` counts."""
    request = job.request
    asked = node_rules.asked(ctl, job, part, node_rules.ASKED if extra else node_rules.ASKED_LASTING)
    required = ctl.cluster.bitmap_of(request.nodelist) if request.nodelist else 0
    low = max(request.min_nodes or 1, part.min_nodes)
    high = min(request.max_nodes or INFINITE, part.max_nodes or INFINITE, asked.bit_count())
    open_now = ctl.sets.up & blocking.inside(ctl.cluster, job) if request.reservation else ctl.sets.up
    return Candidates(asked & open_now, asked, low, max(low, high), required)


def restrict(
    ctl: Controller, job: Job, part: PartitionConf, found: Candidates, offered: int, excluded: int = 0
) -> None:
    """Reduce what a job asks for to the ``offered`` nodes; note the refusal if these are too few.

    ``excluded`` nodes count as if the job had excluded them itself (backfill has promised them to others).
    """
    found.refusal = _unfit(ctl, job, part, found)
    if excluded and found.refusal is None:
        found.asked &= ~excluded
        if found.asked.bit_count() < found.min_nodes:
            found.refusal = UNMATCHED
    found.bitmap = found.asked & offered
    found.refusal = found.refusal or _absent(ctl, job, part, found, offered)
    if found.refusal is None and (ctl.cluster.reservations or job.request.reservation):
        found.refusal = _keep_off_reserved(ctl, job, part, found)


def _unfit(ctl: Controller, job: Job, part: PartitionConf, found: Candidates) -> Refusal | None:
    """Refuse a job whose filters leave too few nodes, whatever their state.

    With ``--extra`` alone it waits for the nodes' data to change; one that also names nodes or features is
    given up (SURPRISES C22). For want of a complex attribute it always waits, as in Grid Engine.
    """
    if found.asked.bit_count() >= found.min_nodes and not found.required & ~found.asked:
        return None
    request = job.request
    by_extra = request.extra and not request.features and not found.required
    if by_extra or complexes.concern(ctl.cluster, request):
        without = node_rules.fold(node_rules.ASKED_LASTING, ctl, job, part)
        if without.bit_count() >= found.min_nodes:
            return UNMATCHED
    return GIVEN_UP


def _absent(ctl: Controller, job: Job, part: PartitionConf, found: Candidates, offered: int) -> Refusal | None:
    """Refuse a job whose nodes are down, drained or promised to others.

    If others keep it from one of those that are left, it waits for these others as well.
    """
    in_partition = ctl.cluster.partition_bitmap(part.partition_name)
    if (in_partition & offered).bit_count() < found.min_nodes:
        return Refusal(Verdict.BUSY, reasons.RESOURCES, reasons.TOO_FEW)
    missing = found.required & ~offered
    if missing:
        return unavailable(ctl, missing)
    if found.bitmap.bit_count() >= found.min_nodes:
        return None
    if in_use(ctl, job, part, found.bitmap):
        return BUSY
    return unavailable(ctl, found.asked)


def in_use(ctl: Controller, job: Job, part: PartitionConf, nodes: int) -> bool:
    """Whether a job is kept from some of ``nodes``: one of whole nodes by any other, one that shares by those."""
    if nodes and _takes_whole(ctl, job, part):
        return _busy(ctl, job, part, nodes)
    alone = (other for other in ctl.cluster.begun() if other.active and _takes_whole(ctl, other, part))
    return any(ctl.cluster.bitmap_of(other.nodes) & nodes for other in alone)


def _takes_whole(ctl: Controller, job: Job, part: PartitionConf) -> bool:
    """Whether a job takes whole nodes, as all do with select/linear."""
    exclusive = job.request.exclusive == "NODE" or part.over_subscribe.upper() == "EXCLUSIVE"
    return exclusive or ctl.select.get_info_from_plugin("CR_PLUGIN") == 0


def unavailable(ctl: Controller, nodes: int) -> Refusal:
    """Return the refusal of a job that needs some of ``nodes``; it names those that are down."""
    down = nodes & ctl.sets.down
    text = reasons.unavailable(ctl.cluster.hostlist_of(down)) if down else reasons.RESERVED
    return Refusal(Verdict.PASSED, reasons.NOT_AVAILABLE, text)


def _keep_off_reserved(ctl: Controller, job: Job, part: PartitionConf, found: Candidates) -> Refusal | None:
    """Remove nodes reserved for others while the job would run; in a reservation, all nodes outside it."""
    if job.request.reservation:
        found.bitmap &= blocking.inside(ctl.cluster, job)
    nodes, maint = blocking.kept(ctl.cluster, job, time_limits.planned_seconds(job, part))
    found.bitmap &= ~nodes
    if found.bitmap.bit_count() >= found.min_nodes and not found.required & ~found.bitmap:
        return None
    if not maint and not found.required & ~found.bitmap and _busy(ctl, job, part, found.bitmap):
        return BUSY
    return Refusal(Verdict.PASSED, reasons.NOT_AVAILABLE, reasons.MAINTENANCE if maint else reasons.RESERVED)


def _busy(ctl: Controller, job: Job, part: PartitionConf, nodes: int) -> bool:
    """Whether other jobs keep this one from some of ``nodes``: then it waits for these jobs as well."""
    if not nodes:
        return False
    count = nodes.bit_count()
    try:
        ctl.select.job_test(JobTest.of(job, part.partition_name, nodes, count, count), Mode.RUN_NOW)
    except NotNow:
        return True
    except Never:
        return False
    return False
