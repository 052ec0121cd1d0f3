"""The rules by which nodes drop out for a job, in the order in which they are applied and explained.

A scheduling pass asks for the nodes that all of them leave (`fold`), ``sim explain`` for each by itself and for the
words about a node that fails it. One that lasts cannot be passed by waiting: the job or the cluster would have to be
another.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from slimsched.controller.gridengine import complexes
from slimsched.controller.requests import time_limits
from slimsched.controller.reservations import blocking
from slimsched.controller.schedule import node_sets
from slimsched.errors import SyntaxFault
from slimsched.model import bitmap
from slimsched.model.record import Record, replaced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from slimsched.constraints.predicate import Predicate
    from slimsched.controller.core import Controller
    from slimsched.controller.schedule.node_sets import Filter
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job

    Words = Callable[[int], str]


class Rule(Record):
    """One rule: its name, what it asks of nodes in words (``None``: nothing of this job), and the nodes that pass it.

    ``words`` returns the function that says of a node, by its index, what it has and what was wanted.
    """

    name: str
    text: Callable[[Controller, Job, PartitionConf], str | None]
    nodes: Callable[[Controller, Job, PartitionConf], int]
    words: Callable[[Controller, Job, PartitionConf], Words]
    lasting: bool = False


def fold(rules: Iterable[Rule], ctl: Controller, job: Job, part: PartitionConf) -> int:
    """Return the nodes that pass all of some rules."""
    mask = -1
    for rule in rules:
        if rule.text(ctl, job, part) is not None:
            mask &= rule.nodes(ctl, job, part)
    return mask


# what a job asks of nodes


def _outside_partition(ctl: Controller, job: Job, part: PartitionConf) -> Words:
    return lambda _: f"not in {part.partition_name}"


def _of_filter(item: Filter) -> Rule:
    """Return the rule of an option that asks something of nodes."""

    def text(ctl: Controller, job: Job, part: PartitionConf) -> str | None:
        return item.text(job.request) or None

    def nodes(ctl: Controller, job: Job, part: PartitionConf) -> int:
        return ctl.sets.having(item, item.text(job.request) or "")

    def failed(ctl: Controller, job: Job, part: PartitionConf) -> Words:
        wanted = item.text(job.request) or ""
        if item is node_sets.EXCLUDE:
            return lambda _: f"excluded by --exclude={wanted}"
        return _compared(ctl.cluster, lambda: item.parse(wanted))

    return Rule(item.option, text, nodes, failed, lasting=item in node_sets.LASTING)


def _extra_text(ctl: Controller, job: Job, part: PartitionConf) -> str | None:
    text = job.request.extra
    if text and not ctl.cluster.config.extra_constraints:
        return f"{text} (ignored: SchedulerParameters does not contain extra_constraints)"
    return text or None


def _with_extra(ctl: Controller, job: Job, part: PartitionConf) -> int:
    if not ctl.cluster.config.extra_constraints:
        return bitmap.full(len(ctl.cluster.nodes))
    return ctl.sets.having(node_sets.EXTRA, job.request.extra or "")


def _complexes_text(ctl: Controller, job: Job, part: PartitionConf) -> str | None:
    return ",".join(job.request.hard_resources) if complexes.concern(ctl.cluster, job.request) else None


def _complexes_failed(ctl: Controller, job: Job, part: PartitionConf) -> Words:
    from slimsched.constraints.complexes import places

    texts, parallel = job.request.hard_resources, complexes.is_parallel(job.request)
    return _compared(ctl.cluster, lambda: places.hard(ctl.cluster, texts, part.partition_name, parallel=parallel))


def _compared(cluster: Cluster, parse: Callable[[], Predicate]) -> Words:
    """Return the words for nodes that fail a predicate: their values beside those wanted."""
    from slimsched.constraints.evaluate import evaluator
    from slimsched.constraints.explain import Explainer

    kept: list[Explainer] = []

    def words(index: int) -> str:
        if not kept:
            try:
                predicate = parse()
            except SyntaxFault as fault:
                return f"the expression is wrong: {fault.message}"
            kept.append(Explainer(predicate, evaluator(cluster).refresh(predicate)))
        failure = kept[0].failure(index)
        return str(failure) if failure else "it satisfies the request now"

    return words


PARTITION = Rule(
    "partition",
    lambda ctl, job, part: part.partition_name,
    lambda ctl, job, part: ctl.cluster.partition_bitmap(part.partition_name),
    _outside_partition,
    lasting=True,
)
EXTRA = replaced(_of_filter(node_sets.EXTRA), text=_extra_text, nodes=_with_extra)
COMPLEXES = Rule(
    "complexes",
    _complexes_text,
    lambda ctl, job, part: complexes.nodes(ctl.cluster, job.request, part.partition_name),
    _complexes_failed,
)
ASKED_LASTING = (PARTITION, *map(_of_filter, node_sets.LASTING))
ASKED = (*ASKED_LASTING, EXTRA, COMPLEXES)
"""What a job asks for, whatever the state of the nodes; the last two follow the nodes' data."""

_WORDS = attrgetter(
    "exclude", "features", "prefer", "flux_constraint", "requires", "extra", "hard_resources", "soft_resources"
)
"""Of a request: all that the rules but that of the partition read."""


def asked(ctl: Controller, job: Job, part: PartitionConf, rules: Iterable[Rule] = ASKED) -> int:
    """Return the nodes that a job asks for by ``rules`` of `ASKED`: most ask for a partition and nothing else."""
    if any(_WORDS(job.request)) or ctl.cluster.has_complexes:
        return fold(rules, ctl, job, part)
    return ctl.cluster.partition_bitmap(part.partition_name)


# what the nodes are at present


def _out_of_service(ctl: Controller, job: Job, part: PartitionConf) -> Words:
    def words(index: int) -> str:
        node = ctl.cluster.nodes[index]
        reason = f" ({node.reason})" if node.reason else ""
        return f"state={'+'.join((node.state, *node.flags))}{reason}, wanted a node in service"

    return words


def _outside_reservation(ctl: Controller, job: Job, part: PartitionConf) -> Words:
    return lambda _: f"outside of reservation {job.request.reservation}"


def _unreserved(ctl: Controller, job: Job, part: PartitionConf) -> int:
    nodes, _ = blocking.kept(ctl.cluster, job, time_limits.planned_seconds(job, part))
    return bitmap.full(len(ctl.cluster.nodes)) & ~nodes


def _reserved(ctl: Controller, job: Job, part: PartitionConf) -> Words:
    from slimsched.text import times

    cluster, mine = ctl.cluster, blocking.names(job)
    end = cluster.now + time_limits.planned_seconds(job, part)

    def words(index: int) -> str:
        for resv in cluster.reservations.values():
            meets = resv.start_time < end and resv.end_time > cluster.now and resv.name not in mine
            if meets and cluster.bitmap_of(resv.nodes) >> index & 1:
                span = f"from {times.instant(resv.start_time)} to {times.instant(resv.end_time)}"
                return f"reserved by {resv.name} {span}"
        return "reserved"

    return words


STATE = Rule("node state", lambda ctl, job, part: "up", lambda ctl, job, part: ctl.sets.up, _out_of_service)
OWN_RESERVATION = Rule(
    "own reservation",
    lambda ctl, job, part: job.request.reservation or None,
    lambda ctl, job, part: blocking.own_nodes(ctl.cluster, job),
    _outside_reservation,
    lasting=True,
)
RESERVATIONS = Rule(
    "reservation",
    lambda ctl, job, part: "free of reservations" if ctl.cluster.reservations else None,
    _unreserved,
    _reserved,
)

EXPLAINED = (PARTITION, STATE, *ASKED[1:])
"""All rules but those of reservations, in the order in which an explanation names them."""
