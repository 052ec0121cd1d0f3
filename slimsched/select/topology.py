"""The network between the nodes: switches in a tree, or blocks of nodes.

Both become one form: levels of node sets, the smallest first, and the leaves. A job goes to the smallest set of the
lowest level that has what it needs, and within it to as few leaves as possible.

Source: Slurm's topology guide (``topology/tree``, ``topology/block``).
"""

from __future__ import annotations

from slimsched.text import hostlist

TYPE_CHECKING = False
if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import SwitchConf


class Topology:
    """Node sets by level; ``levels[0]`` are the leaves."""

    __slots__ = ("leaves", "levels")

    def __init__(self, levels: list[list[int]]) -> None:
        self.levels = levels
        self.leaves = levels[0] if levels else []

    def leaves_of(self, mask: int) -> int:
        """Return how many leaves some nodes lie on."""
        return sum(1 for leaf in self.leaves if leaf & mask)


def read(cluster: Cluster) -> Topology | None:
    """Return the topology of the cluster, ``None`` if it has none (``topology/flat``)."""
    plugin = cluster.config.get("TopologyPlugin").removeprefix("topology/")
    if not cluster.config.switches or plugin not in {"tree", "block"}:
        return None
    if plugin == "tree":
        return _tree(cluster, cluster.config.switches)
    return _blocks(cluster, cluster.config.switches, cluster.config.get("BlockSizes"))


def _tree(cluster: Cluster, switches: list[SwitchConf]) -> Topology:
    """Return the levels of a tree: a switch stands one above the highest of those below it."""
    masks: dict[str, int] = {}
    heights: dict[str, int] = {}
    waiting = list(switches)
    while waiting:
        later = []
        for switch in waiting:
            below = hostlist.expand(switch.switches, dialect="slurm") if switch.switches else []
            if any(name not in masks for name in below):
                later.append(switch)
                continue
            mask = cluster.bitmap_of(switch.nodes) if switch.nodes else 0
            for name in below:
                mask |= masks[name]
            masks[switch.switch_name] = mask
            heights[switch.switch_name] = 1 + max((heights[name] for name in below), default=-1)
        if len(later) == len(waiting):
            break  # the others name switches that do not exist, or each other
        waiting = later
    levels: list[list[int]] = [[] for _ in range(max(heights.values(), default=-1) + 1)]
    for name, height in heights.items():
        levels[height].append(masks[name])
    return Topology([level for level in levels if level])


def _blocks(cluster: Cluster, blocks: list[SwitchConf], sizes: str) -> Topology:
    """Return the levels of blocks: so many blocks in a row as reach each of the sizes (in nodes), then all of them."""
    leaves = [cluster.bitmap_of(block.nodes) for block in blocks]
    numbers = [int(size) for size in sizes.split(",") if size.strip().isdigit() and int(size)]
    levels = [leaves]
    for size in numbers[1:]:
        count = max(1, size // numbers[0])
        levels.append([_union(leaves[k : k + count]) for k in range(0, len(leaves), count)])
    return Topology([*levels, [_union(leaves)]])


def _union(masks: list[int]) -> int:
    total = 0
    for mask in masks:
        total |= mask
    return total
