"""Ends of jobs that a test decides: what they read like, and when they come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model.job import Fate
from slimsched.slurm import states

if TYPE_CHECKING:
    from slimsched.model.request import JobRequest
    from slimsched.slurm.states import State

CODES = {states.FAILED: (1, 0), states.BOOT_FAIL: (1, 0), states.NODE_FAIL: (1, 0), states.COMPLETED: (0, 0)}
"""State -> exit code and signal of a job that ends so, where they are not those of its batch step."""


def decided(state: State, exit_code: int | None = None, signal: int = 0, after: int | None = None) -> Fate:
    """Return the fate to end in ``state``; ``exit_code`` and ``signal`` are those of one that fails."""
    step = states.JOB[state].step
    code, number = CODES.get(state) or (step[1:] if step else (0, 0))
    if state == states.FAILED and (exit_code or signal):
        code, number = exit_code or 0, signal
    return Fate(state, code, number, after)


def asked(request: JobRequest) -> Fate | None:
    """Return the fate that a submission asks for with ``--sim-state``, None without it."""
    state = states.job_state(request.sim_state)
    return decided(state, request.sim_exit) if state else None


def asked_live(request: JobRequest) -> Fate | None:
    """Return the same for a job that really runs: its end, if any of the options of the simulation decides it."""
    runtime = request.sim_runtime if request.sim_runtime is not None and request.sim_runtime >= 0 else None
    if not request.sim_state and request.sim_exit is None and runtime is None:
        return None
    state = states.job_state(request.sim_state) or (states.FAILED if request.sim_exit else states.COMPLETED)
    return decided(state, request.sim_exit, after=runtime)
