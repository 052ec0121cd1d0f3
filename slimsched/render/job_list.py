"""The jobs that ``squeue`` lists: which of them, one line an array or a task, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from slimsched.model.job import COMPACT, COMPLETING, PENDING, RUNNING, SUSPENDED
from slimsched.render.columns import Field, Table
from slimsched.render.job_fields import JOBS
from slimsched.render.job_view import View

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job

DEFAULT_ORDER = "P,t,-p"
LIVE = frozenset({PENDING, RUNNING, SUSPENDED, COMPLETING})
"""States that are listed unless others are asked for."""

STATE_WORDS = (
    "pending", "running", "suspended", "completed", "cancelled", "failed", "timeout", "node_fail", "preempted",
    "boot_fail", "deadline", "out_of_memory", "completing", "configuring", "expediting", "resizing",
    "resv_del_hold", "requeued", "requeue_fed", "requeue_hold", "revoked", "signaling", "special_exit",
    "stage_out", "stopped",
)  # fmt: skip
"""Every state that Slurm knows, in the order in which it lists them."""

SHORT_STATES = {
    "RS": "RESIZING", "RD": "RESV_DEL_HOLD", "RQ": "REQUEUED", "RF": "REQUEUE_FED", "RH": "REQUEUE_HOLD",
    "SI": "SIGNALING", "SO": "STAGE_OUT", "ST": "STOPPED", "EX": "EXPEDITING",
}  # fmt: skip
"""Short names of the states that no job here is ever in."""

Test = Callable[[View], bool]
Lister = Callable[["Cluster", "Choice", bool], "Listing"]


class Choice:
    """Which jobs to list. An empty set chooses nothing; None does not restrict.

    ``tests`` are further conditions on a view. ``ids`` holds (job id, task or None); ``nodes`` is a node set.
    """

    def __init__(self) -> None:
        self.states: frozenset[str] | None = LIVE
        self.ids: set[tuple[int, int | None]] | None = None
        self.nodes: int | None = None
        self.tests: list[Test] = []

    def keeps(self, view: View) -> bool:
        """Whether a view is to be listed."""
        if self.states is not None and not self.states.intersection((view.job.state, view.state)):
            return False
        if self.ids is not None and not self._named(view):
            return False
        if self.nodes is not None and not self.nodes & view.cluster.bitmap_of(view.job.nodes):
            return False
        return all(test(view) for test in self.tests)

    def _named(self, view: View) -> bool:
        ids = self.ids or ()
        if any(key in ids for key in ((view.job.job_id, None), (view.array_id, None), (view.array_id, view.task))):
            return True
        return view.task is None and any(view.has_task(task) for job_id, task in ids if job_id == view.array_id)


def state_of(word: str) -> str:
    """Return the state that a word names, long or short, in any case; raises `KeyError`."""
    upper = word.upper()
    if upper in SHORT_STATES:
        return SHORT_STATES[upper]
    if upper.lower() in STATE_WORDS:
        return upper
    return next(state for state, short in COMPACT.items() if short == upper) if upper in COMPACT.values() else _no(word)


def _no(word: str) -> str:
    raise KeyError(word)


def in_table_order(jobs: Iterable[Job]) -> list[Job]:
    """Return jobs as the controller's list holds them.

    A task that starts takes its array's place in the list, and the rest of the array goes to the end, so that an
    array's record comes right behind the task that was split off last.
    """
    splits: dict[int, list[int]] = {}
    listed = sorted(jobs, key=lambda job: job.job_id)
    places: list[tuple[float, int, Job]] = []
    for job in listed:
        if job.array_job_id and job.job_id != job.array_job_id:
            before = splits.setdefault(job.array_job_id, [])
            places.append((before[-1] + 0.5 if before else job.array_job_id, job.job_id, job))
            before.append(job.job_id)
    for job in listed:
        if not job.array_job_id or job.job_id == job.array_job_id:
            before = splits.get(job.job_id, [])
            places.append((before[-1] + 0.5 if before else job.job_id, job.job_id, job))
    return [job for _, _, job in sorted(places, key=lambda place: place[:2])]


def views(cluster: Cluster) -> list[View]:
    """Return the views of all jobs in the controller's order."""
    sizes: dict[str, int] = {}
    found = [View(job, cluster, None, sizes) for job in in_table_order(cluster.jobs.values())]
    for rank, view in enumerate(found):
        view.rank = rank
    return found


def by_task(listed: Iterable[View]) -> Iterator[View]:
    """Yield views with the one of a pending array replaced by one for each of its tasks."""
    from slimsched.text.idset import decode

    for view in listed:
        if view.job.array_tasks:
            yield from (View(view.job, view.cluster, task, view.sizes) for task in decode(view.job.array_tasks))
        else:
            yield view


def by_array(listed: list[View]) -> list[View]:
    """Return views with the pending tasks that left an array's record (held, updated) put back into its line.

    The line shows the record's own values, and all their reasons.
    """
    heads = {view.job.job_id for view in listed if view.job.array_tasks and view.job.state == PENDING}
    apart: dict[int, list[View]] = {}
    for view in listed:
        job = view.job
        if job.array_job_id in heads and job.array_task_id is not None and job.state == PENDING:
            apart.setdefault(job.array_job_id, []).append(view)
    if not apart:
        return listed
    gone = {view.job.job_id for views in apart.values() for view in views}
    return [
        _joined(view, apart[view.job.job_id]) if view.job.job_id in apart else view
        for view in listed
        if view.job.job_id not in gone
    ]


def _joined(head: View, apart: list[View]) -> View:
    """Return the view of an array's record as it would be with the tasks that left it."""
    from copy import copy

    from slimsched.text.idset import decode, encode

    job = copy(head.job)
    job.array_tasks = encode([*decode(job.array_tasks), *(v.job.array_task_id or 0 for v in apart)])
    job.state_desc = ",".join(dict.fromkeys(view.reason for view in (head, *apart)))
    view = View(job, head.cluster, None, head.sizes)
    view.rank = head.rank
    return view


class Listing(NamedTuple):
    """Records to print, with the table of their fields, the order and the format that they have by default."""

    records: list[Any]
    table: Table
    order: str = DEFAULT_ORDER
    format: str = ""


def whole(cluster: Cluster, choice: Choice, each_task: bool) -> Listing:
    """Return the chosen jobs, not yet sorted.

    They come latest start first, those without a start last and backwards: among equals ``squeue`` has this order.
    """
    kept = [view for view in views(cluster) if choice.keeps(view)]
    if not each_task:
        kept = by_array(kept)
    started = sorted((v for v in kept if v.job.start_time), key=lambda v: -v.job.start_time)
    waiting = [v for v in reversed(kept) if not v.job.start_time]
    listed = [*started, *waiting]
    return Listing([view for view in by_task(listed) if choice.keeps(view)] if each_task else listed, JOBS)


def states_only(cluster: Cluster, choice: Choice, _each_task: bool) -> Listing:
    """Return the chosen jobs for ``--only-job-state``: the controller's list backwards."""
    kept = [view for view in views(cluster) if choice.keeps(view)]
    bare = Field(
        "i", "jobid", "JOBID", lambda v: v.name.partition("%")[0] + "]" * ("%" in v.name), lambda v: v.array_id
    )
    table = Table([bare, *(field for field in JOBS.fields if field.letter in "tT")])
    return Listing(kept[::-1], table, "t", "%.18i %.2t")
