"""The fields of a job that have a letter in ``squeue -o``; `long_fields` has the rest of ``squeue -O``.

One row says everything that the commands need to know of a fact: its letter, its names for ``-O``, its header, where
its value stands in the view of a job, whether it can be sorted by, its key in JSON, its column of ``sacct``, and its
line of ``scontrol show job`` if it has one of its own. Those outputs keep their order only (`facts`).
"""

from __future__ import annotations

import os
from operator import attrgetter

from slimsched.model.request import INFINITE
from slimsched.render.columns import Field
from slimsched.render.jobs.job_view import View
from slimsched.render.units import known, natural, null, stamp
from slimsched.slurm.states import JOB, PENDING
from slimsched.text.sizes import megabytes
from slimsched.text.times import YEAR, elapsed, limit

PRIORITY_SCALE = 0xFFFFFFFF
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


def first_host(nodes: str) -> tuple[bool, str, int]:
    """Return what a list of nodes sorts by: the letters and the number of its first node; none comes last."""
    from slimsched.text.hostlist import expand

    return (False, *min(map(natural, expand(nodes)))) if nodes else (True, "", 0)


def used_key(view: View) -> tuple[bool, int]:
    """Sort by the time used: a job that has just started has used more than one that waits."""
    return not view.job.pending, view.used


def host(view: View) -> str:
    """Return where its script runs, or where it was submitted if it has none."""
    return (view.batch_host if view.request.batch else view.job.alloc_node) or "n/a"


def priority_key(view: View) -> tuple[int, int]:
    """Sort by the partition's tier, where that is looked at, and by the job's priority."""
    return view.tier, view.job.priority


def asked_or_last(count: int | None) -> int:
    """Sort a count that is not asked for behind the others."""
    return INFINITE if count is None else count


def shape_key(view: View) -> tuple[int, ...]:
    """Sort by sockets, cores and threads."""
    return tuple(map(asked_or_last, view.shape))


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


def absent(text: str) -> str:
    """Return a text, ``N/A`` if there is none."""
    return text or "N/A"


def unset(text: str | None) -> str:
    """Return a text, ``(null)`` if it was never given; one that was emptied stays empty."""
    return "(null)" if text is None else text


def bit(value: object) -> str:
    """Return whether something holds as ``0`` or ``1``."""
    return "1" if value else "0"


def has_limit(view: View) -> bool:
    """Whether its time limit is a number."""
    return view.has_limit


at = Field.at


def when(letter: str, names: str, header: str, path: str, json: str, *, sorts: bool = False) -> Field:
    """Return the field of an instant, which is a number in JSON."""
    value = attrgetter(path)
    key = value if sorts else None
    return Field(letter, names, header, lambda v: stamp(value(v), v.now), key, path=path, json=f"{json} number")


def _shape(letter: str, names: str, header: str, name: str) -> Field:
    """Return the field of a count that each node must have."""
    path = f"request.{name}"
    value = attrgetter(path)
    text, key = (lambda v: star(value(v))), (lambda v: asked_or_last(value(v)))
    return Field(letter, names, header, text, key, path=path, json=f"{name} number")


def _amounts(unit: str = "") -> list[Field]:
    """Return the fields that are amounts of megabytes, shown in a unit; "": in the one that suits."""
    return [
        Field("m", "MinMemory", "MIN_MEMORY", lambda v: megabytes(v.min_memory[1], unit), lambda v: v.min_memory[1]),
        Field(
            "d",
            "MinTmpDisk",
            "MIN_TMP_DISK",
            lambda v: megabytes(v.disk, unit),
            lambda v: v.disk,
            path="disk",
            json="minimum_tmp_disk_per_node number",
        ),
    ]


def in_megabytes(field: Field | None) -> Field | None:
    """Return a field that shows its amount in megabytes (``--noconvert``); others as they are."""
    found = (amount for amount in _amounts("M") if field is not None and field.letter == amount.letter)
    return next(found, field)


FIELDS = (
    Field("i", "JobArrayId", "JOBID", job_name, lambda v: (v.array_id, _last(v.task)), whole=uncut_name),
    at("P", "Partition", "PARTITION", "partition", sorts=True, json="partition text", sacct="Partition 10"),
    at("j", "Name", "NAME", "request.name", sorts=True, json="name text"),
    at("u", "UserName", "USER", "job.user_name", sorts=True, json="user_name text", sacct="User 9"),
    Field("t", "StateCompact", "ST", lambda v: JOB[v.state].letters, lambda v: JOB[v.state].letters),
    at("T", "State", "STATE", "state", sorts=True),
    Field("M", "TimeUsed", "TIME", lambda v: span(v.used), used_key, whole=True, path="used"),
    at("l", "TimeLimit", "TIME_LIMIT", "limit", limited, sorts=True, whole=has_limit, json="time_limit number"),
    at("D", "NumNodes", "NODES", "node_count", str, sorts=True, json="node_count number"),
    at("R", "ReasonList", "NODELIST(REASON)", "where", whole=shows_nodes, wide=True),
    Field("Q", "PriorityLong", "PRIORITY", lambda v: str(v.job.priority), priority_key, path="job.priority",
          json="priority number", sacct="Priority 10 number"),
    Field("p", "Priority", "PRIORITY", lambda v: f"{v.job.priority / PRIORITY_SCALE:.14f}", priority_key),
    at("s", "SLUID", "SLUID", "sluid"),
    Field("S", "StartTime", "START_TIME", lambda v: stamp(v.job.start_time, v.now), start_key, path="job.start_time",
          json="start_time number"),
    Field("Y", "SchedNodes", "SCHEDNODES", planned_nodes, whole=True, wide=True, path="job.sched_nodes",
          json="scheduled_nodes text"),
    at("r", "Reason", "REASON", "reason"),
    Field("N", "NodeList", "NODELIST", lambda v: v.job.nodes, lambda v: first_host(v.job.nodes), True, True,
          path="job.nodes", json="nodes text"),
    at("A", "JobId", "JOBID", "job.job_id", str, json="job_id whole"),
    at("F", "ArrayJobId", "ARRAY_JOB_ID", "array_id", str),
    Field("K", "ArrayTaskId", "ARRAY_TASK_ID", lambda v: v.tasks or "N/A"),
    at("C", "NumCPUs", "CPUS", "cpu_count", str, sorts=True, json="cpus number"),
    at("c", "MinCPUs", "MIN_CPUS", "min_cpus", str, json="minimum_cpus_per_node number"),
    *_amounts(),
    Field("L", "TimeLeft", "TIME_LEFT", time_left, left_key, whole=has_limit),
    Field("e", "EndTime", "END_TIME", end, lambda v: v.end, path="end", json="end_time number"),
    when("V", "SubmitTime", "SUBMIT_TIME", "job.submit_time", "submit_time", sorts=True),
    at("a", "Account", "ACCOUNT", "request.account", null, json="account text"),
    at("q", "QOS", "QOS", "qos", known, json="qos text"),
    at("U", "UserId", "UID", "job.user_id", str, sorts=True, json="user_id whole", sacct="UID 6 number"),
    at("g", "GroupName", "GROUP", "job.group_name", sorts=True, json="group_name text", sacct="Group 9"),
    at("G", "GroupId", "GROUP", "job.group_id", str, sorts=True, json="group_id whole", sacct="GID 6 number"),
    at("k", "Comment", "COMMENT", "request.comment", unset, json="comment text", sacct="Comment 14 late"),
    at("o", "Command", "COMMAND", "request.command", null, json="command text"),
    at("Z", "WorkDir", "WORK_DIR", "request.work_dir", json="current_working_directory text", sacct="WorkDir 20"),
    Field("B", "BatchHost", "EXEC_HOST", host, lambda v: v.batch_host, path="batch_host", json="batch_host text"),
    at("n", "ReqNodes", "REQ_NODES", "required", whole=True, json="required_nodes text"),
    at("x", "ExcNodes", "EXC_NODES", "excluded", whole=True, json="excluded_nodes text"),
    at("f", "Feature", "FEATURES", "request.features", null, json="features text", sacct="Constraints 19"),
    at("b", "gres tres-per-node", "TRES_PER_NODE", "gres", absent, json="tres_per_node text", show="TresPerNode"),
    at("E", "Dependency", "DEPENDENCY", "job.dependency", null, json="dependency text"),
    Field("v", "Reservation", "RESERVATION", lambda v: null(v.request.reservation), lambda v: v.request.reservation,
          path="request.reservation", json="resv_name text", sacct="ReqReservation 20"),
    at("W", "Licenses", "LICENSES", "request.licenses", null, json="licenses text", sacct="Licenses 20"),
    at("w", "WCKey", "WCKEY", "request.wckey", null, json="wckey text", sacct="WCKey 10"),
    at("y", "Nice", "NICE", "request.nice", str, json="nice whole"),
    at("h", "OverSubscribe", "OVER_SUBSCRIBE", "over_subscribe", sacct="OverSubscribe 13"),
    at("O", "Contiguous", "CONTIGUOUS", "request.contiguous", bit, json="contiguous truth"),
    Field("X", "CoreSpec", "CORE_SPEC", core_spec, path="request.core_spec", json="core_spec whole"),
    Field("z", "SCT", "S:C:T", sct, shape_key),
    _shape("H", "Sockets", "SOCKETS_PER_NODE", "sockets_per_node"),
    _shape("I", "Cores", "CORES_PER_SOCKET", "cores_per_socket"),
    _shape("J", "Threads", "THREADS_PER_CORE", "threads_per_core"),
)  # fmt: skip
"""Fields with a letter, those of the usual formats first."""


def _last(task: int | None) -> int:
    """Sort a pending array behind its own tasks."""
    return INFINITE if task is None else task
