"""Limits of associations and QOS: one row each, with all its names and all places where Slurm shows it.

Source: sacctmgr(1); Slurm's "Job Reason Codes" page; Slurm's data_parser v0.0.46.
"""

from __future__ import annotations

from typing import NamedTuple

from slimsched.slurm.reasons import QOS_NOT_ALLOWED, Reason

ASSOC, QOS = "assoc", "qos"
"""The owner of a limit."""


class Limit(NamedTuple):
    """A limit, or an older name for the part of one that limits a single resource (``kind``: cpu, mem or node).

    ``name``: its name in the records; ``where``: what has it; ``kind``: count, minutes, tres, float or that resource.
    ``spelled``: its names as an option, each with the fewest letters that are enough (``MaxJobs:4 MaxJobsPU:4``).
    ``width``, ``heading``, ``columns``: its column of ``sacctmgr show`` (no width: none), with the header and names if
    they are not those of the option. ``reason``: the word of a job that it holds, a pattern of QOS or Assoc and the
    resource. ``json``: its place, that of a QOS behind it if it is another. ``label``: its name in what
    ``sacctmgr add`` says, if it is another. ``same``: the limit of an association that this one of a QOS covers, and
    whose column it shares.
    """

    name: str
    where: str
    kind: str
    spelled: str
    width: str = ""
    heading: str = ""
    reason: str = ""
    json: str = ""
    columns: str = ""
    label: str = ""
    same: str = ""

    @property
    def resource(self) -> str:
        """The one resource that it limits, "" for a limit as a whole."""
        return self.kind if self.kind in STEMS else ""

    @property
    def header(self) -> str:
        """The header of its column."""
        return self.heading or self.spelled.partition(":")[0]

    @property
    def shown_as(self) -> str:
        """The value that its column shows."""
        return f"{self.same or self.name} {self.resource}".rstrip()

    def names(self) -> list[tuple[str, int]]:
        """Return its names as an option, with the fewest letters that are enough for each."""
        pairs = (text.split(":") for text in self.spelled.split(" "))
        return [(name, int(least)) for name, least in pairs]

    def place(self, where: str) -> str:
        """Return its place in JSON, "" if there is none."""
        places = self.json.split(" ")
        return places[0] if where == ASSOC else places[-1] and f"limits/{places[-1]}"


STEMS = {"cpu": "Cpu", "mem": "Mem", "node": "Node", "energy": "Energy", "billing": "Billing"}
FAMILIES = {"gres": "GRES", "license": "License", "bb": "BB"}
"""Resources by their names, and by what stands before the slash."""

# name|where|kind|spelled|width|heading|reason|json|columns|label|same
_ROWS = """\
GrpJobs|assoc+qos|count|GrpJobs:4|7||{0}GrpJobsLimit|max/jobs/per/count max/active_jobs/count
GrpJobsAccrue|assoc+qos|count|GrpJobsAccrue:8|13|||max/jobs/per/accruing max/active_jobs/accruing
GrpSubmitJobs|assoc+qos|count|GrpSubmitJobs:4|9|GrpSubmit|{0}GrpSubmitJobsLimit|max/jobs/per/submitted max/jobs/count
GrpTRES|assoc+qos|cpu|GrpCPUs:7|8||{0}GrpCpuLimit||GrpCPUs:6
GrpTRES|assoc+qos|mem|GrpMemory:4|7|GrpMem|{0}GrpMemLimit
GrpTRES|assoc+qos|node|GrpNodes:4|8||{0}GrpNodeLimit
GrpTRES|assoc+qos|tres|GrpTRES:7|13||{0}Grp{1}|max/tres/total
GrpTRESMins|assoc+qos|cpu|GrpCPUMins:7|11||{0}GrpCPUMinutesLimit
GrpTRESMins|assoc+qos|tres|GrpTRESMins:8|13||{0}Grp{1}Minutes|max/tres/group/minutes max/tres/minutes/total
GrpTRESRunMins|assoc+qos|cpu|GrpCPURunMins:7|13||{0}GrpCPURunMinutesLimit
GrpTRESRunMins|assoc+qos|tres|GrpTRESRunMins:8|13||{0}Grp{1}RunMinutes|max/tres/group/active max/tres/minutes/per/qos
GrpWall|assoc+qos|minutes|GrpWall:4|11||{0}GrpWallLimit|max/per/account/wall_clock max/wall_clock/per/qos
MaxJobs|assoc|count|MaxJobs:4|7||AssocMaxJobsLimit|max/jobs/active
MaxJobsAccrue|assoc|count|MaxJobsAccrue:8|13|||max/jobs/accruing|MaxJobsAccrue:4|MaxJobsPrioAcc
MaxSubmitJobs|assoc|count|MaxSubmitJobs:4|9|MaxSubmit|AssocMaxSubmitJobLimit|max/jobs/total
MaxJobsAccruePerAccount|qos|count|MaxJobsAccruePerAccount:17 MaxJobsAccruePA:15|15|MaxJobsAccruePA|
  |max/accruing/per/account|MaxJobsAccruePerAccount:17 MaxJobsAccruePerAcct:17 MaxJobsAccruePA:15
MaxJobsAccruePerUser|qos|count|MaxJobsAccruePerUser:17 MaxJobsAccruePU:15|15|MaxJobsAccruePU||max/accruing/per/user
MaxJobsPerAccount|qos|count|MaxJobsPerAccount:11 MaxJobsPA:9|9|MaxJobsPA|MaxJobsPerAccount
  |max/jobs/active_jobs/per/account|MaxJobsPerAccount:11 MaxJobsPerAcct:11 MaxJobsPA:9
MaxJobsPerUser|qos|count|MaxJobsPerUser:4 MaxJobsPU:4|9|MaxJobsPU|QOSMaxJobsPerUserLimit
  |max/jobs/active_jobs/per/user|MaxJobsPerUser:8 MaxJobsPU:8||MaxJobs
MaxSubmitJobsPerAccount|qos|count|MaxSubmitJobsPerAccount:17 MaxSubmitJobsPA:15|11|MaxSubmitPA
  |MaxSubmitJobsPerAccount|max/jobs/per/account
  |MaxSubmitJobsPerAccount:17 MaxSubmitJobsPerAcct:17 MaxSubmitJobsPA:15 MaxSubmitPA:11
MaxSubmitJobsPerUser|qos|count|MaxSubmitJobsPerUser:4 MaxSubmitJobsPU:4|11|MaxSubmitPU
  |QOSMaxSubmitJobPerUserLimit|max/jobs/per/user|MaxSubmitJobsPerUser:10 MaxSubmitJobsPU:10 MaxSubmitPU:6|
  |MaxSubmitJobs
MaxTRESPerAccount|qos|tres|MaxTRESPerAccount:11 MaxTRESPerAcct:11 MaxTRESPA:9|13|MaxTRESPA|Max{1}PerAccount
  |max/tres/per/account
MaxTRESPerJob|assoc+qos|cpu|MaxCPUsPerJob:7|8|MaxCPUs|{0}MaxCpuPerJobLimit||MaxCPUsPerJob:6
MaxTRESPerJob|assoc+qos|node|MaxNodesPerJob:4|8|MaxNodes|{0}MaxNodePerJobLimit
MaxTRESPerJob|assoc+qos|tres|MaxTRESPerJob:7 MaxTRESPJ:9|13|MaxTRES|{0}Max{1}PerJob|max/tres/per/job
  |MaxTRES:7 MaxTRESPerJob:11 MaxTRESPJ:9
MaxTRESPerNode|assoc+qos|tres|MaxTRESPerNode:11 MaxTRESPN:9|14||{0}Max{1}PerNode|max/tres/per/node
MaxTRESPerUser|qos|cpu|MaxCPUsPerUser:11 MaxCPUsPU:9|9|MaxCPUsPU|{0}MaxCpuPerUserLimit
MaxTRESPerUser|qos|node|MaxNodesPerUser:8 MaxNodesPU:8|10|MaxNodesPU|{0}MaxNodePerUserLimit|
  |MaxNodesPerUser:12 MaxNodesPU:10
MaxTRESPerUser|qos|tres|MaxTRESPerUser:11 MaxTRESPU:9|13|MaxTRESPU|{0}Max{1}PerUser|max/tres/per/user
MinPrioThreshold|assoc+qos|count|MinPrioThres:4|12|||min/priority_threshold|MinPrioThreshold:4|MinPrioThresh
MinTRESPerJob|qos|cpu|MinCPUsPerJob:7|8|MinCPUs|{0}MinCpuNotSatisfied
MinTRESPerJob|qos|tres|MinTRESPerJob:7|13|MinTRES|{0}Min{1}|min/tres/per/job
MaxTRESMinsPerJob|assoc+qos|cpu|MaxCPUMinsPerJob:7|11|MaxCPUMins|{0}MaxCpuMinutesPerJobLimit
MaxTRESMinsPerJob|assoc+qos|tres|MaxTRESMinsPerJob:8 MaxTRESMinsPJ:13|13|MaxTRESMins|{0}Max{1}MinutesPerJob
  |max/tres/minutes/per/job||MaxTRESMins
MaxTRESRunMins|assoc|cpu|MaxCPURunMins:7
MaxTRESRunMins|assoc|tres|MaxTRESRunMins:8||||max/tres/minutes/total||MaxTRESRUNMins
MaxTRESRunMinsPerAccount|qos|tres|MaxTRESRunMinsPA:16 MaxTRESRunMinsPerAccount:18 MaxTRESRunMinsPerAcct:18|15
  |MaxTRESRunMinsPA|Max{1}RunMinsPerAccount|max/tres/minutes/per/account
  |MaxTRESRunMinsPerAccount:18 MaxTRESRunMinsPerAcct:18 MaxTRESRunMinsPA:15|MaxTRESRUNMinsPerAccount
MaxTRESRunMinsPerUser|qos|tres|MaxTRESRunMinsPU:8 MaxTRESRunMinsPerUser:8|15|MaxTRESRunMinsPU|Max{1}RunMinsPerUser
  |max/tres/minutes/per/user||MaxTRESRUNMinsPerUser
MaxWallDurationPerJob|assoc+qos|minutes|MaxWallDurationPerJob:4|11|MaxWall|{0}MaxWallDurationPerJobLimit
  |max/jobs/per/wall_clock max/wall_clock/per/job||MaxWall
UsageThreshold|qos|float|UsageThreshold:6|10|UsageThres|QOSUsageThreshold"""
LIMITS = tuple(Limit(*row.split("|")) for row in _ROWS.replace("\n  ", "").split("\n"))
"""Limits in the order in which ``sacctmgr`` reports the settings of a QOS."""

HANDED_DOWN = tuple(
    dict.fromkeys(e.name for e in LIMITS if ASSOC in e.where and e.name.startswith("M") and not e.resource)
)
"""Limits that an association takes from those above it if it sets none."""
_WHILE_IT_WAITS = ("SubmitJobs", "JobsAccrue", "MinPrioThreshold")
AT_START = frozenset(e.name for e in LIMITS if not any(part in e.name for part in _WHILE_IT_WAITS))
"""Limits that may keep a job from starting; the others concern its submission and its time in the queue."""
OVER_TIME = ("Minutes", "MinutesLimit", "GrpWallLimit", "QOSUsageThreshold")
"""Ends of the words of limits that pass with time, because usage decays."""
_WORDS = {(each.name, each.resource): each.reason for each in LIMITS}


def word(prefix: str, limit: str, resource: str = "") -> Reason:
    """Return the reason word of a limit (``prefix``: "QOS" or "Assoc") that a job, or its ``resource``, breaks."""
    stem = STEMS.get(resource) or FAMILIES.get(resource.partition("/")[0], "Unknown")
    pattern = _WORDS.get((limit, resource)) or _WORDS[limit, ""]
    return Reason(pattern.format(prefix, "Memory" if stem == "Mem" and prefix == "QOS" else stem))


def reason_words() -> list[Reason]:
    """Return the words of all limits, of each resource."""
    resources = ["", *STEMS, *(f"{family}/" for family in FAMILIES), "unknown"]
    return [
        word("QOS" if owner == QOS else "Assoc", limit.name, resource)
        for limit in LIMITS
        if limit.reason
        for owner in limit.where.split("+")
        for resource in (resources if limit.kind == "tres" else [limit.resource])
        if resource or "{1}" not in limit.reason
    ]


def is_limit(reason: str) -> bool:
    """Whether a reason word tells of a limit of an association or a QOS."""
    if reason == QOS_NOT_ALLOWED:
        return False
    return reason.startswith(("Assoc", "QOS")) or (
        reason.startswith("Max") and reason.endswith(("PerAccount", "PerUser"))
    )


def passes_with_time(reason: str) -> bool:
    """Whether a limit may let a job start later although nothing ends, because usage decays."""
    return is_limit(reason) and reason.endswith(OVER_TIME)
