"""The lists of ``--helpformat``, ``--helpFormat`` and ``--helpstate``, in Slurm's order.

The names are those that Slurm lists; it takes some more (``gres``). The letters are found by the names.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slimsched.render.columns import Table

WIDTH = 20  # of a name

JOBS = """
Account AccrueTime admin_comment AllocNodes AllocSID ArrayJobId ArrayTaskId AssocId BatchFlag BatchHost BoardsPerNode
BurstBuffer BurstBufferState Cluster ClusterFeature Command Comment Container ContainerId Contiguous Cores CoreSpec
CPUsPerTask cpus-per-task cpus-per-tres CronJob Deadline DelayBoot Dependency DerivedEC EligibleTime EndTime ExcNodes
Exclusive exit_code Feature GroupId GroupName HetJobId HetJobIdSet HetJobOffset JobArrayId JobId LastSchedEval Licenses
LicensesAlloc MaxCPUs MaxNodes mem-per-tres MCSLabel MinCPUs MinMemory MinTime MinTmpDisk Name Network Nice NodeList
NTPerCore NTPerNode NTPerSocket NTPerBoard NumCPUs NumNodes NumTasks Origin OriginRaw OverSubscribe Partition
PendingTime PreemptTime Prefer Priority PriorityLong Profile QOS Reason ReasonList Reboot ReqNodes ReqSwitch Requeue
Reservation ResizeTime RestartCnt Runtime SchedNodes SCT SegmentSize SiblingsActive SiblingsActiveRaw SiblingsViable
SiblingsViableRaw SLUID Sockets SPerBoard StartTime State StateCompact StdErr StdIn StdOut SubmitTime system_comment
Threads TimeLeft TimeLimit TimeUsed tres-alloc tres-bind tres-freq tres-per-job tres-per-socket tres-per-task UserId
UserName Wait4Switch WCKey WorkDir
"""
"""The names of ``squeue -O``."""

STEPS = """
ArrayJobId ArrayTaskId Cluster Container ContainerId CPUFreq cpus-per-tres JobId mem-per-tres Network Nodes NumCPUs
NumTasks Partition ResvPorts StartTime StepId StepName StepState TimeLimit TimeUsed tres-bind tres-freq tres-per-job
tres-per-socket tres-per-step tres-per-task UserId UserName
"""
"""The same of ``squeue -s``, whose letters are listed apart."""

NODES = """
AllocMem AllocNodes Available Cluster Comment Cores CPUs CPUsLoad CPUsState DefaultTime Disk Extra Features
features_act FreeMem Gres GresUsed Groups MaxCPUsPerNode Memory NodeAddr NodeAI NodeAIOT NodeHost NodeList Nodes
OverSubscribe Partition PartitionName Port PreemptMode PriorityJobFactor PriorityTier Reason Reservation Root Size
Sockets SocketCoreThread StateCompact StateComplete StateLong Threads Time TimeStamp User UserLong Version Weight
"""
"""The same of ``sinfo -O``."""

LETTERS = {"STEPS": "AijlMNPSuU"}
"""Letters that are listed in an order of their own."""

ALIKE = {"GresUsed": "G"}
"""Names without a letter for which Slurm lists one that stands for another name."""


def text(option: str, kind: str, table: Table, states: Iterable[str]) -> str:
    """Return the letters of the short format, the names of the long one (of a ``kind``), or the words for states."""
    if option == "helpstate":
        return "\n".join(states)
    names = {"JOBS": JOBS, "STEPS": STEPS, "NODES": NODES}[kind].split()
    if option == "helpFormat":
        return in_columns(names, WIDTH, 4)
    letters = LETTERS.get(kind) or [_letter(table, name) for name in names]
    return in_columns((f"%{letter}" for letter in letters if letter), 6, 8)


def _letter(table: Table, name: str) -> str:
    field = table.by_name(name)
    return ALIKE.get(name) or (field.letter if field else "")


def in_columns(words: Iterable[str], width: int, count: int) -> str:
    """Return words in columns of ``width`` characters, ``count`` to the line."""
    listed = [word.ljust(width) for word in words]
    return "\n".join("".join(listed[i : i + count]) for i in range(0, len(listed), count))
