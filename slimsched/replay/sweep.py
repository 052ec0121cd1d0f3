"""A sweep: every combination of a grid's values is a cell, and every cell one `sim replay` command line.

A cell's folder is named by a hash of all that goes into it: its options, the bytes of its trace, of its cluster's
file and of its events, and the version of slimsched. So a cell that is there already is not replayed again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from slimsched import __version__
from slimsched.errors import UserError
from slimsched.replay import machine, model
from slimsched.replay.run import SUMMARY
from slimsched.state import files, layout

if TYPE_CHECKING:
    from concurrent.futures import Executor

OPTIONS = (
    *(
        "procs",
        "nodes",
        "cpus",
        "cluster",
        "events",
        "policy",
        "from",
        "jobs",
        "scale_load",
        "estimates",
        "pace",
        "format",
    ),
    *("kill", "plans"),
)
"""Names in a grid that are options of `sim replay`; the last two take no value there, and true or false here."""

FILES = ("trace", "cluster", "events")
GENERATED = {"procs": int, "jobs": int, "load": float, "users": int}
ERROR = "error.txt"


class Cell(NamedTuple):
    """A combination of values; ``words``: of its command line; ``folder``: where its results go."""

    values: dict[str, Any]
    words: list[str]
    folder: str

    @property
    def done(self) -> bool:
        """Whether its results are there."""
        return bool(files.kind(os.path.join(self.folder, SUMMARY)))


def cells(grid: Mapping[str, Any], out: str) -> list[Cell]:
    """Return the cells of a grid, ``{"grid": {...}, "generate": {...}}``. Raises `UserError` for what is wrong in it.

    Synthetic traces, one for each ``seed``, are written below ``out``.
    """
    unknown = sorted(set(grid) - {"grid", "generate"})
    table = grid.get("grid")
    if unknown or not isinstance(table, dict):
        raise UserError(f"a sweep has the tables [grid] and [generate]{f', no {unknown[0]}' if unknown else ''}")
    axes = {name: value if isinstance(value, list) else [value] for name, value in table.items()}
    if "generate" in grid:
        axes["trace"] = list(_synthetic(grid["generate"], axes.pop("seed", [1]), out))
    wrong = sorted(set(axes) - {"trace", *OPTIONS})
    if wrong:
        raise UserError(f"[grid] has no {wrong[0]}; there are trace, seed (with [generate]), {', '.join(OPTIONS)}")
    if not axes.get("trace"):
        raise UserError("[grid] names no trace, and there is no [generate]")
    return [_cell(dict(zip(axes, values, strict=True)), out) for values in product(*axes.values())]


def _synthetic(wanted: Any, seeds: list[Any], out: str) -> Iterator[str]:
    """Write a trace for each seed, and yield the paths."""
    known = {"procs": 64, "jobs": 1000, "load": None, "users": 20}
    if not isinstance(wanted, dict) or not set(wanted) <= set(known):
        raise UserError(f"[generate] has {', '.join(known)}")
    try:
        numbers = {name: GENERATED[name](value) for name, value in wanted.items()}
        kinds = [{**known, **numbers, "seed": int(seed)} for seed in seeds]
    except (TypeError, ValueError):
        raise UserError("[generate] and seed take numbers") from None
    folder = os.path.join(out, "traces")
    files.make_folder(os.path.abspath(folder))
    for kind in kinds:
        workload = model.Workload(kind["procs"], kind["jobs"], kind["seed"], kind["load"], kind["users"])
        path = os.path.join(folder, f"seed-{kind['seed']}.swf")
        files.replace(path, "".join(f"{line}\n" for line in model.lines(workload)).encode())
        yield path


def _cell(values: dict[str, Any], out: str) -> Cell:
    bytes_of = {name: hashlib.sha256(_bytes(str(values[name]))).hexdigest() for name in FILES if name in values}
    told = {**values, **bytes_of, "version": __version__}
    key = hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]
    folder = os.path.join(out, key)
    words = ["replay", str(values["trace"]), "--out", folder]
    for name, value in values.items():
        option = f"--{name.replace('_', '-')}"
        if name != "trace" and value is not False:
            words += [option] if value is True else [option, str(value)]
    return Cell(values, words, folder)


def _bytes(path: str) -> bytes:
    """Return what a file says, or the configuration and the accounts of a state directory. Raises `UserError`."""
    if os.path.isdir(path):
        return _bytes(layout.config(path)) + json.dumps(machine.accounts(path), sort_keys=True).encode()
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as fault:
        raise UserError(f"{path}: {fault.strerror}") from None


Work = Callable[[list[str]], tuple[int, str]]
"""Runs a command line; returns its exit code and what it complained of."""


def run(left: list[Cell], pool: Executor, work: Work) -> Iterator[tuple[Cell, str]]:
    """Run cells in a pool of workers (see `pools`); yield each when it has ended, with its error, "" for none."""
    from concurrent.futures import as_completed

    waiting = {pool.submit(work, cell.words): cell for cell in left}
    for future in as_completed(waiting):
        cell = waiting[future]
        try:
            code, said = future.result()
        except Exception as fault:  # the worker itself died: the other cells go on
            code, said = 1, f"{type(fault).__name__}: {fault}"
        error = (said.strip() or f"exit status {code}") if code else ""
        _note(cell, error)
        yield cell, error


def _note(cell: Cell, error: str) -> None:
    """Keep the error of a cell beside the others' results, or remove that of an earlier attempt."""
    path = os.path.join(cell.folder, ERROR)
    if error:
        files.make_folder(os.path.abspath(cell.folder))
        files.replace(path, f"{error}\n".encode())
    elif files.kind(path):
        os.unlink(path)
