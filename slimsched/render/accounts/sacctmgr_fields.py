"""The fields of ``sacctmgr``'s formats: one list for all kinds of records, searched in this order.

A field that a kind of record does not have is empty. Source: the Format options of sacctmgr(1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from slimsched.errors import UserError
from slimsched.render.columns import Field, Format, Table
from slimsched.slurm import limits

Value = Callable[[Any], str]

LINES = """\
acct|Account|10|Account:3 Acct:4
actionraw|ActionRaw|10|ActionRaw:7|n
action|Action|20|Action:4
actor|Actor|10|Actor:4
admin|Admin|9|AdminLevel:2
allowed|Allowed|8|Allowed:2|n
assocs|Assocs|10|Associations:2
tres|TRES|20|TRES:2
class|Class|9|Classification:3
clusternodes|Cluster Nodes|20|ClusterNodes:8
cluster|Cluster|10|Clusters:2
coords|Coord Accounts|20|Coordinators:3
comment|Comment|20|Comment:3
chost|ControlHost|15|ControlHost:8
cport|ControlPort|12|ControlPort:8|n
count|Count|6|Count:3|n
callowed|# Allowed|10|CountAllowed:6|n
cused|# Used|10|CountUsed:6|n
cpus|CPU Cnt|7|CPUCount:2
dacct|Def Acct|10|DefaultAccount:8
dqos|Def QOS|9|DefaultQOS:8
dwckey|Def WCKey|10|DefaultWCKey:8
desc|Descr|20|Description:3
duration|Duration|13|Duration:2
eventraw|EventRaw|8|EventRaw:6|n
event|Event|7|Event:2
features|Features|20|Features:3
federation|Federation|10|Federation:3
fedstate|FedState|12|FedState:4
fedstateraw|FedStateRaw|11|FedStateRaw:9|n
flags|Flags|20|Flags:2
grace|GraceTime|10|GraceTime:3
id|ID|6|ID:2|n
info|Info|20|Info:2
lineage|Lineage|-20|Lineage:4
servertype|ServerType|10|ServerType:10
maxcpurunmins|MaxCPURunMinsPU|15|MaxCPURunMinsPerUser:7 MaxCPURunMinsPU:7|n
instanceid|InstanceId|20|InstanceId:9
instancetype|InstanceType|20|InstanceType:9
extra|Extra|20|Extra:5
name|Name|10|Name:2
nodecount|NodeCount|9|NodeCount:5|n
nodeinx|NodeInx|9|NodeInx:5
nodenames|NodeName|-15|NodeNames:5
org|Org|20|Organization:1
parentid|ParentID|8|ParentID:7|n
parentname|ParentName|10|ParentName:7
partition|Partition|10|Partition:4
preemptmode|PreemptMode|11|PreemptMode:8
preempt|Preempt|10|Preempt:7
preemptexempt|PreemptExemptTime|19|PreemptExemptTime:8
priority|Priority|10|Priority:3|n
problem|Problem|40|Problem:1
qos|QOS|20|QOSLevel:3
qosraw|QOS_RAW|10|QOSRAWLevel:4
reason|Reason|30|Reason:1
rpc|RPC|5|RPC:1|n
server|Server|10|Server:3
share|Share|9|Share:1 FairShare:2 RawShares:8|n
stateraw|StateRaw|8|StateRaw:6|n
state|State|6|State:1
time|Time|19|TimeStamp:2
timeeligible|TimeEligible|19|TimeEligible:6 Eligible:2
timeend|TimeEnd|19|TimeEnd:6 End:2
timestart|TimeStart|19|TimeStart:7 Start:3
timesubmit|TimeSubmit|19|TimeSubmit:6 Submit:2
type|Type|8|Type:2
unused|UnusedWall|10|UnusedWall:2
factor|UsageFactor|11|UsageFactor:6
limitfactor|LimitFactor|11|LimitFactor:6
allocated|Allocated|9|Allocated:7|n
consumed|LastConsumed|12|LastConsumed:8|n
user|User|10|User:1
wckey|WCKey|10|WCKey:2
wckeys|WCKeys|20|WCKeys:6
where|Where|20|Where:2"""
"""What a field shows, its header, its width (negative: to the left), its names with the fewest letters; n: a number."""

TREE = {"acct": -20}  # widths of a tree


def choose(text: str, values: Mapping[str, Value], *, tree: bool = False) -> Format:
    """Return the columns of a format; raises `UserError` for an unknown name."""
    if not text:
        raise UserError("Unknown field ''", level="plain")
    wanted = Table(list(_fields(values, TREE if tree else {})), shortened=True).named(text)
    if wanted.invalid:
        from slimsched.text import alike

        known = [word.partition(":")[0] for line in LINES.split("\n") for word in line.split("|")[3].split()]
        notes = alike.hint("field", wanted.invalid[0], known)
        raise UserError(f"Unknown field '{wanted.invalid[0]}'", level="plain", notes=notes)
    return wanted


def _fields(values: Mapping[str, Value], widths: Mapping[str, int]) -> Iterator[Field]:
    for line in LINES.split("\n"):
        what, header, width, names, *number = line.split("|")
        text = values.get(what, _nothing)
        yield Field.named(names, widths.get(what, int(width)), text, header=header, whole=bool(number))
    for each in limits.LIMITS:
        if each.width:
            names, text = each.columns or each.spelled, values.get(each.shown_as, _nothing)
            whole = each.kind == "count" or bool(each.resource)
            yield Field.named(names, int(each.width), text, header=each.header, whole=whole)


def _nothing(_: object) -> str:
    return ""
