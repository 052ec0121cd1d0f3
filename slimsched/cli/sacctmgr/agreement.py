"""The question that ``sacctmgr`` asks before it changes anything."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from slimsched.slurm import kinds

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.program import Given


def agreed(app: Application, given: Given, question: str) -> bool:
    """Ask, except with ``--immediate``; a change is made only if the answer is yes."""
    from slimsched.render.accounts.sacctmgr_texts import WAITING

    if given.has("immediate"):
        return True
    answer = app.ask(question + WAITING)
    if not sys.stdin.isatty():
        app.out("" if answer else "\nerror: Inappropriate ioctl for device")  # on a terminal the answer ended the line
    return kinds.yes_no(answer.strip()) is True
