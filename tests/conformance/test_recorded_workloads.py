"""Whole workloads, decision by decision: what was recorded of slurmctld 26.11 against what our passes start.

The beginnings only, for the sake of time; `python tests/decisions.py tests/data/workloads/W1` goes through all. The
figures are floors: a change that agrees better raises them. `docs/fidelity.md` names the passes that differ.
"""

from __future__ import annotations

from pathlib import Path

import decisions
import pytest

WORKLOADS = Path(__file__).parents[1] / "data" / "workloads"


@pytest.mark.parametrize(
    ("workload", "run", "told"),
    [
        (
            "W1", "A",
            "main: 90 of 90 passes the same, 28 of 28 starts too, 28 of 28 on the same nodes; "
            "backfill: 87 of 87 passes the same, 59 of 59 starts too, 59 of 59 on the same nodes; alone: 0",
        ),
        (
            "W2", "A",
            "main: 152 of 152 passes the same, 159 of 159 starts too, 159 of 159 on the same nodes; "
            "backfill: 90 of 91 passes the same, 63 of 63 starts too, 63 of 63 on the same nodes; alone: 1",
        ),
        (
            "W2", "B",
            "main: 149 of 149 passes the same, 153 of 153 starts too, 151 of 153 on the same nodes; "
            "backfill: 92 of 92 passes the same, 68 of 68 starts too, 68 of 68 on the same nodes; alone: 0",
        ),
    ],
)  # fmt: skip
def test_passes_start_what_the_real_ones_started(workload, run, told):
    answer = decisions.compare(WORKLOADS / workload, run, until=550)

    assert (str(answer), answer.odd) == (told, [])
