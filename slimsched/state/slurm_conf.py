"""The import of a ``slurm.conf`` with the ``gres.conf`` and ``topology.conf`` beside it.

Everything in it is kept; what changes nothing in the toolkit is reported as unused. Keys that Slurm does not know are
errors, as for the real daemon.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from slimsched.errors import UserError
from slimsched.model.config import Config, NodeConf, PartitionConf, SwitchConf
from slimsched.state import config_check, fields, slurm_differences, slurm_keys, slurm_lines
from slimsched.text import hostlist
from slimsched.text.sizes import is_number

_Values = dict[str, str]


class Imported(NamedTuple):
    """An imported configuration, and what the user has to know of it.

    ``unused``: keys that are kept and do not matter here; ``differences``: keys by which the real cluster would behave
    differently, with the reasons; ``notes``: remarks.
    """

    config: Config
    unused: list[str]
    differences: dict[str, str]
    notes: list[str]


def load(path: str) -> Imported:
    """Read ``path`` and its siblings; a fault is a `UserError` that names file and line."""
    reader = _Reader()
    for line in slurm_lines.read(path):
        reader.take(line)
    config = reader.finish(path)
    notes: list[str] = []
    folder = os.path.dirname(path) or "."
    for name, merge in READERS.items():
        sibling = os.path.join(folder, name)
        if os.path.exists(sibling):
            merge(config, sibling, reader.unused, notes)
    for problem, _ in config_check.problems(config):
        raise UserError(f"{path}: {fields.shorten(problem)}")
    unused = sorted(reader.unused, key=str.lower)
    differences = slurm_differences.reasons(unused, config.slurm)
    return Imported(config, [key for key in unused if key not in differences], differences, notes)


class _Reader:
    """Collects the lines by kind."""

    def __init__(self) -> None:
        self.slurm: _Values = {}
        self.unused: set[str] = set()
        self.places: dict[str, list[str]] = {"nodename": [], "partitionname": []}  # of lines and of keys
        self.lines: dict[str, list[Any]] = {"nodename": [], "partitionname": []}
        self.defaults: dict[str, _Values] = {"nodename": {}, "partitionname": {}}
        self.sets: list[_Values] = []
        self.down: list[_Values] = []

    def take(self, line: slurm_lines.ConfLine) -> None:
        """Read one line."""
        first = line.pairs[0][0].lower()
        read = _KINDS.get(first)
        if read is not None:
            read(self, line)
            return
        for key, _ in line.pairs:
            if key.lower() in _KINDS:
                raise UserError(f"{line.where}: {key} must be the first key of its line")
        for key, value in line.pairs:
            self._setting(line.where, key, value)

    def _setting(self, where: str, key: str, value: str) -> None:
        name = slurm_keys.KNOWN.get(key.lower())
        if name is None:
            raise _unknown(where, key, slurm_keys.KNOWN.values())
        if name not in slurm_keys.USED:
            self.unused.add(name)
        if name == "SlurmctldHost" and name in self.slurm:
            value = f"{self.slurm[name]},{value}"
        self.slurm[name] = value
        self.places[name] = [where]

    def _node(self, line: slurm_lines.ConfLine) -> None:
        values = self._merged(line, NodeConf)
        if values:
            per_board = values.pop("SocketsPerBoard", "")
            if per_board.isdigit():
                values["Sockets"] = str(int(per_board) * int(values.get("Boards", "1")))
            self._add(line, NodeConf, values)

    def _partition(self, line: slurm_lines.ConfLine) -> None:
        values = self._merged(line, PartitionConf)
        if values:
            priority = values.pop("Priority", "")
            if priority:
                values = {"PriorityTier": priority, "PriorityJobFactor": priority, **values}
            self._add(line, PartitionConf, values)

    def _merged(self, line: slurm_lines.ConfLine, struct: type[Any]) -> _Values:
        """Return a line's values over those of the DEFAULT lines before it; nothing for a DEFAULT line itself."""
        table = fields.keys(struct)
        kind = line.pairs[0][0].lower()
        for key, _ in line.pairs:
            if key.lower() not in table and key.lower() not in slurm_differences.LINE_KEYS[kind]:
                raise _unknown(line.where, key, [each.name for each in table.values()])
        values = {table[k.lower()].name if k.lower() in table else k: v for k, v in line.pairs}
        if line.pairs[0][1].upper() == "DEFAULT":
            self.defaults[kind].update(dict(list(values.items())[1:]))
            return {}
        return {**self.defaults[kind], **values}

    def _add(self, line: slurm_lines.ConfLine, struct: type[Any], values: _Values) -> None:
        try:
            made = fields.build(struct, values, keep=True)
        except ValueError as fault:
            raise UserError(f"{line.where}: {fields.shorten(str(fault))}") from None
        self.unused.update(made.other)
        kind = line.pairs[0][0].lower()
        self.lines[kind].append(made)
        self.places[kind].append(line.where)

    def _set(self, line: slurm_lines.ConfLine) -> None:
        self.sets.append({key.lower(): value for key, value in line.pairs})

    def _down(self, line: slurm_lines.ConfLine) -> None:
        self.down.append({key.lower(): value for key, value in line.pairs})

    def _ignore(self, line: slurm_lines.ConfLine) -> None:
        self.unused.add(line.pairs[0][0])

    def finish(self, path: str) -> Config:
        """Return the configuration, with node sets and lines of downed nodes resolved.

        Raises `UserError` with the place of the line that is wrong.
        """
        config = Config(slurm=self.slurm, nodes=self.lines["nodename"], partitions=self.lines["partitionname"])
        try:
            resolve_sets(config.partitions, self.sets, config.nodes)
            for problem, _ in config_check.problems(config):  # ahead of `put_down`, which splits lines
                raise UserError(fields.shorten(self._placed(path, problem)))
            config.nodes = put_down(config.nodes, self.down)
        except ValueError as fault:
            raise UserError(f"{path}: {fields.shorten(str(fault))}") from None
        return config

    def _placed(self, path: str, problem: str) -> str:
        """Return a fault of ``cluster.toml`` with the place in the file and the file's words."""
        table, _, rest = problem.partition(" ")
        word = _TABLES.get(table)
        if word is not None:
            number, _, rest = rest.partition(" (")
            name, _, fault = rest.partition("): ")
            return f"{self.places[word.lower()][int(number) - 1]}: {word}={name}: {fault}"
        if table == "[slurm]":
            return f"{self.places[rest.partition(':')[0]][0]}: {rest}"
        return f"{path}: {problem}"


_TABLES = {"[[nodes]]": "NodeName", "[[partitions]]": "PartitionName"}


def _unknown(where: str, key: str, known: Iterable[str]) -> UserError:
    """Return the error for a key that Slurm does not know, in the words of its daemon."""
    return UserError(f"{where}: Parsing error at unrecognized key: {key}{slurm_differences.guess(key, known)}")


_KINDS: dict[str, Callable[[_Reader, slurm_lines.ConfLine], None]] = {
    "nodename": _Reader._node,
    "partitionname": _Reader._partition,
    "nodeset": _Reader._set,
    "downnodes": _Reader._down,
    "frontendname": _Reader._ignore,
}


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
    config.nodes = alter(config.nodes, changes)


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


def _expand(line: slurm_lines.ConfLine, text: str) -> list[str]:
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


_PER_NODE = ("node_addr", "node_hostname", "port")  # hostlists with one entry for each node, or one for all
_Changes = Mapping[str, Mapping[str, Any]]  # node -> attribute -> value


def put_down(lines: list[NodeConf], down: list[dict[str, str]]) -> list[NodeConf]:
    """Apply DownNodes lines."""
    changes: dict[str, dict[str, Any]] = {}
    for values in down:
        change = {"state": values.get("state", "DOWN"), "reason": values.get("reason", "")}
        changes.update(dict.fromkeys(hostlist.expand(values["downnodes"]), change))
    return alter(lines, changes)


def alter(lines: list[NodeConf], changes: _Changes) -> list[NodeConf]:
    """Return the node lines with ``changes``; a line of which only some nodes change is split, in node order."""
    if not changes:
        return lines
    result: list[NodeConf] = []
    for line in lines:
        names = hostlist.expand(line.node_name)
        if not any(name in changes for name in names):
            result.append(line)
            continue
        runs: list[tuple[Mapping[str, Any], list[int]]] = []
        for index, name in enumerate(names):
            wanted = changes.get(name, {})
            if not runs or runs[-1][0] != wanted:
                runs.append((wanted, []))
            runs[-1][1].append(index)
        result += [_part(line, names, places, wanted) for wanted, places in runs]
    return result


def _part(line: NodeConf, names: list[str], places: list[int], wanted: Mapping[str, Any]) -> NodeConf:
    values: dict[str, Any] = {"node_name": hostlist.fold([names[i] for i in places]), **wanted}
    for attribute in _PER_NODE:
        text = getattr(line, attribute)
        entries = hostlist.expand(text) if text else []
        if len(entries) == len(names):
            values[attribute] = hostlist.fold([entries[i] for i in places])
    return msgspec.structs.replace(line, **values)


def resolve_sets(partitions: list[PartitionConf], sets: list[dict[str, str]], nodes: list[NodeConf]) -> None:
    """Replace names of NodeSet lines in partitions by the nodes that they stand for."""
    known = {values["nodeset"]: _members(values, nodes) for values in sets}
    for line in partitions:
        names = hostlist.expand(line.nodes) if known else []
        if any(name in known for name in names):
            members = [member for name in names for member in known.get(name, [name])]
            line.nodes = hostlist.fold(list(dict.fromkeys(members)))


def _members(values: dict[str, str], nodes: list[NodeConf]) -> list[str]:
    members = hostlist.expand(values.get("nodes", ""))
    feature = values.get("feature")
    for line in nodes:
        if feature and feature in line.features.split(","):
            members += hostlist.expand(line.node_name)
    return members
