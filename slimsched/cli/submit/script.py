"""Batch scripts: finding and checking one, and the options in its ``#SBATCH`` lines."""

from __future__ import annotations

import os
import sys

from slimsched.errors import UserError
from slimsched.text import source

MAGIC = "#SBATCH"
WRAPPER = "#!/bin/sh\n# This script was created by sbatch --wrap.\n\n{}\n"
NO_SHEBANG = (
    "This does not look like a batch script.  The first\n"
    "line must start with #! followed by the path to an interpreter.\n"
    "For instance: #!/bin/sh"
)
NULL_CHARACTER = "The Slurm controller does not allow scripts that\ncontain a NULL character '\\0'."
DOS_BREAKS = "Batch script contains DOS line breaks (\\r\\n)\ninstead of expected UNIX line breaks (\\n)."

EMPTY = "Batch script is empty!"
HINTS = {
    EMPTY: "name a file that holds the script, or give a command: --wrap 'COMMAND'",
    NO_SHEBANG: "to submit a program that is not a script: sbatch --wrap {}",
    DOS_BREAKS: "to mend it: sed -i 's/\\r$//' {}",
}
"""Complaint about a script -> our note."""


def wrap(command: str) -> str:
    """Return the script for ``--wrap``."""
    return WRAPPER.format(command)


def find(name: str) -> str:
    """Return the full path of a script: the first of its name in PATH, else the one here."""
    if not name.startswith((".", os.sep)):
        for folder in (*filter(None, os.environ.get("PATH", "").split(os.pathsep)), os.curdir):
            candidate = os.path.join(folder, name)
            if os.path.exists(candidate) and not os.path.isdir(candidate):
                return os.path.abspath(candidate)
    return os.path.abspath(name)


def load(path: str | None, name: str) -> str:
    """Return the text of a script, standard input's for no path; raise `UserError` if it cannot be one.

    Bytes that are no UTF-8 are kept as surrogates.
    """
    try:
        data = sys.stdin.buffer.read(source.MOST) if path is None else _file(path)
    except OSError:
        note = _unreadable(name)
        raise UserError(f"Unable to open file {name}", notes=(note,) if note else ()) from None
    problem = _problem(data)
    if problem:
        inside = "{} is a directory; name the script in it"
        note = inside if path and os.path.isdir(path) else HINTS.get(problem, "")
        raise UserError(problem, notes=(note.format(name or "FILE"),) if note else ())
    return data.decode("utf-8", "surrogateescape")


def _unreadable(name: str) -> str:
    """Return a note on a script that cannot be opened, "" if there is nothing to add."""
    from slimsched.text import alike

    folder = os.path.dirname(name) or "."
    try:
        there = os.listdir(folder)
    except OSError:
        return f"there is no directory {folder!r}"
    if os.path.basename(name) in there:
        return ""
    return f"no file {name!r}{alike.meant(os.path.basename(name), there)}"


def _file(path: str) -> bytes:
    if os.path.isdir(path):
        return b""
    return source.read_bytes(path)


def _problem(data: bytes) -> str:
    """Return why a script is refused, in the order in which Slurm looks; "" if it is not."""
    checks = (
        (not data, EMPTY),
        (not data.strip(), "Batch script contains only whitespace!"),
        (not data.startswith(b"#!"), NO_SHEBANG),
        (b"\0" in data, NULL_CHARACTER),
        (b"\r\n" in data, DOS_BREAKS),
    )
    return next((text for bad, text in checks if bad), "")


def doubtful(script: str) -> bool:
    """Whether comments in a script look like directives that are misspelt or come too late."""
    ahead = True
    for line in script.split("\n"):
        if line[:1] != "#":
            ahead = ahead and not line.strip()
        elif " -" in line and line.startswith(MAGIC) != ahead:
            return True
    return False


def branches(script: str) -> bool:
    """Whether a script may sleep in a branch or in a loop."""
    return "sleep" in script and any(word in f"{script}\n" for word in ("fi\n", "done", "esac", "fi;"))


def directives(script: str, name: str) -> list[str]:
    """Return the words of all ``#SBATCH`` lines ahead of the first command; ``name`` is for complaints."""
    words: list[str] = []
    for number, line in enumerate(script.split("\n"), 1):
        if line.startswith(MAGIC):
            words += _words(line, f"{name}: line {number}")
        elif line.strip() and not line.lstrip().startswith("#"):
            break
    return words


def _words(line: str, where: str) -> list[str]:
    """Split a directive: blanks separate, quotes and backslashes protect, an open ``#`` or an empty word ends it."""
    words: list[str] = []
    word, quote, escaped = "", "", False
    started = False  # whether a word has begun, be it by a quote
    rest = len(MAGIC)  # where what follows the last word begins
    for place, char in enumerate(line[len(MAGIC) :] + " ", len(MAGIC)):
        if escaped:
            word, started, escaped = word + char, True, False
        elif char == "\\":
            started = escaped = True
        elif quote:
            word, quote = (word, "") if char == quote else (word + char, quote)
        elif char in "\"'":
            started, quote = True, char
        elif not (char.isspace() or char == "#"):
            word, started = word + char, True
        elif started or char == "#":
            words += [word] if word else []
            if char == "#" or not word:
                break
            word, started, rest = "", False, place
    if quote:
        raise UserError(f"{where}: Unmatched `{quote}` in [{line[rest:]}]", level="fatal")
    return words
