"""A node registers with the controller, as its slurmd does when it starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.life import node_failure
from slimsched.errors import PluginError
from slimsched.select import registry
from slimsched.slurm import states

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.node import Node

NOT_RESPONDING = "Not responding"


class Registration(NamedTuple):
    """What a registering node says of itself; None for what it does not mention."""

    extra: str | None = None
    load: dict[str, str] | None = None
    instance_id: str | None = None
    instance_type: str | None = None
    booted: bool = False
    future: bool = False
    real_memory: int | None = None  # MB


def register(ctl: Controller, node: Node, said: Registration) -> None:
    """Take a node's registration.

    Its ``Extra`` is kept whatever it is: what cannot be decoded never matches (oracle SURPRISES B15). A node that is
    down returns to service as ``ReturnToService`` says.
    """
    cluster = ctl.cluster
    now = cluster.now
    values: dict[str, object] = {"other": {**node.other, "SlurmdStartTime": str(now), **_instance(said)}}
    if said.booted:
        values["boot_time"] = now
    if said.extra is not None:
        values["extra"] = said.extra
        cluster.changed("extra")
    if said.load is not None:
        values["load"] = {**node.load, **said.load}
        cluster.changed("load", "complexes-host")
    if said.real_memory is not None:
        values["real_memory"] = said.real_memory
    node.change(**values)
    cluster.touch_node(node)
    cluster.pass_due = True
    cluster.record("register", node=node.name, **_event_fields(said))
    if said.real_memory is not None:
        _confirm_memory(ctl, node)
    _return_to_service(ctl, node, said)


def _confirm_memory(ctl: Controller, node: Node) -> None:
    """Let the select plugin know of the node's memory; jobs that hold more of it than there is lose the node."""
    cluster = ctl.cluster
    cluster.changed("nodes")
    ctl.select.update_node_config(node.index)
    registry.rank(ctl.select, cluster)
    for job in [j for j in cluster.jobs.values() if j.active and cluster.bitmap_of(j.nodes) >> node.index & 1]:
        try:
            ctl.select.job_mem_confirm(job)
        except PluginError:
            node_failure.fail_job(ctl, job)


def _event_fields(said: Registration) -> dict[str, object]:
    """Return what the history keeps of a registration."""
    load = ",".join(f"{name}={value}" for name, value in (said.load or {}).items())
    return {name: value for name, value in (("extra", said.extra), ("load", load)) if value}


def _instance(said: Registration) -> dict[str, str]:
    pairs = {"InstanceId": said.instance_id, "InstanceType": said.instance_type}
    return {name: value for name, value in pairs.items() if value is not None}


def _return_to_service(ctl: Controller, node: Node, said: Registration) -> None:
    """Clear what only silence or power was to blame for; a node that is down comes back if the rule allows it."""
    gone = {states.NO_RESPOND, states.POWERED_DOWN, states.POWERING_UP, states.POWER_UP}
    flags = [flag for flag in node.flags if flag not in gone]
    if node.power_time and states.POWERING_DOWN not in flags:
        node.change(power_time=0)
    state = node.state
    rule = ctl.cluster.config.get("ReturnToService")
    silent = node.reason.startswith(NOT_RESPONDING)
    back = state == states.DOWN and (rule == "2" or (rule == "1" and silent))
    if back or (state == states.FUTURE and said.future):
        state = states.IDLE
    if back:
        node.change(reason="", reason_time=0, reason_uid=0, reason_user="")
    node_failure.put(ctl, node, state, flags)
