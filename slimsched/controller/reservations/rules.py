"""The flags of a reservation, and which of them exclude each other, in slurmctld's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.reservations.times import DISTANCES
from slimsched.errors import SlurmError
from slimsched.slurm import words
from slimsched.slurm.errno import Errno, ErrorCode

if TYPE_CHECKING:
    from collections.abc import Iterable

FLAGS = (
    *("MAINT", "NO_HOLD_JOBS_AFTER_END", "OVERLAP", "IGNORE_JOBS", "HOURLY", "DAILY", "WEEKDAY", "WEEKEND", "WEEKLY"),
    *("SPEC_NODES", "ALL_NODES", "ANY_NODES", "STATIC_ALLOC", "PART_NODES", "PURGE_COMP", "LICENSE_ONLY", "TIME_FLOAT"),
    *("REPLACE_DOWN", "REPLACE", "FLEX", "MAGNETIC", "USER_DELETE", "FORCE_START"),
)
"""The flags, in the order in which Slurm shows them."""


class FlagWord(NamedTuple):
    """A word for a flag, its fewest letters, and the flag."""

    name: str
    letters: int
    flag: str


FLAG_WORDS = tuple(
    FlagWord(*row)
    for row in (
        *(
            ("MAINTENANCE", 3, "MAINT"),
            ("OVERLAP", 1, "OVERLAP"),
            ("FLEX", 1, "FLEX"),
            ("IGNORE_JOBS", 1, "IGNORE_JOBS"),
        ),
        *(("HOURLY", 1, "HOURLY"), ("DAILY", 1, "DAILY"), ("WEEKDAY", 1, "WEEKDAY"), ("WEEKEND", 1, "WEEKEND")),
        *(("WEEKLY", 1, "WEEKLY"), ("ANY_NODES", 1, "ANY_NODES"), ("LICENSE_ONLY", 1, "ANY_NODES")),
        *(("STATIC_ALLOC", 1, "STATIC_ALLOC"), ("SPEC_NODES", 2, "SPEC_NODES"), ("ALL_NODES", 2, "ALL_NODES")),
        *(("PART_NODES", 2, "PART_NODES"), ("PURGE_COMP", 2, "PURGE_COMP"), ("TIME_FLOAT", 1, "TIME_FLOAT")),
        *(("MAGNETIC", 3, "MAGNETIC"), ("PROMISCUOUS", 3, "MAGNETIC"), ("REPLACE", 1, "REPLACE")),
        *(("REPLACE_DOWN", 8, "REPLACE_DOWN"), ("NO_HOLD_JOBS_AFTER_END", 1, "NO_HOLD_JOBS_AFTER_END")),
        *(("USER_DELETE", 1, "USER_DELETE"), ("FORCE_START", 2, "FORCE_START")),
    )
)
"""The words for flags; the first that fits counts."""


def flag_of(word: str) -> str:
    """Return the flag that a word means, "" for none."""
    if word.upper() in FLAGS:
        return word.upper()
    known = words.find(FLAG_WORDS, word)
    return known.flag if known else ""


NODES, CORES = "nodes named", "cores counted"
"""The entries among the flags for ``Nodes`` and ``CoreCnt``."""

RECURRING = frozenset(DISTANCES)
REPLACING = frozenset({"REPLACE", "REPLACE_DOWN"})
LASTING = frozenset({"STATIC_ALLOC", "MAINT"})
FLOATING = frozenset({"TIME_FLOAT"})

SEVERAL = "Reservation has multiple reoccurring flags. Please specify only one reoccurring flag"
SEVERAL_NOW = "Cannot update reservation to have multiple reoccurring flags. Please specify only one reoccurring flag"
NO_MIX = "REPLACE and REPLACE_DOWN flags cannot be used with STATIC_ALLOC or MAINT flags"
BY_COUNT = "REPLACE or REPLACE_DOWN flags should be used with the NodeCnt reservation option; do not specify "
COUNTED_ONLY = (
    "Reservation can't be updated with REPLACE or REPLACE_DOWN flags; they should be updated on a NodeCnt reservation"
)
NO_FLOAT = "Reservation request has mutually exclusive flags. Repeating floating reservations are not supported."


class Clash(NamedTuple):
    """Flags that exclude each other: one of ``asked`` and one of ``present``."""

    asked: frozenset[str]
    present: frozenset[str]
    errno: ErrorCode
    text: str = ""


CREATION = (
    Clash(REPLACING, frozenset({NODES}), Errno.INVALID_NODE_NAME, BY_COUNT + "Nodes"),
    Clash(REPLACING, frozenset({CORES}), Errno.INVALID_CPU_COUNT, BY_COUNT + "CoreCnt"),
    Clash(REPLACING, LASTING, Errno.NOT_SUPPORTED, NO_MIX),
    Clash(FLOATING, RECURRING, Errno.NOT_SUPPORTED, NO_FLOAT),
)
"""In the order in which a new reservation is looked at, after the recurring flags have been counted."""

CHANGES = (
    Clash(RECURRING, FLOATING, Errno.NOT_SUPPORTED, "Cannot add a reoccurring flag to a floating reservation"),
    *(Clash(frozenset({flag}), RECURRING - {flag}, Errno.NOT_SUPPORTED, SEVERAL_NOW) for flag in DISTANCES),
    Clash(REPLACING, frozenset({"SPEC_NODES", CORES}), Errno.NOT_SUPPORTED, COUNTED_ONLY),
    Clash(REPLACING, LASTING, Errno.NOT_SUPPORTED, NO_MIX),
    Clash(LASTING, REPLACING, Errno.NOT_SUPPORTED, NO_MIX),
    Clash(FLOATING, FLOATING, Errno.INVALID_TIME_VALUE),
    Clash(
        frozenset({NODES}),
        REPLACING,
        Errno.NOT_SUPPORTED,
        "Reservation can't be updated with Nodes option; it is incompatible with REPLACE[_DOWN]",
    ),
)
"""In the order in which an update is looked at: what it asks for, and what the reservation has then."""


def check_new(flags: Iterable[str]) -> None:
    """Refuse flags that a reservation cannot be made with. Raises `SlurmError`."""
    given = frozenset(flags)
    if len(given & RECURRING) > 1:
        raise SlurmError(Errno.NOT_SUPPORTED, detail=SEVERAL)
    _check(CREATION, given, given)


def check_change(asked: Iterable[str], then: Iterable[str]) -> None:
    """Refuse flags that do not go with those which a reservation would have. Raises `SlurmError`."""
    _check(CHANGES, frozenset(asked), frozenset(then))


def _check(clashes: tuple[Clash, ...], asked: frozenset[str], present: frozenset[str]) -> None:
    for clash in clashes:
        if clash.asked & asked and clash.present & present:
            raise SlurmError(clash.errno, detail=clash.text)
