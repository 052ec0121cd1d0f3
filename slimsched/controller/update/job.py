"""Jobs: the keys of ``scontrol update JobId=``, the reading of its line, and the change of each job, wholly or not.

Where the real slurmctld keeps the fields that came before a wrong one, nothing is kept here: a deliberate difference.
A change that leaves a job with more nodes than its partition has is made, and an error says so, at this change and at
every later one but that of NumCPUs (oracle, scenarios scontrol_update_job and job_update_single_field).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.life import selectors
from slimsched.controller.requests import rights, users
from slimsched.controller.schedule import hold, job_queue
from slimsched.controller.update import fields
from slimsched.controller.update import job_change as put
from slimsched.controller.update import job_sizes as sizes
from slimsched.controller.update import job_times as times
from slimsched.controller.update.fields import Field, Given, u16, u32, u64, yes_no
from slimsched.controller.update.job_change import JobChange, other, pending, until_end, until_start
from slimsched.errors import SlurmError, UserError
from slimsched.slurm import kinds, reasons
from slimsched.slurm.errno import Errno
from slimsched.text.sizes import strtol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slimsched.controller.core import Controller
    from slimsched.controller.life.selectors import Failure
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job

DEFAULT_NICE = "100"


# readers, of the text alone


def _throttle(given: Given) -> int:
    number = strtol(given.text)[0]
    if number < 0:
        raise UserError(f"Invalid {given.field.name} value")
    return number


def _flag(given: Given) -> bool:
    return bool(u16(given))


def _specialized(given: Given) -> int | None:
    """Read how many cores or threads are the system's; ``-1`` and ``*`` take the wish back."""
    return None if given.text in {"-1", "*"} else u16(given)


def _reboot(given: Given) -> bool:
    try:
        return yes_no(given)
    except UserError:
        raise UserError(f"Invalid reboot value: {given.text}") from None


def _mail_type(given: Given) -> str:
    """Read mail events as they are shown."""
    events = kinds.mail_events(given.text)
    if events is None:
        raise UserError(f"Invalid {given.field.name}: {given.text}", level="plain")
    return events


def _admin_comment(given: Given) -> str:
    if given.sign == "-":
        raise UserError("Invalid syntax, AdminComment can not be subtracted from.")
    return given.text


def _user(given: Given) -> str:
    """Read ``UserID``: a number, or a name that the system knows."""
    import pwd

    if not (given.text.isascii() and given.text.isdigit()):
        try:
            pwd.getpwnam(given.text)
        except (KeyError, ValueError):
            raise fields.aborted(f"Invalid UserID: {given.text}") from None
    return given.text


def operators(change: JobChange, given: Given) -> bool:
    """Refuse who is no operator."""
    rights.require(change.ctl.cluster, rights.OPERATOR, Errno.ACCESS_DENIED)
    return True


memory = until_start(Errno.EXTERN_ONLY)

FIELDS = (
    Field("JobId", 3),
    Field("UserID", 3, _user),
    Field("BurstBuffer", 1, put=put.refused(Errno.NOT_SUPPORTED), when=until_end),
    Field("ArrayTaskThrottle", 10, _throttle, put.throttle, until_end),
    Field("Partition", 2, put=put.partition, when=other("partition", pending)),
    Field("Account", 1, put=put.account, when=pending),
    Field("QOS", 2, put=put.qos, when=other("qos")),
    Field("ReservationName", 3, put=put.reservation, when=other("reservation")),
    Field("ResetAccrueTime", 3, put=times.reset_accrual, when=pending),
    Field("ReqNodeList", 8, put=sizes.req_nodes, when=until_end),
    Field("NodeList", 8, means="ReqNodeList"),
    Field("Gres", 2, put=put.gres, when=pending),
    Field("TresPerNode", 8, put=put.gres, when=pending),
    Field("TresPerJob", 8, put=put.gpus("gpus"), when=pending),
    Field("TresPerSocket", 8, put=put.gpus("gpus_per_socket"), when=pending),
    Field("TresPerTask", 8, put=put.gpus("gpus_per_task"), when=pending),
    Field("CpusPerTres", 9, put=put.per_gpu("cpus_per_gpu"), when=pending),
    Field("MemPerTres", 5, put=put.per_gpu("mem_per_gpu"), when=pending),
    Field("Licenses", 1, put=put.licenses, when=other("licenses")),
    Field("ExcNodeList", 3, put=sizes.exclude, when=other("exclude", pending)),
    Field("Switches", 5, put=put.switches, when=until_end),
    Field("wait-for-switch", 5, u32, "wait_for_switches", until_end),
    Field("AdminComment", 6, _admin_comment, put.admin_comment, operators, signed=True),
    Field("Comment", 3, put=put.text("comment")),
    Field("Extra", 3, put=put.extra),
    Field("NumCPUs", 6, sizes.read_cpus, "min_cpus", pending),
    Field("MinCPUsNode", 4, u16, sizes.min_cpus, pending),
    Field("CPUsPerTask", 9, u16, sizes.task_cpus, pending),
    Field("NumNodes", 8, sizes.read_nodes, sizes.num_nodes, until_end),
    Field("ReqNodes", 8, means="NumNodes"),
    Field("NumTasks", 8, u32, sizes.num_tasks, pending),
    Field("ReqProcs", 8, means="NumTasks"),
    Field("TimeLimit", 5, times.read_limit, times.time_limit, until_end, signed=True),
    Field("TimeMin", 5, fields.minutes, times.time_min, until_end),
    Field("EndTime", 2, times.read_end, times.end, until_end),
    Field("Deadline", 3, times.read_instant, times.deadline, until_end),
    Field("DelayBoot", 5, fields.minutes, put.delay_boot, until_end),
    Field("Requeue", 4, _flag, "requeue", until_end),
    Field("Priority", 2, u32, times.priority, until_end),
    Field("Nice", 2, times.read_part, times.nice, until_end),
    Field("MinMemoryCPU", 10, u64, put.memory("mem_per_cpu", "mem_per_node"), memory),
    Field("MinMemoryNode", 10, u64, put.memory("mem_per_node", "mem_per_cpu"), memory),
    Field("MinTmpDiskNode", 5, u32, "min_tmp_disk", pending),
    Field("ReqSockets", 4, u16, sizes.layout("sockets_per_node"), pending),
    Field("ReqCores", 4, u16, sizes.layout("cores_per_socket"), pending),
    Field("ReqThreads", 4, u16, sizes.layout("threads_per_core"), pending),
    Field("OverSubscribe", 2, yes_no, put.oversubscribe, pending),
    Field("Shared", 2, means="OverSubscribe"),
    Field("Contiguous", 3, yes_no, "contiguous", pending),
    Field("CoreSpec", 4, _specialized, put.specialized("core_spec", "thread_spec"), pending),
    Field("ThreadSpec", 4, _specialized, put.specialized("thread_spec", "core_spec"), pending),
    Field("Features", 1, put=put.features, when=other("features", pending)),
    Field("Prefer", 3, put=put.prefer, when=other("prefer", pending)),
    Field("ClusterFeatures", 8, put=put.refused(Errno.JOB_NOT_FEDERATED), when=until_end),
    Field("Clusters", 8, put=put.refused(Errno.JOB_NOT_FEDERATED), when=until_end),
    Field("JobName", 4, put=put.text("name"), when=until_end),
    Field("Name", 2, means="JobName"),
    Field("WorkDir", 2, put=put.text("work_dir"), when=other("work_dir", pending)),
    Field("StdErr", 6, put=put.text("error"), when=other("error", pending)),
    Field("StdIn", 5, put=put.text("input"), when=other("input", pending)),
    Field("StdOut", 6, put=put.text("output"), when=other("output", pending)),
    Field("WCKey", 1, put=put.text("wckey")),
    Field("TasksPerNode", 2, u16, "ntasks_per_node", pending),
    Field("Dependency", 1, put=put.depends, when=pending),
    Field("EligibleTime", 2, times.read_instant, times.begin, pending),
    Field("StartTime", 2, times.read_instant, times.begin, pending),
    Field("Reboot", 3, _reboot, "reboot", pending),
    Field("TresBind", 5, put=put.text("tres_bind"), when=until_end),
    Field("TresFreq", 5, put=put.text("tres_freq"), when=until_end),
    Field("MailType", 5, _mail_type, "mail_type", until_end),
    Field("MailUser", 5, put=put.mail_user, when=until_end),
    Field("SiteFactor", 5, times.read_part, put.nothing, operators),
)
"""In the order in which slurmctld looks at them, whatever the order of the command.

Those without ``when`` may be changed after the job's end.
"""

PLACES = {field.name: place for place, field in enumerate(FIELDS)}
BARE = {"Nice": DEFAULT_NICE, "ResetAccrueTime": ""}
"""Keys that may stand without a value -> the value that they have then."""


# the line


class JobUpdate(NamedTuple):
    """A command line: which jobs, and what to change."""

    ids: str | None
    name: str | None
    user: str | None
    fields: list[Given]


def parse(texts: list[str], report: Callable[[str, str], None]) -> JobUpdate:
    """Read the words of an update; ``report`` gets what is wrong without stopping it, and our note.

    Raises `UserError`.
    """
    found: dict[str, str] = {}
    changes: list[Given] = []
    useless, place = 0, 0
    while place < len(texts):
        word, place = _next(texts, place)
        field = fields.find(FIELDS, word.tag)
        if field is None:
            from slimsched.text import alike

            error = fields.aborted(fields.NOT_SUPPORTED.format(word.written))
            error.notes = (alike.unknown("field", word.tag, fields.names(FIELDS)),)
            raise error
        try:
            given = fields.valued(field, word.text or "", word.sign, word.written)
        except times.Skipped as skipped:
            report(skipped.said, skipped.note)
            useless += skipped.counts
            continue
        if field.name == "TimeLimit" and given.value.sign and "JobId" not in found:
            raise UserError("JobId must precede TimeLimit increment or decrement")
        found[field.name] = given.text
        if field.put:
            changes.append(given)
        if word.sign and not field.signed:
            raise UserError(f"Option {word.written} does not accept [+|-]= syntax")
    if not changes and not useless:
        raise UserError(fields.NO_CHANGES, level="plain")
    return JobUpdate(found.get("JobId"), found.get("JobName"), found.get("UserID"), changes)


def _next(texts: list[str], place: int) -> tuple[fields.KeyValue, int]:
    """Return the word at a place, with the next word for its value if it has none, and the place behind it."""
    word = fields.cut(texts[place])
    if word.text is not None:
        return word, place + 1
    bare = fields.find([field for field in FIELDS if field.name in BARE], word.tag)
    if bare is not None:
        return word._replace(tag=bare.name, text=BARE[bare.name]), place + 1
    if place + 1 == len(texts):
        raise fields.aborted(f"Invalid input: {word.written}")
    return word._replace(text=texts[place + 1], written=texts[place + 1]), place + 2


# the change


def update(ctl: Controller, line: JobUpdate) -> list[Failure]:
    """Change every job that a line means. Raises `UserError` for what no job can have, or if it means none."""
    failures = selectors.each(ctl, _jobs(ctl, line), lambda job: update_job(ctl, job, line.fields))
    if any(given.field.name == "ArrayTaskThrottle" for given in line.fields):  # the array has it, not its tasks
        failures = [failure for failure in failures if failure.errno != Errno.SUCCESS]
    return failures


def _jobs(ctl: Controller, line: JobUpdate) -> list[str]:
    """Return the jobs that a line means: those with its ids, else those with its name."""
    if line.ids is None:
        if line.name is None:
            raise UserError("No job ID specified")
        return _by_name(ctl, line.name, line.user)
    for given in line.fields:
        if given.field.name in {"NumNodes", "ReqNodeList"}:
            selectors.must_be_single(ctl.cluster, line.ids, "Job resizing not supported for job arrays")
        elif given.field.name == "TimeLimit" and given.value.sign:
            selectors.must_be_single(
                ctl.cluster, line.ids, "TimeLimit increment/decrement not supported for job arrays"
            )
    return selectors.lists([line.ids]) if selectors.well_formed(line.ids) else [line.ids]


def _by_name(ctl: Controller, name: str, user: str | None) -> list[str]:
    uid = None if user is None else users.resolve(ctl.cluster, user).uid
    found = selectors.by_name(ctl.cluster, name, uid, finished=True)
    if not found:
        whose = "" if uid is None else f"user ID {uid} and "
        raise UserError(f"No jobs with {whose}name '{name}'")
    return found


def _too_many_nodes(cluster: Cluster, job: Job) -> bool:
    """Whether a pending job asks for more nodes than its partition has."""
    return job.pending and (job.request.min_nodes or 0) > cluster.partition_bitmap(job.partition).bit_count()


def update_job(ctl: Controller, job: Job, given: Sequence[Given]) -> None:
    """Change one job.

    Raises `SlurmError` or `UserError`; the job is then as it was, but for REQUESTED_PART_CONFIG_UNAVAILABLE.
    """
    rights.require_over(ctl.cluster, job, Errno.USER_ID_MISSING)
    if job.request.cron:
        raise SlurmError(Errno.CANNOT_MODIFY_CRON_JOB)
    change = JobChange(ctl, job)
    change.put(sorted(given, key=lambda item: PLACES[item.field.name]))
    job.request = change.trial
    change.finish()
    if job.reason == reasons.BAD_CONSTRAINTS and all(item.field.name != "Priority" for item in given):
        hold.release_job(ctl, job)  # what is changed may have been what could not be met
    cluster = ctl.cluster
    if job.pending:
        job.planned, job.sched_nodes = False, ""
        if not job.held:
            job_queue.runnable(ctl, job)
    ctl.note(job)
    cluster.touch_job(job)
    cluster.pass_due = True
    cluster.record("update", job=job.job_id, fields=" ".join(map(str, given)))
    if _too_many_nodes(cluster, job) and any(item.field.name != "NumCPUs" for item in given):
        raise SlurmError(Errno.REQUESTED_PART_CONFIG_UNAVAILABLE)
