"""Job ids: one reader for all commands, and one for what a text begins with."""

from __future__ import annotations

import pytest

from slimsched.errors import SyntaxFault
from slimsched.slurm import job_ids


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12", (12, "", False, None, None)),
        ("12_3", (12, "3", False, None, None)),
        ("12_03", (12, "3", False, None, None)),
        ("12_[1-3,5%2]", (12, "1-3,5", False, None, None)),
        ("12_*", (12, "", True, None, None)),
        ("12+0", (12, "", False, 0, None)),
        ("12.0", (12, "", False, None, "0")),
        ("12_3.batch", (12, "3", False, None, "batch")),
        ("12+1.", (12, "", False, 1, "")),
    ],
)
def test_names(text, expected):
    assert job_ids.read(text) == (text, *expected)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "-1",
        " 12",
        "12x",
        "12_",
        "12_x",
        "12_[]",
        "12_[3-1]",
        "12_1-3",
        "12_[1",
        "12+",
        "12+x",
        ".0",
        "٧",
        "9" * 40,
    ],
)
def test_what_is_no_name(text):
    with pytest.raises(SyntaxFault):
        job_ids.read(text)


@pytest.mark.parametrize("text", ["12_[1-3]", "12_*", "12+0"])
def test_one_job_is_no_set_of_tasks(text):
    with pytest.raises(SyntaxFault):
        job_ids.one(text)


def test_one_job_may_have_a_step():
    assert job_ids.one("12_3.0").step == "0"
    with pytest.raises(SyntaxFault):
        job_ids.one("12.0", steps=False)


@pytest.mark.parametrize(
    ("text", "number", "task", "offset", "step"),
    [
        ("12", 12, None, None, None),
        (" +12abc", 12, None, None, None),
        ("12_", 12, 0, None, None),
        ("12_3x.batch", 12, 3, None, "batch"),
        ("12+1.0", 12, None, 1, "0"),
    ],
)
def test_what_a_text_begins_with(text, number, task, offset, step):
    found = job_ids.leading(text)
    assert (found.job_id, found.task, found.offset, found.step) == (number, task, offset, step)


@pytest.mark.parametrize("text", ["", "x12", "0", "-3", str(2**31)])
def test_what_begins_with_no_job(text):
    with pytest.raises(SyntaxFault):
        job_ids.leading(text)


def test_lists_are_cut_outside_of_brackets():
    assert job_ids.split("1,2_[3,4-5],,6") == ["1", "2_[3,4-5]", "", "6"]
    assert job_ids.split("after:1_[2,3]?4", "?") == ["after:1_[2,3]", "4"]
