"""Steps, licenses and the answer to ``ping`` in the shape of Slurm's data parser."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from slimsched.render.json_text import number
from slimsched.render.license_list import License
from slimsched.render.step_list import name

if TYPE_CHECKING:
    from slimsched.render.job_view import View


def steps(views: Iterable[View]) -> dict[str, Any]:
    """Return the batch steps of running jobs."""
    return {"steps": [_step(view) for view in views]}


def _step(view: View) -> dict[str, Any]:
    job = view.job
    return {
        "array": {"job_id": job.array_job_id, "task_id": number(view.task)},
        "id": {"sluid": view.sluid, "job_id": number(job.job_id), "step_het_component": number(None),
               "step_id": "batch"},
        "name": "batch",
        "network": "",
        "nodes": {"count": 1, "range": view.batch_host, "list": [view.batch_host]},
        "number_tasks": number(1),
        "partition": view.partition,
        "run_time": number(max(0, view.now - job.start_time)),
        "start_time": number(job.start_time),
        "state": [view.state],
        "step": name(view),
        "time_limit": number(None, infinite=True),
        "user_id": job.user_id,
    }  # fmt: skip


def licenses(found: Iterable[License], now: int) -> dict[str, Any]:
    """Return the licenses with how many are in use."""
    return {
        "licenses": [
            {
                "LicenseName": item.name,
                "Total": item.total,
                "Used": item.used,
                "Free": item.total - item.used,
                "Remote": False,
                "Reserved": item.reserved,
                "LastConsumed": 0,
                "LastDeficit": 0,
                "LastUpdate": number(0),
            }
            for item in found
        ],
        "last_update": number(now),
    }


def pings(host: str) -> dict[str, Any]:
    """Return that the one controller answers."""
    return {
        "pings": [
            {"hostname": host, "pinged": "UP", "responding": True, "latency": 0, "mode": "primary", "primary": True}
        ]
    }
