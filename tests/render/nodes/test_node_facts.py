"""What sinfo, scontrol show node and JSON say of the same fact of a node is the same."""

from __future__ import annotations

import re

import pytest
import scene

from slimsched.render.json.nodes import NODE
from slimsched.render.nodes import show
from slimsched.render.nodes.node_view import views
from slimsched.render.nodes.sinfo_fields import LINES
from slimsched.render.nodes.sinfo_rows import NodeRow

FACTS = [
    # sinfo -O, scontrol show node, JSON; "": not there
    ("AllocMem", "AllocMem", "alloc_memory"),
    ("Comment", "Comment", "comment"),
    ("Cores", "CoresPerSocket", "cores"),
    ("CPUs", "CPUTot", "cpus"),
    ("Disk", "TmpDisk", "temporary_disk"),
    ("Extra", "Extra", "extra"),
    ("Features", "AvailableFeatures", "features"),
    ("Features_act", "ActiveFeatures", "active_features"),
    ("FreeMem", "FreeMem", "free_mem"),
    ("Gres", "Gres", "gres"),
    ("GresUsed", "GresUsed", "gres_used"),
    ("Memory", "RealMemory", "real_memory"),
    ("NodeAddr", "NodeAddr", "address"),
    ("NodeHost", "NodeHostName", "hostname"),
    ("NodeList", "NodeName", "name"),
    ("Port", "Port", "port"),
    ("Reservation", "ReservationName", "reservation"),
    ("Sockets", "Sockets", "sockets"),
    ("Threads", "ThreadsPerCore", "threads"),
    ("Version", "Version", "version"),
    ("Weight", "Weight", "weight"),
    ("", "AllocTRES", "tres_used"),
    ("", "CfgTRES", "tres"),
    ("", "CPUAlloc", "alloc_cpus"),
    ("", "CPUEfctv", "effective_cpus"),
]


def rows():
    cluster = scene.formats()
    part = next(iter(cluster.partitions.values()))
    for number, node in enumerate(cluster.nodes):
        node.comment, node.weight, node.core_spec_count = f"c{number}" if number % 2 else "", number, number % 2
        node.conf.port, node.conf.node_addr = f"70{number:02}" if number % 3 else "", "10.0.0.1" if number % 2 else ""
    return [NodeRow(part, 0, cluster, [view]) for view in views(cluster)]


def plain(value):
    """Return a value as a text, "" for what stands for none."""
    if isinstance(value, dict):
        value = value["number"] if value["set"] else ""
    if isinstance(value, list):
        value = ",".join(value)
    return "" if value == "(null)" else str(value)


def shown(view, key):
    found = re.search(rf"(?:^|\s){re.escape(key)}=(\S*)", show.node_text(view, details=True))
    return plain(found.group(1)) if found else ""


@pytest.mark.parametrize(("field", "key", "path"), FACTS)
def test_every_command_says_the_same(field, key, path):
    said = []
    for row in rows():
        [view] = row.nodes
        texts = {plain(LINES.by_name(field).text(row))} if field else set()
        said.append(texts | {shown(view, key), plain(NODE.of(view)[path])})

    assert [len(texts) for texts in said] == [1] * len(said), said
