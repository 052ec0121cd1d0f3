"""Grid Engine's complex attributes in scheduling: the nodes that serve a request, and the best of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.gridengine import consumables
from slimsched.errors import Never, NotNow, SyntaxFault, UserError
from slimsched.select.records import Mode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.request import JobRequest
    from slimsched.select.records import JobTest, Selection


def concern(cluster: Cluster, request: JobRequest) -> bool:
    """Whether complex attributes concern a job: it asks for some, or the cluster has some that it cannot avoid."""
    return bool(request.hard_resources or request.soft_resources or cluster.has_complexes)


def check(cluster: Cluster, request: JobRequest) -> None:
    """Refuse requests that are wrong, in Grid Engine's words. Raises `UserError`."""
    from slimsched.constraints.complexes import places
    from slimsched.constraints.complexes import request as reader

    catalog = places.catalog_of(cluster)
    try:
        reader.read(request.hard_resources, catalog)
        reader.read(request.soft_resources, catalog, soft=True)
    except SyntaxFault as fault:
        raise UserError(fault.message, notes=fault.lines()[:2]) from None


def nodes(cluster: Cluster, request: JobRequest, partition: str) -> int:
    """Return the nodes that satisfy a job's hard requests through a partition, whatever is booked."""
    from slimsched.constraints.complexes import places
    from slimsched.constraints.evaluate import matching
    from slimsched.controller import categories

    texts, parallel = request.hard_resources, is_parallel(request)

    def match() -> int:
        return matching(cluster, places.hard(cluster, texts, partition, parallel=parallel))

    try:
        return categories.fitting(cluster, texts, partition, parallel, match)
    except SyntaxFault:  # an attribute that the job asks for was deleted or redefined since
        return 0


def is_parallel(request: JobRequest) -> bool:
    """Whether a job has more than one slot."""
    return max(request.num_tasks or 1, request.min_nodes or 1) * (request.cpus_per_task or 1) > 1


def job_test(ctl: Controller, test: JobTest) -> Selection:
    """Let the select plugin place a job where it fits: on the nodes with the fewest soft violations, as booked now.

    Raises `NotNow` and `Never` as the plugin does; ``NotNow("Licenses")`` for want of a consumable.
    """
    if not concern(ctl.cluster, test.job.request):
        return ctl.select.job_test(test, Mode.RUN_NOW)
    from copy import copy

    refusal: NotNow | Never = NotNow()
    for allowed in _preferred(ctl.cluster, test):
        tried = copy(test)
        tried.bitmap = allowed
        try:
            return consumables.place(ctl, tried)
        except (NotNow, Never) as found:
            refusal = found
    raise refusal


def _preferred(cluster: Cluster, test: JobTest) -> Iterator[int]:
    """Yield ever larger sets of a job's candidates, by their number of violated soft requests."""
    from slimsched.constraints.complexes import places
    from slimsched.constraints.evaluate import matching

    texts = test.job.request.soft_resources
    exactly = [test.bitmap]  # [n]: nodes with n violations
    for violation in places.soft(cluster, texts, test.partition) if texts else ():
        mask = matching(cluster, violation)
        worse = [have & mask for have in exactly]
        exactly = [have & ~mask | more for have, more in zip([*exactly, 0], [0, *worse], strict=True)]
    allowed = 0
    for more in exactly:
        if more:
            allowed |= more
            yield allowed
    if not allowed:
        yield 0


def changed(ctl: Controller) -> None:
    """Note that definitions or values changed: every answer about them is void, and jobs may start."""
    ctl.cluster.changed(consumables.CHANGED, "complexes-global", "complexes-host", "complexes-queue")
    ctl.cluster.pass_due = True
    ctl.bookings = None
