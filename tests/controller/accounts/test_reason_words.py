"""Every limit with a job that meets it, and the word that Slurm was recorded to say of that job."""

from __future__ import annotations

import pytest
from limited import BOB, EVE, change, controller, reasons_of, sbatch

from slimsched.controller.accounts import modify
from slimsched.controller.schedule import event_loop
from slimsched.errors import SlurmError

LAB, MINE, QOS = "account_lab", "user_bob", "qos_normal"
GPU, WIDE = {"gres": "gpu:1"}, {"min_nodes": 2}
WORDS = [
    # where, the limit, what the second job asks for (the first is of one CPU and 10 minutes), the word
    (MINE, {"MaxJobs": "1"}, {}, "AssocMaxJobsLimit"),
    (LAB, {"GrpJobs": "1"}, {"user": EVE}, "AssocGrpJobsLimit"),
    (MINE, {"MaxTRESPerJob": "cpu=2"}, {"num_tasks": 3}, "AssocMaxCpuPerJobLimit"),
    (MINE, {"MaxTRESPerJob": "node=1"}, WIDE, "AssocMaxNodePerJobLimit"),
    (LAB, {"GrpTRES": "cpu=2"}, {"num_tasks": 2}, "AssocGrpCpuLimit"),
    (LAB, {"GrpTRES": "mem=15"}, {}, "AssocGrpMemLimit"),
    (LAB, {"GrpTRES": "node=2"}, WIDE, "AssocGrpNodeLimit"),
    (LAB, {"GrpTRES": "gres/gpu=0"}, GPU, "AssocGrpGRES"),
    (MINE, {"MaxWallDurationPerJob": "10"}, {"time_limit": 11}, "AssocMaxWallDurationPerJobLimit"),
    (MINE, {"MaxTRESMins": "cpu=10"}, {"time_limit": 11}, "AssocMaxCpuMinutesPerJobLimit"),
    (LAB, {"GrpTRESRunMins": "cpu=15"}, {}, "AssocGrpCPURunMinutesLimit"),
    (MINE, {"MaxTRESPerJob": "gres/gpu=0"}, GPU, "AssocMaxGRESPerJob"),
    (MINE, {"MaxTRESPerJob": "mem=15"}, {"num_tasks": 2}, "AssocMaxMemPerJob"),
    (MINE, {"MaxTRESPerJob": "billing=1"}, {"num_tasks": 2}, "AssocMaxBillingPerJob"),
    (MINE, {"MaxTRESPerNode": "mem=15"}, {"num_tasks": 2}, "AssocMaxMemPerNode"),
    (MINE, {"MaxTRESPerNode": "cpu=1"}, {"num_tasks": 2}, "AssocMaxCpuPerNode"),
    (QOS, {"MaxTRESPerUser": "cpu=1"}, {}, "QOSMaxCpuPerUserLimit"),
    (QOS, {"MaxJobsPerUser": "1"}, {}, "QOSMaxJobsPerUserLimit"),
    (QOS, {"MaxTRESPerUser": "mem=15"}, {}, "QOSMaxMemoryPerUser"),
    (QOS, {"MaxTRESPerUser": "node=2"}, WIDE, "QOSMaxNodePerUserLimit"),
    (QOS, {"MaxTRESPerUser": "gres/gpu=0"}, GPU, "QOSMaxGRESPerUser"),
    (QOS, {"MaxTRESPerJob": "node=1"}, WIDE, "QOSMaxNodePerJobLimit"),
    (QOS, {"MaxTRESPerJob": "mem=15"}, {"num_tasks": 2}, "QOSMaxMemoryPerJob"),
    (QOS, {"GrpTRES": "cpu=1"}, {"user": EVE}, "QOSGrpCpuLimit"),
    (QOS, {"GrpTRES": "node=2"}, {"user": EVE, **WIDE}, "QOSGrpNodeLimit"),
    (QOS, {"GrpTRES": "mem=15"}, {"user": EVE}, "QOSGrpMemLimit"),
    (QOS, {"GrpJobs": "1"}, {"user": EVE}, "QOSGrpJobsLimit"),
    (QOS, {"GrpTRESRunMins": "cpu=15"}, {"user": EVE}, "QOSGrpCPURunMinutesLimit"),
    (QOS, {"MinTRESPerJob": "gres/gpu=1"}, {"gres": ""}, "QOSMinGRES"),
    (QOS, {"MinTRESPerJob": "cpu=2"}, {}, "QOSMinCpuNotSatisfied"),
    (QOS, {"MaxTRESPerNode": "cpu=1"}, {"num_tasks": 2}, "QOSMaxCpuPerNode"),
    (QOS, {"MaxTRESMins": "cpu=10"}, {"time_limit": 11}, "QOSMaxCpuMinutesPerJobLimit"),
    (QOS, {"MaxWall": "10"}, {"time_limit": 11}, "QOSMaxWallDurationPerJobLimit"),
    (QOS, {"MaxJobsPerAccount": "1"}, {"user": EVE}, "MaxJobsPerAccount"),
    (QOS, {"MaxTRESPerAccount": "cpu=1"}, {"user": EVE}, "MaxCpuPerAccount"),
]
AT_SUBMISSION = [
    (MINE, {"MaxSubmitJobs": "1"}, {}, "AssocMaxSubmitJobLimit"),
    (LAB, {"GrpSubmitJobs": "1"}, {"user": EVE}, "AssocGrpSubmitJobsLimit"),
    (QOS, {"MaxSubmitJobsPerUser": "1"}, {}, "QOSMaxSubmitJobPerUserLimit"),
    (QOS, {"GrpSubmitJobs": "1"}, {"user": EVE}, "QOSGrpSubmitJobsLimit"),
    (QOS, {"MaxSubmitJobsPerAccount": "1"}, {"user": EVE}, "MaxSubmitJobsPerAccount"),
]
DENIED = [
    ({"MaxTRESPerJob": "cpu=2"}, {"num_tasks": 3}, "QOSMaxCpuPerJobLimit"),
    ({"MaxTRESPerUser": "cpu=2"}, {"num_tasks": 3}, "QOSMaxCpuPerUserLimit"),
    ({"MaxWall": "10", "MaxTRESPerJob": "cpu=2"}, {"num_tasks": 3, "time_limit": 11}, "QOSMaxWallDurationPerJobLimit"),
    ({"GrpTRES": "cpu=6", "MaxTRESPerJob": "cpu=5"}, {"num_tasks": 7}, "QOSGrpCpuLimit"),
]


@pytest.mark.parametrize(("place", "limit", "wish", "word"), WORDS, ids=[row[3] for row in WORDS])
def test_why_the_second_job_waits_and_nobody_behind_it(place, limit, wish, word):
    ctl = controller(gres="gpu:2", **{place: limit})

    assert reasons_of(ctl, {}, wish)[1] == word
    if place == MINE:
        assert reasons_of(ctl, {"user": EVE}) == [""]


@pytest.mark.parametrize(("place", "limit", "wish", "word"), AT_SUBMISSION, ids=[row[3] for row in AT_SUBMISSION])
def test_why_the_second_job_is_refused(place, limit, wish, word):
    ctl = controller(**{place: limit})
    sbatch(ctl)
    with pytest.raises(SlurmError) as refused:
        sbatch(ctl, **wish)

    assert refused.value.detail == word


@pytest.mark.parametrize(("limit", "wish", "word"), DENIED, ids=[row[2] for row in DENIED])
def test_what_one_job_alone_exceeds_is_refused_with_the_flag(limit, wish, word):
    ctl = controller(**{QOS: limit})
    assert sbatch(ctl, **wish).reason == word
    change(ctl, modify.modify, "qos", "normal", Flags="DenyOnLimit")
    with pytest.raises(SlurmError) as refused:
        sbatch(ctl, **wish)

    assert refused.value.detail == word


@pytest.mark.parametrize("place", [LAB, MINE])
def test_a_raised_limit_is_seen_at_once(place):
    limit = {LAB: "GrpJobs", MINE: "MaxJobs"}[place]
    ctl = controller(**{place: {limit: "1"}})
    sbatch(ctl, user=BOB)
    waits = sbatch(ctl, user=BOB)
    kind, _, name = place.partition("_")
    change(ctl, modify.modify, kind, name, **{limit: "-1"})
    event_loop.advance(ctl, ctl.cluster.now)

    assert waits.active
