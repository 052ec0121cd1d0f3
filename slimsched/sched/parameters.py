"""``SchedulerParameters``: what schedulers read from it, with Slurm's defaults.

Beside Slurm's own there are two of ours: ``bf_extra_constraints`` (plans know of ``--extra``) and ``bf_exact`` (plans
to the second: no rounding to ``bf_resolution``, and every end of a running job counts by itself).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slimsched.model.config import Config

DEFAULTS = {
    "bf_interval": 30,  # seconds
    "bf_job_part_count_reserve": 0,  # 0: every job that is tested gets a reservation
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
    "partition_job_depth": 0,
    "sched_interval": 60,  # seconds
    "sched_max_job_start": 0,
}
"""Names and defaults; where Slurm's own default is no limit, it is 0."""


class Parameters:
    """The parameters of one configuration: numbers by name, and whether a name is given."""

    __slots__ = ("given", "numbers")

    def __init__(self, given: dict[str, str]) -> None:
        """Read them all; a value that is no number counts as the default, as in Slurm."""
        self.given = given
        self.numbers = {name: _number(given.get(name, ""), default) for name, default in DEFAULTS.items()}

    def __contains__(self, name: str) -> bool:
        """Whether a parameter is given, with or without a value."""
        return name in self.given

    def number(self, name: str) -> int:
        """Return the value of a parameter."""
        return self.numbers[name]


def _number(text: str, default: int) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else default


def preempts(config: Config) -> bool:
    """Whether running jobs may have to go for others (``PreemptType``)."""
    return config.get("PreemptType", "preempt/none") != "preempt/none"


def of(config: Config) -> Parameters:
    """Return the parameters of a configuration."""
    return _read(config.get("SchedulerParameters"))


@lru_cache(maxsize=16)
def _read(text: str) -> Parameters:
    pairs = (item.strip().partition("=") for item in text.split(","))
    return Parameters({name: value for name, _, value in pairs if name})
