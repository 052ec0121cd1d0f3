"""Usage of associations and QOS so far: seconds of CPUs, memory, ... of their jobs, fading as time passes.

As slurmctld does it: every ``PriorityCalcPeriod`` what was used before fades by ``PriorityDecayHalfLife``, and running
jobs are charged for the period; a job that ends is charged for the rest at once. Nothing has to happen at these
instants here: `charge` books what ends, and a `UsageLedger` works out what there is as of the last of them. Usage is
kept for users' associations and for QOS (``cluster.usage``); that of an account is the sum of what is below it.
Source: Slurm's "Multifactor Priority Plugin" page.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from slimsched.model.account import NORMAL, ROOT, Book, has_flag, key
from slimsched.priority import tres
from slimsched.slurm import states
from slimsched.text import zone
from slimsched.text.zone import DAY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job

Amounts = dict[str, float]
"""Seconds by resource (``cpu``, ``mem`` in MB, ``node``, ``gres/...``, ``billing``), and of time itself (``wall``)."""

Booking = tuple[tuple[int, int, str, str, str], list[str], Amounts]
"""The run of a job (start, last change of size, partition, account, QOS), its places, and what it uses in a second."""

AT, SINCE, LATER = "At", "Since", "Later"
"""Keys of a stored record: the instant of its amounts, the instant before which nothing counts, and the part of its
billing that was booked after the first, which fair share does not see until usage is computed again."""
LOSS = 0.693  # of a half-life, as Slurm rounds the logarithm of two
YEAR = 365 * DAY
RESETS = ("NONE", "NOW", "DAILY", "WEEKLY", "MONTHLY", "QUARTERLY", "YEARLY")


def tracked(cluster: Cluster) -> bool:
    """Whether usage is recorded: only priority/multifactor does that."""
    return cluster.config.get("PriorityType") == "priority/multifactor"


class Fading:
    """The decay of usage on a cluster, and the instants at which it is computed."""

    def __init__(self, cluster: Cluster) -> None:
        config = cluster.config
        half_life = config.seconds("PriorityDecayHalfLife")
        self.keeps = 1 - LOSS / half_life if half_life > 1 else 1.0
        self.period = config.seconds("PriorityCalcPeriod") or 300
        self.begin = cluster.boot_time
        self.reset = config.get("PriorityUsageResetPeriod").upper()
        self.tick = self.floor(cluster.now)

    def floor(self, instant: int) -> int:
        """Return the last instant, not after this one, at which usage was computed."""
        return instant - (instant - self.begin) % self.period if instant > self.begin else self.begin

    def cleared(self, instant: int) -> int:
        """Return when usage was last cleared (``PriorityUsageResetPeriod``), 0 for never."""
        if self.reset not in RESETS[2:]:
            return 0
        import calendar
        import time

        civil = zone.civil(instant)
        year, month = time.gmtime(civil)[:2]
        midnight = civil - civil % DAY
        if self.reset == "DAILY":
            return zone.instant(midnight)
        if self.reset == "WEEKLY":
            return zone.instant(midnight - (midnight // DAY + 4) % 7 * DAY)  # Sunday
        first = {"MONTHLY": month, "QUARTERLY": month - (month - 1) % 3, "YEARLY": 1}[self.reset]
        return zone.instant(calendar.timegm((year, first, 1, 0, 0, 0)))

    def left(self, seconds: int) -> float:
        """Return the part of usage that is left after so many seconds."""
        return float(self.keeps**seconds)

    def charge(self, seconds: int) -> float:
        """Return the charge for so many seconds (at most a period), which decay while they pass."""
        return seconds * self.left(seconds)

    def gained(self, start: int, tick: int) -> float:
        """Return what has been charged as of ``tick`` for each unit held since ``start``."""
        first = -((self.begin - start) // self.period) * self.period + self.begin  # the first tick from then on
        if start >= tick:
            return 0.0
        each, periods = self.left(self.period), (tick - first) // self.period
        sum_of_powers = float(periods) if each == 1.0 else (1 - each**periods) / (1 - each)
        return self.charge(first - start) * each**periods + self.charge(self.period) * sum_of_powers


class UsageLedger:
    """The usage of a cluster as of the last calculation."""

    def __init__(self, cluster: Cluster, before: UsageLedger | None = None) -> None:
        """``before``: an earlier ledger of the cluster, which has worked out where running jobs are booked."""
        self.cluster, self.book, self.fading = cluster, Book(cluster), Fading(cluster)
        self._rests_on = cluster.epoch.get("accounting", 0), cluster.partition_changes
        self._before = before._bookings if before is not None and before._rests_on == self._rests_on else {}
        self._bookings: dict[int, Booking] = {}  # of running jobs, by their ids
        self._places: dict[str, tuple[bool, int]] = {}  # place -> its terms

    def of(self, place: str) -> Amounts:
        """Return what a user's association or a QOS (their keys) has used."""
        found = self._kept(place)
        _add(found, self.running.get(place, {}))
        return found

    def billing(self, place: str) -> tuple[float, float]:
        """Return the billing of a user's association, and what of it fair share sees: that of the last calculation."""
        used = self._kept(place).get("billing", 0.0) + self._billed.get(place, 0.0)
        return used, max(0.0, used - self._later(place))

    @cached_property
    def groups(self) -> dict[str, Amounts]:
        """What each association has used with all those below it, by its key."""
        found: dict[str, Amounts] = {}
        for place in {*self.cluster.usage, *self.running}:
            if place.startswith("assoc "):
                used = self.of(place)
                for name in self._line(place):
                    _add(found.setdefault(name, {}), used)
        return found

    @cached_property
    def pledged(self) -> dict[str, Amounts]:
        """What the running jobs may still use until their limits.

        By the keys of `groups`, of QOS, and of members of a QOS (``qos NAME user USER``, ``qos NAME account ACCOUNT``).
        """
        found: dict[str, Amounts] = {}
        counts = tracked(self.cluster)
        for job in self.cluster.jobs.values():
            if job.state != states.RUNNING:
                continue
            begin = job.suspend_time or job.start_time
            left = job.end_time - begin if job.end_time else YEAR
            left -= max(0, min(left, self.fading.tick - begin)) if counts else 0
            own, *all_qos = _places(self.book, self.cluster, job)
            account = job.request.account or self.book.default_account(job.user_name)
            members = [f"{qos} {who}" for qos in all_qos for who in (f"account {account}", f"user {job.user_name}")]
            for place in [*self._line(own), *all_qos, *members]:
                _add(found.setdefault(place, {}), self._rates(job), left)
        return found

    def _line(self, place: str) -> list[str]:
        """Return the key of a user's association and those of the accounts above it."""
        _, _, names = place.partition(" ")
        account, _, names = names.partition(" ")
        user, _, partition = names.partition(" ")
        return [name for name, _ in self.book.line(account, user, partition)] or [place]

    @cached_property
    def running(self) -> dict[str, Amounts]:
        """What the running jobs were charged for since they started, by association and QOS."""
        found: dict[str, Amounts] = {}
        for place, rates, units in self._charges():
            _add(found.setdefault(place, {}), rates, units)
        return found

    @cached_property
    def _billed(self) -> dict[str, float]:
        """The billing of `running`."""
        found: dict[str, float] = {}
        for place, rates, units in self._charges():
            found[place] = found.get(place, 0.0) + rates["billing"] * units
        return found

    def start_value(self, amount: float) -> float:
        """Return what is left of the usage that the cluster was made with."""
        fading = self.fading
        return 0.0 if fading.cleared(fading.tick) > fading.begin else amount * fading.left(fading.tick - fading.begin)

    def charge(self, job: Job) -> None:
        """Book the run of a job that ends or is suspended at this instant."""
        start, now = job.suspend_time or job.start_time, self.cluster.now
        for place in _places(self.book, self.cluster, job):
            since = max(start, self._since(place))
            if since >= now:
                continue
            tick = self.fading.floor(now)
            rest = now - max(tick, since)
            units = self.fading.gained(since, tick) + self.fading.charge(rest)
            if self._lasts(place):
                units = now - since
            kept, rates = self._kept(place), self._rates(job)
            later = self._later(place) + rates["billing"] * self.fading.charge(rest)
            _add(kept, rates, units)
            self._put(place, kept, later=later)

    def clear(self, place: str) -> None:
        """Forget what was used until now (``RawUsage=0``)."""
        self._put(place, {}, str(self.cluster.now))

    def _put(self, place: str, amounts: Amounts, since: str = "", later: float = 0.0) -> None:
        before = self.cluster.usage.get(place, {})
        record = {AT: str(self.fading.tick)} | ({LATER: repr(later)} if later else {})
        if since or before.get(SINCE):
            record[SINCE] = since or before[SINCE]
        self.cluster.usage[place] = record | {name: repr(amount) for name, amount in amounts.items()}
        self.cluster.touch_accounting(f"usage {place}")

    def _kept(self, place: str) -> Amounts:
        """Return what is stored, as of the last calculation."""
        record = self.cluster.usage.get(place)
        if record is None:
            return {}
        at, fading = int(record[AT]), self.fading
        amounts = {name: float(text) for name, text in record.items() if name not in (AT, SINCE, LATER)}
        if self._lasts(place):
            return amounts
        if at < fading.cleared(fading.tick):
            return {}
        left = fading.left(max(0, fading.tick - at))
        return {name: amount * left for name, amount in amounts.items()}

    def _later(self, place: str) -> float:
        """Return the billing that was booked since the last calculation."""
        record = self.cluster.usage.get(place, {})
        return float(record.get(LATER, "0")) if record.get(AT) == str(self.fading.tick) else 0.0

    def _charges(self) -> Iterator[tuple[str, Amounts, float]]:
        """Yield the places of each running job, what it uses in a second, and for how many seconds it was charged."""
        if not tracked(self.cluster):
            return
        tick = self.fading.tick
        charged: dict[tuple[bool, int], float] = {}  # jobs that start together are charged alike
        for job in self.cluster.jobs.values():
            if job.state != states.RUNNING:
                continue
            start = job.suspend_time or job.start_time
            _, places, rates = self._bookings[job.job_id] = self._booking(job)
            for place in places:
                lasts, since = self._terms(place)
                terms = lasts, max(start, since)
                if terms not in charged:
                    charged[terms] = float(max(0, tick - terms[1])) if lasts else self.fading.gained(terms[1], tick)
                yield place, rates, charged[terms]

    def _booking(self, job: Job) -> Booking:
        """Return where a running job is booked, and what it uses in a second."""
        run = job.start_time, job.resize_time, job.partition, job.request.account, job.request.qos
        found = self._before.get(job.job_id)
        if found is not None and found[0] == run:
            return found
        return run, _places(self.book, self.cluster, job), self._rates(job)

    def _terms(self, place: str) -> tuple[bool, int]:
        """Return whether the usage of a place stays, and the instant before which nothing counts there."""
        found = self._places.get(place)
        if found is None:
            found = self._places[place] = self._lasts(place), self._since(place)
        return found

    def _since(self, place: str) -> int:
        """Return the instant before which nothing counts at a place."""
        own = int(self.cluster.usage.get(place, {}).get(SINCE, "0"))
        return own if self._lasts(place) else max(own, self.fading.cleared(self.fading.tick))

    def _lasts(self, place: str) -> bool:
        """Whether usage does not decay (the QOS flag ``NoDecay``)."""
        kind, _, name = place.partition(" ")
        return kind == "qos" and has_flag(self.book.qos(name), "NoDecay")

    def _rates(self, job: Job) -> Amounts:
        """Return what a running job uses in a second."""
        factor = float(self.book.qos(job.request.qos).get("UsageFactor", "1"))
        rates = {"wall": 1, **tres.held(job)}
        return {name: amount * factor for name, amount in rates.items()}


def _add(total: Amounts, more: Amounts, units: float = 1.0) -> None:
    for name, amount in more.items():
        total[name] = total.get(name, 0.0) + amount * units


def charge(cluster: Cluster, job: Job) -> None:
    """Book the run of a job that ends or is suspended at this instant, if usage is recorded."""
    if job.state == states.RUNNING and tracked(cluster):
        UsageLedger(cluster).charge(job)


def _places(book: Book, cluster: Cluster, job: Job) -> list[str]:
    """Return the key of the association that a job's usage is booked on, and those of its QOS."""
    account = job.request.account or book.default_account(job.user_name)
    line = book.line(account, job.user_name, job.partition) if account else []
    own = line[0][0] if line else key("assoc", account or ROOT, job.user_name)
    part = cluster.partitions.get(job.partition)
    also = part.qos if part is not None and part.qos != "N/A" else ""
    names = dict.fromkeys(filter(None, (job.request.qos or NORMAL, also)))
    return [own, *(key("qos", name) for name in names)]
