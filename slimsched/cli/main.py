"""The command ``sim``: it finds the subcommand in a static table, imports only that one, and runs it.

Two lanes lead from the table. A program of Slurm's or Grid Engine's is run from here without Click, whose import
would cost a fifth of its time; everything else goes through the group in `group`, where every entry is a Click
command. Both lanes read and run a program by the same methods (`program.Program`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from slimsched import ASKER
from slimsched.cli.app import Application, asker_restored, release
from slimsched.cli.subcommands import COMMANDS, WITHOUT_CLICK, load


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit code; without ``argv`` run the process's own and end the process."""
    if sys.platform == "win32":
        sys.stderr.write("sim: error: slimsched runs on Linux and macOS; on Windows use it inside WSL.\n")
        return 1
    app = Application()
    if argv is not None:
        with asker_restored():
            code = app.guard(lambda: _dispatch(app, list(argv)))
            release()
        return code
    code = app.guard(lambda: _dispatch(app, sys.argv[1:]))
    sys.stderr.flush()
    os._exit(code)  # ending the interpreter normally would take a tenth of a command's time


def _dispatch(app: Application, args: list[str]) -> int:
    """Take our own leading options, then run a program directly and everything else through Click."""
    start = _leading_options(app, args)
    entry = COMMANDS.get(args[start]) if start < len(args) else None
    if entry is not None and entry.kind in WITHOUT_CLICK:
        app.subcommand = args[start]
        return int(load(args[start]).main(app, args[start + 1 :]))
    from slimsched.cli.group import run

    return run(app, args[start:])


def _leading_options(app: Application, args: list[str]) -> int:
    """Note ``--state DIR`` and ``--as USER`` ahead of the subcommand; return where the rest begins."""
    place = 0
    while place < len(args):
        word, equals, value = args[place].partition("=")
        if word not in ("--state", "--as") or (not equals and place + 1 >= len(args)):
            break
        value = value if equals else args[place + 1]
        if word == "--state":
            app.state = value
        else:
            os.environ[ASKER] = value
        place += 1 if equals else 2
    return place


if __name__ == "__main__":
    sys.exit(main())
