"""From all nodes to those that a job can have in one partition: a row of steps, each a set of nodes.

A step that lasts cannot be passed by waiting: the job or the cluster would have to be another. For a node that
fails a step, the step says what the node has and what was wanted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.explain import room
from slimsched.controller.gridengine import complexes
from slimsched.controller.reservations import blocking
from slimsched.controller.schedule import candidates, node_sets, time_limits
from slimsched.errors import SyntaxFault
from slimsched.model import bitmap
from slimsched.text import times

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.constraints.predicate import Predicate
    from slimsched.controller.core import Controller
    from slimsched.controller.schedule.node_sets import Filter
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.model.node import Node

    Words = Callable[[int], str]

ANY = "up"


class Step:
    """One step: the nodes that pass it by themselves, and in words why another (given by index) does not."""

    __slots__ = ("asked", "lasting", "name", "nodes", "words")

    def __init__(self, name: str, asked: str, nodes: int, words: Words, *, lasting: bool = False) -> None:
        self.name, self.asked, self.nodes, self.words, self.lasting = name, asked, nodes, words, lasting


def asked_steps(ctl: Controller, job: Job, part: PartitionConf) -> list[Step]:
    """Return the steps that follow from what the job asks and from the nodes' state, whatever is busy."""
    cluster = ctl.cluster
    found = [_partition(cluster, part), _state(ctl)]
    for item in node_sets.FILTERS:
        text = item.text(job.request)
        if text:
            found.append(_filter(cluster, item, text))
    if complexes.concern(cluster, job.request) and job.request.hard_resources:
        found.append(_complexes(cluster, job, part))
    wanted = candidates.wanted(ctl, job, part)
    if wanted.required and wanted.required.bit_count() >= wanted.max_nodes:
        named = f"not named by --nodelist={job.request.nodelist}"
        found.append(Step("nodelist", job.request.nodelist, wanted.required, lambda _: named, lasting=True))
    found.append(room.hardware(ctl, job, part))
    return found


def busy_steps(ctl: Controller, job: Job, part: PartitionConf) -> list[Step]:
    """Return the steps that follow from reservations and from other jobs."""
    found = []
    if job.request.reservation:
        found.append(_inside(ctl.cluster, job))
    if ctl.cluster.reservations:
        found.append(_reserved(ctl, job, part))
    found.append(room.free(ctl, job, part))
    return found


def left_after(steps: list[Step]) -> int:
    """Return the nodes that pass all of some steps."""
    mask = -1
    for step in steps:
        mask &= step.nodes
    return max(mask, 0)


# one function a step


def _partition(cluster: Cluster, part: PartitionConf) -> Step:
    name = part.partition_name
    return Step("partition", name, cluster.partition_bitmap(name), lambda _: f"not in {name}", lasting=True)


def _state(ctl: Controller) -> Step:
    return Step(
        "node state", ANY, ctl.sets.up, lambda i: f"{_state_of(ctl.cluster.nodes[i])}, wanted a node in service"
    )


def _state_of(node: Node) -> str:
    reason = f" ({node.reason})" if node.reason else ""
    return f"state={'+'.join((node.state, *node.flags))}{reason}"


def _filter(cluster: Cluster, item: Filter, text: str) -> Step:
    nodes = item.nodes(cluster, text)
    lasting = item is not node_sets.EXTRA
    if item is node_sets.EXCLUDE:
        return Step(item.option, text, nodes, lambda _: f"excluded by --exclude={text}", lasting=lasting)
    if item is node_sets.EXTRA and not cluster.config.extra_constraints:
        ignored = f"{text} (ignored: SchedulerParameters does not contain extra_constraints)"
        return Step(item.option, ignored, nodes, lambda _: "")
    parse = item.parse
    if parse is None:
        return Step(item.option, text, nodes, lambda _: "", lasting=lasting)
    return Step(item.option, text, nodes, _compared(cluster, lambda: parse(text)), lasting=lasting)


def _complexes(cluster: Cluster, job: Job, part: PartitionConf) -> Step:
    from slimsched.constraints.complexes import places

    texts, parallel = job.request.hard_resources, complexes.is_parallel(job.request)
    nodes = complexes.nodes(cluster, job.request, part.partition_name)
    words = _compared(cluster, lambda: places.hard(cluster, texts, part.partition_name, parallel=parallel))
    return Step("complexes", ",".join(texts), nodes, words)


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


def _inside(cluster: Cluster, job: Job) -> Step:
    nodes = 0
    for name in blocking.names(job):
        if name in cluster.reservations:
            nodes |= cluster.bitmap_of(cluster.reservations[name].nodes)
    outside = f"outside of reservation {job.request.reservation}"
    return Step("own reservation", job.request.reservation, nodes, lambda _: outside, lasting=True)


def _reserved(ctl: Controller, job: Job, part: PartitionConf) -> Step:
    cluster = ctl.cluster
    end = cluster.now + time_limits.planned_seconds(job, part)
    nodes, _ = blocking.taken(blocking.blocks(cluster, job), cluster.now, end)
    mine = blocking.names(job)

    def words(index: int) -> str:
        for resv in cluster.reservations.values():
            meets = resv.start_time < end and resv.end_time > cluster.now and resv.name not in mine
            if meets and cluster.bitmap_of(resv.nodes) >> index & 1:
                return (
                    f"reserved by {resv.name} from {times.instant(resv.start_time)} to {times.instant(resv.end_time)}"
                )
        return "reserved"

    return Step("reservation", "free of reservations", bitmap.full(len(cluster.nodes)) & ~nodes, words)
