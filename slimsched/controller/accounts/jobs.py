"""``sacctmgr modify job``: what accounting keeps of a finished job and may be changed later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.accounts.outcome import Outcome, applied
from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.controller.accounts.where import Request
    from slimsched.controller.core import Controller

UNCHANGED = " Error with request: Data has not changed since time specified"


def modify(ctl: Controller, request: Request) -> Outcome:
    """Change the comment, ... of jobs."""
    outcome = Outcome(record=applied({}, request.settings), of_records=True)
    outcome.refusal = UserError(UNCHANGED, level="plain")
    return outcome
