"""The cluster as Grid Engine's commands see it: queue instances, and what they have left to offer."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.constraints.complexes import booking, levels, offers, places, values
from slimsched.constraints.complexes.booking import Ledger, Left, Place, Spot
from slimsched.constraints.complexes.offers import Offer
from slimsched.controller import complexes
from slimsched.model import bitmap

if TYPE_CHECKING:
    from collections.abc import Iterator

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


def slots_used(cluster: Cluster, node: Node, partition: str | None = None) -> int:
    """Return the CPUs of a node that jobs hold, those of one partition or of all."""
    used = 0
    for job in cluster.jobs.values():
        if job.active and partition in (None, job.partition):
            mask = cluster.bitmap_of(job.nodes)
            if mask >> node.index & 1:
                rank = (mask & ((1 << node.index) - 1)).bit_count()
                used += job.cpus[rank] if job.cpus else node.cpus
    return used


def jobs_on(cluster: Cluster, instance: Instance) -> Iterator[Job]:
    """Yield the jobs that run in a queue instance."""
    for job in cluster.jobs.values():
        if (
            job.active
            and job.partition == instance.partition
            and cluster.bitmap_of(job.nodes) >> instance.node.index & 1
        ):
            yield job


# what is left


def left_at(ctl: Controller, instance: Instance, *, host_only: bool = False) -> list[Shown]:
    """Return the attributes of a queue instance (or of its host alone), each with the level that limits it."""
    cluster = ctl.cluster
    catalog = places.catalog_of(cluster)
    everywhere, host, queue = levels.texts(cluster, instance.partition, instance.node)
    names = [*everywhere[0], *host[1], *host[0]]
    if not host_only:
        names += [*queue[1], *queue[0]]
    found = []
    for name in dict.fromkeys(name for name in names if name in catalog.attributes):
        shown = _strictest(catalog.attributes[name], _by_level(ctl, instance, name, host_only))
        if shown is not None:
            found.append(shown)
    return found


def left_globally(ctl: Controller) -> list[Shown]:
    """Return what is left of the attributes that the cluster as a whole offers."""
    catalog = places.catalog_of(ctl.cluster)
    ledger = books(ctl)
    found = []
    for name in ctl.cluster.complexes.values:
        attribute = catalog.attributes.get(name)
        left = _at(ledger, attribute, booking.GLOBAL, (ctl.cluster.complexes.values, {})) if attribute else None
        if attribute is not None and left is not None:
            found.append(Shown(booking.dominance(booking.GLOBAL, left), attribute, left.value))
    return found


def books(ctl: Controller) -> Ledger:
    """Return what the running jobs have booked, nothing where nothing can be."""
    return complexes.ledger(ctl) or Ledger(places.catalog_of(ctl.cluster), places.booked_from(ctl.cluster))


def _by_level(ctl: Controller, instance: Instance, name: str, host_only: bool) -> list[tuple[Spot, Offer | Left]]:
    attribute = places.catalog_of(ctl.cluster).attributes[name]
    ledger, found = books(ctl), []
    offered = levels.texts(ctl.cluster, instance.partition, instance.node)
    for spot, texts in list(zip(instance.place.spots(), offered, strict=True))[: 2 if host_only else 3]:
        left = _at(ledger, attribute, spot, texts)
        if left is not None:
            free = instance.node.cpus - slots_used(ctl.cluster, instance.node)
            found.append((spot, Left(free, "c") if name == "slots" and spot.level == "queue" else left))
    return found


def _at(
    ledger: Ledger, attribute: ComplexAttribute, spot: Spot, texts: tuple[levels.Texts, levels.Texts]
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
