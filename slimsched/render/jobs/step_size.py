"""How large a step is that ``srun`` made: one answer for the lists of running steps and for accounting."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from slimsched.model.job import Step
    from slimsched.render.jobs.job_view import View


class StepSize(NamedTuple):
    """The tasks of a step, and its nodes: the first ones of its job."""

    tasks: int
    node_count: int

    @property
    def layout(self) -> str:
        """How the tasks are laid out over the nodes."""
        return "Cyclic" if self.tasks <= self.node_count else "Block"


def size_of(view: View, run: Step) -> StepSize:
    """Return the size of a step: as many tasks as it asks for, at most those of its job."""
    tasks = min(run.tasks, view.task_count) or view.task_count
    return StepSize(tasks, min(tasks, len(view.job.cpus)) or 1)
