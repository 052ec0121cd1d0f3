"""``scontrol listpids``: the processes of the steps that run on this machine, which all nodes of a live cluster are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slimsched.cli.app import Application
    from slimsched.cli.scontrol.settings import Settings
    from slimsched.executor.local.usage import Task

ROW = "{:<8} {:<8} {:<8} {:<7} {:<8}"


def listpids(app: Application, words: list[str], settings: Settings) -> None:
    """Print the processes of all steps, or of a job or step (``words[0]``), on all nodes or one (``words[1]``)."""
    from slimsched.cli.job_ids import job_name
    from slimsched.cli.sacct.sstat import tasks_of
    from slimsched.controller.requests import strangers
    from slimsched.render.jobs.step_list import steps

    named = words[0] if words and words[0] != "*" else ""
    node = words[1] if len(words) > 1 else ""
    with app.session(write=False) as ctl:
        live = ctl.cluster.config.live
        found = list(steps(ctl.cluster)) if live else []
        notes: tuple[str, ...] = ()
        if named:
            wanted = job_name(named)
            found = [step for step in found if step.meant(wanted)]
            notes = () if found else strangers.steps(ctl.cluster, wanted.job_id)
        lines = [
            ROW.format(pid, step.job.job_id, step.step, local, rank)
            for step in found
            for task in tasks_of(step, app.store.data)
            if node in ("", task.node)
            for pid, local, rank in _processes(task)
        ]
    if not lines and (live or named):
        what = f"{'StepId=' if '.' in named else 'Job '}{named} does not" if named else "No job steps"
        raise UserError(f"{what} exist on this node.", level="plain", notes=notes)
    app.out("\n".join([ROW.format("PID", "JOBID", "STEPID", "LOCALID", "GLOBALID"), *lines]))


def _processes(task: Task) -> Iterator[tuple[int, str, str]]:
    """Yield the processes of a task, with its numbers on the node and in the step for the task itself."""
    yield task.pid, str(task.local), str(task.rank)
    for pid in task.pids:
        if pid != task.pid:
            yield pid, "-", "-"
