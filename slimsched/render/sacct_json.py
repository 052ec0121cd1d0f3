"""Jobs as ``sacct --json`` gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slimsched.model.request import INFINITE
from slimsched.render.files import expand, pattern
from slimsched.render.json_text import exit_code, number
from slimsched.render.sacct_rows import AMOUNTS, Row, rows
from slimsched.text.hostlist import expand as names

if TYPE_CHECKING:
    from slimsched.render.job_view import View

FLAGS = {
    "SchedMain": "STARTED_ON_SCHEDULE",
    "SchedBackfill": "STARTED_ON_BACKFILL",
    "SchedSubmit": "STARTED_ON_SUBMIT",
    "StartReceived": "START_RECEIVED",
}
CPU_TIMES = {kind: {"seconds": 0, "microseconds": 0} for kind in ("system", "total", "user")}
ENERGY = [{"type": "energy", "name": "", "id": AMOUNTS["energy"], "count": 0}]


def body(views: list[View]) -> dict[str, Any]:
    """Return the jobs with their steps."""
    steps: dict[View, list[Row]] = {}
    for row in rows(views, steps=True):
        if row.step:
            steps.setdefault(row.view, []).append(row)
    return {"jobs": [job(row, steps.get(row.view, [])) for row in rows(views, steps=False)]}


def job(row: Row, steps: list[Row]) -> dict[str, Any]:
    """Return one job, with every key that Slurm's answer has."""
    parts = (_identity(row), _outcome(row), _request(row), _streams(row))
    return {key: value for part in parts for key, value in part.items()} | {"steps": [_step(step) for step in steps]}


def _identity(row: Row) -> dict[str, Any]:
    view, asked, record = row.view, row.asked, row.job
    cluster = view.cluster.config.get("ClusterName")
    return {
        "account": row.account,
        "comment": {
            "administrator": asked.admin_comment or "",
            "job": asked.comment or "",
            "system": asked.recorded.get("system-comment", ""),
        },
        "allocation_nodes": row.node_count if record.nodes else 0,
        "array": {
            "job_id": record.array_job_id,
            "limits": {"max": {"running": {"tasks": record.array_max_tasks}}},
            "task_id": number(view.task),
            "task": view.tasks if record.array_tasks and view.task is None else "",
        },
        "association": {"account": "", "cluster": cluster, "partition": "", "user": "", "id": row.association},
        "block": "",
        "cluster": cluster,
        "constraints": asked.features,
        "container": asked.recorded.get("container", ""),
        "sluid": view.sluid,
    }


def _outcome(row: Row) -> dict[str, Any]:
    _, code, signal = row.outcome
    limit = row.view.limit
    return {
        "derived_exit_code": exit_code(row.derived),
        "time": {
            "elapsed": row.elapsed,
            "eligible": row.job.eligible_time,
            "end": row.end,
            "planned": number(row.planned),
            "start": row.start,
            "submission": row.job.submit_time,
            "suspended": row.suspended,
            **CPU_TIMES,
            "limit": number(limit, infinite=limit == INFINITE),
        },
        "exclusive": row.asked.exclusive or "NO",
        "exit_code": exit_code(code, signal),
        "state": {"current": [row.outcome[0]], "reason": row.reason},
        "kill_request_user": "" if row.job.requid is None else str(row.job.requid),
        "restart_cnt": row.job.restarts,
        "flags": [FLAGS[flag] for flag in row.flags],
    }


def _request(row: Row) -> dict[str, Any]:
    asked, record = row.asked, row.job
    kind, memory = row.view.min_memory
    return {
        "extra": asked.extra or "",
        "failed_node": "",
        "group": record.group_name,
        "het": {"job_id": 0, "job_offset": number(None)},
        "job_id": record.job_id,
        "name": asked.name,
        "licenses": asked.licenses,
        "mcs": {"label": asked.mcs_label},
        "nodes": row.nodes,
        "oversubscribe": "YES" if asked.oversubscribe else "NO",
        "partition": row.view.partition,
        "hold": record.held,
        "priority": number(record.priority),
        "qos": row.qos,
        "qosreq": asked.qos,
        "required": {
            "CPUs": row.view.requested_cpus,
            "memory_per_cpu": number(memory if kind == "CPU" else None),
            "memory_per_node": number(memory if kind == "Node" else None),
        },
        "reservation": {"id": 0, "name": record.resv_name, "requested": asked.reservation},
        "script": "",
        "segment_size": 0,
        "original_sluid": row.view.sluid,
        "submit_line": asked.submit_line,
        "tres": {"allocated": _amounts(row, allocated=True), "requested": _amounts(row, allocated=False)},
        "used_gres": "",
        "user": record.user_name,
        "wckey": {"wckey": asked.wckey, "flags": []},
        "working_directory": asked.work_dir,
    }


def _streams(row: Row) -> dict[str, str]:
    found = {}
    for stream, name in (("input", "stdin"), ("output", "stdout"), ("error", "stderr")):
        text = pattern(row.view, stream)
        found[name] = text
        found[f"{name}_expanded"] = _full(row, expand(text, row.view)) if text else ""
    return found


def _full(row: Row, name: str) -> str:
    import posixpath

    return posixpath.join(row.asked.work_dir, name)


def _amounts(row: Row, *, allocated: bool) -> list[dict[str, Any]]:
    amounts = row.amounts(allocated=allocated)
    return [
        {"type": kind, "name": "", "id": known, "count": amounts[kind]}
        for kind, known in AMOUNTS.items()
        if kind in amounts
    ]


def _step(step: Row) -> dict[str, Any]:
    state, code, signal = step.outcome
    used = {"max": [], "min": [], "average": ENERGY, "total": ENERGY}
    return {
        "time": {
            "elapsed": step.elapsed,
            "end": number(step.end),
            "start": number(step.start),
            "suspended": step.suspended,
            **CPU_TIMES,
            "limit": number(None, infinite=True),
        },
        "exit_code": exit_code(code, signal),
        "nodes": {"count": step.node_count, "range": step.nodes, "list": names(step.nodes)},
        "tasks": {"count": step.tasks},
        "CPU": {"requested_frequency": {"min": number(0), "max": number(0)}, "governor": "0"},
        "kill_request_user": "",
        "state": [state],
        "statistics": {"CPU": {"actual_frequency": 0}, "energy": {"consumed": number(0)}},
        "step": {
            "id": step.name,
            "name": step.title,
            **dict.fromkeys(("stderr", "stdin", "stdout", "stderr_expanded", "stdin_expanded", "stdout_expanded"), ""),
        },
        "submit_line": "",
        "task": {"distribution": "Unknown"},
        "tres": {"requested": used, "consumed": used, "allocated": _amounts(step, allocated=True)},
    }
