"""Constraints checked and converted in bulk: a function for each language that answers one request."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from slimsched.constraints import deep_json, dialects
from slimsched.constraints.columns import ExtraData, NodeTable, column
from slimsched.constraints.evaluate import evaluate
from slimsched.constraints.json_line import Answer, Respond, field, records
from slimsched.constraints.predicate import Predicate
from slimsched.model import bitmap

_KEPT_LENGTH = 4096  # longer constraints are not worth remembering


def matcher(dialect: str) -> Respond:
    """Return the function that answers ``constraint`` and ``nodes`` with the nodes that match."""
    return _MATCHERS[dialect]


def converter(source: str, target: str) -> Respond:
    """Return the function that answers ``constraint`` in one language with the same in another."""

    def respond(request: dict[str, Any]) -> Answer:
        if source == "flux-json" and "constraint" in request:
            text = deep_json.dumps(request["constraint"])
        else:
            text = field(request, "constraint_text" if source == "flux-json" else "constraint", str)
        found = dialects.convert(text, source, target)
        return {"valid": True, "constraint": deep_json.loads(found) if target == "flux-json" else found}

    return respond


def match_extra(request: dict[str, Any]) -> Answer:
    """Answer one ``slurm-extra`` line: nodes have a ``name`` and the raw text of their ``extra``, or null."""
    predicate = _parse(field(request, "constraint", str), "slurm-extra")
    nodes = records(request)
    names = [field(node, "name", str, at) for at, node in nodes]
    extra = ExtraData(field(node, "extra", str, at, optional=True) for at, node in nodes)
    return _matched(predicate, names, NodeTable(len(nodes), {"extra": extra.column}))


def match_features(request: dict[str, Any]) -> Answer:
    """Answer one ``slurm-features`` line: nodes have a ``name`` and a list of ``features``."""
    predicate = _parse(field(request, "constraint", str), "slurm-features")
    nodes = records(request)
    names = [field(node, "name", str, at) for at, node in nodes]
    features = [field(node, "features", list, at, optional=True) or () for at, node in nodes]
    data = column((name, i) for i, held in enumerate(features) for name in held if isinstance(name, str))
    return _matched(predicate, names, NodeTable(len(nodes), {"features": lambda _: data}))


def match_flux_json(request: dict[str, Any]) -> Answer:
    """Answer one ``flux-json`` line: ``constraint`` is an object, or ``constraint_text`` its text."""
    from slimsched.constraints import flux_json

    if "constraint" in request:
        predicate = flux_json.compile_object(request["constraint"])
    else:
        predicate = flux_json.parse(field(request, "constraint_text", str))
    return _matched_ranks(predicate, request)


def match_flux_query(request: dict[str, Any]) -> Answer:
    """Answer one ``flux-query`` line: ``constraint`` is a text."""
    return _matched_ranks(_parse(field(request, "constraint", str), "flux-query"), request)


def _matched_ranks(predicate: Predicate, request: dict[str, Any]) -> Answer:
    """Match nodes that have a ``rank``, a ``hostname`` and a list of ``properties``."""
    nodes = records(request)
    ranks = [field(node, "rank", int, at) for at, node in nodes]
    hosts = [field(node, "hostname", str, at, optional=True) for at, node in nodes]
    held = [field(node, "properties", list, at, optional=True) or () for at, node in nodes]
    data = {
        "rank": column((rank, i) for i, rank in enumerate(ranks)),
        "host": column((name, i) for i, name in enumerate(hosts) if name is not None),
        "": column((name, i) for i, names in enumerate(held) for name in names if isinstance(name, str)),
    }
    table = NodeTable(len(nodes), {"features": data.__getitem__, "nodes": data.__getitem__})
    return {"valid": True, "ranks": sorted(ranks[i] for i in bitmap.iterate(evaluate(predicate, table)))}


def match_sge(request: dict[str, Any]) -> Answer:
    """Answer one ``sge`` line: ``request`` and ``soft`` are texts, ``queues`` the queue instances."""
    from slimsched.constraints.complexes.bulk import match_lines

    return match_lines(request)


_MATCHERS: dict[str, Respond] = {
    "slurm-extra": match_extra,
    "slurm-features": match_features,
    "flux-json": match_flux_json,
    "flux-query": match_flux_query,
    "sge": match_sge,
}


def _matched(predicate: Predicate, names: list[str], table: NodeTable) -> Answer:
    return {"valid": True, "matched": [names[i] for i in bitmap.iterate(evaluate(predicate, table))]}


def _parse(text: str, dialect: str) -> Predicate:
    return _remembered(text, dialect) if len(text) <= _KEPT_LENGTH else dialects.parse(text, dialect)


_remembered = lru_cache(maxsize=1024)(dialects.parse)
