"""Reservations in ``scontrol``: create and update."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.cli.scontrol import keys
from slimsched.cli.scontrol.reservation_keys import ONCE, RESERVATION_KEYS, SKIP
from slimsched.errno import Errno
from slimsched.errors import SlurmError, UserError

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.scontrol.keys import Key, Word
    from slimsched.controller.update.job import Assignment

CREATED, UPDATED = "No reservation created.", "No reservation update."
ONE_PARTITION = (
    "Note, unless nodes are directly requested a reservation must exist in a single partition.\n"
    "If no partition is requested the default partition is assumed."
)
TOO_MANY = frozenset({Errno.REQUESTED_NODE_CONFIG_UNAVAILABLE, Errno.NODES_BUSY})


def create(app: Application, words: list[str]) -> int:
    """Create a reservation from its fields."""
    from slimsched.cli.scontrol.update import reworded
    from slimsched.controller.reservations import records
    from slimsched.controller.submit import users

    name, fields = parse(words, CREATED)
    with app.session() as ctl:
        try:
            made = records.create(ctl, name or "", fields, users.invoking())
        except SlurmError as error:
            if error.errno in TOO_MANY:
                app.out(ONE_PARTITION)
            raise reworded(error, "Error creating the reservation: ") from None
    app.out(f"Reservation created: {made}")
    return 0


def update(app: Application, words: list[str]) -> int:
    """Update a reservation by fields; without any it stays as it is."""
    from slimsched.cli.scontrol.update import refusals
    from slimsched.controller.reservations import records

    name, fields = parse(words, UPDATED)
    if name is None:
        raise UserError(f"Reservation must be given.  {UPDATED}")
    with app.session() as ctl, refusals("slurm_update error: "):
        records.update(ctl, name, fields)
    app.out("Reservation updated.")
    return 0


def parse(words: list[str], outcome: str) -> tuple[str | None, list[Assignment]]:
    """Return the name and the other fields of a command. Raises `UserError` with ``outcome`` at its end."""
    from slimsched.controller.update.job import Assignment

    def refuse(word: Word, key: Key | None) -> UserError:
        if word.value is None:
            said = f"Misformatted parameter '{word.written}', most options have a parameter after '='."
        elif key is None:
            said = f"Unknown parameter {word.written}."
        else:
            said = f"The +=/-= notation is not supported when updating {word.tag}."
        return UserError(f"{said}  {outcome}")

    bare = [word for word in words if "=" not in word]
    given = [word for word in words if "=" in word or not _names_nothing(word)]
    fields = keys.assignments(given, RESERVATION_KEYS, refuse)
    if any(keys.find((SKIP,), word) for word in bare):
        fields.append(Assignment("Skip", "", "", "Skip"))
    seen: set[str] = set()
    for field in fields:
        if field.field in ONCE & seen:
            raise UserError(f"Parameter {field.written} specified more than once")
        seen.add(field.field)
    name = next((field.value for field in reversed(fields) if field.field == "ReservationName"), None)
    return name, [field for field in fields if field.field != "ReservationName"]


def _names_nothing(word: str) -> bool:
    """Whether a word without a value may stand there: the entity itself, or ``Skip``."""
    return word.lower().startswith("res") or keys.find((SKIP,), word) is not None
