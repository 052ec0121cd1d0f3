"""A limit of an association or a QOS that a job would break, in words with its figures, and the way to change it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from slimsched.controller.accounts.usage_limits import ENDLESS
from slimsched.slurm.limits import LIMITS
from slimsched.text import times

if TYPE_CHECKING:
    from slimsched.controller.accounts.limit_levels import Breach

_MINUTES = {each.name for each in LIMITS if each.kind == "minutes"} | {"GrpWall"}
_AT_LEAST = ("Min", "UsageThreshold")
_MEMBERS = {"PerUser": "user {0.level.user}", "PerAccount": "account {0.level.account}"}


_RECORDS = {
    "qos": ("QOS {0}", "qos where name={0}"),
    "account": ("account {0}", "account where name={0}"),
    "user": ("the association of user {1} in account {0}", "user where name={1} account={0}"),
    "partition": (
        "the association of user {1} in account {0}, partition {2}",
        "user where name={1} account={0} partition={2}",
    ),
}
"""The kinds of records that have limits: what a record is called, and the words of ``sacctmgr modify`` for it."""


def _words(breach: Breach) -> tuple[str, str]:
    """Return what the record of the limit is called, and the words of ``sacctmgr modify`` for it."""
    kind, *names = breach.level.key.split(" ")
    called, named = _RECORDS["qos" if kind == "qos" else ("account", "user", "partition")[len(names) - 1]]
    return called.format(*names), named.format(*names)


def owner(breach: Breach) -> str:
    """Return whose limit it is: ``QOS high``, ``the association of user ann in account lab``, ``account lab``."""
    return _words(breach)[0]


def told(breach: Breach) -> str:
    """Return the limit, what is used of it, and what the job asks: ``QOS high: MaxJobsPerUser=2; used 2, asked 1``."""
    name = _setting(breach, _amount(breach, breach.most))
    if breach.limit == "UsageThreshold":
        return f"{owner(breach)}: {name}; the fair-share factor is {breach.used:.4f}"
    asked = f"this job asks for {_amount(breach, breach.asked)}"
    if breach.limit.startswith(_AT_LEAST) or not _shared(breach):
        return f"{owner(breach)}: {name}; {asked}"
    who = next((f" by {text.format(breach)}" for end, text in _MEMBERS.items() if breach.limit.endswith(end)), "")
    return f"{owner(breach)}: {name}; {_amount(breach, breach.used)} in use{who}" + f", {asked}" * bool(breach.asked)


def command(breach: Breach) -> str:
    """Return the ``sacctmgr`` line that changes the limit so that the job passes, "" if no limit would do."""
    if breach.limit == "UsageThreshold":
        value = f"{math.floor(breach.used * 1e4) / 1e4:g}"
    elif breach.limit.startswith(_AT_LEAST):
        value = str(int(breach.asked))
    elif breach.asked >= ENDLESS:
        value = "-1"
    else:
        value = str(math.ceil(breach.used + breach.asked) + (breach.asked == 0))
    return f"sim sacctmgr -i modify {_words(breach)[1]} set {_setting(breach, value)}"


def reset(breach: Breach) -> str:
    """Return the ``sacctmgr`` line that forgets what was used so far."""
    return f"sim sacctmgr -i modify {_words(breach)[1]} set RawUsage=0"


def _setting(breach: Breach, value: str) -> str:
    """Return the limit with a value as ``sacctmgr`` takes it: ``MaxJobs=2``, ``GrpTRES=cpu=8``."""
    return f"{breach.limit}={breach.resource}={value}" if breach.resource else f"{breach.limit}={value}"


def _shared(breach: Breach) -> bool:
    """Whether what others use counts."""
    return not breach.limit.endswith(("PerJob", "PerNode"))


def _amount(breach: Breach, value: float) -> str:
    """Return an amount as Slurm writes it: times for minutes, MB with an M."""
    if value >= ENDLESS:
        return "UNLIMITED"
    if breach.limit in _MINUTES:
        return times.limit(math.ceil(value))
    if breach.limit == "UsageThreshold":
        return f"{value:g}"
    shown = str(math.ceil(value))
    return f"{shown}M" if breach.resource == "mem" else shown
