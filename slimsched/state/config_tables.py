"""The reader of ``cluster.toml``: from its text to a `Config`."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable
from typing import Any

from slimsched.model.config import Config, NodeConf, NodeSetConf, PartitionConf, SwitchConf
from slimsched.state import config_check, fields, slurm_keys

_SINGLE = {  # table, key -> attribute of Config
    ("", "executor"): "executor",
    ("", "pace"): "pace",
    ("", "slurm_version"): "slurm_version",
    ("", "clock"): "clock",
    ("", "complex_semantics"): "complex_semantics",
    ("clock", "mode"): "clock",
    ("clock", "start"): "clock_start",
    ("clock", "timezone"): "clock_timezone",
    ("clock", "step"): "clock_step",
    ("simulation", "runtime"): "runtime",
    ("simulation", "slow_start"): "slow_start",
    ("simulation", "slow_end"): "slow_end",
    ("simulation", "node_boot"): "node_boot",
    ("source", "file"): "source",
    ("source", "checksum"): "source_checksum",
}


_MAX_DEPTH = 64


class Fault(Exception):
    """A fault in the configuration: its place, the fault, and the remedy if it is special."""

    def __init__(self, problem: str, repair: str = "") -> None:
        super().__init__(problem)
        self.problem = fields.shorten(problem)
        self.repair = repair


def parse(text: bytes) -> Config:
    """Return the configuration; raises `Fault`."""
    try:
        content = text.decode("utf-8-sig")
        _refuse_long_keys(content)
        tables = tomllib.loads(content)
    except ValueError as fault:  # also from a number of too many digits
        raise Fault(f"is not valid TOML: {fault}") from fault
    except RecursionError:
        raise Fault("is nested too deeply") from None
    found: dict[str, Any] = {}
    for name, value in tables.items():
        read = _READERS.get(name)
        found.update({name: read(name, value)} if read else _single(name, value))
    config = Config(**found)
    for problem, repair in config_check.problems(config):
        raise Fault(problem, repair)
    return config


def _refuse_long_keys(content: str) -> None:
    """Raise `Fault` for a dotted key of very many parts: tomllib's time for it grows with their square."""
    run = 0
    for piece in content.split("."):
        run = run + 1 if piece.strip(" \t\n[\"'").replace("_", "").replace("-", "").isalnum() else 0
        if run > _MAX_DEPTH:
            raise Fault("is nested too deeply")


def _lines(struct: type[Any]) -> Callable[[str, object], list[Any]]:
    def read(name: str, value: object) -> list[Any]:
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise Fault(f"{name}: should be tables, each headed [[{name}]]")
        return [_line(struct, f"[[{name}]] {number}", item) for number, item in enumerate(value, 1)]

    return read


def _line(struct: type[Any], where: str, values: dict[str, object]) -> Any:
    try:
        return fields.build(struct, values)
    except KeyError as fault:
        known = [key.name for key in fields.keys(struct).values()]
        raise Fault(f"{where}: {_unknown(fault.args[0], known)}") from None
    except ValueError as fault:
        raise Fault(f"{where}: {fault}") from None


def _unknown(key: str, known: Iterable[str]) -> str:
    import difflib

    spelled = {name.lower(): name for name in known}
    near = difflib.get_close_matches(key.lower(), spelled, n=1)
    return f"{key}: no such key" + (f"; did you mean {spelled[near[0]]}?" if near else "")


def _slurm(name: str, value: object) -> dict[str, str]:
    texts = _texts(name, value)
    for key in texts:
        if key.lower() not in slurm_keys.KNOWN:
            raise Fault(f"[{name}] {_unknown(key, slurm_keys.KNOWN.values())}")
    return {slurm_keys.KNOWN[key.lower()]: text for key, text in texts.items()}


def _texts(name: str, value: object) -> dict[str, str]:
    return {key: _value(f"[{name}] {key}", fields.as_text, item) for key, item in _table(name, value).items()}


def _numbers(name: str, value: object) -> dict[str, float]:
    return {key: _value(f"[{name}] {key}", _number, item) for key, item in _table(name, value).items()}


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError("should be a number")
    return float(value)


def _value(where: str, read: Callable[[object], Any], value: object) -> Any:
    try:
        return read(value)
    except (ValueError, OverflowError) as fault:
        raise Fault(f"{where}: {fault}") from None


def _table(name: str, value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise Fault(f"{name}: should be a table, headed [{name}]")
    return value


def _single(name: str, value: object) -> dict[str, str]:
    pairs = {(name, key): item for key, item in value.items()} if isinstance(value, dict) else {("", name): value}
    found = {}
    for (table, key), item in pairs.items():
        where = f"[{table}] {key}" if table else key
        attribute = _SINGLE.get((table, key))
        if attribute is None:
            raise Fault(f"{where}: no such key")
        if attribute == "clock_start" and hasattr(item, "isoformat"):  # a date of TOML's own, without quotes
            item = item.isoformat()
        found[attribute] = _value(where, fields.as_text, item)
    return found


_READERS: dict[str, Callable[[str, object], Any]] = {
    "slurm": _slurm,
    "other": _texts,
    "usage": _numbers,
    "nodes": _lines(NodeConf),
    "partitions": _lines(PartitionConf),
    "switches": _lines(SwitchConf),
    "node_sets": _lines(NodeSetConf),
}
