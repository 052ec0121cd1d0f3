"""JSON documents in the layout of Slurm's serializer, around what every answer has: meta, errors and warnings."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from slimsched import SLURM_VERSION
from slimsched.render.json.table import NOTHING, Table
from slimsched.render.json.types import same, text

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster

PARSER = "data_parser/v0.0.46"
_CONTROLS = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), 0x2028, 0x2029)}

ZERO = {
    "jobs": "Zero jobs to dump",
    "nodes": "Zero nodes to dump",
    "partitions": "No partitions to dump",
    "steps": "Zero steps to dump",
    "licenses": "Zero licenses to dump",
}
"""List -> what Slurm's parser warns of if it is empty."""


TRIPLE = {"set", "infinite", "number"}


class Answer:
    """What the frame of a document tells: whose command it was, and which storage it asked (``slurmdb``)."""

    def __init__(self, cluster: Cluster, command: list[str], user: str, group: str = "", storage: str = "") -> None:
        self.cluster, self.command, self.user, self.storage = cluster, command, user, storage
        self.group = group or user
        self.major, self.minor, rest = SLURM_VERSION.split(".", 2)
        self.micro = rest.partition("-")[0]
        self.warnings: list[dict[str, str]] = []  # beside those of empty lists
        self.complex = False  # numbers and null instead of mappings that say whether a number is set


META: Table[Answer] = Table(
    ("plugin/type", text, NOTHING),
    ("plugin/name", text, NOTHING),
    ("plugin/data_parser", text, lambda _: PARSER),
    ("plugin/accounting_storage", text, lambda answer: answer.storage),
    ("client/source", text, NOTHING),
    ("client/user", text, lambda answer: answer.user),
    ("client/group", text, lambda answer: answer.group),
    ("command", same, lambda answer: answer.command),
    ("slurm/version/major", text, lambda answer: answer.major),
    ("slurm/version/micro", text, lambda answer: answer.micro),
    ("slurm/version/minor", text, lambda answer: answer.minor),
    ("slurm/release", text, lambda _: SLURM_VERSION),
    ("slurm/cluster", text, lambda answer: answer.cluster.config.get("ClusterName")),
)


def warnings(body: dict[str, Any], answer: Answer) -> list[dict[str, str]]:
    """Return what the parser warns of, and a warning for each list of the controller's that is empty."""
    empty = [] if answer.storage else [key for key, value in body.items() if value == [] and key in ZERO]
    return answer.warnings + [{"description": ZERO[key], "source": ""} for key in empty]


def document(body: dict[str, Any], answer: Answer, kind: str) -> str:
    """Return ``body`` with what every answer ends in, as ``json`` or ``yaml``."""
    from slimsched.render.json.yaml import as_yaml

    shown = simple(body) if answer.complex else body
    whole = {**shown, "meta": META.of(answer), "errors": [], "warnings": warnings(body, answer)}
    return as_json(whole) if kind == "json" else as_yaml(whole)


def simple(value: Any) -> Any:
    """Return a value as the flag ``complex`` has it: null, "Infinity" or a number; null for an empty text."""
    if isinstance(value, dict):
        if value.keys() == TRIPLE:
            return "Infinity" if value["infinite"] else value["number"] if value["set"] else None
        return {key: simple(item) for key, item in value.items()}
    if isinstance(value, list):
        return [simple(item) for item in value]
    return None if value == "" else value


def as_json(value: Any, indent: str = "") -> str:
    """Return a value as JSON, two blanks a level, slashes escaped, an empty list or mapping over two lines."""
    inner = indent + "  "
    if isinstance(value, dict):
        listed = ",\n".join([f"{inner}{json.dumps(key)}: {as_json(item, inner)}" for key, item in value.items()])
        return f"{{\n{listed}\n{indent}}}" if value else f"{{\n{indent}}}"
    if isinstance(value, list):
        listed = ",\n".join([inner + as_json(item, inner) for item in value])
        return f"[\n{listed}\n{indent}]" if value else f"[\n{indent}]"
    return _scalar(value)


def _scalar(value: Any) -> str:
    """Return a plain value; the control characters that JSON allows and terminals obey are escaped too."""
    if isinstance(value, float):
        digits = f"{value:.17g}"
        return digits if not digits.lstrip("-").isdigit() else f"{digits}.0"
    written = json.dumps(value, ensure_ascii=False)
    plain = written.isascii() and "\x7f" not in written
    return (written if plain else written.translate(_CONTROLS)).replace("/", "\\/")
