"""The keys of ``scontrol update`` and ``create PartitionName=``, in the order in which they are looked for."""

from __future__ import annotations

from slimsched.cli.scontrol import keys
from slimsched.cli.scontrol.keys import WRITTEN, Key, Reader, u16, u32, u64
from slimsched.errors import UserError
from slimsched.slurm import kinds

ENDLESS = frozenset({"UNLIMITED", "INFINITE"})
STATES = ("INACTIVE", "DOWN", "UP", "DRAIN")
SHARING = ("NO", "EXCLUSIVE", "YES", "FORCE")
PREEMPTION = ("OFF", "CANCEL", "REQUEUE", "SUSPEND", "PRIORITY", "WITHIN")
DEFAULT_SHARE = "4"


def _wrong(*said: str) -> UserError:
    """Return a refusal that quotes the whole word."""
    return UserError("\n".join((f"Invalid input: {WRITTEN}", *said)))


def _word(value: str, known: tuple[str, ...]) -> str:
    """Return the known word that a text is or begins, "" for none."""
    upper = value.upper()
    return next((word for word in known if upper and word.startswith(upper)), "")


def _yes_no(name: str, value: str) -> str:
    answer = kinds.yes_no(value)
    if answer is None:
        raise _wrong(f"Acceptable {name} values are YES and NO")
    return kinds.yes_or_no(answer)


def _minutes(name: str, value: str) -> str:
    try:
        return keys.minutes(name, value)
    except UserError:
        raise UserError(f"Invalid input {WRITTEN}") from None


def _or_endless(read: Reader) -> Reader:
    return lambda name, value: "UNLIMITED" if value.upper() in ENDLESS else read(name, value)


def _max_nodes(name: str, value: str) -> str:
    return str(keys.counts(value, name)[0])


def _state(_name: str, value: str) -> str:
    found = _word(value, STATES)
    if not found:
        raise _wrong("Acceptable State values are UP, DOWN, DRAIN and INACTIVE")
    return found


def _sharing(_name: str, value: str) -> str:
    word, colon, count = value.partition(":")
    found = _word(word, SHARING)
    if not found:
        raise _wrong("Acceptable OverSubscribe values are NO, EXCLUSIVE, YES:#, and FORCE:#")
    if found not in {"YES", "FORCE"}:
        return found
    return f"{found}:{count if colon and count.isdigit() else DEFAULT_SHARE}"


def _preemption(_name: str, value: str) -> str:
    words = value.upper().split(",")
    if "GANG" in words:
        raise UserError("PreemptMode=GANG is a cluster-wide option and cannot be set at partition level")
    if any(word not in PREEMPTION for word in words):
        raise _wrong()
    return value.upper()


PARTITION_KEYS = (
    Key("PartitionName", 2, "PartitionName"),
    Key("MaxTime", 4, "MaxTime", _minutes),
    Key("CpuBind", 7, "CpuBind"),
    Key("DefaultTime", 8, "DefaultTime", _minutes),
    Key("MaxCPUsPerNode", 4, "MaxCPUsPerNode", _or_endless(u32)),
    Key("MaxCPUsPerSocket", 11, "MaxCPUsPerSocket", _or_endless(u32)),
    Key("MaxNodes", 4, "MaxNodes", _or_endless(_max_nodes)),
    Key("MinNodes", 2, "MinNodes", keys.node_count),
    Key("Default", 7, "Default", _yes_no),
    Key("DisableRootJobs", 1, "DisableRootJobs", _yes_no),
    Key("ExclusiveUser", 10, "ExclusiveUser", _yes_no),
    Key("ExclusiveTopo", 10, "ExclusiveTopo", _yes_no),
    Key("Hidden", 1, "Hidden", _yes_no),
    Key("LLN", 1, "LLN", _yes_no),
    Key("RootOnly", 3, "RootOnly", _yes_no),
    Key("ReqResv", 3, "ReqResv", _yes_no),
    Key("OverSubscribe", 5, "OverSubscribe", _sharing),
    Key("Shared", 2, "OverSubscribe", _sharing),
    Key("OverTimeLimit", 5, "OverTimeLimit", _or_endless(u16)),
    Key("PowerDownOnIdle", 2, "PowerDownOnIdle", _yes_no),
    Key("PreemptMode", 3, "PreemptMode", _preemption),
    Key("Priority", 3, "Priority", u16),
    Key("PriorityJobFactor", 3, "PriorityJobFactor", u16),
    Key("PriorityTier", 3, "PriorityTier", u16),
    Key("State", 2, "State", _state),
    Key("Nodes", 1, "Nodes", signed=True),
    Key("AllowGroups", 6, "AllowGroups", signed=True),
    Key("AllowAccounts", 6, "AllowAccounts", signed=True),
    Key("AllowQos", 6, "AllowQos", signed=True),
    Key("DenyAccounts", 5, "DenyAccounts", signed=True),
    Key("DenyQos", 5, "DenyQos", signed=True),
    Key("AllocNodes", 6, "AllocNodes"),
    Key("Alternate", 3, "Alternate"),
    Key("GraceTime", 5, "GraceTime", u32),
    Key("DefMemPerCPU", 10, "DefMemPerCPU", _or_endless(u64)),
    Key("DefMemPerNode", 10, "DefMemPerNode", _or_endless(u64)),
    Key("MaxMemPerCPU", 10, "MaxMemPerCPU", _or_endless(u64)),
    Key("MaxMemPerNode", 10, "MaxMemPerNode", _or_endless(u64)),
    Key("QoS", 3, "QoS"),
    Key("JobDefaults", 5, "JobDefaults"),
    Key("TresBillingWeights", 8, "TRESBillingWeights"),
    Key("Complexes", 7, "Complexes"),
)
