"""The package of tests/data/outside, installed: on the path, with its entry points."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

HOME = Path(__file__).parent.parent / "data" / "outside"

TOML = """
[slurm]
SelectType = "select/outside"
SchedulerType = "sched/builtin"
SchedulerParameters = "permit_job_expansion"
[[nodes]]
NodeName = "n[1-4]"
CPUs = 4
RealMemory = 1000
[[partitions]]
PartitionName = "debug"
Nodes = "ALL"
Default = true
"""


def install(monkeypatch):
    """Put the package on the path; return its module, which knows of no call yet."""
    monkeypatch.syspath_prepend(str(HOME))
    importlib.invalidate_caches()
    for name in [name for name in sys.modules if name.partition(".")[0] == "slimsched_outside"]:
        monkeypatch.delitem(sys.modules, name)
    return importlib.import_module("slimsched_outside.whole")
