"""Lines of a batch script that look like directives and are none, and what else a refused script may have meant.

Imported only where a script is doubtful or refused.
"""

from __future__ import annotations

import os
import shlex

from slimsched.cli.submit.script import MAGIC
from slimsched.text import alike

LATE = "{}: line {}: {} is ignored, because line {} is a command already"
MISSPELT = "{}: line {}: {} is a comment; did you mean {}?"


def remarks(script: str, name: str) -> list[str]:
    """Return a note for each line that Slurm silently ignores although it was surely meant."""
    found: list[str] = []
    command = 0  # number of the first line that is one
    for number, line in enumerate(script.split("\n"), 1):
        word, _, rest = line.removeprefix("#").strip().partition(" ")
        if not line.startswith("#"):
            command = command or (number if line.strip() else 0)
        elif not rest.lstrip().startswith("-") or line.startswith("##"):
            continue
        elif line.startswith(f"{MAGIC} "):
            if command and "<<" not in script:  # a script within the script has lines of its own
                found.append(LATE.format(name, number, _cut(line), command))
        elif not command and alike.near(word, [MAGIC[1:]]):
            found.append(MISSPELT.format(name, number, _cut(line), f"{MAGIC} {rest.strip()}"))
    return found


def _cut(line: str) -> str:
    return line if len(line) <= 60 else f"{line[:57]}..."


def unreadable(name: str) -> str:
    """Return a note on a script that cannot be opened, "" if there is nothing to add."""
    folder = os.path.dirname(name) or "."
    try:
        there = os.listdir(folder)
    except OSError:
        return f"there is no directory {shlex.quote(folder)}"
    if os.path.basename(name) in there:
        return ""
    return f"no file {name!r}{alike.meant(os.path.basename(name), there)}"
