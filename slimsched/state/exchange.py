"""The conversion between a `Cluster` and its stored form: building one, and finding what a command changed."""

from __future__ import annotations

from collections.abc import Iterator

from slimsched.errors import StateError
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config
from slimsched.state import clock
from slimsched.state.records import Meta, Recorded
from slimsched.state.snapshot import Image
from slimsched.text import hostlist

USAGE = "usage"  # the kind of those accounting records that are kept in `Cluster.usage`
_COUNTERS = (
    "boot_time",
    "next_job_id",
    "next_priority",
    "reservations_made",
    "triggers",
    "triggers_made",
    "crontabs",
    "last_backfill",
    "pass_due",
    "arrays_due",
)


def cluster(conf: Config, image: Image) -> Cluster:
    """Return the cluster of ``image``, at the present instant of its clock."""
    made = Cluster(conf, clock.present(conf, image.meta.now))
    for name in _COUNTERS:
        setattr(made, name, getattr(image.meta, name))
    made.statistics = dict(image.meta.statistics)
    made.take_epoch(dict(image.meta.epoch))
    made.categories = dict(image.meta.categories)
    made.rhythm = dict(image.meta.rhythm)
    made.settings = dict(image.meta.settings)
    if made.settings:
        conf.slurm = {**conf.slurm, **made.settings}
    made.plugin_state = dict(image.meta.plugins)
    made.users = dict(image.users)
    made.complexes = image.complexes
    made.jobs = image.jobs
    made.reservations = dict(image.reservations)
    for name, record in image.accounting.items():
        kind, _, place = name.partition(" ")
        if kind == USAGE:
            made.usage[place] = record
        else:
            made.accounting[name] = record
    dynamic = [saved.made for name, saved in image.nodes.items() if saved.made and name not in made.node_index]
    if dynamic:
        made.add_nodes(dynamic)
    for name, part in image.partitions.items():
        if part is None:
            made.drop_partition(name)
        else:
            made.add_partition(part)
    for name, saved in image.nodes.items():
        index = made.node_index.get(name)
        if index is not None:
            made.nodes[index].restore(saved)
    return made


def check_nodes(conf: Config, image: Image, path: str) -> None:
    """Raise `StateError` if the changed configuration ``path`` lacks nodes that the state names."""
    known = {name for line in conf.nodes for name in hostlist.expand(line.node_name)}
    known.update(name for name, saved in image.nodes.items() if saved.made)
    for user, text in _mentions(image):
        missing = [name for name in hostlist.expand(text) if name not in known]
        if missing and text.upper() != "ALL":
            raise StateError(
                path,
                f"node {missing[0]} is no longer in it, but {user}",
                "put the node back, and remove it once nothing needs it",
            )


def _mentions(image: Image) -> Iterator[tuple[str, str]]:
    for job in image.jobs.values():
        if job.pending:
            yield f"job {job.job_id} asks for it", job.request.nodelist
            yield f"job {job.job_id} avoids it", job.request.exclude
            yield f"job {job.job_id} is planned on it", job.sched_nodes
        elif not job.finished:
            yield f"job {job.job_id} is on it", job.nodes
    for reservation in image.reservations.values():
        yield f"reservation {reservation.name} holds it", reservation.nodes


def changes(made: Cluster, image: Image, crc: int) -> Recorded | None:
    """Return what differs from ``image`` by the cluster's own marks, ``None`` if nothing does.

    ``crc`` is that of the configuration's text.
    """
    left = made.dirty_jobs.union(job.job_id for job in made.gone_jobs)
    found = Recorded(
        seq=image.seq + 1,
        meta=meta(made, crc),
        users=dict(made.users) if made.users != image.users else None,
        jobs=[made.jobs[i] for i in sorted(made.dirty_jobs) if i in made.jobs],
        dropped=sorted(i for i in left if i not in made.jobs),
        gone=made.gone_jobs,
        nodes={name: made.saved_node(name) for name in sorted(made.dirty_nodes | made.removed_nodes)},
        partitions_reset=made.partitions_reset,
        partitions={name: made.partitions.get(name) for name in sorted(made.dirty_partitions)},
        reservations={name: made.reservations.get(name) for name in sorted(made.dirty_reservations)},
        accounting={name: _accounting(made, name) for name in sorted(made.dirty_accounting)},
        complexes=made.complexes if made.complexes != image.complexes else None,
        events=made.events,
    )
    if found == Recorded(seq=found.seq, meta=image.meta):
        return None
    found.command, found.user = made.origin
    return found


def _accounting(made: Cluster, name: str) -> dict[str, str] | None:
    """Return an accounting record, or a place's usage; None if it was removed."""
    kind, _, place = name.partition(" ")
    return made.usage.get(place) if kind == USAGE else made.accounting.get(name)


def meta(made: Cluster, crc: int) -> Meta:
    """Return the cluster's counters."""
    return Meta(
        now=made.now,
        statistics=dict(made.statistics),
        epoch=dict(made.epoch),
        categories=dict(made.categories),
        rhythm=dict(made.rhythm),
        settings=dict(made.settings),
        config_crc=crc,
        plugins=dict(made.plugin_state),
        **{name: getattr(made, name) for name in _COUNTERS},
    )


def mark_all(made: Cluster) -> None:
    """Mark all records as changed, for a directory that has none of them yet."""
    made.dirty_jobs.update(made.jobs)
    made.dirty_nodes.update(node.name for node in made.nodes)
    made.dirty_partitions.update(made.partitions, (part.partition_name for part in made.config.partitions))
    made.dirty_reservations.update(made.reservations)
    made.dirty_accounting.update(made.accounting, (f"{USAGE} {place}" for place in made.usage))


def clear_marks(made: Cluster) -> None:
    """Clear the marks of changes after they are written."""
    for marks in (made.dirty_jobs, made.dirty_nodes, made.dirty_partitions, made.dirty_reservations):
        marks.clear()
    made.dirty_accounting.clear()
    made.removed_nodes.clear()
    made.partitions_reset = False
    made.gone_jobs = []
    made.events = []
