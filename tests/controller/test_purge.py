from __future__ import annotations

import engine
import pytest

from slimsched.controller.purge import purge


@pytest.mark.parametrize(("age", "left"), [("300", [2]), ("60", []), ("0", [1, 2]), ("x", [2])])
def test_finished_jobs_leave_after_min_job_age(age, left):
    ctl = engine.controller(MinJobAge=age)
    engine.submit(ctl, sim_runtime=10)
    engine.submit(ctl, sim_runtime=100)
    engine.after(ctl, 350)

    assert list(ctl.cluster.jobs) == left
    assert [job.job_id for job in ctl.cluster.gone_jobs] == [i for i in (1, 2) if i not in left]
    assert not ctl.cluster.dirty_jobs - set(left)


def test_pending_and_running_jobs_stay():
    ctl = engine.controller()
    engine.submit(ctl)
    engine.submit(ctl, hold=True)
    ctl.cluster.now += 100_000

    assert purge(ctl) == 0
