"""Running jobs that give nodes back, and jobs that expand others."""

from __future__ import annotations

import pytest
import world

from slimsched.controller.update import job as job_fields
from slimsched.errors import SlurmError

EXPAND = {"SchedulerParameters": "permit_job_expansion"}


def change(ctl, job, **fields):
    words = [f"{name}={value}" for name, value in fields.items()]
    failures = job_fields.update(ctl, job_fields.parse([f"jobid={job.job_id}", *words], print))
    ctl.settle()
    return world.said(failures)


@pytest.mark.parametrize("select", ["select/cons_tres", "select/linear", "select/cray_aries"])
def test_fewer_nodes(select):
    ctl = world.controller(SelectType=select)
    job = world.job(ctl, min_nodes=4, max_nodes=4, nodelist="node[1-4]", exclusive="NODE")
    waits = world.job(ctl, nodelist="node3", exclusive="NODE", num_tasks=1, min_nodes=1)
    assert waits.state == "PENDING"

    assert change(ctl, job, NumNodes="2") == []
    assert (job.nodes, job.cpus) == ("node[1-2]", [4, 4])
    assert waits.state == "RUNNING"
    world.later(ctl, 600)
    assert job.state == "COMPLETED"


def test_nodes_by_name():
    ctl = world.controller()
    job = world.job(ctl, min_nodes=3, max_nodes=3, nodelist="node[1-3]")

    assert change(ctl, job, ReqNodeList="node7") == ["Invalid node name specified for job 1"]
    assert change(ctl, job, ReqNodeList="node[2-3]") == ["Invalid node name specified for job 1"]  # the script's node
    assert change(ctl, job, ReqNodeList="node1,node3") == []
    assert (job.nodes, job.request.min_nodes) == ("node[1,3]", 2)


@pytest.mark.parametrize(
    ("count", "said"),
    [("5", "Requested operation not supported on this system"), ("0", "Node count specification invalid")],
)
def test_a_running_job_cannot_get_more_nor_none(count, said):
    ctl = world.controller()
    job = world.job(ctl, min_nodes=4, max_nodes=4)

    assert change(ctl, job, NumNodes=count) == [f"{said} for job 1"]
    assert len(job.cpus) == 4
    assert change(ctl, job, NumNodes="ALL") == []


def test_shrinking_can_be_forbidden():
    ctl = world.controller(SchedulerParameters="disable_job_shrink")
    job = world.job(ctl, min_nodes=4, max_nodes=4)

    assert change(ctl, job, NumNodes="1") == ["Requested operation not supported on this system for job 1"]
    assert len(job.cpus) == 4


def test_a_job_expands_another():
    ctl = world.controller(**EXPAND)
    first = world.job(ctl, min_nodes=2, max_nodes=2, exclusive="NODE")
    more = world.job(ctl, min_nodes=2, max_nodes=2, exclusive="NODE", dependency="expand:1", runtime=30)
    assert (first.nodes, more.nodes) == ("node[1-2]", "node[3-4]")

    assert change(ctl, more, NumNodes="0") == []
    assert (first.nodes, first.cpus) == ("node[1-4]", [4] * 4)
    assert more.nodes == ""
    world.later(ctl, 60)
    assert more.state == "COMPLETED"
    assert world.job(ctl, nodelist="node4", num_tasks=1).state == "PENDING"
    world.later(ctl, 300)
    assert {job.state for job in ctl.cluster.jobs.values()} == {"COMPLETED", "RUNNING"}


def test_expansion_waits_for_the_start_and_fails_with_the_end():
    ctl = world.controller(**EXPAND)
    first = world.job(ctl, num_tasks=1, hold=True)
    more = world.job(ctl, num_tasks=1, dependency="expand:1")
    assert (more.state, more.reason) == ("PENDING", "Dependency")

    first.priority = 1
    ctl.cluster.pass_due = True
    ctl.settle()
    assert first.state == "RUNNING"
    world.later(ctl, 1)
    assert more.state in {"RUNNING", "PENDING"}


@pytest.mark.parametrize(
    "slurm", [{}, {"SelectType": "select/tracing_none", **EXPAND}], ids=["configuration", "plugin"]
)
def test_expansion_must_be_permitted(slurm, monkeypatch):
    """The refusal is as recorded of a cluster that does not permit it."""
    from slimsched.select import registry
    from slimsched.select.cons_tres import ConsTres

    class Rigid(ConsTres):
        def job_expand_allow(self):
            return False

    monkeypatch.setattr(registry, "find", lambda name: Rigid if name.endswith("none") else ConsTres)
    ctl = world.controller(**slurm)
    world.job(ctl, num_tasks=1)

    with pytest.raises(SlurmError, match="Requested operation not supported on this system"):
        world.job(ctl, num_tasks=1, dependency="expand:1")
