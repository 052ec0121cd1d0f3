"""The import of a ``slurm.conf`` with the ``gres.conf``, ``topology.conf`` and ``cgroup.conf`` beside it.

Everything in it is kept; what changes nothing in the toolkit is reported as unused. Keys that Slurm does not know are
errors, as for the real daemon.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

from slimsched.errors import UserError
from slimsched.model.config import Config, NodeConf, NodeSetConf, PartitionConf
from slimsched.slurm import states
from slimsched.state import config_check, fields, node_lines, slurm_differences, slurm_keys, slurm_lines, slurm_siblings
from slimsched.text import hostlist

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
    notes = list(reader.notes)
    folder = os.path.dirname(path) or "."
    for name, merge in slurm_siblings.READERS.items():
        sibling = os.path.join(folder, name)
        if os.path.exists(sibling):
            merge(config, sibling, reader.unused, notes)
    for problem, _ in config_check.problems(config):
        raise UserError(f"{path}: {fields.shorten(problem)}")
    unused = sorted(reader.unused, key=str.lower)
    differences = slurm_differences.reasons(unused, config.slurm)
    return Imported(config, [key for key in unused if key not in differences], differences, notes)


def node_conf(values: _Values) -> NodeConf:
    """Return the node line with some values by key. Raises `ValueError` that begins with the key."""
    spelled = next((key for key in values if key.lower() == "socketsperboard"), "")
    per_board, boards = values.pop(spelled, ""), values.get("Boards", "1")
    if per_board.isdigit() and boards.isdigit():
        values["Sockets"] = str(int(per_board) * int(boards))
    made: NodeConf = fields.build(NodeConf, values, keep=True)
    return made


class _Reader:
    """Collects the lines by kind."""

    def __init__(self) -> None:
        self.slurm: _Values = {}
        self.unused: set[str] = set()
        self.places: dict[str, list[str]] = {"nodename": [], "partitionname": [], "nodeset": []}  # and of keys
        self.lines: dict[str, list[Any]] = {"nodename": [], "partitionname": []}
        self.defaults: dict[str, _Values] = {"nodename": {}, "partitionname": {}}
        self.sets: list[NodeSetConf] = []
        self.down: dict[str, tuple[str, _Values]] = {}
        self.notes: list[str] = []

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
            raise slurm_lines.unknown(where, key, slurm_keys.KNOWN.values())
        if name not in slurm_keys.USED:
            self.unused.add(name)
        if name == "SlurmctldHost" and name in self.slurm:
            value = f"{self.slurm[name]},{value}"
        self.slurm[name] = value
        self.places[name] = [where]

    def _node(self, line: slurm_lines.ConfLine) -> None:
        values = self._merged(line, NodeConf)
        if values:
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
                raise slurm_lines.unknown(line.where, key, [each.name for each in table.values()])
        values = {table[k.lower()].name if k.lower() in table else k: v for k, v in line.pairs}
        if line.pairs[0][1].upper() == "DEFAULT":
            self.defaults[kind].update(dict(list(values.items())[1:]))
            return {}
        return {**self.defaults[kind], **values}

    def _add(self, line: slurm_lines.ConfLine, struct: type[Any], values: _Values) -> None:
        try:
            made = node_conf(values) if struct is NodeConf else fields.build(struct, values, keep=True)
        except ValueError as fault:
            raise UserError(f"{line.where}: {fields.shorten(str(fault))}") from None
        self.unused.update(made.other)
        kind = line.pairs[0][0].lower()
        self.lines[kind].append(made)
        self.places[kind].append(line.where)

    def _set(self, line: slurm_lines.ConfLine) -> None:
        values = slurm_lines.values(line, "NodeSet Nodes Feature")
        self.sets.append(fields.build(NodeSetConf, values))
        self.places["nodeset"].append(line.where)

    def _down(self, line: slurm_lines.ConfLine) -> None:
        values = slurm_lines.values(line, "DownNodes Reason State")
        state = values.get("State", "DOWN").upper()
        if state not in states.CONFIGURED:
            raise UserError(f"{line.where}: State: no such state: {state!r}")
        change = {"state": state, "reason": values.get("Reason", "")}
        for name in slurm_lines.names(line.where, "DownNodes", values["DownNodes"]):
            self.down[name] = line.where, change

    def _ignore(self, line: slurm_lines.ConfLine) -> None:
        self.unused.add(line.pairs[0][0])

    def finish(self, path: str) -> Config:
        """Return the configuration, with node sets and lines of downed nodes resolved.

        Raises `UserError` with the place of the line that is wrong.
        """
        self._name_controllers()
        config = Config(slurm=self.slurm, nodes=self.lines["nodename"], partitions=self.lines["partitionname"])
        config.node_sets = self.sets
        for problem, _ in config_check.problems(config):  # ahead of what splits lines
            raise UserError(fields.shorten(self._placed(path, problem)))
        known = {name for line in config.nodes for name in hostlist.expand(line.node_name)}
        self.notes += [
            f"{where}: DownNode {name} does not exist!" for name, (where, _) in self.down.items() if name not in known
        ]
        config.nodes = node_lines.alter(config.nodes, {name: change for name, (_, change) in self.down.items()})
        return config

    def _name_controllers(self) -> None:
        """Take the hosts of slurmctld from the keys of Slurm before 18.08, if the new one names none."""
        if "SlurmctldHost" in self.slurm:
            self.unused |= self.slurm.keys() & {key for keys in _OLD_HOSTS for key in keys}
            return
        hosts = []
        for host, address in _OLD_HOSTS:
            if host in self.slurm:
                at = self.slurm.get(address)
                hosts.append(f"{self.slurm[host]}({at})" if at else self.slurm[host])
        if hosts:
            self.slurm["SlurmctldHost"] = ",".join(hosts)

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


_OLD_HOSTS = (("ControlMachine", "ControlAddr"), ("BackupController", "BackupAddr"))
_TABLES = {"[[nodes]]": "NodeName", "[[partitions]]": "PartitionName", "[[node_sets]]": "NodeSet"}


_KINDS: dict[str, Callable[[_Reader, slurm_lines.ConfLine], None]] = {
    "nodename": _Reader._node,
    "partitionname": _Reader._partition,
    "nodeset": _Reader._set,
    "downnodes": _Reader._down,
    "frontendname": _Reader._ignore,
}
