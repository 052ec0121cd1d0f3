"""The waiting tasks of an array as Slurm writes them, cut to the length given by ``SLURM_BITSTR_LEN``.

Source: squeue man page, ``SLURM_BITSTR_LEN``.
"""

from __future__ import annotations

import os

from slimsched.text.sizes import strtol

VARIABLE = "SLURM_BITSTR_LEN"
USUAL, MOST = 64, 4096  # characters, the end of a C string among them
NAME_ROOM = 31  # characters of ``12_[1,3,5]`` where the variable is not set


def room() -> int:
    """Return how many characters a list of tasks may have, with one for its end; 0: as many as it needs."""
    text = os.environ.get(VARIABLE)
    if text is None:
        return USUAL
    number = strtol(text)[0]
    return USUAL if number < 0 else min(number, MOST)


def shown(tasks: str, throttle: int = 0) -> str:
    """Return an idset of tasks as a list, cut with dots, and its throttle: ``1,3,...%2``.

    A regular step is not written as one (``--array=0-15:4`` is ``0,4,8,12``), as in the record of Slurm 26.11.
    """
    return _cut(tasks, room()) + (f"%{throttle}" if throttle else "")


def name(array_id: int, tasks: str) -> str:
    """Return the id of an array with tasks that wait, which stands in a small space unless the variable is set."""
    text = f"{array_id}_[{tasks}]"
    return text if VARIABLE in os.environ else text[:NAME_ROOM]


def _cut(tasks: str, size: int) -> str:
    """Return a list that fits into ``size`` characters with its end, the last three of them dots if it was cut."""
    if not size or len(tasks) <= size - 3:
        return tasks
    fits = f"{tasks},"[: size - 1][:-1]
    if len(fits) <= size - 3:
        return fits
    kept = max(size - 4, 0)
    return fits[:kept] + "..."[: size - 1 - kept]
