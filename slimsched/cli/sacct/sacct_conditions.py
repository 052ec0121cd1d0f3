"""The command line of ``sacct``: which jobs its options ask for.

Source: src/sacct/options.c, and recorded answers of Slurm 26.11.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from slimsched.cli.listing import words
from slimsched.cli.sacct.choice import Choice, Key, Test
from slimsched.controller.requests import strangers, users
from slimsched.errors import SyntaxFault, UserError
from slimsched.model.account import NORMAL, Book
from slimsched.render.jobs.sacct_rows import FLAGS, AccountingRow
from slimsched.slurm import job_ids, kinds, states
from slimsched.text import mistyped, zone
from slimsched.text.hostlist import expand
from slimsched.text.moments import moment
from slimsched.text.sizes import count
from slimsched.text.times import INFINITE, instant, minutes

if TYPE_CHECKING:
    from slimsched.cli.program import Given
    from slimsched.model.cluster import Cluster

BEHIND = "the cluster's clock is virtual; to begin it at the current time: sim init --force --start now"
ALL_USERS = "-1"
"""A ``--uid`` that means everybody."""

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


def choice_of(given: Given, cluster: Cluster) -> Choice:
    """Return the choice that the command line makes; raises `UserError` in ``sacct``'s words."""
    choice = Choice()
    whole = given.last("whole-hetjob")
    choice.whole = kinds.yes_no(whole, whole=True) if whole else True if given.has("whole-hetjob") else None
    choice.each_task, choice.duplicates = given.has("array"), given.has("duplicates")
    if any(given.all("jobs")):
        choice.keys = [_key(word) for text in given.all("jobs") for word in words(text)]
    choice.states = frozenset(_state(*each) for each in _listed(given.all("state")))
    _reasons(choice, given)
    _flags(choice, given)
    _period(choice, given, cluster)
    _users(choice, given, cluster)
    _qos(given, cluster)
    for option, value in LISTS.items():
        if given.has(option):
            choice.tests.append(_among(given.all(option), value))
    for option, (what, number) in RANGES.items():
        if given.has(option):
            choice.tests.append(_between(given.last(option) or "", what, number))
    _features(choice, given)
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


def _unrecognized(what: str, word: str, named: str, known: Iterable[str]) -> UserError:
    from slimsched.text import alike

    notes = alike.hint(what, word, known)
    return UserError(f"unrecognized job {what} value {named}", level="fatal", notes=notes)


def _state(word: str, named: str) -> str:
    state = states.job_state(word)
    if state is None:
        raise _unrecognized("state", word, named, states.JOB)
    if not states.accounted(state):
        raise UserError(f"job state {word} is not supported / accounted", level="fatal")
    return state


def _reasons(choice: Choice, given: Given) -> None:
    wanted = list(_listed(given.all("reason")))
    if not wanted:
        return
    from slimsched.slurm import limits, reasons

    known = {word.lower(): word for word in (*reasons.BY_WORD, *reasons.NEVER_GIVEN, *limits.reason_words())}
    for word, named in wanted:
        if word.lower() not in known:
            raise _unrecognized("reason", word, named, known.values())
    lowered = {word.lower() for word, _ in wanted}
    choice.tests.append(lambda view: view.job.reason.lower() in lowered)


def _flags(choice: Choice, given: Given) -> None:
    """Choose by flags, which may stand within a word. Source: `str_2_job_flags` of src/common/slurmdb_defs.c."""
    text = given.last("flags")
    if text is None:
        return
    wanted = set()
    for word in words(text):
        flag = next((flag for flag in FLAGS if flag.lower() in word.lower()), None)
        if flag is None:
            raise UserError(f"str_2_job_flags: Invalid job flag {word}")
        wanted.add(flag)
    choice.tests.append(lambda view: not wanted.isdisjoint(AccountingRow(view).flags))


def _features(choice: Choice, given: Given) -> None:
    if given.has("constraints"):
        wanted = {word.lower() for text in given.all("constraints") for word in words(text)}
        asked = re.compile("[&|,*()]").split
        choice.tests.append(lambda view: not wanted.isdisjoint(asked(view.request.features.lower())))


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


def _between(text: str, what: str, number: Callable[[AccountingRow], int]) -> Test:
    first, dash, last = text.partition("-")
    try:
        read = [count(part) for part in ((first, last) if dash else (first,))]
    except SyntaxFault:
        raise UserError(f'Invalid numeric value "{text}" for requested {what} range.') from None
    return lambda view: read[0] <= number(AccountingRow(view)) <= read[-1]


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
