"""Undo: the accounting records as they were, should nobody agree to a change."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slimsched.controller.core import Controller


class Savepoint:
    """The records, the usage and what the next pass was to do, taken down before a change."""

    def __init__(self, ctl: Controller) -> None:
        cluster = ctl.cluster
        self.accounting = {name: dict(record) for name, record in cluster.accounting.items()}
        self.usage = {name: dict(record) for name, record in cluster.usage.items()}
        self.dirty, self.events, self.due = set(cluster.dirty_accounting), len(cluster.events), cluster.pass_due

    def restore(self, ctl: Controller) -> None:
        """Put them back."""
        cluster = ctl.cluster
        cluster.accounting, cluster.usage = self.accounting, self.usage
        cluster.dirty_accounting, cluster.pass_due = self.dirty, self.due
        del cluster.events[self.events :]
