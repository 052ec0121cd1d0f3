"""The node settings of other lines of ``slurm.conf`` and of ``gres.conf``, added to the NodeName lines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from slimsched.model.config import NodeConf, PartitionConf
from slimsched.text import hostlist

_PER_NODE = ("node_addr", "node_hostname", "port")  # hostlists with one entry for each node, or one for all
_Changes = Mapping[str, Mapping[str, Any]]  # node -> attribute -> value


def put_down(lines: list[NodeConf], down: list[dict[str, str]]) -> list[NodeConf]:
    """Apply DownNodes lines."""
    changes: dict[str, dict[str, Any]] = {}
    for values in down:
        change = {"state": values.get("state", "DOWN"), "reason": values.get("reason", "")}
        changes.update(dict.fromkeys(hostlist.expand(values["downnodes"]), change))
    return alter(lines, changes)


def alter(lines: list[NodeConf], changes: _Changes) -> list[NodeConf]:
    """Return the node lines with ``changes``; a line of which only some nodes change is cut, in node order."""
    if not changes:
        return lines
    result: list[NodeConf] = []
    for line in lines:
        names = hostlist.expand(line.node_name)
        if not any(name in changes for name in names):
            result.append(line)
            continue
        runs: list[tuple[Mapping[str, Any], list[int]]] = []
        for index, name in enumerate(names):
            wanted = changes.get(name, {})
            if not runs or runs[-1][0] != wanted:
                runs.append((wanted, []))
            runs[-1][1].append(index)
        result += [_part(line, names, places, wanted) for wanted, places in runs]
    return result


def _part(line: NodeConf, names: list[str], places: list[int], wanted: Mapping[str, Any]) -> NodeConf:
    values: dict[str, Any] = {"node_name": hostlist.fold([names[i] for i in places]), **wanted}
    for attribute in _PER_NODE:
        text = getattr(line, attribute)
        entries = hostlist.expand(text) if text else []
        if len(entries) == len(names):
            values[attribute] = hostlist.fold([entries[i] for i in places])
    return msgspec.structs.replace(line, **values)


def resolve_sets(partitions: list[PartitionConf], sets: list[dict[str, str]], nodes: list[NodeConf]) -> None:
    """Replace names of NodeSet lines in partitions by the nodes that they stand for."""
    known = {values["nodeset"]: _members(values, nodes) for values in sets}
    for line in partitions:
        names = hostlist.expand(line.nodes) if known else []
        if any(name in known for name in names):
            members = [member for name in names for member in known.get(name, [name])]
            line.nodes = hostlist.fold(list(dict.fromkeys(members)))


def _members(values: dict[str, str], nodes: list[NodeConf]) -> list[str]:
    members = hostlist.expand(values.get("nodes", ""))
    feature = values.get("feature")
    for line in nodes:
        if feature and feature in line.features.split(","):
            members += hostlist.expand(line.node_name)
    return members
