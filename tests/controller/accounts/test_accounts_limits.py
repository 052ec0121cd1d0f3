"""Limits of associations and QOS: what they refuse at submission, and what keeps jobs waiting, by which reason."""

from __future__ import annotations

import pytest
from limited import EVE, change, controller, reasons_of, sbatch

from slimsched.controller.accounts import modify
from slimsched.controller.life import cancel
from slimsched.controller.life.selectors import parse
from slimsched.controller.requests.users import User
from slimsched.controller.schedule import event_loop
from slimsched.controller.update import job as job_fields
from slimsched.errors import SlurmError
from slimsched.slurm.errno import Errno

LIMITS = [
    ("qos_normal", {"MaxJobsPerUser": "1"}, [{}, {}], "QOSMaxJobsPerUserLimit"),
    ("qos_normal", {"MaxJobsPerAccount": "1"}, [{}, {"user": EVE}], "MaxJobsPerAccount"),
    ("qos_normal", {"GrpJobs": "1"}, [{}, {"user": EVE}], "QOSGrpJobsLimit"),
    ("qos_normal", {"MaxTRESPerUser": "cpu=4"}, [{"num_tasks": 3}, {"num_tasks": 2}], "QOSMaxCpuPerUserLimit"),
    ("qos_normal", {"MaxTRESPerAccount": "node=1"}, [{}, {"user": EVE}], "MaxNodePerAccount"),
    ("qos_normal", {"GrpTRES": "mem=50"}, [{"num_tasks": 4}, {"num_tasks": 2}], "QOSGrpMemLimit"),
    ("qos_normal", {"MaxTRES": "mem=50"}, [{}, {"num_tasks": 6}], "QOSMaxMemoryPerJob"),
    ("qos_normal", {"MaxWall": "5"}, [{"time_limit": 5}, {"time_limit": 6}], "QOSMaxWallDurationPerJobLimit"),
    ("qos_normal", {"MinTRES": "cpu=2"}, [{"num_tasks": 2}, {}], "QOSMinCpuNotSatisfied"),
    ("user_bob", {"MaxJobs": "1"}, [{}, {}], "AssocMaxJobsLimit"),
    ("user_bob", {"MaxWall": "5"}, [{"time_limit": 5}, {"time_limit": 6}], "AssocMaxWallDurationPerJobLimit"),
    ("user_bob", {"MaxTRES": "node=1"}, [{}, {"min_nodes": 2, "num_tasks": 2}], "AssocMaxNodePerJobLimit"),
    ("user_bob", {"MaxTRESPerNode": "cpu=2"}, [{"num_tasks": 2}, {"num_tasks": 3}], "AssocMaxCpuPerNode"),
    ("account_lab", {"GrpTRES": "cpu=3"}, [{"num_tasks": 2}, {"num_tasks": 2, "user": EVE}], "AssocGrpCpuLimit"),
    ("account_lab", {"GrpJobs": "1"}, [{}, {"user": EVE}], "AssocGrpJobsLimit"),
    ("account_lab", {"MaxJobs": "1"}, [{}, {}], "AssocMaxJobsLimit"),  # inherited
    ("account_root", {"GrpTRES": "node=1"}, [{}, {"user": EVE}], "AssocGrpNodeLimit"),
    # what a job really gets counts
    ("user_bob", {"GrpTRES": "cpu=3"}, [{}, {"exclusive": "NODE"}], "AssocGrpCpuLimit"),
]


@pytest.mark.parametrize(("place", "settings", "wishes", "word"), LIMITS, ids=lambda value: str(value)[:40])
def test_a_job_waits_for_its_limit(place, settings, wishes, word):
    assert reasons_of(controller(**{place: settings}), *wishes) == ["", word]


@pytest.mark.parametrize("enforce", ["", "associations", "qos"])
def test_limits_count_only_if_enforced(enforce):
    assert reasons_of(controller(enforce, qos_normal={"MaxJobsPerUser": "1"}), {}, {}) == ["", ""]


def test_a_waiting_job_starts_when_the_limit_lets_it():
    ctl = controller(user_bob={"MaxJobs": "1"})
    first, second, other = sbatch(ctl), sbatch(ctl), sbatch(ctl, EVE)

    event_loop.advance(ctl, ctl.cluster.now + 60)

    assert (first.state, second.state, other.state) == ("COMPLETED", "RUNNING", "COMPLETED")
    assert second.start_time == first.end_time
    assert second.reason == "None"


def test_arrays_start_as_many_tasks_as_the_limit_lets():
    ctl = controller(qos_normal={"MaxJobsPerUser": "3"})
    job = sbatch(ctl, array="0-9")

    assert job.array_tasks == "3-9"
    assert job.reason == "QOSMaxJobsPerUserLimit"
    event_loop.advance_until(ctl, lambda: all(job.finished for job in ctl.cluster.jobs.values()), None)
    assert ctl.cluster.now == 1_000_000 + 4 * 60


def test_raising_a_limit_lets_jobs_start():
    ctl = controller(user_bob={"MaxJobs": "1"})
    sbatch(ctl)
    second = sbatch(ctl)

    change(ctl, modify.modify, "user", "bob", MaxJobs="2")
    ctl.settle()

    assert second.active


def test_the_stronger_level_covers_the_weaker():
    weak = {"user_bob": {"MaxWall": "5", "MaxTRES": "cpu=1"}}

    assert reasons_of(controller(qos_normal={"MaxWall": "20"}, **weak), {"time_limit": 10}) == [""]
    assert reasons_of(controller(qos_normal={"MaxTRES": "node=2"}, **weak), {"num_tasks": 2, "time_limit": 1}) == [
        "AssocMaxCpuPerJobLimit"
    ]
    both = {"qos_part": {"MaxJobsPerUser": "2"}, "qos_normal": {"MaxJobsPerUser": "1"}}
    assert reasons_of(controller(part_qos="part", **both), {}, {}, {}) == ["", "", "QOSMaxJobsPerUserLimit"]


def refusal(ctl, *wishes):
    """Return the errno and detail with which the last job is refused."""
    for wish in wishes[:-1]:
        sbatch(ctl, **wish)
    with pytest.raises(SlurmError) as caught:
        sbatch(ctl, **wishes[-1])
    assert not caught.value.commits
    return caught.value.errno, caught.value.detail


@pytest.mark.parametrize(
    ("place", "settings", "wishes", "word"),
    [
        ("user_bob", {"MaxSubmit": "1"}, [{}, {}], "AssocMaxSubmitJobLimit"),
        ("account_lab", {"GrpSubmit": "1"}, [{}, {"user": EVE}], "AssocGrpSubmitJobsLimit"),
        ("qos_normal", {"MaxSubmitJobsPU": "2"}, [{"array": "1-3"}], "QOSMaxSubmitJobPerUserLimit"),
        ("qos_normal", {"MaxSubmitJobsPA": "1"}, [{}, {"user": EVE}], "MaxSubmitJobsPerAccount"),
        ("qos_normal", {"GrpSubmit": "1"}, [{}, {"user": EVE}], "QOSGrpSubmitJobsLimit"),
        ("qos_normal", {"MaxWall": "5", "Flags": "DenyOnLimit"}, [{}], "QOSMaxWallDurationPerJobLimit"),
        ("qos_normal", {"MaxTRES": "cpu=1", "Flags": "DenyOnLimit"}, [{"num_tasks": 2}], "QOSMaxCpuPerJobLimit"),
    ],
)
def test_refused_at_submission(place, settings, wishes, word):
    assert refusal(controller(**{place: settings}), *wishes) == (Errno.ACCOUNTING_POLICY, word)


def test_cancelled_jobs_make_room_for_new_ones():
    ctl = controller(user_bob={"MaxSubmit": "1"})
    job = sbatch(ctl)
    cancel.cancel(ctl, parse(str(job.job_id)))
    ctl.settle()

    assert sbatch(ctl).active


def test_accounts_and_qos_must_be_known_if_enforced():
    nobody = User(5, "nobody", 5, "nobody")

    assert refusal(controller(), {"user": nobody}) == (Errno.INVALID_ACCOUNT, "")
    assert refusal(controller(), {"account": "other"}) == (Errno.INVALID_ACCOUNT, "")
    assert refusal(controller(), {"qos": "high"}) == (Errno.INVALID_QOS, "")
    assert refusal(controller("associations"), {"user": nobody}) == (Errno.INVALID_ACCOUNT, "")
    assert sbatch(controller("associations"), qos="high").request.qos == "high"
    assert sbatch(controller(""), nobody, account="any", qos="any").active
    allowed = controller(user_bob={"qos": "high,normal", "DefaultQOS": "high"})
    job = sbatch(allowed)
    assert (job.request.account, job.request.qos) == ("lab", "high")


def test_nobody_defined():
    ctl = controller()
    ctl.cluster.accounting.clear()

    job = sbatch(ctl, account="any", qos="any")

    assert (job.active, job.request.account, job.request.qos) == (True, "any", "any")


def test_updates_keep_to_what_the_user_may_use():
    ctl = controller(user_bob={"qos": "high,normal"})
    job = sbatch(ctl, hold=True)

    for name, value, word in (("Account", "nosuch", Errno.INVALID_ACCOUNT), ("QOS", "part", Errno.INVALID_QOS)):
        with pytest.raises(SlurmError) as caught:
            job_fields.update_job(ctl, job, job_fields.parse([f"{name}={value}"], print).fields)
        assert caught.value.errno == word
    job_fields.update_job(ctl, job, job_fields.parse(["qos=high"], print).fields)

    assert (job.request.account, job.request.qos) == ("lab", "high")
