"""Scheduler plugins of other packages, behind the checks of `guard`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slimsched.controller import guard
from slimsched.errors import PluginError
from slimsched.sched.api import ERROR, SUCCESS, Attempt, Entry, SchedPlugin

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.controller.sched_host import SchedHost
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job


class CarefulHost:
    """The controller as a plugin of another package gets it: only jobs of the queue can be started or changed."""

    def __init__(self, host: SchedHost) -> None:
        self._host = host

    def __getattr__(self, name: str) -> Any:
        return getattr(self._host, name)

    def attempt(self, job: Job, partition: PartitionConf, excluded: int, scheduler: str) -> Attempt:
        """Start a job of the queue. Raises `PluginError` for any other."""
        queue = self._host.queue()
        if not any(entry.job is job and entry.partition is partition for entry in queue) or not job.pending:
            raise PluginError(f"job {getattr(job, 'job_id', job)} is not waiting to be scheduled there")
        return self._host.attempt(job, partition, int(excluded), str(scheduler))

    def set_time_limit(self, job: Job, minutes: int) -> None:
        """Change the limit of a running job. Raises `PluginError` for any other."""
        if self._host.cluster.jobs.get(getattr(job, "job_id", 0)) is not job or not job.active or minutes < 0:
            raise PluginError("the limit of a job that does not run cannot be set")
        self._host.set_time_limit(job, int(minutes))


class GuardedSched(SchedPlugin):
    """A scheduler plugin whose failures end its pass and nothing else."""

    def __init__(self, host: SchedHost, plugin: SchedPlugin) -> None:
        super().__init__(host)
        plugin.host = CarefulHost(host)
        self.plugin = plugin
        self.plugin_type, self.plugin_name = plugin.plugin_type, plugin.plugin_name
        self.looks_deeper = bool(plugin.looks_deeper)

    def schedule(self) -> int:
        """Invoke a pass; a plugin that reports an error is noted too."""
        code = self._call("schedule", self.plugin.schedule, ERROR)
        if code != SUCCESS and code != ERROR:
            guard.note(self.host.cluster, self.plugin_type, "schedule", f"returned {code!r}")
        elif code == ERROR and self.get_errno():
            errno = self.get_errno()
            guard.note(self.host.cluster, self.plugin_type, "schedule", f"error {errno}: {self.strerror(errno)}")
        return SUCCESS if code == SUCCESS else ERROR

    def try_job(self, entry: Entry) -> bool:
        """Let the plugin start a new job ahead of others."""
        self._call("try_job", lambda: self.plugin.try_job(entry), False)
        return not entry.job.pending

    def initial_priority(self, max_prio: int) -> int:
        """Return the plugin's answer, the usual one if it is no priority."""
        value = self._call("initial_priority", lambda: self.plugin.initial_priority(max_prio), None)
        if isinstance(value, int) and 0 <= value <= max_prio:
            return value
        if value is not None:
            guard.note(self.host.cluster, self.plugin_type, "initial_priority", f"returned {value!r}")
        return super().initial_priority(max_prio)

    def job_is_pending(self) -> None:
        """Tell the plugin."""
        self._call("job_is_pending", self.plugin.job_is_pending, None)

    def get_errno(self) -> int:
        """Return the plugin's last error."""
        value = self._call("get_errno", self.plugin.get_errno, ERROR)
        return value if isinstance(value, int) else ERROR

    def strerror(self, errnum: int) -> str | None:
        """Return the plugin's text of an error."""
        value = self._call("strerror", lambda: self.plugin.strerror(errnum), None)
        return value if isinstance(value, str) else None

    def _call(self, name: str, run: Callable[[], Any], otherwise: Any) -> Any:
        """Return the plugin's answer, ``otherwise`` if it fails."""
        try:
            return guard.call(self.host.cluster, self.plugin_type, name, run)
        except PluginError as fault:
            if fault.__cause__ is None:
                guard.note(self.host.cluster, self.plugin_type, name, fault)
            return otherwise
