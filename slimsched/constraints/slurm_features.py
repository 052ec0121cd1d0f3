"""Slurm's ``-C`` / ``--constraint`` language over node features.

    list   = item { joint item } [ joint ]
    joint  = "&" | "," | "|"                   worked off from left to right, none binds tighter
    item   = ( feature | "(" list ")" ) [ "*" count ]  |  "[" list "]"

``feature*N`` asks for N nodes with the feature and leaves the others free. ``[a|b]`` wants all nodes from the
same alternative, ``[a*2&b*4]`` two nodes of one kind and four of the other. What is no property of a single
node, counts and alternatives, is kept beside the predicate for the select plugins.
Source: sbatch(1), transcripts of Slurm 26.11 (a joint at the very end is accepted).
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from slimsched.constraints.predicate import FEATURES, TRUE, And, Member, Or, Predicate, has_feature, joined, unfold
from slimsched.errors import SyntaxFault

NAME = "slurm-features"
_TOKEN = re.compile(r"[^&|,()\[\]*]+|\*[0-9]*|[&|,()\[\]]")
_PLAIN = re.compile(r"[^&|,()\[\]*]+")
_JOINTS = {"&": "&", ",": "&", "|": "|"}
_CLOSING = {"(": ")", "[": "]"}


class FeatureSpec(NamedTuple):
    """A ``-C`` list: what every node must satisfy, and what the set of nodes must."""

    predicate: Predicate
    alternatives: tuple[Predicate, ...] = ()  # all nodes satisfy the same one of these
    counts: tuple[tuple[Predicate, int], ...] = ()  # so many nodes satisfy each
    names: frozenset[str] = frozenset()  # every feature mentioned

    @property
    def min_nodes(self) -> int:
        """The nodes that the counts add up to."""
        return sum(count for _, count in self.counts)


class _Level:
    """One pair of parentheses or brackets."""

    __slots__ = ("bracket", "joint", "parts", "place")

    def __init__(self, bracket: str, place: int) -> None:
        self.bracket, self.place = bracket, place
        self.joint = ""  # the last one read; "" once an item follows it
        self.parts: list[tuple[str, Predicate]] = []  # each with the joint before it

    def add(self, part: Predicate) -> None:
        self.parts.append((self.joint, part))
        self.joint = ""

    def close(self) -> Predicate:
        """Join from left to right, runs of one joint into one group."""
        run, joint = [self.parts[0][1]], ""
        for sign, part in self.parts[1:]:
            if joint not in ("", sign):
                run = [_group(joint, run)]
            run.append(part)
            joint = sign
        return _group(joint, run)


def _group(joint: str, parts: list[Predicate]) -> Predicate:
    if joint == "&":
        parts = [part for part in parts if part is not TRUE] or [TRUE]
    if len(parts) == 1:
        return parts[0]
    return Or(parts) if joint == "|" else And(parts)


class _Parser:
    """Reads one text from left to right, with its own stack."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.levels = [_Level("", 0)]
        self.bracketed = False
        self.names: set[str] = set()
        self.alternatives: tuple[Predicate, ...] = ()
        self.counts: list[tuple[Predicate, int]] = []

    def parse(self) -> FeatureSpec:
        for match in _TOKEN.finditer(self.text):
            self.take(match.group(), match.start())
        if len(self.levels) > 1:
            level = self.levels[-1]
            self.fail(f'"{level.bracket}" is not closed', level.place, f'add "{_CLOSING[level.bracket]}"')
        parts = self.levels[0].parts
        predicate = self.levels[0].close() if parts else TRUE
        return FeatureSpec(predicate, self.alternatives, tuple(self.counts), frozenset(self.names))

    def take(self, token: str, at: int) -> None:
        level = self.levels[-1]
        expected = not level.parts or bool(level.joint)  # an item, not a joint
        if token in _JOINTS:
            if expected:
                self.fail(f'a feature is missing before "{token}"', at)
            level.joint = _JOINTS[token]
        elif token[0] == "*":
            self.count(token, at, expected)
        elif token in (")", "]"):
            self.leave(token, at, expected)
        elif not expected:
            self.fail(f'no "&" or "|" before "{token}"', at, 'join features with "&" or "|"')
        elif token in _CLOSING:
            self.enter(token, at)
        else:
            self.names.add(token)
            level.add(has_feature(token))

    def enter(self, token: str, at: int) -> None:
        if token == "[":
            if self.bracketed:
                self.fail("brackets inside brackets", at, "use parentheses for the inner group")
            self.bracketed = True
        self.levels.append(_Level(token, at))

    def leave(self, token: str, at: int, expected: bool) -> None:
        level = self.levels[-1]
        if _CLOSING.get(level.bracket) != token:
            self.fail(f'"{token}" does not close anything', at)
        if expected:
            self.fail(f'a feature is missing before "{token}"', at)
        self.levels.pop()
        if token == "]":
            self.bracketed = False
            if len(level.parts) > 1 and all(joint in ("", "|") for joint, _ in level.parts):
                self.alternatives = tuple(part for _, part in level.parts)
        self.levels[-1].add(level.close())

    def count(self, token: str, at: int, expected: bool) -> None:
        level = self.levels[-1]
        if expected:
            self.fail('"*" without a feature before it', at)
        if not token[1:].isdigit() or len(token) > 10 or int(token[1:]) == 0:
            self.fail("a count is a number from 1 on", at, "for example: gpu*2")
        joint, part = level.parts.pop()
        self.counts.append((part, int(token[1:])))
        level.parts.append((joint, TRUE))

    def fail(self, message: str, at: int, hint: str = "") -> NoReturn:
        raise SyntaxFault(message, self.text, (at, at + 1), hint)


def parse_spec(text: str) -> FeatureSpec:
    """Return what a ``-C`` text asks for; a `SyntaxFault` says what is wrong and where.

    Whether the cluster has the features is the caller's question: ``names`` lists them.
    """
    return _Parser(text).parse()


def parse(text: str) -> Predicate:
    """Return what every single node must satisfy (a list with counts asks nothing of the other nodes)."""
    return parse_spec(text).predicate


def parse_exact(text: str) -> Predicate:
    """Return the predicate of a list that is one: counts and alternatives are no matter of single nodes."""
    from slimsched.constraints.dialects import NoEquivalent

    spec = parse_spec(text)
    for part, count in spec.counts:
        raise NoEquivalent(f"{write(part)}*{count}", "a language that speaks of single nodes")
    if spec.alternatives:
        raise NoEquivalent(f"[{write(Or(spec.alternatives))}]", "a language that speaks of single nodes")
    return spec.predicate


def write(predicate: Predicate) -> str:
    """Return the ``-C`` text of a predicate; `NoEquivalent` names a part that this language cannot say."""
    return unfold(predicate, _notation)


def _notation(node: Predicate) -> list[Predicate | str]:
    from slimsched.constraints.dialects import NoEquivalent

    if isinstance(node, Member) and node.column == FEATURES and _PLAIN.fullmatch(node.text):
        return [node.text]
    if isinstance(node, And | Or) and node.children:
        return joined(node, "&" if isinstance(node, And) else "|")
    raise NoEquivalent(node, NAME)
