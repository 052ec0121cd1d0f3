"""Jobs below ``MinPrioThreshold`` wait without keeping nodes from others, in the main pass and in backfill."""

from __future__ import annotations

import pytest
from limited import EVE, controller, sbatch

from slimsched.controller.accounts import assoc_limits
from slimsched.controller.schedule import main_pass

HIGH = "4294901700"  # priority/basic begins just above and gives less to each job
TOO_HIGH = "4294967000"
CASES = [
    ({}, False),
    ({"qos_normal": {"MinPrioThres": HIGH}}, False),
    ({"qos_normal": {"MinPrioThres": TOO_HIGH}}, True),
    ({"account_lab": {"MinPrioThres": TOO_HIGH}}, True),
    ({"user_bob": {"MinPrioThres": TOO_HIGH}}, True),
    ({"user_eve": {"MinPrioThres": TOO_HIGH}}, False),  # that of the job behind, which keeps nothing itself
    ({"user_bob": {"MinPrioThres": HIGH}, "account_lab": {"MinPrioThres": TOO_HIGH}}, False),
    ({"qos_normal": {"MinPrioThres": HIGH}, "account_lab": {"MinPrioThres": TOO_HIGH}}, False),
    ({"part_qos": "part", "qos_part": {"MinPrioThres": TOO_HIGH}}, True),
    ({"enforce": "associations", "qos_normal": {"MinPrioThres": TOO_HIGH}}, False),
    ({"slurm": {"SchedulerParameters": f"bf_min_prio_reserve={TOO_HIGH}"}}, True),
    (
        {
            "slurm": {"SchedulerParameters": f"bf_min_prio_reserve={TOO_HIGH}"},
            "qos_normal": {"MinPrioThres": HIGH},
        },
        False,
    ),
]


@pytest.mark.parametrize("scheduler", ["sched/backfill", "sched/builtin"])
@pytest.mark.parametrize(("settings", "goes_ahead"), CASES, ids=lambda value: str(value)[:60])
def test_who_gets_past_a_job_that_waits(settings, goes_ahead, scheduler):
    given = dict(settings)
    given["slurm"] = {"SchedulerType": scheduler, **given.get("slurm", {})}
    ctl = controller(**given)
    sbatch(ctl, user=EVE, min_nodes=6, exclusive="NODE", sim_runtime=6000, time_limit=100)
    head = sbatch(ctl, min_nodes=8, exclusive="NODE")
    behind = sbatch(ctl, user=EVE, min_nodes=2, exclusive="NODE", time_limit=1000)
    ctl.cluster.pass_due = True
    ctl.settle()

    assert (head.state, head.reason) == ("PENDING", "Resources")
    assert behind.active is goes_ahead


@pytest.mark.parametrize(
    ("settings", "least"),
    [
        ({}, 0),
        ({"user_bob": {"MinPrioThres": "7"}, "account_lab": {"MinPrioThres": "9"}}, 7),
        ({"account_lab": {"MinPrioThres": "9"}}, 9),
        ({"qos_normal": {"MinPrioThres": "5"}, "user_bob": {"MinPrioThres": "7"}}, 5),
        ({"part_qos": "part", "qos_part": {"MinPrioThres": "3"}, "qos_normal": {"MinPrioThres": "5"}}, 3),
        ({"enforce": "associations,qos", "qos_normal": {"MinPrioThres": "5"}}, 0),
    ],
)
def test_the_first_level_that_says_so_counts(settings, least):
    ctl = controller(**settings)
    job = sbatch(ctl, begin_time=ctl.cluster.now + 60)

    assert assoc_limits.least_priority(ctl.cluster, job, ctl.cluster.partitions["debug"]) == least


def test_without_accounting_nobody_asks():
    ctl = controller()
    job = sbatch(ctl)
    entry = main_pass.Entry(job, ctl.cluster.partitions["debug"], job.priority)
    ctl.cluster.accounting.clear()

    assert main_pass.least_priority(ctl, entry) == 0
