"""The default cluster, and clusters described by a few values (`sim init`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from slimsched.errors import UserError
from slimsched.model.config import Config, NodeConf, PartitionConf
from slimsched.state import config_check, fields, slurm_differences, slurm_keys

_NODES = {"NodeName": "node[01-03]", "RealMemory": "64000"}
_SHAPE = {"CPUs": "12", "Sockets": "2", "CoresPerSocket": "6"}  # of the nodes of the Slurm document's example
_SLURM = {
    "ClusterName": "cluster",
    "SchedulerType": "sched/backfill",
    "SchedulerParameters": "extra_constraints",  # off in Slurm; on here, because users come to try them
    "SelectType": "select/cons_tres",
    "SelectTypeParameters": "CR_CPU_Memory",
    "DefMemPerCPU": "100",  # small: with memory consumable, a job without --mem would otherwise take the whole node
}


def cluster() -> Config:
    """Return the default configuration."""
    return described({}, ())


def described(node: Mapping[str, str], partitions: Sequence[str]) -> Config:
    """Return a configuration of equal nodes; ``node`` has keys of their line, and each partition has all of them.

    A wrong value is a `UserError` that names the key.
    """
    if (name := node.get("NodeName", "")).isdigit():
        raise UserError(f"nodes have names, and {name} is a number: write node[1-{name}] for {name} nodes")
    shape = {} if _SHAPE.keys() & node.keys() or "ThreadsPerCore" in node else _SHAPE
    try:
        line: NodeConf = fields.build(NodeConf, {**_NODES, **shape, **node})
    except ValueError as fault:
        raise UserError(fields.shorten(str(fault))) from None
    parts = [
        PartitionConf(partition_name=name, nodes=line.node_name, default=number == 0)
        for number, name in enumerate(partitions or ("debug",))
    ]
    return Config(slurm=dict(_SLURM), nodes=[line], partitions=parts)


KEPT = (
    *("clock", "clock_start", "clock_timezone", "clock_step", "executor", "pace", "slurm_version"),
    *("runtime", "slow_start", "slow_end", "node_boot", "complex_semantics", "usage"),
)
"""What ``cluster.toml`` knows and ``slurm.conf`` does not."""


def inherit(config: Config, old: Config) -> None:
    """Keep what a file that is read again does not say."""
    for name in KEPT:
        setattr(config, name, getattr(old, name))


def adjust(config: Config, settings: Sequence[str], own: Mapping[str, str | None]) -> None:
    """Set keys of slurm.conf (``KEY=VALUE``), and attributes of ``config`` that ``own`` has values for.

    Raises `UserError` if something is wrong afterwards.
    """
    for setting in settings:
        key, equals, value = setting.partition("=")
        name = slurm_keys.KNOWN.get(key.strip().lower())
        if not equals or name is None:
            guess = slurm_differences.guess(key.strip(), slurm_keys.KNOWN.values())
            raise UserError(f"--set {setting}: {f'no such key{guess}' if equals else 'should be KEY=VALUE'}")
        config.slurm[name] = value.strip()
    for attribute, chosen in own.items():
        if chosen is not None:
            setattr(config, attribute, chosen)
    for problem, repair in config_check.problems(config):
        raise UserError(fields.shorten(_by_option(problem)), notes=(repair,) if repair else ())


_OPTIONS = {"[[nodes]]": "--nodes", "[[partitions]]": "--partition"}


def _by_option(problem: str) -> str:
    """Return a fault of a table with the option that made the table."""
    table, _, rest = problem.partition(" ")
    name, _, fault = rest.partition(" (")[2].partition("): ")
    return f"{_OPTIONS[table]} {name}: {fault}" if table in _OPTIONS and fault else problem
