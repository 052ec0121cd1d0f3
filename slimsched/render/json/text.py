"""JSON and YAML documents as Slurm's serializer writes them, around what every answer has: meta, errors and warnings.

YAML has a tag before every key and value, one a line. Which texts need quotes, and where long ones are folded, are
the rules of the YAML library that Slurm is linked with.
Source: the YAML 1.1 specification, chapters 5 and 9; the output is compared with that library's in the tests.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from slimsched.render.json.table import NOTHING, Table
from slimsched.render.json.types import TRIPLE, same, text, whole

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster

_CONTROLS = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), 0x2028, 0x2029)}

ZERO = {
    "jobs": "Zero jobs to dump",
    "nodes": "Zero nodes to dump",
    "partitions": "No partitions to dump",
    "steps": "Zero steps to dump",
    "licenses": "Zero licenses to dump",
}
"""List -> the warning of Slurm's parser if it is empty."""


class Answer:
    """The frame of a document: the command, and the storage that it asked (``slurmdb``)."""

    def __init__(self, cluster: Cluster, command: list[str], user: str, group: str = "", storage: str = "") -> None:
        self.cluster, self.command, self.user, self.storage = cluster, command, user, storage
        self.group = group or user
        self.version = cluster.config.version
        self.major, self.minor, rest = self.version.release.split(".", 2)
        self.micro = rest.partition("-")[0]
        self.warnings: list[dict[str, str]] = []  # beside those of empty lists
        self.complex = False  # numbers and null instead of mappings that say whether a number is set


META: Table[Answer] = Table(
    ("plugin/type", text, NOTHING),
    ("plugin/name", text, NOTHING),
    ("plugin/data_parser", text, lambda answer: f"data_parser/{answer.version.parsers[-1]}"),
    ("plugin/accounting_storage", text, lambda answer: answer.storage),
    ("client/source", text, NOTHING),
    ("client/user", text, lambda answer: answer.user),
    ("client/group", text, lambda answer: answer.group),
    ("command", same, lambda answer: answer.command),
    ("slurm/version/major", text, lambda answer: answer.major),
    ("slurm/version/micro", text, lambda answer: answer.micro),
    ("slurm/version/minor", text, lambda answer: answer.minor),
    ("slurm/release", text, lambda answer: answer.version.release),
    ("slurm/cluster", text, lambda answer: answer.cluster.config.get("ClusterName")),
)

OPENAPI_META: Table[Answer] = Table(
    ("plugin/type", text, lambda answer: f"openapi/{answer.version.openapi}"),
    ("plugin/name", text, lambda answer: f"Slurm OpenAPI {answer.version.openapi}"),
    ("Slurm/version/major", whole, lambda answer: int(answer.major)),
    ("Slurm/version/micro", whole, lambda answer: int(answer.micro)),
    ("Slurm/version/minor", whole, lambda answer: int(answer.minor)),
    ("Slurm/release", text, lambda answer: answer.version.release),
)
"""The same of a version whose JSON an OpenAPI plugin writes."""


def warnings(body: dict[str, Any], answer: Answer) -> list[dict[str, str]]:
    """Return what the parser warns of, and a warning for each list of the controller's that is empty."""
    empty = [] if answer.storage else [key for key, value in body.items() if value == [] and key in ZERO]
    return answer.warnings + [{"description": ZERO[key], "source": ""} for key in empty]


def document(body: dict[str, Any], answer: Answer, kind: str) -> str:
    """Return ``body`` with the common parts of every answer, as ``json`` or ``yaml``."""
    if answer.version.openapi:
        from slimsched.render.json import openapi

        early = openapi.body(body, accounting=bool(answer.storage))
        written = {"meta": OPENAPI_META.of(answer), "errors": [], **early}
        return as_json(written) if kind == "json" else as_yaml(written)
    shown = simple(body) if answer.complex else body
    written = {**shown, "meta": META.of(answer), "errors": [], "warnings": warnings(body, answer)}
    return as_json(written) if kind == "json" else as_yaml(written)


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


WIDTH = 80  # a line that is longer is folded at the next blank
FIRST = frozenset("#,[]{}&*!|>'\"%@`")  # characters with which no plain text may begin
PLAIN, SINGLE, DOUBLE = "", "'", '"'
ESCAPES = {
    "\0": "0", "\a": "a", "\b": "b", "\t": "t", "\n": "n", "\v": "v", "\f": "f", "\r": "r", "\x1b": "e", '"': '"',
    "\\": "\\", "\x85": "N", "\xa0": "_", "\u2028": "L", "\u2029": "P",
}  # fmt: skip


def as_yaml(value: Any) -> str:
    """Return a document of one mapping or list, with a line break at its end."""
    return "\n".join(["%YAML 1.1", *_node(value, "---", 0, 0), "..."]) + "\n"


def _node(value: Any, head: str, indent: int, below: int) -> Iterator[str]:
    """Yield the lines of a value behind ``head``; its own lines are at ``indent``, folded ones at ``below``."""
    if isinstance(value, dict):
        yield f"{head} !!map" if value else f"{head} !!map {{}}"
        for key, item in value.items():
            start = f"{' ' * indent}!!str {_key(key)}:"
            yield from _node(item, start, indent if isinstance(item, list) else indent + 2, indent + 2)
    elif isinstance(value, list):
        yield f"{head} !!seq" if value else f"{head} !!seq []"
        for item in value:
            yield from _node(item, f"{' ' * indent}-", indent + 2, indent + 2)
    elif isinstance(value, str):
        yield from _text(value, f"{head} !!str", below)
    else:
        yield f"{head} {_yaml_scalar(value)}"


def _yaml_scalar(value: float | bool | None) -> str:
    if value is None:
        return "!!null null"
    if isinstance(value, bool):
        return f"!!bool {'true' if value else 'false'}"
    return f"!!float {value:f}" if isinstance(value, float) else f"!!int {value}"


def _key(key: str) -> str:
    """Return a key, which is never folded."""
    style = style_of(key) if key else SINGLE
    return f"{style}{''.join(_quoted(char, style) for char in key)}{style}"


def style_of(text: str) -> str:
    """Return the quotes that a text needs, "" for none."""
    if any(not " " <= char <= "~" and char != "\n" for char in text):
        return DOUBLE
    if "\n " in text or " \n" in text:
        return DOUBLE
    bare = text == text.strip(" \n") and "\n" not in text and not _indicates(text)
    return PLAIN if bare else SINGLE


def _indicates(text: str) -> bool:
    """Whether something in a text would mean something else if it had no quotes."""
    if text[:3] in {"---", "..."} or text[:1] in FIRST:
        return bool(text)
    if text[:1] in {"?", "-"} and text[1:2] in {"", " "}:
        return bool(text)
    return ": " in text or text.endswith(":") or " #" in text


def _text(text: str, head: str, below: int) -> Iterator[str]:
    """Yield a text behind ``head``, in the quotes that it needs, with what is folded at ``below``."""
    if not text:
        yield head
        return
    style = style_of(text)
    line = f"{head} {style}"
    spaced = broken = False
    for place, char in enumerate(text):
        after = text[place + 1 : place + 2]
        if char == " ":
            inside = style == PLAIN or 0 < place < len(text) - 1
            if inside and not spaced and len(line) > WIDTH and (style == DOUBLE or after != " "):
                yield line
                line = " " * below + ("\\" if style == DOUBLE and after == " " else "")
            else:
                line += char
        elif char == "\n" and style == SINGLE:
            yield line
            if not broken:
                yield ""
            line = ""
        else:
            line = line or " " * below
            line += _quoted(char, style)
        spaced, broken = char == " ", char == "\n" and style == SINGLE
    yield (line or " " * below) + style


def _quoted(char: str, style: str) -> str:
    """Return a character as it stands between quotes of a style: a single quote between single ones twice."""
    if style == DOUBLE:
        return _escaped(char)
    return SINGLE * 2 if style == SINGLE and char == SINGLE else char


def _escaped(char: str) -> str:
    """Return a character as it stands between double quotes."""
    if char in ESCAPES:
        return "\\" + ESCAPES[char]
    code = ord(char)
    if " " <= char <= "~":
        return char
    return f"\\x{code:02X}" if code < 0x100 else f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"
