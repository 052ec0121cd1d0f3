"""Host lists and rank sets as Flux's matcher takes them.

First by the RFC; what the RFC does not allow but Flux reads is read as Flux reads it: blanks between hosts,
``n[0-]`` for ``n0``, brackets after the first as part of the name, and nothing between two commas of an idset.
A name without "[" that holds a "]" is refused, as is a "[" that no "]" follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from slimsched.errors import SyntaxFault
from slimsched.text import hostlist, idset

_MARK = re.compile(r"[\[\], \t]")
_OPEN_RANGE = re.compile(r"([0-9]+)-(?=,|$)")
_PADDING = re.compile(r"(?<![^,-])[\t +]+(?=[0-9])")


def hosts(text: str) -> list[str]:
    """Return the host names of an RFC 29 text. Raises HostlistError, which quotes the text as it stands."""
    try:
        return hostlist.expand(text, dialect="flux")
    except SyntaxFault as fault:
        try:
            return _hosts_as_read(text)
        except SyntaxFault:
            raise fault from None


def _hosts_as_read(text: str) -> list[str]:
    names: list[str] = []
    for token in _tokens(text):
        prefix, opened, rest = token.partition("[")
        ids, closed, literal = rest.partition("]")
        if opened and not closed:
            raise SyntaxFault("'[' without its ']'", text, (0, len(text)))
        if opened:
            ids = _OPEN_RANGE.sub(r"\1", _PADDING.sub(lambda found: "0" * len(found[0]), ids))
            names += [f"{prefix}{number}{literal}" for number in hostlist.expand(f"[{ids}]", dialect="flux")]
        else:
            names += hostlist.expand(token, dialect="flux")
        if len(names) > hostlist.MAX_NAMES:
            raise SyntaxFault(f"more than {hostlist.MAX_NAMES:,} names", text, (0, len(text)))
    return names


def _tokens(text: str) -> Iterator[str]:
    """Yield what stands between commas and blanks; one of these separates where as many brackets close as open."""
    start = level = 0
    for found in _MARK.finditer(text):
        if found[0] in "[]":
            level += 1 if found[0] == "[" else -1
            continue
        if level == 0:
            yield text[start : found.start()]
            start = found.end()
    yield text[start:]


def rank_ranges(text: str) -> list[tuple[int, int]]:
    """Return the runs of one RFC 22 text. Raises IdsetError, which quotes the text as it stands."""
    try:
        return idset.ranges(text)
    except SyntaxFault as fault:
        brackets = text.startswith("[") and text.endswith("]")
        filled = [item for item in (text[1:-1] if brackets else text).split(",") if item]
        try:
            return idset.ranges(",".join(filled))
        except SyntaxFault:
            raise fault from None
