"""A job step as ``scontrol show step`` prints it, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.render.records import record
from slimsched.render.step_list import name
from slimsched.render.units import stamp

if TYPE_CHECKING:
    from slimsched.render.job_view import View


def text(view: View, *, oneliner: bool = False) -> str:
    """Return the record of a job's batch step."""
    lines = [
        f"StepId={name(view)} UserId={view.job.user_id} StartTime={stamp(view.job.start_time, view.now)}"
        " TimeLimit=UNLIMITED",
        f"State={view.state} Partition={view.partition} NodeList={view.batch_host}",
        "Nodes=1 CPUs=0 Tasks=1 Name=batch Network=(null)",
        "TRES=(null)",
        "ResvPorts=(null)",
        "CPUFreqReq=Default",
        "SrunHost:Pid=(null):0",
    ]
    return record(lines, oneliner=oneliner)
