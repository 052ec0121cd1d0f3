"""The family of a run: all processes that descend from its supervisor, and signals to them. Standard library only.

Where a process may adopt its orphaned descendants (Linux), none leaves the family; elsewhere the family is the process
group of the script. Supervisors of other runs, started by a command inside the job, are no part of it.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Iterable
else:
    import _signal as signal  # what `signal` is made of, without its enums

LINUX = sys.platform.startswith("linux")
OURS = (b"slimsched.executor.local.", b"slimsched.cli.live.report")
"""What the command line of a process has that belongs to the cluster, not to the job that called a command."""

LISTED = "/proc/{}/task/{}/children"

_SUBREAPER, _PARENT_DEATH = 36, 1  # PR_SET_CHILD_SUBREAPER, PR_SET_PDEATHSIG


def adopt() -> None:
    """Become the parent of all descendants whose own parent ends."""
    _prctl(_SUBREAPER, 1)


def end_with_parent() -> None:
    """Let this process be killed when its parent ends."""
    _prctl(_PARENT_DEATH, signal.SIGKILL)


def _prctl(what: int, value: int) -> None:
    if LINUX:
        import _ctypes  # what `ctypes` is made of, at a fifteenth of its price: a supervisor makes one call

        call = _ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl")  # type: ignore[arg-type]
        _ctypes.call_function(call, (what, int(value), 0, 0, 0))


def members(script: int, apart: frozenset[int] = frozenset()) -> list[int]:
    """Return the ids of the family's processes, without the supervisor and the branches that are ``apart``.

    ``script``: the process that leads it.
    """
    return descendants(os.getpid(), children(), apart) if LINUX else [-script]


def children() -> dict[int, list[int]]:
    """Return the children of each process (Linux)."""
    found: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            found.setdefault(_parent(name), []).append(int(name))
    return found


def descendants(root: int, children: dict[int, list[int]], apart: frozenset[int] = frozenset()) -> list[int]:
    """Return what descends from a process, without what belongs to the cluster and the branches that are ``apart``."""
    found: list[int] = []
    waiting = [root]
    while waiting:
        for pid in children.get(waiting.pop(), ()):
            if pid not in apart and not _is_ours(pid):
                found.append(pid)
                waiting.append(pid)
    return found


def _children(pid: int) -> list[int]:
    """Return the ids of a process's children, as the kernel lists them; some may be missing while others end."""
    found: list[int] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(LISTED.format(pid, thread), "rb") as file:
                found += [int(child) for child in file.read().split()]
    except OSError:
        return found
    return [child for child in found if _parent(str(child)) != -1]


def _all_children() -> Callable[[int], list[int]]:
    """Return what `_children` is on a kernel that has no such lists: all processes are looked at."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            children.setdefault(_parent(name), []).append(int(name))
    return lambda pid: children.get(pid, [])


def _parent(pid: str) -> int:
    """Return the id of a process's parent; -1 for one that has gone or is a zombie."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b") ")[2].split()
    except OSError:
        return -1
    return -1 if fields[0] == b"Z" else int(fields[1])


def _is_ours(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            words = file.read(4096)
    except OSError:
        return False
    return any(word in words for word in OURS)


def send(script: int, *numbers: int, apart: frozenset[int] = frozenset()) -> None:
    """Send signals to every process of the family, but those ``apart``."""
    for pid in members(script, apart):
        for number in numbers:
            try:
                os.kill(pid, number)
            except OSError:
                continue


def kill(script: int) -> bool:
    """Kill the family; whether there was anything to kill."""
    found = members(script)
    send(script, signal.SIGKILL)
    return bool(found)


def memory(pids: Iterable[int]) -> int:
    """Return the bytes of resident memory of processes; 0 where that cannot be told."""
    pages = 0
    for pid in pids if LINUX else ():
        try:
            with open(f"/proc/{pid}/statm", "rb") as file:
                pages += int(file.read().split()[1])
        except (OSError, IndexError):
            continue
    return pages * os.sysconf("SC_PAGE_SIZE")


def kill_run(folder: str) -> None:
    """Kill what a supervisor that died has left: the processes that have its run in their environment (Linux)."""
    mark = f"SLIMSCHED_RUN={folder}".encode()
    _kill_those(lambda pid: mark in _words(pid, "environ") and not _is_ours(int(pid)))


def kill_cluster(state: str) -> None:
    """Kill all processes of a live cluster that is removed: supervisors, the waker, and what jobs left (Linux)."""
    place = os.fsencode(state)
    run = b"SLIMSCHED_RUN=" + place + b"/"
    _kill_those(
        lambda pid: (
            any(word.startswith(run) for word in _words(pid, "environ"))
            or (_is_ours(int(pid)) and any(w == place or w.startswith(place + b"/") for w in _words(pid, "cmdline")))
        )
    )


def _kill_those(meant: Callable[[str], bool]) -> None:
    """Kill the processes that are meant, other than this one."""
    for name in os.listdir("/proc") if LINUX else ():
        if name.isdigit() and int(name) != os.getpid() and meant(name):
            try:
                os.kill(int(name), signal.SIGKILL)
            except OSError:
                continue


def _words(pid: str, name: str) -> list[bytes]:
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return file.read().split(b"\0")
    except OSError:
        return []
