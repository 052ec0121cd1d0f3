"""Preemption: a job of a higher partition tier, or of a QOS that says so, takes the place of others.

``PreemptType`` says who may preempt whom, ``PreemptMode`` (of the partition of the one who goes, else of the
cluster) what becomes of them: REQUEUE, CANCEL, or SUSPEND until the CPUs are free again. Jobs younger than
``PreemptExemptTime`` are spared; with ``GraceTime`` those who are cancelled or requeued have so many seconds left.
Where QOS decide, a QOS has both of its own. Jobs of the lowest QOS priority, or partition tier, go first, of them those
on the fewest nodes, then the oldest; with ``PreemptParameters=youngest_first`` the youngest.
Source: slurm.conf(5); the guide Preemption.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.gridengine import consumables
from slimsched.controller.life import pauses, transitions
from slimsched.errors import PluginError, SyntaxFault
from slimsched.executor import limits
from slimsched.model.account import NORMAL, Book
from slimsched.model.job import GANG
from slimsched.select.questions import answer
from slimsched.select.records import Mode
from slimsched.slurm import states
from slimsched.text import times

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.select.records import JobTest, Selection

SUSPENDED_FOR = "preempt"
BY_PARTITION, BY_QOS = "preempt/partition_prio", "preempt/qos"
MODES = ("REQUEUE", "CANCEL", "SUSPEND")


def make_room(ctl: Controller, test: JobTest, part: PartitionConf) -> Selection | None:
    """Return the nodes that a job gets at once by preempting others, ``None`` if it gets none or has to wait."""
    kind = ctl.cluster.config.get("PreemptType")
    if kind not in (BY_PARTITION, BY_QOS):
        return None
    found = _candidates(ctl.cluster, test.job, part, kind)
    modes = {job.job_id: _mode(ctl.cluster, job, kind) for job in found}
    suspended = [job for job in found if modes[job.job_id] == "SUSPEND" and job.state == states.RUNNING]
    others = [job for job in found if modes[job.job_id] in ("REQUEUE", "CANCEL")]
    selection = _remove(ctl, test, others, modes) if others else None
    return selection or (_suspend(ctl, test, suspended) if suspended else None)


def may_preempt(cluster: Cluster, job: Job, part: PartitionConf) -> bool:
    """Return whether a job may preempt some other: one of a QOS that its own names, or on nodes of a lower tier."""
    kind = cluster.config.get("PreemptType")
    if kind == BY_QOS:
        return bool(_below_qos(cluster, job))
    if kind != BY_PARTITION:
        return False
    nodes, bitmap = cluster.partition_bitmap(part.partition_name), cluster.partition_bitmap
    return any(nodes & bitmap(name) for name in _below_partition(cluster, part))


def removable(cluster: Cluster, job: Job, part: PartitionConf) -> list[Job]:
    """Return the running jobs that would be ended or requeued for a job, the first to go first."""
    kind = cluster.config.get("PreemptType")
    if kind not in (BY_PARTITION, BY_QOS):
        return []
    return [other for other in _candidates(cluster, job, part, kind) if _mode(cluster, other, kind) != "SUSPEND"]


def eligible_time(cluster: Cluster, job: Job) -> int:
    """Return from when on a job that has started may be preempted, 0 if that can never be."""
    if not cluster.config.preempts or not job.start_time or job.pending:
        return 0
    return job.start_time + _exempt(cluster, job, cluster.config.get("PreemptType"))


def may_again(cluster: Cluster, job: Job) -> int:
    """Return from when on a job that has told others to go may tell more of them, 0 if it has told none."""
    config = cluster.config
    return job.preempts_since and job.preempts_since + config.number("KillWait") + config.number("MessageTimeout")


def go(ctl: Controller, job: Job) -> None:
    """End or requeue a job that is preempted."""
    mode = _mode(ctl.cluster, job, ctl.cluster.config.get("PreemptType"))
    job.preempt_time = 0
    if mode == "REQUEUE" and job.request.requeue and job.request.batch:
        transitions.requeue_job(ctl, job, ended=states.PREEMPTED)
    else:
        transitions.end_job(ctl, job, states.PREEMPTED, signal=15)


def resume_suspended(ctl: Controller) -> None:
    """Resume the jobs that were suspended for others, where the CPUs are free again."""
    if not ctl.cluster.config.preempts:
        return
    jobs = [ctl.cluster.jobs[job_id] for job_id in sorted(ctl.roster.suspended)]
    for job in [job for job in jobs if job.suspended_for == SUSPENDED_FOR]:
        try:
            pauses.resume_job(ctl, job)
        except PluginError:
            continue


def _remove(ctl: Controller, test: JobTest, candidates: list[Job], modes: dict[int, str]) -> Selection | None:
    """Make room by ending jobs; those that have a time of grace get it, and the job waits."""
    test.preemptee_candidates = candidates
    selection = answer(ctl.select, test, Mode.RUN_NOW)
    test.preemptee_candidates = ()
    if selection is None or not consumables.fits(ctl, test, selection):
        return None
    if not selection.preempted:
        return selection
    now, waits = ctl.cluster.now, False
    if may_again(ctl.cluster, test.job) > now:
        return None  # those whom it told to go may not have gone yet
    for job in selection.preempted:
        grace = _grace(ctl.cluster, job)
        if not job.preempted_at:
            ctl.cluster.record("preempt", job=job.job_id, by=test.job.job_id, mode=modes[job.job_id])
        job.preempted_at = job.preempted_at or now
        if not job.preempt_time and grace:
            job.preempt_time = limits.acted_on(ctl.cluster, now + grace)
            ctl.cluster.touch_job(job)
            ctl.select.job_signal(job, 15)
            ctl.executor.signal(job, 15)
            ctl.note(job)
        waits = waits or job.preempt_time > now
    if not waits:
        for job in selection.preempted:
            if not job.ending:
                go(ctl, job)
        if not (ctl.paced or any(job.ending for job in selection.preempted)):
            return selection
    test.job.preempts_since = now  # the pass that follows their end has the nodes
    ctl.cluster.touch_job(test.job)
    ctl.note(test.job)
    return None


def _suspend(ctl: Controller, test: JobTest, candidates: list[Job]) -> Selection | None:
    """Make room by suspending jobs, one after the other, until there is enough; the others continue."""
    stopped: list[Job] = []
    selection: Selection | None = None
    for job in candidates:
        if not ctl.cluster.bitmap_of(job.nodes) & test.bitmap:
            continue
        try:
            ctl.select.job_suspend(job, True)
        except PluginError:
            continue
        stopped.append(job)
        found = answer(ctl.select, test, Mode.RUN_NOW)
        if found is not None and consumables.fits(ctl, test, found):
            selection = found
            break
    chosen = selection.bitmap if selection else 0
    for job in stopped:
        ctl.select.job_resume(job, True)
        if ctl.cluster.bitmap_of(job.nodes) & chosen:
            ctl.cluster.record("preempt", job=job.job_id, by=test.job.job_id, mode="SUSPEND")
            pauses.suspend_job(ctl, job, SUSPENDED_FOR)
    return selection


def _candidates(cluster: Cluster, job: Job, part: PartitionConf, kind: str) -> list[Job]:
    """Return the running jobs that ``job`` may preempt, those to go first at the head."""
    below = _below_qos(cluster, job) if kind == BY_QOS else _below_partition(cluster, part)
    if not below:
        return []
    found = [
        other
        for other in cluster.begun()
        if other.active
        and ((other.request.qos or NORMAL) if kind == BY_QOS else other.partition) in below
        and (other.state == states.RUNNING or other.suspended_for == GANG)
        and cluster.now - other.start_time >= _exempt(cluster, other, kind)
        and other.partition in cluster.partitions
        and _mode(cluster, other, kind)
    ]
    youngest = "youngest_first" in cluster.config.get("PreemptParameters")

    def order(other: Job) -> tuple[bool, int, int, int]:
        rank = cluster.partitions[other.partition].priority_tier
        if kind == BY_QOS:
            rank = int(_qos(cluster, other).get("Priority", "0"))
        return not other.ending, rank, -other.start_time if youngest else len(other.cpus), other.job_id

    return sorted(found, key=order)


def _exempt(cluster: Cluster, job: Job, kind: str) -> int:
    """Return for how many seconds after its start a job is exempt: by its QOS, or else the cluster."""
    own = _qos(cluster, job).get("PreemptExemptTime", "") if kind == BY_QOS else ""
    return int(own) if own else _seconds(cluster.config.get("PreemptExemptTime"))


def _grace(cluster: Cluster, job: Job) -> int:
    """Return the time of grace of a preempted job in seconds: of its QOS or its partition, as ``PreemptType`` says."""
    if cluster.config.get("PreemptType") == BY_QOS:
        return int(_qos(cluster, job).get("GraceTime", "0"))
    return cluster.partitions[job.partition].grace_time


def _below_partition(cluster: Cluster, part: PartitionConf) -> set[str]:
    """Return the partitions whose jobs one in ``part`` may preempt."""
    tier = part.priority_tier
    return {other.partition_name for other in cluster.partitions.values() if other.priority_tier < tier}


def _below_qos(cluster: Cluster, job: Job) -> set[str]:
    """Return the QOS whose jobs ``job`` may preempt."""
    return set(filter(None, _qos(cluster, job).get("Preempt", "").split(",")))


def _mode(cluster: Cluster, job: Job, kind: str) -> str:
    """Return what becomes of a job if it is preempted, "" for nothing."""
    part = cluster.partitions.get(job.partition)
    text = part.preempt_mode if part else ""
    if kind == BY_QOS:
        qos = _qos(cluster, job)
        text = qos.get("PreemptMode", "") if qos.get("PreemptMode", "").upper() in MODES else text
    text = (text or cluster.config.get("PreemptMode")).upper()
    return next((mode for mode in MODES if mode in text), "")


def _qos(cluster: Cluster, job: Job) -> dict[str, str]:
    """Return the accounting record of a job's QOS, empty if nobody defined it."""
    return Book(cluster).qos(job.request.qos)


def _seconds(text: str) -> int:
    """Return a time of grace in seconds, 0 for none."""
    try:
        return 0 if text.strip() in {"", "-1"} else times.duration(text)
    except SyntaxFault:
        return 0
