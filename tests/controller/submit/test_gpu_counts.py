"""Numbers of GPUs: of the job, of a node, of a task; what follows from them, and which contradict each other."""

from __future__ import annotations

import pytest
import world

from slimsched.controller.core import Controller
from slimsched.errors import UserError
from slimsched.model.cluster import Cluster

GRES = "Invalid generic resource (gres) specification"
NODE = "--gres=gpu/--gpus-per-node"
ORDER = f"Failed to ensure --gpus >= {NODE} >= --gpus-per-socket\n{GRES}"
NEVER = "Requested node configuration is not available"


def controller() -> Controller:
    """The cluster of the records: node7 and node8 have two GPUs each."""
    return Controller(Cluster(world.recorded(), world.START))


@pytest.mark.parametrize(
    ("fields", "nodes", "tasks"),
    [
        ({"gpus": "1"}, "node7", 1),
        ({"gpus": "3"}, "node[7-8]", None),
        ({"gpus": "4", "gpus_per_node": "2"}, "node[7-8]", 2),
        ({"gpus": "2", "gpus_per_task": "1"}, "node7", 2),
        ({"gpus_per_node": "2", "gpus_per_task": "1", "min_nodes": 2, "max_nodes": 2}, "node[7-8]", 4),
        ({"gpus_per_task": "1", "num_tasks": 4}, "node[7-8]", 4),
        ({"gpus": "0"}, "node1", 1),
        ({"gres": "gpu:0"}, "node1", 1),
    ],
)
def test_sizes(fields, nodes, tasks):
    job = world.job(controller(), **fields)

    assert (job.nodes, job.request.num_tasks) == (nodes, tasks)


def _fault(what: str) -> str:
    return f"Failed to validate job spec{what}\n{GRES}"


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"gpus": "1", "gpus_per_node": "2"}, ORDER),
        ({"gpus": "1", "gres": "gpu:2"}, ORDER),
        ({"gpus": "1", "gpus_per_socket": "2", "sockets_per_node": 1}, ORDER),
        ({"gpus_per_node": "2", "gpus_per_socket": "3"}, ORDER),
        ({"gpus": "1", "min_nodes": 2, "max_nodes": 2}, _fault(", --gpus < -N")),
        ({"gpus": "3", "gpus_per_node": "2"}, _fault(f", --gpus is not multiple of {NODE}")),
        ({"gpus": "3", "gpus_per_task": "2"}, _fault(", --gpus not multiple of --gpus-per-task")),
        (
            {"gpus": "4", "gpus_per_node": "2", "min_nodes": 1, "max_nodes": 1},
            _fault(
                f". Based on --gpu and {NODE} required nodes (2) doesn't fall between"
                " min_nodes (1) and max_nodes (1) boundaries."
            ),
        ),
        (
            {"gres": "gpu:2", "gpus_per_socket": "1", "sockets_per_node": 1},
            _fault(
                f". Based on {NODE} and --gpus-per-socket required number of sockets differ from --sockets-per-node."
            ),
        ),
        (
            {"gpus": "2", "gpus_per_task": "1", "num_tasks": 3},
            _fault(". Based on --gpus and --gpus-per-task number of requested tasks differ from -n/--ntasks."),
        ),
        (
            {"gpus_per_node": "2", "gpus_per_task": "2", "ntasks_per_node": 2},
            _fault(
                f". Based on {NODE} and --gpus-per-task requested number of tasks per node differ"
                " from --ntasks-per-node."
            ),
        ),
        ({"gpus_per_node": "1", "gpus_per_task": "1", "num_tasks": 2, "min_nodes": 1, "max_nodes": 1}, NEVER),
        ({"gres": "nosuch:1"}, GRES),
        ({"gpus": "5"}, NEVER),
        ({"gpus_per_node": "2", "mem_per_gpu": 10**6}, NEVER),
        ({"gpus": "2", "cpus_per_gpu": 1000}, NEVER),
        ({"gpus": "3", "min_nodes": 1, "max_nodes": 1}, NEVER),
        ({"gpus": "bogus:1"}, NEVER),
        ({"tres_per_task": "gres/gpu:bogus:1"}, NEVER),
        ({"tres_per_task": "gres/gpu:3"}, NEVER),
        ({"tres_per_task": "gres//gpu"}, GRES),
        ({"gpus_per_task": "1", "num_tasks": 5}, NEVER),
    ],
)
def test_refusals(fields, text):
    with pytest.raises(UserError) as caught:
        world.job(controller(), **fields)

    assert caught.value.message == text


def test_limits_of_a_partition_count_the_nodes_that_gpus_come_to():
    config = world.recorded()
    config.slurm["EnforcePartLimits"] = "ALL"
    config.partitions[0].max_nodes = 1
    ctl = Controller(Cluster(config, world.START))

    assert world.job(ctl, gpus="2", gpus_per_node="2").request.max_nodes == 1
    with pytest.raises(UserError, match="Node count specification invalid"):
        world.job(ctl, gpus="4", gpus_per_node="2")


@pytest.mark.parametrize(("most", "array", "fine"), [("2", "1-2", True), ("2", "1-3", False), ("x", "1-3", True)])
def test_the_most_tasks_of_an_array(most, array, fine):
    ctl = world.controller(SchedulerParameters=f"max_array_tasks={most}")
    if fine:
        assert world.job(ctl, array=array, hold=True).array_tasks == array
    else:
        with pytest.raises(UserError, match="Invalid job array specification"):
            world.job(ctl, array=array)


@pytest.mark.parametrize(
    ("partition", "nodes"), [("", "node[1-8]"), ("batch", "node[5-8]"), ("batch,debug", "node[5-8]")]
)
def test_all_nodes(partition, nodes):
    assert world.job(controller(), nodelist="ALL", partition=partition).nodes == nodes


def test_all_nodes_cannot_be_excluded():
    with pytest.raises(UserError, match="Invalid node name specified"):
        world.job(controller(), exclude="ALL")
