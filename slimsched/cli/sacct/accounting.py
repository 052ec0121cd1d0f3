"""What the accounting commands share: is there accounting at all, how is a table laid out, who is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.errors import UserError
from slimsched.render.accounts.tables import Field, Style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slimsched.cli.app import Application
    from slimsched.cli.program import Given
    from slimsched.model.cluster import Cluster

STORAGE = "accounting_storage/slurmdbd"
"""What JSON names as the source of accounting records."""
UNSUPPORTED = (
    "You are not running a supported accounting_storage plugin\nOnly 'accounting_storage/slurmdbd' is supported."
)


def disabled(cluster: Cluster) -> bool:
    """Whether the configuration turns accounting off."""
    return cluster.config.get("AccountingStorageType").lower() in {"accounting_storage/none", "none", ""}


def refuse_disabled(cluster: Cluster, text: str = UNSUPPORTED) -> None:
    """Raise `UserError` if the configuration turns accounting off."""
    if disabled(cluster):
        raise UserError(text, level="plain")


def print_fields(app: Application, fields: Sequence[Field], rows: Sequence[object], style: Style) -> None:
    """Print rows as Slurm does, or as a coloured table if a person looks at them."""
    if app.draws:
        from slimsched.render.terminal import show_fields

        show_fields(fields, rows, style)
        return
    lines = style.lines(fields, rows)
    if lines:
        app.out("\n".join(lines))


def style_of(given: Given, *, dashes: bool = True) -> Style:
    """Return the layout that ``--parsable``, ``--parsable2``, ``--delimiter`` and ``--noheader`` ask for."""
    ended, between = given.has("parsable"), given.has("parsable2")
    given_one = given.last("delimiter")
    delimiter = ("|" if given_one is None else given_one) if ended or between else None
    return Style(delimiter, closing=ended and not between, header=not given.has("noheader"), dashes=dashes)
