"""Changes of single nodes in the node lines of a configuration: a line of which only some nodes change is split."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from slimsched.model.config import NodeConf
from slimsched.text import hostlist

_PER_NODE = ("node_addr", "node_hostname", "port")  # hostlists with one entry for each node, or one for all
_Changes = Mapping[str, Mapping[str, Any]]  # node -> attribute -> value


def alter(lines: list[NodeConf], changes: _Changes) -> list[NodeConf]:
    """Return the node lines with ``changes``; a line of which only some nodes change is split, in node order."""
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
