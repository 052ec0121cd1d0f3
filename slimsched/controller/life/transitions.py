"""The life of a job: it starts, is suspended and resumed, requeued, and ends.

Every verb, the scheduling pass and the event loop change a job's state through these functions only, so that
the select plugin, the executor, the event queue and the journal hear of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller import step_calls
from slimsched.controller.gridengine import consumables
from slimsched.controller.life import aftermath
from slimsched.controller.requests import licensing, time_limits
from slimsched.errors import PluginError
from slimsched.model.record import copied
from slimsched.model.request import INFINITE
from slimsched.slurm import reasons, states

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.executor.api import Outcome
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Ended, Job
    from slimsched.select.api import Selection

BY_ITSELF = frozenset({states.COMPLETED, states.FAILED})
"""States in which a job ends without being killed."""

UNTIL_END = frozenset({states.CONFIGURING, states.RESV_DEL_HOLD, states.SPECIAL_EXIT})
"""Marks that a job loses when it ends."""


def start_job(ctl: Controller, job: Job, partition: PartitionConf, selection: Selection, scheduler: str) -> Job:
    """Give a pending job its nodes and run it; returns the job that runs (one task, if it was an array's record).

    Until the select plugin says that the nodes are ready, the job is CONFIGURING. Raises `PluginError` if the plugin
    cannot book the nodes; the job is pending as before then.
    """
    cluster = ctl.cluster
    before = copied(job)
    now = cluster.now
    limit = time_limits.time_limit(job, partition)
    job.reason, job.state_desc = reasons.NONE, ""
    job.partition, job.scheduler = partition.partition_name, scheduler
    job.partition_qos = partition.qos_name
    job.start_time = job.last_sched_eval = now
    job.eligible_time = job.eligible_time or now  # a further task of a throttled array in the same pass
    job.resize_time, job.failed_node = 0, ""
    job.end_time = 0 if limit == INFINITE else now + limit * 60
    job.suspend_time = job.pre_sus_time = job.preempt_time = job.preempted_at = job.preempts_since = 0
    job.planned, job.sched_nodes = False, ""
    job.nodes = cluster.hostlist_of(selection.bitmap)
    job.cpus, job.memory, job.gres = selection.cpus, selection.memory, selection.gres
    if partition.tres_billing_weights:
        from slimsched.priority import tres

        job.billing = tres.billing(cluster, partition, tres.held(job))
    try:
        ctl.select.job_begin(job)
    except PluginError:
        for name in job.__struct_fields__:
            setattr(job, name, getattr(before, name))
        raise
    job.state = states.RUNNING
    job.request.time_limit = limit
    ctl.select.nodeinfo_set(job)
    aftermath.tell_states(ctl, job)
    consumables.begin(ctl, job)
    job.licenses_alloc = licensing.grant(cluster, job) or ""
    waits = bool(selection.bitmap & ctl.sets.switching) and ctl.power.wake(job)
    if not waits and not cluster.config.slow_start and ctl.select.job_ready(job):
        ctl.executor.launch(job)
        step_calls.look(ctl, job)
    else:
        job.flags = [*job.flags, states.CONFIGURING]
    ctl.ends_now |= job.run_time == 0
    job.resv_name = job.request.reservation.partition(",")[0]
    ctl.note(job)
    ctl.cluster.count("jobs_started")
    aftermath.record(ctl, job, "start", nodes=job.nodes, scheduler=scheduler)
    if job.request.mail_type:
        from slimsched.controller.life import mail

        mail.tell(ctl, job, mail.BEGIN)
    return job


def configure(ctl: Controller, job: Job) -> None:
    """Ask whether the nodes of a CONFIGURING job are ready: it runs from now on, or goes back after too long a wait."""
    now = ctl.cluster.now
    if now >= ready_at(ctl, job) and ctl.select.job_ready(job):
        job.flags = [flag for flag in job.flags if flag != states.CONFIGURING]
        if job.end_time:
            job.end_time += now - job.start_time
        job.start_time = now
        ctl.select.nodeinfo_set(job)
        ctl.executor.launch(job)
        step_calls.look(ctl, job)
        aftermath.record(ctl, job, "ready")
    elif now >= ready_at(ctl, job) + ctl.cluster.config.number("ResumeTimeout"):
        requeue_job(ctl, job)
    ctl.note(job)


def ready_at(ctl: Controller, job: Job) -> int:
    """Return when the nodes of a CONFIGURING job can be ready at the earliest."""
    up = max(job.start_time, ctl.power.ready_at(job) if ctl.sets.switching else 0)
    if not ctl.cluster.config.slow_start:
        return up
    from slimsched.controller.life import slowness

    return max(up, slowness.ready_at(ctl, job))


def end_job(ctl: Controller, job: Job, state: states.State, exit_code: int = 0, signal: int = 0) -> None:
    """End a job, running or pending, in one of the finished states; COMPLETING comes before while processes end."""
    if not takes_time(ctl, job, state, codes=(exit_code, signal)):
        _end(ctl, job, state, exit_code, signal)


def takes_time(
    ctl: Controller, job: Job, state: states.State, then: str = "", codes: tuple[int, int] | None = None
) -> bool:
    """Begin to end a job whose processes, or nodes, take time for it: it is COMPLETING and keeps its nodes.

    ``codes``: exit code and signal of a job that ends now; without them slow ends do not matter here.
    """
    stopping = job.active and (bool(job.clears) or ctl.executor.stop(job, state))
    if not stopping and not (job.active and codes is not None and _lingers(ctl, job, *codes)):
        return False
    if job.ending:
        job.then = "cancel" if job.then and not then else job.then
        ctl.cluster.touch_job(job)
    else:
        _begin_end(ctl, job, state, then, _end_of(ctl, job, state))
    return True


def _end_of(ctl: Controller, job: Job, state: states.State) -> int:
    """Return when a job ends that somebody ends now: one that stands still ended when it stopped."""
    return job.suspend_time if job.state == states.SUSPENDED and state == states.CANCELLED else ctl.cluster.now


def _lingers(ctl: Controller, job: Job, exit_code: int, signal: int, script: Ended | None = None) -> bool:
    """Keep how a job ended until its end is over; false where ends are not slow."""
    if not ctl.cluster.config.slow_end:
        return False
    from slimsched.controller.life import slowness

    return slowness.linger(ctl, job, exit_code, signal, script)


def _begin_end(ctl: Controller, job: Job, state: states.State, then: str, instant: int) -> None:
    """Note that a job is COMPLETING, and what comes after."""
    job.ending, job.then, job.end_time = state, then, instant
    job.flags = [states.COMPLETING, *(flag for flag in job.flags if flag != states.CONFIGURING)]
    ctl.select.nodeinfo_set(job)
    ctl.note(job)
    aftermath.record(ctl, job, "completing", state=state)


def end_run(ctl: Controller, job: Job, outcome: Outcome) -> None:
    """Take note of the end of a running job that was planned, or whose processes are gone."""
    from slimsched.controller.life import exit_requeues

    fails = outcome.state == states.NODE_FAIL and not job.ending and job.request.may_requeue
    if not job.clears and _lingers(ctl, job, outcome.exit_code, outcome.signal, outcome.script):
        if not job.ending:
            _begin_end(ctl, job, outcome.state, "requeue" if fails else "", outcome.stopped or ctl.cluster.now)
        ctl.note(job)
        return
    ended = job.end_time if job.ending else outcome.stopped or ctl.cluster.now
    state, then = states.State(job.ending) if job.ending else outcome.state, job.then
    if job.preempt_time and state in BY_ITSELF:
        state = states.PREEMPTED  # it has used its time of grace
    lingered, job.clears, job.script = job.clears, 0, outcome.script
    if fails:
        then = "requeue"
    job.ending = job.then = ""
    job.flags = [flag for flag in job.flags if flag != states.COMPLETING]
    failure = _site_failure(ctl, job, outcome)
    then = then or failure or exit_requeues.follows(ctl.cluster, job, state, outcome.exit_code)
    if then:
        by_itself = state in BY_ITSELF or then == failure
        code = outcome.exit_code if by_itself else 0
        _run_again(ctl, job, then, states.REQUEUED if by_itself else state, code, launched=then != failure)
        return
    _end(ctl, job, state, outcome.exit_code, outcome.signal)
    if outcome.script is not None or lingered:
        job.end_time = ended
    if outcome.script is not None and state == states.FAILED and outcome.signal:
        from signal import strsignal

        job.state_desc = reasons.RAISED_SIGNAL.format(outcome.signal, strsignal(outcome.signal))


def _run_again(ctl: Controller, job: Job, then: str, ended: states.State, exit_code: int, *, launched: bool) -> None:
    """Put a job whose run is over back into the queue, and do what follows; ``launched``: whether it had begun."""
    from slimsched.controller.life import comeback

    began = job.start_time, job.priority
    job.exit_code = exit_code
    comeback.put_back(ctl, job, hold=then in HOLDING, ended=ended)
    job.exit_code = exit_code  # shown until it runs again
    if then == "special":
        job.flags, job.state_desc = [*job.flags, states.SPECIAL_EXIT], ""
    if not launched:
        job.state_desc = reasons.LAUNCH_HELD
    if then == "cancel":
        _end(ctl, job, states.CANCELLED)
        job.start_time, job.priority, job.reason = *began, reasons.NONE
    elif job.het_job_id:
        requeue_job(ctl, job, hold=then in HOLDING)  # the components that run still


def _site_failure(ctl: Controller, job: Job, outcome: Outcome) -> str:
    """Return what follows for a job if a program of the site failed, "" if none did."""
    if outcome.failed is None:
        return ""
    from slimsched.controller.life import launch_failures

    return launch_failures.follows(ctl, job, outcome.failed)


HOLDING = ("hold", "special", "launch")
"""What may follow a run, after which the job is held."""


def _end(ctl: Controller, job: Job, state: states.State, exit_code: int = 0, signal: int = 0) -> None:
    """End a job at this instant."""
    cluster = ctl.cluster
    held_nodes = job.active
    if held_nodes:
        aftermath.end_steps(ctl, job)
        step_calls.end_all(ctl, job, killed=bool(signal) or state not in BY_ITSELF)
        ctl.killed |= state not in BY_ITSELF
        aftermath.free(ctl, job)
        job.reason = states.JOB[state].reason
    elif state == states.DEADLINE:
        job.reason, job.state_desc, job.start_time = states.JOB[state].reason, "", cluster.now
    elif not job.start_time or job.start_time > cluster.now:
        job.start_time = cluster.now
    job.flags = [flag for flag in job.flags if flag not in UNTIL_END]
    job.suspended_for, job.preempt_time = "", 0
    job.state, job.end_time = state, _end_of(ctl, job, state)
    job.exit_code, job.exit_signal = (exit_code, signal) if state != states.NODE_FAIL else (0, 1)  # a wait status of 1
    job.planned, job.sched_nodes = False, ""
    cluster.pass_due = True
    ctl.cluster.count(states.JOB[state].counter)
    aftermath.record(ctl, job, "end", state=state, exit_code=exit_code, signal=signal)
    if job.request.mail_type:
        from slimsched.controller.life import mail

        mail.tell_end(ctl, job)
    if not job.leads:
        ctl.executor.disown(job)
    if job.het_job_id:
        from slimsched.controller.life import het_jobs

        for other in het_jobs.followers(cluster, job, started=held_nodes):
            other.requid = job.requid
            end_job(ctl, other, state, exit_code, signal)


def requeue_job(ctl: Controller, job: Job, *, hold: bool = False, ended: states.State = states.REQUEUED) -> None:
    """Put a running or finished job back into the queue, behind all others; it waits two minutes before it starts.

    ``ended``: how accounting's record of the run that stops here reads. While processes end it is COMPLETING. All
    components of a heterogeneous job go together.
    """
    from slimsched.controller.life import comeback

    for one in ctl.cluster.components(job):
        if not (one.pending or takes_time(ctl, one, ended, "hold" if hold else "requeue", (0, 0))):
            comeback.put_back(ctl, one, hold=hold, ended=ended)
