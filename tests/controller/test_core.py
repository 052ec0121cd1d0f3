from __future__ import annotations

import pytest
import world

from slimsched.controller.core import Controller
from slimsched.errors import PluginError
from slimsched.executor.simulated import Simulated
from slimsched.priority.multifactor import Multifactor
from slimsched.sched.builtin import Builtin
from slimsched.select.linear import Linear


def test_plugins_are_those_of_the_configuration():
    ctl = world.uniform(SelectType="select/linear", SchedulerType="sched/builtin", PriorityType="priority/multifactor")

    kinds = [type(plugin) for plugin in (ctl.select, ctl.sched, ctl.priority, ctl.executor)]
    assert kinds == [Linear, Builtin, Multifactor, Simulated]


@pytest.mark.parametrize(
    ("key", "attribute"), [("SelectType", "select"), ("SchedulerType", "sched"), ("PriorityType", "priority")]
)
def test_an_unknown_plugin_is_an_error(key, attribute):
    with pytest.raises(PluginError, match="nosuch"):
        getattr(world.uniform(**{key: "nosuch"}), attribute)


def test_settle_runs_a_pass_only_if_one_is_due():
    ctl = world.uniform()
    job = world.submit(ctl, hold=True)
    job.priority = 1
    ctl.settle()
    assert job.pending

    ctl.cluster.pass_due = True
    ctl.settle()
    assert (job.active, ctl.cluster.pass_due) == (True, False)


def test_a_second_controller_takes_over_where_the_first_one_stopped():
    ctl = world.uniform(MinJobAge="0")
    first, second = world.whole(ctl, 4, 10), world.whole(ctl, 4, 10)
    other = Controller(ctl.cluster)
    world.later(other, 1200)

    assert [(world.at(job), job.state) for job in (first, second)] == [(0, "COMPLETED"), (600, "COMPLETED")]


def test_counters_for_sdiag():
    ctl = world.uniform()
    world.whole(ctl, 4, 10)
    world.whole(ctl, 4, 10)
    world.later(ctl, 700)

    found = ctl.cluster.statistics
    assert (found["jobs_started"], found["jobs_completed"]) == (2, 1)
    assert (found["bf_cycle_counter"], found["bf_last_depth"]) == (1, 1)
