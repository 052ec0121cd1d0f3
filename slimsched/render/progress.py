"""The progress bars of long advances and replays, on standard error."""

from __future__ import annotations

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from slimsched.text import times


class Bar:
    """Shows how far the clock has come from ``start`` to ``target`` (None: only where it is), and how fast it goes."""

    def __init__(self, start: int, target: int | None) -> None:
        self._start = start
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(),
        )
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
        total = None if target is None else max(1, target - start)
        self._task = self._progress.add_task(times.instant(start), total=total, rate="")
        self._progress.start()

    def show(self, now: int) -> None:
        """Move on to ``now``."""
        speed = self._progress.tasks[0].speed
        rate = f"{times.elapsed(int(speed))} a second" if speed else ""
        self._progress.update(self._task, completed=now - self._start, description=times.instant(now), rate=rate)

    def close(self) -> None:
        """Remove the bar from the screen."""
        self._progress.stop()


class JobsBar:
    """Shows how many jobs of a trace have been submitted, how many that is a second, and the time left."""

    def __init__(self, total: int) -> None:
        columns = (
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
        )
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._progress.add_task("", total=total, rate="jobs")
        self._progress.start()

    def show(self, submitted: int) -> None:
        """Move on to so many jobs."""
        speed = self._progress.tasks[0].speed
        rate = f"jobs, {speed:.0f} a second" if speed else "jobs"
        self._progress.update(self._task, completed=submitted, rate=rate)

    def close(self) -> None:
        """Remove the bar from the screen."""
        self._progress.stop()
