"""Jobs, nodes and events as the library hands them out: values that never change under their reader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from slimsched.model.request import INFINITE
from slimsched.text import hostlist

if TYPE_CHECKING:
    from collections.abc import Mapping

    from slimsched.model.job import Job as Record


class Job(NamedTuple):
    """A job. Instants in seconds since 1970, 0 for none; ``limit`` in minutes, None for no limit.

    ``state``: Slurm's word (``RUNNING``); ``start`` of a job that waits: when it is expected to start;
    ``scheduler``: what started it, ``Main`` or ``Backfill``; ``signal``: that ended it, 0 for none.
    """

    job_id: int
    name: str
    user: str
    state: str
    reason: str
    submit: int
    start: int
    end: int
    limit: int | None
    nodes: list[str]
    cpus: int
    scheduler: str
    exit_code: int
    signal: int


class Node(NamedTuple):
    """A node. ``state``: the base state (``IDLE``, ``DOWN``); memory in MB; ``jobs``: ids of those that run."""

    name: str
    state: str
    cpus: int
    memory: int
    extra: str
    jobs: list[int]


class Event(NamedTuple):
    """Something that happened: ``event`` is its kind (``submit``, ``start``, ``end``, ``node``), at ``time``.

    ``details``: the record that it concerns (``job``, ``node``) and what is to be said of it.
    """

    time: int
    event: str
    details: Mapping[str, Any]


def job(record: Record) -> Job:
    """Return a job as the library shows it."""
    return Job(
        job_id=record.job_id,
        name=record.request.name,
        user=record.user_name,
        state=record.state,
        reason=record.reason,
        submit=record.submit_time,
        start=record.start_time,
        end=record.end_time if not record.pending else 0,
        limit=None if record.request.time_limit == INFINITE else record.request.time_limit,
        nodes=hostlist.expand(record.nodes) if record.nodes else [],
        cpus=sum(record.cpus),
        scheduler=record.scheduler,
        exit_code=record.exit_code,
        signal=record.exit_signal,
    )


def event(told: Mapping[str, Any]) -> Event:
    """Return an event as the library shows it."""
    details = {name: value for name, value in told.items() if name not in ("event", "time")}
    return Event(int(told["time"]), str(told["event"]), details)
