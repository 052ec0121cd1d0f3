"""The words of a Flux constraint query (RFC 35)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from slimsched.errors import SyntaxFault

EXAMPLE = "for example: gpu&-debug|host:node[1-4]"

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\n\r\f\v]+)
    |(?P<word>(?:and|or|not)\b)
    |(?P<sign>&&|\|\||[&|()-])
    |'(?P<single>[^']*)'
    |"(?P<double>[^"]*)"
    |(?P<text>[^\s&|()'"]+)""",
    re.VERBOSE,
)
_KINDS = {"&": "and", "&&": "and", "|": "or", "||": "or", "-": "minus"}


class Token(NamedTuple):
    """``kind`` is "and", "or", "not", "minus", "(", ")", "term" or "end"."""

    kind: str
    text: str
    start: int
    end: int


def tokens(query: str) -> Iterator[Token]:
    """Yield the tokens of a query, "end" last; an operand that stands apart from its operator is joined to it."""
    waiting, since, at = "", 0, 0  # "operator:" whose operand has not come yet
    while at < len(query):
        match = _TOKEN.match(query, at)
        if match is None:
            raise _strange(query, at)
        kind, text, (start, at) = str(match.lastgroup), match[match.lastgroup or 0], match.span()
        if kind in ("single", "double", "text"):
            since = since if waiting else start
            if text.endswith(":") and not waiting:
                waiting = text
            elif text:
                yield Token("term", waiting + text, since, at)
                waiting = ""
        elif kind != "blank":
            token = Token(_KINDS.get(text, text), text, start, at)
            if waiting and token.kind in ("and", "or", ")"):
                break
            yield token
    if waiting:
        operator = Token("term", waiting, since, since + len(waiting))
        raise fault(query, f'"{waiting}" has no operand', operator, "for example: host:node[1-4]")
    yield Token("end", "", len(query), len(query))


def fault(query: str, message: str, token: Token, hint: str = "") -> SyntaxFault:
    """Return an error that points at ``token``."""
    return SyntaxFault(message, query, (token.start, max(token.end, token.start + 1)), hint)


def missing(query: str, found: Token) -> SyntaxFault:
    """Return the error for a token that stands where a term is expected."""
    if not query.strip():
        return fault(query, "the query is empty", found, EXAMPLE)
    if found.kind == "end":
        return fault(query, "the query ends where a term is expected", found, EXAMPLE)
    hint = f"quote it if it is a property: '{found.text}'" if found.text.isalpha() else "remove it, or add a term"
    return fault(query, f'a term is missing before "{found.text}"', found, hint)


def _strange(query: str, at: int) -> SyntaxFault:
    token = Token("", query[at], at, at + 1)
    if token.text in "'\"":
        return fault(query, "the quote is not closed", token, f"add {token.text} at the end of the operand")
    return fault(query, "this white space does not separate terms", token, "use a plain blank")
