"""Slurm's ``-C`` / ``--constraint`` language over node features.

    list    = item { joint item } [ joint ]
    joint   = "&" | "|"                         worked off from left to right, none binds tighter
    item    = feature [ "*" count ] | group [ "*" count ] | "[" list "]"
    group   = "(" list ")"                      with neither groups nor counts nor brackets in it

There is one pair of brackets at most, and a count outside of it must belong to the only feature of all. A comma
stands for ``&``. ``feature*N`` asks for N nodes with the feature and leaves the others free. ``[a|b]`` wants
all nodes from the same alternative, ``[a*2&b*4]`` two nodes of one kind and four of the other, ``[a*2|b*4]`` two of
the one or four of the other. Counts and alternatives concern several nodes at once, so they are kept beside the
predicate for the select plugins.
Source: sbatch(1), transcripts of Slurm 26.11 (a joint at the very end is accepted).
"""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from slimsched.constraints.predicate import FEATURES, TRUE, And, Member, Or, Predicate, has_feature, joined, unfold
from slimsched.errors import SyntaxFault

NAME = "slurm-features"
_TOKEN = re.compile(r"[^&|()\[\]*]+|\*[0-9]*|[&|()\[\]]")
_PLAIN = re.compile(r"[^&|,()\[\]*]+")
_JOINTS = ("&", "|")
_CLOSING = {"(": ")", "[": "]"}


Counts = tuple[tuple[Predicate, int], ...]
"""Predicates, each with the number of nodes that must satisfy it."""


class Alternative(NamedTuple):
    """One way to satisfy a list: what all nodes satisfy, and how many satisfy something else."""

    predicate: Predicate = TRUE
    counts: Counts = ()

    @property
    def min_nodes(self) -> int:
        """The nodes that the counts add up to."""
        return sum(count for _, count in self.counts)


class FeatureSpec(NamedTuple):
    """A ``-C`` list: what every node must satisfy, and the choices, of which the set of nodes must satisfy one."""

    predicate: Predicate
    choices: tuple[Alternative, ...] = (Alternative(),)
    names: frozenset[str] = frozenset()  # every feature mentioned


class _Level:
    """One pair of parentheses or brackets."""

    __slots__ = ("bracket", "counted", "joint", "parts", "place")

    def __init__(self, bracket: str, place: int) -> None:
        self.bracket, self.place = bracket, place
        self.joint = ""  # the last one read; "" once an item follows it
        self.parts: list[tuple[str, Predicate]] = []  # each with the joint before it
        self.counted: dict[int, tuple[Predicate, int]] = {}  # by the number of the part

    def add(self, part: Predicate) -> None:
        self.parts.append((self.joint, part))
        self.joint = ""

    def choices(self) -> tuple[Alternative, ...]:
        """Return the alternatives of brackets, or the one choice to satisfy all their counts."""
        if len(self.parts) < 2 or any(joint == "&" for joint, _ in self.parts):
            return (Alternative(TRUE, tuple(self.counted.values())),)
        counts = ((self.counted[i],) if i in self.counted else () for i in range(len(self.parts)))
        return tuple(Alternative(part, count) for (_, part), count in zip(self.parts, counts, strict=True))

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
    elif TRUE in parts:
        parts = [TRUE]
    if len(parts) == 1:
        return parts[0]
    return Or(parts) if joint == "|" else And(parts)


class _Parser:
    """Reads one text from left to right, with its own stack."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.levels = [_Level("", 0)]
        self.names: set[str] = set()
        self.mentions = 0
        self.choices: tuple[Alternative, ...] = ()

    def parse(self) -> FeatureSpec:
        for match in _TOKEN.finditer(self.text):
            self.take(match.group(), match.start())
        if len(self.levels) > 1:
            level = self.levels[-1]
            self.fail(f'"{level.bracket}" is not closed', level.place, f'add "{_CLOSING[level.bracket]}"')
        outer = self.levels[0]
        if outer.counted and self.mentions > 1:
            self.fail(
                "a count beside other features", self.text.index("*"), "put the counted features in brackets: [a*2&b*1]"
            )
        choices = self.choices or (Alternative(TRUE, tuple(outer.counted.values())),)
        return FeatureSpec(outer.close() if outer.parts else TRUE, choices, frozenset(self.names))

    def take(self, token: str, at: int) -> None:
        level = self.levels[-1]
        expected = not level.parts or bool(level.joint)  # an item, not a joint
        if token in _JOINTS:
            if expected:
                self.fail(f'a feature is missing before "{token}"', at)
            level.joint = token
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
            self.mentions += 1
            level.add(has_feature(token))

    def enter(self, token: str, at: int) -> None:
        if self.levels[-1].bracket == "(":
            self.fail(f'"{token}" inside parentheses', at, "only features are allowed in parentheses")
        if token == "[" and (self.choices or self.levels[-1].bracket):
            self.fail("more than one pair of brackets", at, "use parentheses for the inner group")
        self.levels.append(_Level(token, at))

    def leave(self, token: str, at: int, expected: bool) -> None:
        level = self.levels[-1]
        if _CLOSING.get(level.bracket) != token:
            self.fail(f'"{token}" does not close anything', at)
        if expected:
            self.fail(f'a feature is missing before "{token}"', at)
        self.levels.pop()
        if token == "]":
            self.choices = level.choices()
        self.levels[-1].add(level.close())

    def count(self, token: str, at: int, expected: bool) -> None:
        level = self.levels[-1]
        if expected:
            self.fail('"*" without a feature before it', at)
        if level.bracket == "(":
            self.fail("a count inside parentheses", at, "count the whole group in parentheses: [(a&b)*2]")
        if not token[1:].isdigit() or len(token) > 10 or int(token[1:]) == 0:
            self.fail("a count is a number, 1 or more", at, "for example: gpu*2")
        joint, part = level.parts.pop()
        level.counted[len(level.parts)] = part, int(token[1:])
        level.parts.append((joint, TRUE))

    def fail(self, message: str, at: int, hint: str = "") -> NoReturn:
        raise SyntaxFault(message, self.text, (at, at + 1), hint)


def canonical(text: str) -> str:
    """Return a list as Slurm keeps it: with ``&`` for every comma."""
    return text.replace(",", "&")


def parse_spec(text: str) -> FeatureSpec:
    """Return what a ``-C`` text asks for; a `SyntaxFault` says what is wrong and where.

    Whether the cluster has the features is the caller's question: ``names`` lists them.
    """
    return _Parser(canonical(text)).parse()


def parse(text: str) -> Predicate:
    """Return what every single node must satisfy (a list with counts asks nothing of the other nodes)."""
    return parse_spec(text).predicate


def parse_exact(text: str) -> Predicate:
    """Return the predicate of a list without counts and alternatives, which concern several nodes at once."""
    from slimsched.constraints.dialects import NoEquivalent

    spec = parse_spec(text)
    for part, count in (counted for choice in spec.choices for counted in choice.counts):
        raise NoEquivalent(f"{write(part)}*{count}", "a language that speaks of single nodes")
    if len(spec.choices) > 1:
        several = write(Or([choice.predicate for choice in spec.choices]))
        raise NoEquivalent(f"[{several}]", "a language that speaks of single nodes")
    return spec.predicate


def write(predicate: Predicate) -> str:
    """Return the ``-C`` text of a predicate; `NoEquivalent` names a part that this language cannot say."""
    return unfold(predicate, _notation)


def _notation(node: Predicate) -> list[Predicate | str]:
    from slimsched.constraints.dialects import NoEquivalent

    if isinstance(node, Member) and node.column == FEATURES and _PLAIN.fullmatch(node.text):
        return [node.text]
    if isinstance(node, And | Or) and node.children:
        for child in node.children:
            if any(isinstance(inner, And | Or) for inner in getattr(child, "children", ())):
                raise NoEquivalent(child, NAME)  # parentheses inside parentheses
        return joined(node, "&" if isinstance(node, And) else "|")
    raise NoEquivalent(node, NAME)
