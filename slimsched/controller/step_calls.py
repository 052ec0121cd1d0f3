"""The calls by which the select plugin hears of steps: those of ``srun``, and those of a simulated batch script.

The steps of a script begin and end while time moves; `look` tells of those whose instant has come.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slimsched.controller.core import Controller
    from slimsched.model.job import Job, Step


def begin(ctl: Controller, job: Job, step_id: int, count: int, required: int = 0) -> int:
    """Return ``count`` nodes for a step, those ``required`` among them: the plugin's choice, else the first."""
    picked = choice(ctl, job, step_id, count)
    if picked is None or required & ~picked:
        held = ctl.cluster.bitmap_of(job.nodes)
        return required | ctl.cluster.first_nodes(held & ~required, count - required.bit_count())
    return picked


def choice(ctl: Controller, job: Job, step_id: int, count: int) -> int | None:
    """Tell the plugin that a step begins; return the ``count`` nodes that it chooses, None for no sound choice."""
    select = ctl.select
    held = ctl.cluster.bitmap_of(job.nodes)
    info = select.jobinfo_alloc()
    select.jobinfo_set(info, "step_id", step_id)
    try:
        picked = select.step_pick_nodes(job, info, count)
    except PluginError:
        picked = None
    select.jobinfo_free(info)
    sound = isinstance(picked, int) and not picked & ~held and picked.bit_count() == count
    return picked if sound else None


def kill(ctl: Controller, job: Job, step_id: int) -> None:
    """Tell the plugin that a step is killed: first that it begins to end, then that it has ended."""
    for killing in (True, False):
        ctl.select.step_finish(job, step_id, killing)


def end_all(ctl: Controller, job: Job, *, killed: bool) -> None:
    """Tell the plugin of the end of all running steps when their job ends."""
    since = ctl.cluster.now - job.start_time
    for step_id, step in enumerate(job.steps):
        if step.begin <= since and (step.end is None or step.end > since):
            if killed:
                kill(ctl, job, step_id)
            else:
                ctl.select.step_finish(job, step_id, False)


def look(ctl: Controller, job: Job) -> None:
    """Tell the plugin of the steps of a script that end at this instant, then of those that begin."""
    now = ctl.cluster.now
    if ctl.cluster.config.live or not job.steps or ctl.steps_reported.get(job.job_id) == now:
        return
    ctl.steps_reported[job.job_id] = now
    since = now - job.start_time
    for step_id, step in enumerate(job.steps):
        if step.begin < since == step.end:
            ctl.select.step_finish(job, step_id, False)
    nodes = len(job.cpus) or 1
    for step_id, step in enumerate(job.steps):
        if step.begin == since:
            begin(ctl, job, step_id, min(step.tasks or nodes, nodes))
            if step.end == since:
                ctl.select.step_finish(job, step_id, False)


def next_instant(job: Job, now: int) -> int | None:
    """Return when a step of a running job begins or ends next, ``None`` if none does."""
    instants = (job.start_time + at for step in job.steps for at in _instants(step))
    return min((instant for instant in instants if instant > now), default=None)


def _instants(step: Step) -> Iterator[int]:
    yield step.begin
    if step.end is not None:
        yield step.end
