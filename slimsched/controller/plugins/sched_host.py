"""The controller as its scheduler plugin sees it (`slimsched.sched.api.Host`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.gridengine import complexes, consumables
from slimsched.controller.requests import licensing, time_limits
from slimsched.controller.reservations import blocking
from slimsched.controller.schedule import attempt, candidates, job_queue
from slimsched.model.record import copied

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from slimsched.controller.core import Controller
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.sched.api import Attempt, Block, Candidates, Entry, Held
    from slimsched.select.api import SelectPlugin


class SchedHost:
    """What a scheduler plugin may ask of a controller."""

    def __init__(self, ctl: Controller) -> None:
        self._ctl = ctl
        self.cluster = ctl.cluster

    @property
    def forecasting(self) -> bool:
        """Whether planned starts are wanted even if nothing can start."""
        running = self._ctl.current_pass
        return running.forecasts if running else self._ctl.forecasting

    @property
    def select(self) -> SelectPlugin:
        """The select plugin."""
        return self._ctl.select

    @property
    def up_nodes(self) -> int:
        """The nodes on which jobs may be placed."""
        return self._ctl.sets.up

    @property
    def queue_moves(self) -> int | None:
        """How often the queue has changed, jobs that entered as the last apart; ``None`` if nobody counts."""
        return self._ctl.queue.moves if self._ctl.queue.kept else None

    def queue(self) -> list[Entry]:
        """Return the jobs that may be scheduled now, best first."""
        running = self._ctl.current_pass
        return running.queue if running else self._ctl.queue.entries()

    def wanted(self, job: Job, partition: PartitionConf, *, extra: bool = True) -> Candidates:
        """Return what a job asks for in a partition; ``extra``: whether its ``--extra`` counts."""
        found = candidates.wanted(self._ctl, job, partition, extra=extra)
        if not extra and complexes.concern(self.cluster, job.request):  # slurmctld ignores only ``--extra`` here
            found.bitmap &= complexes.nodes(self.cluster, job.request, partition.partition_name)
        return found

    def blocks(self, job: Job) -> list[Block]:
        """Return what advance reservations keep from a job."""
        return blocking.blocks(self.cluster, job)

    def held_cores(self, job: Job) -> Held | None:
        """Return the CPUs of nodes that reservations keep from a job; ``None`` if they hold whole nodes only."""
        return blocking.holder(self.cluster, job)

    def may_preempt(self, job: Job, partition: PartitionConf) -> bool:
        """Return whether running jobs, if there are such, may be ended or requeued for a job."""
        from slimsched.controller.schedule import preemption

        return preemption.may_preempt(self.cluster, job, partition)

    def preemptable(self, job: Job, partition: PartitionConf) -> Sequence[Job]:
        """Return the running jobs that would be ended or requeued for a job, the first to go first."""
        from slimsched.controller.schedule import preemption

        return preemption.removable(self.cluster, job, partition)

    def licensed(self, job: Job) -> bool:
        """Return whether the licenses that a job asks for are free."""
        return licensing.grant(self.cluster, job) is not None

    def bounds(self, entry: Entry, where: Candidates) -> Mapping[int, int] | None:
        """Return the most CPUs per node that consumables leave to a job, ``None`` if too little of one is left."""
        return consumables.bounds(self._ctl, where.question(entry.job, entry.partition))

    def least_priority(self, entry: Entry) -> int:
        """Return the priority from which on a job may keep nodes from others, 0 if only the cluster's counts."""
        from slimsched.controller.schedule.main_pass import least_priority

        return least_priority(self._ctl, entry)

    def attempt(self, job: Job, partition: PartitionConf, excluded: int, scheduler: str) -> Attempt:
        """Start a job (one task of an array) outside of the ``excluded`` nodes; if it cannot, its reason says why."""
        if job.het_job_id:
            every = [job, *(others[0].job for others in self.companions(job))]
            return self.attempt_together(job, partition, {one.job_id: excluded for one in every})
        return attempt.try_one(self._ctl, job, partition, self._ctl.sets.up, excluded, scheduler)[0]

    def companions(self, job: Job) -> list[list[Entry]]:
        """Return the entries of each other component that starts with a heterogeneous job; none for a plain one."""
        return job_queue.companions(self._ctl, job)

    def attempt_together(self, job: Job, partition: PartitionConf, excluded: Mapping[int, int]) -> Attempt:
        """Start all components of a heterogeneous job, each outside of the nodes that are ``excluded`` for its id."""
        from slimsched.controller.schedule import together

        return together.try_together(self._ctl, job, partition, self._ctl.sets.up, excluded)[0]

    def held(self) -> list[Job]:
        """Return the jobs that the scheduler holds: by an initial priority of 0, or by `set_priority`."""
        return [job for job in self.cluster.jobs.values() if job.pending and job.held and job.sched_hold]

    def set_priority(self, job: Job, priority: int) -> None:
        """Change the priority of a waiting job: 0 holds it, any other releases it, and is not recalculated."""
        from slimsched.controller.schedule import hold

        if priority:
            hold.put_priority(self._ctl, job, priority)
        elif not job.held:
            hold.hold_job(self._ctl, job)
            job.sched_hold = True
        self._requeue()

    def set_required_nodes(self, job: Job, nodes: int) -> None:
        """Change the nodes (a bitmap) that must be among those of a waiting job; 0 leaves the choice open."""
        job.request = copied(job.request)
        job.request.nodelist = self.cluster.hostlist_of(nodes)
        self.cluster.touch_job(job)
        self._requeue()

    def _requeue(self) -> None:
        """Bring the queue of this pass up to date, or see to it that there is a pass."""
        if self._ctl.current_pass is None:
            self.cluster.pass_due = True
        else:
            self._ctl.current_pass.renew()

    def time_limit(self, job: Job, partition: PartitionConf) -> int:
        """Return the seconds that a job would hold its nodes at most."""
        return time_limits.planned_seconds(job, partition)

    def set_time_limit(self, job: Job, minutes: int) -> None:
        """Change the limit of a running job."""
        time_limits.set_running(self._ctl, job, minutes)

    def tasks(self, job: Job) -> int:
        """Return how many tasks of a pending record may start at once (1 if it is not an array)."""
        return job_queue.free_tasks(self._ctl, job)
