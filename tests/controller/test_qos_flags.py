"""What the flags of a QOS do."""

from __future__ import annotations

import pytest
from lab import controller, sbatch

from slimsched.errors import SlurmError
from slimsched.model.request import INFINITE


def test_over_part_qos_puts_the_jobs_qos_first():
    limits = {"qos_part": {"MaxJobsPerUser": "1"}, "qos_normal": {"MaxJobsPerUser": "2", "Flags": "OverPartQOS"}}
    ctl = controller(part_qos="part", **limits)

    assert [sbatch(ctl).reason for _ in range(3)] == ["None", "None", "QOSMaxJobsPerUserLimit"]


def test_requires_reservation():
    ctl = controller(qos_normal={"Flags": "RequiresReservation"})

    with pytest.raises(SlurmError) as caught:
        sbatch(ctl)
    assert caught.value.errno.name == "INVALID_QOS"


@pytest.mark.parametrize(
    ("settings", "wish", "word"),
    [
        ({"GrpTRES": "cpu=2"}, {"num_tasks": 3}, "QOSGrpCpuLimit"),
        ({"MaxTRESPU": "node=1"}, {"min_nodes": 2, "num_tasks": 2}, "QOSMaxNodePerUserLimit"),
        ({"MaxTRESPA": "cpu=2"}, {"num_tasks": 3}, "MaxCpuPerAccount"),
        ({"GrpWall": "5"}, {"time_limit": 6}, "QOSGrpWallLimit"),
        ({"MaxTRESMins": "cpu=5"}, {"time_limit": 6}, "QOSMaxCpuMinutesPerJobLimit"),
        ({"MinTRES": "cpu=2"}, {}, "QOSMinCpuNotSatisfied"),
    ],
)
def test_deny_on_limit(settings, wish, word):
    ctl = controller(qos_normal={**settings, "Flags": "DenyOnLimit"})

    with pytest.raises(SlurmError) as caught:
        sbatch(ctl, **wish)

    assert (caught.value.errno.name, caught.value.detail) == ("ACCOUNTING_POLICY", word)


def test_a_job_that_names_no_limit_gets_the_longest_that_it_may_have():
    ctl = controller(qos_normal={"MaxWall": "7"})
    assert [sbatch(ctl, time_limit=limit).request.time_limit for limit in (None, 5, INFINITE)] == [7, 5, INFINITE]

    ctl.cluster.partitions["debug"].max_time = 6
    assert sbatch(ctl, time_limit=None).request.time_limit == 6
    assert sbatch(controller(user_bob={"MaxWall": "9"}), time_limit=None).request.time_limit == 9
    assert sbatch(controller("qos", user_bob={"MaxWall": "9"}), time_limit=None).request.time_limit == INFINITE
