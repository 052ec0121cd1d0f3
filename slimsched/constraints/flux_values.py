"""Host lists and rank sets as Flux's matcher takes them.

First by the RFC; what the RFC does not allow but Flux reads is read as Flux reads it: blanks between hosts,
``n[0-]`` for ``n0``, brackets after the first as part of the name, and nothing between two commas of an idset.
"""

from __future__ import annotations

import re

from slimsched.errors import SyntaxFault
from slimsched.text import hostlist, idset

_ELEMENT = re.compile(r"[^\s,\[]+(?:\[[^\]]*\][^\s,]*)?|\[[^\]]*\][^\s,]*")
_BRACKET = re.compile(r"([^\[]*)(\[[^\]]*\])(.*[\[\]].*)")
_OPEN_RANGE = re.compile(r"([0-9]+)-(?=[,\]])")


def hosts(text: str) -> list[str]:
    """Return the host names of an RFC 29 text. Raises HostlistError, which quotes the text as it stands."""
    try:
        return hostlist.expand(text, dialect="flux")
    except SyntaxFault as fault:
        if text.rfind("[") > text.rfind("]"):
            raise
        try:
            return _hosts_as_read(text)
        except SyntaxFault:
            raise fault from None


def _hosts_as_read(text: str) -> list[str]:
    names: list[str] = []
    last = 0
    for match in _ELEMENT.finditer(text):
        if text[last : match.start()].strip(", \t"):
            raise SyntaxFault("no host", text, (last, match.start()))
        last = match.end()
        element = _OPEN_RANGE.sub(r"\1", match.group())
        bracketed = _BRACKET.fullmatch(element)
        if bracketed:
            prefix, ids, literal = bracketed.groups()
            names += [name + literal for name in hostlist.expand(prefix + ids, dialect="flux")]
        else:
            names += hostlist.expand(element, dialect="flux")
        if len(names) > hostlist.MAX_NAMES:
            raise SyntaxFault(f"more than {hostlist.MAX_NAMES:,} names", text, match.span())
    if text[last:].strip(", \t"):
        raise SyntaxFault("no host", text, (last, len(text)))
    return names


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
