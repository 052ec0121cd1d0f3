"""Verbs on complex attributes: definitions, and what the cluster as a whole offers.

What nodes and partitions offer is changed by their own updates. Source: oracle/sge cli_transcripts.jsonl, qconf.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.constraints.complexes import builtin, definition, entries, places
from slimsched.controller.gridengine import complexes
from slimsched.errors import SyntaxFault, UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.complex import ComplexAttribute


def attributes(cluster: Cluster) -> Mapping[str, ComplexAttribute]:
    """Return all attributes by name."""
    return places.catalog_of(cluster).attributes


def create(ctl: Controller, given: Mapping[str, str]) -> None:
    """Add a definition, given as texts by column; the shortcut may be left out. Raises `DefinitionFault`."""
    columns = {"requestable": "YES", "consumable": "NO", "default": "0", "urgency": "0", **given}
    columns.setdefault("shortcut", columns.get("name", ""))
    if columns.get("type", "").upper() in {"STRING", "CSTRING", "RESTRING", "HOST"} and "default" not in given:
        columns["default"] = entries.NONE
    made = definition.read(columns)
    definition.add(made, attributes(ctl.cluster))
    _put(ctl, made)


def update(ctl: Controller, name: str, given: Mapping[str, str]) -> None:
    """Change columns of a definition; the others stay as they are. Raises `DefinitionFault`."""
    known = attributes(ctl.cluster)
    old = known.get(name)
    columns = {} if old is None else {column: str(getattr(old, column)) for column in builtin.FIELDS}
    if old is None:
        raise definition.DefinitionFault(f'Complex attribute "{name}" does not exist')
    _put(ctl, definition.change(definition.read({**columns, **given, "name": name}), known))


def delete(ctl: Controller, name: str) -> None:
    """Remove a definition that nothing refers to. Raises `DefinitionFault`."""
    definition.delete(name, attributes(ctl.cluster))
    for where in _references(ctl.cluster, name):
        raise definition.DefinitionFault(f'denied: Complex attribute "{name}" is still referenced in {where}.')
    ctl.cluster.complexes = ctl.cluster.complexes.without(name)
    _note(ctl, "delete", name)


def _put(ctl: Controller, attribute: ComplexAttribute) -> None:
    ctl.cluster.complexes = ctl.cluster.complexes.having(attribute)
    _note(ctl, "define", attribute.name)


def _references(cluster: Cluster, name: str) -> Iterator[str]:
    for part in cluster.partitions.values():
        if name in entries.stored(part.complexes):
            yield f'queue "{part.partition_name}"'
    for node in cluster.nodes:
        if name in node.complexes or name in node.load:
            yield f'host "{node.name}"'
    if name in cluster.complexes.values or name in cluster.complexes.load:
        yield 'host "global"'


def offer(ctl: Controller, text: str) -> None:
    """Set what the cluster as a whole offers (``a=5,b=x``, or "" or NONE). Raises `UserError`."""
    ctl.cluster.complexes = ctl.cluster.complexes.offering(read(ctl.cluster, text))
    _note(ctl, "offer", "global")


def report(ctl: Controller, load: Mapping[str, str]) -> None:
    """Set the load values of the cluster as a whole."""
    ctl.cluster.complexes = ctl.cluster.complexes.reporting(dict(load))
    _note(ctl, "load", "global")


def limit(ctl: Controller, stored: str, name: str, text: str) -> str:
    """Return a queue's resource limits with another value for one; INFINITY is none. Raises `UserError`."""
    found = {**entries.stored(stored), **read(ctl.cluster, f"{name}={text}")}
    return entries.write({kind: value for kind, value in found.items() if value.upper() != "INFINITY"})


def read(cluster: Cluster, text: str) -> dict[str, str]:
    """Return a list of configured values as they are stored. Raises `UserError` in Grid Engine's words."""
    try:
        return entries.read(text, places.catalog_of(cluster))
    except SyntaxFault as fault:
        raise UserError(fault.message, level="plain") from None


def _note(ctl: Controller, event: str, name: str) -> None:
    complexes.changed(ctl)
    ctl.cluster.record(f"complex-{event}", complex=name)
