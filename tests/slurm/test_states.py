"""One row for each state: every command knows it by that row alone."""

from __future__ import annotations

import pytest
import scene

from slimsched.cli.squeue.squeue import command as squeue
from slimsched.render.nodes import state_words
from slimsched.slurm import states


def test_names_letters_and_codes_are_one_each():
    for rows in (states.JOB_STATES, states.NODE_STATES):
        for column in ("name", "code"):
            assert len({getattr(row, column) for row in rows}) == len(rows)
    assert len({row.letters for row in states.JOB_STATES}) == len(states.JOB_STATES)


@pytest.mark.parametrize("row", states.JOB_STATES, ids=lambda row: row.name)
def test_a_job_in_any_state_is_found_and_shown(row, capsys):
    cluster = scene.formats()
    job = cluster.jobs[10]
    if row.code < 1 << 8 or row.ended:
        job.state = row.name
    else:
        job.state, job.flags = "RUNNING", [row.name]

    for asked in (row.name.lower(), row.letters):
        assert f"10 {row.name} {row.letters}\n" in scene.call(
            cluster, squeue, ["-h", "-t", asked, "-o", "%i %T %t"], capsys
        )[1]  # fmt: skip
        assert states.job_state(asked) == row.name
    assert f'"{row.name}"' in scene.call(cluster, squeue, ["--json", "-t", "all"], capsys)[1]


@pytest.mark.parametrize("row", states.NODE_STATES, ids=lambda row: row.name)
def test_every_word_of_a_node_state_is_taken(row):
    for word in filter(None, (row.word, row.short, *row.also)):
        assert word in state_words.TESTS


def test_a_new_state_needs_its_row_alone(capsys, monkeypatch):
    row = states.JobState(states.State("LOST"), "LO", 1 << 30, ended=True, shows_reason=True)
    monkeypatch.setattr(states, "JOB_STATES", (*states.JOB_STATES, row))
    monkeypatch.setitem(states.JOB, row.name, row)
    cluster = scene.formats()
    cluster.jobs[10].state = row.name
    cluster.jobs[10].reason = "NonZeroExitCode"

    shown = scene.call(cluster, squeue, ["-h", "-t", "LO", "-o", "%i %T %t %R"], capsys)
    assert shown == (0, "10 LOST LO (NonZeroExitCode)\n", "")
    assert "LOST" in scene.call(cluster, squeue, ["--json", "-t", "all"], capsys)[1]
    assert "lost" in scene.call(cluster, squeue, ["-t", "nosuch"], capsys)[2]
