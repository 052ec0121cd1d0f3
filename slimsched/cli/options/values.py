"""Readers of option values: text in, the value of a `JobRequest` field out, Slurm's complaint otherwise.

A reader gets the option's long name and its argument (None without one). Where an option has no field of its own
in the table, its reader returns a dict of fields. A wrong value ends the command with 255, except for the plain
counts, where Slurm's number reader ends it with 1 (oracle SURPRISES D29).
"""

from __future__ import annotations

import os

from slimsched.cli.getopt import UsageFault
from slimsched.errors import UserError

BAD_OPTION = 255
NICE_LIMIT = 2147483645
NO_VAL = 4294967294  # Slurm's "no value"; priorities stay below it
TOP = NO_VAL - 1
MAX_COUNT = 2147483647
MAX_MEMORY = 1 << 62


def _invalid(name: str, preface: str = "") -> UserError:
    return UserError(f"Invalid --{name} specification", exit_code=BAD_OPTION, preface=preface)


# plain


def text(name: str, value: str | None) -> str:
    """Return the argument as it is."""
    return value or ""


def recorded(name: str, value: str | None) -> str:
    """Return what is recorded of an option that changes nothing."""
    return value or ""


def flag(name: str, value: str | None) -> bool:
    """Return True: the option was given."""
    return True


def no(name: str, value: str | None) -> bool:
    """Return False for an option that switches something off."""
    return False


def yes_no(name: str, value: str | None) -> bool:
    """Read yes or no."""
    word = (value or "").lower()
    if word not in ("yes", "no"):
        raise _invalid(name)
    return word == "yes"


def requeue(name: str, value: str | None) -> bool:
    """Read the optional ``expedite`` of ``--requeue``."""
    if value not in (None, "expedite"):
        raise _invalid(name)
    return True


# numbers


def whole(value: str) -> int | None:
    """Return a decimal number, None for anything else."""
    digits = value[1:] if value[:1] in ("-", "+") else value
    return int(value) if digits.isascii() and digits.isdigit() and len(digits) < 20 else None


def positive(name: str, value: str | None) -> int:
    """Read a count of at least one."""
    number = whole(value or "")
    if number is None or not 0 < number <= MAX_COUNT:
        raise UserError(f'Invalid numeric value "{value}" for --{name}.')
    return number


def count(name: str, value: str | None) -> int:
    """Read a count of at least zero."""
    number = whole(value or "")
    if number is None or not 0 <= number <= MAX_COUNT:
        raise UserError(f'Invalid numeric value "{value}" for --{name}.')
    return number


def leading(value: str) -> int:
    """Return the number at the beginning of a text as C's strtol does, 0 if there is none."""
    body = value.lstrip()
    sign = -1 if body[:1] == "-" else 1
    body = body[1:] if body[:1] in ("-", "+") else body
    end = next((i for i, c in enumerate(body) if c not in "0123456789"), len(body))
    return sign * int(body[: min(end, 30)] or 0)


def nice(name: str, value: str | None) -> int:
    """Read a nice value; nothing means 100, text that is no number 0."""
    number = leading(value) if value else 100
    if abs(number) > NICE_LIMIT:
        raise UserError(f"Invalid --nice value, out of range (+/- {NICE_LIMIT})", exit_code=BAD_OPTION)
    return number


def priority(name: str, value: str | None) -> int:
    """Read a priority; TOP is the highest, text that is no number 0."""
    if (value or "").upper() == "TOP":
        return TOP
    number = leading(value or "")
    if number < 0:
        raise UserError("Priority must be >= 0", exit_code=BAD_OPTION)
    if number >= NO_VAL:
        raise UserError(f"Priority must be < {NO_VAL}", exit_code=BAD_OPTION)
    return number


def exit_code(name: str, value: str | None) -> int:
    """Read an exit status, 0 to 255."""
    number = whole(value or "")
    if number is None or not 0 <= number <= 255:
        raise UserError(f"Invalid --{name} specification (0 to 255)", exit_code=BAD_OPTION)
    return number


def _node_count(word: str) -> int | None:
    """Return a node count, which may end in k or m; None for anything else."""
    from slimsched.text import sizes

    try:
        return min(sizes.count(word), MAX_COUNT)
    except ValueError:
        return -1 if word[:1] == "-" and whole(word) is not None else None


def nodes(name: str, value: str | None) -> dict[str, object]:
    """Read a node count: ``2``, ``2-4``, ``2,4`` or ``1-9:2``."""
    spec = value or ""
    if "," in spec or ":" in spec:
        return _node_sizes(spec)
    single = _node_count(spec)
    if single is not None:
        return {
            "min_nodes": None if single < 0 else single,
            "max_nodes": None if single < 0 else single,
            "job_size": "",
        }
    low, _, high = spec.partition("-")
    least, most = _node_count(low), _node_count(high) if high else -1
    if least is None or most is None or least < 0:
        raise _bad_nodes(spec)
    if most < least:
        raise UserError(f"Maximum node count {most} is less than minimum node count {least}", exit_code=BAD_OPTION)
    return {"min_nodes": least, "max_nodes": most, "job_size": ""}


def _node_sizes(spec: str) -> dict[str, object]:
    """Read a list of acceptable node counts, with ranges and steps."""
    from slimsched.text import idset

    sizes: set[int] = set()
    for item in spec.split(","):
        span, _, step = item.partition(":")
        low, dash, high = span.partition("-")
        ends = [_node_count(word) for word in (low, high if dash else low, step or "1")]
        if any(end is None or end < 1 for end in ends) or max(e or 0 for e in ends) > 1_000_000:
            raise _bad_nodes(spec)
        least, most, stride = (end or 1 for end in ends)
        sizes.update(range(least, most + 1, stride))
    if not sizes:
        raise _bad_nodes(spec)
    return {"min_nodes": min(sizes), "max_nodes": max(sizes), "job_size": idset.encode(sorted(sizes))}


def _bad_nodes(spec: str) -> UserError:
    return UserError(f'"{spec}" is not a valid node count', exit_code=BAD_OPTION)


def geometry(name: str, value: str | None) -> dict[str, object]:
    """Read ``sockets[:cores[:threads]]``; ``*`` leaves one open."""
    fields = ("sockets_per_node", "cores_per_socket", "threads_per_core")
    parts = (value or "").split(":")
    if len(parts) > len(fields):
        raise _invalid(name)
    return {field: positive(name, part) for field, part in zip(fields, parts, strict=False) if part not in ("", "*")}


def switches(name: str, value: str | None) -> dict[str, object]:
    """Read ``count[@time]``."""
    number, at, wait = (value or "").partition("@")
    found: dict[str, object] = {"switches": count(name, number)}
    if at:
        found["wait_for_switches"] = duration(name, wait)
    return found


# times and sizes


def limit(name: str, value: str | None) -> int:
    """Read a time limit, in minutes."""
    from slimsched.text import times

    try:
        return times.time_limit(value or "")
    except ValueError:
        raise _invalid(name) from None


def duration(name: str, value: str | None) -> int:
    """Read a length of time, in seconds."""
    from slimsched.text import times

    try:
        return times.duration(value or "")
    except ValueError:
        raise _invalid(name) from None


def seconds(name: str, value: str | None) -> int:
    """Read an optional number of seconds."""
    return 0 if value is None else count(name, value)


class Later:
    """An instant relative to the cluster's clock, which is read only once the state is open."""

    def __init__(self, name: str, value: str) -> None:
        self.name, self.value = name, value

    def resolve(self, now: int) -> int:
        """Return seconds since 1970; raise `UserError` for a wrong text."""
        from slimsched.text import moments

        try:
            return moments.moment(self.value, now)
        except ValueError as fault:
            raise _invalid(self.name, str(fault)) from None


def later(name: str, value: str | None) -> Later:
    """Read an instant; its text is checked at once, its value follows from the cluster's clock."""
    instant = Later(name, value or "")
    instant.resolve(1)
    return instant


def memory(name: str, value: str | None) -> int:
    """Read a size in MB, rounded up."""
    from slimsched.text import sizes

    try:
        amount = sizes.memory(value or "")
    except ValueError:
        raise _invalid(name) from None
    if amount > MAX_MEMORY:
        raise _invalid(name)
    return amount


# words


def exclusive(name: str, value: str | None) -> str:
    """Read whom an allocation is closed to."""
    word = (value or "node").upper()
    if word not in ("NODE", "USER", "MCS", "TOPO"):
        raise _invalid(name)
    return word


def open_mode(name: str, value: str | None) -> str:
    """Read append or truncate, or their first letters."""
    words = {"a": "append", "append": "append", "t": "truncate", "truncate": "truncate"}
    if value not in words:
        raise _invalid(name)
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
        raise _invalid(name)
    if any(option not in ("pack", "nopack") for option in options):
        raise _invalid(name)
    return spec


MAIL_TYPES = (
    *("NONE", "BEGIN", "END", "FAIL", "REQUEUE", "ALL", "INVALID_DEPEND", "STAGE_OUT", "ARRAY_TASKS"),
    *("TIME_LIMIT", "TIME_LIMIT_50", "TIME_LIMIT_80", "TIME_LIMIT_90"),
)


def mail_type(name: str, value: str | None) -> str:
    """Read a list of mail events."""
    words = (value or "").upper().split(",")
    if not set(words).issubset(MAIL_TYPES):
        raise _invalid(name)
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
        raise _invalid(name)
    if at and whole(ahead) is None:
        raise _invalid(name)
    return spec


def user_env(name: str, value: str | None) -> str:
    """Read the mode letter that older versions take; a number alone is refused as today's version refuses it."""
    mode = (value or "").lstrip("0123456789").upper()
    if value is not None and mode not in ("L", "S"):
        raise UsageFault("sbatch", f"option '--{name}' doesn't allow an argument", BAD_OPTION)
    return mode


# files and hosts


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
