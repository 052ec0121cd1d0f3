"""A sweep: every combination of a grid's values is a cell, and every cell one `sim replay` command line.

A cell's folder is named by a hash of all that goes into it: its options, the bytes of its trace, of its cluster's
file and of its events, and the version of slimsched. So a cell that is there already is not replayed again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from slimsched import __version__
from slimsched.errors import UserError
from slimsched.replay import grid, machine
from slimsched.replay.run import SUMMARY
from slimsched.state import files, layout

if TYPE_CHECKING:
    from concurrent.futures import Executor

FILES = ("trace", "cluster", "events")
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


def cells(path: str, out: str) -> list[Cell]:
    """Return the cells of a file (`grid`), whose results go below ``out``. Raises `UserError` for what is wrong."""
    found = []
    for parts in product(*grid.read(path, out)):
        values = {name: value for part in parts for name, value in part.items()}
        found.append(_cell(values, out))
    return found


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
