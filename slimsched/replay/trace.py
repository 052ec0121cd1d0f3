"""The trace: the jobs of a workload in the order of their submission, whatever the format that they were read from.

A `Reader` yields a `TraceJob` for each line and a `Fault` for a line that it cannot use. `Trace` goes through a file
twice: once to count, and to find out whether the jobs are in order, and once, job by job, for the replay.
"""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import IO, NamedTuple

from slimsched.errors import UserError

UNKNOWN = -1
"""What the Standard Workload Format writes for a value that is not known."""

MOST_SHOWN = 5
"""Bad lines whose faults are kept; the others are only counted."""

LONGEST = 100 * 366 * 86_400
"""Seconds: how far after the first submission others are believed, and how long jobs run. The clock has an end, too."""

GZIP = b"\x1f\x8b"


class TraceJob(NamedTuple):
    """One job of a trace; times in its seconds, memory in kB for each processor, -1 where it does not say.

    The first 18 are the fields of the Standard Workload Format in their order. ``words``: the job's own sbatch
    arguments, ``user_name`` and the like: names, where a format has them instead of numbers.
    """

    number: int
    submit: int
    wait: int = UNKNOWN
    run: int = UNKNOWN
    allocated: int = UNKNOWN
    cpu_time: int = UNKNOWN
    used_memory: int = UNKNOWN
    processors: int = UNKNOWN
    estimate: int = UNKNOWN
    memory: int = UNKNOWN
    status: int = UNKNOWN
    user: int = UNKNOWN
    group: int = UNKNOWN
    application: int = UNKNOWN
    queue: int = UNKNOWN
    partition: int = UNKNOWN
    preceding: int = UNKNOWN
    think: int = UNKNOWN
    user_name: str = ""
    queue_name: str = ""
    nodes: int = UNKNOWN
    words: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """The processors that it asks for, or else those that it had."""
        return self.processors if self.processors > 0 else self.allocated

    @property
    def owner(self) -> str:
        """Its user's name."""
        return self.user_name or (f"user{self.user}" if self.user >= 0 else "unknown")


class Fault(NamedTuple):
    """A line that is not used: its number, from 1, and why."""

    line: int
    why: str


Reader = Callable[[Iterable[str], dict[str, str]], Iterator[TraceJob | Fault]]
"""Yields what the lines of a file hold, and puts its header's directives into the dict."""


class Survey:
    """What a first look at a trace found. ``skipped``: why -> number of lines; ``largest``: processors of a job."""

    def __init__(self) -> None:
        self.header: dict[str, str] = {}
        self.jobs = self.largest = 0
        self.first = 0  # submission
        self.ordered = True
        self.skipped: Counter[str] = Counter()
        self.faults: list[Fault] = []

    def fault(self, fault: Fault) -> None:
        """Count a bad line."""
        self.skipped["bad lines"] += 1
        if len(self.faults) < MOST_SHOWN:
            self.faults.append(fault)


class Choice(NamedTuple):
    """The part of a trace that is replayed: from the job numbered ``start`` on, ``jobs`` of them.

    ``load``: how many times as dense the arrivals are.
    """

    start: int | None = None
    jobs: int | None = None
    load: float = 1.0


class Trace:
    """A file with a workload; see the module."""

    def __init__(self, path: str, reader: Reader, choice: Choice) -> None:
        self.path, self._reader, self._choice = path, reader, choice
        self.survey = self._look()

    def __iter__(self) -> Iterator[TraceJob]:
        """Yield the jobs by submission; those of one instant in the order of the file."""
        if self.survey.ordered:
            return self._jobs(Survey())
        return iter(sorted(self._jobs(Survey()), key=lambda job: job.submit))

    def _look(self) -> Survey:
        survey, before = Survey(), None
        for job in self._jobs(survey):
            survey.jobs += 1
            survey.largest = max(survey.largest, job.size)
            survey.ordered &= before is None or before <= job.submit
            survey.first = job.submit if before is None else min(survey.first, job.submit)
            before = job.submit
        if not survey.jobs:
            raise UserError(f"{self.path}: no job to replay", notes=tuple(notes(survey)))
        return survey

    def _jobs(self, survey: Survey) -> Iterator[TraceJob]:
        """Yield the chosen jobs; what is passed over is counted."""
        jobs = self._usable(survey)
        return islice(jobs if self._choice.load == 1 else self._scaled(jobs), self._choice.jobs)

    def _usable(self, survey: Survey) -> Iterator[TraceJob]:
        begun, first = self._choice.start is None, None
        with opened(self.path) as lines:
            for item in self._reader(lines, survey.header):
                if isinstance(item, Fault):
                    survey.fault(item)
                    continue
                begun = begun or item.number == self._choice.start
                if not begun:
                    survey.skipped["before --from"] += 1
                elif item.run <= 0 and not item.words:
                    survey.skipped["without a run time"] += 1
                elif item.size <= 0 and not item.words:
                    survey.skipped["without a number of processors"] += 1
                elif max(item.run, item.estimate, 0 if first is None else abs(item.submit - first)) > LONGEST:
                    survey.skipped["with times of more than 100 years"] += 1
                else:
                    first = item.submit if first is None else first
                    yield item

    def _scaled(self, jobs: Iterator[TraceJob]) -> Iterator[TraceJob]:
        """Yield the jobs with their arrivals closer together, or further apart, counted from the first one."""
        load, first = self._choice.load, None
        for job in jobs:
            first = job.submit if first is None else first
            after = (job.submit - first) / load
            if abs(after) > LONGEST:
                raise UserError(f"--scale-load {load:g}: jobs would arrive more than 100 years after the first")
            yield job._replace(submit=first + int(after))


@contextmanager
def opened(path: str) -> Iterator[IO[str]]:
    """Open a text, packed by gzip or not, with a byte order mark or not."""
    if not os.path.isfile(path):
        raise UserError(f"{path}: {'is a directory' if os.path.isdir(path) else 'No such file or directory'}")
    with open(path, "rb") as raw:
        packed = raw.read(2) == GZIP
        raw.seek(0)
        with io.TextIOWrapper(gzip.GzipFile(fileobj=raw) if packed else raw, "utf-8-sig", "replace") as text:
            try:
                yield text
            except (EOFError, zlib.error, OSError) as fault:
                raise UserError(f"{path}: {fault}") from None


def notes(survey: Survey) -> Iterator[str]:
    """Yield what is to be said of the lines that are not replayed."""
    for why, count in sorted(survey.skipped.items()):
        yield f"{count} {'lines' if why == 'bad lines' else 'jobs'} passed over: {why}"
    for fault in survey.faults:
        yield f"line {fault.line}: {fault.why}"
