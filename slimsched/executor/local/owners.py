"""Allocations of ``salloc`` and ``srun``, and steps: each belongs to a process that holds a lock in its folder.

When that process is gone the allocation is given back, and the step has ended.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slimsched.executor import limits
from slimsched.executor.api import Executor, Outcome
from slimsched.executor.local import files
from slimsched.model.job import Ended
from slimsched.model.record import replaced
from slimsched.slurm import states

if TYPE_CHECKING:
    from slimsched.executor.local.files import Json
    from slimsched.model.job import Job
    from slimsched.slurm.states import State


def folder_of(place: str, job: Job) -> str:
    """Return the folder of a job's run; ``place``: that of the generation's files."""
    return os.path.join(place, "runs", f"{job.job_id}.{job.restarts}")


def step_folder(place: str, job: Job, number: int) -> str:
    """Return the folder of a step, likewise."""
    return os.path.join(folder_of(place, job), f"step-{number}")


class Owners(Executor):
    """What the local executor does for jobs without a supervisor."""

    def forget(self) -> None:
        """Forget what was put off."""
        self.orders: list[tuple[str, Json]] = []
        self.over: list[str] = []  # folders of what has ended
        self.lost: list[str] = []
        self.programs: list[tuple[list[str], int, dict[str, str] | None]] = []  # to be run, their users, environments
        self.held: list[str] = []  # folders that this process is to hold: its allocation, its step

    def _folder(self, job: Job) -> str:
        return folder_of(self.place, job)

    def _order(self, job: Job, order: Json) -> None:
        folder = self._folder(job)
        self.orders += [(place, order) for place in ([folder] if job.has_script else files.steps(folder))]

    def _allocation(self, job: Job, folder: str) -> Outcome | None:
        """Return when an allocation ends: with its owner, or at its limit; with its last step, once it is to end."""
        now = self.cluster.now
        if job.ending:
            return None if files.steps(folder) else Outcome(now, states.State(job.ending), 0, 15)
        if self.abandoned(job):
            return Outcome(now, states.CANCELLED, 0, 9)
        end, fate = limits.killed_at(self.cluster, job), job.fate
        at_limit = None if end is None else Outcome(limits.acted_on(self.cluster, end), states.TIMEOUT, 0, 15)
        if fate is None or fate.after is None:
            return at_limit
        decided = Outcome(limits.run_for(job, fate.after), fate.state, fate.exit_code, fate.signal)
        return decided if at_limit is None or decided.time < at_limit.time else at_limit

    def abandoned(self, job: Job) -> bool:
        """Whether the process that an allocation belongs to has gone; without a lock it belongs to none.

        A step makes the folder of an allocation that has none (``salloc --no-shell``).

        A component of a heterogeneous job belongs to the first one.
        """
        folder = self._folder(job)
        lock = files.path(folder, "lock")
        if job.request.batch or not job.leads or folder in self.held or not os.path.exists(lock):
            return False
        return not files.held(lock)

    def _revoke(self, job: Job, state: State) -> bool:
        """Tell the owner of an allocation and its steps that it is over; whether there are steps, which take time."""
        from slimsched.executor.local.spec import TEXTS

        folder = self._folder(job)
        steps = files.steps(folder)
        if not job.ending:
            order = {"do": "stop", "why": state, "text": TEXTS.get(state, "")}
            self.orders += [(place, order) for place in (folder, *steps)]
            if self.abandoned(job):
                self.lost.append(folder)
        if not steps and not os.path.exists(files.path(folder, "lock")):
            self.over.append(folder)  # nobody else would remove what its steps have left
        return bool(steps)

    def run_program(self, words: list[str], user_id: int, environment: dict[str, str] | None = None) -> None:
        """Run a program once the lock is free."""
        self.programs.append((words, user_id, environment))

    # steps

    def own(self, job: Job) -> None:
        """Hold the folder of an allocation for as long as this process lives."""
        self.held.append(self._folder(job))

    def disown(self, job: Job) -> None:
        """Let go of the folder of an allocation that has ended."""
        self.over.append(self._folder(job))

    def open_step(self, job: Job, number: int) -> str:
        """Hold the folder of a step for as long as this process lives."""
        self.held.append(self._step(job, number))
        return self.held[-1]

    def _step(self, job: Job, number: int) -> str:
        return step_folder(self.place, job, number)

    def step_outcome(self, job: Job, number: int) -> Outcome | None:
        """Return how a step has ended, or that its process has gone."""
        folder = self._step(job, number)
        if folder in self.held:
            return None
        record = files.read(folder, "end.json")
        if record is None:
            if files.held(files.path(folder, "lock")):
                return None
            record = files.read(folder, "end.json")
        (self.over if record else self.lost).append(folder)
        if record is None:
            return Outcome(self.cluster.now, states.CANCELLED, 0, 9)
        outcome = ended(record, self.cluster.now)
        return replaced(outcome, largest=(int(record["largest"]), str(record["node"])), by=record["by"])

    def order_step(self, job: Job, number: int, order: Json) -> None:
        """Ask something of a step's processes."""
        self.orders.append((self._step(job, number), order))


def ended(record: Json, now: int) -> Outcome:
    """Return what the record of a run's end means."""
    code, number, end = int(record["code"]), int(record["signal"]), min(now, int(record["end"]))
    script = Ended(end, code, number, record["user"], record["system"], int(record["rss"]), record.get("by"))
    state = states.State(record["why"]) if record["why"] else states.FAILED if code or number else states.COMPLETED
    fault = record.get("failed")
    failed = (str(fault["node"]), str(fault["reason"]), bool(fault["launched"])) if fault else None
    if failed and not failed[2]:
        return Outcome(end, states.CANCELLED, failed=failed)
    return Outcome(end, state, code, number, script, int(record["stopped"]), failed=failed)
