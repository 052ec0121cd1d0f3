"""How long a script would run, as far as it can be read off: its plain ``sleep`` and ``exit`` commands.

Nothing is executed or expanded. A command counts if it stands at the beginning of a line or behind ``;``, ``&&``,
``||`` or ``|``, also behind ``srun`` with its options; what hides in loops, functions or variables does not.
"""

from __future__ import annotations

from typing import NamedTuple

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
SEPARATORS = (";", "&&", "||", "|", "\n")
LONGEST = 0x7FFFFFFF
"""Seconds beyond which a sleep counts as endless."""


class Plan(NamedTuple):
    """Seconds that a script runs (``None``: without end) and the exit code of a final plain ``exit``."""

    seconds: int | None
    exit_code: int


def plan(script: str) -> Plan:
    """Return the plan of a batch script."""
    total = 0.0
    exit_code = 0
    for words in _commands(script):
        exit_code = 0
        if words[0] == "sleep":
            for word in words[1:]:
                total += seconds(word)
        elif words[0] == "exit":
            exit_code = int(words[1]) & 0xFF if len(words) > 1 and words[1].isdecimal() and len(words[1]) < 10 else 0
            break
    return Plan(None if total > LONGEST else int(total + 0.5), exit_code)


def _commands(script: str) -> list[list[str]]:
    """Return the words of each simple command, behind ``srun`` its program's."""
    found = []
    for line in script.split("\n"):
        if "sleep" not in line and "exit" not in line:
            if line.strip() and not line.lstrip().startswith("#"):
                found.append(["other"])
            continue
        if line.lstrip().startswith("#"):
            continue
        for separator in SEPARATORS:
            line = line.replace(separator, "\n")
        for part in line.split("\n"):
            words = part.split("#", 1)[0].split() if " #" in part else part.split()
            words = _behind_srun([word.rstrip("&") for word in words if word != "&"])
            if words:
                found.append(words)
    return found


def _behind_srun(words: list[str]) -> list[str]:
    """Drop a leading ``srun`` with its options, to the first ``sleep`` or ``exit``."""
    if words and words[0] == "srun":
        for i, word in enumerate(words):
            if word in {"sleep", "exit"}:
                return words[i:]
    return words


def seconds(word: str) -> float:
    """Return the seconds of one argument of ``sleep``; 0 for one that is no number."""
    number, unit = (word[:-1], UNITS[word[-1]]) if word[-1:] in UNITS else (word, 1)
    if number.lower() in {"inf", "infinity"}:
        return float(LONGEST) * 2
    if not number.replace(".", "", 1).isdecimal() or not number.isascii():
        return 0.0
    return float(number) * unit if len(number) < 20 else float(LONGEST) * 2
