from __future__ import annotations

import pytest

from slimsched.executor.script import Plan, plan

SH = "#!/bin/sh\n"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("", Plan(0, 0)),
        ("sleep 600", Plan(600, 0)),
        (SH + "sleep 1\nsleep 2m\nsleep 1h 1d", Plan(1 + 120 + 3600 + 86400, 0)),
        ("sleep 0.4; sleep .3", Plan(1, 0)),
        ("srun sleep 30", Plan(30, 0)),
        ("srun -n 4 --label sleep 30 && echo done", Plan(30, 0)),
        ("sleep infinity", Plan(None, 0)),
        ("sleep inf", Plan(None, 0)),
        ("sleep 4; exit 1", Plan(4, 1)),
        ("sleep 4 && exit 3 || exit 4", Plan(4, 3)),
        ("exit 3\nsleep 100", Plan(0, 3)),
        ("exit", Plan(0, 0)),
        ("exit 256", Plan(0, 0)),
        ("exit 300", Plan(0, 44)),
        ("exit $code", Plan(0, 0)),
        ("sleep $TIME", Plan(0, 0)),
        ("sleep 10x", Plan(0, 0)),
        ("# sleep 100", Plan(0, 0)),
        ("#SBATCH -J sleep 100\nsleep 5 # sleep 50", Plan(5, 0)),
        ("sleep 5 & sleep 7 & wait", Plan(12, 0)),
        ("echo sleep 100", Plan(0, 0)),
        ("sleeper 100", Plan(0, 0)),
        ("sleep 99999999999999999999999", Plan(None, 0)),
        ("sleep " + "9" * 100_000, Plan(None, 0)),
        ("exit " + "9" * 100_000, Plan(0, 0)),
        ("sleep \u0663", Plan(0, 0)),  # a digit, but not one of sleep's
    ],
)
def test_plan(script, expected):
    assert plan(script) == expected
