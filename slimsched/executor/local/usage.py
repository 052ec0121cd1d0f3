"""What the processes of running steps use, as ``/proc`` tells it. Standard library only.

A step's processes are those of its tasks; the script of a batch job is one task, and what it started beside the steps
belongs to it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from slimsched.executor.local import family, files


class Used(NamedTuple):
    """Seconds of CPU, kB of resident and virtual memory at their highest, pages read in, bytes read and written."""

    cpu: float = 0.0
    rss: int = 0
    vmem: int = 0
    pages: int = 0
    read: int = 0
    written: int = 0


class Task(NamedTuple):
    """One task that runs: its place, its own process and all of its processes."""

    rank: int
    node: str
    local: int  # its number on the node
    pid: int
    pids: tuple[int, ...]

    def used(self) -> Used:
        """Return what its processes use together."""
        found = [_used(pid) for pid in self.pids]
        return Used(*map(sum, zip(*found, strict=True))) if found else Used()


def of_step(folder: str) -> list[Task]:
    """Return the tasks of a step that run, in their order; none where that cannot be told."""
    found = files.read(folder, "tasks.json")
    if found is None or not family.LINUX:
        return []
    pids: Mapping[str, int] = found["pids"]
    children, tasks = family.children(), []
    for node, ranks in zip(found["nodes"], found["ranks"], strict=True):
        for local, rank in enumerate(ranks):
            pid = pids.get(str(rank), 0)
            if os.path.exists(f"/proc/{pid}"):
                tasks.append(Task(rank, node, local, pid, (pid, *family.descendants(pid, children))))
    return tasks


def of_script(folder: str, node: str) -> list[Task]:
    """Return the task that the script of a run is, none where that cannot be told."""
    found = files.read(folder, "started")
    if found is None or not family.LINUX or not files.held(files.path(folder, "lock")):
        return []
    children, supervisor = family.children(), int(found["pid"])
    pids = family.descendants(supervisor, children, files.tasks(folder))
    script = next((pid for pid in children.get(supervisor, ()) if pid in pids), 0)
    return [Task(0, node, 0, script, tuple(pids))] if script else []


def _used(pid: int) -> Used:
    """Return what a process uses, nothing of one that has gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b") ")[2].split()
    except OSError:
        return Used()
    memory, data = _table(pid, "status"), _table(pid, "io")
    ticks = os.sysconf("SC_CLK_TCK")
    return Used(
        cpu=sum(map(int, fields[11:15])) / ticks,  # its own and that of its children which have ended
        rss=memory.get("VmHWM", 0),
        vmem=memory.get("VmPeak", 0),
        pages=int(fields[9]),
        read=data.get("rchar", 0),
        written=data.get("wchar", 0),
    )


def _table(pid: int, name: str) -> dict[str, int]:
    """Return the numbers of a file of lines ``NAME: NUMBER ...``."""
    try:
        with open(f"/proc/{pid}/{name}", encoding="ascii", errors="replace") as file:
            lines = [line.partition(":") for line in file]
    except OSError:
        return {}
    return {key: int(words[0]) for key, _, text in lines if (words := text.split()) and words[0].isdecimal()}
