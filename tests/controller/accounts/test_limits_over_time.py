"""Limits on what was used and on what running jobs may use: reasons, ends of jobs, and that time lets jobs through."""

from __future__ import annotations

import pytest
from limited import EVE, controller, reasons_of, sbatch

from slimsched.controller.schedule import event_loop
from slimsched.model.request import INFINITE
from slimsched.priority.usage import UsageLedger
from slimsched.slurm import limits as limits_words

KEPT = {"PriorityType": "priority/multifactor", "PriorityDecayHalfLife": "0"}
FADES = KEPT | {"PriorityDecayHalfLife": "00:10:00"}
START = 1_000_000


def later(ctl, seconds):
    event_loop.advance(ctl, START + seconds)
    return ctl


RUN_MINUTES = [
    ("account_lab", {"GrpTRESRunMins": "cpu=15"}, [{}, {"user": EVE}], "AssocGrpCPURunMinutesLimit"),
    ("account_lab", {"GrpTRESRunMins": "mem=150"}, [{}, {}], "AssocGrpMemRunMinutes"),
    ("qos_normal", {"GrpTRESRunMins": "mem=150"}, [{}, {}], "QOSGrpMemoryRunMinutes"),
    ("qos_normal", {"GrpTRESRunMins": "node=19"}, [{}, {"user": EVE}], "QOSGrpNodeRunMinutes"),
    ("qos_normal", {"MaxTRESRunMinsPU": "cpu=15"}, [{}, {}], "MaxCpuRunMinsPerUser"),
    ("qos_normal", {"MaxTRESRunMinsPA": "cpu=15"}, [{}, {"user": EVE}], "MaxCpuRunMinsPerAccount"),
    ("qos_normal", {"MaxTRESMins": "cpu=10"}, [{}, {"time_limit": 11}], "QOSMaxCpuMinutesPerJobLimit"),
    ("qos_normal", {"MaxTRESMins": "cpu=99"}, [{}, {"time_limit": INFINITE}], "QOSMaxCpuMinutesPerJobLimit"),
    ("user_bob", {"MaxTRESMins": "node=10"}, [{}, {"time_limit": 11}], "AssocMaxNodeMinutesPerJob"),
    ("account_lab", {"MaxTRESMins": "mem=100"}, [{}, {"num_tasks": 2}], "AssocMaxMemMinutesPerJob"),  # inherited
]


@pytest.mark.parametrize(("place", "settings", "wishes", "word"), RUN_MINUTES, ids=lambda value: str(value)[:40])
def test_what_running_jobs_may_still_use(place, settings, wishes, word):
    assert reasons_of(controller(**{place: settings}), *wishes) == ["", word]


def test_one_users_minutes_are_not_anothers():
    assert reasons_of(controller(qos_normal={"MaxTRESRunMinsPU": "cpu=15"}), {}, {"user": EVE}) == ["", ""]


def test_run_minutes_grow_less_as_jobs_run_if_usage_is_worked_out():
    for slurm, active in (({}, False), (KEPT, True)):
        ctl = controller(slurm=slurm, account_lab={"GrpTRESRunMins": "cpu=15"})
        sbatch(ctl, sim_runtime=600)
        later(ctl, 300)

        assert sbatch(ctl).active is active


USED = [
    ("account_lab", {"GrpTRESMins": "cpu=5"}, {}, "AssocGrpCPUMinutesLimit"),
    ("user_bob", {"GrpTRESMins": "mem=50"}, {}, "AssocGrpMemMinutes"),
    ("qos_normal", {"GrpTRESMins": "mem=50"}, {}, "QOSGrpMemoryMinutes"),
    ("qos_normal", {"GrpTRESMins": "cpu=5"}, {"user": EVE}, "QOSGrpCPUMinutesLimit"),
    ("qos_normal", {"GrpTRESMins": "billing=5"}, {}, "QOSGrpBillingMinutes"),
    ("qos_normal", {"GrpWall": "5"}, {}, "QOSGrpWallLimit"),
    ("account_lab", {"GrpWall": "5"}, {"user": EVE}, "AssocGrpWallLimit"),
]


@pytest.mark.parametrize(("place", "settings", "wish", "word"), USED, ids=lambda value: str(value)[:40])
def test_what_was_used(place, settings, wish, word):
    ctl = controller(slurm=KEPT, **{place: settings})
    first = sbatch(ctl, sim_runtime=290)
    later(ctl, 295)
    assert sbatch(ctl, sim_runtime=10, **wish).active
    later(ctl, 310)

    second = sbatch(ctl, **wish)
    ctl.settle()

    assert first.state == "COMPLETED"
    assert (second.state, second.reason) == ("PENDING", word)


def test_without_multifactor_nothing_is_used_up():
    ctl = controller(account_lab={"GrpTRESMins": "cpu=1", "GrpWall": "1"})
    sbatch(ctl, sim_runtime=600)
    later(ctl, 600)

    assert sbatch(ctl).active


def test_the_root_association_has_no_such_limit():
    ctl = controller(slurm=KEPT, account_root={"GrpTRESMins": "cpu=1"})
    sbatch(ctl, sim_runtime=600)
    later(ctl, 600)

    assert sbatch(ctl).active


@pytest.mark.parametrize("limit", [{"GrpTRESMins": "cpu=7"}, {"GrpWall": "7"}])
def test_jobs_that_run_when_a_limit_is_reached_are_ended_at_the_next_calculation(limit):
    ctl = controller(slurm=KEPT, account_lab=limit)
    job = sbatch(ctl, sim_runtime=3600, time_limit=60)
    event_loop.advance_until_idle(ctl)

    assert (job.state, job.reason, job.end_time) == ("TIMEOUT", "TimeLimit", START + 600)


def test_safe_starts_only_what_can_run_to_its_end():
    ctl = controller("safe,qos", slurm=KEPT, account_lab={"GrpTRESMins": "cpu=25"})
    runs, waits, small = sbatch(ctl, time_limit=20), sbatch(ctl, time_limit=10), sbatch(ctl, time_limit=5)

    assert (runs.active, waits.reason, small.active) == (True, "AssocGrpCPUMinutesLimit", True)
    assert reasons_of(controller(slurm=KEPT, account_lab={"GrpTRESMins": "cpu=25"}), {"time_limit": 99}) == [""]


def test_safe_counts_the_usage_factor_only_if_the_qos_says_so():
    settings = {"GrpTRESMins": "cpu=25", "UsageFactor": "3"}
    for flags, reason in (({}, ""), ({"Flags": "UsageFactorSafe"}, "QOSGrpCPUMinutesLimit")):
        assert reasons_of(controller("safe", slurm=KEPT, qos_normal=settings | flags), {}) == [reason]


def test_the_usage_factor_counts_in_what_was_used():
    ctl = controller(slurm=KEPT, qos_normal={"GrpTRESMins": "cpu=9", "UsageFactor": "2"})
    sbatch(ctl, sim_runtime=300)
    later(ctl, 300)

    assert sbatch(ctl).reason == "QOSGrpCPUMinutesLimit"
    assert UsageLedger(ctl.cluster).of("qos normal")["cpu"] == 600


def test_a_job_waits_until_usage_has_faded():
    ctl = controller(slurm=FADES, account_lab={"GrpTRESMins": "cpu=4"})
    sbatch(ctl, sim_runtime=600)
    job = sbatch(ctl, sim_runtime=10)
    later(ctl, 600)
    waits = sbatch(ctl, sim_runtime=10)
    assert (job.state, waits.reason) == ("COMPLETED", "AssocGrpCPUMinutesLimit")

    event_loop.advance_until_idle(ctl)

    assert waits.state == "COMPLETED"
    assert waits.start_time % 300 == START % 300
    assert waits.start_time > START + 600


def test_nothing_moves_for_a_job_that_never_fits():
    ctl = controller("safe", slurm=FADES, account_lab={"GrpTRESMins": "cpu=4"})
    job = sbatch(ctl, time_limit=10)

    assert not event_loop.advance_until(ctl, lambda: job.active)
    assert (job.reason, ctl.cluster.now) == ("AssocGrpCPUMinutesLimit", START)


def test_usage_that_stays_lets_nothing_through():
    ctl = controller(slurm=KEPT, account_lab={"GrpTRESMins": "cpu=4"})
    sbatch(ctl, sim_runtime=300)
    later(ctl, 300)
    job = sbatch(ctl)

    assert not event_loop.advance_until(ctl, lambda: job.active)


def test_a_qos_with_a_threshold_asks_for_a_good_fair_share_factor():
    settings = {"UsageThreshold": "0.6", "Flags": "EnforceUsageThreshold"}
    ctl = controller(slurm=KEPT, qos_normal=settings)
    sbatch(ctl, sim_runtime=600)
    later(ctl, 600)

    assert sbatch(ctl).reason == "QOSUsageThreshold"
    assert sbatch(ctl, EVE).active
    assert reasons_of(controller(slurm=KEPT, qos_normal={"UsageThreshold": "2"}), {}) == [""]


WORDS = [
    ("Assoc", "GrpTRES", "cpu", "AssocGrpCpuLimit"),
    ("Assoc", "GrpTRES", "gres/gpu", "AssocGrpGRES"),
    ("QOS", "GrpTRES", "mem", "QOSGrpMemLimit"),
    ("QOS", "GrpTRES", "license/fluent", "QOSGrpLicense"),
    ("QOS", "GrpTRESMins", "billing", "QOSGrpBillingMinutes"),
    ("Assoc", "MaxTRESPerJob", "mem", "AssocMaxMemPerJob"),
    ("QOS", "MaxTRESPerJob", "mem", "QOSMaxMemoryPerJob"),
    ("QOS", "MaxTRESPerNode", "mem", "QOSMaxMemoryPerNode"),
    ("QOS", "MaxTRESPerUser", "gres/gpu", "QOSMaxGRESPerUser"),
    ("QOS", "MaxTRESPerAccount", "mem", "MaxMemoryPerAccount"),
    ("QOS", "MaxTRESRunMinsPerUser", "gres/gpu", "MaxGRESRunMinsPerUser"),
    ("QOS", "MinTRESPerJob", "energy", "QOSMinEnergy"),
    ("Assoc", "GrpTRES", "vmem", "AssocGrpUnknown"),
]


@pytest.mark.parametrize(("prefix", "limit", "resource", "word"), WORDS)
def test_words(prefix, limit, resource, word):
    assert limits_words.word(prefix, limit, resource) == word
    assert limits_words.is_limit(word)


@pytest.mark.parametrize("word", ["None", "MaxMemPerLimit", "QOSNotAllowed", "AccountNotAllowed", "Resources"])
def test_words_of_other_things(word):
    assert not limits_words.is_limit(word)
