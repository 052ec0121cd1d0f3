"""Recorded answers of Grid Engine 8.1.9, a selection; the attributes are written as the columns of ``qconf -sc``."""

from __future__ import annotations

import json
from typing import Any

from constraint_tables import DATA, rows

from slimsched.constraints.complexes import builtin, definition
from slimsched.model.complex import ComplexAttribute

LEVELS = ("global", "host", "queue", "global_load", "host_load", "queue_limit")


def attribute(columns: str) -> ComplexAttribute:
    return definition.read(row(columns))


def row(columns: str) -> dict[str, str | None]:
    return dict(zip(builtin.FIELDS, columns.split(), strict=True))


def cases(name: str) -> list[Any]:
    return rows(f"sge_{name}.jsonl")


def soft_setup() -> Any:
    return json.loads((DATA / "sge_soft_setup.json").read_text())


def instance(case: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the queue instance of a case as a request line has it."""
    return {"name": "q@h", **{level: {name: case[level]} for level in LEVELS if level in case}}


def values(text: str) -> dict[str, str]:
    return {} if text == "NONE" else dict(item.split("=") for item in text.split(","))
