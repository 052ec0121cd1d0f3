"""Why a pending job waits: the reason word, and the text that replaces it where Slurm has one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.job import Job

NONE = "None"
PRIORITY = "Priority"
RESOURCES = "Resources"
CONSTRAINTS = "Constraints"
BAD_CONSTRAINTS = "BadConstraints"
BEGIN_TIME = "BeginTime"
RESERVATION = "Reservation"
ARRAY_LIMIT = "JobArrayTaskLimit"
NOT_AVAILABLE = "ReqNodeNotAvail"
LICENSES = "Licenses"
SYSTEM_FAILURE = "SystemFailure"  # a plugin failed

PARTITION = frozenset(
    {
        "PartitionDown",
        "PartitionInactive",
        "PartitionTimeLimit",
        "PartitionNodeLimit",
        "PartitionConfig",
        "MaxMemPerLimit",
        "AccountNotAllowed",
        "QOSNotAllowed",
    }
)
"""Reasons that a partition's state or limits give; they pass when the next partition lets the job through."""

RESERVED = f"{NOT_AVAILABLE}, May be reserved for other job"
MAINTENANCE = f"{NOT_AVAILABLE}, Reserved for maintenance"
TOO_FEW = "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions"


def unavailable(nodes: str) -> str:
    """Return the text that names the nodes which are down."""
    return f"{NOT_AVAILABLE}, UnavailableNodes:{nodes}"


def put(ctl: Controller, job: Job, reason: str, text: str = "") -> None:
    """Set why a job waits; nothing is written if that is known already."""
    if job.reason != reason or job.state_desc != text:
        job.reason, job.state_desc = reason, text
        ctl.cluster.touch_job(job)


def put_behind(ctl: Controller, job: Job) -> None:
    """Note that a job waits for one of higher priority; a reason of its own stays."""
    if job.reason in {NONE, RESOURCES}:
        put(ctl, job, PRIORITY)
