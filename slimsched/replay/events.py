"""Event files of the UB-HPC Slurm simulator: ``-dt SECONDS -e submit_batch_job | SBATCH ARGUMENTS``.

``-sim-walltime SECONDS`` among the arguments tells how long the job runs (-1: until its limit); the script that the
last one names does not exist. Any other kind of event is a bad line.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator

from slimsched.replay.swf import number
from slimsched.replay.trace import Fault, TraceJob

SUBMIT = "submit_batch_job"
RUN = "-sim-walltime"
_NUMBER = re.compile(r"\d+")
_QUOTES = re.compile(r"[\\'\"]")
_WORD = re.compile(r"[^ \t\r\n]+")


def read(lines: Iterable[str], header: dict[str, str]) -> Iterator[TraceJob | Fault]:
    """Yield the jobs; their numbers are those in their names, else they are counted from 1."""
    count = 0
    for place, line in enumerate(lines, 1):
        head, bar, tail = line.partition("|")
        if not head.strip() or head.lstrip().startswith("#"):
            continue
        try:
            before, words = head.split(), _words(tail)
            kind = before[before.index("-e") + 1]
            if kind != SUBMIT or not bar:
                yield Fault(place, f"{kind[:30]!r} is not {SUBMIT}")
                continue
            submit = int(float(before[before.index("-dt") + 1]))
            run = _taken(words, RUN)
        except (ValueError, IndexError, OverflowError) as fault:
            yield Fault(place, str(fault))
            continue
        count += 1
        if words and not words[-1].startswith("-"):
            words.pop()  # the script
        yield TraceJob(_number(words, count), submit, run=number(run), user_name=_user(words), words=tuple(words))


def _words(text: str) -> list[str]:
    """Return the words of a shell's line; one without quotes needs no parser."""
    return shlex.split(text) if _QUOTES.search(text) else _WORD.findall(text)


def _taken(words: list[str], option: str) -> str:
    """Take an option and its value out of the words."""
    place = words.index(option)
    value = words[place + 1]
    del words[place : place + 2]
    return value


def _number(words: list[str], count: int) -> int:
    named = _NUMBER.findall(words[words.index("-J") + 1]) if "-J" in words[:-1] else []
    return int(named[-1]) if named else count


def _user(words: list[str]) -> str:
    return next((word.partition("=")[2] for word in words if word.startswith("--uid=")), "")
