"""The faults that a test wrote for Slurm's commands: a list in the state directory, each with its count.

The list belongs to the cluster, not to a generation of it: ``faults.json`` is there only while a fault is, so that
a command of a cluster without faults pays for one question to the file system.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from slimsched.errors import StateError
from slimsched.state import files, formats, layout, lock


class Fault(msgspec.Struct, omit_defaults=True, kw_only=True):
    """What a command does in place of its work, or with its answer.

    ``times``: how often, None without end. ``after``: calls of the command that go well first. ``delay``: seconds of
    waiting before anything else. ``stdout``, ``stderr``, ``exit_code``: the answer. ``run``: the command does
    its work all the same, and only its answer is lost. ``truncate``: bytes that are left of its own answer.
    ``lag``: seconds by which the accounting that it shows is behind.
    ``unreachable``: whom the command talks to cannot be reached, and it says so as Slurm does.
    """

    number: int
    command: str
    times: int | None = None
    after: int = 0
    delay: int = 0
    stdout: str | None = None
    stderr: str | None = None
    exit_code: int | None = None
    run: bool = False
    truncate: int | None = None
    unreachable: bool = False
    lag: int = 0

    @property
    def answers(self) -> bool:
        """Whether it says what the command answers."""
        return not (self.stdout is None and self.stderr is None and self.exit_code is None)


def load(folder: str) -> list[Fault]:
    """Return the faults in the order in which they were added."""
    path = layout.faults(folder)
    data = files.read(path)
    try:
        return msgspec.json.decode(data, type=list[Fault]) if data is not None else []
    except formats.UNREADABLE as problem:
        raise StateError(path, f"is damaged: {problem}", "remove the file; it holds nothing but faults") from problem


def add(folder: str, make: Callable[[int], Fault]) -> Fault:
    """Add the fault that ``make`` returns for the next free number, durably."""
    with lock.held(folder, exclusive=True):
        found = load(folder)
        fault = make(max((each.number for each in found), default=0) + 1)
        _save(folder, [*found, fault])
    return fault


def clear(folder: str, numbers: Sequence[int] = ()) -> list[int]:
    """Remove the faults with these numbers, all of them if there is none; return those that were not there."""
    with lock.held(folder, exclusive=True):
        found = load(folder)
        _save(folder, [fault for fault in found if numbers and fault.number not in numbers])
    return sorted(set(numbers) - {fault.number for fault in found})


def take(folder: str, command: str) -> Fault | None:
    """Return the fault that holds for this call of ``command``, and use up one of its times.

    The first one holds whose ``after`` is over. Each call is counted once, whatever runs at the same time.
    """
    if not any(fault.command == command for fault in load(folder)):
        return None
    taken = None
    with lock.held(folder, exclusive=True):
        found = load(folder)
        before = msgspec.json.encode(found)
        for fault in found:
            if fault.command != command:
                continue
            if fault.after:
                fault.after -= 1
            elif taken is None:
                taken = fault
                fault.times = None if fault.times is None else fault.times - 1
        if msgspec.json.encode(found) != before:
            _save(folder, [fault for fault in found if fault.times != 0])
    return taken


def _save(folder: str, faults: Sequence[Fault]) -> None:
    path = layout.faults(folder)
    if faults:
        files.replace(path, msgspec.json.encode(faults))
    elif files.kind(path):
        files.remove_tree(path)
        files.sync(folder)
