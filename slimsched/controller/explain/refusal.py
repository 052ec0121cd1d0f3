"""Notes on a refused submission: what was wrong in it, what there is instead, and what would be right.

Slurm's error says which kind of thing is wrong; a line of `REASONS` says for each such error what to add.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.accounts import assoc_limits
from slimsched.controller.explain import limit_words, partition_hurdles, pending, unknown_names
from slimsched.controller.explain.answer import NodeReason
from slimsched.controller.explain.refused import Refused
from slimsched.controller.explain.steps import left_after
from slimsched.controller.requests import partition_limits
from slimsched.controller.submit import check
from slimsched.controller.submit.normalise import normalise
from slimsched.errors import SlurmError
from slimsched.model import bitmap
from slimsched.slurm.errno import Errno, ErrorCode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from slimsched.controller.core import Controller
    from slimsched.controller.explain.changes import Case
    from slimsched.controller.requests.users import User
    from slimsched.errors import UserError
    from slimsched.model.request import JobRequest

_SHOWN = 3  # groups of nodes whose reasons are told


def notes(ctl: Controller, requests: Sequence[JobRequest], user: User, error: UserError) -> tuple[str, ...]:
    """Return our notes on a refusal, none if Slurm's words say all."""
    code = error.errno if isinstance(error, SlurmError) else _BY_TEXT.get(error.message)
    reason = REASONS.get(code) if code is not None else None
    if reason is None:
        return ()
    found = [text for one in requests for text in reason(Refused(ctl, normalise(ctl.cluster, one, user), user))]
    return tuple(dict.fromkeys(found))


# what a partition demands


def _closed(case: Refused) -> Iterator[str]:
    for part in case.partitions():
        if part.state in partition_limits.CLOSED:
            name = part.partition_name
            yield f"partition {name} is {part.state}; sim scontrol update partitionname={name} state=up opens it"


def _denied(case: Refused) -> Iterator[str]:
    for part in case.partitions():
        if part.root_only and case.user.uid:
            yield f"partition {part.partition_name} is for root only (RootOnly=YES)"
        elif part.disable_root_jobs and not case.user.uid:
            yield f"partition {part.partition_name} takes no jobs of root (DisableRootJobs=YES)"
        elif part.req_resv and not case.request.reservation:
            yield f"partition {part.partition_name} takes jobs in a reservation only (ReqResv=YES): --reservation=NAME"


def _limits(case: Refused) -> Iterator[str]:
    """Yield the values that a partition's limits compare."""
    if (case.request.min_nodes, case.request.max_nodes) == (0, None):
        yield "a job has at least one node"
        return
    job = case.job()
    for part in case.partitions():
        for limit in partition_limits.LIMITS:
            if limit.broken(case.cluster, job.request, part):
                yield partition_hurdles.limit(case.ctl, job, part, limit.reason).text


def _times(case: Refused) -> Iterator[str]:
    if case.request.deadline:
        yield "it could not end by its deadline, even if it began at once: ask for less time (--time, --time-min)"
    yield from _limits(case)


def _group(case: Refused) -> Iterator[str]:
    for part in case.partitions():
        if not partition_limits.lets_in_group(part, case.user.uid, case.user.group):
            groups = f"AllowGroups={part.allow_groups}"
            yield f"partition {part.partition_name} has {groups}; user {case.user.name} is in {case.user.group}"


def _policy(case: Refused) -> Iterator[str]:
    """Yield the limit of the association or the QOS with its figures."""
    breach = assoc_limits.refused(case.cluster, case.request, case.partitions(), case.user)
    if breach is not None:
        yield limit_words.told(breach)
        yield f"to raise it: {limit_words.command(breach)}"


def _too_long(case: Refused) -> Iterator[str]:
    for name, most in (*((name, check.MAX_STRING) for name in check.SHORT_TEXTS), *check.LONG_TEXTS.items()):
        count = len(str(getattr(case.request, name) or "").encode("utf-8", "surrogateescape"))
        if count > most:
            yield f"{name.replace('_', ' ')} has {count} bytes, at most {most} are allowed"


# nodes that are not there


def _nodes(case: Refused) -> Iterator[str]:
    """Yield for each partition the first step that left too few nodes, and what these nodes have instead."""
    job = case.job()
    for part in case.partitions():
        yield from _short(pending.case_of(case.ctl, job, part))


def _short(case: Case) -> Iterator[str]:
    lasting = [step for step in case.steps if step.lasting]
    wanted = case.wanted.min_nodes
    for count, step in enumerate(lasting):
        left = left_after(lasting[: count + 1])
        missing = case.wanted.required & ~left
        if left.bit_count() >= wanted and not missing:
            continue
        before = left_after(lasting[:count]) if count else bitmap.full(len(case.ctl.cluster.nodes))
        number = left.bit_count()
        need = str(wanted) if number < wanted else case.ctl.cluster.hostlist_of(missing)
        asked = PHRASES.get(step.name, "satisfying --{0}={1}").format(step.name, step.asked)
        there = "no set of nodes" if step.name == "size" else f"{number or 'no'} node{'s' * (number > 1)}"
        yield f"{there} {asked}; wanted: {need}"
        case.steps = [step]
        every = [each for each in pending.node_reasons(case) if case.ctl.cluster.bitmap_of(each.nodes) & before]
        yield from _told(every)
        return


def _told(reasons: list[NodeReason]) -> Iterator[str]:
    for item in reasons[:_SHOWN]:
        yield f"{item.nodes}: {item.reason}"
    more = sum(item.count for item in reasons[_SHOWN:])
    if more:
        yield f"and {more} more; sim explain --submit with the same options tells of all"


PHRASES = {
    "partition": "in partition {1}",
    "hardware": "with {1}",
    "size": "with {1}",
    "own reservation": "in reservation {1}",
}
"""Step -> what nodes that pass it are; every other step is an option."""

REASONS: dict[ErrorCode, Callable[[Refused], Iterator[str]]] = {
    Errno.INVALID_PARTITION_NAME: unknown_names.partitions,
    Errno.DEFAULT_PARTITION_NOT_SET: unknown_names.default_partition,
    Errno.PARTITION_NOT_AVAIL: _closed,
    Errno.ACCESS_DENIED: _denied,
    Errno.JOB_MISSING_REQUIRED_PARTITION_GROUP: _group,
    Errno.INVALID_NODE_NAME: unknown_names.nodes,
    Errno.INVALID_GRES: unknown_names.gres,
    Errno.INVALID_LICENSES: unknown_names.licenses,
    Errno.INVALID_ACCOUNT: unknown_names.account,
    Errno.INVALID_QOS: unknown_names.qos,
    Errno.INVALID_WCKEY: unknown_names.wckey,
    Errno.DEPENDENCY: unknown_names.dependency_fault,
    Errno.INVALID_ARRAY: unknown_names.array,
    Errno.RESERVATION_INVALID: unknown_names.reservation,
    Errno.RESERVATION_ACCESS: unknown_names.reservation_users,
    Errno.INVALID_NODE_COUNT: _limits,
    Errno.INVALID_TIME_LIMIT: _times,
    Errno.TOO_MANY_REQUESTED_CPUS: _limits,
    Errno.INVALID_TASK_MEMORY: _limits,
    Errno.ACCOUNTING_POLICY: _policy,
    Errno.REQUESTED_NODE_CONFIG_UNAVAILABLE: _nodes,
    Errno.PATHNAME_TOO_LONG: _too_long,
}
"""Slurm's error -> the notes that explain it."""

_BY_TEXT: dict[str, ErrorCode] = {Errno.INVALID_GRES.text: Errno.INVALID_GRES}
"""Errors that the client gives by itself -> the same error of slurmctld."""
