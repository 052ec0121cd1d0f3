"""Which fields ``sacct`` prints, and in which unit.

    format = field { "," field }        field = name [ "%" [ "-" ] digits ]

Any beginning of ``ALL`` stands for all fields; a ``%`` without digits is a width of 0.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slimsched.errors import UserError
from slimsched.render.accounts import tables
from slimsched.render.jobs import sacct_fields

if TYPE_CHECKING:
    from slimsched.cli.program import Given
    from slimsched.render.accounts.tables import Field

TOGETHER = "Options -o(--format) and -l(--long) are mutually exclusive. Please remove one and retry."
DEPRECATED = {"allocgres": ("AllocGRES", "AllocTRES"), "reqgres": ("ReqGRES", "ReqTRES")}
UNITS = "KMGTP"
MEGABYTES = "M"


def fields(given: Given) -> list[Field]:
    """Return the fields that the options or ``SACCT_FORMAT`` ask for; raises `UserError` for an unknown one."""
    texts = given.all("format")
    if given.has("long"):
        if texts:
            raise UserError(TOGETHER, level="fatal")
        texts = [sacct_fields.LONG]
    elif given.has("brief"):
        texts = [*texts, sacct_fields.BRIEF]
    text = ",".join(texts) or os.environ.get("SACCT_FORMAT") or sacct_fields.DEFAULT
    chosen = [field for item in text.split(",") if item.strip() for field in _named(item.strip())]
    return sacct_fields.expanded(chosen) if given.has("expand-patterns") else chosen


def _named(item: str) -> list[Field]:
    name, percent, size = item.partition("%")
    if name.lower() in DEPRECATED:
        raise UserError("{} is deprecated, please use {}".format(*DEPRECATED[name.lower()]), level="fatal")
    every = bool(name) and "all".startswith(name.lower())
    found = list(sacct_fields.FIELDS) if every else [tables.find(sacct_fields.FIELDS, name)]
    if not percent:
        return found
    return [field.resized(tables.width_of(size)) for field in found]


def unit(given: Given) -> str:
    """Return the unit of memory, "" for whichever suits; raises `UserError` for a letter that is none."""
    text = given.last("units")
    if text is not None:
        letter = text[:1].upper()
        if not letter or letter not in UNITS:
            lead = f"error: Invalid unit type '{text}'. Possible options are '{UNITS}'"
            raise UserError(f"sacct: {lead}\nsacct: fatal: Invalid unit type", level="plain")
        return letter
    return MEGABYTES if given.has("noconvert") else ""
