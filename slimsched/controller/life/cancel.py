"""``scancel``: end jobs, or send them a signal.

Pending tasks that are cancelled out of an array leave the array's record and nothing else behind, as in slurmctld
(oracle, scenario array_throttle).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from slimsched.controller import step_calls
from slimsched.controller.life import arrays, live_steps, selectors, transitions
from slimsched.controller.requests import rights, users
from slimsched.errors import PluginError, SlurmError
from slimsched.model.job import SIGTERM
from slimsched.slurm import states
from slimsched.slurm.errno import Errno
from slimsched.text import idset

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.slurm.job_ids import JobId

SIGKILL = 9
EXPLICIT = "explicit_scancel"


@dataclass(slots=True)
class Filter:
    """Which jobs ``scancel`` is about: empty fields let every job through.

    ``empty``: the fields that were asked for as an empty text, which is no job's.
    """

    account: str = ""
    name: str = ""
    nodelist: str = ""
    partition: str = ""
    qos: str = ""
    reservation: str = ""
    state: str = ""
    user: str = ""
    user_id: int | None = None
    wckey: str = ""
    empty: tuple[str, ...] = ()

    @property
    def given(self) -> bool:
        """Whether anything is filtered."""
        return self != Filter()

    def passes(self, cluster: Cluster, job: Job, *, ctld: bool = False) -> bool:
        """Whether a job is meant.

        ``ctld``: the controller is asked, to which one that waits in several partitions or reservations is in each.
        Source: Slurm's test suite, test_107_3.
        """
        request = job.request
        partition = job.partition if job.active else request.partition
        reservation = job.resv_name or request.reservation
        if ctld and self.partition in partition.split(","):
            partition = self.partition
        if ctld and self.reservation in reservation.split(","):
            reservation = self.reservation
        facts = (
            (self.account, request.account),
            (self.name, request.name),
            (self.partition, partition),
            (self.qos, request.qos),
            (self.reservation, reservation),
            (self.state, job.state),
            (self.user, job.user_name),
            (self.wckey, request.wckey),
        )
        if self.empty or any(wanted and actual != wanted for wanted, actual in facts):
            return False
        if self.user_id is not None and job.user_id != self.user_id:
            return False
        return not self.nodelist or bool(cluster.bitmap_of_known(self.nodelist) & cluster.bitmap_of(job.nodes))


def matching(cluster: Cluster, chosen: Filter, *, ctld: bool = False) -> list[Job]:
    """Return the unfinished jobs that a filter means, in the order of their ids.

    The first component of a heterogeneous job stands for the others: whatever ends it ends them. ``ctld``: as of
    `Filter.passes`.
    """
    found = {j.job_id: j for j in cluster.jobs.values() if not j.finished and chosen.passes(cluster, j, ctld=ctld)}
    alone = (j for j in found.values() if j.leads or j.het_job_id not in found)
    return sorted(alone, key=lambda j: j.job_id)


def act(
    ctl: Controller,
    named: JobId,
    number: int = 0,
    *,
    target: str = "steps",
    comment: str | None = None,
    cron: bool = False,
) -> None:
    """Do what one word of ``scancel`` asks for: end a step or a job, its script alone, or send it a signal.

    ``number``: 0 for no signal; ``target``: "steps", "script" or "all" of the job; ``comment`` is kept with the jobs;
    ``cron``: the jobs of crontabs are meant, too, where ``ScronParameters=explicit_scancel`` wants that said.
    Raises `SlurmError`, ACCESS_DENIED for a job of somebody else among them, and `PluginError`, as the functions below.
    """
    for job in selectors.find(ctl.cluster, named):
        rights.require_over(ctl.cluster, job)
        if job.request.cron and not cron and EXPLICIT in ctl.cluster.config.get("ScronParameters").split(","):
            raise SlurmError(Errno.CANNOT_CANCEL_CRON_JOB)
    if comment is not None:
        for job in selectors.find(ctl.cluster, named):
            job.request.admin_comment = comment
            ctl.cluster.touch_job(job)
    if named.step is not None:
        for job in selectors.take(ctl, named):
            cancel_step(ctl, job, named.step, number or SIGKILL)
    elif number not in {0, SIGKILL}:
        signal(ctl, named, number, target)
    elif target == "script":
        cancel_script(ctl, named)
    else:
        cancel(ctl, named)


def cancel(ctl: Controller, spec: JobId) -> None:
    """End what a specification means. Raises `SlurmError`: INVALID_JOB_ID, or ALREADY_DONE if all of it has ended."""
    cluster = ctl.cluster
    found = selectors.find(cluster, spec)
    if not found:
        raise SlurmError(Errno.INVALID_JOB_ID)
    if all(_over(job) for job in found):
        raise SlurmError(Errno.ALREADY_DONE)
    if selectors.is_component(spec, found[0]) and found[0].pending:
        raise SlurmError(Errno.NOT_WHOLE_HET_JOB)
    faults = []
    for job in found:
        if _over(job):
            continue
        try:
            if spec.tasks and job.array_tasks:
                _cancel_tasks(ctl, job, idset.ranges(spec.tasks))
            else:
                cancel_job(ctl, job)
        except PluginError as fault:
            faults.append(fault)
    if faults:
        raise faults[0]


def _over(job: Job) -> bool:
    """Whether a job has ended, or will do so and not run again."""
    return job.finished or bool(job.ending and (not job.then or job.then == "cancel"))


def cancel_job(ctl: Controller, job: Job) -> None:
    """End one job, pending or running, on behalf of whoever runs this process.

    Raises `PluginError` if the select plugin could not deliver the signal; the job has ended all the same.
    """
    job.requid = users.invoking(ctl.cluster).uid
    if job.request.cron:
        from slimsched.controller.life import crontabs

        crontabs.disable(ctl, job)
    try:
        if job.active:
            ctl.select.job_signal(job, SIGKILL)
    except PluginError as fault:
        fault.commits = True
        raise
    finally:
        transitions.end_job(ctl, job, states.CANCELLED, signal=SIGTERM if job.active else 0)


def _cancel_tasks(ctl: Controller, job: Job, wanted: idset.Ranges) -> None:
    """Drop some of the tasks of a pending array; all of them end its record."""
    meant = [t for t in idset.decode(job.array_tasks) if any(a <= t <= b for a, b in wanted)]
    if len(meant) == arrays.count(job.array_tasks):
        cancel_job(ctl, job)
        return
    gone = set(meant)
    job.array_tasks = idset.encode(t for t in idset.decode(job.array_tasks) if t not in gone)
    ctl.cluster.touch_job(job)
    ctl.cluster.record("end", job=job.job_id, state=states.CANCELLED, tasks=idset.encode(meant))


def cancel_script(ctl: Controller, spec: JobId) -> None:
    """Kill the batch scripts of running jobs, which fail then; pending jobs are cancelled. Raises `SlurmError`."""
    for job in selectors.take(ctl, spec):
        if _over(job):
            raise SlurmError(Errno.ALREADY_DONE)
        if job.pending:
            cancel_job(ctl, job)
        elif ctl.cluster.config.live:
            ctl.executor.signal(job, SIGKILL, "script")
        else:
            transitions.end_job(ctl, job, states.FAILED, signal=SIGKILL)


def cancel_step(ctl: Controller, job: Job, step: str, number: int) -> None:
    """End a numbered step of a running job, or send it a signal.

    Raises `SlurmError`: INVALID_JOB_ID for a step that does not run.
    """
    now = ctl.cluster.now - job.start_time
    place = int(step) if step.isdigit() and len(step) < 10 else len(job.steps)
    running = place < len(job.steps) and job.steps[place].begin <= now < (job.steps[place].end or now + 1)
    if not running:
        raise SlurmError(Errno.INVALID_JOB_ID)
    if ctl.cluster.config.live:
        live_steps.signal(ctl, job, place, number)
    elif number == SIGKILL:
        run = job.steps[place]
        run.end, run.signal, run.requid = now, SIGKILL, users.invoking(ctl.cluster).uid
        step_calls.kill(ctl, job, place)
        ctl.cluster.touch_job(job)


def signal(ctl: Controller, spec: JobId, number: int, target: str = "steps") -> None:
    """Send a signal to the running jobs of a specification.

    Raises `SlurmError`: INVALID_JOB_ID, ALREADY_DONE, or TRANSITION_STATE_NO_UPDATE for a job that is pending;
    `PluginError` if the select plugin could not deliver it.
    """
    for job in selectors.take(ctl, spec):
        if _over(job):
            raise SlurmError(Errno.ALREADY_DONE)
        if job.pending:
            raise SlurmError(Errno.TRANSITION_STATE_NO_UPDATE)
        ctl.select.job_signal(job, number)
        ctl.executor.signal(job, number, target)
        _note_standstill(ctl, job, number)
        ctl.cluster.record("signal", job=job.job_id, signal=number)


SIGCONT, SIGSTOP = 18, 19  # Slurm's numbers, whatever the system's are


def _note_standstill(ctl: Controller, job: Job, number: int) -> None:
    """Show a job that was sent STOP as STOPPED, until it is sent CONT; it keeps its nodes."""
    if number not in (SIGSTOP, SIGCONT):
        return
    flags = [flag for flag in job.flags if flag != states.STOPPED]
    job.flags = [states.STOPPED, *flags] if number == SIGSTOP else flags
    ctl.cluster.touch_job(job)
