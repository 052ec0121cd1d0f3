"""slurmctld as a library: the cluster and its plugins, and the two calls that every command makes.

`catch_up` brings the cluster to the present of its clock; `settle` runs the scheduling pass if a command
changed something that could start a job. The verbs are functions in the files beside this one.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slimsched.controller.agenda import Agenda
    from slimsched.executor.api import Executor
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.priority.api import PriorityPlugin
    from slimsched.sched.api import Candidates, Entry, SchedPlugin
    from slimsched.select.api import Selection, SelectPlugin


class Controller:
    """One cluster under control; it is also the `Host` of its scheduler plugin. Plugins are loaded when needed."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.agenda: Agenda | None = None  # the event queue, once the clock has moved

    # plugins

    @cached_property
    def select(self) -> SelectPlugin:
        """The select plugin of ``SelectType``, told of the nodes and of the jobs that hold some."""
        from slimsched.select import registry

        return registry.load(self.cluster.config.get("SelectType"), self.cluster)

    @cached_property
    def sched(self) -> SchedPlugin:
        """The scheduler plugin of ``SchedulerType``."""
        from slimsched.sched import registry

        return registry.create(self.cluster, self)

    @cached_property
    def priority(self) -> PriorityPlugin:
        """The priority plugin of ``PriorityType``."""
        from slimsched.priority import registry

        return registry.create(self.cluster)

    @cached_property
    def executor(self) -> Executor:
        """What runs the jobs."""
        from slimsched.executor import registry

        return registry.create(self.cluster)

    # what every command does

    def catch_up(self) -> None:
        """Bring the cluster to the present (wall clock); under the virtual clock nothing moves by itself."""
        if self.cluster.config.clock == "wall":
            import time

            from slimsched.controller import events

            events.advance(self, int(time.time()))

    def settle(self) -> None:
        """Run a scheduling pass if something changed since the last one."""
        if self.cluster.pass_due:
            from slimsched.controller import scheduling

            scheduling.run_pass(self)

    # the verbs' common steps

    def set_priority(self, job: Job) -> None:
        """Give a new, released or requeued job its priority, behind the jobs before it."""
        cluster = self.cluster
        base = self.sched.initial_priority(cluster.next_priority + 1)
        if base:
            cluster.next_priority = base - 1
            base = self.priority.set(base, job)
        job.priority = base

    def note(self, job: Job) -> None:
        """Tell the event queue that a job's next event (end, begin time, deadline) may have changed."""
        if self.agenda is not None:
            self.agenda.note(job)

    # what the scheduler plugin asks (`slimsched.sched.api.Host`)

    def queue(self) -> list[Entry]:
        """Return the jobs that may be scheduled now, best first."""
        from slimsched.controller import queue

        return queue.build(self)

    def candidates(self, job: Job, partition: PartitionConf) -> Candidates:
        """Return where a job may be placed."""
        from slimsched.controller import scheduling

        return scheduling.candidates(self, job, partition)

    def start(self, job: Job, partition: PartitionConf, selection: Selection, scheduler: str) -> Job:
        """Start a job; returns the job that runs."""
        from slimsched.controller import life

        return life.start_job(self, job, partition, selection, scheduler)
