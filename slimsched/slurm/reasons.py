"""The reasons of jobs that wait or have ended: a row for each word, with all that commands and protocols make of it.

Records hold the word. To add a reason, write its constant and its row, and set it where it arises. The words of limits
of associations and QOS are patterns (`slurm.limits`).
Source: Slurm's "Job Reason Codes" page; ``enum job_state_reason`` of slurm.h for the numbers.
"""

from __future__ import annotations

from typing import NewType

from slimsched.slurm.errno import Errno, ErrorCode
from slimsched.slurm.rows import Row

Reason = NewType("Reason", str)
"""The word of a reason, as ``squeue`` shows it."""

NONE = Reason("None")
PRIORITY = Reason("Priority")
DEPENDENCY = Reason("Dependency")
RESOURCES = Reason("Resources")
PARTITION_NODES = Reason("PartitionNodeLimit")
PARTITION_TIME = Reason("PartitionTimeLimit")
PARTITION_DOWN = Reason("PartitionDown")
PARTITION_INACTIVE = Reason("PartitionInactive")
HELD_ADMIN = Reason("JobHeldAdmin")
BEGIN_TIME = Reason("BeginTime")
LICENSES = Reason("Licenses")  # or consumable complex attributes
RESERVATION = Reason("Reservation")
NOT_AVAILABLE = Reason("ReqNodeNotAvail")
HELD_USER = Reason("JobHeldUser")
BAD_CONSTRAINTS = Reason("BadConstraints")
SYSTEM_FAILURE = Reason("SystemFailure")  # a plugin failed
CONSTRAINTS = Reason("Constraints")
ARRAY_LIMIT = Reason("JobArrayTaskLimit")
NEVER_SATISFIED = Reason("DependencyNeverSatisfied")
PARTITION_CONFIG = Reason("PartitionConfig")
MEMORY_LIMIT = Reason("MaxMemPerLimit")
ACCOUNT_NOT_ALLOWED = Reason("AccountNotAllowed")
QOS_NOT_ALLOWED = Reason("QOSNotAllowed")
RESERVATION_DELETED = Reason("ReservationDeleted")
EXIT_CODE = Reason("NonZeroExitCode")
RAISED_SIGNAL = "RaisedSignal:{}({})"  # a text in place of that word: number and name of a signal
LAUNCH_HELD = "launch failed requeued held"  # likewise, after a prolog that failed
TIME_LIMIT = Reason("TimeLimit")
NODE_DOWN = Reason("NodeDown")
DEADLINE = Reason("DeadLine")
OUT_OF_MEMORY = Reason("OutOfMemory")
BOOT_FAIL = Reason("BootFail")


class ReasonRow(Row):
    """One reason.

    ``number``: Slurm's, which Wiki tells; None where Wiki's version has none, and tells `RESOURCES`. ``partition``: a
    partition's state or limit gives it, and it goes when the next partition lets the job through. ``passes``: it goes
    as soon as its cause is over. ``held``: somebody has to release the job. ``accounted``: a job may have it when it is
    submitted, so that accounting hears of it. ``told``: the error that a command which waits for an
    allocation tells.
    """

    word: Reason
    number: int | None = None
    partition: bool = False
    passes: bool = False
    held: bool = False
    accounted: bool = False
    told: ErrorCode | None = None


NODE_CONFIG, PART_CONFIG = Errno.REQUESTED_NODE_CONFIG_UNAVAILABLE, Errno.REQUESTED_PART_CONFIG_UNAVAILABLE

ROWS = (
    ReasonRow(NONE, 0),
    ReasonRow(PRIORITY, 1),
    ReasonRow(DEPENDENCY, 2, accounted=True),
    ReasonRow(RESOURCES, 3),
    ReasonRow(PARTITION_NODES, 4, partition=True, told=PART_CONFIG),
    ReasonRow(PARTITION_TIME, 5, partition=True),
    ReasonRow(PARTITION_DOWN, 6, partition=True),
    ReasonRow(PARTITION_INACTIVE, 7, partition=True),
    ReasonRow(HELD_ADMIN, 8, held=True, accounted=True),
    ReasonRow(BEGIN_TIME, 9, passes=True, accounted=True),
    ReasonRow(LICENSES, 10),
    ReasonRow(RESERVATION, 14, passes=True),
    ReasonRow(NOT_AVAILABLE, 15),
    ReasonRow(HELD_USER, 16, held=True, accounted=True),
    ReasonRow(BAD_CONSTRAINTS, told=NODE_CONFIG),
    ReasonRow(SYSTEM_FAILURE),
    ReasonRow(CONSTRAINTS, told=NODE_CONFIG),
    ReasonRow(ARRAY_LIMIT, passes=True),
    ReasonRow(NEVER_SATISFIED, accounted=True),
    ReasonRow(PARTITION_CONFIG, partition=True, told=PART_CONFIG),
    ReasonRow(MEMORY_LIMIT, partition=True),
    ReasonRow(ACCOUNT_NOT_ALLOWED, partition=True),
    ReasonRow(QOS_NOT_ALLOWED, partition=True),
    ReasonRow(RESERVATION_DELETED),
    *(ReasonRow(word) for word in (EXIT_CODE, TIME_LIMIT, NODE_DOWN, DEADLINE, OUT_OF_MEMORY, BOOT_FAIL)),
)
BY_WORD: dict[str, ReasonRow] = {row.word: row for row in ROWS}
OTHER = ReasonRow(Reason(""))


def row(word: str) -> ReasonRow:
    """Return the row of a reason; a limit's word, which is a pattern, has a row of defaults."""
    return BY_WORD.get(word, OTHER)


def number(word: str) -> int:
    """Return the number of a reason in the Wiki protocol."""
    found = row(word).number
    return number(RESOURCES) if found is None else found


NEVER_GIVEN = (
    *("Prolog", "AssociationJobLimit", "AssociationResourceLimit", "AssociationTimeLimit", "FrontEndDown", "Cleaning"),
    *("SchedDefer", "JobLaunchFailure", "RaisedSignal", "InactiveLimit", "InvalidAccount", "InvalidQOS"),
    *("QOSJobLimit", "QOSResourceLimit", "QOSTimeLimit", "JobHoldMaxRequeue", "BurstBufferResources"),
    *("BurstBufferStageIn", "BurstBufferOperation", "PowerNotAvail", "PowerReserved", "AccountingPolicy"),
    *("FedJobLock", "ReservationInvalid"),
)
"""Further words that Slurm knows; limits apart. Source: src/common/job_state_reason.c."""

# texts that replace a word

RESERVED = f"{NOT_AVAILABLE}, May be reserved for other job"
MAINTENANCE = f"{NOT_AVAILABLE}, Reserved for maintenance"
TOO_FEW = "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions"


def unavailable(nodes: str) -> str:
    """Return the text that names the nodes which are down."""
    return f"{NOT_AVAILABLE}, UnavailableNodes:{nodes}"
