"""Job arrays: their texts, one record for the pending tasks, and tasks that split off."""

from __future__ import annotations

import pytest
import world
from hypothesis import given
from hypothesis import strategies as st

from slimsched.controller.life import arrays
from slimsched.controller.schedule import hold
from slimsched.errors import SlurmError


@pytest.mark.parametrize(
    ("text", "tasks", "throttle"),
    [
        ("0-9%2", "0-9", 2),
        ("1,3,5", "1,3,5", 0),
        ("0-15:4", "0,4,8,12", 0),
        ("0-1000", "0-1000", 0),
        ("1-3%0", "1-3", 0),
        ("1-3%", "1-3", 0),
        ("1,1,1", "1", 0),
        ("1-2,5%1", "1-2,5", 1),
        ("007", "7", 0),
        ("3,1,2", "1-3", 0),
        (" 1", "1", 0),
        ("0-3,2-5", "0-5", 0),
    ],
)
def test_texts(text, tasks, throttle):
    assert arrays.parse(text, 1001) == (tasks, throttle)


@pytest.mark.parametrize("text", ["0-1001", "5-1", "a", "-1", "1-10:0", "1-", "", ",", "1:2", "1-3x", "٣", "9" * 30])
def test_bad_texts(text):
    with pytest.raises(SlurmError, match="Invalid job array specification"):
        arrays.parse(text, 1001)


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60), st.integers(1, 70)), min_size=1, max_size=8))
def test_ranges_with_steps(found):
    pairs = [(min(a, b), max(a, b), step) for a, b, step in found]
    tasks, _ = arrays.parse(",".join(f"{a}-{b}:{s}" for a, b, s in pairs), 100)

    expected = {i for a, b, s in pairs for i in range(a, b + 1, s)}
    assert arrays.count(tasks) == len(expected)
    assert all(arrays.contains(tasks, i) == (i in expected) for i in range(100))


def test_many_wide_ranges():
    text = ",".join(f"{i}-99999" for i in range(10000))

    assert arrays.parse(text, 100_000) == ("0-99999", 0)


@given(st.sets(st.integers(0, 40), min_size=1), st.data())
def test_taking_a_task_out(ids, data):
    from slimsched.text.idset import decode, encode

    task = data.draw(st.sampled_from(sorted(ids)))

    assert decode(arrays.without(encode(ids), task)) == sorted(ids - {task})
    assert arrays.first(encode(ids)) == min(ids)


def test_started_tasks_take_new_ids_and_the_last_keeps_the_arrays():
    ctl = world.controller()
    world.job(ctl, array="0-2")

    found = {j.job_id: (j.array_job_id, j.array_task_id, j.state) for j in ctl.cluster.jobs.values()}
    assert found == {1: (1, 2, "RUNNING"), 2: (1, 0, "RUNNING"), 3: (1, 1, "RUNNING")}


def test_throttle():
    ctl = world.controller()
    world.job(ctl, array="0-3%2")

    assert world.states(ctl) == {
        "1_[2-3%2]": ("PENDING", "JobArrayTaskLimit"),
        "1_0": ("RUNNING", "None"),
        "1_1": ("RUNNING", "None"),
    }


def test_throttle_counts_tasks_that_were_split_off():
    ctl = world.controller()
    job = world.job(ctl, array="0-9%2", hold=True)
    tasks = arrays.split_some(ctl, job, {4, 5, 6, 7})
    for record in (job, *tasks):
        hold.release_job(ctl, record)
    ctl.settle()

    assert arrays.running_tasks(ctl.cluster, job.job_id) == 2
    world.later(ctl, 301)
    assert arrays.running_tasks(ctl.cluster, job.job_id) == 2


def test_a_large_pending_array_is_one_record():
    ctl = world.controller(MaxArraySize="100001")
    job = world.job(ctl, array="0-99999", hold=True)

    assert len(ctl.cluster.jobs) == 1
    assert (job.array_tasks, arrays.count(job.array_tasks)) == ("0-99999", 100_000)


def test_tasks_do_not_share_what_they_ask_for():
    ctl = world.controller()
    job = world.job(ctl, array="0-3", hold=True)
    task = arrays.split(ctl, job, 2)
    task.request.comment = "mine"
    task.flags.append("X")

    assert (job.request.comment, job.flags, job.array_tasks) == (None, [], "0-1,3")
    assert (arrays.label(task), arrays.label(job), task.job_id) == ("1_2", "1_[0-1,3]", 2)
    assert arrays.split_some(ctl, job, {0, 1, 3, 9}) == [job]


def test_many_tasks_start_and_free_their_counterparts():
    config = world.recorded()
    config.slurm["MaxArraySize"] = "100001"
    for conf in config.nodes:
        conf.cpus, conf.real_memory = 100, 100_000
    ctl = world.Controller(world.Cluster(config, world.START))
    first = world.job(ctl, array="0-1999", runtime=60)
    second = world.job(ctl, array="0-1999", runtime=60, dependency=f"aftercorr:{first.job_id}")

    world.later(ctl, 3600)

    assert all(record.finished for record in (first, second))


@pytest.mark.parametrize(
    ("text", "tasks", "limit"),
    [
        ("[1-3]", "1-3", 0),
        ("[1,5]", "1,5", 0),
        ("1-9:[4", None, 0),
        ("[0-8:4]%2", "0,4,8", 2),
        ("1,,2,", "1-2", 0),
        ("1-3%x", "1-3", 0),
        ("1-3%-5", "1-3", 0),
        ("1%2,4%3", "1,4", 2),
        ("-", "0", 0),
        ("+3", "3", 0),
        ("1-2:1", "1-2", 0),
        ("2-4:1001", None, 0),
        ("3:2", None, 0),
        ("1 ", None, 0),
    ],
)
def test_spellings_that_slurm_reads(text, tasks, limit):
    if tasks is None:
        with pytest.raises(SlurmError, match="Invalid job array specification"):
            arrays.parse(text, 1001)
    else:
        assert arrays.parse(text, 1001) == (tasks, limit)


def test_tasks_are_eligible_when_a_pass_splits_them_off():
    ctl = world.controller()
    array = world.job(ctl, array="0-3%1", runtime=60)
    submitted = ctl.cluster.now
    world.later(ctl, 70)

    jobs = {job.array_task_id: job for job in ctl.cluster.jobs.values()}
    assert [jobs[task].eligible_time - submitted for task in (0, 1)] == [0, 60]
    assert [jobs[task].accrue_time for task in (0, 1)] == [0, submitted + 60]
    assert (jobs[None].job_id, jobs[None].eligible_time, jobs[None].accrue_time) == (array.job_id, 0, 0)


def test_each_task_that_a_cycle_starts_of_a_throttled_array_was_eligible():
    ctl = world.controller()
    ctl.cluster.config.pace = "slurm"  # where the cycle starts jobs, one task behind the other
    world.job(ctl, array="0-4%3", runtime=600)
    world.later(ctl, 70)

    started = [job for job in ctl.cluster.jobs.values() if job.nodes]
    assert len(started) == 3
    assert all(job.submit_time <= job.eligible_time <= job.start_time for job in started)


def test_what_is_left_of_an_array_without_a_throttle_stays_eligible():
    ctl = world.controller()
    array = world.job(ctl, array="0-99", runtime=60, num_tasks=4)
    submitted = ctl.cluster.now
    world.later(ctl, 70)

    left = next(job for job in ctl.cluster.jobs.values() if job.array_tasks)
    assert (left.job_id, left.eligible_time) == (array.job_id, submitted)
