"""The metrics of a schedule. They are gathered row by row, in columns of numbers, so that a million jobs take little.

Waits, slowdowns and responses are those of the jobs that ran. Bounded slowdown: (wait + run) / max(run, 10 s), at least
1.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from slimsched.replay.rows import Row

BOUND = 10
"""Seconds: shorter jobs count as so long, or a wait of a second would look like a disaster."""

LENGTHS = ((60, "to 1 min"), (600, "to 10 min"), (3600, "to 1 h"), (28_800, "to 8 h"), (1 << 62, "longer"))
SIZES = ((1, "1 processor"), (8, "2 to 8"), (64, "9 to 64"), (512, "65 to 512"), (1 << 62, "more"))


class Line(NamedTuple):
    """One metric. ``unit``: s, %, or "" for a plain number; ``value`` None: it cannot be said of these jobs."""

    name: str
    unit: str
    value: float | None


class Group(NamedTuple):
    """A class of jobs."""

    name: str
    jobs: int
    wait: float
    slowdown: float


class Summary:
    """What is said of a schedule on a machine with so many processors."""

    def __init__(self, processors: int) -> None:
        self.processors = processors
        self.jobs = self.never = self.killed = self.backfilled = 0
        self.waits, self.runs, self.sizes = array("q"), array("q"), array("q")
        self.submits, self.starts, self.ends = array("q"), array("q"), array("q")
        self.slowdowns = array("d")
        self._late = array("q")  # actual less planned start
        self._users: dict[str, tuple[int, float]] = {}  # jobs and sum of slowdowns

    def add(self, row: Row) -> None:
        """Take in a job."""
        self.jobs += 1
        if not row.ran:
            self.never += 1
            return
        self.killed += row.state == "TIMEOUT"
        self.backfilled += row.scheduler == "Backfill"
        wait = row.wait
        slow = slowdown(wait, row.run)
        self.waits.append(wait)
        self.runs.append(row.run)
        self.sizes.append(row.procs)
        self.submits.append(row.submit)
        self.starts.append(row.start)
        self.ends.append(row.end)
        self.slowdowns.append(slow)
        if row.planned >= 0:
            self._late.append(row.start - row.planned)
        count, total = self._users.get(row.user, (0, 0.0))
        self._users[row.user] = count + 1, total + slow

    def lines(self) -> list[Line]:
        """Return the metrics in the order of the table."""
        waits = sorted(self.waits)
        slow = sorted(self.slowdowns)
        ran = len(waits)
        longest, queued = self._queue()
        return [
            Line("jobs", "", self.jobs),
            Line("never started", "", self.never),
            Line("killed at the limit", "", self.killed),
            Line("mean wait", "s", _mean(waits)),
            Line("median wait", "s", _quantile(waits, 0.5)),
            Line("95 % of waits below", "s", _quantile(waits, 0.95)),
            Line("longest wait", "s", waits[-1] if waits else None),
            Line("mean bounded slowdown", "", _mean(slow)),
            Line("median bounded slowdown", "", _quantile(slow, 0.5)),
            Line("mean response", "s", (sum(waits) + sum(self.runs)) / ran if ran else None),
            Line("makespan", "s", self.makespan),
            Line("utilisation", "%", self.utilisation),
            Line("mean queue length", "", queued),
            Line("longest queue", "", longest),
            Line("backfilled jobs", "%", 100 * self.backfilled / ran if ran else None),
            Line("fairness by user", "", self.fairness),
            Line("mean delay past the planned start", "s", _mean(self._late)),
            Line("started as planned", "%", self._as_planned()),
        ]

    def values(self) -> dict[str, float | None]:
        """Return the metrics by name."""
        return {line.name: line.value for line in self.lines()}

    @property
    def makespan(self) -> float | None:
        """Seconds from the first submission to the last end."""
        return max(self.ends) - min(self.submits) if self.ends else None

    @property
    def utilisation(self) -> float | None:
        """Processor time used, in per cent of what the machine had until the last end."""
        whole = (self.makespan or 0) * self.processors
        used = sum(map(int.__mul__, self.runs, self.sizes))
        return 100 * used / whole if whole else None

    @property
    def fairness(self) -> float | None:
        """Jain's index of the users' mean bounded slowdowns: 1 if all have the same, 1/n if one bears it all."""
        means = [total / count for count, total in self._users.values()]
        return sum(means) ** 2 / (len(means) * sum(m * m for m in means)) if means else None

    def by_length(self) -> list[Group]:
        """Return the classes by run time."""
        return self._groups(self.runs, LENGTHS)

    def by_size(self) -> list[Group]:
        """Return the classes by number of processors."""
        return self._groups(self.sizes, SIZES)

    def _groups(self, column: Iterable[int], classes: tuple[tuple[int, str], ...]) -> list[Group]:
        limits = [most for most, _ in classes]
        jobs, waited, slow = [0] * len(classes), [0] * len(classes), [0.0] * len(classes)
        for value, wait, slowed in zip(column, self.waits, self.slowdowns, strict=True):
            place = bisect_left(limits, value)
            jobs[place] += 1
            waited[place] += wait
            slow[place] += slowed
        columns = zip(classes, jobs, waited, slow, strict=True)
        return [Group(name, n, wait / n, slowed / n) for (_, name), n, wait, slowed in columns if n]

    def _queue(self) -> tuple[float | None, float | None]:
        """Return the longest queue, after the pass of an instant, and the mean one until the last end."""
        if not self.makespan:
            return (None, None) if not self.waits else (0, 0)
        waiting = [(s, e) for s, e in zip(self.submits, self.starts, strict=True) if e > s]
        arrivals, leaves = sorted(s for s, _ in waiting), sorted(e for _, e in waiting)
        longest = gone = 0
        for count, instant in enumerate(arrivals, 1):
            while leaves[gone] <= instant:
                gone += 1
            longest = max(longest, count - gone)
        return longest, sum(self.waits) / self.makespan

    def _as_planned(self) -> float | None:
        return 100 * sum(late == 0 for late in self._late) / len(self._late) if self._late else None


def of(rows: Iterable[Row], processors: int) -> Summary:
    """Return the summary of a schedule."""
    made = Summary(processors)
    for row in rows:
        made.add(row)
    return made


def slowdown(wait: int, run: int) -> float:
    """Return the bounded slowdown of a job."""
    return max(1.0, (wait + run) / max(run, BOUND))


def _mean(values: Iterable[float]) -> float | None:
    total, count = 0.0, 0
    for value in values:
        total, count = total + value, count + 1
    return total / count if count else None


def _quantile(ordered: list[float] | list[int], share: float) -> float | None:
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


def as_json(summary: Summary) -> Mapping[str, object]:
    """Return the summary as plain JSON values."""
    return {
        "metrics": summary.values(),
        "by length": {group.name: group[1:] for group in summary.by_length()},
        "by size": {group.name: group[1:] for group in summary.by_size()},
    }


def shown(line: Line) -> str:
    """Return a metric's value for a table."""
    return "-" if line.value is None else plain(line.value) + (f" {line.unit}" if line.unit else "")


def plain(value: float) -> str:
    """Return a number with thousands apart; fractions with three digits, where they are small."""
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.3f}" if abs(value) < 1000 else f"{value:,.1f}"


def rows_of(groups: Iterable[Group]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a table of classes."""
    for group in groups:
        yield group.name, f"{group.jobs:,}", plain(group.wait), plain(group.slowdown)
