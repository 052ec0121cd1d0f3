"""Resources that a database hands out to clusters, and the share of each cluster: ``sacctmgr ... resource``.

A share is a percentage of the resource's ``Count``, or, with its flag ``Absolute``, a number of them. slurmctld shows
its own cluster's share as a license ``NAME@SERVER``. Source: sacctmgr(1), "Specifications for Resource".
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from slimsched.controller.accounts.outcome import Outcome, applied, check_clusters, record_event
from slimsched.controller.accounts.where import Request, named_records
from slimsched.errors import UserError
from slimsched.model.account import ABSOLUTE, Book, Record, has_flag, key, shares

if TYPE_CHECKING:
    from slimsched.controller.core import Controller

OF_CLUSTERS = {"Count": "count", "LastConsumed": "lastconsumed"}
"""What cannot be changed for a cluster alone, and its name in the refusal."""


def add(ctl: Controller, request: Request, names: list[str]) -> Outcome:
    """Add resources, or shares of those that exist. Raises UserError."""
    book = Book(ctl.cluster)
    check_clusters(book, request)
    record = {"Server": "slurmdb", **_settings(request)}
    each = int(record.pop("Allowed", "0"))
    outcome = Outcome()
    made: dict[str, Record] = {}
    for name in names:
        place = f"{name}@{record['Server']}"
        known = book.get("resource", place)
        if known is None:
            _check_new(name, record)
            made[place] = {"ID": book.next_id("resource"), "Description": name, **record, "Name": name}
        clusters = [one for one in request.named("clusters") if one not in shares(known or {})]
        if known is not None and not clusters:
            continue
        new = made.setdefault(place, dict(known or {}))
        new["Shares"] = _written({**shares(new), **dict.fromkeys(clusters, each)})
        outcome.names += [place, *(f" Cluster - {one}\t{each}" for one in clusters)]
        outcome.record = {**({"LastConsumed": "0"} if known else {"Description": name}), **new}
    for place, new in made.items():
        if sum(shares(new).values()) > _whole(new):
            outcome.refusal = UserError(
                " Problem adding system resource: You can not allocate more than 100% of a resource", level="plain"
            )
        _put(book, place, new)
    record_event(ctl, "add", "resource", Outcome(names=list(made)))
    return outcome


def modify(ctl: Controller, request: Request) -> Outcome:
    """Change resources, or the shares of the clusters that are named. Raises UserError."""
    book = Book(ctl.cluster)
    check_clusters(book, request)
    changes = _settings(request)
    clusters = request.named("clusters")
    bad = next((word for name, word in OF_CLUSTERS.items() if name in changes and clusters), "")
    if bad:
        text = f'Can\'t change "{bad}" on a cluster-based resource. Remove cluster selection.'
        raise UserError(text, level="plain")
    allowed = changes.pop("Allowed", None)
    if allowed is not None and not clusters:
        raise UserError('Can\'t change "allowed" without specifying a cluster.', level="plain")
    places = named_records(book, request)
    met = {place: _clusters(book, place, clusters) for place in places}
    if not any(met.values()):
        if not changes:
            text = " Error with request: Data has not changed since time specified"
            raise UserError(text, level="plain")
        clusters, allowed = [], None
    outcome = Outcome(record=changes, of_records=True)
    for place in places:
        record = {**(book.get("resource", place) or {}), **({} if clusters else changes)}
        if allowed is not None:
            record["Shares"] = _written({**shares(record), **dict.fromkeys(met[place], int(allowed))})
            if sum(shares(record).values()) > _whole(record):
                raise UserError(_too_much(place, record), level="plain")
        outcome.names += _named(place, met[place], whole=not clusters)
        _put(book, place, record)
    record_event(ctl, "modify", "resource", Outcome(names=places))
    return outcome


def delete(ctl: Controller, request: Request) -> Outcome:
    """Remove resources, or the shares of the clusters that are named."""
    book = Book(ctl.cluster)
    check_clusters(book, request)
    places, clusters = named_records(book, request), request.named("clusters")
    met = {place: _clusters(book, place, clusters) for place in places}
    if not any(met.values()):
        clusters = []
    outcome = Outcome()
    for place in places:
        outcome.names += _named(place, met[place], whole=not clusters)
        record = dict(book.get("resource", place) or {})
        if clusters:
            left = {one: share for one, share in shares(record).items() if one not in met[place]}
            _put(book, place, {**record, "Shares": _written(left)})
        else:
            book.drop(key("resource", place))
    record_event(ctl, "delete", "resource", Outcome(names=places))
    return outcome


def _settings(request: Request) -> Record:
    """Return the settings by name. Raises UserError for a flag that does not exist."""
    record = applied({}, request.settings)
    if flags := record.get("Flags"):
        if ABSOLUTE.lower() not in flags.lower():
            text = f" Unknown Server Resource flag used in:\n  '{flags}'\n Valid Server Resource flags are\n"
            raise UserError(f"{text} '{ABSOLUTE}'", level="plain", stdout=True)
        record["Flags"] = ABSOLUTE
    return record


def _check_new(name: str, record: Record) -> None:
    """Refuse a new resource without a type or a number. Raises UserError."""
    missing = next((each for each in ("Type", "Count") if each not in record), "")
    if missing:
        text = f" Need to designate a resource {missing.lower()} to initially add '{name}'."
        raise UserError(text, level="plain")


def _clusters(book: Book, place: str, named: Iterable[str]) -> list[str]:
    """Return the clusters with a share of a resource, those among the named ones if some are."""
    wanted = set(named)
    return [one for one in shares(book.get("resource", place) or {}) if not wanted or one in wanted]


def _named(place: str, clusters: Iterable[str], *, whole: bool) -> list[str]:
    """Return how a report names a resource and the shares that change with it."""
    return [*([place] if whole else []), *(f"Cluster - {one}\t- {place}" for one in clusters)]


def _whole(record: Record) -> int:
    """Return how much may be given away: 100 percent, or the number that there is."""
    return int(record.get("Count", "0")) if has_flag(record, ABSOLUTE) else 100


def _too_much(place: str, record: Record) -> str:
    """Return what the shares would be."""
    given = shares(record)
    lines = [f"   Cluster - {one}\t {share}%" for one, share in given.items()]
    head = " If change was accepted it would look like this..."
    return "\n".join([head, f"  {place}", *lines, f"   total\t\t{sum(given.values())}%"])


def _written(given: dict[str, int]) -> str:
    return ",".join(f"{one}={share}" for one, share in given.items())


def _put(book: Book, place: str, record: Record) -> None:
    book.put(key("resource", place), {**record, "ModTime": str(int(book.cluster.now))})
