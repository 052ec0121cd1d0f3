"""Ends of the tasks of a step, and the words of ``srun`` for them. Standard library only."""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Callable, Sequence

from slimsched.executor.local import family

TYPE_CHECKING = False
if TYPE_CHECKING:
    from slimsched.executor.local.files import Json

GATHERED = 0.1
"""Seconds within which the ends of tasks on a node are told in one line."""


def ranks_text(ranks: Sequence[int]) -> str:
    """Return ``task 3`` or ``tasks 0-1,4``."""
    from slimsched.text import idset

    return f"task{'s' if len(ranks) > 1 else ''} {idset.encode(ranks)}"


class Exits:
    """The ends of tasks.

    ``forced``: whether one was killed or terminated; ``silent``: nothing is said of further ones; ``tell_at``: when
    those that have ended are told of, 0 if there are none.
    """

    def __init__(
        self, nodes: Sequence[str], ranks: Sequence[Sequence[int]], say: Callable[[str], None], name: str, verbose: bool
    ) -> None:
        self.say, self.name, self.verbose = say, name, verbose
        self.node = {rank: node for node, here in zip(nodes, ranks, strict=True) for rank in here}
        self.waiting: list[tuple[int, int]] = []  # rank and status
        self.last = (0, 0)  # the exit code and signal behind that status
        self.status = 0  # the exit status of srun: the highest, in the manner of a shell
        self.worst: dict[str, int] = {}  # node -> the status of the step there: a signal is worse than an exit code
        self.user = self.system = 0.0
        self.most, self.largest = -1, 0
        self.forced = self.silent = False
        self.tell_at = 0.0

    def note(self, rank: int, status: int, usage: resource.struct_rusage) -> None:
        """Take note of a task's end."""
        code = os.waitstatus_to_exitcode(status)
        code, number = (0, -code) if code < 0 else (code, 0)
        status_here = 128 + number if number else code
        if status_here > self.status:
            self.status, self.last = status_here, (code, number)
        node = self.node[rank]
        before = self.worst.get(node, 0)
        if number or not os.WIFSIGNALED(before):
            self.worst[node] = max(before, status) if bool(number) == os.WIFSIGNALED(before) else status
        self.forced |= number in (signal.SIGKILL, signal.SIGTERM)
        self.user += usage.ru_utime
        self.system += usage.ru_stime
        size = usage.ru_maxrss // (1 if family.LINUX else 1024)
        if size > self.most:
            self.most, self.largest = size, rank
        if status or self.verbose:
            self.waiting.append((rank, status))
            self.tell_at = self.tell_at or time.time() + GATHERED

    def tell(self) -> None:
        """Say how tasks have ended badly, by node and manner."""
        groups: dict[tuple[str, int], list[int]] = {}
        for rank, status in sorted(self.waiting):
            groups.setdefault((self.node[rank], status), []).append(rank)
        for (node, status), ranks in groups.items():
            if self.verbose:
                counted = f"{len(ranks)} task{'s' if len(ranks) > 1 else ''}"
                self.say(
                    f"Received task exit notification for {counted} of StepId={self.name} (status=0x{status:04x})."
                )
            if not status:
                self.say(f"{node}: {ranks_text(ranks)}: Completed")
            elif not self.silent:
                self.say(f"error: {node}: {ranks_text(ranks)}: {_manner(status)}")
        self.waiting, self.tell_at = [], 0.0

    def record(self) -> Json:
        """Return what is written down of the step's end."""
        worst = os.waitstatus_to_exitcode(max(self.worst.values(), default=0))
        return {
            **{
                "code": max(0, worst),
                "signal": max(0, -worst),
                "status": self.status,
                "last": self.last,
                "user": self.user,
                "system": self.system,
            },
            **{"rss": max(0, self.most), "largest": self.largest, "node": self.node[self.largest]},
        }


def _manner(status: int) -> str:
    code = os.waitstatus_to_exitcode(status)
    return signal.strsignal(-code) or str(-code) if code < 0 else f"Exited with exit code {code}"
