"""Reservations in ``scontrol``: create and update."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.cli.scontrol.update import Wording, assignments
from slimsched.errno import Errno
from slimsched.errors import SlurmError, UserError

if TYPE_CHECKING:
    from slimsched.cli.app import Application

LISTS = frozenset({"Users", "Accounts", "Groups", "Flags", "Duration"})
UNKNOWN = "Unknown parameter {{}}.  No reservation {}."
CREATE = Wording(UNKNOWN.format("created"), UNKNOWN.format("created"), "error", LISTS)
UPDATE = Wording(UNKNOWN.format("update"), UNKNOWN.format("update"), "error", LISTS)
ONE_PARTITION = (
    "Note, unless nodes are directly requested a reservation must exist in a single partition.\n"
    "If no partition is requested the default partition is assumed."
)


def create(app: Application, name: str, words: list[str]) -> int:
    """Create a reservation from its fields."""
    from slimsched.controller import reservations, users
    from slimsched.controller.reservation_fields import ALIASES, FIELDS

    named = [word.partition("=")[2] for word in words if _names(word)]
    fields = assignments([word for word in words if not _names(word)], FIELDS, ALIASES, CREATE)
    with app.session() as ctl:
        try:
            made = reservations.create(ctl, name or (named[0] if named else ""), fields, users.invoking())
        except SlurmError as error:
            if error.errno == Errno.NODES_BUSY and any(item.field == "NodeCnt" for item in fields):
                app.out(ONE_PARTITION)
            raise UserError(f"Error creating the reservation: {error.message}", level="plain") from None
    app.out(f"Reservation created: {made}")
    return 0


def _names(word: str) -> bool:
    """Whether a word gives the reservation's name."""
    tag, equals, _ = word.partition("=")
    return bool(equals) and len(tag) >= 3 and "reservationname".startswith(tag.lower())


def update(app: Application, name: str, words: list[str]) -> int:
    """Update a reservation by fields."""
    from slimsched.cli.scontrol.update import refusals
    from slimsched.controller import reservations
    from slimsched.controller.reservation_fields import ALIASES, FIELDS

    fields = assignments(words, FIELDS, ALIASES, UPDATE)
    if not fields:
        raise UserError("No changes specified")
    with app.session() as ctl, refusals("slurm_update error: "):
        reservations.update(ctl, name, fields)
    app.out("Reservation updated.")
    return 0
