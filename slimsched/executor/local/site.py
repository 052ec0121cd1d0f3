"""The programs of a site that go with every job: prologs, epilogs, and those of a task. Standard library only.

A call: ``path``, ``environment``, ``node`` ("" for those of slurmctld), and ``reason``, why a node is drained where it
fails. The programs of all nodes run side by side, a few at a time, as the user whose cluster it is; they print nowhere.
"""

from __future__ import annotations

import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from slimsched.executor.local.files import Json

AT_ONCE = 16
DEFAULTS = (signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE)
"""Signals that a supervisor ignores, and a program must not."""


def run(calls: list[Json], more: dict[str, str]) -> Json | None:
    """Run programs, those of slurmctld ahead of those of nodes as listed; return a call that failed, None if none did.

    ``more``: what is added to the environment of each. What follows a failure does not begin.
    """
    for kind in dict.fromkeys(bool(call["node"]) for call in calls):
        group = [call for call in calls if bool(call["node"]) == kind]
        for first in range(0, len(group), AT_ONCE):
            started = [(_start(call, more), call) for call in group[first : first + AT_ONCE]]
            failed = [call for pid, call in started if not pid or os.waitpid(pid, 0)[1]]
            if failed:
                return failed[0]
    return None


def _start(call: Json, more: dict[str, str]) -> int:
    """Start one program and return its process id, 0 if it cannot be executed."""
    null = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in (0, 1, 2)]
    environment = {**call["environment"], **more}
    try:
        return os.posix_spawn(call["path"], [call["path"]], environment, file_actions=null, setsigdef=DEFAULTS)
    except OSError:
        return 0


def ended(code: int, number: int, at: float) -> dict[str, str]:
    """Return what an epilog sees of a job that ended with an exit code or by a signal."""
    return {
        "SLURM_JOB_DERIVED_EC": "0",
        "SLURM_JOB_END_TIME": str(int(at)),
        "SLURM_JOB_EXIT_CODE": str(code << 8 | number),
        "SLURM_JOB_EXIT_CODE2": f"{code}:{number}",
    }


def task_prolog(path: str, environment: dict[str, str]) -> dict[str, str]:
    """Run the prolog of a task, which is this process; return the environment that it makes, and print what it says.

    Its lines are ``export NAME=VALUE``, ``unset NAME`` and ``print TEXT``; others say nothing. Raises `OSError` if it
    cannot be run, or fails.
    """
    heard, told = os.pipe()
    pid = os.posix_spawn(path, [path], environment, file_actions=[(os.POSIX_SPAWN_DUP2, told, 1)])
    os.close(told)
    with os.fdopen(heard, "rb") as file:
        lines = file.read().decode("utf-8", "surrogateescape").splitlines()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status:
        raise OSError(status, "--task-prolog failed")
    found = dict(environment)
    for line in lines:
        word, _, rest = line.strip().partition(" ")
        name, equals, value = rest.partition("=")
        if word == "print":
            os.write(1, f"{rest}\n".encode("utf-8", "surrogateescape"))
        elif word == "export" and equals:
            found[name] = value
        elif word == "unset":
            found.pop(rest.strip(), None)
    return found
