"""What limits are held against is counted once, and then kept up with whatever jobs and records do."""

from __future__ import annotations

import pytest
from limited import EVE, change, controller, sbatch

from slimsched.controller.accounts import add, modify, usage_tally
from slimsched.controller.life import arrays, pauses, transitions
from slimsched.controller.schedule import event_loop, hold
from slimsched.model.request import JobRequest
from slimsched.slurm import states


def counted(tally):
    return {place: (use.running, use.accruing, use.submitted, {k: v for k, v in use.amounts.items() if v})
            for place, use in tally.places.items()}  # fmt: skip


def start_and_end(ctl):
    sbatch(ctl, sim_runtime=60)
    sbatch(ctl, user=EVE, num_tasks=4, sim_runtime=600)
    usage_tally.of(ctl.cluster)
    event_loop.advance(ctl, ctl.cluster.now + 60)


def cancel(ctl):
    job = sbatch(ctl)
    usage_tally.of(ctl.cluster)
    transitions.end_job(ctl, job, states.CANCELLED)


def requeue(ctl):
    job = sbatch(ctl, requeue=True, batch=True)
    usage_tally.of(ctl.cluster)
    transitions.requeue_job(ctl, job)


def suspend(ctl):
    job = sbatch(ctl)
    usage_tally.of(ctl.cluster)
    pauses.suspend_job(ctl, job)


def split(ctl):
    job = sbatch(ctl, array="0-9", num_tasks=8, min_nodes=2, exclusive="NODE")
    usage_tally.of(ctl.cluster)
    arrays.split(ctl, job)
    event_loop.advance(ctl, ctl.cluster.now + 60)


def held_back(ctl):
    job = sbatch(ctl, begin_time=ctl.cluster.now + 600)
    usage_tally.of(ctl.cluster)
    hold.hold_job(ctl, job)


def new_qos(ctl):
    job = sbatch(ctl)
    usage_tally.of(ctl.cluster)
    job.request.qos = "high"
    ctl.cluster.touch_job(job)


def new_default(ctl):
    sbatch(ctl)
    usage_tally.of(ctl.cluster)
    change(ctl, add.add, "account", "other")
    change(ctl, add.add, "user", "bob", account="other")
    change(ctl, modify.modify, "user", "bob", DefaultAccount="other")


def qos_of_the_partition(ctl):
    sbatch(ctl)
    usage_tally.of(ctl.cluster)
    ctl.cluster.partitions["debug"].qos = "part"


def purge(ctl):
    sbatch(ctl, sim_runtime=10)
    usage_tally.of(ctl.cluster)
    event_loop.advance(ctl, ctl.cluster.now + 3600)


@pytest.mark.parametrize(
    "story",
    [start_and_end, cancel, requeue, suspend, split, held_back, new_qos, new_default, qos_of_the_partition, purge],
    ids=lambda story: story.__name__,
)
def test_what_is_kept_up_is_what_a_new_count_finds(story):
    ctl = controller(slurm={"MinJobAge": "60"})
    usage_tally.of(ctl.cluster)
    story(ctl)
    kept = counted(usage_tally.of(ctl.cluster))

    assert kept == counted(usage_tally.Tally(ctl.cluster))


def test_the_counts_of_two_users():
    ctl = controller()
    sbatch(ctl, num_tasks=2)
    sbatch(ctl, user=EVE, array="0-4", begin_time=ctl.cluster.now + 60)
    found = counted(usage_tally.of(ctl.cluster))

    assert found["assoc", "assoc lab"] == (1, 0, 6, {"cpu": 2, "mem": 20, "node": 1, "billing": 2})
    assert found["user", "normal", "eve"] == (0, 0, 5, {})
    assert found["qos", "normal"] == found["account", "normal", "lab"] == found["assoc", "assoc root"]


def test_a_start_counts_one_job_and_not_all_of_them(monkeypatch):
    ctl = controller(slurm={"SchedulerParameters": "defer"})
    waiting = [sbatch(ctl, begin_time=ctl.cluster.now + 9999) for _ in range(30)]
    usage_tally.of(ctl.cluster)
    looked_at = []
    monkeypatch.setattr(usage_tally.Tally, "_count", lambda self, cluster, job_id: looked_at.append(job_id))
    ctl.cluster.touch_job(waiting[3])
    usage_tally.of(ctl.cluster)

    assert looked_at == [waiting[3].job_id]


def test_what_a_request_asks_for_at_least():
    ctl = controller()
    part = ctl.cluster.partitions["debug"]
    part.tres_billing_weights = "CPU=0.5,GRES/gpu=10"
    asked = JobRequest(min_nodes=2, num_tasks=6, cpus_per_task=2, mem_per_cpu=100, gres="gpu:1")
    amounts = {"cpu": 12, "mem": 1200, "node": 2, "gres/gpu": 2, "billing": 26}

    assert usage_tally.wanted(ctl.cluster, part, asked) == amounts
