"""The checks of a whole configuration: choices, numbers, and names that refer to each other."""

from __future__ import annotations

from collections.abc import Iterator

from slimsched.model.config import Config
from slimsched.slurm import states
from slimsched.state import clock, scheduler_names, slurm_keys
from slimsched.text import hostlist, times

_CHOICES = {
    "clock": ("virtual", "wall"),
    "executor": ("simulated", "local"),
    "pace": ("fast", "slurm"),
    "complex_semantics": ("8.1", "6.0"),
    "slurm_version": ("26.11", "24.11", "22.05"),
}
_PARTITION_STATES = {"UP", "DOWN", "DRAIN", "INACTIVE"}
_ENDLESS = {"UNLIMITED", "INFINITE"}
LIVE_CLOCK = 'set mode = "wall" under [clock], or executor = "simulated"'
_Problems = Iterator[tuple[str, str]]


def problems(config: Config) -> _Problems:
    """Yield each fault: its place, the fault, and the remedy ("" for the usual one)."""
    yield from _settings(config)
    for key in sorted(slurm_keys.WHOLE.intersection(config.slurm)):
        value = config.slurm[key]
        if not (value.isascii() and value.isdigit()) and not (key[3:6] == "Mem" and value.upper() in _ENDLESS):
            yield f"[slurm] {key}: should be a whole number, not {value!r}", ""
    if fatal := scheduler_names.removed(config):
        yield f"[slurm] SchedulerParameters: {fatal}", ""
    nodes: set[str] = set()
    yield from _nodes(config, nodes)
    yield from _node_sets(config, nodes)
    yield from _partitions(config, {*nodes, *(each.node_set for each in config.node_sets)})
    for number, switch in enumerate(config.switches, 1):
        yield from _names(f"[[switches]] {number} ({switch.switch_name}): Nodes", switch.nodes, nodes)


def _settings(config: Config) -> _Problems:
    for attribute, choices in _CHOICES.items():
        value = getattr(config, attribute)
        if value not in choices:
            where = "[clock] mode" if attribute == "clock" else attribute
            yield f"{where}: should be {' or '.join(choices)}, not {value!r}", ""
    if config.executor == "local" and config.clock == "virtual":
        yield "executor: jobs that really run need the system's clock, not a virtual one", LIVE_CLOCK
    try:
        clock.use_zone(config)
    except ValueError as fault:
        yield f"[clock] timezone: {fault}", 'write "UTC", "local" or a name such as "Europe/Paris"'
    if config.clock_start != clock.NOW and clock.parse(config.clock_start) is None:
        yield f"[clock] start: {config.clock_start!r} is not a date and time", 'write it as "2026-01-01T00:00:00"'
    if config.clock_step and not _duration(config.clock_step):
        yield f"[clock] step: should be a duration, not {config.clock_step!r}", 'write it as "10s"'
    elif config.clock_step and config.clock == "wall":
        yield "[clock] step: the system's clock moves by itself", 'leave it out, or set mode = "virtual" under [clock]'
    if config.runtime not in ("sleep", "limit") and not _duration(config.runtime):
        yield f"[simulation] runtime: should be sleep, limit or a duration, not {config.runtime!r}", ""
    for name in ("slow_start", "slow_end", "node_boot"):
        if getattr(config, name) and not _duration(getattr(config, name)):
            yield f"[simulation] {name}: should be a duration, not {getattr(config, name)!r}", 'write it as "10s"'


def _duration(text: str) -> bool:
    try:
        times.duration(text)
    except ValueError:
        return False
    return True


def _nodes(config: Config, nodes: set[str]) -> _Problems:
    """Check the node lines and collect the names of the nodes."""
    if not config.nodes and not config.number("MaxNodeCount"):
        yield "there are no nodes", "describe at least one under [[nodes]]"
    for number, line in enumerate(config.nodes, 1):
        where = f"[[nodes]] {number} ({line.node_name})"
        if line.state.partition("+")[0] not in states.CONFIGURED:
            yield f"{where}: State: no such state: {line.state!r}", f"one of {', '.join(sorted(states.CONFIGURED))}"
        if 0 in (line.cpus, line.boards, line.sockets, line.cores_per_socket, line.threads_per_core):
            yield f"{where}: a node has at least one CPU", ""
        try:
            names = hostlist.expand(line.node_name)
        except ValueError as fault:
            yield f"{where}: NodeName: {fault}", ""
            continue
        for name in names:
            if name in nodes:
                yield f"{where}: node {name} is described twice", ""
            nodes.add(name)
        if not names:
            yield f"{where}: NodeName names no node", ""


def _node_sets(config: Config, nodes: set[str]) -> _Problems:
    for number, each in enumerate(config.node_sets, 1):
        where = f"[[node_sets]] {number} ({each.node_set})"
        if each.node_set in nodes:
            yield f"{where}: a node has the same name", ""
        if not each.nodes and not each.feature:
            yield f"{where}: neither Nodes nor Feature is given", ""
        if each.nodes.upper() != "ALL":
            yield from _names(f"{where}: Nodes", each.nodes, nodes)


def _partitions(config: Config, nodes: set[str]) -> _Problems:
    seen: set[str] = set()
    for number, line in enumerate(config.partitions, 1):
        where = f"[[partitions]] {number} ({line.partition_name})"
        if not line.partition_name or set(line.partition_name) & set(" ,\t\n"):
            yield f"{where}: PartitionName is not a name", ""
        if line.partition_name in seen:
            yield f"{where}: described twice", ""
        seen.add(line.partition_name)
        if line.state not in _PARTITION_STATES:
            yield f"{where}: State: no such state: {line.state!r}", f"one of {', '.join(sorted(_PARTITION_STATES))}"
        if line.nodes.upper() != "ALL":
            yield from _names(f"{where}: Nodes", line.nodes, nodes)


def _names(where: str, text: str, nodes: set[str]) -> _Problems:
    try:
        unknown = [name for name in hostlist.expand(text) if name not in nodes]
    except ValueError as fault:
        yield f"{where}: {fault}", ""
        return
    if unknown:
        yield f"{where}: no such node: {unknown[0]}", ""
