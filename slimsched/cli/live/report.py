"""The command of a supervisor and of the waker: it brings the cluster up to date and prints nothing.

python -m slimsched.cli.live.report STATE TURN. Reports that wait for the state's lock at the same time would all do the
same: the one that waits holds ``report.next`` (``TURN``: its descriptor) until it has the lock, others need not come.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING

from slimsched.cli.app import Application
from slimsched.errors import SimError

if TYPE_CHECKING:
    from slimsched.controller.core import Controller


class Report(Application):
    """The application of a report; ``turn``: the descriptor of its place in the queue, -1 once it has the lock."""

    def __init__(self, state: str, turn: int) -> None:
        super().__init__(state, "report")
        self.turn = turn

    def _open(self, stack: ExitStack, write: bool) -> Controller:
        controller = super()._open(stack, write)
        if self.turn >= 0:  # a run that ends from now on may be missed here
            os.close(self.turn)
            self.turn = -1
        return controller


def main() -> int:
    """Bring the cluster of the command line up to date."""
    app = Report(sys.argv[1], int(sys.argv[2]))
    os.set_inheritable(app.turn, False)
    try:
        with app.session():
            pass
    except (SimError, OSError):
        return 1  # the next command meets the same error and reports it
    return 0


if __name__ == "__main__":
    sys.exit(main())
