"""The command line of ``srun`` within a script: the step that it makes, and its program."""

from __future__ import annotations

from slimsched.errors import SyntaxFault
from slimsched.model.job import Step
from slimsched.text import times
from slimsched.text.sizes import is_number

FLAGS = frozenset(
    {
        *("--exact", "--exclusive", "--overlap", "--label", "--unbuffered"),
        *("--pty", "--quiet", "--verbose", "--no-kill", "--overcommit"),
        *("--kill-on-bad-exit", "--preserve-env", "--multi-prog", "--external", "--immediate"),
        *("--contiguous", "--disable-status", "--oversubscribe", "--spread-job", "--use-min-nodes"),
        *("--hold",),
    }
)
"""Long options of ``srun`` that take no word of their own."""

SHORT_FLAGS = frozenset("lvuQHOskKIbX")


def read(words: list[str]) -> tuple[Step, list[str]]:
    """Read the options of ``srun``; return the step and the words of its program."""
    step, at = Step(""), 0
    while at < len(words) and words[at].startswith("-"):
        name, equals, value = words[at].partition("=")
        if not equals:
            name, value, at = _value(words, at)
        if name in {"-n", "--ntasks"} and is_number(value, 7):
            step.tasks = int(value)
        elif name in {"-t", "--time"}:
            step.time_limit = _minutes(value)
        elif name in {"-J", "--job-name"}:
            step.name = value
        at += 1
    program = words[at:]
    if program:
        step.name = step.name or program[0].rpartition("/")[2]
        step.exit_code = int(program[0] == "false")
    return step, program


def _minutes(text: str) -> int | None:
    """Return a time limit, None for one that is none."""
    try:
        found = times.time_limit(text)
    except SyntaxFault:
        return None
    return None if found == times.INFINITE else found


def _value(words: list[str], at: int) -> tuple[str, str, int]:
    """Return an option's name, its value and the place of its last word."""
    word = words[at]
    if word.startswith("--"):
        if word in FLAGS or at + 1 >= len(words):
            return word, "", at
        return word, words[at + 1], at + 1
    if word[1:2] in SHORT_FLAGS:
        return word, "", at
    if len(word) > 2:
        return word[:2], word[2:], at
    return word, words[at + 1] if at + 1 < len(words) else "", at + 1
