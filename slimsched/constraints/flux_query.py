"""Flux's constraint queries (RFC 35), as ``--requires`` takes them, into RFC 31 objects.

    query  = chain { or chain }                 or  = "|" | "||" | "or"
    chain  = factor { [ and ] factor }          and = "&" | "&&" | "and"; blanks alone join as tightly
    factor = "not" factor | "-" term | term | "(" query ")"
    term   = [ operator ":" ] operand

A term ends at a blank or one of & | ( ) ' "; quotes hold such characters. Words are operators in lower case
only, and where no letter, digit or "_" follows. An operand may stand apart from its "operator:".
Source: RFC 35; the lexical rules that it leaves open are those of Flux 0.88's parser, which binds blanks less
tightly than "&" and, before "-" and "not", more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from slimsched.constraints import deep_json, flux_json
from slimsched.constraints.predicate import (
    FEATURES,
    HOSTS,
    RANKS,
    And,
    Member,
    Not,
    Or,
    Predicate,
    bracketed,
    joined,
    unfold,
)
from slimsched.errors import SyntaxFault

NAME = "flux-query"
MAX_DEPTH = 1000
"""Levels of the resulting object; the reader of its JSON text takes about as many."""

_OPERATORS = {FEATURES: "properties", HOSTS: "host", RANKS: "rank"}
_PLAIN = re.compile(r"""(?!(?:and|or|not)\b)[^\s&|()'"-][^\s&|()'"]*(?<!:)""")
_BAD_IN_OPERATOR = re.compile(r"[^\w.+@-]")


class Config(NamedTuple):
    """The mapping of terms to operators, which RFC 35 leaves to the command."""

    default: str | None  # operator of a term that names none
    aliases: dict[str, str] = {}
    split: frozenset[str] = frozenset()  # operators whose operands are lists with commas
    merged: frozenset[str] = frozenset()  # operators whose neighbours under AND become one


REQUIRES = Config(
    "properties",
    {"host": "hostlist", "hosts": "hostlist", "rank": "ranks"},
    frozenset({"properties"}),
    frozenset({"properties"}),
)
"""The configuration of ``--requires``."""


class Part(NamedTuple):
    """An object and how deep it nests."""

    value: dict[str, list[Any]]
    depth: int


class _Level:
    """The content of one pair of parentheses."""

    __slots__ = ("chain", "negations", "start", "whole")

    def __init__(self, start: int) -> None:
        self.start = start
        self.whole: Part | None = None  # the alternatives before the last "or"
        self.chain: Part | None = None  # the factors since
        self.negations = 0  # that wait for the next factor


class _Parser:
    """Reads one query from left to right, with a stack of its own."""

    def __init__(self, text: str, config: Config) -> None:
        self.text = text
        self.config = config
        self.spans: dict[int, tuple[int, int]] = {}  # of each term's object, by identity
        self.levels = [_Level(0)]

    def parse(self) -> dict[str, list[Any]]:
        wanted = True  # a factor must come, as after "(" or an operator
        minus = False  # a term must come
        for token in tokens(self.text):
            if minus and token.kind != "term":
                raise _fault(self.text, '"-" is allowed only before a single term', token, 'use "not" before a group')
            if wanted and token.kind in ("and", "or", ")", "end"):
                raise _missing(self.text, token)
            minus = token.kind == "minus"
            wanted = token.kind not in ("term", ")")
            self.take(token)
        return self.joined(self.levels[0]).value

    def take(self, token: Token) -> None:
        level = self.levels[-1]
        if token.kind == "term":
            self.factor(level, self.term(token))
        elif token.kind in ("not", "minus"):
            level.negations += 1
        elif token.kind == "or":
            level.whole, level.chain = self.joined(level), None
        elif token.kind == "(":
            self.levels.append(_Level(token.start))
        elif token.kind == ")":
            if len(self.levels) == 1:
                raise _fault(self.text, '")" has no "(" before it', token, "remove it")
            self.levels.pop()
            self.factor(self.levels[-1], self.joined(level))
        elif token.kind == "end" and len(self.levels) > 1:
            raise _fault(self.text, '"(" is not closed', Token("(", "(", level.start, level.start + 1), 'add ")"')

    def term(self, token: Token) -> Part:
        """Return ``[ operator ":" ] operand`` as an object."""
        name, colon, operand = token.text.partition(":")
        if not colon:
            if self.config.default is None:
                raise _fault(self.text, f'"{token.text}" does not name an operator', token, "write operator:operand")
            name, operand = self.config.default, name
        bad = _BAD_IN_OPERATOR.search(name)
        if bad:
            raise _fault(self.text, f'an operator cannot contain "{bad.group()}": "{name}:"', token, EXAMPLE)
        name = self.config.aliases.get(name, name)
        value = {name: operand.split(",") if name in self.config.split else [operand]}
        self.spans[id(value)] = token.start, token.end
        return Part(value, 1)

    # objects

    def factor(self, level: _Level, part: Part) -> None:
        """Negate a factor as often as asked, and add it to the chain in hand."""
        for _ in range(level.negations):
            part = self.grown({"not": [part.value]}, part.depth + 1)
        level.negations = 0
        left = level.chain
        if left is None:
            level.chain = part
            return
        ((name, values),), ((other, added),) = left.value.items(), part.value.items()
        if name == other and name in self.config.merged:
            values += added
            # the right object ends here, and another object may get its id
            self.spans[id(left.value)] = self.spans[id(left.value)][0], self.spans.pop(id(part.value))[1]
        else:
            level.chain = self.group("and", left, part)

    def joined(self, level: _Level) -> Part:
        """Return the alternatives of a level with the last chain."""
        assert level.chain is not None  # a factor was wanted before
        return level.chain if level.whole is None else self.group("or", level.whole, level.chain)

    def group(self, operator: str, left: Part, right: Part) -> Part:
        """Join two parts, into the left one if it is such a group already."""
        if operator in left.value and id(left.value) not in self.spans:
            left.value[operator].append(right.value)
            return self.grown(left.value, max(left.depth, right.depth + 1))
        return self.grown({operator: [left.value, right.value]}, max(left.depth, right.depth) + 1)

    def grown(self, value: dict[str, list[Any]], depth: int) -> Part:
        if depth > MAX_DEPTH:
            raise SyntaxFault(f"nested more than {MAX_DEPTH:,} levels deep", self.text, (0, len(self.text)))
        return Part(value, depth)


def to_object(text: str, config: Config = REQUIRES) -> dict[str, list[Any]]:
    """Return the RFC 31 object of a query; whether its operators and operands are right is another question."""
    return _Parser(text, config).parse()


def parse(text: str) -> Predicate:
    """Return the predicate of a ``--requires`` query; a `SyntaxFault` says what is wrong and where."""
    return _compiled(text)[1]


def _compiled(text: str) -> tuple[dict[str, list[Any]], Predicate]:
    """Return the object of a query, which is a constraint, and its predicate."""
    parser = _Parser(text, REQUIRES)
    value = parser.parse()
    try:
        return value, flux_json.compile_object(value)
    except flux_json.ConstraintFault as error:
        span = parser.spans.get(id(error.part), (0, len(text)))
        raise SyntaxFault(error.reason, text, span, EXAMPLE) from None


def together(texts: Sequence[str]) -> str:
    """Return several queries as one that asks for all of them."""
    return texts[0] if len(texts) == 1 else " & ".join(f"({text})" for text in texts)


def write(predicate: Predicate) -> str:
    """Return the query of a predicate; `NoEquivalent` names a part that the language cannot say."""
    return unfold(predicate, _notation)


def _notation(node: Predicate) -> list[Predicate | str]:
    from slimsched.constraints.dialects import NoEquivalent

    if isinstance(node, Not):
        child = node.children[0]
        return ["-" if isinstance(child, Member) else "not ", *bracketed(child)]
    if isinstance(node, And | Or) and node.children:
        return joined(node, "&" if isinstance(node, And) else "|")
    term = _term(node) if isinstance(node, Member) else ""
    if not term:
        raise NoEquivalent(node, NAME)
    return [term]


def _term(leaf: Member) -> str:
    """Return a leaf as a term, "" if no term says it: for example a property whose name holds a ","."""
    operator, text = _OPERATORS.get(leaf.column, ""), leaf.text
    quote = "'" if "'" not in text else '"'
    if not operator or not text or quote in text:
        return ""
    if operator == "properties" and ("," in text or text.startswith("^") or not flux_json.is_property(leaf)):
        return ""
    lead = "" if operator == "properties" and ":" not in text else f"{operator}:"
    return lead + (text if _PLAIN.fullmatch(text) else f"{quote}{text}{quote}")


def _to_json(text: str) -> str:
    """Return the JSON text of a query's own object, which keeps what a predicate does not: how terms were joined."""
    return deep_json.dumps(_compiled(text)[0])


DIRECT = {"flux-json": _to_json}


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
        raise _fault(query, f'"{waiting}" has no operand', operator, "for example: host:node[1-4]")
    yield Token("end", "", len(query), len(query))


def _fault(query: str, message: str, token: Token, hint: str = "") -> SyntaxFault:
    """Return an error that points at ``token``."""
    return SyntaxFault(message, query, (token.start, max(token.end, token.start + 1)), hint)


def _missing(query: str, found: Token) -> SyntaxFault:
    """Return the error for a token that stands where a term is expected."""
    if not query.strip():
        return _fault(query, "the query is empty", found, EXAMPLE)
    if found.kind == "end":
        return _fault(query, "the query ends where a term is expected", found, EXAMPLE)
    hint = f"quote it if it is a property: '{found.text}'" if found.text.isalpha() else "remove it, or add a term"
    return _fault(query, f'a term is missing before "{found.text}"', found, hint)


def _strange(query: str, at: int) -> SyntaxFault:
    token = Token("", query[at], at, at + 1)
    if token.text in "'\"":
        return _fault(query, "the quote is not closed", token, f"add {token.text} at the end of the operand")
    return _fault(query, "this white space does not separate terms", token, "use a plain blank")
