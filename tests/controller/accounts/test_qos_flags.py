"""What the flags of a QOS do."""

from __future__ import annotations

import pytest
from limited import controller, reasons_of, sbatch

from slimsched.controller.schedule import event_loop
from slimsched.errors import SlurmError
from slimsched.model.request import INFINITE
from slimsched.slurm.errno import Errno


def test_over_part_qos_puts_the_jobs_qos_first():
    limits = {"qos_part": {"MaxJobsPerUser": "1"}, "qos_normal": {"MaxJobsPerUser": "2", "Flags": "OverPartQOS"}}
    ctl = controller(part_qos="part", **limits)

    assert [sbatch(ctl).reason for _ in range(3)] == ["None", "None", "QOSMaxJobsPerUserLimit"]


def test_a_running_job_counts_in_the_qos_that_its_partition_had_when_it_started():
    ctl = controller(part_qos="part", qos_part={"MaxTRESPU": "cpu=3"}, qos_high={"MaxTRESPU": "cpu=2"})
    started = sbatch(ctl, num_tasks=3)

    ctl.cluster.partitions["debug"].qos = "high"

    assert (started.partition_qos, reasons_of(ctl, {"num_tasks": 2}, {})) == ("part", ["", "QOSMaxCpuPerUserLimit"])


def test_the_limit_factor_of_a_qos_multiplies_limits_of_associations():
    ctl = controller(account_lab={"GrpTRES": "cpu=2", "MaxTRES": "cpu=1"}, qos_normal={"LimitFactor": "1.5"})
    assert reasons_of(ctl, {"num_tasks": 2}, {}, {}, {}) == ["AssocMaxCpuPerJobLimit", "", "", ""]
    assert sbatch(ctl).reason == "AssocGrpCpuLimit"


@pytest.mark.parametrize(
    ("limits", "wishes", "reasons"),
    [  # the cluster has 8 nodes of 4 CPUs and 1,000 MB
        ({"GrpTRES": "cpu=25"}, [{"num_tasks": 8}, {}], ["", "QOSGrpCpuLimit"]),
        ({"MaxTRESPU": "node=13"}, [{"min_nodes": 1}, {"min_nodes": 1}], ["", "QOSMaxNodePerUserLimit"]),
        (
            {"MaxTRES": "mem=50"},
            [{"mem_per_cpu": 500, "num_tasks": 9}, {"mem_per_cpu": 500, "num_tasks": 8}],
            ["QOSMaxMemoryPerJob", ""],
        ),
        ({"MinTRES": "cpu=50"}, [{"num_tasks": 15}, {"num_tasks": 16}], ["QOSMinCpuNotSatisfied", ""]),
        ({"MaxJobs": "1"}, [{}, {}], ["", "QOSMaxJobsPerUserLimit"]),
    ],
)
def test_limits_of_a_relative_qos_are_percentages_of_the_cluster(limits, wishes, reasons):
    ctl = controller(qos_normal={**limits, "Flags": "Relative"})

    assert reasons_of(ctl, *wishes) == reasons


def test_a_relative_qos_of_a_partition_is_for_that_partition_only():
    ctl = controller(part_qos="part", qos_part={"GrpTRES": "cpu=50", "Flags": "Relative"})

    assert reasons_of(ctl, {"num_tasks": 16}, {}) == ["", "QOSGrpCpuLimit"]
    with pytest.raises(SlurmError) as caught:
        sbatch(ctl, qos="part")
    assert caught.value.errno == Errno.INVALID_QOS


def test_requires_reservation():
    ctl = controller(qos_normal={"Flags": "RequiresReservation"})

    with pytest.raises(SlurmError) as caught:
        sbatch(ctl)
    assert caught.value.errno == Errno.INVALID_QOS


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

    assert (caught.value.errno, caught.value.detail) == (Errno.ACCOUNTING_POLICY, word)


@pytest.mark.parametrize(
    ("settings", "wish", "word"),
    [
        # time before size; a partition's default time counts
        ({"MaxWall": "10", "MaxTRES": "cpu=4"}, {"num_tasks": 5, "time_limit": None}, "QOSMaxWallDurationPerJobLimit"),
        ({"MaxWall": "10", "MaxTRES": "cpu=4"}, {"num_tasks": 5, "time_limit": 10}, "QOSMaxCpuPerJobLimit"),
        ({"MaxWall": "10", "GrpWall": "5"}, {"time_limit": 11}, "QOSMaxWallDurationPerJobLimit"),
        ({"MaxTRESMins": "cpu=5", "MaxWall": "3"}, {"time_limit": 6}, "QOSMaxCpuMinutesPerJobLimit"),
        ({"GrpTRESMins": "cpu=5", "GrpTRESRunMins": "cpu=4"}, {"time_limit": 6}, "QOSGrpCPUMinutesLimit"),
        ({"GrpTRESMins": "cpu=5", "GrpTRESRunMins": "cpu=4"}, {"time_limit": 5}, "QOSGrpCPURunMinutesLimit"),
        # of the resources an account's limit comes first, then by resource the user's and the group's
        ({"MaxTRESPU": "cpu=3", "GrpTRES": "cpu=2"}, {"num_tasks": 4}, "QOSMaxCpuPerUserLimit"),
        ({"MaxTRESPU": "cpu=3", "GrpTRES": "cpu=2"}, {"num_tasks": 3}, "QOSGrpCpuLimit"),
        ({"MaxTRESPU": "node=1", "GrpTRES": "cpu=1"}, {"min_nodes": 2, "num_tasks": 2}, "QOSGrpCpuLimit"),
        ({"MaxTRESPU": "cpu=1", "MaxTRESPA": "node=1"}, {"min_nodes": 2, "num_tasks": 2}, "MaxNodePerAccount"),
        ({"MaxTRES": "cpu=2", "MinTRES": "cpu=4"}, {"num_tasks": 3}, "QOSMaxCpuPerJobLimit"),
        ({"MaxSubmitPU": "0", "MinTRES": "cpu=4"}, {}, "QOSMaxSubmitJobPerUserLimit"),
        ({"MaxSubmitPU": "0", "MaxTRES": "cpu=2"}, {"num_tasks": 3}, "QOSMaxCpuPerJobLimit"),
    ],
)
def test_deny_on_limit_names_the_first_limit_in_slurms_order(settings, wish, word):
    names = {"MaxSubmitPU": "MaxSubmitJobsPerUser"}
    settings = {names.get(name, name): value for name, value in settings.items()}
    ctl = controller(qos_normal={**settings, "Flags": "DenyOnLimit"})
    ctl.cluster.partitions["debug"].default_time = 30

    with pytest.raises(SlurmError) as caught:
        sbatch(ctl, **wish)

    assert caught.value.detail == word


@pytest.mark.parametrize(
    ("settings", "wish", "word"),
    [
        ({"MaxTRESMins": "cpu=5", "MaxTRES": "cpu=1"}, {"num_tasks": 2}, "QOSMaxCpuMinutesPerJobLimit"),
        ({"MaxTRESPerNode": "cpu=2", "MinTRES": "cpu=9"}, {"num_tasks": 3}, "QOSMaxCpuPerNode"),
        ({"MaxTRESPerNode": "cpu=1"}, {"num_tasks": 3, "min_nodes": 2, "max_nodes": 2}, ""),  # 3 / 2, cut down
        ({"MinTRES": "cpu=9", "MaxTRESPA": "cpu=1"}, {"num_tasks": 2}, "QOSMinCpuNotSatisfied"),
        ({"MaxTRESPA": "cpu=1", "MaxTRESPU": "cpu=1"}, {"num_tasks": 2}, "MaxCpuPerAccount"),
    ],
)
def test_a_waiting_job_names_the_first_limit_in_slurms_order(settings, wish, word):
    assert reasons_of(controller(qos_normal=settings), wish) == [word]


def test_a_job_that_names_no_limit_gets_the_longest_that_it_may_have():
    ctl = controller(qos_normal={"MaxWall": "7"})
    assert [sbatch(ctl, time_limit=limit).request.time_limit for limit in (None, 5, INFINITE)] == [7, 5, INFINITE]

    ctl.cluster.partitions["debug"].max_time = 6
    assert sbatch(ctl, time_limit=None).request.time_limit == 6
    assert sbatch(controller(user_bob={"MaxWall": "9"}), time_limit=None).request.time_limit == 9
    assert sbatch(controller("qos", user_bob={"MaxWall": "9"}), time_limit=None).request.time_limit == INFINITE


PART_LIMITS = [
    ("PartitionMaxNodes", {"max_nodes": 1}, {"min_nodes": 2, "num_tasks": 2}, "PartitionNodeLimit"),
    ("PartitionMinNodes", {"min_nodes": 3}, {"min_nodes": 2, "max_nodes": 2, "num_tasks": 2}, "PartitionNodeLimit"),
    ("PartitionTimeLimit", {"max_time": 5}, {"time_limit": 6}, "PartitionTimeLimit"),
]


@pytest.mark.parametrize(("flag", "part", "wish", "reason"), PART_LIMITS)
def test_flags_that_waive_limits_of_the_partition(flag, part, wish, reason):
    for flags, expected in (({}, reason), ({"Flags": flag}, "None")):
        ctl = controller(qos_normal={"Priority": "1", **flags})
        for name, value in part.items():
            setattr(ctl.cluster.partitions["debug"], name, value)
        assert sbatch(ctl, **wish).reason == expected


LISTS = [
    ({"allow_qos": "high"}, "QOSNotAllowed", Errno.INVALID_QOS),
    ({"deny_qos": "part,normal"}, "QOSNotAllowed", Errno.INVALID_QOS),
    ({"allow_accounts": "root"}, "AccountNotAllowed", Errno.INVALID_ACCOUNT),
    ({"deny_accounts": "lab"}, "AccountNotAllowed", Errno.INVALID_ACCOUNT),
]


QOS_TEXT = "Job's QOS not permitted to use this partition (debug {} {} {})"


def said(lists):
    name, listed = next(iter(lists.items()))
    return ("denies", listed, "including normal") if name == "deny_qos" else ("allows", listed, "not normal")


@pytest.mark.parametrize(("lists", "reason", "errno"), LISTS)
def test_what_a_partition_lets_in(lists, reason, errno):
    ctl = controller()
    part = ctl.cluster.partitions["debug"]
    part.state = "DOWN"
    waiting = sbatch(ctl)
    part.state = "UP"
    for name, value in lists.items():
        setattr(part, name, value)

    ctl.cluster.config.slurm["EnforcePartLimits"] = "ANY"
    with pytest.raises(SlurmError) as caught:
        sbatch(ctl)
    ctl.cluster.config.slurm["EnforcePartLimits"] = "NO"
    late = sbatch(ctl)
    ctl.cluster.pass_due = True
    event_loop.advance(ctl, ctl.cluster.now + 60)

    assert caught.value.errno == errno
    assert (waiting.state, waiting.reason) == ("PENDING", reason)
    assert (late.state, late.reason) == ("PENDING", "PartitionConfig")
    assert late.state_desc == ("" if "accounts" in str(lists) else QOS_TEXT.format(*said(lists)))
    part.allow_qos = part.allow_accounts = "ALL"
    part.deny_qos = part.deny_accounts = ""
    ctl.cluster.pass_due = True
    ctl.settle()
    assert (waiting.state, waiting.reason) == ("RUNNING", "None")
