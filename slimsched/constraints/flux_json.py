"""Flux's constraint objects (RFC 31): one operator with its list of values.

    object = {} | { operator: [ value, ... ] }
    operator = "properties" | "hostlist" | "ranks"     values are texts
             | "and" | "or" | "not"                    values are objects

``properties`` asks for all of its values, "^name" for the lack of one; ``hostlist`` and ``ranks`` for any.
``not`` means "not all of them". Without values ``and``, ``or``, ``properties`` and ``{}`` match everything,
``not``, ``hostlist`` and ``ranks`` nothing.
Source: RFC 31; where it is silent, Flux's C matcher, except that a hostname is not a property and that a value which is
not an array is refused. Blanks between hosts, ``n[0-]`` for ``n0``, brackets after the first as part of the name, and
nothing between two commas of an idset are read as Flux reads them. A name without "[" that holds a "]" is refused,
as is a "[" that no "]" follows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from slimsched.constraints import deep_json
from slimsched.constraints.idranges import merged
from slimsched.constraints.predicate import (
    FALSE,
    FEATURES,
    HOSTS,
    RANKS,
    TRUE,
    And,
    Member,
    Names,
    Not,
    Or,
    Predicate,
    fold,
    has_feature,
    show,
)
from slimsched.errors import SyntaxFault, UserError
from slimsched.text import hostlist, idset

NAME = "flux-json"
_RESERVED = re.compile("[!&'\"`|()\0\ud800-\udfff]")

Path = tuple[Any, ...]
"""(parent path, operator, index), () at the top."""


class ConstraintFault(UserError):
    """An object that is not a constraint; ``path`` leads to the wrong part, ``part`` is the object around it."""

    def __init__(self, message: str, path: Path, part: Any) -> None:
        self.path = spell(path)
        self.reason = message
        self.part = part
        super().__init__(f"{self.path}: {message}" if self.path else message)


def spell(path: Path) -> str:
    """Return a path as ``and[1].hostlist[0]``."""
    pieces = []
    while path:
        path, operator, index = path
        pieces.append(f"{operator}[{index}]" if index is not None else operator)
    return ".".join(reversed(pieces))


def parse(text: str) -> Predicate:
    """Return the predicate of a JSON text. Raises `SyntaxFault` for wrong JSON, `ConstraintFault` for its content."""
    try:
        value = deep_json.loads(text)
    except ValueError as error:
        at = getattr(error, "pos", 0)
        raise SyntaxFault(f"ill-formed JSON: {getattr(error, 'msg', error)}", text, (at, at + 1)) from None
    return compile_object(value)


def compile_object(value: Any) -> Predicate:
    """Return the predicate of a decoded object."""
    ready: list[tuple[str, Any]] = []  # operators with their number of values, or leaves
    todo: list[tuple[Any, Path]] = [(value, ())]
    names = 0
    while todo:
        item, path = todo.pop()
        operator, values = _operator(item, path)
        if operator in _LEAVES:
            leaf = _LEAVES[operator](values, path, item)
            ready.append(("", leaf))
            names += len(leaf.values) if isinstance(leaf, Member) and isinstance(leaf.values, Names) else 0
            _check_names(names, (path, operator, None), item)
        else:
            ready.append((operator, len(values)))
            todo.extend((part, (path, operator, i)) for i, part in enumerate(values))
    results: list[Predicate] = []
    for operator, content in reversed(ready):
        if not operator:
            results.append(content)
        else:
            parts = results[len(results) - content :]
            del results[len(results) - content :]
            results.append(_JOINED[operator](parts))
    return results[0]


def _operator(item: Any, path: Path) -> tuple[str, list[Any]]:
    """Return the operator of an object and its values."""
    if not isinstance(item, dict):
        raise ConstraintFault(f"a constraint is an object, not {_kind(item)}", path, item)
    if not item:
        return "and", []
    if len(item) > 1:
        names = ", ".join(f'"{name}"' for name in item)
        raise ConstraintFault(
            f'an object holds one operator, not {len(item)} ({names}); join them with "and"', path, item
        )
    ((operator, values),) = item.items()
    if operator not in _LEAVES and operator not in _JOINED:
        raise ConstraintFault(f'unknown operator "{operator}"', path, item)
    if not isinstance(values, list):
        raise ConstraintFault(f"the values must be in an array, not in {_kind(values)}", (path, operator, None), item)
    return operator, values


def _texts(values: list[Any], path: Path, item: Any, operator: str) -> list[str]:
    for i, value in enumerate(values):
        if not isinstance(value, str):
            raise ConstraintFault(f"a value is text, not {_kind(value)}", (path, operator, i), item)
    return values


def _properties(values: list[Any], path: Path, item: Any) -> Predicate:
    parts: list[Predicate] = []
    for i, text in enumerate(_texts(values, path, item, "properties")):
        bad = _RESERVED.search(text)
        if bad:
            raise ConstraintFault(f"a property cannot contain {bad.group()!r}", (path, "properties", i), item)
        parts.append(Not(has_feature(text[1:])) if text.startswith("^") else has_feature(text))
    return parts[0] if len(parts) == 1 else And(parts)


def _hostlist(values: list[Any], path: Path, item: Any) -> Predicate:
    names: list[str] = []
    for i, text in enumerate(_texts(values, path, item, "hostlist")):
        try:
            names += hosts(text)
            _check_names(len(names), (path, "hostlist", i), item)
        except SyntaxFault as fault:
            _refuse(fault, (path, "hostlist", i), item)
    return Member(HOSTS, Names(names), ",".join(filter(None, values)))


def _check_names(count: int, path: Path, item: Any) -> None:
    """Refuse host lists that are small as texts and fill the memory as names."""
    if count > hostlist.MAX_NAMES:
        raise ConstraintFault(f"more than {hostlist.MAX_NAMES:,} names", path, item)


def _ranks(values: list[Any], path: Path, item: Any) -> Predicate:
    ranges: list[tuple[int, int]] = []
    for i, text in enumerate(_texts(values, path, item, "ranks")):
        try:
            ranges += rank_ranges(text)
        except SyntaxFault as fault:
            _refuse(fault, (path, "ranks", i), item)
    found = merged(ranges)
    return Member(RANKS, found, idset.encode_ranges(list(found)))


def _refuse(fault: SyntaxFault, path: Path, item: Any) -> NoReturn:
    start, end = fault.span
    quoted = fault.text[start : min(end, start + 40)]
    raise ConstraintFault(f'{fault.message}: "{quoted}"', path, item) from None


def _not(parts: list[Predicate]) -> Predicate:
    return Not(parts[0]) if len(parts) == 1 else Not(And(parts)) if parts else FALSE


_LEAVES: dict[str, Callable[[list[Any], Path, Any], Predicate]] = {
    "properties": _properties,
    "hostlist": _hostlist,
    "ranks": _ranks,
}
_JOINED: dict[str, Callable[[list[Predicate]], Predicate]] = {
    "and": lambda parts: And(parts) if parts else TRUE,
    "or": lambda parts: Or(parts) if parts else TRUE,
    "not": _not,
}
_KINDS: dict[type, str] = {
    dict: "an object",
    list: "an array",
    str: "text",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def _kind(value: Any) -> str:
    return _KINDS[type(value)]


def to_object(predicate: Predicate) -> dict[str, Any]:
    """Return the object of a predicate; `NoEquivalent` names a part that RFC 31 cannot say."""
    return fold(predicate, _object)


def write(predicate: Predicate) -> str:
    """Return the JSON text of a predicate; `NoEquivalent` names a part that RFC 31 cannot say."""
    return deep_json.dumps(to_object(predicate))


def _object(node: Predicate, parts: Any) -> dict[str, Any]:
    if isinstance(node, Member) and node.column == FEATURES and node.text.startswith("^"):
        return {"not": [{"properties": [f"^{node.text}"]}]}
    if isinstance(node, Member) and (node.column in _TEXTS or is_property(node)):
        return {_TEXTS.get(node.column, "properties"): [node.text]}
    if isinstance(node, Not):
        child = node.children[0]
        named = isinstance(child, Member) and is_property(child)
        return {"properties": [f"^{show(child)}"]} if named else {"not": list(parts)}
    if isinstance(node, And | Or):
        return {"and" if isinstance(node, And) else "or": list(parts)} if parts else _CONSTANTS[type(node)]
    from slimsched.constraints.dialects import NoEquivalent

    raise NoEquivalent(node, NAME)


_CONSTANTS: dict[type, dict[str, Any]] = {And: {"and": []}, Or: {"not": []}}
_TEXTS = {HOSTS: "hostlist", RANKS: "ranks"}


def is_property(node: Member) -> bool:
    """Tell whether a leaf asks for a feature whose name Flux allows as a property."""
    return node.column == FEATURES and not _RESERVED.search(node.text)


_MARK = re.compile(r"[\[\], \t]")
_OPEN_RANGE = re.compile(r"([0-9]+)-(?=,|$)")
_PADDING = re.compile(r"(?<![^,-])[\t +]+(?=[0-9])")


def hosts(text: str) -> list[str]:
    """Return the host names of an RFC 29 text. Raises HostlistError, which quotes the text as it stands."""
    try:
        return hostlist.expand(text, dialect="flux")
    except SyntaxFault as fault:
        try:
            return _hosts_as_read(text)
        except SyntaxFault:
            raise fault from None


def _hosts_as_read(text: str) -> list[str]:
    names: list[str] = []
    for token in _tokens(text):
        prefix, opened, rest = token.partition("[")
        ids, closed, literal = rest.partition("]")
        if opened and not closed:
            raise SyntaxFault("'[' without its ']'", text, (0, len(text)))
        if opened:
            ids = _OPEN_RANGE.sub(r"\1", _PADDING.sub(lambda found: "0" * len(found[0]), ids))
            names += [f"{prefix}{number}{literal}" for number in hostlist.expand(f"[{ids}]", dialect="flux")]
        else:
            names += hostlist.expand(token, dialect="flux")
        if len(names) > hostlist.MAX_NAMES:
            raise SyntaxFault(f"more than {hostlist.MAX_NAMES:,} names", text, (0, len(text)))
    return names


def _tokens(text: str) -> Iterator[str]:
    """Yield what stands between commas and blanks; one of these separates where as many brackets close as open."""
    start = level = 0
    for found in _MARK.finditer(text):
        if found[0] in "[]":
            level += 1 if found[0] == "[" else -1
            continue
        if level == 0:
            yield text[start : found.start()]
            start = found.end()
    yield text[start:]


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
