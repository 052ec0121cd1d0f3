"""The command boundary: opens the state, runs one command, settles and commits, turns errors into text.

Nothing below this file prints or exits.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from slimsched.errors import SimError, SlurmError, StateError, SyntaxFault, UserError

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.state.store import Store


class Application:
    """What every command gets: where the state is, and how to print. ``command`` is the Slurm command's name."""

    def __init__(self, state: str | None = None, command: str = "sim") -> None:
        self.state = state
        self.command = command

    @contextmanager
    def session(self, *, write: bool = True) -> Iterator[Controller]:
        """Lock and load the state, bring it up to date, yield the controller; on success run the pass and commit.

        An exception inside leaves the state as it was.
        """
        from slimsched.controller.core import Controller
        from slimsched.state.store import Store

        with Store.open(self.state, write=write) as store:
            controller = Controller(store.load())
            controller.catch_up()
            yield controller
            if write:
                controller.settle()
                store.commit(controller.cluster)

    def out(self, text: str, *, end: str = "\n") -> None:
        """Print to standard output."""
        sys.stdout.write(text + end)

    def err(self, text: str) -> None:
        """Print a line to standard error."""
        sys.stderr.write(text + "\n")

    def note(self, text: str) -> None:
        """Print a line of our own, one that the real command would not print."""
        self.err(f"{self.command}: note: {text}")
