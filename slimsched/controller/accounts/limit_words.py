"""The reason words of limits on resources: a pattern for each kind of limit, with what Slurm words otherwise.

Source: Slurm's "Job Reason Codes" page.
"""

from __future__ import annotations

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

BARE = frozenset({"MaxTRESPerAccount", "MaxTRESRunMinsPerUser", "MaxTRESRunMinsPerAccount"})
"""Limits whose words do not say that they are a QOS's."""
OVER_TIME = ("Minutes", "MinutesLimit", "GrpWallLimit", "QOSUsageThreshold")
"""Ends of the words of limits that pass with time, as usage fades."""


def word(prefix: str, limit: str, resource: str) -> str:
    """Return the reason word of a limit (``prefix``: "QOS" or "Assoc") that a resource breaks."""
    pattern, others = KINDS[limit]
    stem = STEMS.get(resource) or FAMILIES.get(resource.partition("/")[0], "Unknown")
    text = others.get(stem)
    if text is None:
        text = pattern.format("Memory" if stem == "Mem" and prefix == "QOS" else stem)
    return text if limit in BARE else prefix + text


def is_limit(reason: str) -> bool:
    """Whether a reason word tells of a limit of an association or a QOS."""
    if reason == "QOSNotAllowed":
        return False
    return reason.startswith(("Assoc", "QOS")) or (
        reason.startswith("Max") and reason.endswith(("PerAccount", "PerUser"))
    )


def passes_with_time(reason: str) -> bool:
    """Whether a limit may let a job through later although nothing ends, because usage fades."""
    return is_limit(reason) and reason.endswith(OVER_TIME)
