"""A step of ``srun`` on a live cluster: from its options to its place in a job, and to its end."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slimsched.cli.submit import step_plan
from slimsched.controller.life import live_steps, step_place
from slimsched.errors import SlurmError
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.submit.options.request import Draft
    from slimsched.controller.core import Controller
    from slimsched.executor.local.files import Json
    from slimsched.executor.local.tasks import Plan
    from slimsched.model.job import Job


class StepCall:
    """A call of ``srun`` that makes a step of ``args`` in a job."""

    def __init__(self, app: Application, made: Draft, args: list[str]) -> None:
        self.app, self.made, self.args = app, made, args
        self.asked: step_place.Wanted | None = None
        self.plan: Plan | None = None

    def begin(self, ctl: Controller, job: Job) -> bool:
        """Enter the step into a job's record, if there is room for it now; whether there is."""
        found = self._place(job)
        if found is None:
            return False
        assert self.asked is not None
        number = live_steps.begin(ctl, job, self.asked, found, os.getpid())
        self.plan = step_plan.planned(ctl, self.made, job, number, found, self.args)
        return True

    def wait(self, job_id: int) -> None:
        """Enter the step once there is room for it."""
        from slimsched.cli.submit import blocking

        def room(ctl: Controller) -> bool:
            return self._place(ctl.cluster.jobs.get(job_id)) is not None

        blocking.until(self.app, room, lambda ctl: not self.begin(ctl, ctl.cluster.jobs[job_id]))
        assert self.plan is not None
        self.app.err(f"srun: Step created for StepId={self.plan.name}")

    def launch(self) -> Json:
        """Run the step that was made."""
        from slimsched.executor.local import afterwards, files, tasks
        from slimsched.executor.local.step import StepRun

        assert self.plan is not None
        tasks.flush()
        record = StepRun(self.plan).run()
        files.write(self.plan.folder, "end.json", record, durable=False)
        files.let_go(self.plan.folder)
        afterwards.ring(self.app.store.folder)
        return record

    def _place(self, job: Job | None) -> step_place.Place | None:
        """Return where the step can run now, None if it has to wait."""
        if job is None or not job.active or job.ending:
            raise SlurmError(Errno.ALREADY_DONE)
        if self.asked is None:
            self.asked = step_plan.wanted(self.app, self.made, job, self.args)
        found = step_place.place(job, self.asked)
        if found is None and self.made.other.get("immediate"):
            raise SlurmError(Errno.NODES_BUSY)
        return found
