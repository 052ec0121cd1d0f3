"""The fields that ``sacct`` prints, and their units.

    format = field { "," field }        field = name [ "%" [ "-" ] digits ]

Any beginning of ``ALL`` stands for all fields; a ``%`` without digits is a width of 0.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slimsched.cli.sacct.accounting import INVALID
from slimsched.errors import UserError
from slimsched.render.columns import Format, NamedColumn, width_of
from slimsched.render.jobs import sacct_fields

if TYPE_CHECKING:
    from slimsched.cli.program import Given

TOGETHER = "Options -o(--format) and -l(--long) are mutually exclusive. Please remove one and retry."
DEPRECATED = {"allocgres": ("AllocGRES", "AllocTRES"), "reqgres": ("ReqGRES", "ReqTRES")}
UNITS = "KMGTP"
MEGABYTES = "M"


def columns(given: Given) -> Format:
    """Return the columns that the options or ``SACCT_FORMAT`` ask for; raises `UserError` for an unknown one."""
    texts = given.all("format")
    if given.has("long"):
        if texts:
            raise UserError(TOGETHER, level="fatal")
        texts = [sacct_fields.LONG]
    elif given.has("brief"):
        texts = [*texts, sacct_fields.BRIEF]
    text = ",".join(texts) or os.environ.get("SACCT_FORMAT") or sacct_fields.DEFAULT
    wanted = Format([column for item in text.split(",") if item.strip() for column in _columns(item.strip())])
    if given.has("expand-patterns"):
        sacct_fields.write_out_patterns(wanted)
    return wanted


def _columns(item: str) -> list[NamedColumn]:
    """Return the columns of one item; its width counts even if it is 0."""
    name, percent, size = item.partition("%")
    if name.lower() in DEPRECATED:
        raise UserError("{} is deprecated, please use {}".format(*DEPRECATED[name.lower()]), level="fatal")
    width = width_of(size)[0] if percent else None
    if name and "all".startswith(name.lower()):
        return [NamedColumn(field, width) for field in sacct_fields.ROWS.all()]
    field = sacct_fields.ROWS.by_name(name)
    if field is None:
        raise UserError(INVALID.format(name))
    return [NamedColumn(field, width)]


def unit(given: Given) -> str:
    """Return the unit of memory, "" to choose one by size; raises `UserError` for an unknown letter."""
    text = given.last("units")
    if text is not None:
        letter = text[:1].upper()
        if not letter or letter not in UNITS:
            lead = f"error: Invalid unit type '{text}'. Possible options are '{UNITS}'"
            raise UserError(f"sacct: {lead}\nsacct: fatal: Invalid unit type", level="plain")
        return letter
    return MEGABYTES if given.has("noconvert") else ""
