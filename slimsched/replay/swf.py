"""The Standard Workload Format: 18 numbers a line, ``;`` before a comment, ``; Key: value`` in the header.

MetaCentrum's variant has three columns more: a list of nodes, the queue, and what the job asked for
(``2:ppn=4:x86_64``). Lines with fewer columns than 18 are common; what is missing is not known (-1).

Source: Feitelson, "The Standard Workload Format", Parallel Workloads Archive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from slimsched.replay.trace import UNKNOWN, Fault, TraceJob

LEAST = 5
"""Columns of the shortest line that says what a replay needs: the last is the number of processors."""

FIELDS = 18

BLANK = [TraceJob._field_defaults.get(field) for field in TraceJob._fields]
"""What a line that is cut short says of the fields that it lacks."""

MOST = 10**13
"""The largest number that is believed: memory in kB, and instants in seconds, stay far below it."""


def read(lines: Iterable[str], header: dict[str, str]) -> Iterator[TraceJob | Fault]:
    """Yield the jobs of a trace."""
    for place, line in enumerate(lines, 1):
        text = line.strip()
        if text.startswith(";"):
            key, colon, value = text.lstrip("; ").partition(":")
            if colon and key.isidentifier():
                header.setdefault(key, value.strip())
        elif text:
            yield _job(place, text.split())


def _job(place: int, words: list[str]) -> TraceJob | Fault:
    if len(words) < LEAST:
        return Fault(place, f"{len(words)} columns, at least {LEAST} are needed")
    try:
        numbers = _numbers(words)
    except ValueError as fault:
        return Fault(place, str(fault))
    if max(numbers) > MOST:
        return Fault(place, f"{max(numbers)} is too large")
    job = TraceJob._make(numbers + BLANK[len(numbers) :])
    if job.submit < 0:
        return Fault(place, "no time of submission")
    return job if len(words) <= FIELDS else _longer(job, words[FIELDS:])


def _numbers(words: list[str]) -> list[int]:
    """Return the numbers of a line; nearly all lines have whole ones only."""
    told = words[:FIELDS]
    try:
        return [*map(number if "_" in "".join(told) else int, told)]
    except ValueError:
        return [*map(number, told)]


def _longer(job: TraceJob, more: list[str]) -> TraceJob:
    """Return the job of a MetaCentrum line; its parts with different nodes count as one request for processors."""
    queue, spec = (*more[1:3], "", "")[:2]
    count, _, rest = spec.partition("#")[0].partition(":")
    plain = count.isdecimal() and rest.startswith("ppn=") and "+" not in spec
    return job._replace(queue_name=queue, nodes=int(count) if plain else UNKNOWN)


def number(text: str) -> int:
    """Return a number, rounded to a whole one (some traces have fractions of seconds); ValueError if it is none."""
    with suppress(ValueError, OverflowError):  # what is not finite has no whole number
        if not set(text.lower()) & set("_nxi"):
            return int(text) if text.strip().lstrip("+-").isdigit() else round(float(text))
    raise ValueError(f"{text[:20]!r} is not a number") from None
