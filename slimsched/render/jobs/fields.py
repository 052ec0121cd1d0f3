"""The fields of a job that have a letter in ``squeue -o``; `long_fields` has the rest of ``squeue -O``.

The same table serves sorting (``squeue -S``): a field with a key can be sorted by.
"""

from __future__ import annotations

import os

from slimsched.model.request import INFINITE
from slimsched.render.columns import Field
from slimsched.render.jobs.job_view import View
from slimsched.render.units import natural, null, stamp
from slimsched.slurm.states import JOB, PENDING
from slimsched.text.sizes import megabytes
from slimsched.text.times import elapsed, limit

PRIORITY_SCALE = 0xFFFFFFFF
YEAR = 365 * 86400  # seconds; longer spans are not written out
UNSORTED = "bcfhnO"
"""Letters that ``squeue -S`` takes and that change nothing."""


def span(seconds: int) -> str:
    """Return a span of time, which must not be longer than a year."""
    return elapsed(seconds) if seconds <= YEAR else "INVALID"


def limited(minutes: int) -> str:
    """Return a time limit."""
    return limit(minutes) if minutes * 60 <= YEAR else "UNLIMITED" if minutes == INFINITE else "INVALID"


def start_key(view: View) -> tuple[int, int]:
    """Sort by start, a waiting job not before now; those without one come last, in the controller's order."""
    start = view.job.start_time
    if not start:
        return INFINITE, view.rank
    return (max(start, view.now) if view.job.state == PENDING else start), 0


def time_left(view: View) -> str:
    """Return the time until the limit."""
    return span(view.left) if view.has_limit else "UNLIMITED"


def left_key(view: View) -> int:
    """Return the seconds until the limit."""
    return view.left if view.has_limit else INFINITE


def end(view: View) -> str:
    """Return when it ended or will; a job without a limit has no such time."""
    if not view.has_limit and not view.job.finished and view.end > view.now:
        return "NONE"
    return stamp(view.end, view.now)


def job_name(view: View) -> str:
    """Return the job id as users write it."""
    if view.task is not None or not view.job.array_tasks:
        return view.name
    from slimsched.render.jobs import array_tasks

    return array_tasks.name(view.array_id, view.tasks)


def uncut_name(_view: View) -> bool:
    """Whether a list of tasks is as long as the user wants it."""
    return "SLURM_BITSTR_LEN" in os.environ


def first_host(nodes: str) -> tuple[str, int]:
    """Return what a list of nodes sorts by: the letters and the number of its first node."""
    from slimsched.text.hostlist import expand

    return min(map(natural, expand(nodes))) if nodes else ("", -1)


def host(view: View) -> str:
    """Return where its script runs, or where it was submitted if it has none."""
    return (view.batch_host if view.request.batch else view.job.alloc_node) or "n/a"


def priority_key(view: View) -> tuple[int, int]:
    """Sort by the partition's tier, where that is looked at, and by the job's priority."""
    return view.tier, view.job.priority


def shape_key(view: View) -> tuple[int, ...]:
    """Sort sockets, cores and threads that are not asked for behind the others."""
    return tuple(INFINITE if n is None else n for n in view.shape)


def core_spec(view: View) -> str:
    """Return the cores, or threads, that it leaves to the system."""
    if view.request.thread_spec is not None:
        return f"{view.request.thread_spec} Threads"
    return "N/A" if view.request.core_spec is None else str(view.request.core_spec)


def star(value: int | None) -> str:
    """Return a count that was not asked for as ``*``."""
    return "*" if value is None else str(value)


def shows_nodes(view: View) -> bool:
    """Whether its nodes are shown, not its reason."""
    return not JOB[view.job.state].shows_reason


def planned_nodes(view: View) -> str:
    """Return the nodes that backfill keeps for it; tasks of an array have none yet."""
    return null("" if view.job.array_tasks else view.job.sched_nodes)


def sct(view: View) -> str:
    """Return sockets, cores and threads that are asked for."""
    return ":".join(star(n) for n in view.shape)


def _amounts(unit: str = "") -> list[Field]:
    """Return the fields that are amounts of megabytes, shown in a unit; "": in the one that suits."""
    return [
        Field("m", "MinMemory", "MIN_MEMORY", lambda v: megabytes(v.min_memory[1], unit), lambda v: v.min_memory[1]),
        Field("d", "MinTmpDisk", "MIN_TMP_DISK", lambda v: megabytes(v.disk, unit), lambda v: v.disk),
    ]


def in_megabytes(field: Field | None) -> Field | None:
    """Return a field that shows its amount in megabytes (``--noconvert``); others as they are."""
    found = (amount for amount in _amounts("M") if field is not None and field.letter == amount.letter)
    return next(found, field)


FIELDS = (
    Field("i", "JobArrayId", "JOBID", job_name, lambda v: (v.array_id, _last(v.task)), whole=uncut_name),
    Field("P", "Partition", "PARTITION", lambda v: v.partition, lambda v: v.partition),
    Field("j", "Name", "NAME", lambda v: v.request.name, lambda v: v.request.name),
    Field("u", "UserName", "USER", lambda v: v.job.user_name, lambda v: v.job.user_name),
    Field("t", "StateCompact", "ST", lambda v: JOB[v.state].letters, lambda v: JOB[v.state].letters),
    Field("T", "State", "STATE", lambda v: v.state, lambda v: v.state),
    Field("M", "TimeUsed", "TIME", lambda v: span(v.used), lambda v: v.used, whole=True),
    Field("l", "TimeLimit", "TIME_LIMIT", lambda v: limited(v.limit), lambda v: v.limit, whole=lambda v: v.has_limit),
    Field("D", "NumNodes", "NODES", lambda v: str(v.node_count), lambda v: v.node_count),
    Field("R", "ReasonList", "NODELIST(REASON)", lambda v: v.where, whole=shows_nodes, wide=True),
    Field("Q", "PriorityLong", "PRIORITY", lambda v: str(v.job.priority), priority_key),
    Field("p", "Priority", "PRIORITY", lambda v: f"{v.job.priority / PRIORITY_SCALE:.14f}", priority_key),
    Field("s", "SLUID", "SLUID", lambda v: v.sluid),
    Field("S", "StartTime", "START_TIME", lambda v: stamp(v.job.start_time, v.now), start_key),
    Field("Y", "SchedNodes", "SCHEDNODES", planned_nodes, whole=True, wide=True),
    Field("r", "Reason", "REASON", lambda v: v.reason),
    Field("N", "NodeList", "NODELIST", lambda v: v.job.nodes, lambda v: first_host(v.job.nodes), True, True),
    Field("A", "JobId", "JOBID", lambda v: str(v.job.job_id)),
    Field("F", "ArrayJobId", "ARRAY_JOB_ID", lambda v: str(v.array_id)),
    Field("K", "ArrayTaskId", "ARRAY_TASK_ID", lambda v: v.tasks or "N/A"),
    Field("C", "NumCPUs", "CPUS", lambda v: str(v.cpu_count), lambda v: v.cpu_count),
    Field("c", "MinCPUs", "MIN_CPUS", lambda v: str(v.min_cpus)),
    *_amounts(),
    Field("L", "TimeLeft", "TIME_LEFT", time_left, left_key, whole=lambda v: v.has_limit),
    Field("e", "EndTime", "END_TIME", end, lambda v: v.end),
    Field("V", "SubmitTime", "SUBMIT_TIME", lambda v: stamp(v.job.submit_time, v.now), lambda v: v.job.submit_time),
    Field("a", "Account", "ACCOUNT", lambda v: null(v.request.account)),
    Field("q", "QOS", "QOS", lambda v: null(v.request.qos)),
    Field("U", "UserId", "UID", lambda v: str(v.job.user_id), lambda v: v.job.user_id),
    Field("g", "GroupName", "GROUP", lambda v: v.job.group_name, lambda v: v.job.group_name),
    Field("G", "GroupId", "GROUP", lambda v: str(v.job.group_id), lambda v: v.job.group_id),
    Field("k", "Comment", "COMMENT", lambda v: null(v.request.comment)),
    Field("o", "Command", "COMMAND", lambda v: null(v.request.command)),
    Field("Z", "WorkDir", "WORK_DIR", lambda v: v.request.work_dir),
    Field("B", "BatchHost", "EXEC_HOST", host, lambda v: v.batch_host),
    Field("n", "ReqNodes", "REQ_NODES", lambda v: v.required, whole=True),
    Field("x", "ExcNodes", "EXC_NODES", lambda v: v.excluded, whole=True),
    Field("f", "Feature", "FEATURES", lambda v: null(v.request.features)),
    Field("b", "gres tres-per-node", "TRES_PER_NODE", lambda v: v.gres or "N/A"),
    Field("E", "Dependency", "DEPENDENCY", lambda v: null(v.job.dependency)),
    Field("v", "Reservation", "RESERVATION", lambda v: null(v.request.reservation), lambda v: v.request.reservation),
    Field("W", "Licenses", "LICENSES", lambda v: null(v.request.licenses)),
    Field("w", "WCKey", "WCKEY", lambda v: null(v.request.wckey)),
    Field("y", "Nice", "NICE", lambda v: str(v.request.nice)),
    Field("h", "OverSubscribe", "OVER_SUBSCRIBE", lambda v: v.over_subscribe),
    Field("O", "Contiguous", "CONTIGUOUS", lambda v: str(int(v.request.contiguous))),
    Field("X", "CoreSpec", "CORE_SPEC", core_spec),
    Field("z", "SCT", "S:C:T", sct, shape_key),
    Field("H", "Sockets", "SOCKETS_PER_NODE", lambda v: star(v.shape[0]), lambda v: shape_key(v)[0]),
    Field("I", "Cores", "CORES_PER_SOCKET", lambda v: star(v.shape[1]), lambda v: shape_key(v)[1]),
    Field("J", "Threads", "THREADS_PER_CORE", lambda v: star(v.shape[2]), lambda v: shape_key(v)[2]),
)  # fmt: skip
"""Fields with a letter, those of the usual formats first."""


def _last(task: int | None) -> int:
    """Sort a pending array behind its own tasks."""
    return INFINITE if task is None else task
