"""Single entries of what a host, a queue or the cluster as a whole offers: modify, add, delete.

Source: oracle/sge cli_transcripts.jsonl, ``qconf -mattr``, ``-aattr`` and ``-dattr``.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from slimsched.constraints.complexes import entries
from slimsched.controller import complex_values, complexes
from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.controller.core import Controller


def change(ctl: Controller, how: str, kind: str, name: str, text: str) -> list[str]:
    """Change entries of the ``queue`` or ``exechost`` named; returns remarks. Raises `UserError`."""
    have = _have(ctl, kind, name)
    given = complex_values.read(ctl.cluster, text)
    remarks, found = [], dict(have)
    where = name if kind == "queue" else "exechost"
    for entry, value in given.items():
        if how == "delete":
            found.pop(entry, None)
        elif how == "add" and entry in have:
            remarks.append(f'No modification because "{entry}" already exists in "complex_values" of "{where}"')
        else:
            if how == "modify" and entry not in have:
                remarks.append(f'Unable to find "{entry}" in "complex_values" of "{where}" - Adding new element.')
            found[entry] = value
    _put(ctl, kind, name, found)
    return remarks


def _have(ctl: Controller, kind: str, name: str) -> dict[str, str]:
    cluster = ctl.cluster
    if kind == "queue":
        if name not in cluster.partitions:
            raise UserError(f'denied: cluster queue "{name}" does not exist', level="plain")
        return dict(entries.stored(cluster.partitions[name].complexes))
    if name == "global":
        return dict(cluster.complexes.values)
    if name not in cluster.node_index:
        raise UserError(f'denied: exechost "{name}" does not exist', level="plain")
    return dict(cluster.nodes[cluster.node_index[name]].complexes)


def _put(ctl: Controller, kind: str, name: str, found: dict[str, str]) -> None:
    cluster = ctl.cluster
    if kind == "queue":
        part = copy.copy(cluster.partitions[name])
        part.complexes = entries.write(found)
        cluster.add_partition(part)
        cluster.dirty_partitions.add(name)
    elif name == "global":
        cluster.complexes = cluster.complexes.offering(found)
    else:
        node = cluster.nodes[cluster.node_index[name]]
        node.change(complexes=found)
        cluster.touch_node(node)
    complexes.changed(ctl)
    cluster.record("complex-offer", complex=name)
