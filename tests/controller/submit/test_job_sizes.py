"""How many tasks, CPUs and GPUs a job gets, by the options that count them; node7 and node8 have two GPUs each."""

from __future__ import annotations

import pytest
import world

from slimsched.controller.submit import submission
from slimsched.errors import UserError
from slimsched.model.request import JobRequest


@pytest.mark.parametrize(
    ("asked", "tasks", "cpus", "gres"),
    [
        ({"gpus": "2", "ntasks_per_gpu": 2}, 4, [4], ["gpu:2(IDX:0-1)"]),
        ({"num_tasks": 4, "ntasks_per_gpu": 2}, 4, [4], ["gpu:2(IDX:0-1)"]),
        ({"gpus_per_node": "2", "ntasks_per_gpu": 2}, 4, [4], ["gpu:2(IDX:0-1)"]),
        ({"gres": "gpu:1", "ntasks_per_gpu": 2, "min_nodes": 2, "max_nodes": 2}, 4, [2, 2], ["gpu:1(IDX:0)"] * 2),
        ({"gpus": "2", "cpus_per_gpu": 2}, 1, [4], ["gpu:2(IDX:0-1)"]),
        ({"num_tasks": 2, "gpus_per_task": "1", "cpus_per_gpu": 2}, 2, [4], ["gpu:2(IDX:0-1)"]),
        ({"min_nodes": 2, "max_nodes": 2, "gpus_per_node": "1", "cpus_per_gpu": 3}, 2, [3, 3], ["gpu:1(IDX:0)"] * 2),
        ({"num_tasks": 8, "overcommit": True}, 8, [1], []),
        ({"num_tasks": 6, "ntasks_per_node": 2}, 6, [2, 2, 2], []),
        ({"min_nodes": 2, "max_nodes": 4}, None, [1, 1, 1, 1], []),
    ],
)
def test_tasks_cpus_and_gpus(asked, tasks, cpus, gres):
    job = world.job(world.controller(), **asked)

    assert job.state == "RUNNING"
    assert (job.request.num_tasks, job.cpus, [g for g in job.gres if g]) == (tasks, cpus, gres)


def test_memory_for_each_gpu():
    job = world.job(world.controller(), gpus="2", mem_per_gpu=100)

    assert (job.nodes, job.memory) == ("node7", [200])


def test_licenses_are_booked_and_given_back():
    ctl = world.controller(Licenses="ansys:4")
    first = world.job(ctl, licenses="ansys:3", runtime=60)
    second = world.job(ctl, licenses="ansys:2", runtime=60)
    third = world.job(ctl, licenses="ansys:1", runtime=60)

    assert [j.state for j in (first, second, third)] == ["RUNNING", "PENDING", "RUNNING"]
    assert (second.reason, first.licenses_alloc) == ("Licenses", "ansys:3")
    world.later(ctl, 61)
    assert second.state == "RUNNING"


def test_a_pending_job_ends_at_its_deadline():
    ctl = world.controller()
    world.fill(ctl)
    waiting = world.job(ctl, deadline=world.START + 250, time_limit=3)
    world.later(ctl, 240)

    assert waiting.state == "DEADLINE"


@pytest.mark.parametrize(("fewest", "nodes"), [(False, "node[1-2]"), (True, "node1")])
def test_the_nodes_of_a_range(fewest, nodes):
    ctl = world.controller()
    fields = {"min_nodes": 1, "max_nodes": 2, "num_tasks": 4, "use_min_nodes": fewest}

    assert submission.test_only(ctl, JobRequest(**fields), world.ROOT).nodes == nodes
    assert world.job(ctl, **fields).nodes == nodes


@pytest.mark.parametrize("option", ["core_spec", "thread_spec"])
@pytest.mark.parametrize("kept", [0, 3, 4, 5])
def test_cores_set_aside(option, kept):
    ctl = world.controller(AllowSpecResourcesUsage="1")
    if kept < 4:
        job = world.job(ctl, **{option: kept})
        assert (job.nodes, job.cpus) == ("node1", [4 - kept])
    else:
        with pytest.raises(UserError, match="Requested node configuration is not available"):
            world.job(ctl, **{option: kept})


def test_commas_between_features():
    job = world.job(world.controller(), features="rack2,big", prefer="big,rack2")

    assert (job.nodes, job.request.features, job.request.prefer) == ("node7", "rack2&big", "big&rack2")
