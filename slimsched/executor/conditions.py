"""Tests of the shell, ``[ "${SLURM_RESTART_COUNT:-0}" = 0 ]``, that ask only how often the job was requeued."""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING

from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from collections.abc import Callable

RESTARTS = r"\$(?:SLURM_RESTART_COUNT\b|\{SLURM_RESTART_COUNT(?::?-([^${}]*))?\})"
TEXTS: dict[str, Callable[[str, str], bool]] = {"=": operator.eq, "==": operator.eq, "!=": operator.ne}
NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": operator.eq,
    "-ne": operator.ne,
    "-lt": operator.lt,
    "-le": operator.le,
    "-gt": operator.gt,
    "-ge": operator.ge,
}


def outcome(words: list[str], closing: str, restarts: int) -> bool | None:
    """Return how a test of ``words`` ends in a job that was requeued so often, None if that cannot be told.

    ``closing``: the word that has to end it, "" if none has to.
    Slurm sets the variable only in a job that was requeued.
    """
    known = str(restarts) if restarts else ""
    said = [re.sub(RESTARTS, lambda found: known or found[1] or "", word) for word in words]
    if closing and said[-1:] != [closing]:
        return None
    if closing:
        said.pop()
    if any(mark in word for word in said for mark in "$`"):
        return None
    if said[:1] == ["!"]:
        found = _plain(said[1:])
        return None if found is None else not found
    return _plain(said)


def _plain(said: list[str]) -> bool | None:
    match said:
        case []:
            return False
        case [text]:
            return bool(text)
        case ["-z", text]:
            return not text
        case ["-n", text]:
            return bool(text)
        case [left, sign, right] if sign in TEXTS:
            return TEXTS[sign](left, right)
        case [left, sign, right] if sign in NUMBERS:
            return is_number(left, 10) and is_number(right, 10) and NUMBERS[sign](int(left), int(right))
    return None
