"""The nodes of a queue that a category of requests cannot use, kept from command to command.

Jobs with the same requests form a category. The nodes that cannot serve it are kept in the state, so that the next
command need not match all values of all nodes again: of 10,000 nodes that takes about a tenth of a second. An entry
holds as long as definitions, values, load and nodes stay as they are; it is the cluster's epochs that tell.
Source: Complex Attribute Specification, section 5, "Result caching".
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from slimsched.constraints.evaluate import COMPLEXES, HITS
from slimsched.model import bitmap
from slimsched.text import idset

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slimsched.model.cluster import Cluster

MOST = 16
"""Categories that are kept; the oldest goes first."""

LONGEST = 300
"""Characters of an entry: every commit holds all of them."""

READ = ("complexes", "load", "nodes", "features", "partitions", *COMPLEXES)
"""The data on which an answer rests."""


def fitting(cluster: Cluster, requests: Sequence[str], queue: str, parallel: bool, match: Callable[[], int]) -> int:
    """Return the nodes of a queue that can serve a category: those kept, else those that ``match`` finds."""
    key = json.dumps([requests, queue, parallel])
    stamp = ".".join(str(cluster.epoch.get(name, 0)) for name in READ)
    nodes = cluster.partition_bitmap(queue)
    at, _, unfit = cluster.categories.get(key, "").partition(" ")
    if at == stamp:
        cluster.count(HITS)
        return nodes & ~sum(bitmap.full(last + 1) & ~bitmap.full(first) for first, last in idset.ranges(unfit))
    found = nodes & match()
    entry = f"{stamp} {idset.encode(bitmap.iterate(nodes & ~found))}"
    cluster.categories.pop(key, None)
    if len(key) + len(entry) <= LONGEST:
        if len(cluster.categories) >= MOST:
            del cluster.categories[next(iter(cluster.categories))]
        cluster.categories[key] = entry
    return found
