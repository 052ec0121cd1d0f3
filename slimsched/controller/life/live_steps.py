"""Steps that really run: they enter their job's record when they begin, and how they ended when that is noticed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slimsched.controller import step_calls
from slimsched.controller.requests import users
from slimsched.executor import limits
from slimsched.executor.api import Outcome
from slimsched.model import bitmap
from slimsched.model.job import Step
from slimsched.model.record import replaced
from slimsched.slurm import states
from slimsched.text import hostlist, idset

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.controller.life.step_place import Place, Wanted
    from slimsched.model.job import Job

SIGKILL = 9  # the module signal makes enums, for every command


def chosen(ctl: Controller, job: Job, wanted: Wanted, found: Place) -> Place:
    """Tell the select plugin of a step that begins; return its place: on the plugin's nodes, if the step may go there.

    A step that names nodes, leaves some out, or begins at one, has its own.
    """
    picked = step_calls.choice(ctl, job, len(job.steps), len(found.nodes))
    if picked is None or wanted.named or wanted.without or wanted.first:
        return found
    names = [ctl.cluster.nodes[index].name for index in bitmap.iterate(picked)]
    if names == found.nodes:
        return found
    from slimsched.controller.life import step_place

    return step_place.place(job, replaced(wanted, named=names)) or found


def begin(ctl: Controller, job: Job, wanted: Wanted, found: Place, pid: int) -> int:
    """Enter a step that runs from now on, under the process ``pid``; return its number."""
    cluster, number = ctl.cluster, len(job.steps)
    nodes = hostlist.fold(found.nodes, "slurm")
    step = Step(
        wanted.name,
        cluster.now - job.start_time,
        tasks=wanted.tasks,
        time_limit=wanted.time_limit,
        nodes=nodes,
        cpus=found.cpus,
        memory=found.memory,
        gpus=[idset.encode(here) for here in found.gpus] if wanted.gpus or wanted.gpus_per_task else [],
        layout=found.layout,
        overlap=wanted.overlap,
        pid=pid,
    )
    job.steps = [*job.steps, step]
    wait_no_more(ctl, job, pid)
    cluster.touch_job(job)
    cluster.record("step", job=job.job_id, step=number, nodes=nodes)
    return number


def wait(ctl: Controller, job: Job, wanted: Wanted, pid: int) -> None:
    """Note that a step waits for room, under the process ``pid``."""
    if any(step.pid == pid for step in job.waiting):
        return
    count = wanted.nodes or min(wanted.tasks, len(job.cpus))
    cpus = [wanted.tasks * wanted.cpus_per_task, *[0] * (count - 1)]
    job.waiting = [*job.waiting, Step(wanted.name, tasks=wanted.tasks, nodes=job.nodes, cpus=cpus, pid=pid)]
    ctl.cluster.touch_job(job)


def wait_no_more(ctl: Controller, job: Job, pid: int) -> None:
    """Note that a step does not wait any longer."""
    if any(step.pid == pid for step in job.waiting):
        job.waiting = [step for step in job.waiting if step.pid != pid]
        ctl.cluster.touch_job(job)


def signal(ctl: Controller, job: Job, number: int, what: int) -> None:
    """Send a signal to a step; SIGKILL ends it, on behalf of whoever runs this process."""
    order: dict[str, object] = {"do": "signal", "number": what}
    if what == SIGKILL:
        order = {"do": "stop", "text": "DUE to SIGNAL Killed", "by": users.invoking(ctl.cluster).uid}
        ctl.select.step_finish(job, number, True)
    ctl.executor.order_step(job, number, order)
    ctl.cluster.record("signal", job=job.job_id, step=number, signal=what)


def lose(ctl: Controller, job: Job, node: str) -> None:
    """Tell ``salloc``, and the steps on a node that has failed, of that."""
    from slimsched.executor.local.spec import TEXTS

    text = f"error: Node failure on {node}"
    said: dict[str, object] = {"do": "notify", "text": text}
    if not job.has_script and not job.request.command:
        ctl.executor.notify(job, text)
    for number, step in enumerate(job.steps):
        if step.end is None and step.pid and node in hostlist.expand(step.nodes, dialect="slurm"):
            ctl.executor.order_step(job, number, said)
            ctl.executor.order_step(job, number, {"do": "lose", "node": node, "text": TEXTS[states.NODE_FAIL]})


def set_limit(ctl: Controller, job: Job, number: int) -> None:
    """Tell a step of its new time limit."""
    step = job.steps[number]
    end = 0 if step.time_limit is None else job.start_time + step.begin + step.time_limit * 60
    ctl.executor.order_step(job, number, {"do": "limit", "limit": limits.acted_on(ctl.cluster, end) if end else 0})


def catch_up(ctl: Controller) -> None:
    """Take note of the steps that have ended."""
    for job in ctl.cluster.jobs.values():
        if job.active and (job.steps or job.waiting):
            collect(ctl, job)


def collect(ctl: Controller, job: Job) -> None:
    """Take note of the steps of a job that have ended."""
    for number, step in enumerate(job.steps):
        if step.end is None and step.pid and (outcome := ctl.executor.step_outcome(job, number)) is not None:
            _end(ctl, job, number, outcome)
    for step in job.waiting:
        if not _alive(step.pid):
            wait_no_more(ctl, job, step.pid)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _end(ctl: Controller, job: Job, number: int, outcome: Outcome) -> None:
    step = job.steps[number]
    step.end = max(step.begin, outcome.time - job.start_time)
    step.exit_code, step.signal, step.measured = outcome.exit_code, outcome.signal, outcome.script
    step.largest, step.largest_node = outcome.largest
    step.requid = outcome.by
    ctl.select.step_finish(job, number, False)
    ctl.cluster.touch_job(job)
    ctl.cluster.record("step-end", job=job.job_id, step=number, exit_code=outcome.exit_code, signal=outcome.signal)


def end_all(ctl: Controller, job: Job) -> None:
    """End the steps of a job that ends now; those that have not said how were killed."""
    collect(ctl, job)
    for number, step in enumerate(job.steps):
        if step.end is None and step.pid:
            _end(ctl, job, number, Outcome(ctl.cluster.now, states.CANCELLED, 0, 9))
