"""The steps of a script, as far as they can be read off: its plain ``srun`` commands, one after the other.

As in `slimsched.executor.script` nothing is executed or expanded: ``sleep`` takes its time, ``false`` fails, and every
other program takes none.
"""

from __future__ import annotations

from slimsched.executor.script import LONGEST, SEPARATORS, seconds
from slimsched.model.job import Step

MOST = 1000
"""Steps that are kept of one script."""

FLAGS = frozenset(
    {
        *(
            "--exact",
            "--exclusive",
            "--overlap",
            "--label",
            "--unbuffered",
            "--pty",
            "--quiet",
            "--verbose",
            "--no-kill",
        ),
        *("--overcommit", "--kill-on-bad-exit", "--preserve-env", "--multi-prog", "--external", "--immediate"),
        *("--contiguous", "--disable-status", "--oversubscribe", "--spread-job", "--use-min-nodes", "--hold"),
    }
)
"""Long options of ``srun`` that take no word of their own."""

SHORT_FLAGS = frozenset("lvuQHOskKIbX")


def steps(script: str, *, to_the_end: bool = False) -> list[Step]:
    """Return the steps of a batch script; ``to_the_end``: the last one lasts as long as the job."""
    found: list[Step] = []
    now = 0.0
    for words in _commands(script):
        step, program = _read(words[1:]) if words[0] == "srun" else (None, words)
        lasts = sum(map(seconds, program[1:])) if program[:1] == ["sleep"] else 0.0
        if step is not None and program and len(found) < MOST:
            step.begin, step.end = int(min(now, LONGEST)), int(min(now + lasts, LONGEST))
            found.append(step)
        now += lasts
        if program[:1] == ["exit"]:
            break
    if to_the_end and found:
        found[-1].end = None
    return found


def _commands(script: str) -> list[list[str]]:
    """Return the words of each simple command that matters."""
    found = []
    for line in script.split("\n"):
        if line.lstrip().startswith("#"):
            continue
        for separator in SEPARATORS:
            line = line.replace(separator, "\n")
        for part in line.split("\n"):
            words = [word for word in part.split() if word != "&"]
            if words and words[0] in {"srun", "sleep", "exit"}:
                found.append(words)
    return found


def _read(words: list[str]) -> tuple[Step, list[str]]:
    """Read the options of ``srun``; return the step and the words of its program."""
    step, at = Step(""), 0
    while at < len(words) and words[at].startswith("-"):
        name, equals, value = words[at].partition("=")
        if not equals:
            name, value, at = _value(words, at)
        if name in {"-n", "--ntasks"} and value.isascii() and value.isdigit() and len(value) < 8:
            step.tasks = int(value)
        elif name in {"-J", "--job-name"}:
            step.name = value
        at += 1
    program = words[at:]
    if program:
        step.name = step.name or program[0].rpartition("/")[2]
        step.exit_code = int(program[0] == "false")
    return step, program


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
