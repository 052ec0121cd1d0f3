"""The rules by which nodes drop out: an explanation is made of the very sets that a pass folds."""

from __future__ import annotations

from typing import Any

import pytest
import world

from slimsched.controller.explain import steps
from slimsched.controller.explain.explanation import explain
from slimsched.controller.schedule import candidates, node_rules
from slimsched.model.reservation import Reservation

ASKED = [
    {},
    {"partition": "batch", "exclude": "node[1-2]"},
    {"features": "intel"},
    {"requires": ["amd"], "min_nodes": 2},
    {"flux_constraint": '{"hostlist": ["node[2-3]"]}'},
    {"extra": "load<0.5"},
    {"extra": "load<0.5", "features": "intel"},
]


def waiting(ctl: Any, **asked: Any) -> Any:
    """Return a job that nothing has looked at but its submission."""
    for node in ctl.cluster.nodes:
        node.change(extra=f'{{"load": 0.{node.index}}}')
    ctl.cluster.nodes[2].change(flags=["DRAIN"], reason="test")
    ctl.cluster.changed("extra", "state")
    return world.job(ctl, hold=True, **asked)


@pytest.mark.parametrize("asked", ASKED)
def test_an_explanation_and_a_pass_see_the_same_nodes(asked: dict[str, Any]) -> None:
    ctl = world.controller()
    job = waiting(ctl, **asked)
    part = ctl.cluster.partitions[job.request.partition]
    rules = steps.explained(node_rules.EXPLAINED, ctl, job, part)

    assert steps.left_after(rules) == candidates.wanted(ctl, job, part).bitmap


@pytest.mark.parametrize(("flags", "left"), [([], 2), (["ANY_NODES"], 4)])
def test_a_job_may_leave_a_reservation_of_any_nodes(flags: list[str], left: int) -> None:
    ctl = world.controller()
    now = ctl.cluster.now
    ctl.cluster.reservations["r"] = Reservation(
        name="r", nodes="node[5-6]", users="root", flags=flags, start_time=now, end_time=now + 3600
    )
    job = world.job(ctl, hold=True, partition="batch", reservation="r")
    rows = {step.step: step.nodes_left for step in explain(ctl, job).partitions[0].steps}

    assert rows["own reservation"] == left
