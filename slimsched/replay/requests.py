"""What a job of a trace asks the cluster for, and how long it runs there."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from slimsched.controller.requests import users
from slimsched.errors import UserError
from slimsched.model.request import JobRequest
from slimsched.replay.policies import MINUTE

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.controller.requests.users import User
    from slimsched.replay.machine import Machine
    from slimsched.replay.trace import TraceJob

Parser = Callable[["Controller", tuple[str, ...]], "tuple[JobRequest, User]"]
"""Reads the sbatch arguments of a job; the command line has the one that there is."""


class Estimates(NamedTuple):
    """The run times that the scheduler plans with.

    ``factor``: of the true ones, None for those of the users. A user's estimate below the run time counts as the run
    time, because the job was let run; with ``kill`` the job ends at the estimate. A ``factor`` below 1 always kills.
    """

    factor: float | None = None
    kill: bool = False

    def seconds(self, job: TraceJob) -> int:
        """Return the limit of a job in seconds of the trace."""
        if self.factor is not None:
            return max(1, round(job.run * self.factor))
        if job.estimate <= 0:
            return job.run
        return job.estimate if self.kill else max(job.estimate, job.run)


def estimates(text: str, *, kill: bool) -> Estimates:
    """Return what ``--estimates`` asks for: ``user``, ``exact`` or ``xF``."""
    if text == "user":
        return Estimates(None, kill)
    if text == "exact":
        return Estimates(1.0)
    try:
        factor = float(text.removeprefix("x")) if text.startswith("x") else 0.0
    except ValueError:
        factor = 0.0
    if not 0 < factor < 1e6:
        raise UserError(f"--estimates {text}: give user, exact, or x and a factor of the run times, as x2.5")
    return Estimates(factor)


class Maker:
    """Makes the requests of a replay; ``second``: how many of the cluster's seconds one of the trace lasts."""

    def __init__(self, machine: Machine, second: int, planned: Estimates, parser: Parser | None) -> None:
        self.second = second
        self._machine, self._planned, self._parser = machine, planned, parser
        self._users: dict[str, User] = {}

    def make(self, ctl: Controller, job: TraceJob) -> tuple[JobRequest, User]:
        """Return the request of a job, and its user."""
        if job.words and self._parser is not None:
            request, user = self._parser(ctl, job.words)
            request.sim_runtime = job.run * self.second if job.run >= 0 else None
            return request, user
        request = JobRequest(
            num_tasks=job.size,
            time_limit=-(-self._planned.seconds(job) * self.second // MINUTE),
            sim_runtime=job.run * self.second,
            **self._places(ctl, job),  # type: ignore[arg-type]
        )
        return request, self._user(ctl, job.owner)

    def _places(self, ctl: Controller, job: TraceJob) -> dict[str, object]:
        """Return the fields that depend on the machine: its nodes are given whole, those of a file as it says."""
        if not self._machine.file:
            nodes = -(-job.size // self._machine.processors)
            return {"min_nodes": nodes, "max_nodes": nodes, "partition": "all"}
        fields: dict[str, object] = {}
        if job.nodes > 0:
            fields = {"min_nodes": job.nodes, "max_nodes": job.nodes}
        if job.memory > 0 and "MEMORY" in ctl.cluster.config.get("SelectTypeParameters").upper():
            fields["mem_per_cpu"] = -(-job.memory // 1024)
        if job.queue_name in ctl.cluster.partitions:
            fields["partition"] = job.queue_name
        return fields

    def _user(self, ctl: Controller, name: str) -> User:
        user = self._users.get(name)
        if user is None:
            user = self._users[name] = users.resolve(ctl.cluster, name)
        return user
