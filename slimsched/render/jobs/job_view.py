"""The view of a job: the numbers and texts that every command shows, computed from its record and its cluster.

One view serves ``squeue``, ``scontrol show job``, ``sacct`` and JSON: what is not just a value of the record is a
property here or of its base (`Sized`), and each of them lays it out. The record of a pending array has one view that
stands for all its tasks, or one for each of them (``task``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model.request import INFINITE
from slimsched.render.jobs.job_size import Sized
from slimsched.slurm.states import JOB, PENDING, RUNNING, SUSPENDED

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job


class View(Sized):
    """One job, or one task of a pending array."""

    __slots__ = ("now", "rank", "task", "tier")

    def __init__(
        self, job: Job, cluster: Cluster, task: int | None = None, sizes: dict[str, int] | None = None
    ) -> None:
        super().__init__(job, cluster, sizes)
        self.now = cluster.now
        self.task = job.array_task_id if task is None else task
        self.rank = self.tier = 0  # place in the controller's list; tier of the partition, where it counts

    # identity

    @property
    def array_id(self) -> int:
        """Job id of the array, the job's own for one that is of no array."""
        return self.job.array_job_id or self.job.job_id

    @property
    def of_array(self) -> bool:
        """Whether it is an array or a task of one."""
        return bool(self.job.array_job_id or self.job.array_tasks)

    @property
    def qos(self) -> str | None:
        """Name of its QOS, `None` if it has none, "" for one that nobody defined on a cluster with accounts."""
        name = self.job.request.qos
        if name and self.cluster.accounting:
            from slimsched.model.account import Book

            return name if Book(self.cluster).get("qos", name) is not None else ""
        return name or None

    @property
    def tasks(self) -> str:
        """Task number, or tasks of a pending array with their throttle: ``2-5%2``; "" for no array."""
        job = self.job
        if self.task is not None:
            return str(self.task)
        if not job.array_tasks:
            return ""
        from slimsched.render.jobs.array_tasks import shown

        return shown(job.array_tasks, job.array_max_tasks)

    @property
    def accrues_since(self) -> int:
        """Since when it gains priority by age; for a job that waits for its time, from when. 0: it does not."""
        job = self.job
        waits = job.pending and job.eligible_time > self.now and not self.of_array
        return job.accrue_time or (job.eligible_time if waits else 0)

    @property
    def pending_tasks(self) -> str:
        """The same of the record of a pending array alone."""
        return self.tasks if self.job.array_tasks and self.task is None else ""

    def has_task(self, task: int | None) -> bool:
        """Whether the pending array has this task left."""
        if task is None or not self.job.array_tasks:
            return False
        from slimsched.text.idset import ranges

        return any(first <= task <= last for first, last in ranges(self.job.array_tasks))

    @property
    def name(self) -> str:
        """Job id as users write it: ``2``, ``3_1``, ``3_[2-5%2]``, ``4+1``."""
        job = self.job
        if job.het_job_id:
            return f"{job.het_job_id}+{job.het_job_offset}"
        if self.task is not None:
            return f"{self.array_id}_{self.task}"
        return f"{self.array_id}_[{self.tasks}]" if job.array_tasks else str(job.job_id)

    @property
    def sluid(self) -> str:
        """A unique id in the shape of Slurm's own."""
        from slimsched.executor.batch_environment import sluid

        return sluid(self.job)

    @property
    def cluster_name(self) -> str:
        """Name of its cluster."""
        return self.cluster.config.get("ClusterName")

    @property
    def mail_user(self) -> str:
        """The user who gets its mail."""
        return self.request.mail_user or self.job.user_name

    @property
    def container(self) -> str:
        """The container that it names."""
        return self.request.recorded.get("container", "")

    @property
    def container_id(self) -> str:
        """The name that it gives to its container."""
        return self.request.recorded.get("container-id", "")

    @property
    def system_comment(self) -> str:
        """The comment of the system's own programs."""
        return self.request.recorded.get("system-comment", "")

    # files

    @property
    def stdin(self) -> str:
        """The pattern of the file that it reads, "" for none."""
        return _pattern(self.job, "input")

    @property
    def stdout(self) -> str:
        """The pattern of the file that it writes to, "" for none."""
        return _pattern(self.job, "output")

    @property
    def stderr(self) -> str:
        """The pattern of the file of its errors, "" for none."""
        return _pattern(self.job, "error")

    # state

    @property
    def state(self) -> str:
        """The state that is shown: a flag such as COMPLETING ahead of the base state."""
        return next((flag for flag in self.job.flags if flag in JOB), self.job.state)

    @property
    def reason(self) -> str:
        """The reason why it waits, or its end, as a text or a word."""
        return self.job.state_desc or self.job.reason

    @property
    def where(self) -> str:
        """The nodes, or the reason in parentheses for a job that waits or has failed."""
        return f"({self.reason})" if JOB[self.job.state].shows_reason else self.job.nodes

    @property
    def running(self) -> bool:
        """Whether it runs now."""
        return self.job.state == RUNNING

    # times, seconds

    @property
    def used(self) -> int:
        """Seconds that it has run, without its suspensions."""
        job = self.job
        if job.state == SUSPENDED:
            return job.pre_sus_time
        if not job.start_time or not (job.active or job.finished):
            return 0
        end = job.end_time if job.finished or job.ending else self.now
        return max(0, job.pre_sus_time + end - (job.suspend_time or job.start_time))

    @property
    def limit(self) -> int:
        """Time limit in minutes, `INFINITE` for none."""
        part = self.cluster.partitions.get(self.partition.partition(",")[0])
        given = self.request.time_limit
        if given is not None or part is None:
            return INFINITE if given is None else given
        from slimsched.controller.requests.time_limits import time_limit  # few columns show it

        return time_limit(self.job, part)

    @property
    def has_limit(self) -> bool:
        """Whether its time limit is a number."""
        return self.limit != INFINITE

    @property
    def left(self) -> int:
        """Seconds until its limit; meaningless without one."""
        return self.limit * 60 - self.used

    @property
    def end(self) -> int:
        """When it ended or will end at the latest; 0 if nobody knows."""
        job = self.job
        if job.state == PENDING and job.start_time and not job.end_time and self.has_limit:
            return job.start_time + self.limit * 60
        return job.end_time

    @property
    def waited(self) -> int:
        """Seconds between its submission and its start, so far."""
        start = self.job.start_time
        return (start if start and start < self.now else self.now) - self.job.submit_time


def _pattern(job: Job, stream: str) -> str:
    from slimsched.executor.file_names import pattern  # few columns show it

    return pattern(job, stream)
