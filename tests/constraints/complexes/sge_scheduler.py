"""A small Grid Engine around the booking: queue instances in their order, parallel environments, pending jobs.

It exists to replay recorded scenarios; which nodes a job of ours gets is the select plugin's business.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from complex_cases import attribute, values

from slimsched.constraints.complexes import booking, match, request
from slimsched.constraints.complexes.booking import Bookings, Place, Placement, Spot
from slimsched.constraints.complexes.bulk import Instance, table
from slimsched.constraints.complexes.catalog import Catalog
from slimsched.constraints.evaluate import evaluate

RULES = {"p1": "fill_up", "rr": "round_robin", "one": "pe_slots"}


class Job(NamedTuple):
    name: str
    hard: list[str]
    soft: list[str]
    pe: str | None
    slots: range
    queue: str | None
    tasks: int


def job_of(name: str, options: str) -> Job:
    """Read the options of a ``qsub``."""
    lists: dict[str, list[str]] = {"hard": [], "soft": []}
    kind, pe, slots, queue, tasks = "hard", None, range(1, 2), None, 1
    words = iter(options.split())
    for word in words:
        if word in ("-hard", "-soft"):
            kind = word[1:]
        elif word == "-l":
            lists[kind].append(next(words))
        elif word == "-q":
            queue = next(words)
        elif word == "-t":
            tasks = int(next(words).partition("-")[2])
        elif word == "-pe":
            pe = next(words)
            low, _, high = next(words).partition("-")
            slots = range(int(low), int(high or low) + 1)
    return Job(name, lists["hard"], lists["soft"], pe, slots, queue, tasks)


class Scheduler:
    def __init__(self, scenario: dict[str, Any]) -> None:
        own = [attribute(columns) for columns in scenario["attributes"]]
        self.catalog = Catalog(own, scenario.get("semantics", "8.1"))
        self.everywhere = values(scenario.get("global") or "NONE")
        self.hosts = {host: values(texts) for host, texts in scenario.get("hosts", {}).items()}
        self.queues = {queue["name"]: queue for queue in scenario["queues"]}
        self.load = scenario.get("load", {})
        self.ledger = Bookings(self.catalog, self.offered)
        self.pending: list[Job] = []
        self.running: dict[str, dict[str, int]] = {}

    def places(self) -> list[Place]:
        """Return the queue instances in the order of their sequence numbers."""
        found = [Place(name, host) for name, queue in self.queues.items() for host in queue["hosts"].split()]
        return sorted(
            found, key=lambda place: (_of_host(self.queues[place.queue]["seq_no"], place.host), found.index(place))
        )

    def offered(self, spot: Spot, name: str) -> tuple[str | None, str | None]:
        if spot == booking.GLOBAL:
            return self.everywhere.get(name), self.load.get("global", {}).get(name)
        if spot.level == "host":
            return self.hosts.get(spot.name, {}).get(name), self.load.get(spot.name, {}).get(name)
        queue, _, host = spot.name.partition("@")
        if name == "slots":
            return self.queues[queue]["slots"], None
        fixed = values(_of_host(self.queues[queue]["complex_values"], host)).get(name)
        return fixed, self.queues[queue].get(name) if fixed is None else None

    def instances(self) -> list[Instance]:
        found = []
        for place in self.places():
            queue = self.queues[place.queue]
            own = values(_of_host(queue["complex_values"], place.host))
            limits = {key: text for key, text in queue.items() if key.startswith(("h_", "s_"))}
            load = self.load.get(place.host, {})
            host = self.hosts.get(place.host, {})
            found.append(
                Instance(
                    f"{place.queue}@{place.host}",
                    self.everywhere,
                    host,
                    own,
                    global_load=self.load.get("global", {}),
                    host_load=load,
                    limits=limits,
                )
            )
        return found

    def submit(self, name: str, options: str) -> None:
        job = job_of(name, options)
        request.read(job.soft, self.catalog, soft=True)
        request.read(job.hard, self.catalog)
        self.pending += [job] * job.tasks
        self.schedule()

    def delete(self, name: str) -> None:
        self.ledger.release((name, 0))
        del self.running[name]
        self.schedule()

    def schedule(self) -> None:
        for job in list(self.pending):
            found = next(self.placements(job), None)
            if found is not None:
                self.pending.remove(job)
                self.start(job, found)

    def start(self, job: Job, found: Placement) -> None:
        tasks = sum(name == job.name for name in self.running)
        wanted = booking.demands(request.read(job.hard, self.catalog), self.catalog)
        count = self.running.setdefault(job.name, {})
        for place, slots in found.slots.items():
            key = f"{place.queue}@{place.host}"
            count[key] = count.get(key, 0) + slots
        self.ledger.book((job.name, tasks), wanted, found)

    def placements(self, job: Job) -> Iterator[Placement]:
        """Yield ways to place a job, the one that Grid Engine takes first."""
        asked = request.read(job.hard, self.catalog)
        wanted = booking.demands(asked, self.catalog)
        rows = self.instances()
        fits = evaluate(match.hard(asked, self.catalog, parallel=job.pe is not None), table(rows, self.catalog))
        places = [place for i, place in enumerate(self.places()) if fits >> i & 1 and job.queue in (None, place.queue)]
        for master in places:
            for slots in reversed(job.slots):
                found = self.filled(RULES.get(job.pe or "", "pe_slots"), wanted, places, master, slots)
                if found is not None:
                    yield found

    def why(self, job: Job) -> Iterator[str]:
        """Yield what keeps a job from its first slot, by queue instance."""
        wanted = booking.demands(request.read(job.hard, self.catalog), self.catalog)
        for place in self.places():
            found = self.ledger.obstacle(wanted, Placement({place: 1}, place))
            if found is not None:
                yield found.words

    def filled(self, rule: str, wanted: Any, places: list[Place], master: Place, slots: int) -> Placement | None:
        """Give the master a slot and spread the others; None if they do not all fit."""
        held = {master: 1}
        if self.ledger.obstacle(wanted, Placement(held, master)):
            return None
        if rule == "pe_slots":
            places = [place for place in places if place.host == master.host]
        while sum(held.values()) < slots:
            order = sorted(places, key=lambda place: _on_host(held, place)) if rule == "round_robin" else places
            for place in order:
                more = {**held, place: held.get(place, 0) + 1}
                if self.ledger.obstacle(wanted, Placement(more, master)) is None:
                    held = more
                    break
            else:
                return None
        return Placement(held, master)

    def rest(self, place: Place, name: str) -> tuple[float, str]:
        """Return the strictest of what the levels of a queue instance have left, as ``qstat -F`` shows it."""
        known = self.catalog.attributes[name]
        found = [(spot, self.ledger.rest(spot, known)) for spot in place.spots()]
        spot, left = min(((spot, left) for spot, left in found if left is not None), key=lambda item: item[1].value)
        return left.value, booking.dominance(spot, left)


def _on_host(held: dict[Place, int], wanted: Place) -> int:
    return sum(count for place, count in held.items() if place.host == wanted.host)


def _of_host(text: str, host: str) -> str:
    """Return the part of a queue's value that holds on a host: ``NONE,[h1=cy=5]``."""
    for name, value in re.findall(r"\[([^=\]]*)=([^\]]*)\]", text):
        if name == host:
            return value
    return text.partition(",[")[0]
