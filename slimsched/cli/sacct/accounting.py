"""The common parts of the accounting commands: the check for accounting, table layouts, and users."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.errors import UserError
from slimsched.render.columns import Format, Style, Table

if TYPE_CHECKING:
    from slimsched.cli.program import Given
    from slimsched.model.cluster import Cluster

UNSUPPORTED = (
    "You are not running a supported accounting_storage plugin\nOnly 'accounting_storage/slurmdbd' is supported."
)

INVALID = 'Invalid field requested: "{}"'


def disabled(cluster: Cluster) -> bool:
    """Whether the configuration turns accounting off."""
    return not cluster.config.accounting_storage


def refuse_disabled(cluster: Cluster, text: str = UNSUPPORTED) -> None:
    """Raise `UserError` if the configuration turns accounting off."""
    if disabled(cluster):
        raise UserError(text, level="plain")


def columns(table: Table, text: str) -> Format:
    """Return the columns of a format; raises `UserError` for an unknown name."""
    wanted = table.named(text)
    if wanted.invalid:
        from slimsched.text import alike

        name, known = wanted.invalid[0], [each for field in table.all() for each in field.names.split(" ")]
        raise UserError(INVALID.format(name), notes=alike.hint("field", name, known))
    return wanted


def style_of(given: Given) -> Style:
    """Return the layout that ``--parsable``, ``--parsable2``, ``--delimiter`` and ``--noheader`` ask for."""
    forms = [option.name for option, _ in given.pairs if option.name in ("parsable", "parsable2")]
    given_one = given.last("delimiter")
    delimiter = ("|" if given_one is None else given_one) if forms else None
    closing = forms[-1:] == ["parsable"]  # the last one counts
    return Style(header=not given.has("noheader"), dashes=True, delimiter=delimiter, closing=closing)
