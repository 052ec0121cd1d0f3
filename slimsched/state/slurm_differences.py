"""The keys of a ``slurm.conf`` that the toolkit keeps but does not act on, although a real cluster would.

Source: slurm.conf(5), gres.conf(5).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

_NOT_CALLED = "it is not called: what it would change or refuse stays"
_NOT_RUN = "it is not run"

_REASONS: dict[str, str] = {
    "BurstBufferType": "there are no burst buffers",
    "CliFilterPlugins": _NOT_CALLED,
    "CompleteWait": "jobs do not wait for others that are completing",
    "Cores (gres.conf)": "the cores of a job need not be near its GPUs",
    "CpuSpecList": "these CPUs are not kept from jobs; CoreSpecCount does that",
    "ExclusiveTopo": "jobs may share a block of the topology",
    "HealthCheckProgram": "it is not run, so it drains no node",
    "InactiveLimit": "no job ends because its command does nothing",
    "JobSubmitPlugins": _NOT_CALLED,
    "MaxStepCount": "the steps of a job are not limited",
    "MCSPlugin": "users may share nodes whatever their label",
    "NodeFeaturesPlugins": "no node reboots to get a feature",
    "PrEpPlugins": _NOT_CALLED,
    "PrioritySiteFactorPlugin": "the site factor is 0",
    "RestrictedCoresPerGPU": "no cores are kept for jobs with GPUs",
    "RebootProgram": "nodes do not reboot: scontrol reboot is refused",
    "ResumeFailProgram": _NOT_RUN,
    "ResvEpilog": _NOT_RUN,
    "ResvProlog": _NOT_RUN,
}

_NODE = """
BcastAddr CpuBind CpuSpecList GresConf InstanceId InstanceType Parameters RestrictedCoresPerGPU SocketsPerBoard
TRESWeights
"""
_PARTITION = """
AllocNodes CpuBind DefaultQOS ExclusiveTopo MaxShare Priority Topology
"""

LINE_KEYS: dict[str, frozenset[str]] = {
    "nodename": frozenset(_NODE.lower().split()),
    "partitionname": frozenset(_PARTITION.lower().split()),
}
"""First key of a line -> the keys in it, in lower case, that are known and not used."""


_OFF = {"", "0", "-1", "none", "no", "infinite", "(null)"}


def reasons(unused: Iterable[str], values: Mapping[str, str]) -> dict[str, str]:
    """Return the keys by which the real cluster would behave differently, each with the reason.

    ``values``: those of keys that have a line of their own; one that turns the key off makes no difference.
    """
    return {
        key: _REASONS[key]
        for key in unused
        if key in _REASONS and values.get(key, "on").lower().rpartition("/")[2] not in _OFF
    }


def elsewhere(key: str) -> str:
    """Return where a key of another file belongs, as the end of an error's line."""
    of_database = key.lower().startswith(("archive", "dbd", "purge", "storage"))
    return "; it belongs to slurmdbd.conf, which is not read here" if of_database else ""


def guess(key: str, known: Iterable[str]) -> str:
    """Return the known key that is most like an unknown one, as the end of an error's line."""
    names = {name.lower(): name for name in known}
    likely = get_close_matches(key.lower(), sorted(names), 1)
    return f"; did you mean {names[likely[0]]}?" if likely else ""
