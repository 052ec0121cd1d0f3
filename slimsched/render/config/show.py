"""The configuration as ``scontrol show config`` prints it: Slurm's keys with the cluster's values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model.request import INFINITE
from slimsched.render.config.keys import KEYS
from slimsched.render.units import job_defaults, stamp

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import Config

WIDTH = 23  # of a key
NUMBERED = "[]"
"""The end of a key that has a line for each of its values."""


def lines(cluster: Cluster) -> list[str]:
    """Return the heading, a line for each key, and the word of the controller."""
    slurm = cluster.config.slurm
    given = {key.casefold(): value for key, value in slurm.items()}
    derived = _derived(cluster)
    found = [f"Configuration data as of {stamp(cluster.now, cluster.now)}"]
    for line in KEYS.strip().split("\n"):
        key, _, default = line.partition(" = ")
        if key.endswith(NUMBERED):
            found += _numbered(key.removesuffix(NUMBERED), given, default)
            continue
        shown = "DefMemPerCPU" if key == "DefMemPerNode" and "defmempercpu" in given else key
        value = given.get(shown.casefold())
        text = derived.get(shown) or (default if value is None else _with_unit(value, default))
        found.append(f"{shown:<{WIDTH}} = {text}")
    return [*found, "", *pings(cluster.config)]


def pings(config: Config) -> list[str]:
    """Return the word of each controller, the primary one first."""
    hosts = config.controllers
    ranks = ["primary", *(f"backup{number if len(hosts) > 2 else ''}" for number in range(1, len(hosts)))]
    return [f"Slurmctld({rank}) at {host} is UP" for rank, host in zip(ranks, hosts, strict=True)]


def _numbered(key: str, given: dict[str, str], default: str) -> list[str]:
    """Return a line for each of the values of a key, none without a value."""
    values = filter(None, given.get(key.casefold(), default).split(","))
    return [f"{f'{key}[{number}]':<{WIDTH}} = {value}" for number, value in enumerate(values)]


def _derived(cluster: Cluster) -> dict[str, str]:
    """Return the values that are no keys of the configuration."""
    return {
        "BOOT_TIME": stamp(cluster.boot_time, cluster.now),
        "NEXT_JOB_ID": str(cluster.next_job_id),
        "SLURM_VERSION": cluster.config.version.release,
        "ClusterName": cluster.config.get("ClusterName"),
        "JobDefaults": job_defaults(cluster.config),
        "SelectTypeParameters": cluster.config.get("SelectTypeParameters").upper(),
    }


def _with_unit(value: str, default: str) -> str:
    """Return a value with the unit that the default has."""
    _, blank, unit = default.partition(" ")
    if value == str(INFINITE):
        return "UNLIMITED"
    return f"{value} {unit}" if blank and value.isdigit() and unit[:1].islower() else value or "(null)"
