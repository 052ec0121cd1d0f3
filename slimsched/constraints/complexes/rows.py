"""Queue instances as the rows of a table: what each offers on its three levels, as columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from slimsched.constraints.columns import Column, Table, column
from slimsched.constraints.complexes import builtin, match
from slimsched.constraints.complexes.catalog import Catalog
from slimsched.constraints.complexes.offers import offer

Texts = Mapping[str, str]
"""Attribute name -> value, as configured or reported."""


class Instance(NamedTuple):
    """One queue instance. ``limits`` are the queue's own fields, such as its resource limits."""

    name: str  # queue@host
    everywhere: Texts = {}
    host: Texts = {}
    queue: Texts = {}
    global_load: Texts = {}
    host_load: Texts = {}
    limits: Texts = {}

    def fields(self) -> dict[str, str]:
        """Return the attributes that the queue has by being one."""
        return queue_fields(*self.name.partition("@")[::2], self.limits)


def queue_fields(queue: str, host: str, limits: Texts) -> dict[str, str]:
    """Return what a queue offers on a host without being told: names, limits, calendar."""
    names = {"qname": queue, "hostname": host} if host else {"qname": queue}
    return {**names, **builtin.QUEUE_FIELDS, **limits}


def table(instances: Sequence[Instance], catalog: Catalog) -> Table:
    """Return the columns over ``instances``, built as they are asked for."""
    sources: dict[str, Sequence[tuple[Texts, Texts]]] = {
        match.GLOBAL: [(one.everywhere, one.global_load) for one in instances],
        match.HOST: [(one.host, one.host_load) for one in instances],
        match.QUEUE: [(one.queue, one.fields()) for one in instances],
    }

    def builder(source: str) -> Any:
        return lambda key: _column(sources[source], match.attribute_of(key)[0], catalog)

    return Table(len(instances), {source: builder(source) for source in sources})


def _column(rows: Sequence[tuple[Texts, Texts]], name: str, catalog: Catalog) -> Column:
    attribute = catalog.attributes[name]
    offers = (offer(attribute, fixed.get(name), other.get(name)) for fixed, other in rows)
    return column((found.value, row) for row, found in enumerate(offers) if found is not None)
