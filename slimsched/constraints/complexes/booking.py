"""Consumables: what running jobs have booked on each level, and whether one more job fits.

A job takes request x slots of a consumable YES on every queue instance and host where it has slots, and once more
for all slots together on the global level; of a consumable JOB it takes its request once, globally and where its
master runs. An exclusive attribute (EXCL) counts no amounts: a job that asks for it wants to be alone on the level.
Source: Complex Attribute Specification, examples E1 and E2; oracle/sge SURPRISES D.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from typing import NamedTuple

from slimsched.constraints.complexes import offers, values
from slimsched.constraints.complexes.catalog import Catalog
from slimsched.constraints.complexes.offers import Offer
from slimsched.constraints.complexes.request import Asked
from slimsched.model.complex import ComplexAttribute


class Spot(NamedTuple):
    """Where something can be offered: ("global", ""), ("host", name) or ("queue", queue@host)."""

    level: str
    name: str


GLOBAL = Spot("global", "")
MANY = 2**31
"""More slots than any job has."""


class Place(NamedTuple):
    """A queue instance."""

    queue: str
    host: str

    def spots(self) -> tuple[Spot, Spot, Spot]:
        """Return the three levels that serve the queue instance, the highest first."""
        return GLOBAL, Spot("host", self.host), Spot("queue", f"{self.queue}@{self.host}")


class Left(NamedTuple):
    """What is left of a consumable, and the origin of that value as in `offers.Offer`."""

    value: float
    origin: str


class Demand(NamedTuple):
    """What a job takes of one consumable for each slot (YES) or once (JOB). ``asked``: not by default."""

    attribute: ComplexAttribute
    amount: float
    asked: bool


class Placement(NamedTuple):
    """The slots of a job by queue instance, and the instance of its master task."""

    slots: Mapping[Place, int]
    master: Place

    def by_spot(self) -> dict[Spot, int]:
        """Return the slots on each level, the highest level first."""
        found: dict[Spot, int] = {GLOBAL: 0}
        for rank in range(3):
            for place, count in self.slots.items():
                spot = place.spots()[rank]
                found[spot] = found.get(spot, 0) + count
        return found


class Obstacle(NamedTuple):
    """Why a placement does not fit: a demand that a spot cannot meet (``spot`` None: nobody offers it at a place)."""

    demand: Demand
    place: Place
    spot: Spot | None
    left: Left | None
    taken: bool = False  # by a job that is alone, or by jobs while this one wants to be

    @property
    def words(self) -> str:
        """Return the obstacle in the words of ``qstat -j``."""
        name = self.demand.attribute.name
        where = f'cannot run in queue "{self.place.queue}@{self.place.host}"'
        if self.spot is None or self.left is None:
            return f"{where} because job requests unknown resource ({name})"
        if self.spot.level == "host":
            where = f'cannot run at host "{self.spot.name}"'
        elif self.spot.level == "global":
            where = "cannot run globally"
        because = "because" if self.demand.asked else "because for default request"
        if self.taken:
            return f"{where} {because} exclusive resource ({name}) is already in use"
        shown = in_words(self.demand.attribute, self.left.value)
        return f"{where} {because} it offers only {dominance(self.spot, self.left)}:{name}={shown}"


def in_words(attribute: ComplexAttribute, value: float | str) -> str:
    """Return a value as messages and ``qhost -F`` have it, where a whole number keeps its fraction."""
    if attribute.relop == "EXCL":
        return "true" if value else "false"
    return f"{value:.6f}" if attribute.type == "INT" else values.show(attribute, value)


def dominance(spot: Spot, offer: Offer | Left) -> str:
    """Return the two letters with which ``qstat -F`` says where a value comes from; a queue's limit is fixed."""
    return spot.level[0] + (offer.origin if spot.level != "queue" or offer.origin != "l" else "f")


def demands(asked: Asked, catalog: Catalog) -> list[Demand]:
    """Return what a job takes; every job takes something of an exclusive attribute, even if it is 0."""
    found = []
    for attribute in catalog.consumables:
        text = asked.get(attribute.name)
        amount = values.number(attribute.default if text is None else text, attribute.type) or 0.0
        if text is not None or amount or attribute.relop == "EXCL":
            found.append(Demand(attribute, amount, text is not None))
    return found


Offered = Callable[[Spot, str], tuple[str | None, str | None]]
"""The configured and the reported value of an attribute (by name) at a spot."""


class Bookings:
    """The amounts that each job has booked, by spot and attribute. ``offered`` returns what can be booked."""

    def __init__(self, catalog: Catalog, offered: Offered) -> None:
        self.catalog = catalog
        self._offered = offered
        self._booked: dict[tuple[Spot, str], dict[Hashable, float]] = {}
        self._totals: dict[tuple[Spot, str], float] = {}
        self.kept: dict[Hashable, dict[int, int]] = {}  # results for the present bookings

    def book(self, job: Hashable, wanted: Iterable[Demand], placement: Placement) -> None:
        """Note what a job takes, which has nothing booked yet."""
        self.kept.clear()
        for spot, demand, amount in _charges(list(wanted), placement):
            key = spot, demand.attribute.name
            self._booked.setdefault(key, {})[job] = amount
            self._totals.pop(key, None)

    def release(self, job: Hashable) -> None:
        """Give back all that a job took."""
        self.kept.clear()
        for key, amounts in self._booked.items():
            if amounts.pop(job, None) is not None:
                self._totals.pop(key, None)

    def rest(self, spot: Spot, attribute: ComplexAttribute) -> Left | None:
        """Return what is left of a number at a spot, None if it is not offered there.

        What a load sensor reports is not counted down, and limits what is left of a capacity. The rest is
        negative when the capacity was reduced below what is booked.
        """
        fixed, load = self._offered(spot, attribute.name)
        found = offers.offer(attribute, fixed, load)
        if fixed is not None and found is not None and attribute.relop != "EXCL":
            capacity = offers.configured(attribute, fixed)
            if isinstance(capacity, float):
                reported = None if load is None else offers.reported(attribute, load)
                left = offers.combined(attribute, capacity - self._total(spot, attribute.name), reported)
                found = left if attribute.consumable == "NO" else left._replace(origin="c")
        if found is None or isinstance(found.value, str):
            return None
        alone = attribute.relop == "EXCL" and any(self._amounts(spot, attribute))
        return Left(0.0 if alone else found.value, found.origin)

    def _amounts(self, spot: Spot, attribute: ComplexAttribute) -> Collection[float]:
        return self._booked.get((spot, attribute.name), {}).values()

    def _total(self, spot: Spot, name: str) -> float:
        key = spot, name
        total = self._totals.get(key)
        if total is None:
            # exactly rounded, so that the order in which jobs started does not matter
            total = self._totals[key] = math.fsum(self._booked.get(key, {}).values())
        return total

    def obstacle(self, wanted: Iterable[Demand], placement: Placement) -> Obstacle | None:
        """Return the first obstacle to a placement, None if the job fits."""
        wanted = list(wanted)
        missing = self._missing(wanted, placement)
        if missing is not None:
            return missing
        places = {spot: place for place in reversed(list(placement.slots)) for spot in place.spots()}
        for spot, demand, amount in _charges(wanted, placement):
            left = self._denied(spot, demand, amount)
            if left is not None:
                return Obstacle(demand, places[spot], spot, left, taken=amount <= left.value)
        return None

    def most_slots(self, wanted: Iterable[Demand], place: Place) -> int:
        """Return how many slots of one job a queue instance and its host have room for, `MANY` if nothing limits them.

        What counts for the whole job is left out: the global level, and a consumable JOB, which its master takes.
        """
        most = MANY
        for demand in wanted:
            spots = place.spots()
            if demand.attribute.consumable == "JOB" and demand.attribute.relop != "EXCL":
                continue
            if demand.asked and all(self.rest(spot, demand.attribute) is None for spot in spots):
                return 0
            most = min(most, *(self._slots_at(spot, demand) for spot in spots[1:]))
        return most

    def _slots_at(self, spot: Spot, demand: Demand) -> int:
        left = self.rest(spot, demand.attribute)
        if left is None:
            return MANY
        if self._denied(spot, demand, demand.amount) is not None:
            return 0
        counted = demand.amount and demand.attribute.relop != "EXCL" and math.isfinite(left.value)
        if not counted or self._offered(spot, demand.attribute.name)[0] is None:
            return MANY
        slots = int(min(left.value // demand.amount, MANY))
        if demand.amount * (slots + 1) <= left.value:  # the quotient was rounded
            return slots + 1
        return slots if demand.amount * slots <= left.value else slots - 1

    def takes_master(self, wanted: Iterable[Demand], place: Place) -> bool:
        """Whether a queue instance and its host have what a job takes only once, where its master is."""
        once = [one for one in wanted if one.attribute.consumable == "JOB" and one.attribute.relop != "EXCL"]
        found = self.obstacle(once, Placement({place: 1}, place)) if once else None
        return found is None or found.spot == GLOBAL

    def _denied(self, spot: Spot, demand: Demand, amount: float) -> Left | None:
        """Return what a spot has left if a job cannot have ``amount`` of it, or not exclusively; else None."""
        left = self.rest(spot, demand.attribute)
        if left is None:
            return None
        if self._offered(spot, demand.attribute.name)[0] is None:
            amount = demand.amount  # a limit or load alone holds for each request and is not counted down
        if amount > left.value:
            return left
        if demand.attribute.relop != "EXCL":
            return None
        others = self._amounts(spot, demand.attribute)
        return left if any(others) or (others and amount) else None

    def _missing(self, wanted: Iterable[Demand], placement: Placement) -> Obstacle | None:
        """Return the first explicit request that nobody offers where it is needed."""
        for demand in wanted:
            if not demand.asked:
                continue
            for place in (placement.master,) if demand.attribute.consumable == "JOB" else placement.slots:
                if all(self.rest(spot, demand.attribute) is None for spot in place.spots()):
                    return Obstacle(demand, place, None, None)
        return None


def _charges(wanted: Iterable[Demand], placement: Placement) -> Iterable[tuple[Spot, Demand, float]]:
    """Yield what a placement takes, the highest level first."""
    master = placement.master.spots()
    for spot, slots in placement.by_spot().items():
        for demand in wanted:
            if demand.attribute.relop == "EXCL":
                yield spot, demand, demand.amount
            elif demand.attribute.consumable == "YES":
                yield spot, demand, demand.amount * slots
            elif spot in master:
                yield spot, demand, demand.amount
