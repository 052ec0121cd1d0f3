"""Requests that leave a choice between node sets: ``[a|b]``, ``a*2``, ``--prefer``, ``--nodes=1,3,5``.

Each is resolved into plain questions about one set of nodes and one range of sizes, which are put to the plugin
in order. Asked for the present, the first that fits is taken; asked for the future, the one that starts first.
"""

from __future__ import annotations

import copy
from functools import lru_cache

from slimsched.constraints import slurm_features
from slimsched.constraints.evaluate import matching
from slimsched.errors import Never, NotNow
from slimsched.select.records import Mode
from slimsched.text import idset

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.select.records import JobTest, Selection

    Test = Callable[[JobTest, Mode], Selection]
    Counts = list[tuple[int, int]]

_spec = lru_cache(maxsize=1024)(slurm_features.parse_spec)


def best(cluster: Cluster, request: JobTest, mode: Mode, test: Test) -> Selection:
    """Put the questions to ``test`` and return the best answer.

    Raises NotNow if one of them may be answered later, Never if none ever will be.
    """
    found: list[Selection] = []
    wait: NotNow | None = None
    for question, counts in _questions(cluster, request):
        try:
            selection = _sized(_with_counts(question, counts, mode, test), mode, test)
        except NotNow as refusal:
            wait = wait or refusal
        except Never:
            continue
        else:
            if mode != Mode.WILL_RUN:
                return selection
            found.append(selection)
    if found:
        return min(found, key=lambda selection: selection.start_time)
    raise wait or Never()


def _questions(cluster: Cluster, request: JobTest) -> Iterator[tuple[JobTest, Counts]]:
    """Yield a question for each alternative, preferred ones first, with the nodes of counted features."""
    asked = request.job.request
    for text in (asked.prefer, asked.features) if asked.prefer else (asked.features,):
        spec = _spec(text)
        every = matching(cluster, spec.predicate)
        for choice in spec.choices:
            question = copy.copy(request)
            question.bitmap &= every & matching(cluster, choice.predicate)
            yield question, [(matching(cluster, kind), count) for kind, count in choice.counts]


def _with_counts(request: JobTest, counts: Counts, mode: Mode, test: Test) -> JobTest:
    """Choose nodes for each counted feature, the rarest first, and require them of the answer."""
    if not counts:
        return request
    taken = 0
    for nodes, count in sorted(counts, key=lambda item: (item[0] & request.bitmap).bit_count()):
        part = copy.copy(request)
        part.job = _part_of(request.job, count)
        part.bitmap = request.bitmap & nodes & ~taken
        part.required &= part.bitmap
        if part.required.bit_count() > count:
            part.required = 0
        part.min_nodes = part.max_nodes = part.req_nodes = count
        taken |= test(part, mode).bitmap
    request.required |= taken
    request.min_nodes = max(request.min_nodes, request.required.bit_count())
    request.req_nodes = max(request.req_nodes, request.min_nodes)
    if request.min_nodes > request.max_nodes:
        raise Never()
    return request


def _part_of(job: Job, nodes: int) -> Job:
    """Return a job that asks for the least that this one can use of so many nodes."""
    part = copy.copy(job)
    part.request = request = copy.copy(job.request)
    if request.num_tasks is not None:
        request.num_tasks = nodes
    request.gpus = ""
    request.contiguous = False
    return part


def _sized(request: JobTest, mode: Mode, test: Test) -> Selection:
    """Ask for one of the sizes that the job lists, the largest that fits."""
    listed = request.job.request.job_size
    if not listed:
        return test(request, mode)
    least, request.req_nodes = request.min_nodes, request.max_nodes
    selection = test(request, mode)
    most = selection.bitmap.bit_count()
    refusal: NotNow | Never = Never()
    for low, high in reversed(idset.ranges(listed)):
        for size in range(min(high, most), max(low, least) - 1, -1):
            if size == most:
                return selection
            request.min_nodes = request.max_nodes = request.req_nodes = size
            try:
                return test(request, mode)
            except (NotNow, Never) as found:
                refusal = found
    raise refusal
