"""GETNODES: the nodes, in more or less detail."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from slimsched.controller.reservations.node_choice import with_jobs
from slimsched.errors import SyntaxFault
from slimsched.model import bitmap
from slimsched.sched.wiki import tasklist
from slimsched.sched.wiki.message import MALFORMED, Refused, Settings, Words, data, number, plain
from slimsched.slurm import states

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.node import Node


def get_nodes(ctl: Controller, words: Words, settings: Settings) -> str:
    """Return the nodes asked for. Raises `Refused`."""
    since, wanted = span(words)
    cluster = ctl.cluster
    chosen = [n for n in cluster.nodes if n.state != states.FUTURE]
    if not wanted.startswith("ALL"):
        chosen = [cluster.nodes[k] for k in named(cluster, wanted)]
    busy = with_jobs(cluster)
    whole = ctl.select.get_info_from_plugin("CR_PLUGIN") == 0
    rows = [(node.name, _fields(cluster, node, since, settings, busy, whole=whole)) for node in chosen]
    if settings.version == 2 and settings.host_format == 2 and wanted.startswith("ALL"):
        groups = [(shown, [name for name, _ in same]) for shown, same in groupby(rows, key=lambda row: row[1])]
        rows = [(cluster.hostlist_of(cluster.bitmap_of(",".join(names))), shown) for shown, names in groups]
    return data("#".join([str(len(rows)), *(f"{name}:{shown}" for name, shown in rows)]) + "#" * (not rows))


def span(words: Words) -> tuple[int, str]:
    """Return the instant and the rest of ``ARG=<instant>:<rest>``. Raises `Refused`."""
    text, colon, rest = words.argument.partition(":")
    if not colon:
        raise Refused(MALFORMED, "Invalid ARG value")
    return number(text, "Invalid ARG value"), rest


def named(cluster: Cluster, text: str) -> list[int]:
    """Return the indexes of the nodes in a list, each once; unknown names are passed over."""
    try:
        counts = tasklist.read(text)
    except SyntaxFault:
        counts = None
    found = (cluster.node_index.get(name) for name in counts or ())
    return [index for index in found if index is not None]


def _fields(cluster: Cluster, node: Node, since: int, settings: Settings, busy: int, *, whole: bool) -> str:
    version = settings.version
    pairs = [("STATE", _state(node, version, taken=bool(busy >> node.index & 1), whole=whole))]
    load = node.load.get("load_avg", "")
    if version == 2 and load.replace(".", "", 1).isdecimal() and len(load) < 12:
        pairs.append(("CPULOAD", f"{float(load):f}"))
    if version == 2 and node.reason:
        pairs.append(("CAT", f'"{plain(node.reason).replace(chr(39), " ")}"'))
    if version == 1 or since <= cluster.now:
        pairs += _lasting(node, version)
        if not since:
            pairs += [("CMEMORY", node.real_memory), ("CDISK", node.tmp_disk), ("CPROC", node.cpus)]  # type: ignore[list-item]
    return "".join(f"{name}={value};" for name, value in pairs)


def _lasting(node: Node, version: int) -> list[tuple[str, str]]:
    """Return the values that only a configuration changes."""
    pairs = []
    if version == 2 and node.partitions:
        pairs.append(("CCLASS", "".join(f"[{name}:{node.cpus}]" for name in node.partitions)))
    pairs += [("ARCH", "x86_64"), ("OS", "Linux")]
    if node.features:
        pairs.append(("FEATURE" if version == 2 else "FEATURES", plain(node.features.replace(",", ":"))))
    if version == 2 and node.gres:
        pairs.append(("GRES", plain(node.gres)))
    return pairs


def _state(node: Node, version: int, *, taken: bool, whole: bool) -> str:
    """Return a node's state; the first that applies."""
    words = {states.NODE[each].wiki for each in (node.state, *node.flags)}
    if "Draining" in words:
        return "Drained" if version == 2 else "Draining"
    if "Down" in words:
        return "Down"
    if taken:
        return "Busy" if whole else "Running"
    return "Idle" if "Idle" in words else "Unknown"


def usable(cluster: Cluster) -> int:
    """Return the nodes that are up."""
    return bitmap.of(node.index for node in cluster.nodes if node.up)
