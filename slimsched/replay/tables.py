"""Traces as tables with a line of names: what ``sacct --parsable2`` prints, and CSV."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping

from slimsched.errors import SyntaxFault
from slimsched.replay.swf import MOST, number
from slimsched.replay.trace import UNKNOWN, Fault, TraceJob
from slimsched.state import clock
from slimsched.text import sizes, times

Line = Mapping[str, str]

CSV_NAMES = {
    "number": ("job", "job_id", "id"),
    "submit": ("submit", "submit_time", "dt"),
    "run": ("run", "run_time", "runtime", "wall_time"),
    "processors": ("procs", "processors", "n_tasks", "cpus"),
    "estimate": ("estimate", "limit", "time_limit", "wall_limit", "requested_time"),
    "user_name": ("user", "user_name"),
    "queue_name": ("queue", "partition"),
    "nodes": ("nodes_asked",),
}
"""Field of a job -> the names that a column may have, in lower case. All numbers are whole seconds or counts."""

FREE = ("JobName", "SubmitLine", "WorkDir", "Comment", "AdminComment")
"""Columns of sacct with texts of users, in which a bar may be."""

NEEDED = ("submit", "run", "processors")


def read_csv(lines: Iterable[str], header: dict[str, str]) -> Iterator[TraceJob | Fault]:
    """Yield the jobs of a table with commas or semicolons; jobs without a number are numbered from 1."""
    rows = iter(lines)
    first = next(rows, "")
    delimiter = ";" if first.count(";") > first.count(",") else ","
    names = [name.strip().lower() for name in next(csv.reader([first], delimiter=delimiter), [])]
    columns = {field: names.index(n) for field, known in CSV_NAMES.items() for n in reversed(known) if n in names}
    missing = [field for field in NEEDED if field not in columns]
    if missing:
        yield Fault(1, f"no column for {missing[0]}: {' or '.join(CSV_NAMES[missing[0]])}")
        return
    reader = csv.reader(rows, delimiter=delimiter)
    for place, row in enumerate(reader, 1):
        try:
            found = {field: row[column].strip() for field, column in columns.items()}
            named = {field: found.pop(field) for field in ("user_name", "queue_name") if field in found}
            values = {field: number(text) if text else UNKNOWN for field, text in found.items()}
            if max(values.values()) > MOST or values["submit"] < 0:
                raise ValueError("a number is out of range")
            yield TraceJob(**{"number": place} | values, **named)  # type: ignore[arg-type]
        except (ValueError, IndexError) as fault:
            yield Fault(reader.line_num + 1, str(fault))


def read_sacct(lines: Iterable[str], header: dict[str, str]) -> Iterator[TraceJob | Fault]:
    """Yield the jobs of a dump; steps are passed over, and a value with line breaks goes on in the next lines."""
    rows = iter(lines)
    names = next(rows, "").rstrip("\n").split("|")
    begun, place = "", 1
    for place, line in enumerate(rows, 2):
        begun += line
        missing = len(names) - 1 - begun.count("|")
        if missing > 0:
            continue
        text, begun = begun.rstrip("\n"), ""
        found = _line(place, names, text.split("|"))
        if found is not None:
            yield found
    if begun:
        yield Fault(place, "the line is cut short")


def _line(place: int, names: list[str], values: list[str]) -> TraceJob | Fault | None:
    """Return the job of a line, None for a step. A bar within a value makes surplus columns: a free text has it."""
    surplus = len(values) - len(names)
    why = f"{len(values)} columns, {len(names)} are named"
    for free in [name for name in FREE if name in names] if surplus else [names[-1]]:
        at = names.index(free)
        joined = [*values[:at], "|".join(values[at : at + surplus + 1]), *values[at + surplus + 1 :]]
        line = dict(zip(names, joined, strict=True))
        if "." in _first(line, "JobIDRaw", "JobID"):
            return None
        try:
            return _accounted(line)
        except (ValueError, SyntaxFault) as fault:
            why = str(fault)
    return Fault(place, why)


def _accounted(line: Line) -> TraceJob:
    """Return the job of one line."""
    return TraceJob(
        number=number(_first(line, "JobIDRaw", "JobID")),
        submit=_instant(_first(line, "Submit")),
        run=_value(line, number, "ElapsedRaw") if line.get("ElapsedRaw") else _value(line, times.span, "Elapsed"),
        allocated=_value(line, number, "AllocCPUS", "NCPUS"),
        processors=_value(line, number, "ReqCPUS", "NCPUS"),
        estimate=_limit(line),
        memory=_memory(line),
        user_name=line.get("User", ""),
        queue_name=line.get("Partition", ""),
        nodes=_value(line, number, "NNodes"),
    )


def _first(line: Line, *names: str) -> str:
    """Return the first of some columns that has a value, "" if none has."""
    return next((line[name] for name in names if line.get(name)), "")


def _value(line: Line, read: Callable[[str], int], *names: str) -> int:
    text = _first(line, *names)
    return read(text) if text else UNKNOWN


def _limit(line: Line) -> int:
    """Return a job's limit in seconds, -1 for none."""
    text = line.get("TimelimitRaw", "") or line.get("Timelimit", "")
    if not text or text in ("UNLIMITED", "Partition_Limit"):
        return UNKNOWN
    return number(text) * 60 if text.isdecimal() else times.span(text)


def _memory(line: Line) -> int:
    """Return the memory for each processor in kB, -1 if it is not given for them."""
    text = line.get("ReqMem", "")
    if text[-1:] == "c":
        return sizes.memory(text[:-1]) * 1024
    return UNKNOWN


def _instant(text: str) -> int:
    found = clock.parse(text)
    if found is None:
        raise ValueError(f"{text[:30]!r} is no time")
    return found
