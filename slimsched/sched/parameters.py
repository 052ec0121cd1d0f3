"""``SchedulerParameters``: the numbers that schedulers read from it, with Slurm's defaults."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slimsched.model.config import Config

DEFAULTS = {
    "bf_interval": 30,  # seconds
    "bf_job_part_count_reserve": 0,  # 0: every job that is tested gets a reservation
    "bf_max_job_array_resv": 20,
    "bf_max_job_part": 0,
    "bf_max_job_start": 0,
    "bf_max_job_test": 500,
    "bf_max_job_user": 0,
    "bf_max_job_user_part": 0,
    "bf_min_age_reserve": 0,  # seconds
    "bf_min_prio_reserve": 0,
    "bf_node_space_size": 0,  # 0: as large as it gets
    "bf_resolution": 60,  # seconds
    "bf_window": 1440,  # minutes
    "default_queue_depth": 100,
    "sched_interval": 60,  # seconds
    "sched_max_job_start": 0,
}
"""Names and defaults; where Slurm's own default is no limit, it is 0."""


class Parameters:
    """The parameters of one configuration."""

    def __init__(self, config: Config) -> None:
        """Read them all; a value that is no number counts as the default, as in Slurm."""
        self._given = config.scheduler_parameters()

    def __contains__(self, name: str) -> bool:
        """Whether a parameter is given, with or without a value."""
        return name in self._given

    def number(self, name: str) -> int:
        """Return the value of a parameter."""
        text = self._given.get(name, "")
        return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else DEFAULTS[name]
