"""The keys of ``scontrol create`` and ``update reservation``, in the order in which they are looked for."""

from __future__ import annotations

from slimsched.cli.scontrol import keys
from slimsched.cli.scontrol.keys import Key
from slimsched.errors import UserError

NO_LIST = "Using a comma separated array for {} is no longer valid."


def _node_count(name: str, value: str) -> str:
    """Read how many nodes."""
    if "," in value:
        raise UserError(NO_LIST.format("NodeCnt"))
    return keys.node_count(name, value)


def _core_count(_name: str, value: str) -> str:
    """Read how many cores."""
    if "," in value:
        raise UserError(NO_LIST.format("CoreCnt"))
    number = keys.whole(value)
    if number is None or number < 0 or not value:
        raise UserError(f"Invalid core count {value}")
    return str(number)


RESERVATION_KEYS = (
    Key("Accounts", 1, "Accounts", signed=True),
    Key("AllowedPartitions", 3, "AllowedPartitions", signed=True),
    Key("Comment", 3, "Comment"),
    Key("Flags", 2, "Flags", signed=True),
    Key("Groups", 1, "Groups", signed=True),
    Key("QOS", 1, "QOS", signed=True),
    Key("Users", 1, "Users", signed=True),
    Key("ReservationName", 1, "ReservationName"),
    Key("BurstBuffer", 2, "BurstBuffer"),
    Key("StartTime", 2, "StartTime"),
    Key("EndTime", 1, "EndTime"),
    Key("Duration", 1, "Duration", signed=True),
    Key("MaxStartDelay", 2, "MaxStartDelay"),
    Key("NodeCnt", 5, "NodeCnt", _node_count),
    Key("NodeCount", 5, "NodeCnt", _node_count),
    Key("CoreCnt", 5, "CoreCnt", _core_count),
    Key("CoreCount", 5, "CoreCnt", _core_count),
    Key("CPUCnt", 5, "CoreCnt", _core_count),
    Key("CPUCount", 5, "CoreCnt", _core_count),
    Key("Nodes", 5, "Nodes", signed=True),
    Key("Features", 2, "Features"),
    Key("Licenses", 2, "Licenses"),
    Key("PartitionName", 1, "PartitionName"),
    Key("TRES", 1, "TRES", signed=True),
    Key("TRESPerNode", 5, "TRESPerNode", signed=True),
)
ONCE = frozenset({"Accounts", "AllowedPartitions", "Comment", "Groups", "QOS", "Users"})
"""Fields that one command may give only once."""
SKIP = Key("Skip", 2, "Skip")
