"""The choice of ``sacctmgr show event``. Source: event_functions.c, as_mysql_cluster.c."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.requests import users
from slimsched.errors import UserError
from slimsched.model.account import Book
from slimsched.render.accounts.sacctmgr import KINDS_OF_EVENT
from slimsched.text import zone
from slimsched.text.moments import moment
from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.cli.app import Application
    from slimsched.cli.sacctmgr.grammar import Words
    from slimsched.controller.accounts.where import Request
    from slimsched.model.cluster import Cluster
    from slimsched.render.accounts.events import Event

STATES = ("DRAIN", "FAIL", "UNKNOWN", "DOWN", "IDLE", "ALLOCATED", "?", "MIXED", "FUTURE")
"""States of nodes by which events can be selected."""


def chosen(app: Application, cluster: Cluster, words: Words) -> list[Event]:
    """Return the events since yesterday, and those that last, as far as the conditions select them."""
    from slimsched.render.accounts.events import events

    asked = words.request
    states = [_node_state(text) for text in asked.named("states")]
    uids = {_uid(cluster, text) for text in asked.named("users")}
    wanted = kinds(asked)
    since = 0 if "all_time" in words.flags else cluster.now if states else _yesterday(cluster.now)
    start = instant(cluster, asked.named("start"), since)
    end = instant(cluster, asked.named("end"), cluster.now)
    here = cluster.config.get("ClusterName")
    registered = Book(cluster).clusters() if "all_clusters" in words.flags else [here]
    if here not in (asked.named("clusters") or registered):
        return []
    nodes = cluster.bitmap_of_known(",".join(asked.named("nodes")))
    least, most = _count(asked, "mincpus"), _count(asked, "maxcpus")
    tests: list[Callable[[Event], bool]] = [
        lambda event: event.start < end and (not event.end or event.end >= start),
        lambda event: not states or (event.state in states and not event.end),
        lambda event: not asked.named("nodes") or bool(event.node and cluster.bitmap_of(event.node) & nodes),
        lambda event: event.kind in wanted,
        lambda event: not least or least <= event.cpus <= (most or least),
        lambda event: not uids or users.uid_of(cluster, event.user.partition("(")[0]) in uids,
        lambda event: not asked.named("reasons") or any(text in event.reason for text in asked.named("reasons")),
    ]
    return [event for event in events(cluster, app.store.history()) if all(test(event) for test in tests)]


def kinds(asked: Request) -> set[str]:
    """Return the kinds of events that are asked for; states and users are those of nodes alone.

    Raises `UserError` for a word that is none.
    """
    found = {_kind(text) for text in asked.named("events")}
    return {"Node"} if asked.named("states", "users") else found or set(KINDS_OF_EVENT)


def instant(cluster: Cluster, given: list[str], usual: int) -> int:
    """Return the last of some times, or the usual one if none is given."""
    return moment(given[-1], cluster.now, past=True) if given else usual


def _yesterday(now: int) -> int:
    """Return when yesterday began."""
    return zone.midnight(zone.midnight(now) - 1)


def _kind(text: str) -> str:
    found = next((kind for kind in KINDS_OF_EVENT if kind.lower().startswith(text.lower())), None)
    if found is None:
        said = f" Unknown event type: '{text}'  Valid events are Cluster and Node."
        raise UserError(said, level="plain")
    return found


def _count(asked: Request, name: str) -> int:
    """Return the last number of CPUs of a condition, 0 for none."""
    text = (asked.named(name) or ["0"])[-1]
    return int(text) if is_number(text) else 0


def _uid(cluster: Cluster, text: str) -> int:
    uid = users.known(cluster, text)
    if uid is None and Book(cluster).get("user", text) is None:
        raise UserError(f"Invalid user id: {text}", level="plain")
    return users.UNKNOWN_ID if uid is None else uid


def _node_state(text: str) -> str:
    found = next((state for state in STATES if state.startswith(text.upper())), None)
    if found is None or not text:
        said = f"Invalid state: {text}\nValid node states are: {' '.join(STATES)} "
        raise UserError("unrecognized job state value", level="fatal", preface=said)
    return found
