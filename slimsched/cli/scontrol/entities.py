"""``scontrol create`` and ``delete``: nodes, partitions, reservations and complex attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.cli.scontrol.update import reworded
from slimsched.controller.update.fields import cut
from slimsched.errors import SlurmError, UserError
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.scontrol.settings import Settings

ONE_PARTITION = (
    "Note, unless nodes are directly requested a reservation must exist in a single partition.\n"
    "If no partition is requested the default partition is assumed."
)
TOO_MANY = frozenset({Errno.REQUESTED_NODE_CONFIG_UNAVAILABLE, Errno.NODES_BUSY})
DELETE_FORM = "Proper format is 'delete <ENTITY>=<ID>' or 'delete <ENTITY> <ID>'"
KINDS = ("node", "partition", "reservation")
LETTERS = 3


def create(app: Application, words: list[str], settings: Settings) -> int:
    """Create what the first word that names a kind of record says."""
    if cut(words[0]).tag.lower() == "complex":
        from slimsched.cli.scontrol import complexes

        name = cut(words[0]).text
        return complexes.create(app, ([name] if name else []) + words[1:])
    kinds = (_kind(cut(word).tag) for word in words)
    kind = next(filter(None, kinds), "")
    if kind == "reservation":
        return _create_reservation(app, words)
    if kind == "partition":
        return _create_partition(app, words)
    if kind == "node":
        return _create_nodes(app, words)
    raise UserError(f"Invalid creation entity: {words[0]}", notes=_meant(cut(words[0]).tag))


def _create_reservation(app: Application, words: list[str]) -> int:
    """Create a reservation from its fields."""
    from slimsched.controller.requests import users
    from slimsched.controller.update import reservation, reservation_change

    request = reservation.parse(words, reservation.CREATED)
    with app.session() as ctl:
        try:
            made = reservation_change.create(ctl, request, users.invoking(ctl.cluster))
        except SlurmError as error:
            if error.errno in TOO_MANY:
                app.out(ONE_PARTITION)
            raise reworded(error, "Error creating the reservation: ") from None
    app.out(f"Reservation created: {made}")
    return 0


def _kind(tag: str) -> str:
    """Return the kind of record that a tag means."""
    low = tag.lower()
    return next((kind for kind in KINDS if len(low) >= LETTERS and f"{kind}name".startswith(low)), "")


def _create_nodes(app: Application, words: list[str]) -> int:
    """Create nodes from the words of a NodeName line."""
    from slimsched.cli.scontrol.update import refusals
    from slimsched.controller.update import node_table

    with app.session() as ctl, refusals("Error creating node(s): "):
        node_table.create(ctl, words)
    return 0


def _meant(tag: str) -> tuple[str]:
    from slimsched.text import alike

    return (alike.unknown("entity", tag, [f"{kind}name" for kind in KINDS]),)


def _create_partition(app: Application, words: list[str]) -> int:
    from slimsched.cli.scontrol.update import refusals
    from slimsched.controller.requests import rights
    from slimsched.controller.update import partition

    request = partition.parse(words)
    if request.name.lower() == "default":
        raise UserError('PartitionName cannot be "DEFAULT".')
    with app.session() as ctl, refusals("Error creating the partition: "):
        if request.name in ctl.cluster.partitions and rights.level(ctl.cluster):
            change = f"scontrol update partitionname={request.name}"
            app.remarks.append(f"there is a partition {request.name}; {change} changes it")
        partition.create(ctl, request)
    return 0


def delete(app: Application, words: list[str], settings: Settings) -> int:
    """Delete nodes, a partition or a reservation: ``KIND=NAME`` or ``KIND NAME``."""
    from slimsched.cli.scontrol.update import refusals

    word = cut(words[0])
    if len(words) > 2 or (len(words) == 1 and word.text is None):
        raise UserError(DELETE_FORM)
    tag, name = (words[0], words[1]) if len(words) == 2 else (word.tag, word.text or "")
    if tag.lower() == "complex":
        from slimsched.cli.scontrol import complexes

        return complexes.delete(app, name)
    kind = _kind(tag)
    if not kind:
        raise UserError(f"Invalid deletion entity: {words[0]}", level="plain", notes=_meant(tag))
    with app.session() as ctl, refusals(f"delete_{kind} {words[0]}: "):
        if kind == "partition":
            from slimsched.controller.update import partition

            partition.delete(ctl, name)
        elif kind == "reservation":
            from slimsched.controller.update import reservation_change

            reservation_change.delete(ctl, name)
        else:
            from slimsched.controller.update import node_table

            node_table.delete(ctl, name)
    return 0
