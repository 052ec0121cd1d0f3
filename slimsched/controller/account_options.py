"""The options of accounting records: their names, the beginnings and other names they go by, and what their values are.

One table serves ``sacctmgr add``, ``modify set``, ``where`` and the limits that are enforced. Values are kept as texts:
counts and minutes as whole numbers, resources as ``cpu=4,mem=100`` with memory in MB.
Source: sacctmgr(1).
"""

from __future__ import annotations

from typing import NamedTuple

from slimsched.errors import SyntaxFault, UserError
from slimsched.model.account import Record
from slimsched.text import sizes, times

LIMITLESS = frozenset({"-1", "unlimited", "infinite", "none", ""})


class Option(NamedTuple):
    """One option: its name in the records, the kind of its value, and other names (in lower case)."""

    name: str
    kind: str = "text"
    other: tuple[str, ...] = ()
    resource: str = ""  # an old option that limits this resource alone


ASSOCIATION = (
    Option("Fairshare", "share", ("share", "shares", "rawshares")),
    Option("GrpJobs", "count"),
    Option("GrpJobsAccrue", "count"),
    Option("GrpSubmitJobs", "count", ("grpsubmit",)),
    Option("GrpTRES", "tres"),
    Option("GrpTRESMins", "tres"),
    Option("GrpTRESRunMins", "tres"),
    Option("GrpWall", "minutes"),
    Option("MaxJobs", "count"),
    Option("MaxJobsAccrue", "count"),
    Option("MaxSubmitJobs", "count", ("maxsubmit",)),
    Option("MaxTRESPerJob", "tres", ("maxtres",)),
    Option("MaxTRESMinsPerJob", "tres", ("maxtresmins",)),
    Option("MaxTRESPerNode", "tres"),
    Option("MaxWallDurationPerJob", "minutes", ("maxwall", "maxwalldurationperjob")),
    Option("Priority", "count"),
    Option("QosLevel", "names", ("qos",)),
    Option("DefaultQOS", "text", ("defqos",)),
    Option("GrpTRES", "count", ("grpcpus",), "cpu"),
    Option("GrpTRES", "count", ("grpnodes",), "node"),
    Option("GrpTRES", "tres", ("grpmemory", "grpmem"), "mem"),
    Option("MaxTRESPerJob", "count", ("maxcpus", "maxcpusperjob"), "cpu"),
    Option("MaxTRESPerJob", "count", ("maxnodes", "maxnodesperjob"), "node"),
)
QOS = (
    Option("Description"),
    Option("Flags", "names"),
    Option("GraceTime", "seconds"),
    *(Option(name, "count") for name in ("GrpJobs", "GrpJobsAccrue")),
    Option("GrpSubmitJobs", "count", ("grpsubmit",)),
    *(Option(name, "tres") for name in ("GrpTRES", "GrpTRESMins", "GrpTRESRunMins")),
    Option("GrpWall", "minutes"),
    Option("LimitFactor", "float"),
    Option("MaxJobsPerAccount", "count", ("maxjobspa",)),
    Option("MaxJobsPerUser", "count", ("maxjobs", "maxjobspu")),
    Option("MaxJobsAccruePerAccount", "count", ("maxjobsaccruepa",)),
    Option("MaxJobsAccruePerUser", "count", ("maxjobsaccruepu",)),
    Option("MaxSubmitJobsPerAccount", "count", ("maxsubmitpa", "maxsubmitjobspa")),
    Option("MaxSubmitJobsPerUser", "count", ("maxsubmit", "maxsubmitjobs", "maxsubmitpu", "maxsubmitjobspu")),
    Option("MaxTRESPerJob", "tres", ("maxtres",)),
    Option("MaxTRESMinsPerJob", "tres", ("maxtresmins",)),
    Option("MaxTRESPerNode", "tres"),
    Option("MaxTRESPerUser", "tres", ("maxtrespu",)),
    Option("MaxTRESPerAccount", "tres", ("maxtrespa",)),
    Option("MaxTRESRunMinsPerAccount", "tres", ("maxtresrunminspa",)),
    Option("MaxTRESRunMinsPerUser", "tres", ("maxtresrunminspu", "maxtresrunmins")),
    Option("MaxWallDurationPerJob", "minutes", ("maxwall",)),
    Option("MinPrioThreshold", "count", ("minpriothresh",)),
    Option("MinTRESPerJob", "tres", ("mintres",)),
    Option("Preempt", "names"),
    Option("PreemptMode"),
    Option("PreemptExemptTime", "minutes"),
    Option("Priority", "count"),
    Option("UsageFactor", "float"),
    Option("UsageThreshold", "float", ("usagethres",)),
    Option("GrpTRES", "count", ("grpcpus",), "cpu"),
    Option("GrpTRES", "count", ("grpnodes",), "node"),
    Option("MaxTRESPerJob", "count", ("maxcpus", "maxcpusperjob"), "cpu"),
    Option("MaxTRESPerJob", "count", ("maxnodes", "maxnodesperjob"), "node"),
    Option("MaxTRESPerUser", "count", ("maxcpusperuser",), "cpu"),
    Option("MaxTRESPerUser", "count", ("maxnodesperuser",), "node"),
)
ACCOUNT = (
    Option("Description"),
    Option("Organization"),
    Option("ParentName", "text", ("parent",)),
)
USER = (
    Option("DefaultAccount", "text", ("defaultaccount", "defacct")),
    Option("AdminLevel"),
    Option("DefaultWCKey", "text", ("defwckey",)),
    Option("Coordinators", "names"),
)
NAMES = (
    Option("names", "names", ("name", "ids")),
    Option("accounts", "names", ("account", "acct")),
    Option("clusters", "names", ("cluster",)),
    Option("partitions", "names", ("partition",)),
    Option("users", "names", ("user",)),
    Option("parents", "names", ("parent",)),
)
"""What tells records apart in ``where`` and ``add``."""

TABLES: dict[str, tuple[Option, ...]] = {
    "account": (*ACCOUNT, *ASSOCIATION),
    "user": (*USER, *ASSOCIATION),
    "assoc": ASSOCIATION,
    "cluster": ASSOCIATION,
    "qos": QOS,
}
LEVELS = {"none": "None", "operator": "Operator", "administrator": "Administrator", "admin": "Administrator"}


def find(table: tuple[Option, ...], word: str) -> Option | None:
    """Return the option that a word names, in full, by another name, or by a beginning; None if there is none."""
    lowered = word.lower()
    full = [o for o in table if lowered in ((o.name.lower(), *o.other) if not o.resource else o.other)]
    if full:
        return full[0]
    begun = [o for o in table if not o.resource and o.name.lower().startswith(lowered)]
    return begun[0] if begun and len(lowered) > 1 else None


def assign(record: Record, option: Option, operator: str, value: str) -> None:
    """Set, add to (``+=``) or take from (``-=``) a value; ``-1`` removes it. Raises `UserError`."""
    value = value.strip("\"'")
    if option.resource:
        option, value = Option(option.name, "tres"), f"{option.resource}={value}"
    try:
        made = _READERS[option.kind](record.get(option.name, ""), operator, value)
    except (SyntaxFault, ValueError):
        raise UserError(f" Bad value for {option.name}: {value}", level="plain") from None
    if option.name == "AdminLevel":
        made = LEVELS.get(made.lower(), made)
    if made:
        record[option.name] = made
    else:
        record.pop(option.name, None)


def amounts(text: str) -> dict[str, int]:
    """Return stored resources by name."""
    pairs = (item.partition("=") for item in text.split(",") if item)
    return {name: int(value) for name, _, value in pairs}


def _text(_: str, __: str, value: str) -> str:
    return "" if value == "-1" else value


def _count(_: str, __: str, value: str) -> str:
    return "" if value.lower() in LIMITLESS else str(_natural(value))


def _natural(value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) < 12):
        raise ValueError(value)
    return int(value)


def _minutes(_: str, __: str, value: str) -> str:
    return "" if value.lower() in LIMITLESS else str(times.minutes(value))


def _seconds(_: str, __: str, value: str) -> str:
    return "" if value.lower() in LIMITLESS else str(_natural(value) if value.isdigit() else times.span(value))


def _share(_: str, __: str, value: str) -> str:
    return "parent" if value.lower() == "parent" else _count("", "", value)


def _float(_: str, __: str, value: str) -> str:
    return "" if value.lower() in LIMITLESS else str(float(value))


def _names(old: str, operator: str, value: str) -> str:
    """Return a list; ``+=`` and ``-=`` change the one that is there."""
    given = [name for name in value.split(",") if name and name != "-1"]
    known = [name for name in old.split(",") if name]
    if operator == "-=":
        return ",".join(name for name in known if name not in given)
    return ",".join(dict.fromkeys([*known, *given] if operator == "+=" else given))


def _tres(old: str, _: str, value: str) -> str:
    """Return resources, those that were named in the place of the old ones; ``-1`` takes one away."""
    found = amounts(old)
    if value == "-1":
        return ""
    for item in filter(None, value.split(",")):
        name, equals, amount = item.partition("=")
        key = name.strip().lower()
        if not equals or not key:
            raise ValueError(item)
        if amount in LIMITLESS:
            found.pop(key, None)
        else:
            found[key] = sizes.memory(amount) if key == "mem" else _natural(amount)
    return ",".join(f"{name}={amount}" for name, amount in sorted(found.items()))


_READERS = {
    "text": _text,
    "count": _count,
    "minutes": _minutes,
    "seconds": _seconds,
    "share": _share,
    "float": _float,
    "names": _names,
    "tres": _tres,
}
