"""The files beside a ``slurm.conf``: ``gres.conf``, ``topology.conf`` and ``cgroup.conf``.

A fault is a `UserError` with file and line, in the file's own words.
Source: gres.conf(5), topology.conf(5), cgroup.conf(5).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from slimsched.errors import UserError
from slimsched.model.config import Config, NodeConf, SwitchConf
from slimsched.state import fields, node_lines, slurm_lines
from slimsched.text import hostlist
from slimsched.text.sizes import is_number

_GRES = "AutoDetect Cores Count CPUs File Flags Links MultipleFiles Name NodeName Type UniqueId"
_GRES_USED = {"NodeName", "Name", "Type", "Count", "File", "AutoDetect", "Flags"}
_CGROUP = """
AllowedDevicesFile AllowedKmemSpace AllowedRAMSpace AllowedSwapSpace CgroupAutomount CgroupMountpoint CgroupPlugin
CgroupReleaseAgentDir ConstrainCores ConstrainDevices ConstrainKmemSpace ConstrainRAMSpace ConstrainSwapSpace
EnableControllers EnableExtraControllers IgnoreSystemd IgnoreSystemdOnFailure MaxKmemPercent MaxRAMPercent
MaxSwapPercent MemorySwappiness MinKmemSpace MinRAMSpace SignalChildrenProcesses SystemdTimeout TaskAffinity
"""
_BLOCKS = "BlockName Nodes BlockSizes"
_SWITCHES = "SwitchName Nodes Switches LinkSpeed"
_Types = dict[str, dict[str, dict[str, int]]]  # node -> gres -> type -> count


def gres(config: Config, path: str, unused: set[str], notes: list[str]) -> None:
    """Give types to the generic resources that ``slurm.conf`` counts without one."""
    everyone = [name for line in config.nodes for name in hostlist.expand(line.node_name)]
    known = set(everyone)
    known_gres = {name.strip() for name in config.get("GresTypes").split(",")}
    types: _Types = {}
    for line in slurm_lines.read(path):
        values = slurm_lines.values(line, _GRES)
        unused.update(f"{key} (gres.conf)" for key in values if key not in _GRES_USED)
        names = slurm_lines.names(line.where, "NodeName", values["NodeName"]) if "NodeName" in values else everyone
        _note_strangers(line.where, names, known, notes)
        if not {"Name", "AutoDetect"} & values.keys():
            raise UserError(f"{line.where}: Name is missing")
        if values.get("Name", "") not in {*known_gres, ""}:
            notes.append(f"{line.where}: Name={values['Name']} is not among GresTypes, and is ignored")
            continue
        kind, count = values.get("Type", ""), _count(line, values)
        for name in names if kind and "Name" in values else ():
            counts = types.setdefault(name, {}).setdefault(values["Name"], {})
            counts[kind] = counts.get(kind, 0) + count
    changes = {
        name: {"gres": typed}
        for node in config.nodes
        for name in hostlist.expand(node.node_name)
        if name in types and (typed := _typed(node, types[name])) != node.gres
    }
    config.nodes = node_lines.alter(config.nodes, changes)


def _typed(node: NodeConf, types: dict[str, dict[str, int]]) -> str:
    """Return a node's Gres text, untyped entries spelled out where the types add up to the same count."""
    entries = []
    for entry in node.gres.split(",") if node.gres else []:
        name, _, count = entry.partition(":")
        found = types.get(name, {})
        same = str(sum(found.values())) == (count or "1")
        entries += [f"{name}:{kind}:{number}" for kind, number in found.items()] if found and same else [entry]
    return ",".join(entries)


def _count(line: slurm_lines.ConfLine, values: dict[str, str]) -> int:
    """Return how many a line describes: ``Count``, also as ``2K``, else its files."""
    files = len(slurm_lines.names(line.where, "File", values.get("File", ""))) or 1
    text = values.get("Count", str(files))
    scale = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40, "P": 1 << 50}.get(text[-1:].upper(), 1)
    digits = text[:-1] if scale > 1 else text
    if not is_number(digits, 12):
        raise UserError(f"{line.where}: Count: should be a whole number, not {text!r}")
    return int(digits) * scale


def topology(config: Config, path: str, unused: set[str], notes: list[str]) -> None:
    """Read the switches or blocks; nodes that the cluster does not have are left out and noted."""
    known = {name for line in config.nodes for name in hostlist.expand(line.node_name)}
    below: list[tuple[slurm_lines.ConfLine, str]] = []
    for line in slurm_lines.read(path):
        blocks = line.pairs[0][0].lower().startswith("block")
        values = slurm_lines.values(line, _BLOCKS if blocks else _SWITCHES)
        if "BlockSizes" in values:
            config.slurm["BlockSizes"] = values["BlockSizes"]
            continue
        values["SwitchName"] = values.get("SwitchName") or values.pop("BlockName", "")
        try:
            switch: SwitchConf = fields.build(SwitchConf, values)
        except ValueError as fault:
            raise UserError(f"{line.where}: {fields.shorten(str(fault))}") from None
        names = slurm_lines.names(line.where, "Nodes", switch.nodes)
        if _note_strangers(line.where, names, known, notes):
            switch.nodes = hostlist.fold([name for name in names if name in known])
        below += [(line, name) for name in slurm_lines.names(line.where, "Switches", switch.switches)]
        config.switches.append(switch)
    _refuse_unknown_switches(config, below)


def _refuse_unknown_switches(config: Config, below: list[tuple[slurm_lines.ConfLine, str]]) -> None:
    """Raise `UserError` for a switch that a line names and none describes."""
    switches = {switch.switch_name for switch in config.switches}
    for line, name in below:
        if name not in switches:
            raise UserError(f"{line.where}: {line.pairs[0][1]}: Switches: no such switch: {name}")


def cgroup(config: Config, path: str, unused: set[str], notes: list[str]) -> None:
    """Check the keys: what they constrain on a real node is not constrained here."""
    for line in slurm_lines.read(path):
        unused.update(f"{key} (cgroup.conf)" for key in slurm_lines.values(line, _CGROUP))


def _note_strangers(where: str, names: Iterable[str], known: set[str], notes: list[str]) -> bool:
    strangers = [name for name in names if name not in known]
    if strangers:
        notes.append(f"{where}: nodes that are not in the cluster: {hostlist.fold(strangers)}")
    return bool(strangers)


READERS: dict[str, Callable[[Config, str, set[str], list[str]], None]] = {
    "gres.conf": gres,
    "topology.conf": topology,
    "cgroup.conf": cgroup,
}
