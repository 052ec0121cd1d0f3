"""Quotas of jobs that are looked at, by the main pass and by a backfill cycle (the ``bf_max_job_*`` parameters)."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.sched.api import Entry
    from slimsched.slurm.conf import Parameters


KEYS: dict[str, Callable[[Entry], object]] = {
    "bf_max_job_user": lambda entry: entry.job.user_id,
    "bf_max_job_part": lambda entry: entry.partition.partition_name,
    "bf_max_job_user_part": lambda entry: (entry.job.user_id, entry.partition.partition_name),
    "bf_max_job_assoc": lambda entry: (entry.job.user_id, entry.job.request.account),
}
"""Parameter -> the common value of jobs that share one allowance."""


def reserves(parameters: Parameters, entry: Entry, now: int, least: int) -> bool:
    """Whether a job that waits for nodes may keep them from others: not if it is too young or too unimportant.

    ``least``: the priority that its QOS or association asks for, 0 for the cluster's (``bf_min_prio_reserve``).
    """
    numbers = parameters.numbers
    if entry.priority < (least or numbers["bf_min_prio_reserve"]):
        return False
    age = numbers["bf_min_age_reserve"]
    return not age or now - (entry.job.eligible_time or now) >= age


class Quota:
    """Counts the jobs of one cycle, each task of an array by itself."""

    def __init__(self, parameters: Parameters) -> None:
        numbers = parameters.numbers
        self.most = numbers["bf_max_job_test"]
        self._most_starts = numbers["bf_max_job_start"]
        self._shares: list[tuple[int, Callable[[Entry], object], Counter[object]]] = [
            (numbers[name], key, Counter()) for name, key in KEYS.items() if numbers[name]
        ]
        self.limited = bool(self._shares)  # whether users, partitions or associations have shares of their own
        self.tested = 0  # jobs that were planned
        self.started = 0

    @property
    def used_up(self) -> bool:
        """Whether the cycle has looked at as many jobs, or started as many, as it may."""
        return self.tested >= self.most or 0 < self._most_starts <= self.started

    @property
    def enough_started(self) -> bool:
        """Whether the cycle has started as many jobs as it may."""
        return 0 < self._most_starts <= self.started

    def leaves(self, entry: Entry) -> bool:
        """Whether the user, the partition and the association of a job have not used up their shares."""
        for most, key, seen in self._shares:  # not `all`: most jobs of a long queue are asked about
            if seen[key(entry)] >= most:
                break
        else:
            return True
        return False

    def take(self, entry: Entry) -> bool:
        """Count a job; False if a share of it is used up."""
        if not self._shares:
            return True
        left = self.leaves(entry)
        for _, key, seen in self._shares if left else ():
            seen[key(entry)] += 1
        return left


class Depth:
    """The greatest depth of the main pass."""

    def __init__(self, parameters: Parameters, *, bounded: bool) -> None:
        """``bounded``: somebody else looks at those that the pass does not reach."""
        numbers = parameters.numbers
        self._left = numbers["default_queue_depth"] if bounded else -1
        self._most_starts = numbers["sched_max_job_start"]
        self._most_of_partition = numbers["partition_job_depth"]
        self._seen: defaultdict[str, int] = defaultdict(int)
        self.used_up = self._left == 0  # whether the pass has tried as many jobs as it may
        self.by_partition = self._most_of_partition > 0  # whether it tries some jobs of each partition only
        self.started = 0

    def in_partition(self, name: str) -> bool:
        """Count a job of a partition; False if the pass has tried enough of its jobs (``partition_job_depth``)."""
        self._seen[name] += 1
        return self._seen[name] <= self._most_of_partition

    def take(self) -> bool:
        """Count an attempt; False if the pass ends before it."""
        if self.used_up or 0 < self._most_starts <= self.started:
            return False
        self._left -= 1
        self.used_up = self._left == 0
        return True
