"""A step of ``srun`` on a live cluster: from its options to its place in a job, and to its end."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from slimsched.cli.submit import site_programs, step_plan, step_programs
from slimsched.controller.life import live_steps, step_place
from slimsched.errors import SlurmError
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.submit.options.request import Draft
    from slimsched.controller.core import Controller
    from slimsched.executor.local.files import Json
    from slimsched.executor.local.step import StepRun
    from slimsched.executor.local.tasks import Plan
    from slimsched.model.job import Job


class _Interrupted(BaseException):
    """A signal came while a step waited."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def _interruptible() -> Iterator[None]:
    """Raise `_Interrupted` for a signal that ends a waiting step."""
    numbers = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP)

    def stop(number: int, _frame: object) -> None:
        raise _Interrupted(number)

    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class StepCall:
    """A call of ``srun`` that makes a step of ``args`` in a job."""

    def __init__(self, app: Application, made: Draft, args: list[str]) -> None:
        self.app, self.made, self.args = app, made, args
        self.asked: step_place.Wanted | None = None
        self.plan: Plan | None = None
        self.around: tuple[list[str], list[str]] = [], []  # calls of the programs that run before and after
        self.prologs: list[Json] = []  # calls of Prolog, where it has not run for the job

    def begin(self, ctl: Controller, job: Job) -> bool:
        """Enter the step into a job's record, if there is room for it now; whether there is."""
        found = self._place(ctl, job)
        assert self.asked is not None
        if found is None:
            live_steps.wait(ctl, job, self.asked, os.getpid())
            return False
        found = live_steps.chosen(ctl, job, self.asked, found)
        number = live_steps.begin(ctl, job, self.asked, found, os.getpid())
        self.plan = step_plan.planned(ctl, self.made, job, number, found, self.args)
        self.around = step_programs.around(ctl.cluster.config, self.made, self.args)
        self.prologs = site_programs.before_step(ctl, job)
        return True

    def wait(self, job_id: int) -> None:
        """Enter the step once there is room for it."""
        from slimsched.cli.submit import blocking

        def room(ctl: Controller) -> bool:
            return self._place(ctl, ctl.cluster.jobs.get(job_id)) is not None

        try:
            with _interruptible():
                blocking.until(self.app, room, lambda ctl: not self.begin(ctl, ctl.cluster.jobs[job_id]))
        except _Interrupted as signalled:
            with self.app.session() as ctl:
                if job := ctl.cluster.jobs.get(job_id):
                    live_steps.wait_no_more(ctl, job, os.getpid())
            self.app.err(f"srun: Cancelled pending job step with signal {signalled.number}")
            raise SlurmError(Errno.ALREADY_DONE) from None
        assert self.plan is not None
        if self.made.count("verbose"):
            self.app.err(f"srun: Step completed in JobId={job_id}, retrying")
        self.app.err(f"srun: Step created for StepId={self.plan.name}")

    def launch(self) -> Json:
        """Run the step that was made."""
        from slimsched.executor.local import afterwards, files, tasks
        from slimsched.executor.local.step import StepRun

        assert self.plan is not None
        tasks.flush()
        before, after = self.around
        step_programs.call(before, "prolog_srun", self.plan.name)
        run = StepRun(self.plan)
        record = self._refused(run) or run.run()
        step_programs.call(after, "epilog_srun", self.plan.name)
        files.write(self.plan.folder, "end.json", record, durable=False)
        files.let_go(self.plan.folder)
        afterwards.ring(self.app.store.folder)
        return record

    def _refused(self, run: StepRun) -> Json | None:
        """Run the Prolog of the job's nodes, if it has not run; return the end of a step that it does not let begin."""
        if not self.prologs:
            return None
        from slimsched.executor.local import site

        failed = site.run(self.prologs, {})
        if not failed:
            return None
        site_programs.drain(self.app, failed)
        run.say(f"error: Task launch for StepId={run.plan.name} failed on node {failed['node']}: Job prolog failed")
        run.say("error: Application launch failed: Job prolog failed")
        now = time.time()
        code = site_programs.FAILED
        ended = {"why": "CANCELLED", "by": None, "start": now, "end": now, "stopped": 0}
        return {**run.exits.record(), **ended, "status": code, "last": (code, 0)}

    def _place(self, ctl: Controller, job: Job | None) -> step_place.Place | None:
        """Return where the step can run now, None if it has to wait."""
        if job is None or not job.active or job.ending:
            raise SlurmError(Errno.ALREADY_DONE)
        if self.asked is None:
            self.asked = step_plan.wanted(self.app, ctl, self.made, job, self.args)
        found = step_place.place(job, self.asked)
        if found is None and self.made.other.get("immediate"):
            raise SlurmError(Errno.NODES_BUSY)
        return found
