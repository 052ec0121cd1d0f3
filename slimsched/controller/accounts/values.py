"""Values of accounting options, read and kept as texts.

Counts, minutes and seconds are whole numbers, resources ``cpu=4,mem=100`` in Slurm's order with memory in MB.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.errors import UserError
from slimsched.model.account import USERS_ARE_COORDS
from slimsched.model.resources import BUILTIN
from slimsched.slurm import numbers
from slimsched.text import sizes, times
from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.controller.accounts.options import Option
    from slimsched.model.account import Record

MOST = 2**64 - 16
"""The greatest amount of a resource."""
LIMITLESS = frozenset({"-1", "unlimited", "infinite", "none", ""})
LEVELS = {"none": "None", "operator": "Operator", "administrator": "Administrator"}
QOS_FLAGS = (
    *("DenyOnLimit", "EnforceUsageThreshold", "PartitionMinNodes", "PartitionMaxNodes", "PartitionTimeLimit"),
    *("RequiresReservation", "OverPartQOS", "NoReserve", "NoDecay", "Relative", "UsageFactorSafe"),
)
"""Flags of QOS in the order in which they are printed."""
CLASSES = ("Capability", "Capacity", "Capapacity")
MODES = ("OFF", "CANCEL", "GANG", "REQUEUE", "SUSPEND", "WITHIN", "CLUSTER")


class ValueKind(NamedTuple):
    """A kind of values: its reader (from old value, operator and new text) and the message for a bad value.

    A reader raises ValueError; "" for no value. ``fault``: a pattern of the option's ``name``, the ``value`` and the
    ``word`` of both as given. ``stdout``: it is printed there. ``grave``: the whole command is refused, not only the
    option.
    """

    read: Callable[[str, str, str], str]
    fault: str = "Invalid value for {name} ({value})"
    level: str = "error"
    stdout: bool = False
    grave: bool = True


def assign(record: Record, field: Option, operator: str, value: str, word: str = "") -> None:
    """Set, add to (``+=``) or take from (``-=``) a value; ``-1`` removes it. Raises `UserError`."""
    value = value.strip("\"'")
    if field.resource:
        value = f"{field.resource}={value}"
    kind, key = field.kind, field.key
    try:
        made = kind.read(record.get(key, ""), operator, value)
    except ValueError:
        said = kind.fault.format(name=SAID.get(key, key), value=value, word=word or f"{field.name}={value}")
        raise UserError(said, level=kind.level, stdout=kind.stdout, exit_code=int(kind.grave)) from None
    if made:
        record[key] = made
    else:
        record.pop(key, None)


SAID = {"MaxWallDurationPerJob": "MaxWall", "Fairshare": "FairShare"}
SAID |= {
    f"{name}Per{place}": f"{name}P{place[0]}"
    for name in ("MaxJobs", "MaxSubmitJobs", "MaxJobsAccrue")
    for place in ("User", "Account")
}
"""Names by which a message speaks of an option."""


def amounts(text: str) -> dict[str, int]:
    """Return stored resources by name."""
    pairs = (item.partition("=") for item in text.split(",") if item)
    return {name: int(value) for name, _, value in pairs}


def _text(_: str, __: str, value: str) -> str:
    return "" if value == "-1" else value


def _lower(_: str, __: str, value: str) -> str:
    return _text("", "", value.lower())


def _count(_: str, __: str, value: str) -> str:
    return "" if value.lower() in LIMITLESS else str(_natural(value))


def _natural(value: str, digits: int = 11) -> int:
    if not is_number(value, digits):
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


def listed(old: str, more: list[str]) -> str:
    """Return a list with more names in it."""
    return numbers.names(old, "+", ",".join(more))


def _names(old: str, operator: str, value: str) -> str:
    """Return a list; ``+=`` and ``-=`` change the existing one."""
    return numbers.names(old, operator[:-1], ",".join(name for name in value.split(",") if name != "-1"))


def _qos(old: str, operator: str, value: str) -> str:
    """Return a list of QOS, sorted, or the changes (``+low,-normal``) to the one that an association inherits."""
    sign = operator[:-1] or (value[0] if value[:1] in {"+", "-"} else "")
    named = [name.lstrip("+-") for name in value.lower().split(",") if name.lstrip("+-")]
    if not sign or (old and old[0] not in "+-"):
        return ",".join(sorted(filter(None, numbers.names(old, sign, ",".join(named)).split(","))))
    kept = [name for name in old.split(",") if name and name[1:] not in named]
    return ",".join([*kept, *(sign + name for name in named)])


def _preempt(old: str, operator: str, value: str) -> str:
    return _names(old, operator, value.lower())


def _flags(old: str, operator: str, value: str) -> str:
    """Return flags as Slurm writes them, in its order."""
    given = [name for name in value.split(",") if name != "-1"]
    known = {flag.lower(): flag for flag in QOS_FLAGS}
    found = [next((flag for low, flag in known.items() if name and low.startswith(name.lower())), "") for name in given]
    if not all(found):
        raise ValueError(value)
    made = _names(old, operator, ",".join(found)).split(",")
    return ",".join(flag for flag in QOS_FLAGS if flag in made)


def _users_are_coords(_: str, __: str, value: str) -> str:
    """Return the one flag of an account, or nothing for what removes it."""
    if value.lower() not in {USERS_ARE_COORDS.lower(), f"no{USERS_ARE_COORDS}".lower(), "-1"}:
        raise ValueError(value)
    return USERS_ARE_COORDS if value.lower().startswith("u") else ""


def _mode(_: str, __: str, value: str) -> str:
    if value == "-1":
        return ""
    if any(mode.upper() not in MODES for mode in value.split(",")):
        raise ValueError(value)
    return value.lower()


def _admin_level(_: str, __: str, value: str) -> str:
    """Return an admin level; one that is none sets none, as in Slurm."""
    return next((level for name, level in LEVELS.items() if value and name.startswith(value.lower())), "")


def _class(_: str, __: str, value: str) -> str:
    """Return a classification of clusters; one that is none sets none, as in Slurm."""
    return next((each for each in CLASSES if value and each.lower().startswith(value.lower())), "")


def _usage(_: str, __: str, value: str) -> str:
    """Refuse every value but 0: usage can only be cleared."""
    if float(value):
        raise UserError("Raw usage can only be set to 0 (zero)", level="error")
    return "0"


def _tres(old: str, _: str, value: str) -> str:
    """Return resources; named ones replace the old ones.

    ``-1`` takes one away; ``NAME+=N`` and ``NAME-=N`` change the old amount, never below 0 or past the greatest.
    """
    found = amounts(old)
    if value == "-1":
        return ""
    for item in filter(None, value.split(",")):
        name, equals, amount = item.partition("=")
        key = name.rstrip("+-").strip().lower()
        sign = name[len(name.rstrip("+-")) :]
        if not equals or len(sign) > 1 or not (key in BUILTIN or key.partition("/")[0] in GENERIC):
            raise ValueError(item)
        if amount in LIMITLESS and not sign:
            found.pop(key, None)
            continue
        count = sizes.memory(amount) if key == "mem" else _natural(amount, 32)
        made = found.get(key, 0) + (-count if sign == "-" else count) if sign else count
        found[key] = max(0, min(made, MOST))
    return ",".join(f"{name}={amount}" for name, amount in sorted(found.items(), key=_number))


def _number(item: tuple[str, int]) -> tuple[int, str]:
    """Return the key by which resources are sorted: their numbers, then their names."""
    name = item[0]
    return (BUILTIN.index(name) if name in BUILTIN else len(BUILTIN)), name


GENERIC = frozenset({"gres", "license", "bb", "fs", "ic"})
"""Families of resources of which a site may count any."""
TEXT, LOWER, NAMES = ValueKind(_text), ValueKind(_lower), ValueKind(_names)
CLASS, LEVEL = ValueKind(_class), ValueKind(_admin_level)
COUNT, SHARE, FLOAT = (ValueKind(read, grave=False) for read in (_count, _share, _float))
QOS, PREEMPT, USAGE = ValueKind(_qos), ValueKind(_preempt), ValueKind(_usage)
MINUTES = ValueKind(_minutes, " Bad {name} time format: {word}", "plain")
SECONDS = ValueKind(_seconds, " Bad {name} format: {word}", "plain")
FLAGS = ValueKind(
    _flags,
    f" Unknown QOS flag used in:\n  '{{value}}'\n Valid QOS flags are\n  '{','.join(QOS_FLAGS)}'",
    "plain",
    stdout=True,
)
ACCOUNT_FLAGS = ValueKind(_users_are_coords)
MODE = ValueKind(_mode, " Bad Preempt Mode given: {word}", "plain")
TRES = ValueKind(_tres, "no TRES known by type {value}", grave=False)
