from __future__ import annotations

import pytest
import world

from slimsched.controller.schedule.event_loop import purge


@pytest.mark.parametrize(("age", "left"), [("300", [2]), ("60", []), ("0", [1, 2]), ("x", [2])])
def test_finished_jobs_leave_after_min_job_age(age, left):
    ctl = world.uniform(MinJobAge=age)
    world.submit(ctl, sim_runtime=10)
    world.submit(ctl, sim_runtime=100)
    world.later(ctl, 350)

    assert list(ctl.cluster.jobs) == left
    assert [job.job_id for job in ctl.cluster.gone_jobs] == [i for i in (1, 2) if i not in left]
    assert not ctl.cluster.dirty_jobs - set(left)


def test_pending_and_running_jobs_stay():
    ctl = world.uniform()
    world.submit(ctl)
    world.submit(ctl, hold=True)
    ctl.cluster.now += 100_000

    assert purge(ctl) == 0
