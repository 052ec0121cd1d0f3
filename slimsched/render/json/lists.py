"""Steps, licenses, the answer to ``ping`` and the topology in the shape of Slurm's data parser."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from slimsched.executor.file_names import NO_TASK
from slimsched.render.json.table import NOTHING, UNSET, WITHOUT_END, ZERO, Table, alike, constant
from slimsched.render.json.types import number, same, text, truth, whole
from slimsched.render.nodes.license_list import License

if TYPE_CHECKING:
    from slimsched.render.jobs.step_list import RunningStep

STEP: Table[RunningStep] = Table(
    ("array/job_id", whole, lambda step: step.job.array_job_id),
    ("array/task_id", whole, lambda step: NO_TASK if step.view.task is None else step.view.task),
    ("cluster", text, lambda step: step.view.cluster_name),
    ("container", text, NOTHING),
    ("container_id", text, NOTHING),
    *alike(number, UNSET, "cpu/frequency/min cpu/frequency/max cpu/frequency/governor"),
    ("tres/per/cpu", text, NOTHING),
    ("tres/per/memory", text, NOTHING),
    ("name", text, lambda step: step.title),
    ("network", text, NOTHING),
    ("nodes", text, lambda step: step.nodes),
    ("number_cpus", whole, lambda step: step.cpus),
    ("number_tasks", whole, lambda step: step.tasks),
    ("partition", text, lambda step: step.view.partition),
    ("reserved_ports", text, NOTHING),
    ("time/running", number, lambda step: step.used),
    ("runtime", text, NOTHING),
    ("srun/host", text, lambda step: step.view.batch_host if step.run else ""),
    ("srun/pid", whole, ZERO),
    ("time/start", number, lambda step: step.start_time),
    ("state", same, lambda step: [step.job.state]),
    ("sluid", text, lambda step: step.view.sluid),
    ("id", text, lambda step: step.name),
    *alike(text, NOTHING, "stderr stdin stdout stdin_expanded stdout_expanded stderr_expanded submit_line"),
    ("task/distribution", text, lambda step: step.layout or "Unknown"),
    ("time/limit", number, WITHOUT_END),
    ("tres/allocation", text, lambda step: step.tres),
    *alike(text, NOTHING, "tres/binding tres/frequency tres/per/step tres/per/node tres/per/socket tres/per/task"),
    ("user", text, lambda step: step.job.user_name),
)
LICENSE: Table[License] = Table(
    ("LicenseName", text, lambda item: item.name),
    ("Total", whole, lambda item: item.total),
    ("Used", whole, lambda item: item.used),
    ("Free", whole, lambda item: item.free),
    ("Remote", truth, lambda item: item.remote is not None),
    ("Reserved", whole, lambda item: item.reserved),
    ("LastConsumed", whole, lambda item: item.remote.consumed if item.remote else 0),
    ("LastDeficit", whole, lambda item: item.deficit),
    ("LastUpdate", whole, lambda item: item.remote.changed if item.remote else 0),
    ("Nodes", text, NOTHING),
)
PING: Table[tuple[str, bool]] = Table(
    ("hostname", text, lambda host: host[0]),
    ("responding", truth, constant(True)),
    ("latency", whole, ZERO),
    ("primary", truth, lambda host: host[1]),
    ("status", text, constant("No error")),
)


def steps(found: Iterable[RunningStep], now: int) -> dict[str, Any]:
    """Return the steps of running jobs."""
    return {"steps": STEP.every(found), "last_update": number(now)}


def licenses(found: Iterable[License], now: int) -> dict[str, Any]:
    """Return the licenses with how many are in use."""
    return {"licenses": LICENSE.every(found), "last_update": number(now)}


def pings(hosts: list[str]) -> dict[str, Any]:
    """Return that the controllers answer, the primary one first."""
    return {"pings": [PING.of((host, not place)) for place, host in enumerate(hosts)]}
