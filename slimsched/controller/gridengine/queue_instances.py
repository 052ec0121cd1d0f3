"""The cluster as Grid Engine's commands see it: queue instances, and what they have left to offer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.constraints.complexes import booking, levels, offers, places, values
from slimsched.constraints.complexes.booking import Bookings, Left, Place, Spot
from slimsched.constraints.complexes.offers import Offer
from slimsched.controller.gridengine import consumables
from slimsched.model import bitmap

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.complex import ComplexAttribute
    from slimsched.model.job import Job
    from slimsched.model.node import Node


class Instance(NamedTuple):
    """A queue instance: a partition on a node."""

    partition: str
    node: Node

    @property
    def name(self) -> str:
        """Its name, ``queue@host``."""
        return f"{self.partition}@{self.node.name}"

    @property
    def place(self) -> Place:
        """Where a job's slots in it are booked."""
        return Place(self.partition, self.node.name)


class Shown(NamedTuple):
    """A value as ``qstat -F`` shows it: where it comes from, the attribute, and what is left of it."""

    letters: str
    attribute: ComplexAttribute
    value: float | str


def instances(cluster: Cluster) -> list[Instance]:
    """Return all queue instances, by partition and node."""
    return [
        Instance(name, cluster.nodes[i])
        for name in cluster.partitions
        for i in bitmap.iterate(cluster.partition_bitmap(name))
    ]


class Grid:
    """One look at a cluster: its attributes, what is booked, and which jobs run in which queue instance."""

    def __init__(self, ctl: Controller) -> None:
        """Read the running jobs, once for all questions."""
        self.cluster = ctl.cluster
        self.catalog = places.catalog_of(ctl.cluster)
        self.ledger = consumables.ledger(ctl) or Bookings(self.catalog, places.booked_from(ctl.cluster))
        self._jobs: dict[tuple[str, int], list[tuple[Job, int]]] = {}
        self._cpus: dict[int, int] = {}
        for job in ctl.cluster.jobs.values():
            if job.active:
                self._add(job)

    def _add(self, job: Job) -> None:
        nodes = list(bitmap.iterate(self.cluster.bitmap_of(job.nodes)))
        counts = job.cpus or [self.cluster.nodes[i].cpus for i in nodes]
        for index, cpus in zip(nodes, counts, strict=True):
            self._jobs.setdefault((job.partition, index), []).append((job, cpus))
            self._cpus[index] = self._cpus.get(index, 0) + cpus

    def jobs(self, instance: Instance) -> list[Job]:
        """Return the jobs that run in a queue instance."""
        return [job for job, _ in self._jobs.get((instance.partition, instance.node.index), ())]

    def used(self, instance: Instance) -> int:
        """Return the slots that jobs have in a queue instance."""
        return sum(cpus for _, cpus in self._jobs.get((instance.partition, instance.node.index), ()))

    def free(self, node: Node) -> int:
        """Return the CPUs of a node that no job of any queue has."""
        return node.cpus - self._cpus.get(node.index, 0)


# what is left


def left_at(grid: Grid, instance: Instance, *, host_only: bool = False) -> list[Shown]:
    """Return the attributes of a queue instance (or of its host alone), each with the level that limits it."""
    known = grid.catalog.attributes
    texts = levels.texts(grid.cluster, instance.partition, instance.node)[: 2 if host_only else 3]
    names = [*texts[0][0], *texts[0][1], *texts[1][1], *texts[1][0]]
    if not host_only:
        names += [*texts[2][1], *texts[2][0]]
    found = []
    for name in dict.fromkeys(name for name in names if name in known):
        shown = _strictest(known[name], _by_level(grid, instance, known[name], texts))
        if shown is not None:
            found.append(shown)
    return found


def left_globally(grid: Grid) -> list[Shown]:
    """Return what is left of the attributes that the cluster as a whole offers."""
    texts: tuple[levels.Texts, levels.Texts] = (grid.cluster.complexes.values, grid.cluster.complexes.load)
    found = []
    for name in {**texts[1], **texts[0]}:
        attribute = grid.catalog.attributes.get(name)
        left = _at(grid.ledger, attribute, booking.GLOBAL, texts) if attribute else None
        if attribute is not None and left is not None:
            found.append(Shown(booking.dominance(booking.GLOBAL, left), attribute, left.value))
    return found


def _by_level(
    grid: Grid, instance: Instance, attribute: ComplexAttribute, texts: list[tuple[levels.Texts, levels.Texts]]
) -> list[tuple[Spot, Offer | Left]]:
    found: list[tuple[Spot, Offer | Left]] = []
    for spot, offered in zip(instance.place.spots(), texts, strict=False):
        left = _at(grid.ledger, attribute, spot, offered)
        if left is not None and attribute.name == "slots" and spot.level == "queue":
            left = Left(grid.free(instance.node), "c")
        if left is not None:
            found.append((spot, left))
    return found


def _at(
    ledger: Bookings, attribute: ComplexAttribute, spot: Spot, texts: tuple[levels.Texts, levels.Texts]
) -> Offer | Left | None:
    if attribute.consumable != "NO":
        return ledger.rest(spot, attribute)
    try:
        return offers.offer(attribute, texts[0].get(attribute.name), texts[1].get(attribute.name))
    except values.ValueFault:  # its definition changed since
        return None


def _strictest(attribute: ComplexAttribute, found: list[tuple[Spot, Offer | Left]]) -> Shown | None:
    """Return the value that limits most; of values that cannot be ordered, that of the lowest level."""
    if not found:
        return None
    numbers = [item for item in found if isinstance(item[1].value, float | int)]
    if attribute.relop in {"==", "!="} or len(numbers) < len(found):
        spot, offer = found[-1]
    else:
        pick = max if attribute.relop in {">=", ">"} else min
        spot, offer = pick(found, key=lambda item: item[1].value)
    return Shown(booking.dominance(spot, offer), attribute, offer.value)
