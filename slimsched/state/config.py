"""``cluster.toml``: reading it with errors that name table and key, and its compiled form.

The file is parsed only when its text changed: ``cluster.cache`` holds the text that it was compiled from.
"""

from __future__ import annotations

from typing import Any

import msgspec

from slimsched.errors import StateError
from slimsched.model.config import Config, NodeConf, PartitionConf, SwitchConf
from slimsched.state import fields, files, layout

_LISTS: dict[str, tuple[str, type[Any]]] = {
    "nodes": ("nodes", NodeConf),
    "partitions": ("partitions", PartitionConf),
    "switches": ("switches", SwitchConf),
}
_SINGLE = {  # table, key -> attribute of Config
    ("", "executor"): "executor",
    ("", "clock"): "clock",
    ("", "complex_semantics"): "complex_semantics",
    ("clock", "mode"): "clock",
    ("clock", "start"): "clock_start",
    ("simulation", "runtime"): "runtime",
    ("simulation", "executor"): "executor",
}
_CHOICES = {
    "clock": ("virtual", "wall"),
    "executor": ("simulated", "local"),
    "complex_semantics": ("8.1", "6.0"),
}


class _Wrong(Exception):
    """A fault in the configuration: where, and what to do."""

    def __init__(self, problem: str, repair: str = "") -> None:
        self.problem = problem
        self.repair = repair


def read(path: str) -> Config:
    """Return the configuration in a ``cluster.toml``; a fault in it is a `StateError` with table and key."""
    data = files.read(path)
    if data is None:
        raise StateError(path, "is missing", "make one: sim init --force")
    return compile_text(path, data)


def load(folder: str, *, store: bool) -> tuple[Config, bytes]:
    """Return a state directory's configuration, compiled before if the text has not changed since, and its text."""
    path = layout.config(folder)
    data = files.read(path)
    if data is None:
        raise StateError(path, "is missing", "make one: sim init --force")
    stored = files.read(layout.cache(folder)) or b""
    config = _compiled(stored, data)
    if config is None:
        config = compile_text(path, data)
        if store:
            body = b"%d\n%s%s" % (len(data), data, msgspec.json.encode(config))
            files.replace(layout.cache(folder), body, durable=False)
    return config, data


def _compiled(stored: bytes, text: bytes) -> Config | None:
    head = b"%d\n" % len(text)
    if not stored.startswith(head) or stored[len(head) : len(head) + len(text)] != text:
        return None
    try:
        return msgspec.json.decode(memoryview(stored)[len(head) + len(text) :], type=Config)
    except msgspec.MsgspecError:
        return None  # written by another version


def compile_text(path: str, data: bytes) -> Config:
    """Return the configuration that a ``cluster.toml`` text describes."""
    import tomllib

    try:
        return _config(tomllib.loads(data.decode("utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise StateError(path, f"is no TOML: {fault}", "mend it in an editor") from fault
    except RecursionError:
        raise StateError(path, "is nested too deeply", "mend it in an editor") from None
    except _Wrong as fault:
        repair = fault.repair or "mend it in an editor; its comments name the keys"
        raise StateError(path, fault.problem, repair) from None


def _config(tables: dict[str, Any]) -> Config:
    found: dict[str, Any] = {}
    for name, value in tables.items():
        if name in _LISTS:
            attribute, struct = _LISTS[name]
            found[attribute] = _lines(name, struct, value)
        elif name == "slurm":
            found["slurm"] = _texts(name, value)
        elif name == "other":
            found["other"] = _texts(name, value)
        elif name == "usage":
            found["usage"] = _numbers(name, value)
        else:
            found.update(_single(name, value))
    return _checked(Config(**found))


def _lines(name: str, struct: type[Any], value: object) -> list[Any]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise _Wrong(f"{name}: should be tables, each headed [[{name}]]")
    lines = []
    for number, item in enumerate(value, 1):
        try:
            lines.append(fields.build(struct, item))
        except KeyError as fault:
            known = {key.name for key in fields.keys(struct).values()}
            raise _Wrong(f"[[{name}]] {number}: {fault.args[0]}: no such key{_like(fault.args[0], known)}") from None
        except (ValueError, TypeError) as fault:
            raise _Wrong(f"[[{name}]] {number}: {fault}") from None
    return lines


def _like(word: str, known: set[str]) -> str:
    import difflib

    near = difflib.get_close_matches(word.lower(), [k.lower() for k in known], n=1)
    names = [k for k in known if near and k.lower() == near[0]]
    return f"; did you mean {names[0]}?" if names else ""


def _texts(name: str, value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        raise _Wrong(f"{name}: should be a table, headed [{name}]")
    texts = {}
    for key, item in value.items():
        if isinstance(item, dict):
            raise _Wrong(f"[{name}] {key}: should be a text, a number or true/false")
        texts[key] = ("YES" if item else "NO") if isinstance(item, bool) else str(item)
    return texts


def _numbers(name: str, value: object) -> dict[str, float]:
    if not isinstance(value, dict):
        raise _Wrong(f"{name}: should be a table, headed [{name}]")
    for key, item in value.items():
        if isinstance(item, bool) or not isinstance(item, (int, float)):
            raise _Wrong(f"[{name}] {key}: should be a number")
    return {key: float(item) for key, item in value.items()}


def _single(name: str, value: object) -> dict[str, str]:
    pairs = {(name, key): item for key, item in value.items()} if isinstance(value, dict) else {("", name): value}
    found = {}
    for (table, key), item in pairs.items():
        attribute = _SINGLE.get((table, key))
        if attribute is None:
            where = f"[{table}] {key}" if table else key
            raise _Wrong(f"{where}: no such key")
        found[attribute] = str(item)
    return found


def _checked(config: Config) -> Config:
    for attribute, choices in _CHOICES.items():
        value = getattr(config, attribute)
        if value not in choices:
            raise _Wrong(f"{attribute}: should be {' or '.join(choices)}, not {value!r}")
    if config.executor == "local" and config.clock == "virtual":
        problem = 'executor = "local" needs the operating system\'s clock: jobs that really run cannot wait for it'
        raise _Wrong(problem, 'set [clock] mode = "wall", or executor = "simulated"')
    return config
