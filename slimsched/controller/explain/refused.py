"""A submission that was refused, for the notes on it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.requests import defaults
from slimsched.controller.submit import submission
from slimsched.model.record import Record

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.controller.requests.users import User
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.model.request import JobRequest


class Refused(Record):
    """A request that was refused, with all that it implies filled in, and its user."""

    ctl: Controller
    request: JobRequest
    user: User

    @property
    def cluster(self) -> Cluster:
        """The cluster."""
        return self.ctl.cluster

    def partitions(self) -> list[PartitionConf]:
        """Return its partitions, those that exist."""
        names = self.request.partition.split(",")
        return [self.cluster.partitions[name] for name in names if name in self.cluster.partitions]

    def job(self) -> Job:
        """Return the job that it would have been, with no number and whatever it waits for."""
        self.request.dependency = self.request.array = ""
        defaults.fill(self.cluster, self.request, self.partitions())
        return submission.record(self.ctl, 0, self.request, self.user)
