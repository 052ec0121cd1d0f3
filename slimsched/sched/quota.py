"""How many jobs a backfill cycle looks at: the ``bf_max_job_*`` parameters."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.sched.api import Entry
    from slimsched.sched.parameters import Parameters


KEYS: dict[str, Callable[[Entry], object]] = {
    "bf_max_job_user": lambda entry: entry.job.user_id,
    "bf_max_job_part": lambda entry: entry.partition.partition_name,
    "bf_max_job_user_part": lambda entry: (entry.job.user_id, entry.partition.partition_name),
    "bf_max_job_assoc": lambda entry: (entry.job.user_id, entry.job.request.account),
}
"""Parameter -> what jobs that share one allowance have in common."""


class Quota:
    """Counts the jobs of one cycle, each task of an array by itself."""

    def __init__(self, parameters: Parameters) -> None:
        self._most = parameters.number("bf_max_job_test")
        self._most_starts = parameters.number("bf_max_job_start")
        limits = [(parameters.number(name), key) for name, key in KEYS.items()]
        self._limits = [(most, key) for most, key in limits if most]
        self._seen: Counter[tuple[int, object]] = Counter()
        self.tested = 0  # jobs whose place and time was looked for
        self.started = 0

    @property
    def used_up(self) -> bool:
        """Whether the cycle has looked at as many jobs, or started as many, as it may."""
        return self.tested >= self._most or self.enough_started

    @property
    def enough_started(self) -> bool:
        """Whether the cycle has started as many jobs as it may."""
        return 0 < self._most_starts <= self.started

    def take(self, entry: Entry) -> bool:
        """Count a job; False if its user, partition or association has had its share."""
        if not self._limits:
            return True
        keys = [(i, key(entry)) for i, (_, key) in enumerate(self._limits)]
        if any(self._seen[k] >= self._limits[k[0]][0] for k in keys):
            return False
        self._seen.update(keys)
        return True
