"""``scontrol update NodeName=``: change nodes, all of them wholly or none.

Where the real slurmctld keeps what it changed before it met an unknown node or a bad field, nothing is kept here: a
deliberate difference (oracle SURPRISES B14).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from slimsched.controller import checks, complexes, node_states
from slimsched.errno import Errno
from slimsched.errors import SlurmError, SyntaxFault, UserError
from slimsched.model import bitmap
from slimsched.model import node as states
from slimsched.model.cluster import shorten
from slimsched.select import gres
from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slimsched.controller.core import Controller
    from slimsched.controller.update_job import Assignment
    from slimsched.controller.users import User
    from slimsched.model.node import Node

    Reader = Callable[["Change", str], None]

NO_REASON = "You must specify a reason when DOWNING or DRAINING a node. Request denied"
BAD_STATE = (
    "Invalid input: {0}\nRequest aborted\n"
    "Valid states are: NoResp DRAIN FAIL FUTURE RESUME POWER_DOWN POWER_UP UNDRAIN\n"
    "Not all states are valid given a node's prior state"
)
_UNTOLD = frozenset({"reason_time", "reason_uid", "reason_user"})
"""Fields that the history does without."""

DATA = {"extra": "extra", "features": "features", "active_features": "features", "gres": "gres", "weight": "nodes"}
"""Node attribute -> the data whose caches expire with it."""


@dataclass(slots=True)
class Change:
    """One node's update in the making: attributes to set, and the word of ``State=``."""

    ctl: Controller
    node: Node
    user: User
    values: dict[str, object] = field(default_factory=dict)
    state: str = ""
    written: str = ""  # the field that is being read, as it was typed

    def get(self, attribute: str) -> str:
        """Return an attribute as it will be."""
        return str(self.values.get(attribute, getattr(self.node, attribute)))


def update(ctl: Controller, names: str, assignments: Sequence[Assignment], user: User) -> None:
    """Change the nodes of a hostlist ("ALL": all). Raises `SlurmError` or `UserError`, and changes nothing then."""
    nodes = checks.node_set(ctl.cluster, names)
    if not nodes:
        raise SlurmError(Errno.INVALID_NODE_NAME)
    changes = [_read(ctl, ctl.cluster.nodes[i], assignments, user) for i in bitmap.iterate(nodes)]
    for change in changes:
        _apply(change)


def _read(ctl: Controller, node: Node, assignments: Sequence[Assignment], user: User) -> Change:
    change = Change(ctl, node, user)
    for item in assignments:
        change.written = item.written
        FIELDS[item.field](change, item.value)
    if change.state in node_states.NEEDS_REASON and not change.values.get("reason"):
        raise UserError(NO_REASON, level="plain")
    if change.state and node_states.WORDS[change.state](node) is None:
        raise SlurmError(Errno.INVALID_NODE_STATE_TRANSITION)
    available, active = set(change.get("features").split(",")), set(change.get("active_features").split(","))
    if not active - {""} <= available:
        raise SlurmError(Errno.ACTIVE_FEATURE_NOT_SUBSET)
    return change


def _apply(change: Change) -> None:
    """Make one node's changes; the state last, since it may end jobs."""
    ctl, node, values = change.ctl, change.node, change.values
    cluster = ctl.cluster
    if node_states.clears_reason(change.state):
        values |= {"reason": "", "reason_time": 0, "reason_uid": 0, "reason_user": ""}
    node.change(**values)
    cluster.touch_node(node)
    cluster.pass_due = True
    cluster.changed(*{DATA[name] for name in values if name in DATA})
    if "complexes" in values:
        complexes.changed(ctl)
    if values.keys() & {"gres", "weight"}:
        ctl.select.update_node_config(node.index)
    if values:
        named = " ".join(f"{name}={shorten(values[name])}" for name in sorted(values) if name not in _UNTOLD)
        cluster.record("node-update", node=node.name, fields=named)
    new = node_states.WORDS[change.state](node) if change.state else None
    if new is not None:
        node_states.put(ctl, node, *new)
        if new[0] in {states.DOWN, states.FUTURE}:
            node_states.fail_jobs(ctl, node)


# readers


def _text(attribute: str) -> Reader:
    def read(change: Change, value: str) -> None:
        change.values[attribute] = value

    return read


def _other(name: str) -> Reader:
    def read(change: Change, value: str) -> None:
        change.values["other"] = {**change.node.other, **_dict(change.values.get("other")), name: value}

    return read


def _dict(value: object) -> dict[str, str]:
    return value if isinstance(value, dict) else {}


def _state(change: Change, value: str) -> None:
    change.state = node_states.find(value)
    if not change.state:
        raise UserError(BAD_STATE.format(change.written), level="plain")


def _reason(change: Change, value: str) -> None:
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
        value = value[1:-1]
    change.values |= {
        "reason": value,
        "reason_time": change.ctl.cluster.now,
        "reason_uid": change.user.uid,
        "reason_user": change.user.name,
    }


def _extra(change: Change, value: str) -> None:
    """Read ``Extra``: JSON as the real one takes it, as long as extra constraints are on."""
    if value and change.ctl.cluster.config.extra_constraints:
        from slimsched.constraints import node_extra

        try:
            node_extra.decode(value)
        except SyntaxFault as fault:
            raise SlurmError(Errno.INVALID_EXTRA, notes=fault.lines()) from None
    change.values["extra"] = value


def _weight(change: Change, value: str) -> None:
    if not is_number(value, 10):
        raise UserError(f"Invalid weight value: {value}")
    change.values["weight"] = int(value)


def _gres(change: Change, value: str) -> None:
    """Read ``Gres``: other counts of what the node has; nothing that it has not."""
    try:
        new = {item.name for item in gres.parse(value)}
    except ValueError:
        raise SlurmError(Errno.INVALID_GRES) from None
    if not new <= {item.name for item in gres.parse(change.node.conf.gres)}:
        raise SlurmError(Errno.INVALID_GRES)
    change.values["gres"] = value


def _resume_after(change: Change, value: str) -> None:
    if value.upper() in {"", "0", "-1", "INFINITE"}:
        change.values["resume_after"] = 0
    elif is_number(value, 10):
        change.values["resume_after"] = change.ctl.cluster.now + int(value)
    else:
        raise UserError(f"Invalid ResumeAfter value: {value}")


def _complexes(change: Change, value: str) -> None:
    from slimsched.controller import complex_values

    change.values["complexes"] = complex_values.read(change.ctl.cluster, value)


FIELDS: dict[str, Reader] = {
    "ActiveFeatures": _text("active_features"),
    "AvailableFeatures": _text("features"),
    "Comment": _text("comment"),
    "CpuBind": _other("CpuBind"),
    "Complexes": _complexes,
    "Extra": _extra,
    "Features": _text("features"),
    "Gres": _gres,
    "InstanceId": _other("InstanceId"),
    "InstanceType": _other("InstanceType"),
    "NodeAddr": _other("NodeAddr"),
    "NodeHostName": _other("NodeHostName"),
    "Reason": _reason,
    "ResumeAfter": _resume_after,
    "State": _state,
    "Topology": _other("Topology"),
    "Weight": _weight,
}
"""Field of ``scontrol update NodeName=`` -> its reader."""
