"""Nodes that fail at an instant that a test decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.requests import text_checks
from slimsched.controller.schedule import event_loop
from slimsched.model import bitmap

if TYPE_CHECKING:
    from slimsched.controller.core import Controller


def fail_nodes(ctl: Controller, names: str, after: int) -> None:
    """Let nodes (a hostlist) go down in ``after`` seconds, with what runs on them. Raises `SlurmError`."""
    cluster = ctl.cluster
    for index in bitmap.iterate(text_checks.node_set(cluster, names)):
        node = cluster.nodes[index]
        node.change(fails_at=cluster.now + after)
        cluster.touch_node(node)
        if ctl.agenda is not None:
            ctl.agenda.note_node(node)
    event_loop.advance(ctl, cluster.now)
