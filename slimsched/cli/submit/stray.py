"""Lines of a batch script that look like directives and are none; imported only where a script is doubtful."""

from __future__ import annotations

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
