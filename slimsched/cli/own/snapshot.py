"""`sim snapshot`: save a cluster under a name, and restore it."""

from __future__ import annotations

import os

import click

from slimsched.cli.app import Application

EXAMPLES = """\
\b
Examples:
  sim snapshot save busy
  sim snapshot load busy
"""


@click.group("snapshot", epilog=EXAMPLES)
def command() -> None:
    """Save a cluster under a name and restore it: jobs, scripts, history, configuration and virtual clock.

    Faults and the list of calls are not saved. A live cluster cannot be saved.
    """


@command.command("save")
@click.argument("name")
@click.pass_obj
def save(app: Application, name: str) -> None:
    """Save the cluster under a free name."""
    from slimsched.state import layout, saved

    app.tell_of_waiting()
    saved.save(layout.locate(app.state), name)


@command.command("load")
@click.argument("name")
@click.pass_obj
def load(app: Application, name: str) -> None:
    """Replace the cluster with a saved one.

    The jobs of the present cluster are lost. The saved cluster is kept.
    """
    from slimsched.state import layout, saved

    app.tell_of_waiting()
    for fault in saved.load(layout.locate(app.state), name):
        app.note(str(fault))


@command.command("list")
@click.pass_obj
def listed(app: Application) -> None:
    """List the saved clusters.

    Each line has the name, the time of the clock and the number of jobs.
    """
    from slimsched.state import layout, saved
    from slimsched.text import times

    folder = layout.locate(app.state)
    for name in saved.names(folder):
        now, jobs = _look(os.path.join(layout.saved(folder), name))
        app.out(f"{name:<20} {times.instant(now)} {jobs:>6} jobs")


def _look(path: str) -> tuple[int, int]:
    from slimsched.state.store import Store

    with Store.open(path) as store:
        cluster = store.load()
        return cluster.now, len(cluster.jobs)


@command.command("delete")
@click.argument("name")
@click.pass_obj
def delete(app: Application, name: str) -> None:
    """Delete a saved cluster."""
    from slimsched.state import layout, saved

    app.tell_of_waiting()
    saved.delete(layout.locate(app.state), name)
