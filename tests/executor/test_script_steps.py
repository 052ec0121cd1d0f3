"""The steps that a script's plain ``srun`` commands make."""

from __future__ import annotations

import pytest

from slimsched.executor.steps import MOST, steps


@pytest.mark.parametrize(
    ("script", "found"),
    [
        (
            "srun true; srun -n1 false; srun hostname",
            [("true", 0, 0, 0, 0), ("false", 0, 0, 1, 1), ("hostname", 0, 0, 0, 0)],
        ),
        ("srun sleep 10\nsleep 5\nsrun -n 2 /usr/bin/app --n 3", [("sleep", 0, 10, 0, 0), ("app", 15, 15, 2, 0)]),
        ("srun --ntasks=4 --exclusive -J first app &\nwait", [("first", 0, 0, 4, 0)]),
        ("srun --cpu-bind none -l -N2 -c 4 app", [("app", 0, 0, 0, 0)]),
        ("# srun app\necho srun app\nexit 0\nsrun late", []),
        ("srun", []),
        ("srun -n", []),
    ],
)
def test_read(script, found):
    assert [(s.name, s.begin, s.end, s.tasks, s.exit_code) for s in steps(f"#!/bin/sh\n{script}\n")] == found


def test_the_last_step_lasts_as_long_as_a_job_whose_time_is_given():
    first, last = steps("srun prepare\nsrun app\n", to_the_end=True)

    assert (first.end, last.end) == (0, None)


def test_a_script_of_nothing_but_steps():
    assert len(steps("srun a\n" * 5000)) == MOST
