"""``qsub -w``: the reasons why a job cannot run in the queue instances of the cluster, in Grid Engine's words.

``qsub -w``, ``qselect`` and ``qstat -j`` answer from here. Levels are looked at from the highest down, and the first
that fails ends it. Source: Complex Attribute Specification, section 3; oracle/sge cli_transcripts.jsonl.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.constraints.complexes import booking, builtin, entries, levels, match, offers, places, values
from slimsched.constraints.complexes.booking import Placement, Spot
from slimsched.constraints.complexes.offers import Offer
from slimsched.constraints.complexes.request import Asked
from slimsched.controller.gridengine.queue_instances import Grid, Instance, instances
from slimsched.errors import SyntaxFault
from slimsched.slurm import states

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from slimsched.constraints.complexes.catalog import Catalog
    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.complex import ComplexAttribute
    from slimsched.model.job import Job

CLUSTER_QUEUE = 'cannot run in queue "{0}" because of cluster queue'
NOT_LISTED = 'cannot run in queue "{0}" because it is not contained in its hard queue list (-q)'
FULL = 'queue instance "{0}" dropped because it is full'
ABSENT = 'queue instance "{0}" dropped because it is temporarily not available'


def verify(
    ctl: Controller, asked: Asked, queues: Iterable[str] | None = None, slots: int = 1, *, live: bool
) -> tuple[bool, list[str]]:
    """Say whether some queue instance could serve a request, and why the others cannot.

    ``live``: with what is reported, booked and free at present; else only what is configured counts.
    """
    grid, reasons = Grid(ctl), []
    cluster, catalog = grid.cluster, grid.catalog
    lead = f"(-l {','.join(f'{name}={value}' for name, value in asked.items()) or 'NONE'})"
    chosen = list(cluster.partitions) if queues is None else [name for name in cluster.partitions if name in queues]
    reasons += [NOT_LISTED.format(name) for name in cluster.partitions if name not in chosen]
    for name in list(chosen):
        if any(_violations(catalog, asked, entries.stored(cluster.partitions[name].complexes), {})):
            reasons.append(f"{lead} {CLUSTER_QUEUE.format(name)}")
            chosen.remove(name)
    suitable = False
    for instance in instances(cluster):
        if instance.partition in chosen:
            reason = _refusal(grid, asked, instance, slots, lead, live=live)
            suitable |= reason is None
            reasons += [reason] if reason else []
    return suitable, list(dict.fromkeys(reasons))


def why_pending(ctl: Controller, job: Job) -> list[str]:
    """Return the lines of ``scheduling info`` for a job."""
    from slimsched.constraints.complexes import request

    wanted = job.request
    try:
        asked = request.read(wanted.hard_resources, places.catalog_of(ctl.cluster))
    except SyntaxFault as fault:
        return [fault.message]
    slots = (wanted.num_tasks or 1) * (wanted.cpus_per_task or 1)
    return verify(ctl, asked, wanted.partition.split(","), slots, live=True)[1] if job.state == states.PENDING else []


def _refusal(grid: Grid, asked: Asked, instance: Instance, slots: int, lead: str, *, live: bool) -> str | None:
    """Return the first reason against a queue instance."""
    catalog = grid.catalog
    if live and not instance.node.up:
        return ABSENT.format(instance.name)
    if live and grid.free(instance.node) <= 0:
        return FULL.format(instance.name)
    texts = levels.texts(grid.cluster, instance.partition, instance.node)
    offered: set[str] = set()
    for spot, (fixed, reported) in zip(instance.place.spots(), texts, strict=True):
        other = reported if live else _configured(spot, reported)
        forced = next((n for n in (*fixed, *other) if _forced(catalog, n) and n not in asked), None)
        if forced:
            where = {"host": "host", "global": "host global"}.get(spot.level, "queue instance")
            return f"does not request 'forced' resource \"{forced}\" of {where} {spot.name}".rstrip()
        for attribute, offer in _violations(catalog, asked, fixed, other):
            shown = f"{booking.dominance(spot, offer)}:{attribute.name}={booking.in_words(attribute, offer.value)}"
            return f"{lead} {_where(spot)} because it offers only {shown}"
        offered.update(fixed, other)
    missing = next((name for name in asked if name not in offered), None)
    if missing:
        return f"{lead} {_where(Spot('queue', instance.name))} because job requests unknown resource ({missing})"
    if live:
        placement = Placement({instance.place: slots}, instance.place)
        obstacle = grid.ledger.obstacle(booking.demands(asked, catalog), placement)
        return f"{lead} {obstacle.words}" if obstacle else None
    return None


def _forced(catalog: Catalog, name: str) -> bool:
    attribute = catalog.attributes.get(name)
    return attribute is not None and attribute.requestable == "FORCED"


def _where(spot: Spot) -> str:
    if spot.level == "global":
        return "cannot run globally"
    return f'cannot run at host "{spot.name}"' if spot.level == "host" else f'cannot run in queue "{spot.name}"'


def _violations(
    catalog: Catalog, asked: Asked, fixed: levels.Texts, other: levels.Texts
) -> Iterator[tuple[ComplexAttribute, Offer]]:
    """Yield what a level offers and does not satisfy."""
    for name, value in asked.items():
        attribute = catalog.attributes[name]
        try:
            offer = offers.offer(attribute, fixed.get(name), other.get(name))
        except values.ValueFault:
            continue
        if offer is not None and not match.satisfies(attribute, value, offer.value, catalog.semantics):
            yield attribute, offer


def select(cluster: Cluster, asked: Asked) -> list[Instance]:
    """Return the queue instances that ``qselect`` lists: configured values only, whatever is booked or forced."""
    catalog = places.catalog_of(cluster)
    found = []
    for instance in instances(cluster):
        texts = levels.texts(cluster, instance.partition, instance.node)
        offered: set[str] = set()
        violated = False
        for spot, (fixed, reported) in zip(instance.place.spots(), texts, strict=True):
            other = _configured(spot, reported)
            offered.update(fixed, other)
            violated = violated or any(_violations(catalog, asked, fixed, other))
        if not violated and offered.issuperset(asked):
            found.append(instance)
    return found


def _configured(spot: Spot, reported: levels.Texts) -> levels.Texts:
    """Return the values of a level that do not change while the cluster runs: a host's load values do."""
    if spot.level != "host":
        return reported
    return {name: text for name, text in reported.items() if name in builtin.STATIC_LOAD}
