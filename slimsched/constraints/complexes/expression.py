"""String requests: patterns joined by ``|``, ``&``, ``!`` and parentheses.

    expression = and { "|" and }
    and        = not { "&" not }
    not        = { "!" } ( pattern | "(" expression ")" )

In the reading "6.0" only a RESTRING has operators, and only a top-level ``|``. In neither do brackets protect an
operator: ``[linux|solaris]`` is ``[linux`` or ``solaris]``. Nothing here calls itself, so depth is no limit.
Source: Complex Attribute Specification, section 5; oracle/sge SURPRISES B2-B7.
"""

from __future__ import annotations

from slimsched.constraints.complexes.pattern import Pattern
from slimsched.errors import SyntaxFault

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
