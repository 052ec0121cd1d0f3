"""Limits of associations and QOS: the kind of each, how it is handed down, and its reason word.

Source: Slurm's "Job Reason Codes" page.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from slimsched.slurm.reasons import QOS_NOT_ALLOWED, Reason

STEMS = {"cpu": "Cpu", "mem": "Mem", "node": "Node", "energy": "Energy", "billing": "Billing"}
FAMILIES = {"gres": "GRES", "license": "License", "bb": "BB"}
"""Resources by their names, and by what stands before the slash."""


class Limit(NamedTuple):
    """One limit: its name, the kind of its value, and its reason word.

    ``kind``: "tres" (an amount of each resource), "count", "minutes" or "factor". ``word`` is a pattern: of the
    resource, else of the prefix ("QOS", "Assoc"); "" for a limit that nothing waits for. ``others``: words of
    resources that do not follow it. ``inherited``: an association that sets none takes it from those above it.
    ``scaled``: the ``LimitFactor`` of a job's QOS multiplies it. ``bare``: its word does not say that it is a QOS's.
    """

    name: str
    kind: str
    word: str = ""
    others: Mapping[str, str] = MappingProxyType({})
    inherited: bool = False
    scaled: bool = False
    bare: bool = False


LIMITS = (
    Limit(
        "GrpTRES", "tres", "Grp{}", {"Cpu": "GrpCpuLimit", "Node": "GrpNodeLimit", "Mem": "GrpMemLimit"}, scaled=True
    ),
    Limit("GrpTRESMins", "tres", "Grp{}Minutes", {"Cpu": "GrpCPUMinutesLimit"}),
    Limit("GrpTRESRunMins", "tres", "Grp{}RunMinutes", {"Cpu": "GrpCPURunMinutesLimit"}),
    Limit("GrpJobs", "count", "{}GrpJobsLimit"),
    Limit("GrpJobsAccrue", "count"),
    Limit("GrpSubmitJobs", "count", "{}GrpSubmitJobsLimit"),
    Limit("GrpWall", "minutes", "{}GrpWallLimit"),
    Limit(
        "MaxTRESPerJob",
        "tres",
        "Max{}PerJob",
        {"Cpu": "MaxCpuPerJobLimit", "Node": "MaxNodePerJobLimit"},
        inherited=True,
        scaled=True,
    ),
    Limit("MaxTRESPerNode", "tres", "Max{}PerNode", inherited=True, scaled=True),
    Limit("MaxTRESPerUser", "tres", "Max{}PerUser", {"Cpu": "MaxCpuPerUserLimit", "Node": "MaxNodePerUserLimit"}),
    Limit("MaxTRESPerAccount", "tres", "Max{}PerAccount", bare=True),
    Limit("MaxTRESMinsPerJob", "tres", "Max{}MinutesPerJob", {"Cpu": "MaxCpuMinutesPerJobLimit"}, inherited=True),
    Limit("MaxTRESRunMins", "tres"),
    Limit("MaxTRESRunMinsPerUser", "tres", "Max{}RunMinsPerUser", bare=True),
    Limit("MaxTRESRunMinsPerAccount", "tres", "Max{}RunMinsPerAccount", bare=True),
    Limit("MinTRESPerJob", "tres", "Min{}", {"Cpu": "MinCpuNotSatisfied"}),
    Limit("MaxJobs", "count", "AssocMaxJobsLimit", inherited=True),
    Limit("MaxJobsPerAccount", "count", "MaxJobsPerAccount"),
    Limit("MaxJobsPerUser", "count", "QOSMaxJobsPerUserLimit"),
    Limit("MaxJobsAccrue", "count"),
    Limit("MaxJobsAccruePerAccount", "count"),
    Limit("MaxJobsAccruePerUser", "count"),
    Limit("MaxSubmitJobs", "count", "AssocMaxSubmitJobLimit", inherited=True),
    Limit("MaxSubmitJobsPerAccount", "count", "MaxSubmitJobsPerAccount"),
    Limit("MaxSubmitJobsPerUser", "count", "QOSMaxSubmitJobPerUserLimit"),
    Limit("MaxWallDurationPerJob", "minutes", "{}MaxWallDurationPerJobLimit", inherited=True),
    Limit("MinPrioThreshold", "count"),
    Limit("UsageThreshold", "factor", "QOSUsageThreshold"),
)
BY_NAME = {limit.name: limit for limit in LIMITS}
OVER_TIME = ("Minutes", "MinutesLimit", "GrpWallLimit", "QOSUsageThreshold")
"""Ends of the words of limits that pass with time, as usage fades."""


def word(prefix: str, limit: str, resource: str = "") -> Reason:
    """Return the reason word of a limit (``prefix``: "QOS" or "Assoc") that a job, or its ``resource``, breaks."""
    row = BY_NAME[limit]
    if row.kind != "tres":
        return Reason(row.word.format(prefix))
    stem = STEMS.get(resource) or FAMILIES.get(resource.partition("/")[0], "Unknown")
    text = row.others.get(stem) or row.word.format("Memory" if stem == "Mem" and prefix == "QOS" else stem)
    return Reason(text if row.bare else prefix + text)


def is_limit(reason: str) -> bool:
    """Whether a reason word tells of a limit of an association or a QOS."""
    if reason == QOS_NOT_ALLOWED:
        return False
    return reason.startswith(("Assoc", "QOS")) or (
        reason.startswith("Max") and reason.endswith(("PerAccount", "PerUser"))
    )


def passes_with_time(reason: str) -> bool:
    """Whether a limit may let a job through later although nothing ends, because usage fades."""
    return is_limit(reason) and reason.endswith(OVER_TIME)
