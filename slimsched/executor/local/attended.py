"""A command that runs here while an allocation lasts, as ``salloc`` runs it. Standard library only."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable, Mapping, Sequence

from slimsched.executor.local import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from slimsched.executor.local.files import Json

PASSED_ON = (signal.SIGTERM, signal.SIGHUP)
LEFT = (signal.SIGINT, signal.SIGQUIT, signal.SIGTTOU)
"""Signals that are the command's business."""


class Attended:
    """One command. Orders in the folder of its allocation are handed to ``told`` while it runs."""

    def __init__(self, folder: str, told: Callable[[Json], None]) -> None:
        self.folder, self.told = folder, told
        self.pid = 0
        self.read_to = 0  # offset in the orders

    def run(self, words: Sequence[str], environment: Mapping[str, str]) -> int:
        """Run it; return its exit code, less than 0 for a signal. Raises `OSError` if it cannot be run."""
        import subprocess

        bell, ring = os.pipe()
        os.set_blocking(ring, False)
        fifo = os.open(files.path(self.folder, "control"), os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        numbers = (*PASSED_ON, signal.SIGCHLD)
        before = {number: signal.signal(number, self._heard) for number in numbers}
        before |= {number: signal.signal(number, signal.SIG_IGN) for number in LEFT}
        waking = signal.set_wakeup_fd(ring, warn_on_full_buffer=False)
        try:
            process = subprocess.Popen(words, env=dict(environment), preexec_fn=self._as_before(dict(before)))
            self.pid = process.pid
            self._orders()
            while process.poll() is None:
                for fd in select.select([fifo, bell], [], [])[0]:
                    os.read(fd, 4096)
                self._orders()
            return process.returncode
        finally:
            signal.set_wakeup_fd(waking)
            for number, handler in before.items():
                signal.signal(number, handler)
            for fd in (bell, ring, fifo):
                os.close(fd)

    def _as_before(self, before: Mapping[signal.Signals, object]) -> Callable[[], None]:
        """Return what sets the signals of the command as they were for us."""
        ignored = {number for number, handler in before.items() if handler == signal.SIG_IGN}

        def restore() -> None:
            for number in before:
                signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)

        return restore

    def _heard(self, number: int, _frame: object) -> None:
        if number in PASSED_ON:
            self.send(number)

    def send(self, number: int) -> None:
        """Send a signal to the command."""
        if self.pid:
            try:
                os.kill(self.pid, number)
            except OSError:
                return

    def _orders(self) -> None:
        found, self.read_to = files.orders(self.folder, self.read_to)
        for order in found:
            self.told(order)
