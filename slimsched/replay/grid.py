"""The file of a sweep: its tables, the values that each key takes, and the synthetic workloads that it asks for.

A value that is wrong is named with the file and its key.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from slimsched.errors import UserError
from slimsched.replay import constrained, model
from slimsched.state import files, toml


class Kind(NamedTuple):
    """Values of a key: what they are, in words, and whether a value is one of them."""

    words: str
    holds: Callable[[Any], bool]


def _whole(words: str, least: float, most: float = 10**9) -> Kind:
    return Kind(words, lambda value: type(value) is int and least <= value <= most)


def _number(words: str, holds: Callable[[float], bool]) -> Kind:
    return Kind(words, lambda value: type(value) in (int, float) and math.isfinite(value) and holds(value))


ANY = _whole("a whole number", -math.inf, math.inf)
COUNT = _whole("a whole number from 1 on", 1)
SEVERAL = _whole("a whole number from 2 on", 2)
FACTOR = _number("a number above 0", lambda value: value > 0)
SHARE = _number("a number from 0 to 1", lambda value: 0 <= value <= 1)
TEXT = Kind("a text", lambda value: type(value) is str)
FLAG = Kind("true or false", lambda value: type(value) is bool)

OPTIONS = {
    "procs": COUNT, "nodes": COUNT, "cpus": COUNT, "cluster": TEXT, "events": TEXT, "policy": TEXT, "from": ANY,
    "jobs": COUNT, "scale_load": FACTOR, "estimates": TEXT, "pace": TEXT, "format": TEXT, "kill": FLAG, "plans": FLAG,
}  # fmt: skip
"""Keys of [grid] that are options of `sim replay`."""

GRID = {"trace": TEXT, "seed": ANY, **OPTIONS}
GENERATE = {
    "procs": SEVERAL, "jobs": COUNT, "load": FACTOR, "users": COUNT,
    "nodes": SEVERAL, "extra": SHARE, "features": SHARE, "complexes": SHARE, "refresh": COUNT,
}  # fmt: skip
"""Keys of [generate]: options of `sim generate`. From ``nodes`` on they describe workloads with constraints."""

WORKLOAD = {"procs": 64, "jobs": 1000, "load": None, "users": 20}
WISHES = {"extra": 0.3, "features": 0.1, "complexes": 0.0, "refresh": 300}
WITH_CONSTRAINTS = ("cluster", "events")
"""What a workload with constraints brings along."""

Values = dict[str, Any]


def read(path: str, out: str) -> list[list[Values]]:
    """Return the axes of a sweep: lists of values of keys of [grid]; one of each makes a cell.

    Synthetic workloads are written below ``out``. Raises `UserError`.
    """
    tables = toml.read(path)
    unknown = sorted(set(tables) - {"grid", "generate"})
    table = tables.get("grid")
    if unknown or not isinstance(table, dict):
        raise UserError(
            f"{path}: a sweep has the tables [grid] and [generate]{f', no {unknown[0]}' if unknown else ''}"
        )
    given = {name: value if isinstance(value, list) else [value] for name, value in table.items()}
    _check(path, "grid", given, GRID)
    if "generate" in tables:
        workloads = list(_generated(path, tables["generate"], given, out))
    elif "seed" in given:
        raise UserError(f"{path}: [grid] seed is for the workloads of [generate], which there is not")
    else:
        workloads = [{"trace": value} for value in given.get("trace", [])]
    if not workloads:
        raise UserError(f"{path}: [grid] names no trace, and there is no [generate]")
    axes = [[{name: value} for value in given[name]] for name in given if name not in ("trace", "seed")]
    return [*axes, workloads]


def _check(path: str, table: str, given: Mapping[str, list[Any]], kinds: Mapping[str, Kind]) -> None:
    """Raise `UserError` for a key that there is not, or a value that it does not take."""
    for name, values in given.items():
        if name not in kinds:
            raise UserError(f"{path}: [{table}] has no {name}; there are {', '.join(kinds)}")
        for value in values:
            if not kinds[name].holds(value):
                raise UserError(f"{path}: [{table}] {name} = {_shown(value)}: give {kinds[name].words}")
        if not values:
            raise UserError(f"{path}: [{table}] {name} = []: give one value at least")


def _shown(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _generated(path: str, wanted: Any, given: Mapping[str, list[Any]], out: str) -> Iterator[Values]:
    """Write a workload for each seed, and yield what a cell says of it."""
    if not isinstance(wanted, dict):
        raise UserError(f"{path}: [generate] is a table")
    _check(path, "generate", {name: [value] for name, value in wanted.items()}, GENERATE)
    picky = "nodes" in wanted
    lonely = next((name for name in wanted if name in WISHES), "")
    if lonely and not picky:
        raise UserError(f"{path}: [generate] {lonely} = {_shown(wanted[lonely])}: goes with nodes")
    double = next((name for name in ("trace", *(WITH_CONSTRAINTS if picky else ())) if name in given), "")
    if double:
        raise UserError(f"{path}: [grid] {double}: the workloads of [generate] have their own")
    folder = os.path.join(out, "traces")
    files.make_folder(os.path.abspath(folder))
    shape = {**WORKLOAD, **{name: value for name, value in wanted.items() if name in WORKLOAD}}
    wishes = {**WISHES, **{name: value for name, value in wanted.items() if name in (*WISHES, "nodes")}}
    for seed in given.get("seed", [1]):
        workload = model.Workload(shape["procs"], shape["jobs"], seed, shape["load"], shape["users"])
        try:
            yield _picky(folder, workload, wishes) if picky else _plain(folder, workload)
        except UserError as fault:
            raise UserError(f"{path}: [generate] {fault}") from None


def _plain(folder: str, workload: model.Workload) -> Values:
    text = "".join(f"{line}\n" for line in model.lines(workload))
    return {"trace": _written(folder, f"seed-{workload.seed}.swf", text)}


def _picky(folder: str, workload: model.Workload, wishes: Values) -> Values:
    made = constrained.generate(workload, constrained.Wishes(**wishes))
    return {
        "trace": _written(folder, f"seed-{workload.seed}.events", made.jobs),
        "cluster": _written(folder, "slurm.conf", made.cluster),
        "events": _written(folder, f"seed-{workload.seed}.changes", made.changes),
    }


def _written(folder: str, name: str, text: str) -> str:
    path = os.path.join(folder, name)
    files.replace(path, text.encode())
    return path
