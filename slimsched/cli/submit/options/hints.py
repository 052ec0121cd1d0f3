"""Notes on wrong values of options: what would be right, looked up once Slurm's own words are known.

Imported by refusals only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from slimsched.cli.submit.options import values
from slimsched.slurm import kinds
from slimsched.text import alike, mistyped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Hint = Callable[[str], str]


def of(reader: str, text: str) -> tuple[str, ...]:
    """Return the note on a wrong value, by the name of the reader that refused it; none where it said enough."""
    hint = HINTS.get(reader)
    return (hint(text),) if hint is not None else ()


def _memory(text: str) -> str:
    number = re.match(r"\s*(\d+)(?:\.\d+)?\s*([kmgtp]?)", text, re.IGNORECASE)
    meant = f"; did you mean {number[1]}{number[2].upper()}?" if number else ""
    return f"a size is a whole number and K, M (without a letter, too), G or T{meant}"


def _count(text: str) -> str:
    return f"a whole number from 1 is wanted, not {text!r}"


def _said(right: str) -> Hint:
    return lambda _: right


def _words(known: Iterable[str]) -> Hint:
    return lambda text: f"the words are {', '.join(known)}{alike.meant(text, known)}"


HINTS: dict[str, Hint] = {
    "limit": mistyped.limit,
    "later": mistyped.instant,
    "memory": _memory,
    "positive": _count,
    "nodes": _said("write 4, 2-4 (from two to four nodes), or sizes that would do, as 2,4 or 1-9:2"),
    "yes_no": _words(("yes", "no")),
    "requeue": _words(("expedite",)),
    "no_kill": _words(("set", "off", "no")),
    "zero_or_one": _said("0 or 1 is wanted"),
    "exclusive": _words(tuple(values.EXCLUSIVE)),
    "open_mode": _words(("append", "truncate")),
    "mail_type": lambda text: _words((*kinds.MAIL_EVENTS, "ALL"))(text.rpartition(",")[2]),
    "batch_signal": _said("write a signal and when to send it: USR1@60, B:TERM@120 (B: to the script only)"),
    "signal": _said("write a signal and when to send it: USR1@60"),
    "kill_command": _said("write a signal: TERM, KILL or a number"),
    "distribution": _words(("block", "cyclic", "plane=N", "arbitrary", "block:cyclic", "cyclic:block")),
    "hosts": _said("nodes are a,b,c or n[01-04,7]; quote the brackets if the shell takes them for itself"),
    "boot_delay": mistyped.limit,
}
"""Name of a reader -> its note."""
