"""Scheduler plugins of other packages, behind the checks of `guard`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slimsched.controller.plugins import guard
from slimsched.controller.plugins.guard_priority import sound
from slimsched.errors import PluginError, PluginFault
from slimsched.sched.api import ERROR, SUCCESS, Attempt, Entry, SchedPlugin

if TYPE_CHECKING:
    from collections.abc import Mapping

    from slimsched.controller.plugins.sched_host import SchedHost
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job


class CarefulHost:
    """The controller as a plugin of another package sees it: it can start and change only what a scheduler may."""

    def __init__(self, host: SchedHost) -> None:
        self._host = host

    def __getattr__(self, name: str) -> Any:
        return getattr(self._host, name)

    def attempt(self, job: Job, partition: PartitionConf, excluded: int, scheduler: str) -> Attempt:
        """Start a job of the queue. Raises `PluginError` for any other."""
        self._queued(job, partition)
        return self._host.attempt(job, partition, int(excluded), str(scheduler))

    def attempt_together(self, job: Job, partition: PartitionConf, excluded: Mapping[int, int]) -> Attempt:
        """Start a heterogeneous job of the queue. Raises `PluginError` for any other."""
        self._queued(job, partition)
        if not job.het_job_id:
            raise PluginError(f"job {job.job_id} is not heterogeneous")
        return self._host.attempt_together(
            job, partition, {int(number): int(mask) for number, mask in excluded.items()}
        )

    def _queued(self, job: Job, partition: PartitionConf) -> None:
        queue = self._host.queue()
        if not any(entry.job is job and entry.partition is partition for entry in queue) or not job.pending:
            raise PluginError(f"job {getattr(job, 'job_id', job)} is not waiting to be scheduled there")

    def set_priority(self, job: Job, priority: int) -> None:
        """Change the priority of a job. Raises `PluginError` for one that does not wait or that others hold."""
        self._waiting(job)
        if not sound(priority):
            raise PluginError(f"{priority!r} is not a priority")
        if job.held and not job.sched_hold:
            raise PluginError(f"job {job.job_id} is held by a user")
        self._host.set_priority(job, priority)

    def set_required_nodes(self, job: Job, nodes: int) -> None:
        """Change the nodes that a job requires. Raises `PluginError` for one that does not wait, and for no nodes."""
        self._waiting(job)
        if type(nodes) is not int or nodes < 0 or nodes >> len(self._host.cluster.nodes):
            raise PluginError(f"{nodes!r} is not a set of nodes")
        self._host.set_required_nodes(job, nodes)

    def set_time_limit(self, job: Job, minutes: int) -> None:
        """Change the limit of a running job. Raises `PluginError` for any other."""
        if self._host.cluster.jobs.get(getattr(job, "job_id", 0)) is not job or not job.active or minutes < 0:
            raise PluginError("the limit of a job that is not running cannot be set")
        self._host.set_time_limit(job, int(minutes))

    def _waiting(self, job: Job) -> None:
        if self._host.cluster.jobs.get(getattr(job, "job_id", 0)) is not job or not job.pending:
            raise PluginError(f"job {getattr(job, 'job_id', job)} does not wait")


class GuardedSched(SchedPlugin):
    """A scheduler plugin whose failures end only its pass."""

    def __init__(self, host: SchedHost, kind: type[SchedPlugin]) -> None:
        super().__init__(host)
        self.outsider = guard.Outsider(host.cluster, kind, CarefulHost(host))
        self.plugin_type, self.plugin_name = self.outsider.name, str(kind.plugin_name)
        self.leads, self.looks_deeper = bool(kind.leads), bool(kind.looks_deeper)

    def schedule(self) -> int:
        """Invoke a pass; a plugin that reports an error is noted too."""
        code = self._ask(ERROR, "schedule")
        if type(code) is not int or code not in (SUCCESS, ERROR):
            self.outsider.note_answer("schedule", code)
            return ERROR
        if code == ERROR and self.get_errno():
            errno = self.get_errno()
            self.outsider.note("schedule", f"error {errno}: {self.strerror(errno)}")
        return code

    def try_job(self, entry: Entry) -> bool:
        """Let the plugin start a new job ahead of others."""
        self._ask(False, "try_job", entry)
        return not entry.job.pending

    def initial_priority(self, max_prio: int) -> int:
        """Return the plugin's answer, the usual one if it is not a priority."""
        otherwise = super().initial_priority(max_prio)
        value = self._ask(otherwise, "initial_priority", max_prio)
        if sound(value):
            number: int = value
            return number
        self.outsider.note_answer("initial_priority", value)
        return otherwise

    def job_is_pending(self) -> None:
        """Tell the plugin."""
        self._ask(None, "job_is_pending")

    def get_errno(self) -> int:
        """Return the plugin's last error."""
        value = self._ask(ERROR, "get_errno")
        return value if isinstance(value, int) else ERROR

    def strerror(self, errnum: int) -> str | None:
        """Return the plugin's text of an error."""
        value = self._ask(None, "strerror", errnum)
        return value if isinstance(value, str) else None

    def _ask(self, otherwise: Any, name: str, *args: Any) -> Any:
        """Return the plugin's answer, ``otherwise`` if it fails."""
        try:
            return self.outsider.ask(name, *args)
        except PluginError as fault:
            if not isinstance(fault, PluginFault):
                self.outsider.note(name, fault)
            return otherwise
