"""Reads the YAML that the commands print: tagged values, mappings and lists in blocks, texts in any quotes."""

from __future__ import annotations

import re
from typing import Any

LETTERS = dict(zip('0abtnvfre"\\N_LP', '\0\a\b\t\n\v\f\r\x1b"\\\x85\xa0\u2028\u2029', strict=True)) | {"e": "\x1b"}
CODE = re.compile(r"\\(?:x(..)|u(....)|U(.{8})|(.))", re.DOTALL)
PLAIN = {"null": lambda _: None, "bool": lambda t: t == "true", "int": int, "float": float, "str": str}


def read(document: str) -> Any:
    """Return the value of a document."""
    lines = document.split("\n")
    assert (lines[0], lines[-2:]) == ("%YAML 1.1", ["...", ""]), lines
    reader = Reader(lines[1:-2])
    found = reader.value(reader.take().removeprefix("---"), 0, 0)
    assert not reader.lines, reader.lines
    return found


class Reader:
    """The lines that are still to be read."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines[::-1]

    def take(self) -> str:
        """Take the next line."""
        return self.lines.pop()

    def at(self, indent: int, start: str) -> bool:
        """Whether the next line stands at an indentation and begins so."""
        return bool(self.lines) and self.lines[-1].startswith(" " * indent + start)

    def value(self, rest: str, keys: int, items: int) -> Any:
        """Read a value whose first line ends in ``rest``; its keys or items are at these indentations."""
        tag, _, body = rest.removeprefix(" !!").partition(" ")
        if tag in {"map", "seq"} and body:
            return {"{}": {}, "[]": []}[body]
        if tag == "map":
            return self.mapping(keys)
        if tag == "seq":
            return self.sequence(items)
        return self.text(body) if tag == "str" else PLAIN[tag](body)

    def mapping(self, indent: int) -> dict[str, Any]:
        """Read the keys at an indentation."""
        found = {}
        while self.at(indent, "!!str "):
            line = self.take()[indent:].removeprefix("!!str ")
            key, rest = self.key(line)
            found[key] = self.value(rest, indent + 2, indent)
        return found

    def key(self, line: str) -> tuple[str, str]:
        """Split a line into its key and what is behind the colon."""
        if line[0] not in "'\"":
            key, _, rest = line.partition(":")
            while rest and not rest.startswith(" "):
                more, _, rest = rest.partition(":")
                key += ":" + more
            return key, rest
        pattern = r"'((?:[^']|'')*)':" if line[0] == "'" else r'"((?:[^"\\]|\\.)*)":'
        match = re.match(pattern, line)
        assert match, line
        return unquoted(line[0], match[1]), line[match.end() :]

    def sequence(self, indent: int) -> list[Any]:
        """Read the items at an indentation."""
        found = []
        while self.at(indent, "- "):
            found.append(self.value(self.take()[indent + 1 :], indent + 2, indent + 2))
        return found

    def text(self, body: str) -> str:
        """Read a text, with the lines on which it goes on."""
        quote = body[:1] if body[:1] in {"'", '"'} else ""
        lines = [body[len(quote) :]]
        if quote:
            while not ended(quote, "\n".join(lines)):
                lines.append(self.take())
            lines[-1] = lines[-1][:-1]
        else:
            while self.lines and re.match(r" +(?!!!|- )", self.lines[-1]) and " !!" not in self.lines[-1]:
                lines.append(self.take())
        return unquoted(quote, folded(lines, quote))


def ended(quote: str, text: str) -> bool:
    """Whether a text has had its closing quote."""
    if quote == "'":
        return text.replace("''", "").endswith("'")
    return re.sub(r"\\.", "", text, flags=re.DOTALL).endswith('"')


def folded(lines: list[str], quote: str) -> str:
    """Return lines joined: by a blank, or by the line breaks that empty lines stand for."""
    text, empty = lines[0], 0
    for place, line in enumerate(lines[1:], 2):
        if not line.strip() and place < len(lines):
            empty += 1
            continue
        start = line.lstrip(" ")
        if quote == '"' and start.startswith("\\ "):
            start = start[1:]
        text += "\n" * empty if empty else " "
        text, empty = text + start, 0
    return text


def unquoted(quote: str, text: str) -> str:
    """Return what a text in quotes stands for."""
    if quote == "'":
        return text.replace("''", "'")
    return CODE.sub(_character, text) if quote else text


def _character(match: re.Match[str]) -> str:
    digits = match[1] or match[2] or match[3]
    return chr(int(digits, 16)) if digits else LETTERS[match[4]]
