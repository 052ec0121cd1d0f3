"""The scanner: a position in a text, for the hand-written parsers of the small languages.

A parser keeps its own stack instead of calling itself, so that input cannot drive it into the
recursion limit; every step here is linear in what it takes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.errors import SyntaxFault

if TYPE_CHECKING:
    from collections.abc import Container


class Scanner:
    """Reads ``text`` from left to right; ``pos`` counts characters from 0."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pos = 0

    @property
    def done(self) -> bool:
        """Whether nothing is left."""
        return self.pos >= len(self.text)

    def peek(self, count: int = 1, *, skip: int = 0) -> str:
        """Return the next ``count`` characters after ``skip``, fewer at the end of the text."""
        start = self.pos + skip
        return self.text[start : start + count]

    def take(self, token: str) -> bool:
        """Step over ``token`` if it comes next."""
        found = self.text.startswith(token, self.pos)
        if found:
            self.pos += len(token)
        return found

    def expect(self, token: str, message: str) -> None:
        """Step over ``token``. Raises SyntaxFault with ``message`` if it does not come next."""
        if not self.take(token):
            raise self.fault(message)

    def run(self, characters: Container[str], most: int | None = None, *, until: bool = False) -> str:
        """Take the longest run of ``characters``, or ``until`` the first of them; at most ``most``."""
        start = end = self.pos
        limit = len(self.text) if most is None else min(len(self.text), start + most)
        while end < limit and (self.text[end] in characters) is not until:
            end += 1
        self.pos = end
        return self.text[start:end]

    def fault(self, message: str, start: int | None = None, *, hint: str = "") -> SyntaxFault:
        """Return an error for what lies between ``start`` and here, or for the next character."""
        span = (self.pos, min(self.pos + 1, len(self.text))) if start is None else (start, self.pos)
        return SyntaxFault(message, self.text, span, hint)
