"""Job specifications: what they mean, and how failures are worded."""

from __future__ import annotations

import pytest
import world

from slimsched.controller.life import selectors
from slimsched.controller.schedule import hold
from slimsched.errors import SlurmError


@pytest.mark.parametrize(
    ("text", "job_id", "tasks"),
    [("7", 7, ""), ("7_3", 7, "3"), ("7_[1-3,5]", 7, "1-3,5"), ("7_[1-3%2]", 7, "1-3"), ("7_*", 7, ""), ("007", 7, "")],
)
def test_texts(text, job_id, tasks):
    assert selectors.parse(text)[:3] == (text, job_id, tasks)


@pytest.mark.parametrize(
    "text", ["abc", "", "-1", "7_", "7_x", "7_[", "7_[]", "7_1-3", "7+", "7+x", "٧", "9" * 40, "7_[5-1]"]
)
def test_bad_texts(text):
    with pytest.raises(SlurmError, match="Invalid job id specified"):
        selectors.parse(text)


def test_lists_split_outside_of_brackets():
    assert selectors.lists(["1,2", "7_[1,3-4],8", ",", "9"]) == ["1", "2", "7_[1,3-4]", "8", "9"]


def test_an_arrays_id_means_all_of_it_and_a_tasks_own_id_just_that():
    ctl = world.controller()
    world.job(ctl, array="0-3%2")

    assert [j.job_id for j in selectors.find(ctl.cluster, selectors.parse("1"))] == [1, 2, 3]
    assert [j.job_id for j in selectors.find(ctl.cluster, selectors.parse("2"))] == [2]
    assert [j.job_id for j in selectors.find(ctl.cluster, selectors.parse("1_[1,3]"))] == [1, 3]


def test_only_what_is_meant_is_split_off():
    ctl = world.controller()
    world.job(ctl, array="0-3", hold=True)
    taken = selectors.take(ctl, selectors.parse("1_[2-3,9]"))

    assert [(j.job_id, j.array_task_id) for j in taken] == [(2, 2), (3, 3)]
    assert ctl.cluster.jobs[1].array_tasks == "0-1"
    with pytest.raises(SlurmError):
        selectors.take(ctl, selectors.parse("1_9"))


def test_failures_are_worded_by_job_and_by_task():
    ctl = world.controller()
    world.job(ctl, array="0-3", hold=True)
    failures = selectors.each(ctl, ["1_[0-1]", "99", "abc"], lambda job: hold._movable(job) and None)

    assert world.said(failures) == [
        "1_[0-1]: Job is in held state, pending scheduler release",
        "Invalid job id specified for job 99",
        "Invalid job id specified for job abc",
    ]


def test_records_as_specifications():
    ctl = world.controller()
    world.job(ctl, array="0-3%1")
    world.job(ctl)

    assert [selectors.of(j).text for j in ctl.cluster.jobs.values()] == ["1_[1-3%1]", "1_0", "3"]
    assert selectors.by_name(ctl.cluster, "wrap") == ["1", "2", "3"]
