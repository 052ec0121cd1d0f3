"""The text of ``cluster.toml``: slimsched's layout and comments around values that tomli_w writes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import tomli_w

from slimsched.model.config import Config
from slimsched.state import fields

_HEAD = """\
# The cluster that slimsched imitates. Edit this file freely: the next command reads it, `sim doctor` checks it.
# Keys under [slurm], [[nodes]], [[partitions]] and [[switches]] are those of slurm.conf and topology.conf.
# After a change of slurm.conf, `sim init --from slurm.conf --merge` reads it again and keeps the jobs.

# How jobs are executed. "simulated": no process runs; [simulation] says when a job ends. "local": they run, here.
"""
_CLOCK = """\
# "virtual": only `sim advance`, `sim wait` and commands that block move time. "wall": the system's clock.
"""
_START = """\
# Where a new virtual clock begins: a date and time, or "now".
"""
_TIMEZONE = """\
# The time zone of all times that are read and shown. Without one: UTC by a virtual clock, else that of the machine.
"""
_STEP = """\
# Each of Slurm's commands first moves the virtual clock by this much. Use it for programs that poll until a job ends.
"""
_SIMULATION = """\
# How long a job without --sim-runtime runs: "sleep" (the sum of the sleep commands in its script), "limit" (its
# time limit), or a duration such as "10m".
"""
_SLOW = """\
# How long jobs are CONFIGURING before they run, and COMPLETING after they ran, as on a slow cluster.
"""
_BOOT = """\
# How long nodes that were powered down take to come up. Without it, as long as their ResumeTimeout allows.
"""
_COMPLEXES = """\
# The version of Grid Engine whose rules complex attributes follow: "8.1" or "6.0".
"""
_PACE = """\
# "fast": a job that can start has started when sbatch returns, limits act when they are reached, a requeued job starts
# a second later. "slurm": all as slowly as in Slurm, whose scheduling passes come every few seconds.
"""
_VERSION = """\
# The version of Slurm that clients see, in --version, JSON and the messages in output files: "22.05", "24.11", "26.11".
"""
_SLURM = """\
# Global keys of slurm.conf. "extra_constraints" in SchedulerParameters lets --extra choose nodes. It is off in Slurm;
# `sim init` turns it on unless --from names a file. Without DefMemPerCPU, a job that requests no memory is given all
# the memory of its nodes, and no other job fits beside it.
"""
_NODES = """\
# One table for each hostlist. Further keys, with their defaults: Boards=1, TmpDisk=0 (MB), Features, Gres
# ("gpu:2"), Weight=1, State=UNKNOWN (IDLE, DOWN, DRAIN, FAIL, FUTURE, CLOUD), Reason, Extra (JSON), Comment.
"""
_PARTITIONS = """\
# One table for each partition. Further keys, with their defaults: Default=NO, MaxTime=UNLIMITED, DefaultTime,
# MinNodes=0, MaxNodes=UNLIMITED, State=UP (DOWN, DRAIN, INACTIVE), PriorityTier=1, PriorityJobFactor=1,
# OverSubscribe=NO, Hidden=NO, AllowGroups=ALL, AllowAccounts=ALL, DefMemPerCPU, DefMemPerNode.
"""
_SOURCE = """\
# The slurm.conf that this was read from. `scontrol reconfigure` reads it again, and if it says something new that takes
# the place of [slurm] and of what follows. Remove this table to edit these parts here.
"""
_NODE_SETS = """\
# Names that partitions may use in Nodes, for some nodes (Nodes) and for all nodes with a feature (Feature).
"""
_LISTS = {"nodes": _NODES, "node_sets": _NODE_SETS, "partitions": _PARTITIONS, "switches": ""}
_ALWAYS = frozenset(
    {"cpus", "sockets", "cores_per_socket", "threads_per_core", "real_memory", "nodes", "default", "state"}
)
_TABLES = {
    "usage": "# Past usage of each user or account, for the fair-share factor.\n",
    "other": "# Keys of the imported slurm.conf that Slurm's manual does not name. They are kept but not used.\n",
}


def text(config: Config) -> str:
    """Return ``config`` as a commented ``cluster.toml``."""
    top = _HEAD + _values({"executor": config.executor})
    if config.live or config.pace != "fast":
        top += "\n" + _PACE + _values({"pace": config.pace})
    if config.slurm_version != "26.11":
        top += "\n" + _VERSION + _values({"slurm_version": config.slurm_version})
    if config.complex_semantics != "8.1":
        top += "\n" + _COMPLEXES + _values({"complex_semantics": config.complex_semantics})
    clock = _CLOCK + _values({"mode": config.clock}) + _START + _values({"start": config.clock_start})
    if config.clock_timezone:
        clock += _TIMEZONE + _values({"timezone": config.clock_timezone})
    if config.clock_step:
        clock += _STEP + _values({"step": config.clock_step})
    simulation = _SIMULATION + _values({"runtime": config.runtime})
    slow = {name: value for name in ("slow_start", "slow_end") if (value := getattr(config, name))}
    if slow:
        simulation += _SLOW + _values(slow)
    if config.node_boot:
        simulation += _BOOT + _values({"node_boot": config.node_boot})
    parts = [
        top,
        f"[clock]\n{clock}",
        f"[simulation]\n{simulation}",
        f"[slurm]\n{_SLURM}{_values(config.slurm)}",
    ]
    if config.source:
        parts.append(f"[source]\n{_SOURCE}{_values({'file': config.source, 'checksum': config.source_checksum})}")
    for name, comment in _LISTS.items():
        lines = [f"[[{name}]]\n{_line(name, line)}" for line in getattr(config, name)]
        parts += [comment + lines[0], *lines[1:]] if lines else []
    for name, comment in _TABLES.items():
        if getattr(config, name):
            parts.append(f"{comment}[{name}]\n{_values(getattr(config, name))}")
    return "\n".join(parts)


def _line(name: str, line: Any) -> str:
    shown = _values(fields.show(line, always=_ALWAYS))
    other = getattr(line, "other", None)
    return f"{shown}\n[{name}.Other]\n{_values(other)}" if other else shown


def _values(values: Mapping[str, Any]) -> str:
    return tomli_w.dumps(values)
