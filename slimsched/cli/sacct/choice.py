"""The jobs that ``sacct`` lists, selected by its options.

Without ``--jobs`` a period counts: from midnight (with ``--state``: from now) until now, or as ``-S`` and ``-E`` say;
with ``--jobs`` only if they say one. Accounting does not hear of a job before it may start, so that a held job that is
not named is not in any period.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from slimsched.cli.listing import words
from slimsched.controller.requests import strangers, users
from slimsched.errors import SyntaxFault, UserError
from slimsched.model.account import NORMAL, Book
from slimsched.render.jobs.job_view import View
from slimsched.render.jobs.sacct_rows import FLAGS, AccountingRow, accounted, by_age
from slimsched.slurm import job_ids, kinds, states
from slimsched.text import mistyped, zone
from slimsched.text.hostlist import expand
from slimsched.text.moments import moment
from slimsched.text.sizes import count
from slimsched.text.times import INFINITE, minutes

if TYPE_CHECKING:
    from slimsched.cli.program import Given
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.state.archive import Archive

BEHIND = "the cluster's clock is virtual; to begin it at the current time: sim init --force --start now"
ALL_USERS = "-1"
"""A ``--uid`` that means everybody."""

Test = Callable[[View], bool]


class Key(NamedTuple):
    """A job, a task or a component, by its number, and a step, "" for all; ``alone``: a component was named as such."""

    number: int
    task: int | None
    step: str
    alone: bool


LISTS: dict[str, Callable[[AccountingRow], str]] = {
    "accounts": lambda row: row.account,
    "name": lambda row: row.asked.name,
    "partition": lambda row: row.view.partition,
    "qos": lambda row: row.qos,
    "wckeys": lambda row: row.asked.wckey,
    "associations": lambda row: str(row.association),
}
"""Options that compare a value with a list."""

RANGES: dict[str, tuple[str, Callable[[AccountingRow], int]]] = {
    "nnodes": ("node", lambda row: row.node_count),
    "ncpus": ("cpu", lambda row: row.cpus),
}
"""Options that compare a number with a range: the name of the range, and the number."""

SETS: dict[str, Callable[[AccountingRow], Iterable[str]]] = {
    "constraints": lambda row: re.split("[&|,*()]", row.asked.features.lower()),
}
"""Options that ask for one of several values."""


class Choice:
    """What a command line asks for. ``keys``: jobs and steps by number; None: a period counts.

    ``lag``: seconds by which the database is behind.
    """

    def __init__(self) -> None:
        self.keys: list[Key] | None = None
        self.start = self.end = self.lag = 0
        self.period_given = False
        self.states: frozenset[str] = frozenset()
        self.tests: list[Test] = []
        self.remarks: list[str] = []  # what sacct says of the command line, and goes on
        self.each_task = self.duplicates = False
        self.whole: bool | None = None  # heterogeneous jobs; None: if the id of the whole is named

    def views(self, cluster: Cluster, archive: Archive) -> list[View]:
        """Return the jobs; of one that was started anew only the last run, unless all are wanted."""
        jobs: Iterable[Job] = map(accounted, self._jobs(cluster, archive))
        if self.lag:
            from slimsched.cli.sacct.lag import known

            jobs = known(jobs, cluster.now - self.lag)
        runs = {(job.job_id, job.restarts, job.resize_time): job for job in jobs}
        listed = sorted(by_age(runs.values()), key=lambda job: job.submit_time)
        views = [view for job in listed for view in self._tasks(job, cluster)]
        for rank, view in enumerate(views):
            view.rank = rank
        kept = [view for view in views if self._keeps(view)]
        if self.duplicates:
            return kept
        last = {view.job.job_id: _run(view) for view in sorted(kept, key=_run)}
        return [view for view in kept if _run(view) == last[view.job.job_id]]

    def keeps_step(self, row: AccountingRow) -> bool:
        """Whether a row is among the steps that were asked for, if any were."""
        wanted = {key.step for key in self.keys or () if self._matches(row.view, key)}
        return not wanted or "" in wanted or row.step in wanted

    def _jobs(self, cluster: Cluster, archive: Archive) -> Iterable[Job]:
        if self.keys is None:
            return [*archive.between(self.start, self.end), *cluster.gone_jobs, *cluster.jobs.values()]
        numbers = {key.number for key in self.keys}
        live = [*cluster.gone_jobs, *cluster.related(numbers)]
        for job in [*live, *archive.some(numbers)]:
            if job.het_job_id and job.job_id in numbers:
                numbers |= set(range(job.het_job_id, job.het_job_id + job.het_size))
        arrays = {job.array_job_id for job in live if job.array_job_id in numbers}
        archived = list(archive.some(numbers))
        arrays |= {job.array_job_id for job in archived if job.array_job_id in numbers}
        if arrays:  # the tasks have numbers of their own, above that of the array
            archived = [job for job in archive.from_id(min(numbers)) if {job.job_id, job.array_job_id} & numbers]
        return [*archived, *live]

    def _tasks(self, job: Job, cluster: Cluster) -> list[View]:
        if not (self.each_task and job.array_tasks):
            return [View(job, cluster)]
        from slimsched.text import idset

        return [View(job, cluster, task) for task in idset.decode(job.array_tasks)]

    def _keeps(self, view: View) -> bool:
        if self.keys is not None and not any(self._matches(view, key) for key in self.keys):
            return False
        if not (self._in_state(view) if self.states else self._in_period(view.job)):
            return False
        return all(test(view) for test in self.tests)

    def _matches(self, view: View, key: Key) -> bool:
        job = view.job
        if key.task is not None:
            return view.array_id == key.number and (view.task == key.task or view.has_task(key.task))
        if key.number in (job.job_id, view.array_id):
            return True
        if not job.het_job_id or self.whole is False:
            return False
        if self.whole:
            return job.het_job_id <= key.number < job.het_job_id + job.het_size
        return key.number == job.het_job_id and not key.alone

    def _in_period(self, job: Job) -> bool:
        if self.keys is not None and not self.period_given:
            return True
        known = _eligible(job) if self.keys is None else job.submit_time
        if not known or known > self.end:
            return False
        return not job.finished or job.end_time >= self.start

    def _in_state(self, view: View) -> bool:
        """Whether a job was in one of the states in the period: running, waiting, or ending in that way."""
        job = view.job
        if self.keys is not None:
            return view.state in self.states
        if states.RUNNING in self.states and job.nodes and job.start_time <= self.end:
            return not job.finished or job.end_time >= self.start
        if states.PENDING in self.states and 0 < _eligible(job) <= self.end:
            return job.pending or not job.nodes or job.start_time >= self.start
        return view.state in self.states - {states.RUNNING, states.PENDING} and (
            not job.finished or self.start <= job.end_time <= self.end
        )


def _eligible(job: Job) -> int:
    """Return since when a job might have run, 0: it never might; the rest of an array might since it came."""
    waits = job.held or job.dependency or not job.array_tasks
    return job.eligible_time or (0 if waits else job.submit_time)


def choice_of(given: Given, cluster: Cluster) -> Choice:
    """Return the choice that the command line makes; raises `UserError` in ``sacct``'s words."""
    choice = Choice()
    whole = given.last("whole-hetjob")
    choice.whole = kinds.yes_no(whole, whole=True) if whole else True if given.has("whole-hetjob") else None
    choice.each_task, choice.duplicates = given.has("array"), given.has("duplicates")
    if any(given.all("jobs")):
        choice.keys = [_key(word) for text in given.all("jobs") for word in words(text)]
    choice.states = frozenset(_state(*each) for each in _listed(given.all("state")))
    reasons_wanted = frozenset(_reason(*each) for each in _listed(given.all("reason")))
    if reasons_wanted:
        choice.tests.append(lambda view: view.job.reason.lower() in reasons_wanted)
    if (flags := given.last("flags")) is not None:
        choice.tests.append(_any_of([_flags(flags)], lambda row: [flag.lower() for flag in row.flags]))
    _period(choice, given, cluster)
    _users(choice, given, cluster)
    _qos(given, cluster)
    for option, value in LISTS.items():
        if given.has(option):
            choice.tests.append(_among(given.all(option), value))
    for option, (what, number) in RANGES.items():
        if given.has(option):
            choice.tests.append(_between(given.last(option) or "", what, number))
    for option, values in SETS.items():
        if given.has(option):
            choice.tests.append(_any_of(given.all(option), values))
    _nodes(choice, given)
    _limits(choice, given)
    return choice


def _key(word: str) -> Key:
    """Read ``12``, ``12_3``, ``12+1``, ``12.batch``, ``12_3.0``."""
    try:
        named = job_ids.one(word, offsets=True)
    except SyntaxFault:
        named = None
    if named is None or named.step == "":
        detail = f": {_what_is_wrong(word)}" if word[:1].isdigit() else ""
        raise UserError(f"Bad job/step specified: {word}{detail}", level="fatal")
    if named.step and not job_ids.is_step(named.step.partition("+")[0]):
        said = "StepID includes unexpected non-numeric characters"
        raise UserError(f"Bad job/step specified: {word}: {said}", level="fatal")
    return Key(named.job_id + (named.offset or 0), named.task, named.step or "", named.offset is not None)


EMPTY = {"_": "Job Array ID", "+": "HetJob component", ".": "StepID"}
"""Sign behind which a part of a job's id is missing -> that part."""


def _what_is_wrong(word: str) -> str:
    """Return what is wrong with a job's id, in Slurm's words."""
    missing = EMPTY.get(word[-1])
    return f"{missing} must not be an empty string" if missing else "JobID includes unexpected non-numeric characters"


def _qos(given: Given, cluster: Cluster) -> None:
    """Raise `UserError` for a QOS that does not exist."""
    known = [name.partition(" ")[2] for name in Book(cluster).records if name.startswith("qos ")] or [NORMAL]
    unknown = [word for text in given.all("qos") for word in words(text) if word.lower() not in known]
    if unknown:
        said = f"error: You gave a bad qos '{unknown[0]}'. Valid QOS's are {','.join(known)}"
        raise UserError(f"sacct: {said}\nsacct: fatal: problem processing qos list", level="plain")


def _listed(texts: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the items of lists, and how an error names each: Slurm quotes the last one of a list only."""
    for text in texts:
        *others, last = words(text) or [""]
        yield from ((word, word) for word in others)
        if last:
            yield last, f"'{last}'"


def _state(word: str, named: str) -> str:
    state = states.job_state(word)
    if state is None:
        from slimsched.text import alike

        notes = alike.hint("state", word, states.JOB)
        raise UserError(f"unrecognized job state value {named}", level="fatal", notes=notes)
    if not states.accounted(state):
        raise UserError(f"job state {word} is not supported / accounted", level="fatal")
    return state


def _reason(word: str, named: str) -> str:
    from slimsched.slurm import limits, reasons

    known = [*reasons.BY_WORD, *reasons.NEVER_GIVEN, *limits.reason_words()]
    if word.lower() not in map(str.lower, known):
        from slimsched.text import alike

        notes = alike.hint("reason", word, known)
        raise UserError(f"unrecognized job reason value {named}", level="fatal", notes=notes)
    return word.lower()


def _flags(text: str) -> str:
    """Return flags as accounting writes them. Source: `str_2_job_flags` of src/common/slurmdb_defs.c."""
    found = []
    for word in words(text):
        flag = next((flag for flag in FLAGS if flag.lower() in word.lower()), None)
        if flag is None:
            raise UserError(f"str_2_job_flags: Invalid job flag {word}")
        found.append(flag)
    return ",".join(found)


def window(choice: Choice) -> str:
    """Return what ``--verbose`` says of the period."""
    from slimsched.text.times import instant

    first, last = (instant(moment) if moment else "Epoch 0" for moment in (choice.start, choice.end))
    what = ",".join(state for state in states.JOB if state in choice.states) or "Eligible"
    when = f"at the time instant {first}" if first == last else f"in the time window from {first} to {last}"
    return f"Jobs {what} {when}"


def _period(choice: Choice, given: Given, cluster: Cluster) -> None:
    """Set the period: with states but no end, a start means that very instant."""
    now = cluster.now
    start, end = (_time(given.last(name), now) for name in ("starttime", "endtime"))
    choice.period_given = start is not None or end is not None
    choice.end = now if end is None else end
    if start is not None:
        choice.start = start
    elif choice.keys is None:
        choice.start = choice.end if choice.states else zone.midnight(now)
    if choice.start > choice.end:
        from slimsched.text.times import instant

        first, last = instant(choice.start), instant(choice.end)
        notes = (BEHIND,) if cluster.config.clock == "virtual" and choice.start > now else ()
        raise UserError(f"Start time ({first}) requested is after end time ({last}).", notes=notes)
    if end is None and start is not None and choice.states:
        choice.end = choice.start


def _time(text: str | None, now: int) -> int | None:
    if not text:  # an empty one counts as none
        return None
    try:
        return moment(text, now, past=True)
    except SyntaxFault as fault:
        raise UserError(fault.message, level="plain", notes=(mistyped.instant(text, past=True),)) from None


def _users(choice: Choice, given: Given, cluster: Cluster) -> None:
    """Choose by user: one's own jobs, unless one is root, names users or jobs, or wants all."""
    named = [word for text in given.all("uid") if text != ALL_USERS for word in words(text)]
    everybody = given.has("allusers") or given.last("uid") == ALL_USERS
    wanted: set[int] = set()
    for name in named:
        uid = users.known(cluster, name)
        if uid is None:
            raise UserError(f"Invalid user id: {name}", notes=strangers.notes(cluster, "user", [name]))
        wanted.add(uid)
    asker = users.invoking(cluster).uid
    if not (named or everybody or given.has("nodelist")) and asker and choice.keys is None:
        wanted.add(asker)
    if wanted and not everybody:
        choice.tests.append(lambda view: view.job.user_id in wanted)
    clusters = [word for text in given.all("clusters") for word in words(text)]
    if clusters and not {"all", cluster.config.get("ClusterName")} & set(clusters):
        choice.tests.append(lambda view: False)
    groups = {word for text in given.all("gid") for word in words(text)}
    for name in sorted(groups):
        if not users.is_group(cluster, name):
            raise UserError(f"Invalid group id: {name}")
    if groups:
        choice.tests.append(lambda view: bool(groups & {view.job.group_name, str(view.job.group_id)}))


def _among(texts: list[str], value: Callable[[AccountingRow], str]) -> Test:
    wanted = {word.lower() for text in texts for word in words(text)}
    return lambda view: value(AccountingRow(view)).lower() in wanted


def _any_of(texts: list[str], values: Callable[[AccountingRow], Iterable[str]]) -> Test:
    wanted = {word.lower() for text in texts for word in words(text)}
    return lambda view: not wanted.isdisjoint(values(AccountingRow(view)))


def _between(text: str, what: str, number: Callable[[AccountingRow], int]) -> Test:
    first, dash, last = text.partition("-")
    try:
        read = [count(part) for part in ((first, last) if dash else (first,))]
    except SyntaxFault:
        raise UserError(f'Invalid numeric value "{text}" for requested {what} range.') from None
    return lambda view: read[0] <= number(AccountingRow(view)) <= read[-1]


def _run(view: View) -> tuple[int, int]:
    """Return which part of a job's life a record tells of: it may have been started anew, or have lost nodes."""
    return view.job.restarts, view.job.resize_time


def _nodes(choice: Choice, given: Given) -> None:
    named = given.all("nodelist")
    if not named:
        return
    choice.remarks += [f"error: Already asked for nodes '{named[0]}'"] * (len(named) - 1)
    text = named[0]
    try:
        wanted = set(expand(text))
    except ValueError:
        raise UserError(f"Invalid node list: {text}") from None
    choice.tests.append(lambda view: not wanted.isdisjoint(expand(view.job.nodes)))


def _limits(choice: Choice, given: Given) -> None:
    """Choose by time limit: exactly ``--timelimit-min``, or from there to ``--timelimit-max``."""
    low, high = given.last("timelimit-min"), given.last("timelimit-max")
    try:
        first = minutes(low) if low is not None else None
        last = minutes(high) if high is not None else first
    except SyntaxFault:
        notes = (mistyped.limit(high or low or ""),)
        raise UserError("Invalid time limit specification", level="fatal", notes=notes) from None
    if 0 in (first, last):
        raise UserError("Invalid time limit specification", level="fatal")
    if first is not None and last is not None:
        choice.tests.append(lambda view: first <= view.limit <= last or (view.limit == INFINITE == last))
