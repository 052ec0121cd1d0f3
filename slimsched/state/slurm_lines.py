r"""The lines of ``slurm.conf`` and its siblings: comments, continuations, includes and ``Key=Value`` pairs.

    line  = pair { blank pair }  |  "Include" blank path
    pair  = key [ "-" | "*" | "+" | "/" ] "=" ( '"' text '"' | word )

``#`` begins a comment unless a backslash stands before it, also inside quotes; a backslash at the end of a line
continues it. Keys are compared without case.
Source: slurm.conf(5); parse_config.c by behaviour.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from slimsched.errors import UserError
from slimsched.state import fields, slurm_differences
from slimsched.text import hostlist, source

_PAIR = re.compile(r'\s*([A-Za-z0-9_.]+)\s*[-*+/]?=\s*(?:"([^"]*)"|(\S*))(?=\s|$)')
_COMMENT = re.compile(r"(?<!\\)#.*")
_MAX_FILES = 1000  # included files; more than this is a loop


class ConfLine(NamedTuple):
    """One line: where it stands (``file:number``) and its pairs, keys as written."""

    where: str
    pairs: list[tuple[str, str]]


def unknown(where: str, key: str, known: Iterable[str]) -> UserError:
    """Return the error for a key that Slurm does not know, in the words of its daemon."""
    hint = slurm_differences.elsewhere(key) or slurm_differences.guess(key, known)
    return UserError(f"{where}: Parsing error at unrecognized key: {key}{hint}")


def names(where: str, key: str, text: str) -> list[str]:
    """Return the names of a hostlist, the value of a key. Raises `UserError`."""
    try:
        return hostlist.expand(text)
    except ValueError as fault:
        raise UserError(f"{where}: {key}: {fields.shorten(str(fault))}") from None


def values(line: ConfLine, known: str) -> dict[str, str]:
    """Return a line's values by key, as ``known`` spells them. Raises `UserError` for a key that is not there."""
    spelled = {key.lower(): key for key in known.split()}
    for key, _ in line.pairs:
        if key.lower() not in spelled:
            raise unknown(line.where, key, known.split())
    return {spelled[key.lower()]: value for key, value in line.pairs}


def read(path: str) -> Iterator[ConfLine]:
    """Yield the lines of a file and of the files that it includes; relative names start at its directory.

    Raises `UserError` naming file and line.
    """
    folder = os.path.dirname(path) or "."
    opened = 0
    cluster = ""
    stack = [(_real(path, path), _lines(path, path))]
    while stack:
        entry = next(stack[-1][1], None)
        if entry is None:
            stack.pop()
            continue
        where, text = entry
        included = _included(text)
        if included:
            opened += 1
            target = os.path.join(folder, included.replace("%c", cluster))
            real = _real(target, where)
            if real in [name for name, _ in stack] or opened > _MAX_FILES:
                raise UserError(f"{where}: Include {included}: includes itself")
            stack.append((real, _lines(target, where)))
            continue
        pairs = _pairs(where, text)
        cluster = next((value for key, value in pairs if key.lower() == "clustername"), cluster)
        yield ConfLine(where, pairs)


def _real(path: str, asked: str) -> str:
    try:
        return os.path.realpath(path)
    except ValueError:
        raise UserError(f"{asked}: a file cannot have this name: {path!r}") from None


def _lines(path: str, asked: str) -> Iterator[tuple[str, str]]:
    """Yield the logical lines of one file with their places; ``asked`` is the place that named the file."""
    number = 0
    waiting = ""
    for number, raw in enumerate(_content(path, asked).split("\n"), 1):
        text = _COMMENT.sub("", raw).replace("\\#", "#").rstrip()
        if (len(text) - len(text.rstrip("\\"))) % 2:
            waiting += text[:-1]
            continue
        if (waiting + text).strip():
            yield f"{path}:{number}", waiting + text
        waiting = ""
    if waiting.strip():
        yield f"{path}:{number}", waiting


def _content(path: str, asked: str) -> str:
    prefix = "" if asked == path else f"{asked}: "
    try:
        return source.read_text(path, "replace")
    except OSError as fault:
        raise UserError(f"{prefix}{path}: {fault.strerror}") from fault


def _included(text: str) -> str:
    word, _, name = text.strip().partition(" ")
    return name.strip().strip('"') if word.lower() == "include" else ""


def _pairs(where: str, text: str) -> list[tuple[str, str]]:
    pairs = []
    text, at = text.strip(), 0
    while at < len(text):
        found = _PAIR.match(text, at)
        if found is None:
            raise UserError(f"{where}: cannot be read: {text[at : at + 60].strip()!r} is not Key=Value")
        pairs.append((found[1], found[3] if found[2] is None else found[2]))
        at = found.end()
    return pairs
