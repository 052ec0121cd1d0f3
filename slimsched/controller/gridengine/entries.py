"""Single entries of what a host, a queue or the cluster as a whole offers: modify, add, delete.

Source: oracle/sge cli_transcripts.jsonl, ``qconf -mattr``, ``-aattr`` and ``-dattr``.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from slimsched.constraints.complexes import builtin, entries
from slimsched.controller.gridengine import complexes, definitions
from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.config import PartitionConf


FIELDS = {"complex_values", "load_values"}


def change(ctl: Controller, how: str, kind: str, field: str, name: str, text: str) -> list[str]:
    """Change entries of the ``queue`` or ``exechost`` named, or a limit of a queue; returns remarks.

    Raises `UserError`.
    """
    if kind == "queue" and field in builtin.LIMITS and how == "modify":
        _put_limit(ctl, _queue(ctl, name), field, text)
        return []
    if field not in FIELDS or (kind, field) == ("queue", "load_values"):
        raise UserError(f"denied: {field} of {kind} cannot be changed this way", level="plain")
    have = _have(ctl, kind, field, name)
    given = definitions.read(ctl.cluster, text)
    remarks, found = [], dict(have)
    where = name if kind == "queue" else "exechost"
    for entry, value in given.items():
        if how == "delete":
            found.pop(entry, None)
        elif how == "add" and entry in have:
            remarks.append(f'No modification because "{entry}" already exists in "{field}" of "{where}"')
        else:
            if how == "modify" and entry not in have:
                remarks.append(f'Unable to find "{entry}" in "{field}" of "{where}" - Adding new element.')
            found[entry] = value
    _put(ctl, kind, field, name, found)
    return remarks


def _queue(ctl: Controller, name: str) -> PartitionConf:
    if name not in ctl.cluster.partitions:
        raise UserError(f'denied: cluster queue "{name}" does not exist', level="plain")
    return copy.copy(ctl.cluster.partitions[name])


def _put_limit(ctl: Controller, part: PartitionConf, name: str, text: str) -> None:
    if name == "h_rt":
        raise UserError("denied: h_rt is the MaxTime of the partition", level="plain")
    part.resource_limits = definitions.limit(ctl, part.resource_limits, name, text)
    _store(ctl, part)
    complexes.changed(ctl)
    ctl.cluster.record("complex-offer", complex=part.partition_name)


def _store(ctl: Controller, part: PartitionConf) -> None:
    ctl.cluster.add_partition(part)
    ctl.cluster.dirty_partitions.add(part.partition_name)


def _have(ctl: Controller, kind: str, field: str, name: str) -> dict[str, str]:
    cluster = ctl.cluster
    if kind == "queue":
        return dict(entries.stored(_queue(ctl, name).complexes))
    if name == "global":
        return dict(cluster.complexes.load if field == "load_values" else cluster.complexes.values)
    if name not in cluster.node_index:
        raise UserError(f'denied: exechost "{name}" does not exist', level="plain")
    node = cluster.nodes[cluster.node_index[name]]
    return dict(node.load if field == "load_values" else node.complexes)


def _put(ctl: Controller, kind: str, field: str, name: str, found: dict[str, str]) -> None:
    cluster = ctl.cluster
    if kind == "queue":
        part = _queue(ctl, name)
        part.complexes = entries.write(found)
        _store(ctl, part)
    elif name == "global":
        state = cluster.complexes
        cluster.complexes = state.reporting(found) if field == "load_values" else state.offering(found)
    else:
        node = cluster.nodes[cluster.node_index[name]]
        node.change(**{"load" if field == "load_values" else "complexes": found})
        cluster.touch_node(node)
        cluster.changed("load")
    complexes.changed(ctl)
    cluster.record("complex-offer", complex=name)
