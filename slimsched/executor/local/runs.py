"""The runs of a live cluster whose state is about to be replaced: they are ended, or stand in the way.

Whoever calls holds the state's lock, so that no run begins meanwhile.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress

from slimsched.errors import UserError
from slimsched.executor.local import afterwards, family, files
from slimsched.state import files as state_files
from slimsched.state import layout, setup

PATIENCE = 10.0
"""Seconds that a supervisor gets to end its run; then it is killed like the rest."""


def folders(state: str) -> list[str]:
    """Return the folders of all runs of a state directory."""
    places = [os.path.join(layout.data(state, number), "runs") for number in setup.generations(state)]
    return [os.path.join(place, name) for place in places for name in state_files.names(place)]


def end_all(state: str) -> None:
    """Kill the processes of all runs, and return when they have gone; none that was to be started starts any more."""
    kill = {"do": "signal", "number": int(signal.SIGKILL), "to": "all"}
    waiting = folders(state)
    for folder in waiting:
        files.order(folder, kill)
    end = time.monotonic() + PATIENCE
    for folder in waiting:
        while not _taken(folder):  # ours until this process ends: nobody starts the run
            if time.monotonic() > end:
                _kill(folder)
                break
            time.sleep(files.TRY_AGAIN)
    if waiting:
        afterwards.tell(state, None, time.monotonic_ns())


def _taken(folder: str) -> bool:
    try:
        return files.take(os.path.join(folder, "lock")) >= 0
    except FileNotFoundError:  # another command has just removed it
        return True


def _kill(folder: str) -> None:
    """Kill a supervisor that does not answer, and its run."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill((files.read(folder, "started") or {})["pid"], signal.SIGKILL)
    family.kill_run(folder)


def refuse(state: str) -> None:
    """Raise `UserError` if a job runs: its end could not be written down."""
    alive = [name for name in folders(state) if files.held(os.path.join(name, "lock"))]
    if alive:
        ids = ", ".join(sorted((os.path.basename(name).partition(".")[0] for name in alive), key=int))
        pids = " ".join(str((files.read(name, "started") or {}).get("pid", "")) for name in alive)
        raise UserError(f"jobs are running: {ids}", notes=("wait for their end, or end them: kill -9 " + pids,))
