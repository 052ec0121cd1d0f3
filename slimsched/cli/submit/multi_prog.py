"""The file of ``srun --multi-prog``: which task runs what. Source: srun(1), "MULTIPLE PROGRAM CONFIGURATION"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from slimsched.errors import UserError

WORDS = re.compile(r"""(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+""")
RANGE = re.compile(r"([0-9]+)(-?)([0-9]*)")
LARGEST = 60000
"""The bytes of a file that a message of Slurm's can carry."""


Lines = Sequence[tuple[int, Sequence[str]]]
"""The number and the words of each line that says something."""


def count(path: str, tasks: int | None) -> int:
    """Return how many tasks the file is for: ``tasks``, or as many as it names. Raises `UserError` for a wrong one."""
    return _counted(path, list(_lines(path)), tasks)


def _counted(path: str, lines: Lines, tasks: int | None) -> int:
    found, total, last = set[int](), tasks or 1, False
    for number, words in lines:
        try:
            if len(words) < 2:
                raise UserError("")
            if words[0] == "*":
                found, last, tasks = {*found, *range(total)}, True, total
                continue
            if last:
                raise UserError("Task range specification with asterisk must be last")
            for first, final in _ranges(words[0]):
                if final >= total:
                    if tasks is not None:
                        raise UserError(f"Invalid task id, {final} >= ntasks")
                    total = final + 1
                if twice := found.intersection(range(first, final + 1)):
                    raise UserError(f"Duplicate record for task {min(twice)}")
                found.update(range(first, final + 1))
        except UserError as fault:
            lead = f"{fault}\n" if str(fault) else ""
            raise UserError(f"{lead}Line {number} of configuration file {path} invalid") from fault
    for rank in range(total):
        if rank not in found:
            raise UserError(f"Configuration file {path} invalid, no record for task id {rank}")
    return total


def read(path: str, tasks: int) -> Sequence[Sequence[str]]:
    """Return the words of each task's command. Raises `UserError`."""
    lines = list(_lines(path))
    _counted(path, lines, tasks)
    found: dict[int, Sequence[str]] = {}
    for _, words in lines:
        ranges = [(0, tasks - 1)] if words[0] == "*" else _ranges(words[0])
        ranks = [rank for first, final in ranges for rank in range(first, final + 1)]
        for offset, rank in enumerate(ranks):
            found.setdefault(rank, [_meant(word, rank, offset) for word in words[1:]])
    return [found[rank] for rank in range(tasks)]


def _lines(path: str) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the number and the words of each line that says something; one that ends in a backslash goes on."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read(LARGEST + 1)
    except OSError as fault:
        raise UserError(f"Could not open multi_prog config file {path}") from fault
    if len(text) > LARGEST:
        raise UserError(f"Multi_prog config file {path} is too large")
    begun, whole = 0, ""
    for number, line in enumerate([*text.split("\n"), ""], 1):
        begun = begun or number
        whole += line.removesuffix("\\")
        if line.endswith("\\"):
            whole += " "
            continue
        if (words := WORDS.findall(whole)) and not words[0].startswith("#"):
            yield begun, words
        begun, whole = 0, ""


def _ranges(text: str) -> Sequence[tuple[int, int]]:
    """Return the first and last ranks of ``0,2-3``. Raises `UserError`."""
    found = []
    for item in filter(None, text.split(",")):
        match = RANGE.fullmatch(item)
        if match is None:
            named = "" if RANGE.match(item) and "-" in item else f" ({item})"
            raise UserError(f"Invalid task range specification{named}")
        first, final = int(match[1]), int(match[3] or 0) if match[2] else int(match[1])
        if first > final:
            raise UserError(f"Invalid task range, {first}-{final}")
        found.append((first, final))
    return found


def _meant(word: str, rank: int, offset: int) -> str:
    """Return a word without its quotes; outside of them ``%t`` is the task and ``%o`` its place in the range."""
    if word[0] in "'\"":
        return word[1:-1]
    return word.replace("%t", str(rank)).replace("%o", str(offset))
