"""The simulated executor: no process runs; a job's end follows from its run time and its limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.executor import script as scripts
from slimsched.executor.api import Executor, Outcome
from slimsched.model.request import INFINITE
from slimsched.slurm import states
from slimsched.state import files, layout
from slimsched.text import times

if TYPE_CHECKING:
    from slimsched.model.job import Job


class Simulated(Executor):
    """Jobs that take time and nodes but no processes."""

    def prepare(self, job: Job, script: str) -> None:
        """Plan the job's run and its fate (``--sim-state``)."""
        self._plan(job, script)
        if job.request.sim_state:
            from slimsched.executor import fates

            job.fate = fates.asked(job.request)

    def _plan(self, job: Job, script: str) -> None:
        """Set run time and exit code: ``--sim-runtime`` and ``--sim-exit``, else what the script says."""
        request = job.request
        planned = scripts.plan(script, job.restarts)
        rule = self.cluster.config.runtime
        job.steps = planned.steps
        if job.steps and (request.sim_runtime is not None or rule != "sleep"):
            job.steps[-1].end = None  # it lasts as long as the job, whose time is given
        job.sim_exit_code = planned.exit_code if request.sim_exit is None else request.sim_exit
        job.sim_exit_rule = planned.exit_rule if request.sim_exit is None and request.array else ""
        if request.sim_runtime is not None:
            job.run_time = None if request.sim_runtime == INFINITE else request.sim_runtime
            return
        if rule == "sleep":
            job.run_time = planned.seconds
        else:
            job.run_time = None if rule == "limit" else times.duration(rule)

    def launch(self, job: Job) -> None:
        """Plan a requeued job anew if its script asks whether it was requeued."""
        if job.restarts and job.has_script and self.place:
            script = files.read(layout.script(self.place, job.array_job_id or job.job_id)) or b""
            if b"SLURM_RESTART_COUNT" in script:
                self._plan(job, script.decode("utf-8", "surrogateescape"))

    def outcome(self, job: Job) -> Outcome | None:
        """Return the end by run time or fate or, if that comes first, by the time limit."""
        from slimsched.executor.limits import killed_at, run_for  # a submission asks for no end

        own = None if job.run_time is None else run_for(job, job.run_time)
        fated = own if job.fate is None or job.fate.after is None else run_for(job, job.fate.after)
        last = killed_at(self.cluster, job)
        if job.fate is not None and fated is not None and fated <= min(own or fated, last or fated):
            return Outcome(fated, job.fate.state, job.fate.exit_code, job.fate.signal)
        if own is not None and (last is None or own <= last):
            code = exit_code(job)
            return Outcome(own, states.FAILED if code else states.COMPLETED, code)
        return None if last is None else Outcome(last, states.TIMEOUT, 0, 15)


def exit_code(job: Job) -> int:
    """Return the exit code of a job's script, of a task of an array by its number."""
    if not job.sim_exit_rule or job.array_task_id is None:
        return job.sim_exit_code
    from slimsched.executor import arithmetic

    return (arithmetic.value(job.sim_exit_rule, job.array_task_id) or 0) & 0xFF
