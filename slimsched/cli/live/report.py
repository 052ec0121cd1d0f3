"""The command of a supervisor and of the waker: it brings the cluster up to date and prints nothing.

STATE TURN. It holds ``report.next`` (``TURN``: its descriptor) for as long as it lives. A run that ends meanwhile rings
its FIFO instead of starting another report, and so does the waker when an event is due. It listens for a moment after
its work (`LINGER`).
"""

from __future__ import annotations

import os
import select
import sys
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

from slimsched.cli.app import Application
from slimsched.errors import SimError
from slimsched.executor.local import files
from slimsched.state import files as state_files

if TYPE_CHECKING:
    from typing import NoReturn

    from slimsched.controller.core import Controller

LINGER = 0.25
"""Seconds; a report that starts anew takes a tenth of one."""


class Report(Application):
    """The application of a report."""

    def __init__(self, state: str, turn: int) -> None:
        super().__init__(state, "report")
        self.turn = turn
        fifo = os.path.join(state, files.REPORT)
        with suppress(FileExistsError):
            os.mkfifo(fifo, 0o600)
        self.fifo = os.open(fifo, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)

    def _open(self, stack: ExitStack, write: bool) -> Controller:
        controller = super()._open(stack, write)
        self._rung()  # whoever rang until now is seen
        return controller

    def again(self) -> bool:
        """Wait for more to do: an event that is due, or the end of a run that no command has taken note of."""
        while True:
            if select.select([self.fifo], [], [], LINGER)[0]:
                rung = self._rung()
            else:
                files.release(self.turn)
                rung = self._rung()
                if not rung or not files.retake(self.turn):
                    return False  # whoever rings now finds the turn free
            if files.DUE in rung or self._unseen():
                return True

    def _rung(self) -> bytes:
        """Return what those who have rung since the last call said."""
        try:
            return os.read(self.fifo, 65536)
        except BlockingIOError:
            return b""

    def _unseen(self) -> bool:
        runs = os.path.join(self.store.data, "runs")
        return any(os.path.exists(os.path.join(runs, name, "end.json")) for name in state_files.names(runs))


def main() -> NoReturn:
    """Bring the cluster of the command line up to date."""
    code = 0
    try:
        app = Report(sys.argv[1], int(sys.argv[2]))
        os.set_inheritable(app.turn, False)
        with app.session():
            pass
        while app.again():
            with app.session():
                pass
    except (SimError, OSError):
        code = 1  # the next command meets the same error and reports it
    os._exit(code)


if __name__ == "__main__":
    main()
