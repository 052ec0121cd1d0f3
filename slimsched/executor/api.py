"""The executor interface: what the controller asks of whatever runs the jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.slurm.states import State


class Outcome(NamedTuple):
    """When and how a running job ends; ``time`` in seconds since 1970."""

    time: int
    state: State
    exit_code: int = 0
    signal: int = 0


class Executor:
    """Base class of executors."""

    def __init__(self, cluster: Cluster) -> None:
        """Keep the cluster whose jobs are executed."""
        self.cluster = cluster

    def prepare(self, job: Job, script: str) -> None:
        """Take in a new job's script when it is submitted."""

    def launch(self, job: Job) -> None:
        """Run a job that was just given its nodes."""

    def outcome(self, job: Job) -> Outcome | None:
        """Return when and how a running job ends of itself; ``None`` if nobody knows."""
        return None

    def signal(self, job: Job, number: int) -> None:
        """Send a signal to a running job."""
