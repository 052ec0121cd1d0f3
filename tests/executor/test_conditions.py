"""What a script's tests on the number of its requeues decide."""

from __future__ import annotations

import pytest

from slimsched.executor.script import plan

COUNT = "SLURM_RESTART_COUNT"


@pytest.mark.parametrize(
    ("test", "first", "second"),
    [
        ('[ "${N:-0}" = 0 ]', True, False),
        ("[ ${N:-0} -eq 0 ]", True, False),
        ("[[ ${N-0} -lt 1 ]]", True, False),
        ("test ${N:-0} -le 0", True, False),
        ('[ -z "$N" ]', True, False),
        ('[ -n "$N" ]', False, True),
        ('[ "$N" ]', False, True),
        ('! [ "$N" ]', True, False),
        ("! false", True, True),
        ("! true", False, False),
        ('[ ! "$N" ]', True, False),
        ('[ "$N" -ge 1 ]', False, True),  # no number: Slurm sets it only after a requeue
        ('[ "$N" != 1 ]', True, False),
        ("[ ${N:-7} -gt 1 ]", True, False),
        ("[ 1 = 1 ]", True, True),
        # what cannot be told counts neither way
        ("[ -f file ]", False, False),
        ('[ "$N" = "$OTHER" ]', False, False),
        ("[ $N -eq $(date) ]", False, False),
        ("[ ${N:-0} = 0", False, False),
        ("test ${N:-0} = 0 -a 1 = 1", False, False),
    ],
)
def test_a_test_decides_what_runs(test, first, second):
    script = f"#!/bin/sh\n{test.replace('N', COUNT)} && sleep 60\nexit 4\n"

    runs = [plan(script, restarts) for restarts in (0, 1)]

    assert [run.seconds for run in runs] == [60 * first, 60 * second]
    assert [run.exit_code for run in runs] == [4, 4]
