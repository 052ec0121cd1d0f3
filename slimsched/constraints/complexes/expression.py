r"""String requests: patterns joined by ``|``, ``&``, ``!`` and parentheses.

    expression = and { "|" and }
    and        = not { "&" not }
    not        = { "!" } ( pattern | "(" expression ")" )

In the reading "6.0" only a RESTRING has operators, and only a top-level ``|``. In neither do brackets protect an
operator: ``[linux|solaris]`` is ``[linux`` or ``solaris]``. Nothing here calls itself, so depth is no limit.

A pattern has ``*``, ``?``, ``[a-z]``, ``[^a]`` and the escape ``\``. A text without the first three is compared as it
stands, backslashes included. An unfinished ``[`` matches nothing. The document of 2003 knows no ``[^a]``, and its
escape works everywhere. Matching takes at most len(pattern) x len(value) steps: only the last ``*`` is tried again.
Source: Complex Attribute Specification, section 5; oracle/sge SURPRISES B2-B7.
"""

from __future__ import annotations

from slimsched.errors import SyntaxFault

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


_OPERATORS = frozenset("|&!()")
_BINDING = {"|": 1, "&": 2, "!": 3}
Step = str | Pattern


class Expression:
    """A compiled request: patterns and operators in postfix order."""

    __slots__ = ("steps",)

    def __init__(self, steps: list[Step]) -> None:
        self.steps = steps

    def matches(self, value: str) -> bool:
        """Whether an offered value, which is never a pattern itself, satisfies the expression."""
        stack: list[bool] = []
        for step in self.steps:
            if isinstance(step, Pattern):
                stack.append(step.matches(value))
            elif step == "!":
                stack[-1] = not stack[-1]
            else:
                right = stack.pop()
                stack[-1] = (stack[-1] and right) if step == "&" else (stack[-1] or right)
        return stack[0]


def compile_81(text: str, *, caseless: bool = False) -> Expression:
    """Compile the whole grammar (any string type of Grid Engine 8.1). Raises `SyntaxFault`."""
    steps: list[Step] = []
    waiting: list[str] = []
    operand_next = True
    for place, token in _tokens(text):
        if operand_next:
            if token in {"!", "("}:
                waiting.append(token)
            elif token in _OPERATORS:
                raise _fault(text, place)
            else:
                steps.append(Pattern(token, caseless=caseless))
                operand_next = False
        elif token in {"|", "&"}:
            _reduce(waiting, steps, _BINDING[token])
            waiting.append(token)
            operand_next = True
        elif token == ")":
            _reduce(waiting, steps, 1)
            if not waiting:
                raise _fault(text, place)
            waiting.pop()
        else:
            raise _fault(text, place)
    _reduce(waiting, steps, 1)
    if operand_next or waiting:
        raise _fault(text, len(text))
    return Expression(steps)


def compile_60(text: str, *, regular: bool, caseless: bool) -> Expression:
    """Compile as the document says: alternatives of patterns for a RESTRING, else one exact string."""
    if not regular:
        return Expression([Pattern(text, caseless=caseless, exact=True)])
    steps: list[Step] = []
    for part in text.split("|"):
        steps.append(Pattern(part, document=True))
        if len(steps) > 1:
            steps.append("|")
    return Expression(steps)


def _reduce(waiting: list[str], steps: list[Step], binding: int) -> None:
    """Move operators that bind at least as tightly to the output; an open parenthesis stops it."""
    while waiting and _BINDING.get(waiting[-1], 0) >= binding:
        steps.append(waiting.pop())


def _tokens(text: str) -> list[tuple[int, str]]:
    """Return (offset, operator or run of other characters)."""
    tokens: list[tuple[int, str]] = []
    start = 0
    for place, character in enumerate(text):
        if character in _OPERATORS:
            if start < place:
                tokens.append((start, text[start:place]))
            tokens.append((place, character))
            start = place + 1
    if start < len(text):
        tokens.append((start, text[start:]))
    return tokens


def _fault(text: str, place: int) -> SyntaxFault:
    """Return Grid Engine's complaint; it counts from one and points at the last character for a missing end."""
    position = min(place + 1, len(text))
    return SyntaxFault(f'Parse error on position {position} of the expression "{text}".', text, (place, place + 1))
