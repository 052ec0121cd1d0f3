"""The file of ``srun --multi-prog``: which task runs what. Source: srun(1), "MULTIPLE PROGRAM CONFIGURATION"."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

from slimsched.errors import SyntaxFault, UserError
from slimsched.text import idset

WORDS = re.compile(r"""(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+""")


def read(path: str, tasks: int) -> Sequence[Sequence[str]]:
    """Return the words of each task's command. Raises `UserError`."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().replace("\\\n", " ").split("\n")
    except OSError as fault:
        raise UserError(f"Could not open multi_prog config file {path}") from fault
    found: dict[int, Sequence[str]] = {}
    for number, line in enumerate(lines, 1):
        words = WORDS.findall(line)
        if not words or words[0].startswith("#"):
            continue
        ranks = _ranks(words[0], tasks)
        if ranks is None or len(words) < 2:
            lead = f"Invalid task range specification ({words[0]})\n" if ranks is None else ""
            raise UserError(f"{lead}Line {number} of configuration file {path} invalid")
        for offset, rank in enumerate(ranks):
            if rank < tasks and rank not in found:
                found[rank] = [_meant(word, rank, offset) for word in words[1:]]
    for rank in range(tasks):
        if rank not in found:
            raise UserError(f"Configuration file {path} invalid, no record for task id {rank}")
    return [found[rank] for rank in range(tasks)]


def _ranks(text: str, tasks: int) -> Sequence[int] | None:
    if text == "*":
        return range(tasks)
    try:
        ranges = idset.ranges(text)
    except SyntaxFault:
        return None
    return [rank for first, last in ranges for rank in range(first, min(last, tasks) + 1)]


def _meant(word: str, rank: int, offset: int) -> str:
    """Return a word without its quotes; outside of them ``%t`` is the task and ``%o`` its place in the range."""
    if word[0] in "'\"":
        return os.fsdecode(word[1:-1])
    return word.replace("%t", str(rank)).replace("%o", str(offset))
