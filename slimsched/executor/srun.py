"""The command line of ``srun`` within a script: the step that it makes, and its program."""

from __future__ import annotations

from slimsched.errors import SyntaxFault
from slimsched.model.job import Step
from slimsched.slurm.getopt import Scanner, UsageFault
from slimsched.slurm.options import options_of
from slimsched.text import times
from slimsched.text.sizes import is_number

OPTIONS = options_of("s")
USAGE = 255  # exit status of an srun that cannot read its command line


def read(words: list[str]) -> tuple[Step, list[str]]:
    """Read the options of ``srun``; return the step and the words of its program, none if an option is wrong."""
    step, scanner = Step(""), Scanner("srun", OPTIONS, words, posix=True)
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
        step.name, step.exit_code = name or called, int(called == "false")
    return step, program


def _minutes(text: str) -> int | None:
    """Return a time limit, or None if the text is not one."""
    try:
        found = times.time_limit(text)
    except SyntaxFault:
        return None
    return None if found == times.INFINITE else found
