"""``scontrol create`` and ``delete``: partitions and reservations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.scontrol.settings import Settings

DELETE_FORM = "Proper format is 'delete <ENTITY>=<ID>' or 'delete <ENTITY> <ID>'"


def create(app: Application, words: list[str], settings: Settings) -> int:
    """Create a reservation or a partition; the first word says which, with or without its name."""
    tag, _, name = words[0].partition("=")
    if tag.lower() == "complex":
        from slimsched.cli.scontrol import complexes

        return complexes.create(app, ([name] if name else []) + words[1:])
    kind = _kind(tag)
    if kind == "reservation":
        from slimsched.cli.scontrol.reservations import create as create_reservation

        return create_reservation(app, name, words[1:])
    if kind == "partition":
        rest = [word for word in words[1:] if _kind(word.partition("=")[0]) != kind]
        named = [word.partition("=")[2] for word in words if _kind(word.partition("=")[0]) == kind]
        return _create_partition(app, next(filter(None, named), ""), rest)
    raise UserError(f"Invalid creation entity: {words[0]}")


def _kind(tag: str) -> str:
    """Return the kind of record that a tag means."""
    low = tag.lower()
    if len(low) >= 3 and "reservationname".startswith(low):
        return "reservation"
    return "partition" if len(low) >= 3 and "partitionname".startswith(low) else ""


def _create_partition(app: Application, name: str, words: list[str]) -> int:
    from slimsched.cli.scontrol.update import PARTITION, assignments, refusals
    from slimsched.controller import update_partition

    if not name:
        raise UserError("PartitionName must be given.  No partition created.")
    fields = assignments(words, update_partition.FIELDS, {}, PARTITION)
    with app.session() as ctl, refusals("Error creating the partition: "):
        update_partition.create(ctl, name, fields)
    return 0


def delete(app: Application, words: list[str], settings: Settings) -> int:
    """Delete a partition or a reservation."""
    from slimsched.cli.scontrol.update import refusals

    tag, equals, name = words[0].partition("=")
    written = words[0]
    if not equals and len(words) == 2:
        name, written = words[1], " ".join(words)
    elif not equals:
        raise UserError(DELETE_FORM)
    if tag.lower() == "complex":
        from slimsched.cli.scontrol import complexes

        return complexes.delete(app, name)
    kind = _kind(tag)
    if not kind:
        raise UserError(f"Invalid deletion entity: {words[0]}")
    with app.session() as ctl, refusals(f"delete_{kind} {written}: "):
        if kind == "partition":
            from slimsched.controller import update_partition

            update_partition.delete(ctl, name)
        else:
            from slimsched.controller import reservations

            reservations.delete(ctl, name)
    return 0
