"""The progress bar of a long advance, on standard error."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from slimsched.text import times


class Bar:
    """Shows how far the clock has come from ``start`` to ``target``; with no target, only where it is."""

    def __init__(self, start: int, target: int | None) -> None:
        self._start = start
        columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
        total = None if target is None else max(1, target - start)
        self._task = self._progress.add_task(times.instant(start), total=total)
        self._progress.start()

    def show(self, now: int) -> None:
        """Move on to ``now``."""
        self._progress.update(self._task, completed=now - self._start, description=times.instant(now))

    def close(self) -> None:
        """Remove the bar from the screen."""
        self._progress.stop()
