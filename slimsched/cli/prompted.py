"""Commands on standard input, a line each behind a prompt: what ``scontrol`` and ``sacctmgr`` do without words."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from slimsched.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slimsched.cli.app import Application

MOST = 128
"""Words that a line may have."""


def lines(app: Application, *, comment: str = "") -> Iterator[list[str]]:
    """Yield the words of each line until the end of input, none for a line that is empty or begins with ``comment``.

    ``!!`` is the line before. What is not typed at a terminal is echoed, as readline does. A line of too many words
    ends the program. Raises UserError.
    """
    before, echo = "", not sys.stdin.isatty()
    while line := app.ask(f"{app.command}: "):
        text = line.rstrip("\n")
        if echo:
            app.out(text)
        if comment and text.startswith(comment):
            yield []
            continue
        before = before if text == "!!" else text
        words = split(before)
        if len(words) > MOST:
            raise UserError(f"{app.command}: can not process over {MOST} words", level="plain")
        yield words
    app.out("")


def split(line: str) -> list[str]:
    """Return the words of a line; quotes hold blanks together, and stay."""
    words: list[str] = []
    quotes: set[str] = set()
    inside = False
    for char in line:
        if inside and char in "\"'":
            quotes ^= {char}
        if char.isspace() and not quotes:
            inside = False
        elif inside:
            words[-1] += char
        else:
            words.append(char)
            inside = True
            quotes.clear()
    return words
