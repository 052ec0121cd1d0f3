"""The view of a job step: what the list of running steps and accounting have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.text.hostlist import expand, fold

if TYPE_CHECKING:
    from slimsched.render.jobs.job_view import View

BATCH, EXTERN = "batch", "extern"


class StepView:
    """The step of a batch script, the one beside it (`EXTERN`), or a numbered one that ``srun`` made (``run``).

    Without a name of a step it is the job itself.
    """

    def __init__(self, view: View, step: str = "") -> None:
        self.view, self.job, self.step = view, view.job, step
        self.run = view.job.steps[int(step)] if step.isdigit() else None

    @property
    def name(self) -> str:
        """Job id, with the step's name behind it: ``3_0.batch``."""
        return f"{self.view.name}.{self.step}" if self.step else self.view.name

    @property
    def title(self) -> str:
        """Name of the job or step."""
        return self.run.name if self.run is not None else self.step or self.view.request.name

    @property
    def start_time(self) -> int:
        """When it began, in seconds since 1970."""
        return self.job.start_time + (self.run.begin if self.run is not None else 0)

    @property
    def tasks(self) -> int:
        """Tasks: one of a batch script, one on each node beside it, else as many as are asked for and the job has."""
        if self.run is None:
            return self.node_count if self.step == EXTERN else 1
        return min(self.run.tasks, self.view.task_count) or self.view.task_count

    @property
    def node_count(self) -> int:
        """Nodes that it runs on, the first ones of its job."""
        return 1 if self.run is None else min(self.tasks, len(self.job.cpus)) or 1

    @property
    def nodes(self) -> str:
        """The same as a hostlist."""
        return fold(expand(self.job.nodes)[: self.node_count], "slurm")

    @property
    def layout(self) -> str:
        """How the tasks of a numbered step are laid out over its nodes, "" for another one."""
        if self.run is None:
            return ""
        return "Cyclic" if self.tasks <= self.node_count else "Block"
