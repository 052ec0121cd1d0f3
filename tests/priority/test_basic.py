from __future__ import annotations

import world

from slimsched.controller.life import transitions
from slimsched.controller.schedule import hold

TOP = 4294901759


def test_each_job_gets_a_lower_number():
    ctl = world.uniform()
    jobs = [world.submit(ctl, **more) for more in ({}, {"nice": 100}, {"priority": 7}, {"hold": True}, {"nice": -50})]

    assert [job.priority for job in jobs] == [TOP, TOP - 101, 7, 0, TOP - 2 + 50]


def test_release_and_requeue_put_a_job_behind_all_others():
    """SURPRISES D36."""
    ctl = world.uniform()
    held, running = world.submit(ctl, hold=True), world.submit(ctl)
    hold.release(ctl, [str(held.job_id)])
    transitions.requeue_job(ctl, running)

    assert [running.priority, held.priority] == [TOP - 2, TOP - 1]


def test_nice_never_makes_a_hold():
    ctl = world.uniform()
    ctl.cluster.next_priority = 50

    assert world.submit(ctl, nice=1000).priority == 1
