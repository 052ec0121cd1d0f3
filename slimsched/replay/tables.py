"""Traces as tables with a line of names: what ``sacct --parsable2`` prints, and CSV."""

from __future__ import annotations

import csv
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice

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

_PART = re.compile(r"(_\d+|_\[.*\]|\+\d+)$")
"""What tells a task of an array, or a component of a heterogeneous job, from the others in a JobID."""

MOST_LINES = 50
"""Lines that a value with line breaks may have."""

NEEDED = ("submit", "run", "processors")


DELIMITERS = ",;\t|"


def read_csv(lines: Iterable[str], header: dict[str, str]) -> Iterator[TraceJob | Fault]:
    """Yield the jobs of a table with commas, semicolons, tabs or bars; jobs without a number are numbered from 1."""
    rows = _Lines(lines)
    first = rows.first()
    delimiter = max(DELIMITERS, key=first.count)
    names = [name.strip().lower() for name in _columns(first, delimiter)]
    columns = {field: names.index(n) for field, known in CSV_NAMES.items() for n in reversed(known) if n in names}
    missing = [field for field in NEEDED if field not in columns]
    if missing:
        yield Fault(rows.place, f"no column for {missing[0]}: {' or '.join(CSV_NAMES[missing[0]])}")
        return
    number_of_row = 0
    while rows.more():
        rows.taken.clear()
        try:
            row = next(csv.reader(rows, delimiter=delimiter, strict=True), [])
            if len(row) < 2 and not "".join(row).strip():
                continue
            number_of_row += 1
            yield _of_row(row, columns, number_of_row)
        except (ValueError, csv.Error) as fault:
            yield Fault(rows.again(), str(fault))


class _Lines(Iterator[str]):
    """Lines with their numbers; those behind the first of a record that is wrong can be read again.

    So a quote that nobody closes costs its own line, not the rest of the file.
    """

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines, self._put_back = iter(lines), deque[str]()
        self.place = 0  # of the last line that was read
        self.taken: list[str] = []

    def __next__(self) -> str:
        line = self._put_back.popleft() if self._put_back else next(self._lines)
        self.place += 1
        self.taken.append(line)
        return line

    def first(self) -> str:
        """Return the first line that is not blank."""
        return next((line for line in self if line.strip()), "")

    def more(self) -> bool:
        """Whether there is another line."""
        if not self._put_back:
            self._put_back.extend(islice(self._lines, 1))
        return bool(self._put_back)

    def again(self) -> int:
        """Put all lines back but the first of those taken; return its number."""
        again = self.taken[1:]
        self._put_back.extendleft(reversed(again))
        self.place -= len(again)
        return self.place


def _columns(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return []


def _of_row(row: list[str], columns: Mapping[str, int], count: int) -> TraceJob:
    """Return the job of a row. Raises ValueError."""
    if len(row) <= max(columns.values()):
        raise ValueError(f"{len(row)} columns, {max(columns.values()) + 1} are needed")
    found = {field: row[column].strip() for field, column in columns.items()}
    named = {field: found.pop(field) for field in ("user_name", "queue_name") if field in found}
    values = {field: number(text) if text else UNKNOWN for field, text in found.items()}
    if max(values.values()) > MOST or values["submit"] < 0:
        raise ValueError("a number is out of range")
    return TraceJob(**{"number": count} | values, **named)  # type: ignore[arg-type]


def read_sacct(lines: Iterable[str], header: dict[str, str]) -> Iterator[TraceJob | Fault]:
    """Yield the jobs of a dump; steps are passed over, and a value with line breaks goes on in the next lines."""
    rows = _Lines(lines)
    names = rows.first().rstrip("\r\n").split("|")
    bars = len(names) - 1
    while rows.more():
        rows.taken.clear()
        begun = ""
        for line in rows:
            if begun and line.count("|") >= bars:
                break  # a line by itself: what was begun is not continued
            begun += line
            if begun.count("|") >= bars or not begun.strip() or len(rows.taken) == MOST_LINES:
                break
        if not begun.strip():
            continue
        whole = begun.count("|") >= bars
        found = _line(names, begun.rstrip("\r\n").split("|")) if whole else "the line is cut short"
        if found is not None:
            yield Fault(rows.again(), found) if isinstance(found, str) else found


def _line(names: list[str], values: list[str]) -> TraceJob | str | None:
    """Return the job of a line, None for a step, or what is wrong.

    A bar within a value makes surplus columns: a free text has it.
    """
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
    return why


def _accounted(line: Line) -> TraceJob:
    """Return the job of one line. Raises ValueError."""
    job = TraceJob(
        number=number(_PART.sub("", _first(line, "JobIDRaw", "JobID"))),
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
    if max(value for value in job if isinstance(value, int)) > MOST:
        raise ValueError("a number is out of range")
    return job


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
        raise ValueError(f"{text[:30]!r} is not a time")
    return found
