"""The mail about a job (``--mail-type``): what it says, and what ``MailProg`` is called with.

On every cluster it is an event of the history; a live one runs the ``MailProg`` that its configuration names.
Source: slurm.conf(5), MailProg; sbatch(1), --mail-type; oracle, scenario mail.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.life import arrays
from slimsched.slurm import states
from slimsched.text import times

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slimsched.controller.core import Controller
    from slimsched.model.job import Job

BEGIN, END, FAIL = "BEGIN", "END", "FAIL"
REQUEUE, TIME_LIMIT, INVALID_DEPEND = "REQUEUE", "TIME_LIMIT", "INVALID_DEPEND"
PARTS = {"TIME_LIMIT_50": 50, "TIME_LIMIT_80": 80, "TIME_LIMIT_90": 90, TIME_LIMIT: 100}
"""Event -> the part of its time limit that a job has then used, in percent."""

SAID = {
    BEGIN: "Began",
    END: "Ended",
    FAIL: "Failed",
    REQUEUE: "Requeued",
    TIME_LIMIT: "Reached time limit",
    **{event: f"Reached {part}% of time limit" for event, part in PARTS.items() if part < 100},
    INVALID_DEPEND: "Invalid dependency",
}
ARRAY_TASKS = "ARRAY_TASKS"
ENDS = frozenset({END, FAIL})
UNFAILED = frozenset({states.COMPLETED, states.CANCELLED})


def wanted(job: Job) -> list[str]:
    """Return the events that a job asks for mail about."""
    return job.request.mail_type.split(",")


def tell_end(ctl: Controller, job: Job) -> None:
    """Send the mail about the end of a job: of a failure those who only ask for ends hear as of an end."""
    if job.state == states.TIMEOUT:
        tell(ctl, job, TIME_LIMIT)
    failed = job.state not in UNFAILED and FAIL in wanted(job)
    tell(ctl, job, FAIL if failed else END)


def tell(ctl: Controller, job: Job, event: str) -> None:
    """Send the mail about an event if the job asks for it; of an array once for all of its tasks, if it does not ask.

    Of a heterogeneous job the first component alone writes. Of the parts of a time limit each is told of once.
    """
    asked = wanted(job)
    if event not in asked or not job.leads:
        return
    if event in PARTS:
        job.request.mail_type = ",".join(each for each in asked if each != event)
        ctl.cluster.touch_job(job)
    tasks = [] if ARRAY_TASKS in asked else arrays.members(ctl.cluster, job.array_job_id)
    if tasks and not _speaks_for_all(job, tasks, event):
        return
    to, subject = receiver(ctl, job), _subject(ctl, job, tasks, event)
    ctl.cluster.record("mail", job=job.job_id, to=to, subject=subject)
    program = ctl.cluster.config.slurm.get("MailProg", "")
    if ctl.cluster.config.live and program.startswith("/"):
        ctl.executor.run_program([program, "-s", subject, to], 0, _environment(ctl, job, tasks, event))


def _speaks_for_all(job: Job, tasks: list[Job], event: str) -> bool:
    """Whether a task is the first one that begins, or the last one that ends."""
    if event == BEGIN:
        return all(task is job or (task.pending and not task.restarts) for task in tasks)
    return event not in ENDS or all(task.finished for task in tasks)


def receiver(ctl: Controller, job: Job) -> str:
    """Return whom the mail goes to."""
    domain = ctl.cluster.config.get("MailDomain")
    own = f"{job.user_name}@{domain}" if domain and domain != "(null)" else job.user_name
    return job.request.mail_user or own


def look(ctl: Controller, job: Job) -> None:
    """Send the mails about the parts of its time limit that a running job has used."""
    for event, instant in instants(job):
        if instant <= ctl.cluster.now:
            tell(ctl, job, event)


def instants(job: Job) -> Iterator[tuple[str, int]]:
    """Yield the parts of its time limit that a running job asks for mail about, and when they are used."""
    if not job.end_time:
        return
    for event in wanted(job):
        if event in PARTS:
            yield event, job.end_time - (job.request.time_limit or 0) * 60 * (100 - PARTS[event]) // 100


def _subject(ctl: Controller, job: Job, tasks: list[Job], event: str) -> str:
    name, said = job.request.name, SAID[event]
    how = _how(job, tasks) if event in ENDS else ""
    if tasks:
        head = ctl.cluster.jobs.get(job.array_job_id, job)
        return f"Slurm Array Summary Job_id={job.array_job_id}_* ({head.job_id}) Name={name} {said}{how}"
    span = _span(ctl, job, event)
    spent = f", {span[0]} time {span[1]}" if span else ""
    if job.array_task_id is not None:
        which = f"Slurm Array Task Job_id={job.array_job_id}_{job.array_task_id} ({job.job_id})"
    else:
        which = f"Slurm Job_id={job.job_id}"
    return f"{which} Name={name} {said}{spent}{how}"


def _span(ctl: Controller, job: Job, event: str) -> tuple[str, str] | None:
    """Return which time a mail tells, ``Queued`` or ``Run``, and how long it was; None for neither."""
    if event == INVALID_DEPEND or not job.start_time:
        return None
    if event == BEGIN:
        return "Queued", times.elapsed(job.start_time - job.submit_time, full=True)
    until = job.end_time if event in ENDS else ctl.cluster.now
    ran = until - (job.suspend_time or job.start_time) + job.pre_sus_time
    return "Run", times.elapsed(max(0, ran), full=True)


def _status(job: Job) -> tuple[int, int]:
    """Return exit code and signal, none of a job that was killed: the mail is written as soon as that is decided."""
    return (job.exit_code, job.exit_signal) if job.state in _BY_ITSELF else (0, 0)


_BY_ITSELF = frozenset({states.COMPLETED, states.FAILED, states.OUT_OF_MEMORY})


def _how(job: Job, tasks: list[Job]) -> str:
    """Return how a job, or an array, ended."""
    if not tasks:
        code, number = _status(job)
        return f", {job.state}" if number else f", {job.state}, ExitCode {code}"
    codes = sorted(code for code, number in map(_status, tasks) if not number)
    numbers = [number for _, number in map(_status, tasks) if number]
    if numbers:
        return f", Mixed, MaxSignal [{max(numbers)}]"
    state = "Mixed" if not codes[0] and codes[-1] else job.state
    return f", {state}, ExitCode [{codes[0]}-{codes[-1]}]"


def _environment(ctl: Controller, job: Job, tasks: list[Job], event: str) -> dict[str, str]:
    """Return what the program finds in its environment."""
    from slimsched.executor import site_environment
    from slimsched.executor.batch_environment import array_facts
    from slimsched.executor.local import site

    found = site_environment.of_controller(ctl.cluster, job)
    state, span = str(job.state), _span(ctl, job, event)
    if event in ENDS:
        found |= site.ended(*_status(job), job.end_time)
        codes = [0 if number else code for code, number in map(_status, tasks or [job])]
        found["SLURM_JOB_EXIT_CODE_MAX"] = str(max(codes))
        if tasks:
            found["SLURM_JOB_EXIT_CODE_MIN"] = str(min(codes))
        if job.array_job_id:
            found |= array_facts(job.request.array)
    elif event == REQUEUE:
        state = str(states.PENDING)
    if tasks:
        found["SLURM_JOB_ID"] = found["SLURM_JOBID"] = str(job.array_job_id)
    waits = bool(tasks) and event == BEGIN  # the record of the tasks that still wait speaks for the array
    if waits:
        state, span, found["SLURM_JOB_START_TIME"] = str(states.PENDING), None, "0"
    if waits or not job.nodes:
        found = {name: value for name, value in found.items() if name not in _OF_A_RUN}
        found["SLURM_JOB_NODELIST"] = "(null)"
    if span:
        found[f"SLURM_JOB_{span[0].upper()}_TIME"] = span[1]
    return {**found, "SLURM_JOB_MAIL_TYPE": SAID[event], "SLURM_JOB_STATE": state}


_OF_A_RUN = frozenset({"SLURM_JOB_CPUS_PER_NODE", "SLURM_JOB_NUM_NODES", "SLURM_ARRAY_JOB_ID", "SLURM_ARRAY_TASK_ID"})
