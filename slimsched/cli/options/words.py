"""Readers of words, file names and host lists. See `values` for what a reader is."""

from __future__ import annotations

import os

from slimsched.cli.getopt import UsageFault
from slimsched.cli.options.counts import whole
from slimsched.cli.options.values import BAD_OPTION, invalid
from slimsched.errors import UserError


def exclusive(name: str, value: str | None) -> str:
    """Read whom an allocation is closed to."""
    word = (value or "node").upper()
    if word not in ("NODE", "USER", "MCS", "TOPO"):
        raise invalid(name)
    return word


def open_mode(name: str, value: str | None) -> str:
    """Read append or truncate, or their first letters."""
    words = {"a": "append", "append": "append", "t": "truncate", "truncate": "truncate"}
    if value not in words:
        raise invalid(name)
    return words[value]


DISTRIBUTIONS = frozenset({"arbitrary", "block", "cyclic", "plane", "*", "fcyclic"})


def distribution(name: str, value: str | None) -> str:
    """Read how tasks are laid out: ``block:cyclic,pack`` and the like."""
    spec = (value or "").lower()
    head, *options = spec.split(",")
    levels = head.split(":")
    first, _, size = levels[0].partition("=")
    known = first in DISTRIBUTIONS and (not size or (first == "plane" and whole(size) is not None))
    if not known or len(levels) > 3 or not DISTRIBUTIONS.issuperset(levels[1:]):
        raise invalid(name)
    if any(option not in ("pack", "nopack") for option in options):
        raise invalid(name)
    return spec


MAIL_TYPES = (
    *("NONE", "BEGIN", "END", "FAIL", "REQUEUE", "ALL", "INVALID_DEPEND", "STAGE_OUT", "ARRAY_TASKS"),
    *("TIME_LIMIT", "TIME_LIMIT_50", "TIME_LIMIT_80", "TIME_LIMIT_90"),
)


def mail_type(name: str, value: str | None) -> str:
    """Read a list of mail events."""
    words = (value or "").upper().split(",")
    if not set(words).issubset(MAIL_TYPES):
        raise invalid(name)
    return ",".join(words)


def signal(name: str, value: str | None) -> str:
    """Read ``[[R][B]:]signal[@seconds]``; the text is kept."""
    import signal as signals

    spec = value or ""
    flags, colon, rest = spec.partition(":")
    word, at, ahead = (rest if colon else spec).partition("@")
    bare = word.upper().removeprefix("SIG")
    number = whole(word)
    known = hasattr(signals, f"SIG{bare}") if number is None else 0 < number < 65
    if not known or (colon and flags.upper() not in ("R", "B", "RB", "BR")) or (at and not (whole(ahead) or 0) >= 0):
        raise invalid(name)
    if at and whole(ahead) is None:
        raise invalid(name)
    return spec


def from_file(name: str, value: str | None) -> str:
    """Return the argument, or what the file ``@FILE`` holds."""
    path = value or ""
    if not path.startswith("@"):
        return path
    try:
        with open(path[1:], encoding="utf-8") as stream:
            return stream.read()
    except (OSError, ValueError) as error:
        raise UserError(f"--{name}: {path[1:]}: {getattr(error, 'strerror', None) or 'no UTF-8 text'}") from None


def user_env(name: str, value: str | None) -> str:
    """Read the mode letter that older versions take; a number alone is refused as today's version refuses it."""
    mode = (value or "").lstrip("0123456789").upper()
    if value is not None and mode not in ("L", "S"):
        raise UsageFault("sbatch", f"option '--{name}' doesn't allow an argument", BAD_OPTION)
    return mode


def path(name: str, value: str | None) -> str:
    """Return a directory's full path."""
    return os.path.abspath(value or "")


def filename(name: str, value: str | None) -> str:
    """Return a file name pattern; ``none`` is /dev/null."""
    return "/dev/null" if (value or "").lower() == "none" else value or ""


def hosts(name: str, value: str | None) -> str:
    """Read a hostlist, or the file that holds one if it has a slash."""
    from slimsched.text import hostlist

    spec = value or ""
    if "/" in spec:
        return hostfile(name, spec)
    try:
        hostlist.expand(spec, dialect="slurm")
    except ValueError:
        raise UserError("Invalid node list specified", level="fatal") from None
    return spec


def hostfile(name: str, value: str | None) -> str:
    """Read the nodes named in a file, one or several a line."""
    try:
        with open(value or "", encoding="utf-8", errors="replace") as stream:
            return ",".join(stream.read().replace(",", " ").split())
    except OSError:
        raise UserError("Invalid node list specified", level="fatal") from None
