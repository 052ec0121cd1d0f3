"""The jobs that ``squeue`` lists: their selection, one line per array or per task, and their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slimsched.model.record import Record
from slimsched.render.columns import Field, Table
from slimsched.render.jobs.fields import FIELDS, UNSORTED
from slimsched.render.jobs.job_view import View
from slimsched.slurm.states import COMPLETING, PENDING, RUNNING, SUSPENDED, job_state

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job

    Test = Callable[[View], bool]
    JobKey = tuple[int, int | None]
    Lister = Callable[[Cluster, "JobChoice", "Manner"], "Listing"]


def _long_fields() -> Sequence[Field]:
    from slimsched.render.jobs import long_fields

    return long_fields.FIELDS


JOBS = Table(FIELDS, _long_fields, UNSORTED)
"""The columns of ``squeue``; those without a letter are loaded when one is asked for."""

DEFAULT_ORDER = "P,t,-p"
LIVE = frozenset({PENDING, RUNNING, SUSPENDED, COMPLETING})
"""States that are listed unless others are asked for."""


class JobChoice:
    """The choice of jobs to list. An empty collection chooses nothing; None does not restrict.

    ``states``: as shown; `LIVE` also takes what a job is underneath. ``ids`` holds (job id, task or None) in the order
    in which they were given; ``nodes`` is a node set, ``users`` their numbers; ``tests`` are further conditions.
    """

    def __init__(self) -> None:
        self.states: frozenset[str] | None = LIVE
        self.ids: list[JobKey] | None = None
        self.steps: list[tuple[int, int | None, str]] | None = None  # (job id, task or None, step)
        self.nodes: int | None = None
        self.partitions: frozenset[str] | None = None
        self.users: frozenset[int] | None = None
        self.tests: list[Test] = []

    @property
    def numbers(self) -> set[int] | None:
        """The job ids of `ids`."""
        return None if self.ids is None else {key[0] for key in self.ids}

    def keeps(self, view: View) -> bool:
        """Whether a view is to be listed."""
        if self.states is not None and not self._in_state(view):
            return False
        if self.nodes is not None and not self.nodes & view.cluster.bitmap_of(view.job.nodes):
            return False
        return self.keeps_running(view) and all(test(view) for test in self.tests)

    def keeps_running(self, view: View) -> bool:
        """Whether a view fulfils the conditions that hold for steps, too."""
        if self.ids is not None and self.key_of(view) is None:
            return False
        if self.partitions is not None and self.partitions.isdisjoint(view.partition.split(",")):
            return False
        return self.users is None or view.job.user_id in self.users

    def _in_state(self, view: View) -> bool:
        if self.states is LIVE and view.job.state in LIVE:
            return True
        return self.states is None or view.state in self.states

    def key_of(self, view: View) -> JobKey | None:
        """Return the first of the ids that means a view, None if there is none."""
        number, array, task = view.job.job_id, view.array_id, view.task
        for key in self.ids or ():
            wanted = key[1]
            if (
                (key[0] in (number, array, view.job.het_job_id))
                if wanted is None
                else (key[0] == array and wanted == task)
            ):
                return key
            if wanted is not None and task is None and key[0] == array and view.has_task(wanted):
                return key
        return None

    def narrowed(self, view: View) -> View:
        """Return the view of a pending array with those tasks only that were named one by one."""
        key = self.key_of(view) if self.ids is not None and view.job.array_tasks and view.task is None else None
        if key is None or key[1] is None:
            return view
        named = {task or 0 for job_id, task in self.ids or () if job_id == view.array_id and view.has_task(task)}
        tasks = sorted(named)
        if len(tasks) == 1:
            return _placed(View(view.job, view.cluster, tasks[0], view.sizes), view)
        from copy import copy

        from slimsched.text.idset import encode

        job = copy(view.job)
        job.array_tasks, job.array_max_tasks = encode(tasks), 0
        return _placed(View(job, view.cluster, None, view.sizes), view)


def _placed(made: View, view: View) -> View:
    """Give a view that was made of another one its place in the list."""
    made.rank, made.partition, made.tier = view.rank, view.partition, view.tier
    return made


def state_of(word: str) -> str:
    """Return the state that a word names, long or short, in any case; raises `KeyError`."""
    state = job_state(word)
    if state is None:
        raise KeyError(word)
    return state


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


def visible(cluster: Cluster, ids: Collection[int] | None = None) -> Iterable[Job]:
    """Return the jobs that the user who asks may see (``PrivateData``); ``ids``: of those `Cluster.related` to them."""
    jobs = cluster.jobs.values() if ids is None else cluster.related(ids)
    if "jobs" not in cluster.config.get("PrivateData").lower():
        return jobs
    from slimsched.controller.requests import rights

    return [job for job in jobs if rights.over(cluster, job)] if rights.keeps_private(cluster, "jobs") else jobs


def views(cluster: Cluster, ids: Collection[int] | None = None) -> list[View]:
    """Return the views of all jobs in the controller's order; ``ids``: of those `Cluster.related` to them."""
    sizes: dict[str, int] = {}
    found = [View(job, cluster, None, sizes) for job in in_table_order(visible(cluster, ids))]
    for rank, view in enumerate(found):
        view.rank = rank
    return found


def by_task(listed: Iterable[View]) -> Iterator[View]:
    """Yield views with the one of a pending array replaced by one for each of its tasks."""
    from slimsched.text.idset import decode

    for view in listed:
        if view.job.array_tasks:
            for task in (view.task,) if view.task is not None else decode(view.job.array_tasks):
                yield _placed(View(view.job, view.cluster, task, view.sizes), view)
        else:
            yield view


def by_partition(listed: Iterable[View]) -> Iterator[View]:
    """Yield each view once for every partition that it may run in, with the tier of that partition."""
    for view in listed:
        for name in view.partition.split(","):
            made = _placed(View(view.job, view.cluster, view.task, view.sizes), view)
            part = view.cluster.partitions.get(name)
            made.partition, made.tier = name, part.priority_tier if part else 1
            yield made


def by_array(listed: list[View]) -> list[View]:
    """Return views with the pending tasks that left an array's record (held, updated) put back into its line.

    The line shows the record's own values, and all their reasons.
    """
    heads = {view.job.job_id: view for view in listed if view.job.array_tasks and view.job.state == PENDING}
    apart: dict[int, list[View]] = {}
    for view in listed:
        job = view.job
        head = heads.get(job.array_job_id) if job.array_task_id is not None and job.state == PENDING else None
        if head is not None and (head.request.name, head.partition) == (view.request.name, view.partition):
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
    job.array_max_tasks = 0  # the list that squeue makes has no throttle
    job.state_desc = ",".join(dict.fromkeys(view.reason for view in (head, *apart)))
    return _placed(View(job, head.cluster, None, head.sizes), head)


class Listing(Record):
    """Records to print, with the table of their fields, the order and the format that they have by default."""

    records: list[Any]
    table: Table
    order: str = DEFAULT_ORDER
    format: str = ""


class Manner(Record):
    """The manner of listing jobs: one line for each task of an array, for each partition."""

    each_task: bool = False
    each_partition: bool = False


def whole(cluster: Cluster, choice: JobChoice, manner: Manner) -> Listing:
    """Return the chosen jobs, not yet sorted.

    They come latest start first, those without a start last and backwards: among equals ``squeue`` has this order.
    """
    kept = [choice.narrowed(view) for view in views(cluster, choice.numbers) if choice.keeps(view)]
    if manner.each_partition:
        kept = [view for view in by_partition(kept) if choice.keeps(view)]
    if not manner.each_task:
        kept = by_array(kept)
    started = sorted((v for v in kept if v.job.start_time), key=lambda v: -v.job.start_time)
    waiting = [v for v in reversed(kept) if not v.job.start_time]
    listed = [*started, *waiting]
    return Listing([view for view in by_task(listed) if choice.keeps(view)] if manner.each_task else listed, JOBS)


def _without_throttle(view: View) -> str:
    """Return the name of a job, of an array without how many tasks may run: ``3_[2-5]``."""
    name, throttle, _ = view.name.partition("%")
    return f"{name}]" if throttle else name


def states_only(cluster: Cluster, choice: JobChoice, _manner: Manner) -> Listing:
    """Return the chosen jobs for ``--only-job-state``: the controller's list backwards."""
    kept = [view for view in views(cluster, choice.numbers) if choice.keeps(view)]
    bare = Field("i", "jobid", "JOBID", _without_throttle, lambda v: v.array_id)
    table = Table([bare, *(field for field in JOBS.fields if field.letter in "tT")])
    return Listing(kept[::-1], table, "t", "%.18i %.2t")
