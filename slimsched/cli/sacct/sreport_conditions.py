"""The words behind a report's name: the period, whose jobs count, and how the report is laid out.

Source: sreport(1), "Options for all report types" and those of each type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.cli.listing import words
from slimsched.errors import SyntaxFault, UserError
from slimsched.render.columns import begins
from slimsched.slurm.words import QUOTES
from slimsched.text import mistyped, zone
from slimsched.text.moments import moment
from slimsched.text.sizes import is_number
from slimsched.text.zone import DAY

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.render.accounts.sreport import Asked

HOUR = 3600
CONDITIONS = (
    *("accounts:2", "acct:4", "all_clusters:1", "clusters:1", "end:1", "format:1", "group:5", "grouping:2", "gid:2"),
    *("start:1", "tree:4", "topcount:2", "users:1", "partitions:1", "printjobcount:2", "flatview:2", "acctasparent:5"),
    *("jobs:1", "names:1", "nodes:2", "wckeys:2", "withdeleted:5"),
)
"""Words after a report's name with their fewest letters."""
FLAGS = frozenset({"all_clusters", "group", "tree", "printjobcount", "flatview", "acctasparent", "withdeleted"})
BARE = {"user": "users", "job": "clusters"}
"""Kind of report -> what a word without ``=`` names there; users elsewhere."""


class Faults(list[str]):
    """What is wrong with a report that is printed all the same; ``fatal``: the command fails for it."""

    def __init__(self) -> None:
        super().__init__()
        self.fatal = False
        self.notes: list[str] = []


class Conditions(NamedTuple):
    """What was read: the conditions themselves, the format, and the clusters that were named (empty: this one)."""

    asked: Asked
    form: str
    clusters: tuple[str, ...]


def read(kind: str, args: list[str], cluster: Cluster, faults: Faults) -> Conditions:
    """Return the conditions for a report of a kind; unknown ones are left out. Raises `UserError`."""
    from slimsched.render.accounts.sreport import Asked

    found, flags = _sorted(kind, args, faults)
    start, end = _period(found, cluster.now, faults)

    def named(condition: str) -> list[str]:
        return words(found.get(condition, ""))

    asked = Asked(
        start,
        end,
        accounts=frozenset(name.lower() for name in named("accounts")),
        users=frozenset(named("users")),
        partitions=frozenset(named("partitions")),
        wckeys=frozenset(named("wckeys")),
        groups=frozenset(_group(text) for text in named("gid")),
        jobs=frozenset(_number(text.partition(".")[0]) for text in named("jobs")),
        nodes=cluster.bitmap_of(found["nodes"]) if "nodes" in found else 0,
        reservations=frozenset(named("names")),
        flags=frozenset(flags),
    )
    if "topcount" in found:
        asked = asked._replace(top=_number(found["topcount"]))
    if found.get("grouping", "").lower() == "individual":
        asked = asked._replace(flags=asked.flags | {"individual"})
    elif "grouping" in found:
        asked = asked._replace(sizes=tuple(sorted(_number(text) for text in named("grouping"))))
    return Conditions(asked, found.get("format", ""), tuple(named("clusters")))


def _sorted(kind: str, args: list[str], faults: Faults) -> tuple[dict[str, str], set[str]]:
    """Return the conditions that have a value, and those that have none."""
    found: dict[str, str] = {}
    flags: set[str] = set()
    for arg in args:
        name, equals, value = arg.partition("=")
        matching = [each for each in CONDITIONS if begins(each, name) and (each.split(":")[0] in FLAGS) != bool(equals)]
        if not matching and equals:
            faults.append(f" Unknown condition: {arg}\nUse keyword set to modify value")
            faults.fatal = True
            continue
        full = matching[0].split(":")[0] if matching else BARE.get(kind, "users")
        if full in FLAGS:
            flags.add(full)
        else:
            found["accounts" if full == "acct" else full] = (value if equals else arg).strip(QUOTES)
    return found, flags


def _number(text: str) -> int:
    if not is_number(text):
        raise UserError(f"Invalid value ({text})", level="error")
    return int(text)


def _group(text: str) -> str:
    """Return the name of a group that is given by its name or number."""
    if not is_number(text):
        return text
    import grp

    try:
        return grp.getgrgid(int(text)).gr_name
    except (KeyError, OverflowError):
        return text


def _period(found: dict[str, str], now: int, faults: Faults) -> tuple[int, int]:
    """Return ``start=`` and ``end=`` in whole hours, each hour that they touch; yesterday and an hour if not given."""
    midnight = zone.midnight(now)
    start, end = midnight - DAY, midnight + HOUR
    begun, ended = (_moment(found.get(name), now, faults) for name in ("start", "end"))
    if begun:
        start = begun - begun % HOUR
    if ended:
        end = ended + -ended % HOUR
    return start, max(end, start + HOUR)


def _moment(text: str | None, now: int, faults: Faults) -> int | None:
    """Return the instant that a text means, None for none and for what is no time."""
    try:
        return moment(text, now, past=True) if text else None
    except SyntaxFault as fault:
        faults.append(fault.message)
        faults.notes.append(mistyped.instant(text or "", past=True))
        return None
