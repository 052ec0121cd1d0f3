"""``scrontab``: the crontab of a user, whose entries are jobs. Source: scrontab(1); scenario scrontab."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from slimsched.cli.program import RECORDED, STANDARD, Given, Option, Program
from slimsched.errors import SyntaxFault, UserError

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.controller.core import Controller
    from slimsched.controller.requests.users import User
    from slimsched.controller.submit.crontab import Entry

OPTIONS = (
    Option("", "e", "", "edit the crontab"),
    Option("", "l", "", "show the crontab"),
    Option("", "r", "", "remove the crontab"),
    Option("", "u", "user", "the crontab of this user"),
    Option("", "v", "", "say more", RECORDED, "there are no further messages"),
    *STANDARD[:2],
    Option("version", "V", help="show the version of Slurm that is reproduced"),
)
DIRECTIVE = "#SCRON"
SCRIPT = "#!/bin/sh\n# This job was submitted through scrontab.\n{}\n"
EXAMPLE = """\
# A crontab for Slurm: minute, hour, day of the month, month, day of the week, command.
# Options of sbatch stand in lines of their own ahead of an entry.
#
# #SCRON --time=10
# 0 3 * * * /path/to/command
"""
WRONG = "There are errors in your crontab."


def run(app: Application, given: Given, args: list[str]) -> int:
    """Show, remove, edit or replace a crontab."""
    from slimsched.controller.submit import crontab

    with app.session(write=False) as ctl:
        if not crontab.enabled(ctl):
            raise UserError("scrontab is disabled on this cluster", level="fatal")
        user = _user(ctl, given.last("u"))
        text = ctl.cluster.crontabs.get(user.name)
    if given.has("l"):
        app.out(f"no crontab for {user.name}" if text is None else text.removesuffix("\n"))
        return int(text is None)
    if given.has("r"):
        with app.session() as ctl:
            crontab.remove(ctl, user)
        return 0
    if given.has("e") or (not args and sys.stdin.isatty()):
        return _edit(app, given, user, text)
    _install(app, given, user, _read(args[0] if args else "-"))
    return 0


def _user(ctl: Controller, name: str | None) -> User:
    """Return whose crontab is meant. Raises `UserError`."""
    from slimsched.controller.requests import users

    if name is None:
        return users.invoking(ctl.cluster)
    asker = users.invoking(ctl.cluster)
    if asker.uid and asker.name != name:
        raise UserError("Only root can use -u", level="fatal")
    if users.known(ctl.cluster, name) is None:
        raise UserError(f"Invalid user: {name}", level="fatal")
    return users.resolve(ctl.cluster, name)


def _read(name: str) -> str:
    if name == "-":
        return sys.stdin.read()
    try:
        with open(name, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except OSError as fault:
        raise UserError(f"Could not open file `{name}': {fault.strerror}", level="fatal") from None


def _install(app: Application, given: Given, user: User, text: str) -> None:
    """Make a text the crontab of a user. Raises `UserError`: nothing has changed then."""
    from slimsched.controller.submit import crontab

    try:
        with app.session() as ctl:
            entries = list(_entries(app, ctl, given, user, text))
            for job_id, script in crontab.replace(ctl, user, text, entries):
                app.store.save_script(job_id, script)
    except UserError:
        app.out(WRONG)
        raise


def _entries(app: Application, ctl: Controller, given: Given, user: User, text: str) -> list[Entry]:
    """Return the entries of a crontab. Raises `UserError`."""
    from slimsched.text import cron

    found: list[Entry] = []
    options: list[str] = []
    first = 0
    for place, line in enumerate(text.split("\n")):
        words = line.strip()
        if words.startswith(DIRECTIVE):
            first = first if options else place
            options.append(words.removeprefix(DIRECTIVE))
        if not words or words.startswith("#"):
            continue
        count = 1 if words.startswith("@") else cron.FIELDS
        *fields, command = [*words.split(None, count), ""][: count + 1]
        spec = " ".join(fields)
        try:
            cron.parse(spec)
        except SyntaxFault:
            command = ""
        if not command:
            raise UserError("something is broken", notes=(f"line {place + 1}: {words}",))
        found.append(_entry(app, ctl, given, user, spec, command, options, (first if options else place, place)))
        options = []
    return found


def _entry(
    app: Application,
    ctl: Controller,
    given: Given,
    user: User,
    spec: str,
    command: str,
    options: list[str],
    lines: tuple[int, int],
) -> Entry:
    import shlex

    from slimsched.cli.submit import drafts
    from slimsched.cli.submit.options.request import Draft, read
    from slimsched.controller.submit.crontab import Entry
    from slimsched.slurm.getopt import Scanner
    from slimsched.slurm.options import options_of

    words = [word for line in options for word in shlex.split(line)]
    scanner = Scanner("sbatch", options_of("b"), words, posix=True, exit_code=1)
    try:
        made = Draft(read(scanner))
    except UserError:
        raise UserError(f"Invalid option found in {DIRECTIVE} line: {' '.join(words)}") from None
    if scanner.rest or made.fields.get("array"):
        raise UserError(f"Invalid option found in {DIRECTIVE} line: {' '.join(words)}")
    name = os.path.basename(command.split()[0])
    request = drafts.make_request(app, ctl, made, given, name=name, command="")
    request.submit_line, request.requeue = "", True
    request.cron, request.cron_lines = spec, list(lines)
    if not made.given("chdir"):
        request.work_dir = _home(user)
    return Entry(request, SCRIPT.format(command))


def _home(user: User) -> str:
    import pwd

    try:
        return pwd.getpwuid(user.uid).pw_dir
    except KeyError:
        return "/"


def _edit(app: Application, given: Given, user: User, text: str | None) -> int:
    """Let the user change the crontab in an editor, as often as it has errors and he wants to."""
    import subprocess
    import tempfile

    before = EXAMPLE if text is None else text
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    with tempfile.TemporaryDirectory(prefix="scrontab-") as folder:
        path = os.path.join(folder, "crontab")
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(before)
        while True:
            if subprocess.run(["/bin/sh", "-c", f'{editor} "$0"', path], check=False).returncode:
                raise UserError("editor returned non-zero exit code", level="fatal")
            after = _read(path)
            if after == before and text is not None:
                app.out("No changes to crontab.")
                return 0
            try:
                _install(app, given, user, after)
            except UserError as fault:
                app.err(f"scrontab: error: {fault.message}")
                if app.ask("Do you want to retry the edit? (y/n) ")[:1].lower() != "y":
                    return 1
                continue
            return 0


command = Program("scrontab", OPTIONS, run, summary="Keep the crontab of a user", arguments="[FILE | -]")
