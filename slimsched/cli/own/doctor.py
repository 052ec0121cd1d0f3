"""`sim doctor`: check the state directory, and repair it."""

from __future__ import annotations

import click

from slimsched.cli.app import Application

FINE, REPAIRED, DAMAGED = 0, 1, 2


@click.command(name="doctor")
@click.option("--rebuild", is_flag=True, help="Repair damaged files; the old ones are kept beside the new ones.")
@click.pass_obj
def command(app: Application, /, *, rebuild: bool) -> int:
    """Check every file of the state directory, and what the cluster rests on: settings, plugins, clock, runs, PATH.

    Exits 0 if all is well, 1 after a repair, 2 if something is damaged.
    """
    from slimsched.state import doctor, salvage
    from slimsched.state.layout import locate

    app.tell_of_waiting()
    folder = locate(app.state)
    done = []
    if rebuild:
        from slimsched.executor.local import runs

        done = salvage.rebuild(folder, runs.refuse)
    for line in done:
        app.out(f"repaired  {line}")
    damaged = False
    from slimsched.cli.own import surroundings

    for finding in dict.fromkeys((*doctor.check(folder), *surroundings.check(folder))):
        app.out(f"{finding.status:<8}  {finding.path}: {finding.text}")
        if finding.status == doctor.DAMAGED:
            damaged = True
            app.out(f"{'':<8}  {finding.repair}")
    return DAMAGED if damaged else REPAIRED if done else FINE
