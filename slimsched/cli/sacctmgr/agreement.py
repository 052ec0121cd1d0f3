"""The question that ``sacctmgr`` asks before it changes anything."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.program import Given


def agreed(app: Application, given: Given, question: str) -> bool:
    """Ask, except with ``--immediate``; a change is made only if the answer is yes.

    The first letter of the answer that is one of Y, N and the end of the line decides, as in the real command.
    """
    from slimsched.render.accounts.sacctmgr_texts import WAITING

    if given.has("immediate"):
        return True
    for char in app.ask(question + WAITING):
        if not sys.stdin.isatty():
            app.out("")  # on a terminal the answer ended the line
        if char in "YyNn\n":
            return char in "Yy"
        app.out("Y or N please\n(N/y): ", end="")
    app.out("\nerror: Inappropriate ioctl for device")
    return False
