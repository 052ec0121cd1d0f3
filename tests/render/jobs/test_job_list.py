"""The order in which the controller's list holds jobs, and views on them."""

from __future__ import annotations

import pytest
import scene
import world
from hypothesis import given
from hypothesis import strategies as st

from slimsched.model.job import Job
from slimsched.model.request import JobRequest
from slimsched.render.jobs.job_list import JobChoice, Manner, in_table_order, state_of, whole
from slimsched.render.jobs.job_view import View
from slimsched.render.units import classed, tres
from slimsched.slurm.states import JOB


def test_a_task_takes_the_place_of_its_array():
    ids = [job.job_id for job in in_table_order(scene.formats().jobs.values())]

    assert ids == [1, 2, 13, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 3]


@given(st.permutations(range(1, 15)))
def test_the_order_depends_on_the_ids_alone(ids):
    jobs = scene.formats().jobs

    assert in_table_order(jobs[i] for i in ids) == in_table_order(jobs.values())


def test_equals_come_latest_start_first_then_backwards():
    choice = JobChoice()

    ids = [view.job.job_id for view in whole(scene.formats(), choice, Manner()).records]

    assert ids == [7, 5, 1, 2, 13, 9, 12, 14, 3, 8, 6, 4]


def test_a_large_pending_array_is_one_record():
    cluster = scene.formats()
    cluster.jobs[3].array_tasks = "0-99999"

    assert len(whole(cluster, JobChoice(), Manner()).records) == 12
    choice = JobChoice()
    choice.ids = [(3, 99999)]
    assert [view.name for view in whole(cluster, choice, Manner()).records] == ["3_99999"]


def test_states():
    assert [state_of(word) for word in ("R", "pd", "Completed", "ST", "oom")] == [
        "RUNNING",
        "PENDING",
        "COMPLETED",
        "STOPPED",
        "OUT_OF_MEMORY",
    ]
    assert {state_of(word.lower()) for word in JOB} == set(JOB)


def view(**fields):
    cluster = scene.Cluster(world.recorded(), scene.at("08:00:00"))
    return View(scene.add(cluster, 1, "07:00:00", **fields), cluster)


def test_likely_node_count():
    assert view(num_tasks=33).node_count == 9
    assert view(num_tasks=5).node_count == 2
    assert view(num_tasks=4, ntasks_per_node=1).node_count == 4
    assert view(num_tasks=1, min_nodes=2, max_nodes=4).node_count == 2
    assert view(min_nodes=0, num_tasks=0).node_count == 0


def test_node_range():
    assert view().node_range == "1"
    assert view(num_tasks=2).node_range == "1-2"
    assert view(hold=True).node_range == "1-1"
    assert view(min_nodes=2, max_nodes=2, num_tasks=2).node_range == "2-2"
    assert view(min_nodes=2, num_tasks=2).node_range == "2"


def test_task_count_grows_with_the_nodes():
    cluster = scene.Cluster(world.recorded(), scene.at("08:00:00"))
    job = scene.add(cluster, 1, "07:00:00", min_nodes=2, max_nodes=4)
    scene.run(cluster, job, "node[1-4]", [1] * 4, [100] * 4, "07:00:00")
    shown = View(job, cluster)

    assert (shown.task_count, shown.cpu_count, shown.node_count) == (4, 4, 4)
    assert shown.requested_tres == "cpu=1,mem=100M,node=2,billing=1"
    assert shown.allocated_tres == "cpu=4,mem=400M,node=4,billing=4"


def test_unlimited_job_has_no_end():
    assert view(time_limit=0xFFFFFFFF, begin_time=60, start_time=60).end == 0


def test_texts():
    assert tres(world.recorded(), {"node": 2, "cpu": 0, "gres/gpu": 1}) == "node=2"
    assert classed("gpu:1,gres/nic:2") == "gres/gpu:1,gres/nic:2"
    assert view(array_tasks="1", array_job_id=1).name == "1_[1]"


def test_tasks_that_left_their_array_are_listed_with_it():
    cluster = scene.Cluster(world.recorded(), scene.at("08:00:00"))
    array = {"array_job_id": 1, "array_max_tasks": 0}
    scene.add(cluster, 1, "07:00:00", array_tasks="0,4", reason="Priority", **array)
    for job_id, task, reason in ((2, 1, "Priority"), (3, 2, "JobHeldAdmin")):
        scene.add(cluster, job_id, "07:00:00", array_task_id=task, reason=reason, **array)
    scene.run(cluster, scene.add(cluster, 4, "07:00:00", array_task_id=3, **array), "node1", [1], [100], "07:00:00")

    assert [(v.name, v.reason) for v in whole(cluster, JobChoice(), Manner()).records] == [
        *(("1_3", "None"), ("1_[0-2,4]", "Priority,JobHeldAdmin")),
    ]
    assert len(whole(cluster, JobChoice(), Manner(each_task=True)).records) == 5


def test_tasks_that_became_another_job_stay_apart():
    cluster = scene.Cluster(world.recorded(), scene.at("08:00:00"))
    array = {"array_job_id": 1, "name": "a"}
    scene.add(cluster, 1, "07:00:00", array_tasks="0", **array)
    scene.add(cluster, 2, "07:00:00", array_task_id=1, **(array | {"name": "b"}))
    scene.add(cluster, 3, "07:00:00", array_task_id=2, partition="batch", **array)

    assert sorted(v.name for v in whole(cluster, JobChoice(), Manner()).records) == ["1_1", "1_2", "1_[0]"]


@pytest.mark.parametrize(
    ("ids", "names"),
    [
        ([(3, 4)], ["3_4"]),
        ([(3, 4), (3, 2)], ["3_[2,4]"]),  # without the throttle
        ([(3, 4), (3, 0)], ["3_0", "3_4"]),
        ([(3, 4), (3, None)], ["3_0", "3_1", "3_4"]),  # the first one that fits decides
        ([(3, None), (3, 4)], ["3_0", "3_1", "3_[2-5%2]"]),
        ([(3, 9)], []),
        ([(13, None)], ["3_0"]),
        ([(13, 0)], []),
        ([], []),
    ],
)
def test_tasks_that_are_named(ids, names):
    choice = JobChoice()
    choice.ids = ids

    assert sorted(v.name for v in whole(scene.formats(), choice, Manner()).records) == names


def test_one_line_for_each_partition():
    cluster = scene.formats()
    cluster.jobs[8].request.partition = "debug,batch,gone"
    cluster.partitions["batch"].priority_tier = 7
    choice = JobChoice()
    choice.ids = [(8, None), (3, 2)]

    found = whole(cluster, choice, Manner(each_partition=True)).records
    assert [(v.name, v.partition, v.tier) for v in found] == [
        *(("3_2", "debug", 1), ("8", "gone", 1), ("8", "batch", 7), ("8", "debug", 1)),
    ]
    choice.partitions = frozenset({"batch"})
    assert [v.partition for v in whole(cluster, choice, Manner(True, True)).records] == ["batch"]


def test_sluids_are_unique():
    cluster = scene.formats()
    assert len({View(job, cluster).sluid for job in cluster.jobs.values() if not job.array_job_id}) == 11


def test_a_job_without_partition_can_be_shown():
    cluster = scene.Cluster(world.recorded(), 60)
    job = Job(job_id=1, request=JobRequest(partition="gone"))

    assert View(job, cluster).limit == 0xFFFFFFFF
    assert View(job, cluster).node_count == 1


def test_time_used():
    cluster = scene.formats("07:30:00")
    job = cluster.jobs[1]
    shown = View(job, cluster)

    assert shown.used == 225
    job.state, job.pre_sus_time, job.suspend_time = "SUSPENDED", 45, scene.at("07:27:00")
    assert shown.used == 45
    job.state, job.suspend_time = "RUNNING", scene.at("07:29:00")
    assert shown.used == 105
    assert View(cluster.jobs[5], cluster).used == 0
    assert View(cluster.jobs[10], cluster).used == 0
