"""The JSON-lines interface of complex attributes: matches and definitions without a cluster.

Queue instances are the rows of a table; the columns are what each offers on its three levels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, cast

from slimsched.constraints.columns import NodeColumn, NodeTable, column
from slimsched.constraints.complexes import builtin, definition, match, offers, request, values
from slimsched.constraints.complexes.catalog import Catalog, Semantics
from slimsched.constraints.complexes.offers import offer
from slimsched.constraints.evaluate import evaluate
from slimsched.constraints.json_line import Answer, BadRequest, field
from slimsched.errors import SyntaxFault
from slimsched.model import bitmap
from slimsched.model.complex import ComplexAttribute

_LEVELS = ("global", "host", "queue", "global_load", "host_load", "queue_limit")
_CONFIGURED = _LEVELS[:3]
_KEPT = 256
Row = tuple[tuple[str, str | None], ...]


def match_lines(line: dict[str, Any]) -> Answer:
    """Answer one request: the queue instances that satisfy it, each with its number of soft violations."""
    catalog = _catalog(line)
    hard = request.read([field(line, "request", str, optional=True) or ""], catalog)
    soft = request.read([field(line, "soft", str, optional=True) or ""], catalog, soft=True)
    instances = [_instance(record, f"queues[{i}].", catalog) for i, record in enumerate(_list(line, "queues"))]
    offered = table(instances, catalog)
    matched = list(bitmap.iterate(evaluate(match.hard(hard, catalog), offered)))
    counts = dict.fromkeys(matched, 0)
    for violation in match.soft(soft, catalog):
        for row in bitmap.iterate(evaluate(violation, offered)):
            if row in counts:
                counts[row] += 1
    return {
        "valid": True,
        "matched": [instances[row].name for row in matched],
        "violations": {instances[row].name: count for row, count in counts.items()},
    }


def define_lines(line: dict[str, Any]) -> Answer:
    """Answer whether a definition may be added, changed or deleted, or whether its attribute takes a value."""
    given = field(line, "definition", dict)
    known = _known(_list(line, "existing"))
    try:
        if line.get("value") is not None:
            return _value(line, definition.read(given), known)
        _apply(field(line, "op", str, optional=True) or "add", given, known)
    except definition.DefinitionFault as fault:
        return {"accepted": False, "error": fault.message}
    except SyntaxFault as fault:
        return {"accepted": False, "error": fault.message}
    return {"accepted": True}


def _apply(op: str, given: dict[str, Any], known: Mapping[str, ComplexAttribute]) -> None:
    name = field(given, "name", str)
    if op == "delete":
        definition.delete(name, known)
    elif op == "change":
        definition.change(definition.read(given), known)
    elif op == "add":
        definition.add(definition.read(given), known)
    else:
        raise BadRequest(f'"op" must be add, change or delete, not "{op}"')


def _value(line: dict[str, Any], attribute: ComplexAttribute, known: Mapping[str, ComplexAttribute]) -> Answer:
    text, where = field(line, "value", str), field(line, "where", str, optional=True) or "complex_values"
    if where == "request":
        catalog = Catalog({**known, attribute.name: attribute}.values(), _semantics(line))
        request.check(attribute, text, catalog)
        return {"accepted": True}
    if where != "complex_values":
        raise BadRequest(f'"where" must be complex_values or request, not "{where}"')
    stored = values.offer(attribute, text)
    return {
        "accepted": True,
        "stored": f"{attribute.name}={stored}",
        "shown": values.show(attribute, values.parse(attribute, text if text.upper() != "NONE" else stored)),
    }


def _catalog(line: dict[str, Any]) -> Catalog:
    own = tuple(_row(record) for record in _list(line, "complexes"))
    return _cached_catalog(own, _semantics(line))


def _semantics(line: dict[str, Any]) -> Semantics:
    word = field(line, "complex_semantics", str, optional=True) or "8.1"
    if word not in ("8.1", "6.0"):
        raise BadRequest(f'"complex_semantics" must be 8.1 or 6.0, not "{word}"')
    return cast("Semantics", word)


@lru_cache(maxsize=_KEPT)
def _cached_catalog(own: tuple[Row, ...], semantics: Semantics) -> Catalog:
    attributes = [definition.read(dict(row)) for row in own]
    for attribute in attributes:
        definition.check(attribute)
    return Catalog(attributes, semantics)


def _row(record: dict[str, Any]) -> Row:
    return tuple((name, field(record, name, str, "complexes[].", optional=True)) for name in builtin.FIELDS)


def _known(existing: Iterable[dict[str, Any]]) -> dict[str, ComplexAttribute]:
    own = (definition.read(record) for record in existing)
    return {**builtin.attributes(), **{attribute.name: attribute for attribute in own}}


def _list(line: dict[str, Any], name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = field(line, name, list, optional=True) or []
    for i, record in enumerate(found):
        if not isinstance(record, dict):
            raise BadRequest(f"{name}[{i}] is not an object")
    return found


def _instance(record: dict[str, Any], at: str, catalog: Catalog) -> Instance:
    name = field(record, "name", str, at)
    texts = {
        level: _texts(field(record, level, dict, at, optional=True) or {}, f"{at}{level}", catalog) for level in _LEVELS
    }
    for level in _CONFIGURED:
        for word, text in texts[level].items():
            offers.configured(catalog.attributes[word], text)
    return Instance(name, *texts.values())


def _texts(record: dict[str, Any], at: str, catalog: Catalog) -> dict[str, str]:
    """Return the values of a level by the attributes' names; null means no value."""
    found: dict[str, str] = {}
    for word, text in record.items():
        attribute = catalog.find(word)
        if attribute is None:
            raise BadRequest(f'denied: attribute "{word}" is not a complex attribute')
        if text is not None and not isinstance(text, str):
            raise BadRequest(f'"{at}.{word}" must be text')
        if text is not None:
            found[attribute.name] = text
    return found


Texts = Mapping[str, str]
"""Attribute name -> value, as configured or reported."""


class Instance(NamedTuple):
    """One queue instance. ``limits`` are the queue's own fields, such as its resource limits."""

    name: str  # queue@host
    everywhere: Texts = {}
    host: Texts = {}
    queue: Texts = {}
    global_load: Texts = {}
    host_load: Texts = {}
    limits: Texts = {}

    def fields(self) -> dict[str, str]:
        """Return the attributes that the queue has by being one."""
        return queue_fields(*self.name.partition("@")[::2], self.limits)


def queue_fields(queue: str, host: str, limits: Texts) -> dict[str, str]:
    """Return what every queue offers on a host: names, limits, calendar."""
    names = {"qname": queue, "hostname": host} if host else {"qname": queue}
    return {**names, **builtin.QUEUE_FIELDS, **limits}


def table(instances: Sequence[Instance], catalog: Catalog) -> NodeTable:
    """Return the columns over ``instances``, built as they are asked for."""
    sources: dict[str, Sequence[tuple[Texts, Texts]]] = {
        match.GLOBAL: [(one.everywhere, one.global_load) for one in instances],
        match.HOST: [(one.host, one.host_load) for one in instances],
        match.QUEUE: [(one.queue, one.fields()) for one in instances],
    }

    def builder(source: str) -> Any:
        return lambda key: _column(sources[source], match.attribute_of(key)[0], catalog)

    return NodeTable(len(instances), {source: builder(source) for source in sources})


def _column(rows: Sequence[tuple[Texts, Texts]], name: str, catalog: Catalog) -> NodeColumn:
    attribute = catalog.attributes[name]
    offers = (offer(attribute, fixed.get(name), other.get(name)) for fixed, other in rows)
    return column((found.value, row) for row, found in enumerate(offers) if found is not None)
