"""The keys of ``scontrol update NodeName=`` and the words that ``State=`` knows, in the order they are looked for."""

from __future__ import annotations

from slimsched.cli.scontrol.keys import ABORTED, WRITTEN, Key
from slimsched.errors import UserError

MOST_WEIGHT = 0xFFFFFFF0
INFINITE = 0xFFFFFFFF
NO_CHANGES = "No changes specified"
BAD_STATE = (
    f"{ABORTED}\n"
    "Valid states are: NoResp DRAIN FAIL FUTURE RESUME POWER_DOWN POWER_UP UNDRAIN\n"
    "Not all states are valid given a node's prior state"
)
STATES = (
    *(("NORESP", 3), ("CANCEL_REBOOT", 3), ("DRAIN", 3), ("FAIL", 3), ("FUTURE", 3), ("RESUME", 3)),
    *(("POWER_DOWN_ASAP", 12), ("POWER_DOWN_FORCE", 12), ("POWER_DOWN", 7), ("POWER_UP", 7), ("UNDRAIN", 3)),
    *(("UNKNOWN", 3), ("DOWN", 3), ("IDLE", 3), ("ALLOCATED", 3), ("ERROR", 3), ("MIXED", 3)),
)
"""A state and the fewest letters that mean it."""


def state(_name: str, value: str) -> str:
    """Read ``State=``."""
    word = value.upper()
    for known, letters in STATES:
        if len(word) >= letters and known.startswith(word):
            return known
    raise UserError(f"Invalid input: {WRITTEN}\n{BAD_STATE}", level="plain")


def weight(name: str, value: str) -> str:
    """Read ``Weight=``: a number in any C notation, with ``k`` for 1,024."""
    digits = value[:-1] if value[-1:] in {"k", "K"} else value
    if value.upper() in {"UNLIMITED", "INFINITE"}:
        return str(INFINITE)
    if value.startswith("-"):
        raise _useless(f"{name} value ({value}) is less than zero")
    number = _number(digits)
    if number is None:
        raise _useless(f"{name} value ({value}) is not a valid number")
    number *= 1024 if digits != value else 1
    if number > MOST_WEIGHT:
        raise _useless(f"{name} value ({value}) is greater than {MOST_WEIGHT}")
    return str(number)


def _useless(said: str) -> UserError:
    """Return a refusal that leaves the command with nothing to do."""
    return UserError(NO_CHANGES, level="plain", preface=f"scontrol: error: {said}")


def _number(text: str) -> int | None:
    """Return a number as C writes it: ``10``, ``0x1f``, ``017``."""
    lower = text.lower()
    base = 16 if lower.startswith("0x") else 8 if lower.startswith("0") and len(lower) > 1 else 10
    if not text.isascii() or "_" in text or len(text) > 20:
        return None
    try:
        return int(lower, base)
    except ValueError:
        return None


def reason(_name: str, value: str) -> str:
    """Read ``Reason=``: a quote at either end is dropped."""
    return value.removeprefix('"').removesuffix('"')


NODE_KEYS = (
    Key("NodeAddr", 5, "NodeAddr"),
    Key("NodeHostName", 5, "NodeHostName"),
    Key("NodeName", 1, "NodeName"),
    Key("ActiveFeatures", 3, "ActiveFeatures"),
    Key("CpuBind", 7, "CpuBind"),
    Key("Extra", 1, "Extra"),
    Key("Features", 1, "Features"),
    Key("AvailableFeatures", 3, "AvailableFeatures"),
    Key("Gres", 1, "Gres"),
    Key("InstanceId", 9, "InstanceId"),
    Key("InstanceType", 9, "InstanceType"),
    Key("Weight", 1, "Weight", weight),
    Key("Comment", 2, "Comment"),
    Key("Reason", 1, "Reason", reason),
    Key("ResumeAfter", 3, "ResumeAfter"),
    Key("State", 1, "State", state),
    Key("Topology", 1, "Topology"),
    Key("Complexes", 7, "Complexes"),
)
