"""A job step as ``scontrol show step`` prints it, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.render.show_layout import record
from slimsched.render.units import null, stamp
from slimsched.text.times import limit

if TYPE_CHECKING:
    from slimsched.render.jobs.step_list import RunningStep


def text(step: RunningStep, *, oneliner: bool = False) -> str:
    """Return the record of a step that runs."""
    view = step.view
    layout = f" Dist={step.layout}" if step.layout else ""
    lines = [
        f"StepId={step.name} UserId={step.job.user_id} StartTime={stamp(step.start_time, view.now)}"
        f" TimeLimit={limit(step.time_limit, full=True)}",
        f"State={view.state} Partition={view.partition} NodeList={step.nodes}",
        f"Nodes={step.node_count} CPUs={step.cpus} Tasks={step.tasks} Name={step.title} Network=(null)",
        f"TRES={null(step.tres)}",
        "ResvPorts=(null)",
        f"CPUFreqReq=Default{layout}",
        "SrunHost:Pid=(null):0" if step.run is None else f"SrunHost:Pid={view.batch_host}:0",
    ]
    return record(lines, oneliner=oneliner)
