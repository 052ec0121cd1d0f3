"""Batch scripts: finding and checking one, and the options in its ``#SBATCH`` lines."""

from __future__ import annotations

import os
import sys

from slimsched.errors import UserError

MAGIC = "#SBATCH"
WRAPPER = "#!/bin/sh\n\n# This script was created by sbatch --wrap.\n\n{}\n"
NO_SHEBANG = (
    "This does not look like a batch script.  The first\n"
    "line must start with #! followed by the path to an interpreter.\n"
    "For instance: #!/bin/sh"
)
NULL_CHARACTER = "The Slurm controller does not allow scripts that\ncontain a NULL character '\\0'."
DOS_BREAKS = "Batch script contains DOS line breaks (\\r\\n)\ninstead of expected UNIX line breaks (\\n)."


def wrap(command: str) -> str:
    """Return the script for ``--wrap``."""
    return WRAPPER.format(command)


def find(name: str) -> str:
    """Return the full path of a script: as given, or from PATH if the bare name is not here."""
    if os.sep not in name and not os.path.exists(name):
        for folder in os.environ.get("PATH", "").split(os.pathsep):
            candidate = os.path.join(folder, name)
            if folder and os.path.isfile(candidate):
                return os.path.abspath(candidate)
    return os.path.abspath(name)


def load(path: str | None, name: str) -> str:
    """Return the text of a script, standard input's for no path; raise `UserError` if it cannot be one.

    Bytes that are no UTF-8 are kept as surrogates.
    """
    try:
        data = _standard_input() if path is None else _file(path)
    except OSError:
        raise UserError(f"Unable to open file {name}") from None
    problem = _problem(data)
    if problem:
        raise UserError(problem)
    return data.decode("utf-8", "surrogateescape")


def _standard_input() -> bytes:
    return sys.stdin.buffer.read()


def _file(path: str) -> bytes:
    if os.path.isdir(path):
        return b""
    with open(path, "rb") as stream:
        return stream.read()


def _problem(data: bytes) -> str:
    """Return why a script is refused, in the order in which Slurm looks; "" if it is not."""
    checks = (
        (not data, "Batch script is empty!"),
        (not data.strip(), "Batch script contains only whitespace!"),
        (not data.startswith(b"#!"), NO_SHEBANG),
        (b"\0" in data, NULL_CHARACTER),
        (b"\r\n" in data, DOS_BREAKS),
    )
    return next((text for bad, text in checks if bad), "")


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
    """Split a directive: blanks separate, quotes and backslashes protect, an open ``#`` ends it."""
    words: list[str] = []
    word: str | None = None
    quote = ""
    escaped = False
    for char in line[len(MAGIC) :]:
        if escaped:
            word, escaped = (word or "") + char, False
        elif char == "\\":
            escaped = True
        elif quote:
            word, quote = (word or "", "") if char == quote else ((word or "") + char, quote)
        elif char in "\"'":
            word, quote = word or "", char
        elif char == "#":
            break
        elif not char.isspace():
            word = (word or "") + char
        elif word is not None:
            words.append(word)
            word = None
    if quote:
        raise UserError(f"{where}: Unmatched `{quote}` in [{line}]")
    return words if word is None else [*words, word]
