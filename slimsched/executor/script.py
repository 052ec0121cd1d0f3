"""The plan of a batch script: how long it would run, and its steps, as far as its text tells.

Nothing is executed or expanded. ``sleep`` takes its time, in the background until a ``wait``; ``false`` fails, ``exit``
ends the script, ``srun`` makes a step; every other program takes no time. What counts as a command says `commands`.
"""

from __future__ import annotations

from functools import cache

from slimsched.errors import SyntaxFault
from slimsched.model.job import SIGTERM, Step
from slimsched.model.record import Record
from slimsched.slurm.getopt import Option, Scanner, UsageFault
from slimsched.text import times
from slimsched.text.sizes import is_number

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
LONGEST = 0x7FFFFFFF
"""Seconds beyond which a sleep counts as endless."""

SHELLS = ("bash", "sh")
TELLING = ("sleep", "exit", "false", "srun")
"""A script without these words takes no time and succeeds."""

MOST = 1000
"""Steps that are kept of one script."""


class ScriptPlan(Record):
    """Seconds that a script runs (``None``: without end), its exit code, and its steps.

    ``exit_rule``: an expression that gives the exit code of a task of an array, "" if all end alike.
    """

    seconds: int | None
    exit_code: int
    steps: list[Step]
    exit_rule: str = ""


def plan(script: str, restarts: int = 0) -> ScriptPlan:
    """Return the plan of a batch script, of a job that was requeued so often."""
    if not any(word in script for word in TELLING):
        return ScriptPlan(0, 0, [])
    from slimsched.executor.commands import commands

    steps: list[Step] = []
    now = behind = 0.0
    exit_code, exit_rule = 0, ""
    for command in commands(script, restarts):
        step, program = _step(command.words)
        name = program[0].rpartition("/")[2] if program else ""
        lasts, ended = _outcome(program, name)
        if step is not None and step.time_limit is not None and lasts > step.time_limit * 60:
            lasts, step.signal = step.time_limit * 60.0, SIGTERM
        if step is not None and name:
            step.exit_code = ended
        if step is not None and name and len(steps) < MOST:
            step.begin, step.end = int(min(now, LONGEST)), int(min(now + lasts, LONGEST))
            steps.append(step)
        if name == "exit" and step is None and not command.inner:
            exit_code = _status(program, exit_code)
            exit_rule = _rule(program)
            break
        if command.background:
            behind = max(behind, now + lasts)
            continue
        now = max(now, behind) if name == "wait" else now + lasts
        exit_code = step.exit_code if step is not None else ended
    return ScriptPlan(None if now > LONGEST else int(now + 0.5), exit_code, steps, exit_rule)


def _rule(words: list[str]) -> str:
    """Return the expression of ``exit``, "" if it does not ask for the task's number."""
    if len(words) < 2 or "$" not in words[1]:
        return ""
    from slimsched.executor import arithmetic

    return arithmetic.rule(words[1])


def _outcome(program: list[str], name: str) -> tuple[float, int]:
    """Return the seconds that a program runs, and its exit code; of a shell's ``-c`` those of its commands."""
    if name == "sleep":
        return sum(map(seconds, program[1:])), 0
    if name in SHELLS and program[1:2] == ["-c"] and len(program) > 2:
        inner = plan(program[2])
        return LONGEST * 2.0 if inner.seconds is None else float(inner.seconds), inner.exit_code
    return 0.0, int(name == "false")


def _step(words: list[str]) -> tuple[Step | None, list[str]]:
    """Return the step that a command makes, if it makes one, and the words of its program."""
    if words[0].rpartition("/")[2] != "srun":
        return None, words
    step, program = srun_step(words[1:])
    step.line = " ".join(words)
    return step, program


def _status(words: list[str], last: int) -> int:
    """Return the status of ``exit``, by itself that of the ``last`` command; 0 if it cannot be told."""
    if len(words) < 2:
        return last
    return int(words[1]) & 0xFF if is_number(words[1]) else 0


def seconds(word: str) -> float:
    """Return the seconds of one argument of ``sleep``; 0 if it is not a number."""
    number, unit = (word[:-1], UNITS[word[-1]]) if word[-1:] in UNITS else (word, 1)
    if number.lower() in {"inf", "infinity"}:
        return float(LONGEST) * 2
    if not number.replace(".", "", 1).isdecimal() or not number.isascii():
        return 0.0
    return float(number) * unit if len(number) < 20 else float(LONGEST) * 2


USAGE = 255  # exit status of an srun that cannot read its command line


def srun_step(words: list[str]) -> tuple[Step, list[str]]:
    """Read the options of ``srun``; return the step and the words of its program, none if an option is wrong."""
    step, scanner = Step(""), Scanner("srun", _options(), words, posix=True)
    try:
        given = {option.name: value for option, value in scanner}
    except UsageFault:
        step.exit_code = USAGE
        return step, []
    tasks, name = given.get("ntasks") or "", given.get("job-name") or ""
    step.tasks = int(tasks) if is_number(tasks, 7) else step.tasks
    step.time_limit = _minutes(given["time"] or "") if "time" in given else None
    program = scanner.rest
    if program:
        called = program[0].rpartition("/")[2]
        step.name = name or called
    return step, program


@cache
def _options() -> tuple[Option, ...]:
    """Return the options of ``srun``; few scripts make a step."""
    from slimsched.slurm.options import options_of

    return options_of("s")


def _minutes(text: str) -> int | None:
    """Return a time limit, or None if the text is not one."""
    try:
        found = times.time_limit(text)
    except SyntaxFault:
        return None
    return None if found == times.INFINITE else found
