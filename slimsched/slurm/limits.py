"""Limits of associations and QOS: the reason word of each, a pattern where it counts a resource.

Source: Slurm's "Job Reason Codes" page.
"""

from __future__ import annotations

from slimsched.slurm.reasons import QOS_NOT_ALLOWED, Reason

STEMS = {"cpu": "Cpu", "mem": "Mem", "node": "Node", "energy": "Energy", "billing": "Billing"}
FAMILIES = {"gres": "GRES", "license": "License", "bb": "BB"}
"""Resources by their names, and by what stands before the slash."""

KINDS: dict[str, tuple[str, dict[str, str]]] = {
    "GrpTRES": ("Grp{}", {"Cpu": "GrpCpuLimit", "Node": "GrpNodeLimit", "Mem": "GrpMemLimit"}),
    "GrpTRESMins": ("Grp{}Minutes", {"Cpu": "GrpCPUMinutesLimit"}),
    "GrpTRESRunMins": ("Grp{}RunMinutes", {"Cpu": "GrpCPURunMinutesLimit"}),
    "MaxTRESPerJob": ("Max{}PerJob", {"Cpu": "MaxCpuPerJobLimit", "Node": "MaxNodePerJobLimit"}),
    "MaxTRESMinsPerJob": ("Max{}MinutesPerJob", {"Cpu": "MaxCpuMinutesPerJobLimit"}),
    "MaxTRESPerNode": ("Max{}PerNode", {}),
    "MaxTRESPerUser": ("Max{}PerUser", {"Cpu": "MaxCpuPerUserLimit", "Node": "MaxNodePerUserLimit"}),
    "MaxTRESPerAccount": ("Max{}PerAccount", {}),
    "MaxTRESRunMinsPerUser": ("Max{}RunMinsPerUser", {}),
    "MaxTRESRunMinsPerAccount": ("Max{}RunMinsPerAccount", {}),
    "MinTRESPerJob": ("Min{}", {"Cpu": "MinCpuNotSatisfied"}),
}
"""Limit -> the pattern of its words, and the words that do not follow it."""

PLAIN = {
    "GrpJobs": "{}GrpJobsLimit",
    "GrpSubmitJobs": "{}GrpSubmitJobsLimit",
    "GrpWall": "{}GrpWallLimit",
    "MaxJobs": "AssocMaxJobsLimit",
    "MaxJobsPerAccount": "MaxJobsPerAccount",
    "MaxJobsPerUser": "QOSMaxJobsPerUserLimit",
    "MaxSubmitJobs": "AssocMaxSubmitJobLimit",
    "MaxSubmitJobsPerAccount": "MaxSubmitJobsPerAccount",
    "MaxSubmitJobsPerUser": "QOSMaxSubmitJobPerUserLimit",
    "MaxWallDurationPerJob": "{}MaxWallDurationPerJobLimit",
    "UsageThreshold": "QOSUsageThreshold",
}
"""Limit that is of no resource -> its word."""

BARE = frozenset({"MaxTRESPerAccount", "MaxTRESRunMinsPerUser", "MaxTRESRunMinsPerAccount"})
"""Limits whose words do not say that they are a QOS's."""
OVER_TIME = ("Minutes", "MinutesLimit", "GrpWallLimit", "QOSUsageThreshold")
"""Ends of the words of limits that pass with time, as usage fades."""


def word(prefix: str, limit: str, resource: str = "") -> Reason:
    """Return the reason word of a limit (``prefix``: "QOS" or "Assoc") that a job, or its ``resource``, breaks."""
    if limit in PLAIN:
        return Reason(PLAIN[limit].format(prefix))
    pattern, others = KINDS[limit]
    stem = STEMS.get(resource) or FAMILIES.get(resource.partition("/")[0], "Unknown")
    text = others.get(stem)
    if text is None:
        text = pattern.format("Memory" if stem == "Mem" and prefix == "QOS" else stem)
    return Reason(text if limit in BARE else prefix + text)


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
