"""The history as lines: instant, who did it by which command, what happened to what, and the details."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from slimsched.text import times

Event = Mapping[str, Any]

SUBJECTS = ("job", "node", "reservation", "partition", "complex", "plugin")
"""Details that name the record of an event."""

INSTANTS = frozenset({"start", "end"})
"""Details that are seconds since 1970."""


class Entry(NamedTuple):
    """One event with the commit that it belongs to."""

    seq: int
    command: str
    user: str
    event: Event


class Tasks:
    """The jobs that are tasks of an array, as far as the history has been read."""

    def __init__(self) -> None:
        self.of: dict[int, tuple[int, int]] = {}  # job id -> array, task

    def learn(self, event: Event) -> None:
        """Note a task that got its own record."""
        job, array, task = event.get("job"), event.get("array"), event.get("task")
        if event.get("event") == "split" and isinstance(job, int) and isinstance(array, int) and isinstance(task, int):
            self.of[job] = array, task

    def label(self, job: object) -> str:
        """Return a job's id, with array and task if it is one."""
        known = self.of.get(job) if isinstance(job, int) else None
        return f"{job} ({known[0]}_{known[1]})" if known else str(job)

    def concerns(self, event: Event, job_id: int, task: int | None) -> bool:
        """Whether an event is about a job, all of an array's tasks, or one task of it."""
        job = event.get("job")
        if not isinstance(job, int):
            return False
        if event.get("event") == "preempt" and event.get("by") == job_id:
            return True
        array, number = self.of.get(job, (job, None))
        if task is not None:
            return array == job_id and number in (task, None)
        return job_id in (job, array)


def chosen(
    entries: Iterable[Entry], tasks: Tasks, job_id: int | None = None, task: int | None = None
) -> Iterator[Entry]:
    """Yield the events about a job (``task``: of an array), or all of them."""
    for entry in entries:
        tasks.learn(entry.event)
        if job_id is None or tasks.concerns(entry.event, job_id, task):
            yield entry


def line(entry: Entry, tasks: Tasks) -> str:
    """Return an event as a line; control characters are spelled out."""
    event = entry.event
    at = event.get("time")
    when = times.instant(at) if isinstance(at, int) else ""
    name = next((name for name in SUBJECTS if name in event), "")
    what = f"{name} {tasks.label(event[name]) if name == 'job' else event[name]}" if name else ""
    told = {"event", "time", name, *(("array", "task") if event.get("event") == "split" else ())}
    more = " ".join(_detail(key, value) for key, value in event.items() if key not in told and value)
    by = f"{entry.user or '-'}:{entry.command or '-'}"
    return escaped(f"{when:<19}  {by:<16} {event.get('event', '?')!s:<18} {what:<16} {more}".rstrip())


def _detail(key: str, value: object) -> str:
    if key in INSTANTS and isinstance(value, int):
        return f"{key}={times.instant(value)}"
    return value if key == "fields" and isinstance(value, str) else f"{key}={value}"


def escaped(text: str) -> str:
    """Return a text with control characters spelled out, so that data neither drives a terminal nor breaks a line."""
    return text if text.isprintable() else "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def as_json(entry: Entry) -> str:
    """Return an event as one line of JSON; instants are seconds since 1970."""
    return json.dumps({"seq": entry.seq, "command": entry.command, "by": entry.user, **entry.event})
