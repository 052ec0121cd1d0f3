"""Changes of the cluster during a replay: lines ``SECONDS scontrol update|create|delete ...`` of a file.

Seconds are the trace's own. A value ``@SECONDS`` of a word is an instant of the trace, too (``StartTime=@3600``).
What the words mean is left to the parsers of the commands; the command line gives them as an `Apply`.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from slimsched.errors import SimError, UserError
from slimsched.replay.swf import MOST, number
from slimsched.replay.trace import opened
from slimsched.text import times

if TYPE_CHECKING:
    from slimsched.controller.core import Controller

COMMAND = "scontrol"
VERBS = ("update", "create", "delete")
_MOMENT = re.compile(r"=@(-?\d{1,13})$")

Apply = Callable[["Controller", list[str]], None]
"""Carries out the words behind ``scontrol``; raises as the command would."""


class Change(NamedTuple):
    """A line: when, its place in the file, and the words behind ``scontrol``."""

    second: int
    place: int
    words: tuple[str, ...]


class Changes:
    """The changes of a replay in the order of their seconds; those of one second in the order of the file."""

    def __init__(self, path: str, apply: Apply) -> None:
        """Read the file. Raises `UserError` that names the line for what is no change."""
        self.path, self._apply = path, apply
        self._list = sorted(_read(path), key=lambda change: change.second)
        self.done = 0

    def next(self) -> int | None:
        """Return the second of the next change, None if there is none."""
        return self._list[self.done].second if self.done < len(self._list) else None

    def until(self, second: int, ctl: Controller, clock: Callable[[int], int]) -> None:
        """Make the changes up to a second. Raises `UserError` that names the line if one is refused.

        ``clock``: gives the cluster's instant for a second of the trace.
        """
        while (due := self.next()) is not None and due <= second:
            change = self._list[self.done]
            try:
                self._apply(ctl, [_told(word, clock) for word in change.words])
            except SimError as error:
                said = "; ".join(str(error).splitlines())
                raise UserError(f"{self.path}: line {change.place}: {said}") from None
            self.done += 1


def _told(word: str, clock: Callable[[int], int]) -> str:
    """Return a word with the instant of the cluster's clock for ``@SECONDS``."""
    return _MOMENT.sub(lambda match: f"={times.instant(clock(int(match[1])))}", word)


def _read(path: str) -> Iterator[Change]:
    with opened(path) as lines:
        for place, line in enumerate(lines, 1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            try:
                yield _change(place, line)
            except ValueError as fault:
                raise UserError(f"{path}: line {place}: {fault}") from None


def _change(place: int, line: str) -> Change:
    when, *words = shlex.split(line)
    second = number(when)
    if abs(second) > MOST:
        raise ValueError(f"{second} is too large")
    if words[:1] != [COMMAND] or len(words) < 3 or words[1] not in VERBS:
        raise ValueError(f"a change is: SECONDS {COMMAND} {'|'.join(VERBS)} WORD...")
    return Change(second, place, tuple(words[1:]))


def fingerprint(path: str | None) -> str:
    """Return what tells a file of changes from another one, "" for none."""
    import hashlib

    if path is None:
        return ""
    with opened(path) as lines:
        return f"{os.path.basename(path)} {hashlib.sha256(''.join(lines).encode()).hexdigest()[:16]}"
