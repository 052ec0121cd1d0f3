"""What a batch script does not do although it looks so: directives that are none, and times of a simulated job.

Imported only where a script is doubtful.
"""

from __future__ import annotations

import re

from slimsched.cli.submit.script import MAGIC
from slimsched.text import alike

LATE = "{}: line {}: {} is ignored, because line {} is a command already"
UNFOLLOWED = (
    "{}: line {}: the job is simulated {}: what is in an if is left out, loops run once; --sim-runtime=1h says how long"
)
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


def unfollowed(script: str, name: str, seconds: int | None) -> list[str]:
    """Return the note on a ``sleep`` in a branch or a loop, which a simulated job does not follow."""
    depth = 0
    for number, line in enumerate(script.split("\n"), 1):
        for word in re.findall(r"(?<![\w./$-])(?:if|for|while|until|case|fi|done|esac|sleep)(?![\w./-])", _code(line)):
            if word == "sleep" and depth:
                lasts = "without end" if seconds is None else f"for {seconds} s"
                return [UNFOLLOWED.format(name, number, lasts)]
            depth += {"fi": -1, "done": -1, "esac": -1, "sleep": 0}.get(word, 1)
    return []


def _code(line: str) -> str:
    """Return a line without its comment and what is quoted in it."""
    bare = re.sub(r"'[^']*'|\"[^\"]*\"", "''", line)
    return bare.partition(" #")[0] if not bare.lstrip().startswith("#") else ""


def _cut(line: str) -> str:
    return line if len(line) <= 60 else f"{line[:57]}..."
