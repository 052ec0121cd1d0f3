"""The fields of a job: those with a letter in ``squeue -o``; the rest of ``squeue -O`` is in `job_fields_long`.

The same table serves sorting (``squeue -S``): a field with a key can be sorted by.
"""

from __future__ import annotations

from collections.abc import Sequence

from slimsched.model.job import COMPACT
from slimsched.model.request import INFINITE
from slimsched.render.columns import Field, Table
from slimsched.render.job_view import View
from slimsched.render.units import null, stamp
from slimsched.text.sizes import megabytes
from slimsched.text.times import elapsed, limit

PRIORITY_SCALE = 0xFFFFFFFF


def start_key(view: View) -> tuple[int, int]:
    """Sort by start; jobs without one come last, in the order of the controller's list."""
    start = view.job.start_time
    return (start, 0) if start else (INFINITE, view.rank)


def time_left(view: View) -> str:
    """Return the time until the limit."""
    return "UNLIMITED" if view.limit == INFINITE else elapsed(view.left)


def over_subscribe(view: View) -> str:
    """Return whether it shares its nodes."""
    return "YES" if view.request.oversubscribe else "NO"


def core_spec(view: View) -> str:
    """Return the cores, or threads, that it leaves to the system."""
    if view.request.thread_spec is not None:
        return f"{view.request.thread_spec} Threads"
    return "N/A" if view.request.core_spec is None else str(view.request.core_spec)


def star(value: int | None) -> str:
    """Return a count that was not asked for as ``*``."""
    return "*" if value is None else str(value)


def sct(view: View) -> str:
    """Return sockets, cores and threads that are asked for."""
    return ":".join(star(n) for n in view.shape)


FIELDS = (
    Field("i", "JobArrayId", "JOBID", lambda v: v.name, lambda v: (v.array_id, _last(v.task), v.job.job_id)),
    Field("P", "Partition", "PARTITION", lambda v: v.partition, lambda v: v.partition),
    Field("j", "Name", "NAME", lambda v: v.request.name, lambda v: v.request.name),
    Field("u", "UserName", "USER", lambda v: v.job.user_name, lambda v: v.job.user_name),
    Field("t", "StateCompact", "ST", lambda v: COMPACT[v.state], lambda v: COMPACT[v.state]),
    Field("T", "State", "STATE", lambda v: v.state, lambda v: v.state),
    Field("M", "TimeUsed", "TIME", lambda v: elapsed(v.used), lambda v: v.used, whole=True),
    Field("l", "TimeLimit", "TIME_LIMIT", lambda v: limit(v.limit), lambda v: v.limit, whole=True),
    Field("D", "NumNodes", "NODES", lambda v: str(v.node_count), lambda v: v.node_count),
    Field("R", "ReasonList", "NODELIST(REASON)", lambda v: v.where, lambda v: v.where),
    Field("Q", "PriorityLong", "PRIORITY", lambda v: str(v.job.priority), lambda v: v.job.priority),
    Field("p", "Priority", "PRIORITY", lambda v: f"{v.job.priority / PRIORITY_SCALE:.14f}", lambda v: v.job.priority),
    Field("S", "StartTime", "START_TIME", lambda v: stamp(v.job.start_time, v.now), start_key),
    Field("Y", "SchedNodes", "SCHEDNODES", lambda v: null("" if v.job.array_tasks else v.job.sched_nodes)),
    Field("r", "Reason", "REASON", lambda v: v.reason, lambda v: v.reason),
    Field("N", "NodeList", "NODELIST", lambda v: v.job.nodes, lambda v: v.job.nodes),
    Field("A", "JobId", "JOBID", lambda v: str(v.job.job_id), lambda v: v.job.job_id),
    Field("F", "ArrayJobId", "ARRAY_JOB_ID", lambda v: str(v.array_id)),
    Field("K", "ArrayTaskId", "ARRAY_TASK_ID", lambda v: v.tasks or "N/A"),
    Field("C", "NumCPUs", "CPUS", lambda v: str(v.cpu_count), lambda v: v.cpu_count),
    Field("c", "MinCPUs", "MIN_CPUS", lambda v: str(v.min_cpus), lambda v: v.min_cpus),
    Field("m", "MinMemory", "MIN_MEMORY", lambda v: megabytes(v.min_memory[1]), lambda v: v.min_memory[1]),
    Field("d", "MinTmpDisk", "MIN_TMP_DISK", lambda v: megabytes(v.disk), lambda v: v.disk),
    Field("L", "TimeLeft", "TIME_LEFT", time_left, lambda v: v.left, whole=True),
    Field("e", "EndTime", "END_TIME", lambda v: stamp(v.end, v.now), lambda v: v.end),
    Field("V", "SubmitTime", "SUBMIT_TIME", lambda v: stamp(v.job.submit_time, v.now), lambda v: v.job.submit_time),
    Field("a", "Account", "ACCOUNT", lambda v: null(v.request.account)),
    Field("q", "QOS", "QOS", lambda v: null(v.request.qos)),
    Field("U", "UserId", "UID", lambda v: str(v.job.user_id), lambda v: v.job.user_id),
    Field("g", "GroupName", "GROUP", lambda v: v.job.group_name, lambda v: v.job.group_name),
    Field("G", "GroupId", "GROUP", lambda v: str(v.job.group_id), lambda v: v.job.group_id),
    Field("k", "Comment", "COMMENT", lambda v: null(v.request.comment)),
    Field("o", "Command", "COMMAND", lambda v: null(v.request.command)),
    Field("Z", "WorkDir", "WORK_DIR", lambda v: v.request.work_dir),
    Field("B", "BatchHost", "EXEC_HOST", lambda v: v.batch_host or "n/a", lambda v: v.batch_host),
    Field("n", "ReqNodes", "REQ_NODES", lambda v: v.required),
    Field("x", "ExcNodes", "EXC_NODES", lambda v: v.excluded),
    Field("f", "Feature", "FEATURES", lambda v: null(v.request.features)),
    Field("b", "gres tres-per-node", "TRES_PER_NODE", lambda v: v.gres or "N/A"),
    Field("E", "Dependency", "DEPENDENCY", lambda v: null(v.job.dependency)),
    Field("v", "Reservation", "RESERVATION", lambda v: null(v.request.reservation), lambda v: v.request.reservation),
    Field("W", "Licenses", "LICENSES", lambda v: null(v.request.licenses)),
    Field("w", "WCKey", "WCKEY", lambda v: null(v.request.wckey)),
    Field("y", "Nice", "NICE", lambda v: str(v.request.nice), lambda v: v.request.nice),
    Field("h", "OverSubscribe", "OVER_SUBSCRIBE", over_subscribe),
    Field("O", "Contiguous", "CONTIGUOUS", lambda v: str(int(v.request.contiguous))),
    Field("X", "CoreSpec", "CORE_SPEC", core_spec),
    Field("z", "SCT", "S:C:T", sct),
    Field("H", "Sockets", "SOCKETS_PER_NODE", lambda v: star(v.shape[0]), lambda v: v.shape[0] or 0),
    Field("I", "Cores", "CORES_PER_SOCKET", lambda v: star(v.shape[1]), lambda v: v.shape[1] or 0),
    Field("J", "Threads", "THREADS_PER_CORE", lambda v: star(v.shape[2]), lambda v: v.shape[2] or 0),
)  # fmt: skip
"""Fields with a letter, those of the usual formats first."""


def _last(task: int | None) -> int:
    """Sort a pending array behind its own tasks."""
    return INFINITE if task is None else task


def _more() -> Sequence[Field]:
    from slimsched.render.job_fields_long import FIELDS

    return FIELDS


JOBS = Table(FIELDS, _more)
