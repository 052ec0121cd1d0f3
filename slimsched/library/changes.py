"""Changes of a cluster's records from Python, through the parsers of ``scontrol``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.requests import users
from slimsched.controller.update import job, node, partition, reservation, reservation_change
from slimsched.errors import SlurmError, UserError

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.controller.core import Controller


def update(ctl: Controller, words: list[str]) -> None:
    """Change what the words name. Raises `UserError`, also for words that name nothing."""
    tags = {word.partition("=")[0].lower() for word in words}
    change = next((change for tag, change in KINDS.items() if tag in tags), None)
    if change is None:
        raise UserError(f"an update names one of {', '.join(KINDS)}")
    change(ctl, words)


def reserve(ctl: Controller, words: list[str]) -> str:
    """Make a reservation and return its name."""
    return reservation_change.create(ctl, reservation.parse(words, reservation.CREATED), users.invoking(ctl.cluster))


def _node(ctl: Controller, words: list[str]) -> None:
    node.update(ctl, node.parse(words), users.invoking(ctl.cluster))


def _partition(ctl: Controller, words: list[str]) -> None:
    partition.update(ctl, partition.parse(words))


def _reservation(ctl: Controller, words: list[str]) -> None:
    reservation_change.update(ctl, reservation.parse(words, reservation.UPDATED))


def _job(ctl: Controller, words: list[str]) -> None:
    for failure in job.update(ctl, job.parse(words, lambda *said: None)):
        raise SlurmError(failure.errno, detail=failure.detail, notes=failure.notes)


KINDS: dict[str, Callable[[Controller, list[str]], None]] = {
    "jobid": _job,
    "nodename": _node,
    "reservationname": _reservation,
    "partitionname": _partition,
}
"""The word that names a record -> how it is changed; a job's line may name a partition and a reservation as well."""
