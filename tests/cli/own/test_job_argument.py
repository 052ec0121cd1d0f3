"""Jobs and numbers on the toolkit's own commands, and job 0, which is no job."""

from __future__ import annotations

from typing import Any

import pytest

BAD = {"": "''", "x": "x", "-": "-", "7_": "7_", "a b": "'a b'", "1_[": "'1_['", "1.0": "1.0"}


@pytest.mark.parametrize("command", ["wait", "explain", "events", "advance --until-job"])
@pytest.mark.parametrize("typed", BAD)
def test_a_wrong_job_is_named(sim: Any, command: str, typed: str) -> None:
    answer = sim.run(*command.split(), typed)
    assert answer == (1, "", f"sim: error: Invalid job id specified: {BAD[typed]}\n")


@pytest.mark.parametrize("command", ["wait", "explain", "events", "advance --until-job"])
def test_job_0_is_none(sim: Any, command: str) -> None:
    sim("sbatch", "--wrap", "sleep 60")
    assert sim.run(*command.split(), "0") == (1, "", "sim: error: Invalid job id specified: 0\n")


@pytest.mark.parametrize(
    ("words", "err"),
    [
        ("scontrol hold 0", "Invalid job id specified for job 0\nslurm_suspend error:Invalid job id specified\n"),
        ("scontrol update jobid=0 comment=x", "Invalid job id specified for job 0\n"),
        ("scontrol suspend 0", "Unexpected message received for job 0\n"),
        ("scontrol requeue 0", "Invalid job id specified for job 0\n"),
    ],
)
def test_changes_of_job_0_touch_no_other(sim: Any, words: str, err: str) -> None:
    sim("sbatch", "--hold", "--wrap", "sleep 60")
    before = sim("scontrol", "show", "job", "1")
    answer = sim.run(*words.split())
    assert (answer.code, answer.err) == (1, err)
    assert sim("scontrol", "show", "job", "1") == before


def test_one_task_is_advanced_to(sim: Any) -> None:
    sim("sbatch", "-n12", "-a", "0-3%1", "--wrap", "sleep 60")
    assert sim("advance", "--until-job", "1_1") == "2026-01-01T00:02:00\n"
    assert sim.run("advance", "--until-job", "1_9").err == "sim: error: Invalid job id specified: 1_9\n"


@pytest.mark.parametrize("typed", ["", "x", "1_1", "-1", "0", "1e3", "9" * 20])
def test_numbers(sim: Any, typed: str) -> None:
    answer = sim.run("plugins", "show", "--", typed)
    assert answer.code == 2
    assert answer.err.endswith(
        f"sim: error: Invalid value for '[JOBID]': {typed!r} is not a whole number from 1 to 999999999.\n"
    )


def test_a_port_has_an_upper_end_too(sim: Any) -> None:
    answer = sim.run("wiki", "serve", "--port", "65536")
    assert (answer.code, answer.err.splitlines()[-1]) == (
        2,
        "sim: error: Invalid value for '--port': '65536' is not a whole number from 0 to 65535.",
    )


@pytest.mark.parametrize("span", ["99999999999999999999", "99999999999999999999d", "10000000-0"])
def test_the_clock_has_an_end(sim: Any, span: str) -> None:
    sim("sbatch", "--wrap", "sleep 60")
    answer = sim.run("advance", span)
    assert answer == (1, "", "sim: error: the clock cannot go past 9999-12-31T23:59:59\n")
    assert sim("squeue", "-h", "-o", "%T %M") == "RUNNING 0:00\n"


def test_nothing_starts_behind_the_end_of_the_clock(sim: Any) -> None:
    sim("init", "--start", "9999-12-31T23:59:50")
    sim("sbatch", "--wrap", "sleep 60")
    assert sim.run("wait", "1", "--timeout", "99999999d").code == 124
