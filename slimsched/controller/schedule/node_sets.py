"""The node sets that scheduling asks for, kept until the data behind them change.

What a job asks of its nodes by an option is a `Filter`; the rules of `node_rules` put them in order.
"""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING

from slimsched.errors import SyntaxFault
from slimsched.model import bitmap
from slimsched.model.record import Record
from slimsched.slurm.states import IDLE, SWITCHING

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.constraints.predicate import Predicate
    from slimsched.model.cluster import Cluster
    from slimsched.model.request import JobRequest


class Filter(Record):
    """One thing that a job may ask of its nodes: its option, the text that asks for it, and what the text means."""

    option: str
    text: Callable[[JobRequest], str | None]
    parse: Callable[[str], Predicate]


@lru_cache(maxsize=4096)
def _features(text: str) -> Predicate:
    from slimsched.constraints import slurm_features

    return slurm_features.parse(text)


@lru_cache(maxsize=4096)
def _extra(text: str) -> Predicate:
    from slimsched.constraints import slurm_extra

    return slurm_extra.parse(text)


@lru_cache(maxsize=4096)
def _flux(text: str) -> Predicate:
    from slimsched.constraints import flux_json

    return flux_json.parse(text)


@lru_cache(maxsize=4096)
def _query(text: str) -> Predicate:
    from slimsched.constraints import flux_query

    return flux_query.parse(text)


def _feature_list(request: JobRequest) -> str:
    """Return what a node must have for ``--constraint``, or for ``--prefer``, which stands in for it if it can."""
    if request.prefer and request.features:
        return f"({request.prefer})|({request.features})"
    return request.features


def _queries(request: JobRequest) -> str:
    if not request.requires:
        return ""
    from slimsched.constraints import flux_query

    return flux_query.together(request.requires)


def _excluded(text: str) -> Predicate:
    from slimsched.constraints.predicate import HOSTS, Member, Names, Not
    from slimsched.text import hostlist

    return Not(Member(HOSTS, Names(hostlist.expand(text, dialect="slurm")), text))


EXCLUDE = Filter("exclude", attrgetter("exclude"), _excluded)
FEATURES = Filter("constraint", _feature_list, _features)
EXTRA = Filter("extra", attrgetter("extra"), _extra)
FLUX = Filter("flux-constraint", attrgetter("flux_constraint"), _flux)
REQUIRES = Filter("requires", _queries, _query)
LASTING = (EXCLUDE, FEATURES, FLUX, REQUIRES)
"""Filters that do not depend on the nodes' data: a job that no node can satisfy is refused at submission."""


class NodeSets:
    """Node sets of one cluster."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._epoch: int | None = None
        self._up = self._down = self._switching = 0
        self._masks: dict[tuple[str, str], int] = {}
        self._masks_epoch: tuple[int, ...] = ()

    @property
    def up(self) -> int:
        """Nodes on which jobs may be placed."""
        if self._cluster.epoch.get("state", 0) != self._epoch:
            self._refresh_states()
        return self._up

    @property
    def down(self) -> int:
        """Nodes that are down or silent, as opposed to drained."""
        self._refresh_states()
        return self._down

    @property
    def switching(self) -> int:
        """Nodes that are not simply on: switched off, on their way, or with such an order."""
        self._refresh_states()
        return self._switching

    def having(self, item: Filter, text: str) -> int:
        """Return the nodes that have what a job asks for with ``text``."""
        epoch = self._cluster.epoch
        now = (epoch.get("extra", 0), epoch.get("features", 0), epoch.get("nodes", 0))
        if now != self._masks_epoch:
            self._masks.clear()
            self._masks_epoch = now
        key = item.option, text
        mask = self._masks.get(key)
        if mask is None:
            from slimsched.constraints.evaluate import evaluator

            try:
                mask = evaluator(self._cluster).bitmap(item.parse(text))
            except SyntaxFault:  # stored while extra_constraints was off: such a job fits no node, and harms no other
                mask = 0
            self._masks[key] = mask
        return mask

    def _refresh_states(self) -> None:
        epoch = self._cluster.epoch.get("state", 0)
        if epoch == self._epoch:
            return
        self._epoch = epoch
        nodes = self._cluster.nodes
        self._up = bitmap.of(node.index for node in nodes if node.up)
        self._down = bitmap.of(node.index for node in nodes if node.state != IDLE or node.silent)
        self._switching = bitmap.of(node.index for node in nodes if node.flags and SWITCHING.intersection(node.flags))
