r"""One pattern of a string request: ``*``, ``?``, ``[a-z]``, ``[^a]`` and the escape ``\``.

A text without ``*``, ``?`` or ``[`` is compared as it stands, backslashes included. An unfinished ``[`` matches
nothing. The document of 2003 knows no ``[^a]``, and its escape works everywhere.
Matching takes at most len(pattern) x len(value) steps: only the last ``*`` is ever tried again.
"""

from __future__ import annotations

_STAR = None
Element = str | tuple[bool, frozenset[str], tuple[tuple[str, str], ...]] | None
"""A character, "" for any one, a class (negated, members, ranges), or None for any run of characters."""


class Pattern:
    """A compiled pattern. ``exact`` switches the wildcards off, ``caseless`` folds both sides.

    ``document`` is the reading of the specification of 2003.
    """

    __slots__ = ("caseless", "elements", "text")

    def __init__(self, text: str, *, caseless: bool = False, exact: bool = False, document: bool = False) -> None:
        self.text = text.lower() if caseless else text
        self.caseless = caseless
        wild = not exact and (document or any(c in self.text for c in "*?["))
        self.elements = _elements(self.text, negation="" if document else "^") if wild else None

    def matches(self, value: str) -> bool:
        """Whether ``value`` matches as a whole."""
        if self.caseless:
            value = value.lower()
        if self.elements is None:
            return value == self.text
        return _glob(self.elements, value)


def _elements(text: str, negation: str) -> list[Element]:
    """Return the pattern's elements; an unfinished class becomes one that holds nothing."""
    elements: list[Element] = []
    place = 0
    while place < len(text):
        character = text[place]
        place += 1
        if character == "*":
            elements.append(_STAR)
        elif character == "?":
            elements.append("")
        elif character == "[":
            element, place = _class(text, place, negation)
            elements.append(element)
        elif character == "\\" and place < len(text):
            elements.append(text[place])
            place += 1
        else:
            elements.append(character)
    return elements


def _class(text: str, start: int, negation: str) -> tuple[Element, int]:
    """Return the class whose ``[`` stands before ``start``, and the offset after its ``]``."""
    negated = bool(negation) and text.startswith(negation, start)
    start += negated
    end = text.find("]", start + 1)  # a "]" that comes first is a member
    if end < 0:
        return (False, frozenset(), ()), len(text)
    members, ranges, place = set(), [], start
    while place < end:
        if place + 2 < end and text[place + 1] == "-":
            ranges.append((text[place], text[place + 2]))
            place += 3
        else:
            members.add(text[place])
            place += 1
    return (negated, frozenset(members), tuple(ranges)), end + 1


def _one(element: Element, character: str) -> bool:
    """Whether one character fits an element."""
    if isinstance(element, str):
        return element in ("", character)
    if element is None:
        return False
    negated, members, ranges = element
    return (character in members or any(low <= character <= high for low, high in ranges)) != negated


def _glob(elements: list[Element], value: str) -> bool:
    """Match greedily, going back to the last star only."""
    at = place = 0
    star, resume = -1, 0
    while place < len(value):
        if at < len(elements) and elements[at] is _STAR:
            star, resume = at, place
            at += 1
        elif at < len(elements) and _one(elements[at], value[place]):
            at += 1
            place += 1
        elif star >= 0:
            resume += 1
            at, place = star + 1, resume
        else:
            return False
    return all(element is _STAR for element in elements[at:])
