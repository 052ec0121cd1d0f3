"""Undo: the accounting records before a change, for the case that nobody agrees to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slimsched.controller.core import Controller


class Savepoint:
    """The records, the usage, what jobs asked for and the work of the next pass, as they were before a change."""

    def __init__(self, ctl: Controller) -> None:
        cluster = ctl.cluster
        self.accounting = {name: dict(record) for name, record in cluster.accounting.items()}
        self.requests = {number: job.request for number, job in cluster.jobs.items()}
        self.usage = {name: dict(record) for name, record in cluster.usage.items()}
        self.dirty, self.events, self.due = set(cluster.dirty_accounting), len(cluster.events), cluster.pass_due

    def restore(self, ctl: Controller) -> None:
        """Put them back."""
        cluster = ctl.cluster
        cluster.accounting, cluster.usage = self.accounting, self.usage
        for number, request in self.requests.items():
            cluster.jobs[number].request = request
        cluster.dirty_accounting, cluster.pass_due = self.dirty, self.due
        del cluster.events[self.events :]
