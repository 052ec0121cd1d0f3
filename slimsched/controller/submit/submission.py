"""Submission: a request becomes a job, or is refused in Slurm's words.

Refusals come in three kinds, as recorded (oracle SURPRISES D28): before a job id is taken, after it, and after the
job's record exists, which then stays as FAILED. Those of the last two kinds carry ``commits``, so that the command
boundary writes what they changed.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from slimsched.controller.life import arrays, transitions
from slimsched.controller.requests import defaults, text_checks
from slimsched.controller.schedule.new_job import try_now
from slimsched.controller.submit.check import check_early, check_late, check_new, partitions_of
from slimsched.controller.submit.normalise import normalise
from slimsched.errors import SlurmError
from slimsched.model.job import Job
from slimsched.model.record import Record, replaced
from slimsched.model.request import JobRequest
from slimsched.slurm import conf, reasons, states
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.controller.requests.users import User
    from slimsched.controller.submit.test_only import PlannedStart
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf

MAX_SCRIPT = conf.NUMBERS["max_script_size"]
SIGHUP = 1  # the wait status of a refused job

FREE = (
    *("name", "comment", "admin_comment", "output", "error", "input", "open_mode", "work_dir", "command"),
    *("script_args", "submit_line", "mail_type", "mail_user", "export", "nice", "sim_runtime", "sim_exit", "sim_state"),
)
"""Fields in which requests that ask for the same may differ; but for `check_new` they do not matter to a submission."""

OWN = (
    *(
        "priority",
        "dependency",
        "reservation",
        "array",
        "begin_time",
        "deadline",
        "licenses",
        "tres_per_task",
        "extra",
        "flux_constraint",
    ),
    *("requires", "hard_resources", "soft_resources", "recorded", "given", "cron", "cron_lines"),
)
"""Fields that are judged anew for each request that has one: by the time, by others, or by what changes often."""

_OWN = attrgetter(*OWN)
_SHARED = attrgetter(*(name for name in JobRequest.__struct_fields__ if name not in (*FREE, *OWN)))
MOST_ADMISSIONS = 10_000


class Admission(Record):
    """What a request came to: its partitions, what was filled in, and whether its job is known to be possible."""

    partitions: list[PartitionConf]
    filled: dict[str, object]
    possible: bool = False


def submit(ctl: Controller, request: JobRequest, user: User, script: str | None = None) -> Job:
    """Make a job of ``request`` and try to start it.

    ``script`` tells how long it runs; a job without one runs ``sim_runtime`` seconds, or until it is ended.
    Raises `SlurmError`; its ``commits`` tells that a job id was used up.
    """
    text_checks.length(script, ctl.cluster.config.parameters.number("max_script_size") or MAX_SCRIPT)
    job, admission = create(ctl, request, user)
    if script is not None:
        ctl.executor.prepare(job, script)
    enter(ctl, job)
    first = job.priority
    if job.pending and not job.held and job.reason == reasons.NONE:
        try_now(ctl, job)
    if first and not admission.possible:  # Slurm tests a held job only later
        refuse_impossible(ctl, job, admission.partitions, first)
        admission.possible = True
    if job.pending:
        ctl.sched.job_is_pending()
        ctl.cluster.pass_due |= job.sched_hold and ctl.led
    return job


def submit_together(ctl: Controller, requests: list[JobRequest], user: User, script: str | None = None) -> Job:
    """Make a heterogeneous job, a component of each request; the next pass starts them together.

    The script is the first component's. Raises `SlurmError`; components that were accepted before are cancelled then,
    and their ids used up.
    """
    text_checks.length(script, ctl.cluster.config.parameters.number("max_script_size") or MAX_SCRIPT)
    if any(request.array for request in requests):
        raise SlurmError(Errno.INVALID_ARRAY)
    made: list[Job] = []
    try:
        for request in requests:
            job, _ = create(ctl, request, user)
            made.append(job)
            job.het_job_id, job.het_job_offset, job.het_size = made[0].job_id, len(made) - 1, len(requests)
            if not job.leads:
                job.run_time, job.sim_exit_code = None, 0
            elif script is not None:
                ctl.executor.prepare(job, script)
            enter(ctl, job)
    except SlurmError as refusal:
        for job in made:
            if job.job_id in ctl.cluster.jobs and not job.finished:
                transitions.end_job(ctl, job, states.CANCELLED)
        refusal.commits = bool(made)
        raise
    ctl.sched.job_is_pending()
    ctl.cluster.pass_due = True
    return made[0]


def withdraw(ctl: Controller, job: Job) -> None:
    """Take back a job that was submitted to start at once and could not; its id stays used."""
    del ctl.cluster.jobs[job.job_id]
    ctl.cluster.touch_job(job)


def refuse_impossible(ctl: Controller, job: Job, partitions: list[PartitionConf], first: int = 0) -> None:
    """End a new job that can never run; ``first``: its priority before it was tried. Raises `SlurmError`."""
    if not job.pending:
        return
    from slimsched.controller.submit import feasibility

    text = feasibility.problem(ctl, job, partitions)
    if text is not None:
        job.priority = first or job.priority
        raise _impossible(ctl, job, partitions, text)


def _impossible(ctl: Controller, job: Job, partitions: list[PartitionConf], text: str) -> SlurmError:
    """End a job that can never run, as FAILED; return the refusal."""
    from slimsched.controller.submit import feasibility

    notes = feasibility.notes(ctl, job, partitions)
    job.reason, job.state_desc = reasons.BAD_CONSTRAINTS, ""
    transitions.end_job(ctl, job, states.FAILED, signal=SIGHUP)
    return _committed(SlurmError(Errno.REQUESTED_NODE_CONFIG_UNAVAILABLE, detail=text, notes=notes))


def test_only(ctl: Controller, request: JobRequest, user: User) -> PlannedStart:
    """Return when and where a job would start; the job is not kept, but its id and priority are used up.

    Raises `SlurmError` with ``commits``.
    """
    from slimsched.controller.submit.test_only import plan

    job, admission = create(ctl, request, user)
    try:
        return plan(ctl, job, admission.partitions)
    except SlurmError as refusal:
        raise _committed(refusal) from None


def test_together(ctl: Controller, requests: list[JobRequest], user: User) -> PlannedStart:
    """Say when and where a heterogeneous job would start, all its components together. Raises as `test_only` does."""
    plans: list[PlannedStart] = []
    nodes = 0
    for request in requests:
        taken = ctl.cluster.hostlist_of(nodes)
        request.exclude = ",".join(filter(None, (request.exclude, taken)))
        plans.append(test_only(ctl, request, user))
        nodes |= ctl.cluster.bitmap_of(plans[-1].nodes)
    return plans[0]._replace(
        start_time=max(plan.start_time for plan in plans),
        cpus=sum(plan.cpus for plan in plans),
        nodes=ctl.cluster.hostlist_of(nodes),
    )


def create(ctl: Controller, request: JobRequest, user: User) -> tuple[Job, Admission]:
    """Check a request and return its job, with an id and a priority but not in the cluster, and what it came to."""
    cluster, asked = ctl.cluster, _alike(ctl, request, user)
    admission = ctl.admissions.get(asked)
    if admission is None:
        job_id, admission = _admit(cluster, request, user)
        if asked is not None:
            ctl.admissions[asked] = admission
    else:
        check_new(cluster, request)
        job_id = _take_id(cluster)
    job = record(ctl, job_id, replaced(request, **admission.filled), user)
    if not job.request.hold:
        _first_priority(ctl, job)
    return job, admission


def _admit(cluster: Cluster, asked: JobRequest, user: User) -> tuple[int, Admission]:
    """Check a request; return the id of its job and what the request came to."""
    request = normalise(cluster, asked, user)
    partitions = partitions_of(cluster, request)
    check_early(cluster, request, partitions, user)
    job_id = _take_id(cluster)
    try:
        check_late(cluster, request, partitions, user)
    except SlurmError as refusal:
        raise _committed(refusal) from None
    defaults.fill(cluster, request, partitions)
    values = {name: getattr(request, name) for name in request.__struct_fields__}
    return job_id, Admission(
        partitions, {name: value for name, value in values.items() if value != getattr(asked, name)}
    )


def _take_id(cluster: Cluster) -> int:
    """Return the id of the next job, which is used up then."""
    cluster.next_job_id += 1
    return cluster.next_job_id - 1


def _alike(ctl: Controller, request: JobRequest, user: User) -> tuple[object, ...] | None:
    """Return what requests have in common that come to the same, ``None`` for one that is checked by itself."""
    cluster = ctl.cluster
    loaded = "select" in ctl.__dict__ and ctl.trusts_marks  # a command that submits one job need not load it for this
    if not loaded or ctl.foresight is None or cluster.accounting or cluster.config.names_slurmdbd:
        return None
    if request.nice < 0 or any(_OWN(request)) or cluster.has_complexes:
        return None
    if len(ctl.admissions) >= MOST_ADMISSIONS:
        ctl.admissions.clear()
    return ctl.foresight.shape_changes, cluster.layout_changes, user, _SHARED(request)


def record(ctl: Controller, job_id: int, request: JobRequest, user: User) -> Job:
    """Return the record of a checked request."""
    cluster = ctl.cluster
    job = Job(
        job_id=job_id,
        request=request,
        user_id=user.uid,
        user_name=user.name,
        group_id=user.gid,
        group_name=user.group,
        alloc_node="localhost",
        partition=request.partition.partition(",")[0],
        submit_time=cluster.now,
        last_sched_eval=cluster.now,
        run_time=request.sim_runtime,
        sim_exit_code=request.sim_exit or 0,
        resv_name=request.reservation,
    )
    if request.array:
        job.array_job_id = job_id
        job.array_tasks, job.array_max_tasks = arrays.parse(request.array, cluster.config.number("MaxArraySize"))
    if request.dependency:
        from slimsched.controller.life import dependency, resize

        may_expand = "expand:" in request.dependency and resize.permitted(ctl)
        job.dependency = dependency.resolve(cluster, request.dependency, may_expand=may_expand)
    return job


def _first_priority(ctl: Controller, job: Job) -> None:
    """Give a new job the priority it asked for, or else the plugin's; a zero in the request does not count."""
    if job.request.priority:
        job.priority = job.request.priority
    else:
        defaults.set_priority(ctl, job)


def _is_free(ctl: Controller, job: Job) -> bool:
    """Whether a new job waits for no other."""
    if not job.dependency:
        return True
    from slimsched.controller.life import dependency

    return dependency.released(ctl, job)


def enter(ctl: Controller, job: Job) -> None:
    """Put a new job into the cluster, with the reason why it cannot start at once, if there is one."""
    cluster = ctl.cluster
    cluster.jobs[job.job_id] = job
    cluster.touch_job(job)
    cluster.count("jobs_submitted")
    cluster.record("submit", job=job.job_id, name=job.request.name, user=job.user_name, array=job.array_tasks)
    later = job.request.begin_time > cluster.now
    if later:
        job.start_time = job.request.begin_time
    if job.held:
        job.reason = reasons.HELD_USER if job.request.hold else reasons.HELD_ADMIN
    elif _is_free(ctl, job):
        job.reason = reasons.BEGIN_TIME if later else job.reason
        at_once = 0 if job.array_tasks else cluster.now  # an array's tasks are eligible when a pass splits them off
        job.eligible_time = job.request.begin_time if later else at_once
        job.accrue_time = 0 if later else at_once
    ctl.note(job)


def _committed(refusal: SlurmError) -> SlurmError:
    refusal.commits = True
    return refusal
