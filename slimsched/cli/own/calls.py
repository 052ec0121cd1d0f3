"""`sim calls`: the commands that the cluster received."""

from __future__ import annotations

import click

from slimsched.cli.app import Application
from slimsched.errors import UserError


@click.command("calls")
@click.option("--on", is_flag=True, help="Start the list.")
@click.option("--off", is_flag=True, help="Stop the list and delete it.")
@click.option("--clear", is_flag=True, help="Start an empty list.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line, with time, process, directory.")
@click.pass_obj
def command(app: Application, on: bool, off: bool, clear: bool, as_json: bool) -> None:
    """List the commands of Slurm and Grid Engine that the cluster received, with their arguments, oldest first.

    `sim calls --on` starts the list. It also contains commands that were refused for a wrong option, and commands
    that a fault answered.
    """
    from slimsched.state import calls, layout, setup

    if on + off + clear + as_json > 1:
        raise UserError("--on, --off, --clear and --json exclude each other")
    folder = layout.locate(app.state)
    if on or clear:
        setup.ensure(folder)
        calls.switch_on(folder, anew=clear)
    elif off:
        calls.switch_off(folder)
    else:
        _print(app, folder, as_json)


def _print(app: Application, folder: str, as_json: bool) -> None:
    import json
    from shlex import join

    from slimsched.state import calls

    found = calls.read(folder)
    if found is None:
        raise UserError("no list of the commands is kept", notes=("sim calls --on begins one",))
    for call in found:
        whole = {name: getattr(call, name) for name in call.__struct_fields__}
        app.out(json.dumps(whole) if as_json else join([call.command, *call.args]))
