"""One row for each reason; what others make of a reason is a look-up in it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import scene
import world

import slimsched
from slimsched.controller.schedule import job_queue
from slimsched.render.jobs.job_view import View
from slimsched.render.jobs.sacct_rows import AccountingRow
from slimsched.slurm import reasons, states


def test_every_word_and_number_is_one_row():
    assert len(reasons.BY_WORD) == len(reasons.ROWS)
    numbers = [row.number for row in reasons.ROWS if row.number is not None]
    assert len(set(numbers)) == len(numbers)
    assert {row.reason for row in states.JOB_STATES} <= set(reasons.BY_WORD)


def test_nobody_writes_a_word_that_has_a_name():
    words = {row.word for row in reasons.ROWS} - {"None", "Priority", "Dependency", "Licenses", "Reservation"}
    words -= {"Constraints", "Resources", "TimeLimit", "PartitionTimeLimit"}  # names of keys and columns, too
    texts = {path: path.read_text(encoding="utf-8") for path in Path(slimsched.__file__).parent.rglob("*.py")}
    found = {
        (str(path), leaf.value)
        for path, text in texts.items()
        if path.name != "reasons.py" and any(word in text for word in words)
        for leaf in ast.walk(ast.parse(text))
        if isinstance(leaf, ast.Constant) and leaf.value in words
    }

    assert found == set()


@pytest.mark.parametrize("row", reasons.ROWS, ids=lambda row: row.word)
def test_shown_and_recorded(row):
    cluster = scene.formats()
    job = cluster.jobs[4]
    job.reason = row.word

    assert View(job, cluster).where == f"({row.word})"
    assert AccountingRow(View(job, cluster)).reason == (row.word if row.accounted else "None")


def test_a_new_reason_needs_its_row_alone(monkeypatch):
    row = reasons.ReasonRow(reasons.Reason("Moon"), 99, partition=True, passes=True, accounted=True)
    monkeypatch.setitem(reasons.BY_WORD, row.word, row)
    ctl = world.controller()
    job = world.submit(ctl, hold=True)
    job.priority, job.reason = 1, row.word

    assert (reasons.number("Moon"), reasons.number("NoSuch")) == (99, 3)
    assert AccountingRow(View(job, ctl.cluster)).reason == "Moon"
    assert (job_queue.runnable(ctl, job), job.reason) == (True, "None")
