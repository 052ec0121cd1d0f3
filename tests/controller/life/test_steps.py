"""Steps on some of a job's nodes, and nodes that come back with less memory."""

from __future__ import annotations

import pytest
import world

from slimsched.controller.life import job_steps
from slimsched.controller.update.registration import Registration, register
from slimsched.errors import SlurmError


def test_steps_take_the_nodes_that_have_none():
    ctl = world.controller()
    job = world.job(ctl, min_nodes=3, max_nodes=3)

    assert [job_steps.run_step(ctl, job, *args) for args in [(1,), (2,), (0,), (1, "node2"), (2, "node3")]] == [
        "node1",
        "node[1-2]",
        "node[1-3]",
        "node2",
        "node[1,3]",
    ]
    found = [(event["step"], event["nodes"]) for event in ctl.cluster.events if event["event"] == "step"]
    assert found[-1] == (4, "node[1,3]")


@pytest.mark.parametrize("args", [(4,), (1, "node7"), (9, "node1")])
def test_a_step_stays_inside_its_job(args):
    ctl = world.controller()
    job = world.job(ctl, min_nodes=3, max_nodes=3)
    with pytest.raises(SlurmError, match="Requested node configuration is not available"):
        job_steps.run_step(ctl, job, *args)


def test_the_job_must_run():
    ctl = world.controller()
    world.fill(ctl)
    with pytest.raises(SlurmError, match="pending"):
        job_steps.run_step(ctl, world.job(ctl, num_tasks=1), 1)


def test_srun_in_an_allocation(sim):
    sim("sbatch -N3 --wrap 'sleep 60'")
    assert sim("srun --jobid 1 -N2 true") == ""
    answer = sim.run("srun --jobid 1 -N9 true")
    assert (answer.code, answer.err) == (
        1,
        "srun: error: Unable to create step for job 1: Requested node configuration is not available\n",
    )


@pytest.mark.parametrize(("memory", "state"), [(400, "RUNNING"), (399, "PENDING")])
def test_a_node_comes_back_with_less_memory(memory, state):
    ctl = world.controller()
    job = world.job(ctl, num_tasks=4, nodelist="node1", mem_per_node=400, batch=True, requeue=True)
    register(ctl, ctl.cluster.nodes[0], Registration(real_memory=memory))
    ctl.settle()

    assert job.state == state
    assert ctl.cluster.nodes[0].real_memory == memory
    with pytest.raises(SlurmError, match="Requested node configuration is not available"):
        world.job(ctl, num_tasks=1, nodelist="node1", mem_per_node=500, batch=True)


def test_a_job_that_cannot_be_requeued_has_lost_its_node():
    ctl = world.controller()
    job = world.job(ctl, num_tasks=4, nodelist="node1", mem_per_node=400, requeue=False)
    register(ctl, ctl.cluster.nodes[0], Registration(real_memory=100))
    assert job.state == "NODE_FAIL"


def test_weights_reach_the_select_plugin(sim):
    first, second = sim("sinfo -h -N -o %N").split()[:2]
    sim(f"scontrol update nodename={first} weight=100")
    sim("sbatch -n1 --wrap 'sleep 60'")
    assert sim("squeue -h -o %N") == f"{second}\n"
