"""Job dependencies: what a job waits for, and when it no longer does.

    dependency = item { "," item } | item { "?" item }      all of them, or any of them
    item       = "singleton" | type ":" job { ":" job } | job
    job        = id [ "_" ( task | "*" | "[" tasks "]" ) ] [ "+" minutes ]       minutes for "after" only
    type       = after | afterany | afterok | afternotok | aftercorr | afterburstbuffer | expand     in any case

A job alone, with no type behind it either, means afterany. ``job.dependency`` holds what is left, as Slurm shows it:
``afterok:1(unfulfilled),afterany:3_*(unfulfilled)``; what is fulfilled is dropped, what has failed stays as
``afterok:2(failed)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.life import arrays
from slimsched.errors import SlurmError, SyntaxFault
from slimsched.slurm import job_ids, reasons, states
from slimsched.slurm.errno import Errno
from slimsched.text import idset

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job

WAITING, FULFILLED, FAILED = "unfulfilled", "fulfilled", "failed"
TYPES = ("after", "afterany", "afterok", "afternotok", "aftercorr", "afterburstbuffer", "expand")
MAY_BE_GONE = ("after", "afterany", "afterburstbuffer")  # fulfilled by a job that nobody knows any more
NONE = ("", "0")
"""What takes a dependency away."""
ALL_TASKS = -1


class Item(NamedTuple):
    """One condition; ``task`` is a task number, `ALL_TASKS` or None for a job that is no array."""

    type: str
    job_id: int = 0
    task: int | None = None
    minutes: int = 0
    state: str = WAITING

    def __str__(self) -> str:
        """Return the condition as ``squeue %E`` shows it."""
        if self.type == "singleton":
            return f"singleton({self.state})"
        task = "" if self.task is None else "_*" if self.task == ALL_TASKS else f"_{self.task}"
        delay = f"+{self.minutes}" if self.minutes else ""
        return f"{self.type}:{self.job_id}{task}{delay}({self.state})"


# reading


def parse(text: str) -> tuple[list[Item], str]:
    """Return the conditions and the sign between them ("," all, "?" any) of a request or of what is left of one.

    Raises `SlurmError`: DEPENDENCY.
    """
    sign = "?" if "?" in text else ","
    items: list[Item] = []
    parts = job_ids.split(text, sign)
    for place, part in enumerate(parts):
        untyped = part[:1].isdigit() and not any(":" in later for later in parts[place:])
        items += _items(f"afterany:{part}" if untyped else part)
    return items, sign


def _items(part: str) -> list[Item]:
    body, _, state = part.removesuffix(")").partition("(")
    state = state or WAITING
    word, *jobs = body.split(":")
    type_ = word.lower()
    if type_ == "singleton" and not jobs:
        return [Item(type_, state=state)]
    if type_ not in TYPES or not jobs:
        raise SlurmError(Errno.DEPENDENCY)
    return [item for job in jobs for item in _job_items(type_, job, state)]


def _job_items(type_: str, text: str, state: str) -> list[Item]:
    """Return the conditions that one job id makes: one for each of the tasks that it names."""
    try:
        named = job_ids.read(text)
        tasks = idset.decode(named.tasks)
    except SyntaxFault:
        raise SlurmError(Errno.DEPENDENCY) from None
    delayed = named.offset is not None
    if not named.job_id or named.step is not None or (delayed and (type_ != "after" or not named.offset)):
        raise SlurmError(Errno.DEPENDENCY)
    item = Item(type_, named.job_id, ALL_TASKS if named.every_task else None, named.offset or 0, state)
    return [item._replace(task=task) for task in tasks] or [item]


def resolve(cluster: Cluster, text: str, own_id: int = 0, *, may_expand: bool = False) -> str:
    """Check a requested dependency against the jobs there are and return it as ``job.dependency`` keeps it.

    Raises `SlurmError` for an unknown job that must have ended in some way, for the job itself, for a circle, and for
    ``expand`` unless it ``may_expand`` others.
    """
    if text in NONE:
        return ""
    items, sign = parse(text)
    if not may_expand and any(item.type == "expand" for item in items):
        raise SlurmError(Errno.NOT_SUPPORTED)
    kept = [_resolve_item(cluster, item) for item in items]
    if own_id and own_id in _reachable(cluster, [item.job_id for item in kept]):
        raise SlurmError(Errno.CIRCULAR_DEPENDENCY)
    return sign.join(map(str, kept))


def _resolve_item(cluster: Cluster, item: Item) -> Item:
    """Return the item with its array, if its job is one, spelled out."""
    if item.type == "singleton":
        return item
    records = targets_of(cluster, item)
    if not records:
        if item.type in MAY_BE_GONE:
            return item
        raise SlurmError(Errno.DEPENDENCY)
    if item.task is not None or item.job_id != records[0].array_job_id:
        return item
    return item._replace(task=ALL_TASKS)


def _reachable(cluster: Cluster, job_ids: list[int]) -> set[int]:
    """Return the jobs that some jobs wait for, directly or not, and those jobs themselves."""
    seen: set[int] = set()
    todo = list(job_ids)
    while todo:
        job_id = todo.pop()
        if job_id in seen:
            continue
        seen.add(job_id)
        job = cluster.jobs.get(job_id)
        if job is not None and job.dependency:
            todo += [item.job_id for item in parse(job.dependency)[0]]
    return seen


def targets_of(cluster: Cluster, item: Item) -> list[Job]:
    """Return the records that an item speaks of."""
    job = cluster.jobs.get(item.job_id)
    if item.task is None:
        if job is None or job.array_job_id != item.job_id:
            return [job] if job else arrays.members(cluster, item.job_id)
        return arrays.members(cluster, item.job_id)
    found = arrays.members(cluster, item.job_id)
    if item.task == ALL_TASKS:
        return found
    return [j for j in found if j.array_task_id == item.task or arrays.contains(j.array_tasks, item.task)]


# judging


def evaluate(cluster: Cluster, job: Job, index: arrays.Index | None = None) -> bool:
    """Bring ``job.dependency`` and the reason up to date and say whether the job waits for no other any more.

    ``index``: the jobs by array and name, where many are judged in a row.
    """
    if not job.dependency:
        return True
    left = remaining(cluster, job, index)
    failed = f"({FAILED})" in left and ("?" not in left or f"({WAITING})" not in left)
    reason = None if not left else reasons.NEVER_SATISFIED if failed else reasons.DEPENDENCY
    if left != job.dependency:
        cluster.touch_job(job)
    job.dependency = left
    if reason and not job.held:
        job.reason = reason
    elif not reason and job.reason in (reasons.DEPENDENCY, reasons.NEVER_SATISFIED):
        job.reason = reasons.NONE
    return not left


class Waiting:
    """The jobs that go on waiting until one of those changes that they wait for: no pass need look at them again.

    Not among them are those whose answer also depends on the time (``after:ID+minutes``) or on names (singleton).
    """

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.changed = cluster.watch_jobs()
        self.known: dict[int, tuple[str, reasons.Reason]] = {}  # job -> its dependency and reason
        self.behind: dict[int, list[int]] = {}  # job or array -> the jobs that wait for it

    def _forget(self) -> None:
        """Forget the jobs behind those that have changed."""
        for job_id in self.changed:
            job = self.cluster.jobs.get(job_id)
            for target in (job_id, job.array_job_id if job else 0):
                for waiting in self.behind.pop(target, ()):
                    self.known.pop(waiting, None)
        self.changed.clear()

    def holds(self, job: Job) -> bool:
        """Whether a job is known to wait still."""
        if self.changed:
            self._forget()
        return self.known.get(job.job_id) == (job.dependency, job.reason)

    def add(self, job: Job) -> None:
        """Note that a job waits, as `evaluate` has just found."""
        if self.changed:
            self._forget()
        if job.reason == reasons.DEPENDENCY and "+" not in job.dependency and "singleton" not in job.dependency:
            self.known[job.job_id] = job.dependency, job.reason
            for item in parse(job.dependency)[0]:
                self.behind.setdefault(item.job_id, []).append(job.job_id)


def released(ctl: Controller, job: Job, index: arrays.Index | None = None) -> bool:
    """Whether a job waits for no other any more, as `evaluate` tells.

    If it would for ever, it sends its mail about that, and is cancelled if it asked for that.
    """
    before = job.reason
    if evaluate(ctl.cluster, job, index):
        return True
    if job.reason == reasons.NEVER_SATISFIED:
        from slimsched.controller.life import mail, transitions

        if job.reason != before:
            mail.tell(ctl, job, mail.INVALID_DEPEND)
        if job.request.kill_on_invalid_dep:
            transitions.end_job(ctl, job, states.CANCELLED)
    return False


def remaining(cluster: Cluster, job: Job, index: arrays.Index | None = None) -> str:
    """Return what is left of a job's dependency now, "" if it is fulfilled; ``index`` spares many a search."""
    items, sign = parse(job.dependency)
    judged = [
        item if item.state == FAILED else item._replace(state=_judge(cluster, job, item, index)) for item in items
    ]
    if sign == "?" and any(item.state == FULFILLED for item in judged):
        return ""
    left = [item for item in judged if item.state != FULFILLED]
    return sign.join(map(str, left))


def next_instant(cluster: Cluster, job: Job) -> int:
    """Return when the passing of time alone may fulfil an ``after:ID+minutes``; 0 for never."""
    if "+" not in job.dependency:
        return 0
    instants = [
        _begun(target) + item.minutes * 60
        for item in parse(job.dependency)[0]
        for target in targets_of(cluster, item)
        if item.minutes and _begun(target)
    ]
    return min((t for t in instants if t > cluster.now), default=0)


def _judge(cluster: Cluster, job: Job, item: Item, index: arrays.Index | None) -> str:
    if item.type == "singleton":
        others = index.namesakes(job) if index else cluster.jobs.values()
        return WAITING if any(_rival(job, other) for other in others) else FULFILLED
    targets = index.members(item.job_id) if index and item.task == ALL_TASKS else targets_of(cluster, item)
    if item.type == "aftercorr" and item.task == ALL_TASKS and job.array_job_id:
        if index and job.array_task_id is not None:
            targets = index.task(item.job_id, job.array_task_id)
        else:
            targets = [target for target in targets if _correspond(job, target)]
    if not targets:  # gone from memory: nothing to wait for any more
        return FULFILLED
    return _JUDGES[item.type](targets, item, cluster.now)


def _rival(job: Job, other: Job) -> bool:
    """Whether a singleton has to wait for another job: same name and user, and ahead of it."""
    if other.job_id == job.job_id or other.finished:
        return False
    if other.user_id != job.user_id or other.request.name != job.request.name:
        return False
    if job.array_job_id and other.array_job_id == job.array_job_id:
        return False
    if job.het_job_id and other.het_job_id == job.het_job_id:
        return False
    return other.active or other.job_id < job.job_id


def _correspond(job: Job, target: Job) -> bool:
    """Whether two records of arrays have a task number in common."""
    own = idset.ranges(job.array_tasks if job.array_task_id is None else str(job.array_task_id))
    other = idset.ranges(target.array_tasks if target.array_task_id is None else str(target.array_task_id))
    return any(a <= y and x <= b for a, b in own for x, y in other)


def _begun(job: Job) -> int:
    """Return when a job started, or was cancelled before it could; 0: it waits still."""
    return 0 if job.pending else job.start_time or job.end_time


def _after(targets: list[Job], item: Item, now: int) -> str:
    ready = all(_begun(j) and _begun(j) + item.minutes * 60 <= now for j in targets)
    return FULFILLED if ready else WAITING


def _afterany(targets: list[Job], item: Item, now: int) -> str:
    return FULFILLED if all(j.finished for j in targets) else WAITING


def _afterok(targets: list[Job], item: Item, now: int) -> str:
    if not all(j.finished for j in targets):
        return WAITING
    return FULFILLED if all(_good(j) for j in targets) else FAILED


def _afternotok(targets: list[Job], item: Item, now: int) -> str:
    if not all(j.finished for j in targets):
        return WAITING
    return FAILED if all(_good(j) for j in targets) else FULFILLED


def _expand(targets: list[Job], item: Item, now: int) -> str:
    if any(j.pending for j in targets):
        return WAITING
    return FULFILLED if all(j.active for j in targets) else FAILED


def _good(job: Job) -> bool:
    return job.state == states.COMPLETED


_JUDGES = {
    "after": _after,
    "afterany": _afterany,
    "afterok": _afterok,
    "afternotok": _afternotok,
    "afterburstbuffer": _afterany,
    "aftercorr": _afterok,
    "expand": _expand,
}


def split_by_task(ctl: Controller, pending: list[Job]) -> list[Job]:
    """Give a record of its own to every pending task whose counterpart (``aftercorr``) has ended; return these."""
    made: list[Job] = []
    for job in pending:
        if not job.array_tasks or "aftercorr:" not in job.dependency:
            continue
        others = {item.job_id for item in parse(job.dependency)[0] if item.type == "aftercorr"}
        ended = {j.array_task_id for j in ctl.cluster.jobs.values() if j.array_job_id in others and j.finished}
        ready = sorted(task for task in ended if task is not None and arrays.contains(job.array_tasks, task))
        made += [arrays.split(ctl, job, task) for task in ready if arrays.count(job.array_tasks) > 1]
    return made
