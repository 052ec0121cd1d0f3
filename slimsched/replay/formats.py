"""The formats of traces: one table, from the name that ``--format`` takes to the reader."""

from __future__ import annotations

from typing import NamedTuple

from slimsched.errors import UserError
from slimsched.replay import events, swf, tables
from slimsched.replay.trace import Reader, opened


class Format(NamedTuple):
    """A format: what it is called in help texts, and its reader."""

    help: str
    reader: Reader


FORMATS = {
    "swf": Format("Standard Workload Format, and MetaCentrum's 21 columns", swf.read),
    "events": Format("events of the UB-HPC Slurm simulator", events.read),
    "sacct": Format("sacct --parsable2", tables.read_sacct),
    "csv": Format("a table with columns job, submit, run, procs", tables.read_csv),
}


def find(path: str, name: str | None) -> Reader:
    """Return the reader of a file: of the format that is named, else of the one that its first line shows."""
    return FORMATS[name or guess(path)].reader


def guess(path: str) -> str:
    """Return the name of a file's format."""
    with opened(path) as lines:
        for line in lines:
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            if text.startswith("-dt"):
                return "events"
            if text.count("|") > 2:
                return "sacct"
            if (text[0].isalpha() or text[0] == '"') and any(c in text for c in ",;\t"):
                return "csv"
            return "swf"
    raise UserError(f"{path}: the file is empty")
