"""The configuration as ``scontrol show config`` prints it: Slurm's keys with the cluster's values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model import resources
from slimsched.render.config.forms import written
from slimsched.render.config.keys import KEYS
from slimsched.render.units import stamp
from slimsched.slurm import conf
from slimsched.text import hostlist

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slimsched.model.cluster import Cluster
    from slimsched.model.config import Config

WIDTH = 23  # of a key
NUMBERED = "[]"
"""The end of a key that has a line for each of its values."""
UNSHOWN = frozenset(
    (
        *("FairShareDampeningFactor", "PriorityDecayHalfLife", "PriorityCalcPeriod", "PriorityFavorSmall"),
        *("PriorityFlags", "PriorityMaxAge", "PriorityUsageResetPeriod", "PriorityWeightAge", "PriorityWeightAssoc"),
        *("PriorityWeightFairShare", "PriorityWeightJobSize", "PriorityWeightPartition", "PriorityWeightQOS"),
        "PriorityWeightTRES",
    )
)
"""Keys that have no line where priorities are not reckoned (priority/basic)."""


def lines(cluster: Cluster) -> list[str]:
    """Return the heading, a line for each key, and the word of the controllers."""
    unshown = UNSHOWN if cluster.config.get("PriorityType") == "priority/basic" else ()
    found = [f"{key:<{WIDTH}} = {value}" for key, value in pairs(cluster) if key not in unshown]
    return [f"Configuration data as of {stamp(cluster.now, cluster.now)}", *found, "", *pings(cluster.config)]


def pairs(cluster: Cluster) -> Iterator[tuple[str, str]]:
    """Yield all keys, with their values as Slurm writes them."""
    config = cluster.config
    given = {key.casefold(): value for key, value in config.slurm.items()}
    derived = _derived(cluster)
    for line in KEYS.strip().split("\n"):
        entry, equals, shown = line.partition(" =")
        key, _, unit = entry.rstrip("]").partition(" [")
        if line.endswith(NUMBERED):
            key = line.removesuffix(NUMBERED)
            values = filter(None, given.get(key.casefold(), conf.DEFAULTS.get(key, "")).split(","))
            yield from ((f"{key}[{number}]", value) for number, value in enumerate(values))
            continue
        if key.endswith("PerNode") and f"{key[:-4]}cpu".casefold() in given:
            key = f"{key[:-4]}CPU"
        value = given.get(key.casefold(), None if equals else conf.DEFAULTS[key])
        if value is None:
            text = derived.get(key, shown.strip())
        else:
            text = _with_unit(written(config, key, value), unit or shown.strip().partition(" ")[2])
        if text:
            yield key, text


def pings(config: Config) -> list[str]:
    """Return the word of each controller, the primary one first."""
    hosts = config.controllers
    ranks = ["primary", *(f"backup{number if len(hosts) > 2 else ''}" for number in range(1, len(hosts)))]
    return [f"Slurmctld({rank}) at {host} is UP" for rank, host in zip(ranks, hosts, strict=True)]


def _derived(cluster: Cluster) -> dict[str, str]:
    """Return the values that follow from others, or are no keys of the configuration."""
    config = cluster.config
    hosts = {host for node in config.nodes for host in hostlist.expand(node.node_hostname or node.node_name)}
    messages = 2 * config.number("MaxJobCount") + 4 * len(cluster.nodes)
    return {
        "AccountingStorageTRES": ",".join(resources.BUILTIN),
        "BOOT_TIME": stamp(cluster.boot_time, cluster.now),
        "CredType": f"cred/{config.get('AuthType').rpartition('/')[2] or 'munge'}",
        "MaxDBDMsgs": str(max(10_000, messages)) if config.accounting_storage == "slurmdbd" else "0",
        "MaxNodeCount": str(len(cluster.nodes)),
        "MULTIPLE_SLURMD": "yes" if len(hosts) < len(cluster.nodes) else "",
        "NEXT_JOB_ID": str(cluster.next_job_id),
        "SLURM_CONF": config.source or "(null)",
        "SLURM_VERSION": config.version.release,
    }


def _with_unit(value: str, unit: str) -> str:
    """Return a number with its unit."""
    return f"{value} {unit}" if unit and value.isdigit() else value
