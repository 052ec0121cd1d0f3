"""``sim events``: the journal as a readable history."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import click

from slimsched.cli.own.job_argument import JobArgument
from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.render.history import Entry
    from slimsched.slurm.job_ids import JobId

PAUSES = (0.1, 0.2, 0.5, 1.0)
"""Seconds between two looks at the files; they grow while nothing happens."""


@click.command("events")
@click.argument("spec", metavar="[JOBID]", required=False, type=JobArgument(ended=True))
@click.option("-f", "--follow", is_flag=True, help="Keep printing as more happens, until interrupted.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line; times are seconds since 1970.")
@click.pass_obj
def command(app: Application, spec: JobId | None, follow: bool, as_json: bool) -> None:
    """Print the history, oldest first: the time, the user and command, the event, and the record it concerned.

    With JOBID print only the events of that job. The id of an array means all of its tasks; 7_3 is one of them.
    """
    from slimsched.render import history as printer

    task = int(spec.tasks) if spec and spec.tasks.isdigit() else None
    tasks = printer.Tasks()
    shown: Callable[[Entry], str] = printer.as_json if as_json else lambda entry: printer.line(entry, tasks)
    told = spec is None or follow  # the job to follow may not exist yet
    for batch in _batches(app, follow):
        lines = [shown(entry) for entry in printer.chosen(batch, tasks, spec.job_id if spec else None, task)]
        told = told or bool(lines)
        app.out("".join(f"{line}\n" for line in lines), end="")
        sys.stdout.flush()
    if not told and spec is not None:
        raise UserError(f"Invalid job id specified: {spec.text}", notes=("the history does not name this job",))


class _History:
    """Reads the journal piece by piece, without holding the lock in between."""

    def __init__(self, app: Application) -> None:
        from slimsched.state.journal import History

        self._app = app
        self._known = History()
        self._seen: tuple[object, ...] = ()

    def more(self) -> list[Entry]:
        """Return what was added since the last call; all of it if the cluster was made anew."""
        from slimsched.render.history import Entry

        with self._app.session(write=False):
            self._seen = self._app.store.growth()  # under the lock: what comes after it will be noticed
            return [
                Entry(commit.seq, commit.command, commit.user, event)
                for commit in self._app.store.history(self._known)
                for event in commit.events
            ]

    def wait(self) -> None:
        """Return when the journal has grown since it was read."""
        looks = 0
        while self._app.store.growth() == self._seen:
            time.sleep(PAUSES[min(looks // 10, len(PAUSES) - 1)])
            looks += 1


def _batches(app: Application, follow: bool) -> Iterator[list[Entry]]:
    """Yield the history so far, and with ``follow`` what is added to it."""
    history = _History(app)
    yield history.more()
    while follow:
        history.wait()
        yield history.more()
