"""Jobs with their steps as ``sacct --json`` gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from slimsched.executor.file_names import pattern
from slimsched.model.account import NORMAL
from slimsched.model.resources import BUILTIN, counted
from slimsched.render.jobs.file_names import path
from slimsched.render.jobs.sacct_rows import AccountingRow, rows
from slimsched.render.json import job_parts as parts
from slimsched.render.json.table import NONE, NOTHING, WITHOUT_END, ZERO, Table, alike, constant
from slimsched.render.json.types import exits, number, same, text, truth, whole, words
from slimsched.text.hostlist import expand as names

if TYPE_CHECKING:
    from slimsched.render.jobs.job_view import View

FLAGS = {
    "SchedMain": "STARTED_ON_SCHEDULE",
    "SchedBackfill": "STARTED_ON_BACKFILL",
    "SchedSubmit": "STARTED_ON_SUBMIT",
    "StartReceived": "START_RECEIVED",
}
ENERGY = [{"type": "energy", "name": "", "id": BUILTIN.index("energy") + 1, "count": 0}]
_energy = constant(ENERGY)


class JobRow:
    """A job's row with those of its steps."""

    def __init__(self, row: AccountingRow, steps: list[AccountingRow]) -> None:
        self.row, self.steps = row, steps
        self.view, self.asked, self.job = row.view, row.asked, row.job


Get = Callable[[JobRow], Any]


def _of_view(get: Callable[[View], Any]) -> Get:
    return lambda job: get(job.view)


def _file(stream: str) -> Get:
    return lambda job: path(job.view, stream)


def _stream(stream: str) -> Get:
    return lambda job: pattern(job.view.job, stream)


def _amounts(row: AccountingRow, *, allocated: bool) -> list[dict[str, Any]]:
    amounts, numbers = row.amounts(allocated=allocated), counted(row.view.cluster.config)
    named = ((name, name.partition("/")) for name in numbers if name in amounts)
    return [{"type": kind, "name": own, "id": numbers[name], "count": amounts[name]} for name, (kind, _, own) in named]


def _outcome(row: AccountingRow) -> tuple[int, int]:
    return row.outcome[1:]


STEP: Table[AccountingRow] = Table(
    ("time/elapsed", whole, lambda step: step.elapsed),
    ("time/end", number, lambda step: step.end),
    ("exit_code", exits, _outcome),
    ("nodes/count", whole, lambda step: step.node_count),
    ("nodes/range", text, lambda step: step.nodes),
    ("tasks/count", whole, lambda step: step.tasks),
    ("CPU/requested_frequency/min", number, ZERO),
    ("CPU/requested_frequency/max", number, ZERO),
    ("CPU/governor", text, constant("0")),
    ("kill_request_user", text, NOTHING),
    ("time/start", number, lambda step: step.start),
    ("state", words, lambda step: step.outcome[0]),
    ("statistics/CPU/actual_frequency", whole, ZERO),
    ("statistics/energy/consumed", number, ZERO),
    ("step/id", text, lambda step: step.name),
    ("step/name", text, lambda step: step.title),
    *alike(text, NOTHING, "step/stderr step/stdin step/stdout step/stderr_expanded"),
    *alike(text, NOTHING, "step/stdin_expanded step/stdout_expanded submit_line"),
    ("time/suspended", whole, lambda step: step.suspended),
    ("time/system/seconds", whole, ZERO),
    ("time/system/microseconds", whole, ZERO),
    ("task/distribution", text, constant("Unknown")),
    ("time/limit", number, WITHOUT_END),
    *alike(whole, ZERO, "time/total/seconds time/total/microseconds time/user/seconds time/user/microseconds"),
    ("nodes/list", names, lambda step: step.nodes),
    *alike(same, NONE, "tres/requested/max tres/requested/min tres/consumed/max tres/consumed/min"),
    *alike(same, _energy, "tres/requested/average tres/requested/total tres/consumed/average tres/consumed/total"),
    ("tres/allocated", same, lambda step: _amounts(step, allocated=True)),
)
JOB: Table[JobRow] = Table(
    ("account", text, lambda job: job.row.account),
    ("comment/administrator", text, lambda job: job.asked.admin_comment),
    ("allocation_nodes", whole, lambda job: job.row.node_count if job.job.nodes else 0),
    ("array/job_id", whole, lambda job: job.job.array_job_id),
    ("array/limits/max/running/tasks", whole, lambda job: job.job.array_max_tasks),
    ("array/task_id", number, lambda job: job.view.task),
    ("array/task", text, lambda job: job.view.pending_tasks),
    ("association/account", text, NOTHING),
    ("association/cluster", text, lambda job: job.view.cluster_name),
    ("association/partition", text, NOTHING),
    ("association/user", text, NOTHING),
    ("association/id", whole, lambda job: job.row.association),
    ("block", text, NOTHING),
    ("cluster", text, lambda job: job.view.cluster_name),
    ("constraints", text, lambda job: job.asked.features),
    ("container", text, _of_view(parts.recorded("container"))),
    ("sluid", text, lambda job: job.view.sluid),
    ("derived_exit_code", exits, lambda job: job.row.derived),
    ("comment/job", text, lambda job: job.asked.comment),
    ("time/elapsed", whole, lambda job: job.row.elapsed),
    ("time/eligible", whole, lambda job: job.job.eligible_time),
    ("time/end", whole, lambda job: job.row.end),
    ("exclusive", text, lambda job: job.view.exclusive),
    ("exit_code", exits, lambda job: _outcome(job.row)),
    ("extra", text, lambda job: job.asked.extra),
    ("failed_node", text, lambda job: job.view.job.failed_node),
    ("flags", same, lambda job: [FLAGS[flag] for flag in job.row.flags]),
    ("group", text, lambda job: job.job.group_name),
    ("het/job_id", whole, lambda job: job.job.het_job_id),
    ("het/job_offset", number, lambda job: job.job.het_job_offset if job.job.het_job_id else None),
    ("job_id", whole, lambda job: job.job.job_id),
    ("name", text, lambda job: job.asked.name),
    ("licenses", text, lambda job: job.asked.licenses),
    ("mcs/label", text, lambda job: job.asked.mcs_label),
    ("nodes", text, lambda job: job.row.nodes),
    ("oversubscribe", text, lambda job: job.view.over_subscribe),
    ("partition", text, lambda job: job.view.partition),
    ("hold", truth, lambda job: job.job.held),
    ("priority", number, lambda job: job.job.priority),
    ("qos", text, lambda job: job.row.qos),
    ("qosreq", text, lambda job: job.asked.qos if job.asked.qos != NORMAL else ""),
    ("required/CPUs", whole, lambda job: job.view.requested_cpus),
    ("required/memory_per_cpu", number, lambda job: job.asked.mem_per_cpu),
    ("required/memory_per_node", number, lambda job: job.view.memory_per_node),
    ("kill_request_user", text, lambda job: _killer(job.job.requid)),
    ("restart_cnt", whole, lambda job: job.job.restarts),
    ("reservation/id", whole, ZERO),
    ("reservation/name", text, lambda job: job.job.resv_name),
    ("reservation/requested", text, lambda job: job.asked.reservation),
    ("time/planned", number, lambda job: job.row.planned),
    ("script", text, NOTHING),
    ("segment_size", whole, ZERO),
    ("original_sluid", text, lambda job: job.view.sluid),
    ("stdin_expanded", text, _file("input")),
    ("stdout_expanded", text, _file("output")),
    ("stderr_expanded", text, _file("error")),
    ("stdout", text, _stream("output")),
    ("stderr", text, _stream("error")),
    ("stdin", text, _stream("input")),
    ("time/start", whole, lambda job: job.row.start),
    ("state/current", words, lambda job: job.row.outcome[0]),
    ("state/reason", text, lambda job: job.row.reason),
    ("steps", STEP.every, lambda job: job.steps),
    ("time/submission", whole, lambda job: job.job.submit_time),
    ("submit_line", text, lambda job: job.asked.submit_line),
    ("time/suspended", whole, lambda job: job.row.suspended),
    ("comment/system", text, _of_view(parts.recorded("system-comment"))),
    ("time/system/seconds", whole, ZERO),
    ("time/system/microseconds", whole, ZERO),
    ("time/limit", number, lambda job: job.view.limit),
    ("time/total/seconds", whole, ZERO),
    ("time/total/microseconds", whole, ZERO),
    ("tres/allocated", same, lambda job: _amounts(job.row, allocated=True)),
    ("tres/requested", same, lambda job: _amounts(job.row, allocated=False)),
    ("used_gres", text, NOTHING),
    ("user", text, lambda job: job.job.user_name),
    ("time/user/seconds", whole, ZERO),
    ("time/user/microseconds", whole, ZERO),
    ("wckey/wckey", text, lambda job: job.asked.wckey),
    ("wckey/flags", same, NONE),
    ("working_directory", text, lambda job: job.asked.work_dir),
)


def _killer(user_id: int | None) -> str:
    """Return the name of the user who ended a job."""
    if user_id is None:
        return ""
    import pwd

    try:
        return pwd.getpwuid(user_id).pw_name
    except KeyError:
        return str(user_id)


def body(views: list[View]) -> dict[str, Any]:
    """Return the jobs with their steps."""
    steps: dict[View, list[AccountingRow]] = {}
    for row in rows(views, steps=True):
        if row.step:
            steps.setdefault(row.view, []).append(row)
    return {"jobs": JOB.every(JobRow(row, steps.get(row.view, [])) for row in rows(views, steps=False))}
