"""When time limits are acted on."""

from __future__ import annotations

import pytest
import world

from slimsched.executor import limits


@pytest.mark.parametrize(("pace", "after", "acted"), [("fast", 61, 61), ("slurm", 61, 90), ("slurm", 90, 90)])
def test_the_pace_decides_when_a_limit_acts(pace, after, acted):
    cluster = world.uniform().cluster
    cluster.config.pace = pace

    assert limits.acted_on(cluster, cluster.boot_time + after) == cluster.boot_time + acted


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("", None),
        ("USR1", limits.Warning(10, "steps", 60)),
        ("B:USR1@30", limits.Warning(10, "script", 30)),
        ("RB:TERM@120", limits.Warning(15, "script", 120)),
        ("R:INT@5", limits.Warning(2, "steps", 5)),
    ],
)
def test_warnings(text, warning):
    job = world.submit(world.uniform(), signal=text)

    assert limits.warning(job) == warning


@pytest.mark.parametrize(
    ("pace", "minutes", "after"), [("fast", 2, 60), ("fast", 1, limits.SETTLED), ("slurm", 2, 60), ("slurm", 1, 0)]
)
def test_when_a_job_is_warned(pace, minutes, after):
    ctl = world.uniform()
    job = world.submit(ctl, signal="B:USR1@60", time_limit=minutes)
    ctl.cluster.config.pace = pace
    told = limits.warning(job)
    assert told is not None

    expected = after if pace == "fast" else -(-max(0, minutes * 60 - 90) // 30) * 30
    assert limits.warned_at(ctl.cluster, job, told) == ctl.cluster.boot_time + expected
