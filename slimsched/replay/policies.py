"""Policies by name: which scheduler plugin with which parameters, and how exact its clock is.

Slurm's limits are whole minutes. Under the textbook policies a second of the trace therefore lasts a minute of the
cluster's clock, so that a limit of any number of seconds can be kept; `Policy.second` says so. Slurm's own backfill
runs in real seconds, with limits rounded up to minutes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.model.config import Config

MINUTE = 60
"""Seconds; Slurm's limits are minutes."""

_EXACT = "bf_exact,bf_interval=1,bf_window=100000000,bf_max_job_test=1000000,default_queue_depth=1000000"


class Policy(NamedTuple):
    """A way to schedule. ``second``: how many seconds of the cluster's clock a second of the trace lasts."""

    name: str
    settings: dict[str, str]
    second: int = 1


POLICIES = {
    policy.name: policy
    for policy in (
        Policy("fcfs", {"SchedulerType": "sched/builtin", "SchedulerParameters": _EXACT}, MINUTE),
        Policy(
            "easy",
            {"SchedulerType": "sched/backfill", "SchedulerParameters": f"{_EXACT},bf_job_part_count_reserve=1"},
            MINUTE,
        ),
        Policy("conservative", {"SchedulerType": "sched/backfill", "SchedulerParameters": _EXACT}, MINUTE),
        Policy("slurm-backfill", {"SchedulerType": "sched/backfill", "SchedulerParameters": ""}),
    )
}
"""Name -> policy: strict order, EASY backfilling (one promise), a promise for every job, and Slurm's defaults."""


def find(text: str) -> Policy:
    """Return a policy by its name, or ``NAME=...,...``: Slurm's backfill under a name of its own, with changes.

    The changes are ``SchedulerParameters`` (``bf_interval=60``), and keys of slurm.conf (``SchedulerType=...``).
    """
    name, equals, rest = text.partition("=")
    if not equals:
        if name not in POLICIES:
            raise UserError(f"no policy {name!r}; there are {', '.join(POLICIES)}, and NAME=PARAMETER,...")
        return POLICIES[name]
    if not name or name in POLICIES or not name.isprintable() or "/" in name:
        raise UserError(f"--policy {text}: {name!r} cannot be the name of a policy of your own")
    from slimsched.state import slurm_keys

    settings = dict(POLICIES["slurm-backfill"].settings)
    parameters = []
    for word in filter(None, rest.split(",")):
        key, given, value = word.partition("=")
        known = slurm_keys.KNOWN.get(key.strip().lower())
        if known and given:
            settings[known] = value
        else:
            parameters.append(word)
    settings["SchedulerParameters"] = ",".join(filter(None, (settings["SchedulerParameters"], *parameters)))
    return Policy(name, settings)


def apply(policy: Policy, config: Config) -> None:
    """Let a cluster schedule by a policy. Raises `UserError` for what cannot be."""
    from slimsched.state import default

    default.adjust(config, [f"{key}={value}" for key, value in policy.settings.items()], {})
