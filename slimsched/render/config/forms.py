"""How ``scontrol show config`` writes the values of single keys, which are kept as ``slurm.conf`` has them.

Source: ``slurm_ctl_conf_2_key_pairs`` of src/api/config_info.c and the functions that it calls.
"""

from __future__ import annotations

import pwd
from typing import TYPE_CHECKING

from slimsched.model.request import INFINITE
from slimsched.render.units import job_defaults
from slimsched.slurm import conf, kinds, logs
from slimsched.text import times

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from slimsched.model.config import Config

    Form = Callable[[Config, str], str]

FLAGS = ("AllowSpecResourcesUsage", "DisableRootJobs", "PriorityFavorSmall", "TrackWCKey", "UsePam")
NO_NORMAL = ("NO_NORMAL_ASSOC", "NO_NORMAL_PART", "NO_NORMAL_QOS", "NO_NORMAL_TRES")


def _words(*order: str, implied: Mapping[str, tuple[str, ...]] | None = None) -> Form:
    """Return what writes words in Slurm's order and spelling; ``implied``: more words that a word stands for."""
    more = {word.lower(): words for word, words in (implied or {}).items()}

    def write(config: Config, value: str) -> str:
        given = [word.strip().lower() for word in value.split(",")]
        found = {*given, *(each.lower() for word in given for each in more.get(word, ()))}
        return ",".join(word for word in order if word.lower() in found)

    return write


def _span(key: str, endless: str) -> Form:
    """Return what writes the time of a key as a clock does, and ``endless`` for one without end."""

    def write(config: Config, value: str) -> str:
        seconds = config.seconds(key)
        return endless if seconds == INFINITE else times.elapsed(seconds, full=True)

    return write


def _minutes(config: Config, value: str) -> str:
    return "UNLIMITED" if value.upper() in {"UNLIMITED", "INFINITE"} else value


def _suspend_time(config: Config, value: str) -> str:
    return "INFINITE" if value.upper() in {"-1", "INFINITE"} else value


def _suspend_timeout(config: Config, value: str) -> str:
    return "NONE" if value == "0" else value


def _memory(config: Config, value: str) -> str:
    return "UNLIMITED" if value == "0" or value == str(INFINITE) else value


def _user(config: Config, value: str) -> str:
    """Write a user with its id, if this machine knows it."""
    try:
        known = pwd.getpwuid(int(value)) if value.isdigit() else pwd.getpwnam(value)
    except (KeyError, ValueError):
        return value
    return f"{known.pw_name}({known.pw_uid})"


def _level(config: Config, value: str) -> str:
    return logs.LEVELS[int(value)] if value.isdigit() and int(value) < len(logs.LEVELS) else value.lower()


def _tres(config: Config, value: str) -> str:
    """Write the resources that are always counted, then the others."""
    always = ["cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages"]
    return ",".join(dict.fromkeys([*always, *value.lower().split(",")]))


def _enforced(config: Config, value: str) -> str:
    return ",".join(sorted(conf.enforced(value))) or "none"


def _private(config: Config, value: str) -> str:
    words = "accounts", "cloud", "events", "jobs", "nodes", "partitions", "reservations", "usage", "users"
    return _words(*words)(config, value) or "none"


def _flag(config: Config, value: str) -> str:
    return "yes" if kinds.boolean(value) else "no"


def _plugin(config: Config, value: str) -> str:
    return "" if value == "none" else value


def _upper(config: Config, value: str) -> str:
    return value.upper()


FORMS: dict[str, Form] = {
    "AccountingStorageEnforce": _enforced,
    "AccountingStorageTRES": _tres,
    "AccountingStoreFlags": _words("job_comment", "job_env", "job_extra", "job_script", "no_stdio"),
    **dict.fromkeys(
        ("AllowSpecResourcesUsage", "DisableRootJobs", "PriorityFavorSmall", "TrackWCKey", "UsePam"), _flag
    ),
    "DebugFlags": _words(*logs.DEBUG_FLAGS),
    "EnforcePartLimits": lambda config, value: conf.PART_LIMITS.get(value.upper(), "NO"),
    "HealthCheckNodeState": _words("CYCLE", "ANY", "IDLE", "ALLOC", "MIXED", "NONDRAINED_IDLE", "START_ONLY"),
    "JobDefaults": lambda config, value: job_defaults(config),
    "MpiDefault": _plugin,
    "OverTimeLimit": _minutes,
    "PreemptExemptTime": _span("PreemptExemptTime", "NONE"),
    "PreemptMode": _words("OFF", "GANG", "WITHIN", "PRIORITY", "CANCEL", "REQUEUE", "SUSPEND"),
    **{key: _span(key, "UNLIMITED") for key in ("PriorityCalcPeriod", "PriorityDecayHalfLife", "PriorityMaxAge")},
    "PriorityFlags": _words(
        *("ACCRUE_ALWAYS", "SMALL_RELATIVE_TO_TIME", "CALCULATE_RUNNING", "DEPTH_OBLIVIOUS", "NO_FAIR_TREE"),
        *("INCR_ONLY", "MAX_TRES", "MAX_TRES_GRES", *NO_NORMAL),
        implied={"NO_NORMAL_ALL": NO_NORMAL},
    ),
    "PriorityUsageResetPeriod": _upper,
    "PrivateData": _private,
    "PrologFlags": _words(
        *("Alloc", "Contain", "DeferBatch", "ForceRequeueOnFail", "NoHold", "RunInJob", "Serial", "X11"),
        implied={
            **dict.fromkeys(("Contain", "DeferBatch", "ForceRequeueOnFail"), ("Alloc",)),
            **dict.fromkeys(("RunInJob", "X11"), ("Alloc", "Contain")),
        },
    ),
    "ReconfigFlags": _words("KeepNodeStateFuture", "KeepPartInfo", "KeepPartState", "KeepPowerSaveSettings"),
    "ResvOverRun": _minutes,
    "SelectTypeParameters": _upper,
    **dict.fromkeys(("DefMemPerCPU", "DefMemPerNode", "MaxMemPerCPU", "MaxMemPerNode"), _memory),
    **dict.fromkeys(("SlurmUser", "SlurmdUser"), _user),
    **dict.fromkeys(("SlurmctldDebug", "SlurmctldSyslogDebug", "SlurmdDebug", "SlurmdSyslogDebug"), _level),
    "SuspendTime": _suspend_time,
    "SuspendTimeout": _suspend_timeout,
}
"""Key -> how its value is written; all others are written as they are."""


def written(config: Config, key: str, value: str) -> str:
    """Return a value as Slurm prints it, "(null)" for none and for a plugin that is called none."""
    form = FORMS.get(key)
    text = form(config, value) if form is not None else value
    return "(null)" if not text or text.endswith("/none") else text


def preempt_mode(config: Config, own: str) -> str:
    """Return the mode of preemption of a partition: its ``own``, or the cluster's."""
    return written(config, "PreemptMode", own or config.get("PreemptMode"))
