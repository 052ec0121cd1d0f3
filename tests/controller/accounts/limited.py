"""A cluster with an account and two users, on which limits are set: what the tests of limits share."""

from __future__ import annotations

from slimsched.controller.accounts import add, modify
from slimsched.controller.accounts.options import TABLES
from slimsched.controller.accounts.where import Request
from slimsched.controller.core import Controller
from slimsched.controller.requests.users import User
from slimsched.controller.submit import submission
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config, NodeConf, PartitionConf
from slimsched.model.request import JobRequest
from slimsched.slurm.words import find

BOB, EVE = User(1001, "bob", 1001, "bob"), User(1002, "eve", 1002, "eve")


def controller(enforce="limits,qos", part_qos="N/A", slurm=None, gres="", **where) -> Controller:
    """Return a cluster with the account lab of bob and eve, and the QOS normal and high."""
    config = Config(
        slurm={"AccountingStorageEnforce": enforce, "SelectTypeParameters": "CR_CPU_Memory", **(slurm or {})},
        nodes=[NodeConf(node_name="n[1-8]", cpus=4, real_memory=1000, gres=gres)],
        partitions=[PartitionConf(partition_name="debug", nodes="n[1-8]", default=True, qos=part_qos)],
    )
    ctl = Controller(Cluster(config, now=1_000_000))
    change(ctl, add.add, "qos", "high,part")
    change(ctl, add.add, "account", "lab")
    change(ctl, add.add, "user", "bob,eve", account="lab")
    for place, settings in where.items():
        kind, _, name = place.partition("_")
        change(ctl, modify.modify, kind, name, **settings)
    ctl.cluster.pass_due = False
    return ctl


def change(ctl, verb, kind, names, account="", **settings):
    request = Request(kind, {"names": names.split(",")})
    if account:
        request.where["accounts"] = [account]
    for name, value in settings.items():
        option = find(TABLES[kind], name)
        assert option is not None
        request.settings.append((option, "=", value))
    return verb(ctl, request)


def sbatch(ctl, user=BOB, **asked):
    values = {"num_tasks": 1, "min_nodes": 1, "sim_runtime": 60, "mem_per_cpu": 10, "time_limit": 10, **asked}
    return submission.submit(ctl, JobRequest(**values), user)


def reasons_of(ctl, *wishes):
    """Submit jobs and return what keeps each from running, "" for one that runs."""
    jobs = [sbatch(ctl, **wish) for wish in wishes]
    return ["" if job.active else job.reason for job in jobs]
