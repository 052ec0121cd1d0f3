"""YAML as Slurm's serializer writes it: every key and value with its tag, one a line, long texts folded.

``!!str name: !!str a b`` is what an emitter makes of values whose types nobody shall guess. Which texts need quotes,
and where long ones are folded, are the rules of the YAML library that Slurm is linked with.

Source: the YAML 1.1 specification, chapters 5 and 9; the output is compared with that library's in the tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

WIDTH = 80  # a line that is longer is folded at the next blank
FIRST = frozenset("#,[]{}&*!|>'\"%@`")  # what no plain text may begin with
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
        yield f"{head} {_scalar(value)}"


def _scalar(value: float | bool | None) -> str:
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
