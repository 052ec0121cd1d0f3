"""Nodes: the keys of ``scontrol update NodeName=``, and the change of several nodes, all of them wholly or none.

Where the real slurmctld keeps what it changed before it met an unknown node or a bad field, nothing is kept here: a
deliberate difference (oracle SURPRISES B14).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.gridengine import complexes
from slimsched.controller.life import node_failure
from slimsched.controller.requests import rights, text_checks
from slimsched.controller.update import node_states
from slimsched.controller.update.fields import (
    ABORTED,
    NO_CHANGES,
    NOT_SUPPORTED,
    Change,
    Field,
    Given,
    Request,
    aborted,
    read,
)
from slimsched.errors import SimError, SlurmError, SyntaxFault, UserError
from slimsched.model import bitmap
from slimsched.model.cluster import shorten
from slimsched.model.node import NodeState
from slimsched.model.request import INFINITE
from slimsched.select import gres, registry
from slimsched.slurm import states, words
from slimsched.slurm.errno import Errno
from slimsched.text.sizes import c_number, is_number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from slimsched.controller.core import Controller
    from slimsched.controller.requests.users import User
    from slimsched.controller.update.fields import KeyValue
    from slimsched.model.node import Node

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


class NodeChange(Change[NodeState]):
    """One node's update in the making: the stored fields that it sets, and what ``State=`` makes of the node."""

    def __init__(self, ctl: Controller, node: Node, user: User) -> None:
        super().__init__(ctl, NodeState())
        self.node = node
        self.user = user
        self.state: node_states.StateWord | None = None

    def get(self, attribute: str) -> str:
        """Return a text of the node as it will be."""
        new = getattr(self.trial, attribute)
        return str(getattr(self.node, attribute) if new is None else new)


def parse(texts: Iterable[str]) -> Request:
    """Return the nodes that words name, and what to change of them. Raises `UserError`."""
    fields = read(texts, FIELDS, _refuse)
    values = {given.field.name: given.value for given in fields}
    state = values.get("State")
    if state and state.name in node_states.NEEDS_REASON and not values.get("Reason"):
        raise UserError(NO_REASON, level="plain")
    request = Request(values.get("NodeName", ""), [given for given in fields if given.field.name != "NodeName"])
    if not request.fields:
        raise UserError(NO_CHANGES, level="plain")
    return request


def _refuse(word: KeyValue, field: Field | None) -> UserError:
    if word.text is None:
        return UserError(f"Invalid input: {word.written}  {ABORTED}")
    return aborted(NOT_SUPPORTED.format(word.written))


def update(ctl: Controller, request: Request, user: User) -> None:
    """Change the nodes of a hostlist ("ALL": all), each wholly or not at all.

    Raises the last node's `SlurmError` or `UserError`; the nodes that could be changed are changed all the same.
    """
    rights.require(ctl.cluster, rights.ADMINISTRATOR)
    nodes = text_checks.node_set(ctl.cluster, request.name)
    if not nodes:
        raise SlurmError(Errno.INVALID_NODE_NAME)
    refused: SimError | None = None
    for index in bitmap.iterate(nodes):
        change = NodeChange(ctl, ctl.cluster.nodes[index], user)
        try:
            change.put(request.fields)
            _check(change)
        except (SlurmError, UserError) as error:
            refused = error
        else:
            _apply(change)
    if refused is not None:
        refused.commits = True
        raise refused


def _check(change: NodeChange) -> None:
    """Refuse what the node as a whole cannot become."""
    if change.state and change.state.step(change.node) is None:
        raise SlurmError(Errno.INVALID_NODE_STATE_TRANSITION)
    available, active = set(change.get("features").split(",")), set(change.get("active_features").split(","))
    if not active - {""} <= available:
        raise SlurmError(Errno.ACTIVE_FEATURE_NOT_SUBSET)


def _apply(change: NodeChange) -> None:
    """Make one node's changes; the state last, since it may end jobs."""
    ctl, node, trial = change.ctl, change.node, change.trial
    cluster = ctl.cluster
    if change.state and node_states.clears_reason(change.state.name):
        trial.reason, trial.reason_time, trial.reason_uid, trial.reason_user = "", 0, 0, ""
    values = {name: value for name in trial.__struct_fields__ if (value := getattr(trial, name)) is not None}
    node.change(**values)
    cluster.touch_node(node)
    cluster.pass_due = True
    cluster.changed(*{DATA[name] for name in values if name in DATA})
    if "complexes" in values:
        complexes.changed(ctl)
    if values.keys() & {"gres", "weight"}:
        ctl.select.update_node_config(node.index)
        registry.rank(ctl.select, cluster)
    if values:
        named = " ".join(f"{name}={shorten(values[name])}" for name in sorted(values) if name not in _UNTOLD)
        cluster.record("node-update", node=node.name, fields=named)
    new = change.state.step(node) if change.state else None
    if change.state and new is not None:
        _put_power(ctl, node, new[1])
        node_failure.put(ctl, node, *new)
        if change.state.after:
            change.state.after(ctl, node)


def _put_power(ctl: Controller, node: Node, flags: list[str]) -> None:
    """Forget when a node would be up or off, if it no longer goes there."""
    if node.power_time and not {states.POWERING_UP, states.POWERING_DOWN, states.POWERED_DOWN}.intersection(flags):
        node.change(power_time=0)
        ctl.cluster.changed("power")


# readers, of the text alone


def _state(given: Given) -> node_states.StateWord:
    word = words.find(node_states.STATES, given.text)
    if word is None:
        from slimsched.text import alike

        notes = alike.hint("state", given.text, [each.name for each in node_states.STATES])
        raise UserError(BAD_STATE.format(given.written), level="plain", notes=notes)
    return word


def _weight(given: Given) -> int:
    """Read ``Weight=``: a number in any C notation, with ``k`` for 1,024."""
    text = given.text
    if text.upper() in {"UNLIMITED", "INFINITE"}:
        return INFINITE
    if text.startswith("-"):
        raise _useless(f"Weight value ({text}) is less than zero")
    digits = text[:-1] if text[-1:] in {"k", "K"} else text
    number = c_number(digits)
    if number is None:
        raise _useless(f"Weight value ({text}) is not a valid number")
    number *= 1024 if digits != text else 1
    if number > MOST_WEIGHT:
        raise _useless(f"Weight value ({text}) is greater than {MOST_WEIGHT}")
    return number


def _useless(said: str) -> UserError:
    """Return a refusal that leaves the command with nothing to do."""
    return UserError(NO_CHANGES, level="plain", preface=f"scontrol: error: {said}")


def _reason(given: Given) -> str:
    """Read ``Reason=``: a quote at either end is dropped."""
    return given.text.removeprefix('"').removesuffix('"')


def _seconds(given: Given) -> int:
    if given.text.upper() in {"", "0", "-1", "INFINITE"}:
        return 0
    if not is_number(given.text, 10):
        raise UserError(f"Invalid ResumeAfter value: {given.text}")
    return int(given.text)


# what a value changes


def _other(change: NodeChange, given: Given) -> None:
    """Keep what is not used."""
    change.trial.other = {**(change.trial.other or change.node.other), given.field.name: given.text}


def _put_state(change: NodeChange, given: Given) -> None:
    change.state = given.value


def _put_reason(change: NodeChange, given: Given) -> None:
    trial, user = change.trial, change.user
    trial.reason, trial.reason_time = given.value, change.ctl.cluster.now
    trial.reason_uid, trial.reason_user = user.uid, user.name


def _put_extra(change: NodeChange, given: Given) -> None:
    """Check ``Extra``: JSON as the real one takes it, as long as extra constraints are on."""
    if given.text and change.ctl.cluster.config.extra_constraints:
        from slimsched.constraints import node_extra

        try:
            node_extra.decode(given.text)
        except SyntaxFault as fault:
            raise SlurmError(Errno.INVALID_EXTRA, notes=fault.lines()) from None
    change.trial.extra = given.text


def _put_gres(change: NodeChange, given: Given) -> None:
    """Check ``Gres``: other counts of what the node has; nothing that it has not."""
    try:
        new = {item.name for item in gres.parse(given.text)}
    except ValueError:
        raise SlurmError(Errno.INVALID_GRES) from None
    if not new <= {item.name for item in gres.parse(change.node.conf.gres)}:
        raise SlurmError(Errno.INVALID_GRES)
    change.trial.gres = given.text


def _put_resume(change: NodeChange, given: Given) -> None:
    change.trial.resume_after = given.value and change.ctl.cluster.now + given.value


def _put_complexes(change: NodeChange, given: Given) -> None:
    from slimsched.controller.gridengine import definitions

    change.trial.complexes = definitions.read(change.ctl.cluster, given.text)


FIELDS = (
    Field("NodeName", 1),
    Field("NodeAddr", 5, put=_other),
    Field("NodeHostName", 5, put=_other),
    Field("ActiveFeatures", 3, put="active_features"),
    Field("CpuBind", 7, put=_other),
    Field("Extra", 1, put=_put_extra),
    Field("Features", 1, put="features"),
    Field("AvailableFeatures", 3, put="features"),
    Field("Gres", 1, put=_put_gres),
    Field("InstanceId", 9, put=_other),
    Field("InstanceType", 9, put=_other),
    Field("Weight", 1, _weight, "weight"),
    Field("Comment", 2, put="comment"),
    Field("Reason", 1, _reason, _put_reason),
    Field("ResumeAfter", 3, _seconds, _put_resume),
    Field("State", 1, _state, _put_state),
    Field("Topology", 1, put=_other),
    Field("Complexes", 7, put=_put_complexes),
)
"""In the order in which they are looked for."""
