"""Slurm's ``--extra`` language.

    expression = request { joint request }       one joint per level: "&" and "," are the same, or "|"
    request    = key operator value | "(" expression ")"
    operator   = "=" | "!=" | ">" | ">=" | "<" | "<="
    key, value = one or more characters other than , & | < > = ! ( )

White space and quotes are ordinary characters of keys and values. The parser keeps its own stack, so
that any depth of parentheses is read.
Source: extra_constraints.html; where it and Slurm 26.11 differ, the program (SURPRISES A).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from slimsched.constraints.predicate import And, ColumnName, Compare, Or, Predicate, joined, unfold
from slimsched.constraints.slurm_values import EXTRA_RULE, JOINTS, OPERATORS, Token

if TYPE_CHECKING:
    from slimsched.errors import SyntaxFault

NAME = "slurm-extra"

# Runs of operator or joint characters are one token: no two of them may touch in a right expression.
_TOKEN = re.compile(r"[^,&|<>=!()]+|[<>=!]+|[,&|]+|[()]")
_RESERVED = frozenset(",&|<>=!()")


class _Level:
    """One pair of parentheses: what is read so far and how it is joined."""

    __slots__ = ("joint", "parts", "start")

    def __init__(self, start: int) -> None:
        self.start = start  # of what stands in it
        self.joint = ""
        self.parts: list[Predicate] = []

    def close(self) -> Predicate:
        if len(self.parts) == 1:
            return self.parts[0]
        return Or(self.parts) if self.joint == "|" else And(self.parts)


class _Parser:
    """Reads one text from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[Token] = [(match.group(), match.start()) for match in _TOKEN.finditer(text)]
        self.tokens += [("", len(text))] * 3  # as many as a request has, so that one may begin anywhere
        self.next = 0
        self.levels = [_Level(0)]

    def parse(self) -> Predicate:
        while True:
            self.opening()
            self.request()
            if self.closing():
                return self.levels[0].close()

    def opening(self) -> None:
        """``{ "(" }``"""
        while self.tokens[self.next][0] == "(":
            self.next += 1
            self.levels.append(_Level(self.tokens[self.next][1]))

    def request(self) -> None:
        """``key operator value``"""
        (key, _), (op, _), (value, _) = self.tokens[self.next : self.next + 3]
        if op not in OPERATORS or not _plain(key) or not _plain(value):
            raise self.fault("request")
        self.levels[-1].parts.append(Compare(ColumnName("extra", key), op, value, EXTRA_RULE))
        self.next += 3

    def closing(self) -> bool:
        """``{ ")" } joint`` (False) or ``{ ")" }`` and the end of the text (True)"""
        while True:
            token, _ = self.tokens[self.next]
            level = self.levels[-1]
            if token == ")" and len(self.levels) > 1:
                self.levels.pop()
                self.levels[-1].parts.append(level.close())
            elif token in JOINTS and level.joint in ("", JOINTS[token]):
                level.joint = JOINTS[token]
                self.next += 1
                return False
            elif not token and len(self.levels) == 1:
                return True
            else:
                raise self.fault("joint")
            self.next += 1

    def fault(self, wanted: str) -> SyntaxFault:
        from slimsched.constraints import slurm_extra_faults as faults

        level = self.levels[-1]
        place = faults.Place(self.text, self.tokens, self.next, level.start, level.joint)
        return faults.request(place) if wanted == "request" else faults.joint(place)


def parse(text: str) -> Predicate:
    """Return the predicate of an ``--extra`` text; a `SyntaxFault` says what is wrong and where."""
    return _Parser(text).parse()


def write(predicate: Predicate) -> str:
    """Return the ``--extra`` text of a predicate; `NoEquivalent` names a part that this language cannot say."""
    return unfold(predicate, _notation)


def _notation(node: Predicate) -> list[Predicate | str]:
    from slimsched.constraints.dialects import NoEquivalent

    if isinstance(node, Compare) and node.rule is EXTRA_RULE:
        return [f"{node.column.key}{node.op}{node.value}"]
    if isinstance(node, And | Or) and node.children:
        return joined(node, "&" if isinstance(node, And) else "|")
    raise NoEquivalent(node, NAME)


def _plain(token: str) -> bool:
    return bool(token) and token[0] not in _RESERVED
