"""Reservations in ``scontrol``: create and update."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.errors import SlurmError
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from slimsched.cli.app import Application

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
    from slimsched.controller.update import reservation

    request = reservation.parse(words, reservation.CREATED)
    with app.session() as ctl:
        try:
            made = records.create(ctl, request, users.invoking())
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
    from slimsched.controller.update import reservation

    request = reservation.parse(words, reservation.UPDATED)
    with app.session() as ctl, refusals("slurm_update error: "):
        records.update(ctl, request)
    app.out("Reservation updated.")
    return 0
