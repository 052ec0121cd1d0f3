"""``scontrol update NodeName=``: change nodes, all of them wholly or none.

Where the real slurmctld keeps what it changed before it met an unknown node or a bad field, nothing is kept here: a
deliberate difference (oracle SURPRISES B14).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from slimsched.controller import checks, complexes, node_states
from slimsched.errno import Errno
from slimsched.errors import SlurmError, SyntaxFault, UserError
from slimsched.model import bitmap
from slimsched.model import node as states
from slimsched.model.cluster import shorten
from slimsched.model.request import INFINITE
from slimsched.select import gres
from slimsched.slurm import words
from slimsched.text.sizes import c_number, is_number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from slimsched.controller.core import Controller
    from slimsched.controller.update_job import Assignment
    from slimsched.controller.users import User
    from slimsched.model.node import Node

    Put = Callable[["Change", Any], None]

NO_REASON = "You must specify a reason when DOWNING or DRAINING a node. Request denied"
BAD_STATE = (
    "Invalid input: {0}\nRequest aborted\n"
    "Valid states are: NoResp DRAIN FAIL FUTURE RESUME POWER_DOWN POWER_UP UNDRAIN\n"
    "Not all states are valid given a node's prior state"
)
MOST_WEIGHT = 0xFFFFFFF0
_UNTOLD = frozenset({"reason_time", "reason_uid", "reason_user"})
"""Fields that the history does without."""

DATA = {"extra": "extra", "features": "features", "active_features": "features", "gres": "gres", "weight": "nodes"}
"""Node attribute -> the data whose caches expire with it."""


@dataclass(slots=True)
class Change:
    """One node's update in the making: attributes to set, and what ``State=`` makes of it."""

    ctl: Controller
    node: Node
    user: User
    values: dict[str, object] = field(default_factory=dict)
    other: dict[str, str] = field(default_factory=dict)
    state: node_states.Word | None = None

    def get(self, attribute: str) -> str:
        """Return an attribute as it will be."""
        return str(self.values.get(attribute, getattr(self.node, attribute)))


class Field(NamedTuple):
    """A key of ``scontrol update NodeName=``: its fewest letters, what it changes, and how its text is read.

    A reader looks at the text alone; what it refuses is refused whatever the node may be.
    """

    name: str
    letters: int
    put: Callable[[Change, Any], None]
    read: Callable[[Assignment], Any] = lambda given: given.value


def update(ctl: Controller, names: str, assignments: Sequence[Assignment], user: User) -> None:
    """Change the nodes of a hostlist ("ALL": all). Raises `SlurmError` or `UserError`, and changes nothing then."""
    values = read(assignments)
    nodes = checks.node_set(ctl.cluster, names)
    if not nodes:
        raise SlurmError(Errno.INVALID_NODE_NAME)
    changes = [_put(Change(ctl, ctl.cluster.nodes[i], user), values) for i in bitmap.iterate(nodes)]
    for change in changes:
        _apply(change)


def read(assignments: Sequence[Assignment]) -> dict[str, Any]:
    """Return the new values of fields. Raises `UserError`."""
    values = {given.field: BY_NAME[given.field].read(given) for given in assignments}
    state = values.get("State")
    if state and state.name in node_states.NEEDS_REASON and not values.get("Reason"):
        raise UserError(NO_REASON, level="plain")
    return values


def _put(change: Change, values: dict[str, Any]) -> Change:
    for name, value in values.items():
        BY_NAME[name].put(change, value)
    if change.state and change.state.step(change.node) is None:
        raise SlurmError(Errno.INVALID_NODE_STATE_TRANSITION)
    available, active = set(change.get("features").split(",")), set(change.get("active_features").split(","))
    if not active - {""} <= available:
        raise SlurmError(Errno.ACTIVE_FEATURE_NOT_SUBSET)
    if change.other:
        change.values["other"] = change.node.other | change.other
    return change


def _apply(change: Change) -> None:
    """Make one node's changes; the state last, since it may end jobs."""
    ctl, node, values = change.ctl, change.node, change.values
    cluster = ctl.cluster
    if change.state and node_states.clears_reason(change.state.name):
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
    new = change.state.step(node) if change.state else None
    if new is not None:
        node_states.put(ctl, node, *new)
        if new[0] in {states.DOWN, states.FUTURE}:
            node_states.fail_jobs(ctl, node)


# readers, of the text alone


def _state(given: Assignment) -> node_states.Word:
    word = words.find(node_states.STATES, given.value)
    if word is None:
        raise UserError(BAD_STATE.format(given.written), level="plain")
    return word


def _weight(given: Assignment) -> int:
    """Read ``Weight=``: a number in any C notation, with ``k`` for 1,024."""
    value = given.value
    if value.upper() in {"UNLIMITED", "INFINITE"}:
        return INFINITE
    if value.startswith("-"):
        raise _useless(f"Weight value ({value}) is less than zero")
    digits = value.removesuffix("k").removesuffix("K")
    number = c_number(digits)
    if number is None:
        raise _useless(f"Weight value ({value}) is not a valid number")
    number *= 1024 if digits != value else 1
    if number > MOST_WEIGHT:
        raise _useless(f"Weight value ({value}) is greater than {MOST_WEIGHT}")
    return number


def _useless(said: str) -> UserError:
    """Return a refusal that leaves the command with nothing to do."""
    return UserError("No changes specified", level="plain", preface=f"scontrol: error: {said}")


def _reason(given: Assignment) -> str:
    """Read ``Reason=``: a quote at either end is dropped."""
    return given.value.removeprefix('"').removesuffix('"')


def _seconds(given: Assignment) -> int:
    if given.value.upper() in {"", "0", "-1", "INFINITE"}:
        return 0
    if not is_number(given.value, 10):
        raise UserError(f"Invalid ResumeAfter value: {given.value}")
    return int(given.value)


# what a value changes


def _set(attribute: str) -> Put:
    def put(change: Change, value: object) -> None:
        change.values[attribute] = value

    return put


def _other(name: str) -> Put:
    def put(change: Change, value: str) -> None:
        change.other[name] = value

    return put


def _put_state(change: Change, value: node_states.Word) -> None:
    change.state = value


def _put_reason(change: Change, value: str) -> None:
    user = change.user
    change.values |= {"reason": value, "reason_time": change.ctl.cluster.now}
    change.values |= {"reason_uid": user.uid, "reason_user": user.name}


def _put_extra(change: Change, value: str) -> None:
    """Check ``Extra``: JSON as the real one takes it, as long as extra constraints are on."""
    if value and change.ctl.cluster.config.extra_constraints:
        from slimsched.constraints import node_extra

        try:
            node_extra.decode(value)
        except SyntaxFault as fault:
            raise SlurmError(Errno.INVALID_EXTRA, notes=fault.lines()) from None
    change.values["extra"] = value


def _put_gres(change: Change, value: str) -> None:
    """Check ``Gres``: other counts of what the node has; nothing that it has not."""
    try:
        new = {item.name for item in gres.parse(value)}
    except ValueError:
        raise SlurmError(Errno.INVALID_GRES) from None
    if not new <= {item.name for item in gres.parse(change.node.conf.gres)}:
        raise SlurmError(Errno.INVALID_GRES)
    change.values["gres"] = value


def _put_resume(change: Change, value: int) -> None:
    change.values["resume_after"] = value and change.ctl.cluster.now + value


def _put_complexes(change: Change, value: str) -> None:
    from slimsched.controller import complex_values

    change.values["complexes"] = complex_values.read(change.ctl.cluster, value)


FIELDS = (
    Field("NodeAddr", 5, _other("NodeAddr")),
    Field("NodeHostName", 5, _other("NodeHostName")),
    Field("NodeName", 1, lambda change, value: None),
    Field("ActiveFeatures", 3, _set("active_features")),
    Field("CpuBind", 7, _other("CpuBind")),
    Field("Extra", 1, _put_extra),
    Field("Features", 1, _set("features")),
    Field("AvailableFeatures", 3, _set("features")),
    Field("Gres", 1, _put_gres),
    Field("InstanceId", 9, _other("InstanceId")),
    Field("InstanceType", 9, _other("InstanceType")),
    Field("Weight", 1, _set("weight"), _weight),
    Field("Comment", 2, _set("comment")),
    Field("Reason", 1, _put_reason, _reason),
    Field("ResumeAfter", 3, _put_resume, _seconds),
    Field("State", 1, _put_state, _state),
    Field("Topology", 1, _other("Topology")),
    Field("Complexes", 7, _put_complexes),
)
"""In the order in which they are looked for."""

BY_NAME = {field.name: field for field in FIELDS}
