"""Priorities that are kept within a period are those that a new plugin would work out."""

from __future__ import annotations

import random

import pytest
import world

from slimsched.controller.core import Controller
from slimsched.controller.requests.users import User
from slimsched.controller.submit.submission import submit
from slimsched.model.account import Book
from slimsched.model.request import JobRequest
from slimsched.priority.multifactor import Multifactor

WEIGHTS = {
    "PriorityType": "priority/multifactor",
    "AccountingStorageType": "accounting_storage/slurmdbd",
    "PriorityCalcPeriod": "5",
    "PriorityWeightAge": "10000",
    "PriorityMaxAge": "1-0",
    "PriorityWeightFairshare": "100000",
    "PriorityWeightJobSize": "1000",
    "PriorityWeightPartition": "2000",
    "PriorityWeightQOS": "5000",
    "PriorityWeightTRES": "CPU=1000,Mem=500",
}


def change(ctl: Controller, rng: random.Random) -> None:
    """Change something that factors rest on."""
    book = Book(ctl.cluster)
    match rng.randrange(4):
        case 0:
            book.put("qos high", {"ID": "2", "Priority": str(rng.randrange(1, 100))})
        case 1:
            part = ctl.cluster.partitions["batch"]
            part.priority_job_factor = rng.randrange(1, 50)
            ctl.cluster.add_partition(part)
        case 2 if waiting := [job for job in ctl.cluster.jobs.values() if job.pending]:
            job = rng.choice(waiting)
            job.request.nice = rng.randrange(100)
            ctl.cluster.touch_job(job)
        case 3 if book.defined:
            book.put("assoc root u1", {"ParentName": "root", "Fairshare": str(rng.randrange(1, 9))})


@pytest.mark.parametrize("seed", range(6))
def test_they_are_those_of_a_new_plugin(seed):
    rng = random.Random(seed)
    ctl = world.uniform(nodes=6, **WEIGHTS)
    compared = 0
    for _ in range(40):
        user = User(1000 + (number := rng.randrange(4)), f"u{number}", 100, "users")
        fields = {"partition": rng.choice(("debug", "batch")), "qos": rng.choice(("", "high"))}
        if fields["qos"] and "qos high" not in ctl.cluster.accounting:
            fields["qos"] = ""
        submit(ctl, JobRequest(num_tasks=rng.randint(1, 24), sim_runtime=rng.randint(60, 4000), **fields), user)
        if rng.random() < 0.4:
            change(ctl, rng)
        world.later(ctl, rng.choice((0, 1, 40, 300, 1000)))
        ctl.cluster.pass_due = True
        ctl.settle()
        ctl.priority.recalculate([job for job in ctl.cluster.jobs.values() if job.pending])
        new = Multifactor(ctl.cluster)
        for job in ctl.cluster.jobs.values():
            if job.pending:
                compared += 1
                assert abs(job.priority - new.set(0, job)) <= 1  # sums of usage in another order

    assert compared > 100
