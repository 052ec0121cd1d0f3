"""``sleep`` and ``date`` for scripts on a simulated cluster: they move its virtual clock, and show it.

Under the wall clock both are what they always are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from slimsched.cli.program import STANDARD, Given, Option, Program
from slimsched.errors import UserError
from slimsched.text import zone

if TYPE_CHECKING:
    from slimsched.cli.app import Application

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
HINT = "\nTry 'sleep --help' for more information."
ELSEWHERE = ("-d", "--date", "-f", "--file", "-r", "--reference", "-s", "--set", "--version", "--resolution")
"""How words of ``date`` begin that ask for another time than the present, or for none."""

WEEKDAY = re.compile(r"\b(mon|tue|wed|thu|fri|sat|sun)", re.IGNORECASE)
"""What of a time cannot be added to another one."""


def _sleep(app: Application, given: Given, args: list[str]) -> None:
    """Move the clock by the sum of the times; a part of a second counts as a whole one."""
    if not args:
        raise UserError(f"sleep: missing operand{HINT}", level="plain")
    seconds = sum(map(_seconds, args))
    app.moved = True  # by what the command says, not by [clock] step
    with app.session() as ctl:
        if virtual := ctl.cluster.config.clock == "virtual":
            from slimsched.controller.schedule import event_loop

            event_loop.advance(ctl, ctl.cluster.now + -int(-seconds // 1))
    if not virtual:
        import time

        time.sleep(seconds)


def _seconds(text: str) -> float:
    """Return the seconds of one word: ``1.5``, ``10m``."""
    number, unit = (text[:-1], text[-1]) if text[-1:] in UNITS else (text, "s")
    try:
        seconds = float(number) * UNITS[unit]
    except ValueError:
        seconds = -1
    if not 0 <= seconds < float("inf"):
        raise UserError(f"sleep: invalid time interval \u2018{text}\u2019{HINT}", level="plain")
    return seconds


def _date(app: Application, given: Given, args: list[str]) -> int:
    """Let the system's ``date`` show the virtual present."""
    import sys

    real, words = _real("date"), args
    with app.session(write=False) as ctl:
        virtual, now = ctl.cluster.config.clock == "virtual", ctl.cluster.now
    if virtual:
        timezone = ctl.cluster.config.clock_timezone or zone.UTC
        if timezone != zone.LOCAL:
            os.environ.setdefault("TZ", timezone)
        if any(word.startswith(ELSEWHERE) for word in args):
            words = next((said for said in _readings(args, now) if _understood(real, said)), args)
        else:
            words = [f"-d@{now}" if sys.platform.startswith("linux") else f"-r{now}", *args]
    sys.stdout.flush()
    return os.spawnv(os.P_WAIT, real, ["date", *words])


def _understood(real: str, words: list[str]) -> bool:
    """Whether ``date`` makes something of a time."""
    import subprocess

    return not subprocess.run([real, *words], capture_output=True, check=False).returncode


def _readings(args: Sequence[str], now: int) -> Iterable[list[str]]:
    """Yield the words with a time of ``-d`` that starts from the virtual present: from its instant, then its day."""
    import time

    place = next((n for n, word in enumerate(args) if word.startswith(("-d", "--date="))), None)
    if place is None:
        return
    before, word, after = args[:place], args[place], args[place + 1 :]
    text = word.partition("=")[2] if word.startswith("--") else word[2:]
    if word == "-d" and after:
        text, after = after[0], after[1:]
    if WEEKDAY.search(text):
        raise UserError(
            f"date: a day of the week cannot be found on the virtual clock: \u2018{text}\u2019", level="plain"
        )
    for form in ("%Y-%m-%d %H:%M:%S UTC", "%Y-%m-%d"):
        given = f"{time.strftime(form, time.gmtime(now) if 'UTC' in form else time.localtime(now))} {text}"
        yield [*before, f"--date={given}", *after]


def _real(name: str) -> str:
    """Return the path of a program of the system, past our own script of that name."""
    import shutil

    from slimsched.cli.own.shims import MARK

    for folder in os.get_exec_path():
        found = shutil.which(name, path=folder)
        if found:
            with open(found, "rb") as file:
                if MARK.encode() not in file.read(200):
                    return found
    raise UserError(f"{name}: the system has no such program", level="plain")


HELP = STANDARD[:2]


class _Untouched(Program):
    """A program whose words are left to another one, unless help is all that is asked."""

    def scan(self, argv: Sequence[str]) -> tuple[Iterable[tuple[Option, str | None]], list[str]]:
        """Return the option that a line consists of, else none."""
        found = [(option, None) for option in HELP if [*argv] == [f"--{option.long}"]]
        return found, [] if found else list(argv)


sleep = Program(
    "sleep",
    HELP,
    _sleep,
    summary="Move the virtual clock, as sleep(1) lets time pass",
    arguments="NUMBER[smhd]...",
    posix=True,
)
date = _Untouched(
    "date", HELP, _date, summary="Show the virtual clock, as date(1) shows the time", arguments="[words...]"
)
date.options = HELP  # --state among the words would be for the other program
