"""``gres.conf`` and ``topology.conf``, read into a configuration that ``slurm.conf`` gave."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from slimsched.errors import UserError
from slimsched.model.config import Config, NodeConf, SwitchConf
from slimsched.state import fields, slurm_lines, slurm_nodes
from slimsched.text import hostlist
from slimsched.text.sizes import is_number

_GRES_USED = {"nodename", "name", "type", "count", "file", "autodetect"}
_Types = dict[str, dict[str, dict[str, int]]]  # node -> gres -> type -> count


def gres(config: Config, path: str, unused: set[str], notes: list[str]) -> None:
    """Give types to the generic resources that ``slurm.conf`` counts without one."""
    everyone = [name for line in config.nodes for name in hostlist.expand(line.node_name)]
    known = set(everyone)
    types: _Types = {}
    for line in slurm_lines.read(path):
        values = {key.lower(): value for key, value in line.pairs}
        unused.update(f"{key} (gres.conf)" for key, _ in line.pairs if key.lower() not in _GRES_USED)
        names = _expand(line, values["nodename"]) if "nodename" in values else everyone
        _note_strangers(path, names, known, notes)
        kind = values.get("type", "")
        for name in names if kind and "name" in values else ():
            counts = types.setdefault(name, {}).setdefault(values["name"], {})
            counts[kind] = counts.get(kind, 0) + _count(line, values)
    changes = {
        name: {"gres": typed}
        for node in config.nodes
        for name in hostlist.expand(node.node_name)
        if name in types and (typed := _typed(node, types[name])) != node.gres
    }
    config.nodes = slurm_nodes.alter(config.nodes, changes)


def _typed(node: NodeConf, types: dict[str, dict[str, int]]) -> str:
    """Return a node's Gres text, untyped entries spelled out where the types add up to the same count."""
    entries = []
    for entry in node.gres.split(",") if node.gres else []:
        name, _, count = entry.partition(":")
        found = types.get(name, {})
        same = str(sum(found.values())) == (count or "1")
        entries += [f"{name}:{kind}:{number}" for kind, number in found.items()] if found and same else [entry]
    return ",".join(entries)


def _count(line: slurm_lines.Line, values: dict[str, str]) -> int:
    files = len(_expand(line, values.get("file", ""))) or 1
    text = values.get("count", str(files))
    return int(text) if is_number(text) else files


def topology(config: Config, path: str, unused: set[str], notes: list[str]) -> None:
    """Read the switches or blocks; nodes that the cluster does not have are left out and noted."""
    known = {name for line in config.nodes for name in hostlist.expand(line.node_name)}
    for line in slurm_lines.read(path):
        values = {("SwitchName" if key.lower() == "blockname" else key): value for key, value in line.pairs}
        if line.pairs[0][0].lower() == "blocksizes":
            config.slurm["BlockSizes"] = line.pairs[0][1]
            continue
        if not any(key.lower() == "switchname" for key in values):
            unused.update(f"{key} (topology.conf)" for key, _ in line.pairs)
            continue
        try:
            switch: SwitchConf = fields.build(SwitchConf, values)
        except KeyError as fault:
            raise UserError(f"{line.where}: {fault.args[0]}: no such key") from None
        except ValueError as fault:
            raise UserError(f"{line.where}: {fields.shorten(str(fault))}") from None
        names = _expand(line, switch.nodes)
        if _note_strangers(path, names, known, notes):
            switch.nodes = hostlist.fold([name for name in names if name in known])
        config.switches.append(switch)


def _expand(line: slurm_lines.Line, text: str) -> list[str]:
    try:
        return hostlist.expand(text)
    except ValueError as fault:
        raise UserError(f"{line.where}: {fields.shorten(str(fault))}") from None


def _note_strangers(path: str, names: Iterable[str], known: set[str], notes: list[str]) -> bool:
    strangers = [name for name in names if name not in known]
    if strangers:
        notes.append(f"{path}: nodes that are not in the cluster: {hostlist.fold(strangers)}")
    return bool(strangers)


READERS: dict[str, Callable[[Config, str, set[str], list[str]], None]] = {
    "gres.conf": gres,
    "topology.conf": topology,
}
