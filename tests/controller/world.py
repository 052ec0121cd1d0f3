"""A controller in memory over the cluster of the records, with a few words for what tests say often."""

from __future__ import annotations

from typing import Any

import scene

from slimsched.controller.core import Controller
from slimsched.controller.submit import submit
from slimsched.controller.users import User
from slimsched.model.cluster import Cluster
from slimsched.model.job import Job
from slimsched.model.request import JobRequest

NOW = 1767225600  # 2026-01-01T00:00:00
ROOT = User(0, "root", 0, "root")


def controller(**slurm: str) -> Controller:
    """Return a controller of eight nodes with four CPUs each; ``slurm`` are further keys of slurm.conf."""
    config = scene.config()
    config.slurm.update(slurm)
    return Controller(Cluster(config, NOW))


def job(ctl: Controller, user: User = ROOT, runtime: int | None = 300, **fields: Any) -> Job:
    """Submit a job that sleeps ``runtime`` seconds, end the command as the boundary does, and return its record."""
    made = submit(ctl, JobRequest(sim_runtime=runtime, **{"name": "wrap", **fields}), user).job
    ctl.settle()
    return ctl.cluster.jobs[made.job_id]


def fill(ctl: Controller) -> Job:
    """Submit a job that takes every node."""
    return job(ctl, name="all", min_nodes=8, max_nodes=8, exclusive="NODE")


def later(ctl: Controller, seconds: int) -> None:
    """Let time pass."""
    from slimsched.controller import events

    events.advance(ctl, ctl.cluster.now + seconds)


def states(ctl: Controller) -> dict[str, tuple[str, str]]:
    """Return label -> (state, reason) of all jobs."""
    from slimsched.controller.arrays import label

    return {label(j): (j.state, j.reason) for j in ctl.cluster.jobs.values()}


def said(failures: list[Any]) -> list[str]:
    """Return the lines of some failures."""
    return [str(failure) for failure in failures]
