"""Requests: the text of an option ``-l attr=value,attr=value``.

A name or shortcut stands before the first ``=``; without ``=`` the value is TRUE. Of one attribute the last
request wins. Source: oracle/sge SURPRISES B8, B12, B13, D7, E2, E5.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from slimsched.constraints.complexes import values
from slimsched.constraints.complexes.catalog import Catalog, compiled
from slimsched.errors import SyntaxFault
from slimsched.model.complex import ComplexAttribute

Asked = dict[str, str]
"""Attribute name -> requested value, as it is to be compared."""

_ITEM = re.compile(r"[^,\s]+")
_PATTERN = frozenset("*?[|&!()")  # the characters that make a host name a pattern


def read(texts: Iterable[str], catalog: Catalog, *, soft: bool = False, strict: bool = True) -> Asked:
    """Return what ``texts``, one per option, ask for. Raises `SyntaxFault` in Grid Engine's words.

    ``strict``: only what may be requested; ``qselect`` takes any attribute.
    """
    asked: Asked = {}
    for text in texts:
        for start, word, given in _items(text):
            try:
                attribute = _named(word, catalog, soft=soft, strict=strict)
                value = check(attribute, given, catalog)
            except SyntaxFault as fault:
                raise SyntaxFault(fault.message, text, (start, start + len(word))) from None
            asked.pop(attribute.name, None)  # a repeated request takes the later place, too
            asked[attribute.name] = value
    return asked


def check(attribute: ComplexAttribute, given: str | None, catalog: Catalog) -> str:
    """Return the value to compare with, ``given`` being the text after the ``=``. Raises `SyntaxFault`."""
    text = "TRUE" if given is None or (given == "" and attribute.type == "BOOL") else given
    values.parse(attribute, text)
    if attribute.type in values.STRINGS:
        compiled(attribute.type, text, catalog.semantics)
    return resolved(text, catalog) if attribute.type == "HOST" else text


def _items(text: str) -> Iterator[tuple[int, str, str | None]]:
    """Yield offset, name and value of each request; commas and white space stand between them."""
    for found in _ITEM.finditer(text):
        name, equals, value = found[0].partition("=")
        yield found.start(), name, value if equals else None


def _named(word: str, catalog: Catalog, *, soft: bool, strict: bool) -> ComplexAttribute:
    attribute = catalog.find(word)
    if attribute is None:
        raise values.ValueFault(f'unknown resource "{word}"', word)
    if not strict:
        return attribute
    if attribute.name == "slots":
        raise values.ValueFault('"job" denied: use parallel environments instead of requesting slots explicitly', word)
    if attribute.requestable == "NO":
        raise values.ValueFault(f'resource "{word}" configured as non requestable', word)
    if soft and attribute.consumable != "NO":
        raise values.ValueFault(f'denied: soft requests on consumables like "{word}" are not supported', word)
    return attribute


def resolved(text: str, catalog: Catalog) -> str:
    """Return the name of a host, or a pattern as it stands."""
    if not _PATTERN.isdisjoint(text):
        return text
    if catalog.hosts is None:
        name = None if text.upper() in {"NONE", "TRUE"} else text
    else:
        name = catalog.hosts.get(text.lower())
    if name is None:
        raise values.ValueFault(f'can\'t resolve hostname "{text}"', text)
    return name
