"""``srun --async``: the step waits and runs behind the back of its caller, who goes on once it is accepted."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slimsched.cli.submit.options.request import Draft

OUTPUT = "slurm-%J.out"
"""Where the tasks write if nothing else is said: nobody listens to the terminal."""


def detach(made: Draft) -> Callable[[], None]:
    """Go on as a process of our own; return what tells our caller that the step is accepted.

    Our caller ends as soon as it hears that, or as this process does if the step is refused.
    """
    made.fields.setdefault("output", OUTPUT)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    heard, told = os.pipe()
    pid = os.fork()
    if pid:
        os.close(told)
        accepted = os.read(heard, 1)
        os._exit(0 if accepted else os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) % 256)
    os.close(heard)
    os.setsid()

    def accept() -> None:
        os.write(told, b"+")
        os.close(told)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        os.close(null)

    return accept
