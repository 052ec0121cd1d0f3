from __future__ import annotations

import pytest
import world

HOUR = 3600


def weighted(**slurm):
    return world.uniform(PriorityType="priority/multifactor", **slurm)


def test_age_grows_to_its_maximum():
    ctl = weighted(PriorityWeightAge="1000", PriorityMaxAge="10:00:00")
    world.whole(ctl, 4, 120, sim_exit=0)
    job = world.whole(ctl, 4, 120)
    seen = []
    for _ in range(2):
        seen.append(job.priority)
        world.later(ctl, HOUR)
        ctl.cluster.pass_due = True
        ctl.settle()
    ctl.priority.cluster.now += 100 * HOUR
    job.accrue_time = job.eligible_time = world.START
    ctl.priority.recalculate([job])

    assert seen == [1, 100]
    assert job.priority in (1000, 200)


@pytest.mark.parametrize(("favor", "sizes"), [("NO", [250, 500, 1000]), ("YES", [750, 500, 0])])
def test_job_size(favor, sizes):
    ctl = weighted(PriorityWeightJobSize="1000", PriorityFavorSmall=favor)
    part = ctl.cluster.partitions["debug"]
    jobs = [world.submit(ctl, min_nodes=n, num_tasks=4 * n, hold=True) for n in (1, 2, 4)]

    assert [round(ctl.priority.factors(job, part)["JOBSIZE"]) for job in jobs] == sizes


def test_partition_factor_nice_and_explicit_priority():
    ctl = weighted(PriorityWeightPartition="1000")
    ctl.cluster.partitions["batch"].priority_job_factor = 10
    world.whole(ctl, 4)
    jobs = [
        world.whole(ctl, 1, 10, **more)
        for more in ({}, {"partition": "batch"}, {"partition": "batch", "nice": 300}, {"priority": 5})
    ]

    assert [job.priority for job in jobs] == [100, 1000, 700, 5]


def test_order_follows_the_priority():
    ctl = weighted(PriorityWeightJobSize="1000")
    world.whole(ctl, 4, 30)
    small, large = world.whole(ctl, 1, 120), world.whole(ctl, 4, 30)
    world.later(ctl, 30 * 60)

    assert world.shown(large, small) == ["RUNNING n[1-4]", "PENDING Resources"]


@pytest.mark.parametrize(("storage", "age"), [("slurmdbd", 1000), ("accounting_storage/none", 0)])
def test_age_and_fair_share_need_slurmdbd(storage, age):
    ctl = weighted(AccountingStorageType=storage, PriorityWeightAge="1000", PriorityWeightFairshare="500")

    assert ctl.priority.weights["AGE"] == age
    assert ctl.priority.weights["FAIRSHARE"] == age / 2


def test_a_job_of_whole_nodes_counts_with_all_their_cpus_from_the_next_turn_on():
    ctl = weighted(PriorityWeightJobSize="1000", PriorityCalcPeriod="1:00")
    part = ctl.cluster.partitions["debug"]
    job = world.submit(ctl, min_nodes=2, num_tasks=2, exclusive="NODE", hold=True)
    sizes = []
    for seconds in (0, 59, 1):
        ctl.cluster.now += seconds
        sizes.append(ctl.priority.factors(job, part)["JOBSIZE"])

    alone = 2 / sum(node.cpus for node in ctl.cluster.nodes)
    assert sizes == [1000 * (0.5 + alone) / 2] * 2 + [500]
