"""Keys of ``slurm.conf`` that the toolkit uses, with their defaults, and the parameters of ``SchedulerParameters``.

Source: slurm.conf(5) of 26.11.
"""

from __future__ import annotations

from functools import lru_cache

NO_PREEMPTION = "preempt/none"

DEFAULTS: dict[str, str] = {
    "AccountingStorageType": "accounting_storage/slurmdbd",
    "ClusterName": "cluster",
    "EnforcePartLimits": "NO",
    "FairShareDampeningFactor": "1",
    "FirstJobId": "1",
    "JobRequeue": "1",
    "KillWait": "30",
    "MaxArraySize": "1001",
    "MaxJobCount": "10000",
    "MessageTimeout": "10",
    "MinJobAge": "300",
    "OverTimeLimit": "0",
    "PreemptExemptTime": "0",
    "PreemptMode": "OFF",
    "PreemptType": NO_PREEMPTION,
    "PriorityCalcPeriod": "5",
    "PriorityDecayHalfLife": "7-0",
    "PriorityMaxAge": "7-0",
    "PriorityType": "priority/basic",
    "PriorityUsageResetPeriod": "NONE",
    "ResumeRate": "300",
    "ResumeTimeout": "60",
    "ReturnToService": "0",
    "SchedulerParameters": "",
    "SchedulerTimeSlice": "30",
    "SchedulerType": "sched/backfill",
    "SelectType": "select/cons_tres",
    "SelectTypeParameters": "CR_CPU_Memory",
    "SlurmctldHost": "localhost",
    "SlurmdPort": "6818",
    "SuspendTime": "-1",
    "SuspendRate": "60",
    "SuspendTimeout": "30",
}
"""Key -> its default; the default of a key that is not listed is "" or 0."""

ENFORCED = {
    "associations": {"associations"},
    "limits": {"associations", "limits"},
    "qos": {"associations", "qos"},
    "safe": {"associations", "limits", "safe"},
    "wckeys": {"associations", "wckeys"},
    "nojobs": {"nojobs"},
    "nosteps": {"nojobs", "nosteps"},
    "all": {"associations", "limits", "qos", "safe", "wckeys"},
}
"""Words of ``AccountingStorageEnforce`` -> what they enforce."""

PART_LIMITS = {"ALL": "ALL", **dict.fromkeys(("ANY", "YES", "UP", "TRUE", "1"), "ANY")}
"""Values of ``EnforcePartLimits`` -> how many of its partitions must let a job in; all others enforce nothing.

Source: ``parse_part_enforce_type`` of src/common/slurm_protocol_defs.c.
"""

NUMBERS = {
    "batch_sched_delay": 3,  # seconds
    "bf_interval": 30,  # seconds
    "bf_job_part_count_reserve": 0,  # 0: every job that is tested gets a promise
    "bf_max_job_array_resv": 20,
    "bf_max_job_assoc": 0,
    "bf_max_job_part": 0,
    "bf_max_job_start": 0,
    "bf_max_job_test": 500,
    "bf_max_job_user": 0,
    "bf_max_job_user_part": 0,
    "bf_min_age_reserve": 0,  # seconds
    "bf_min_prio_reserve": 0,
    "bf_resolution": 60,  # seconds
    "bf_window": 1440,  # minutes
    "default_queue_depth": 100,
    "max_array_tasks": 0,
    "max_script_size": 4 << 20,  # bytes
    "max_switch_wait": 300,  # seconds
    "partition_job_depth": 0,
    "sched_interval": 60,  # seconds
    "sched_max_job_start": 0,
}
"""Parameters that are numbers, with their defaults; where Slurm's own default is no limit, it is 0."""
FLAGS = frozenset(
    {
        *("bf_exact", "bf_extra_constraints", "bf_one_resv_per_job", "defer", "disable_job_shrink"),
        *("extra_constraints", "ignore_constraint_validation", "ignore_prefer_validation", "kill_invalid_depend"),
        "permit_job_expansion",
        "sbatch_wait_nodes",
    }
)
"""Parameters that are given or not. Two are ours: ``bf_extra_constraints`` (plans know of ``--extra``) and ``bf_exact``
(plans to the second: no rounding to ``bf_resolution``, and every end of a running job counts by itself)."""


class Parameters:
    """``SchedulerParameters``: numbers by name, texts, and whether a name is given."""

    __slots__ = ("given", "numbers")

    def __init__(self, text: str) -> None:
        """Read all parameters; a value that is not a number counts as the default, as in Slurm."""
        pairs = (item.strip().partition("=") for item in text.split(","))
        self.given = {name: value for name, _, value in pairs if name}
        self.numbers = {name: _number(self.given.get(name, ""), default) for name, default in NUMBERS.items()}

    def __contains__(self, name: str) -> bool:
        """Whether a parameter is given, with or without a value."""
        return name in self.given

    def number(self, name: str) -> int:
        """Return the value of a parameter that is a number."""
        return self.numbers[name]

    def text(self, name: str) -> str:
        """Return the value of any parameter as it was written, "" for none."""
        return self.given.get(name, "")


def _number(text: str, default: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else default


@lru_cache(maxsize=16)
def enforced(text: str) -> frozenset[str]:
    """Return what a value of ``AccountingStorageEnforce`` enforces: associations, limits, qos, safe, ..."""
    return frozenset(what for word in text.lower().split(",") for what in ENFORCED.get(word.strip(), ()))


@lru_cache(maxsize=16)
def parameters(text: str) -> Parameters:
    """Return the parameters of a value of ``SchedulerParameters``."""
    return Parameters(text)
