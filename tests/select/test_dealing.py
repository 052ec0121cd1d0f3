"""How the CPUs of a job are shared among its nodes, which have 4 each.

Source: scenarios task_placement, srun_distribution of the recorded Slurm 26.11.
"""

from __future__ import annotations

import pytest
import world
from select_world import World


@pytest.mark.parametrize(
    ("asked", "cpus"),
    [
        ({"num_tasks": 5}, [4, 1]),
        ({"num_tasks": 5, "min_nodes": 2, "max_nodes": 2}, [4, 1]),
        ({"num_tasks": 7, "min_nodes": 3, "max_nodes": 3}, [4, 2, 1]),
        ({"num_tasks": 6, "min_nodes": 4, "max_nodes": 4}, [3, 1, 1, 1]),
        ({"num_tasks": 6, "min_nodes": 2, "max_nodes": 4}, [2, 2, 1, 1]),
        ({"num_tasks": 4, "ntasks_per_node": 3}, [2, 2]),
        ({"num_tasks": 5, "ntasks_per_node": 2}, [2, 2, 1]),
        ({"num_tasks": 2, "cpus_per_task": 3}, [3, 3]),
        ({"num_tasks": 5, "cpus_per_task": 2, "min_nodes": 1, "max_nodes": 4}, [4, 2, 2, 2]),
        ({"ntasks_per_node": 2, "min_nodes": 2, "max_nodes": 4}, [2, 2, 2, 2]),
        ({"num_tasks": 8, "overcommit": True}, [1]),
    ],
    ids=str,
)
def test_tasks_go_round_where_nodes_have_room_to_spare(asked, cpus):
    assert World(params="CR_Core_Memory").start(**asked).cpus == cpus


@pytest.mark.parametrize(("tasks", "cpus"), [(6, [2, 2, 2]), (8, [4, 2, 2]), (5, [2, 2, 2])], ids=str)
def test_a_core_is_filled_before_the_next_is_taken(tasks, cpus):
    nodes = [world.node("node[1-3]", sockets=1, cores_per_socket=2, threads_per_core=2)]
    job = World(params="CR_Core_Memory", nodes=nodes).start(num_tasks=tasks, min_nodes=1, max_nodes=3)

    assert job.cpus == cpus
