"""slurmctld as a library: the cluster and its plugins, and the session that every command is.

`catch_up` brings the cluster to the present of its clock; `settle` runs the scheduling pass if a command
changed something that could start a job; `commit` writes it. The verbs are functions in the files beside this one.
"""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING

from slimsched.errors import PluginError, SimError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from slimsched.constraints.complexes.booking import Bookings
    from slimsched.controller.life.dependency import Waiting
    from slimsched.controller.life.power import Power
    from slimsched.controller.roster import Roster
    from slimsched.controller.schedule.event_queue import EventQueue
    from slimsched.controller.schedule.main_pass import Pass
    from slimsched.controller.schedule.node_sets import NodeSets
    from slimsched.controller.schedule.ordered_queue import OrderedQueue
    from slimsched.controller.submit.submission import Admission
    from slimsched.executor.api import Executor
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.priority.api import PriorityPlugin
    from slimsched.sched.api import SchedPlugin
    from slimsched.select.api import SelectPlugin
    from slimsched.select.openings import Foresight
    from slimsched.slurm.conf import Parameters
    from slimsched.state.store import Store

MUCH = 1000
"""Events, from which on long work is committed before its end."""


class Controller:
    """One cluster under control. Plugins are loaded when needed."""

    def __init__(self, cluster: Cluster, place: str = "") -> None:
        self.cluster: Cluster = cluster
        self.place = place  # folder of the state's files, for an executor that needs some
        self.store: Store | None = None  # the state directory that it is loaded from; None: in memory only
        self.agenda: EventQueue | None = None  # the event queue, once the clock has moved
        self.next_purge = cluster.now
        self.bookings: Bookings | None = None  # of consumables, once one is asked for; see `complexes`
        self.forecasting = True  # false: a replay, whose submissions are batches, each followed by a whole pass
        self.each_plan = False  # true: a replay that keeps plans; none is left out because another is certain to follow
        self.thorough = False  # true: each pass looks at all that waits anew, for tests that compare
        self.plans_left = False  # the last cycle did not plan all that wait: another was certain to follow
        self.current_pass: Pass | None = None  # while one runs
        self.waiting: Waiting | None = None  # the jobs that wait for others, once a pass has met one
        self.admissions: dict[object, Admission] = {}  # what requests ask for -> what the first of them came to
        self.ends_now = False  # a job without a run time has started
        self.killed = False  # a running job was cancelled, requeued or taken off its nodes; for Slurm's pace
        self.steps_reported: dict[int, int] = {}  # job id -> instant at which the select plugin last heard of its steps
        self.committed = 0  # when the state took in what was decided here, by time.monotonic_ns; 0: not yet
        self.events_seen = 0  # by the triggers, of those that the cluster has recorded
        self.gathering = False  # true: more submissions of this instant may follow, see `Cluster.arrays_due`

    # plugins

    @cached_property
    def select(self) -> SelectPlugin:
        """The select plugin of ``SelectType``, told of the nodes and of the jobs that hold some."""
        from slimsched.plugins import ours
        from slimsched.select import registry

        cluster = self.cluster
        name = cluster.config.get("SelectType")
        kind = registry.find(name)
        if ours(kind):
            plugin = kind(cluster)
        else:
            from slimsched.controller.plugins.guard import Guarded

            plugin = Guarded(cluster, kind)
        return registry.start(plugin, cluster, cluster.plugin_state.get(name))

    @cached_property
    def foresight(self) -> Foresight | None:
        """The select plugin, if it has the functions for those who plan many jobs."""
        from slimsched.select.openings import Foresight

        return self.select if isinstance(self.select, Foresight) else None

    @cached_property
    def sched(self) -> SchedPlugin:
        """The scheduler plugin of ``SchedulerType``."""
        from slimsched.controller.plugins.sched_host import SchedHost
        from slimsched.plugins import ours
        from slimsched.sched import registry

        host = SchedHost(self)
        kind = registry.find(self.cluster.config.get("SchedulerType"))
        if ours(kind):
            return kind(host)
        from slimsched.controller.plugins.guard_sched import GuardedSched

        return GuardedSched(host, kind)

    @cached_property
    def led(self) -> bool:
        """Whether the scheduler plugin ``leads``; built-in ones do not, and are not loaded for the answer."""
        from slimsched.sched import registry

        return not registry.is_built_in(self.cluster.config.get("SchedulerType")) and self.sched.leads

    @cached_property
    def paced(self) -> bool:
        """Whether passes come in Slurm's rhythm, and not at once; a plugin that leads has a rhythm of its own."""
        return self.cluster.config.pace == "slurm" and not self.led

    @cached_property
    def priority(self) -> PriorityPlugin:
        """The priority plugin of ``PriorityType``."""
        from slimsched.plugins import ours
        from slimsched.priority import registry

        kind = registry.find(self.cluster.config.get("PriorityType"))
        if ours(kind):
            return kind(self.cluster)
        from slimsched.controller.plugins.guard_priority import GuardedPriority

        return GuardedPriority(self.cluster, kind)

    @property
    def event_queue(self) -> EventQueue:
        """The event queue, made of the records when it is needed first."""
        if self.agenda is None:
            from slimsched.controller.schedule.event_queue import EventQueue

            self.agenda = EventQueue(self)
        return self.agenda

    @cached_property
    def parameters(self) -> Parameters:
        """``SchedulerParameters``."""
        return self.cluster.config.parameters

    @cached_property
    def job_age(self) -> int:
        """Seconds for which ended jobs stay in memory (``MinJobAge``), 0 for ever."""
        return max(0, self.cluster.config.number("MinJobAge"))

    @cached_property
    def preempts(self) -> bool:
        """Whether running jobs may have to go for others (``PreemptType``)."""
        return self.cluster.config.preempts

    @cached_property
    def gangs(self) -> bool:
        """Whether jobs that share CPUs take turns (``PreemptMode``)."""
        return "GANG" in self.cluster.config.get("PreemptMode").upper()

    @cached_property
    def sets(self) -> NodeSets:
        """The node sets that scheduling asks for."""
        from slimsched.controller.schedule.node_sets import NodeSets

        return NodeSets(self.cluster)

    @cached_property
    def queue(self) -> OrderedQueue:
        """The job queue."""
        from slimsched.controller.schedule.ordered_queue import OrderedQueue

        return OrderedQueue(self)

    @cached_property
    def _roster(self) -> Roster:
        from slimsched.controller.roster import Roster

        return Roster(self.cluster)

    @property
    def roster(self) -> Roster:
        """The jobs in memory by state, as they are now."""
        known = self._roster
        if known.changed or known.size != len(self.cluster.jobs) or not self.trusts_marks:
            known.refresh(every=not self.trusts_marks)
        return known

    @cached_property
    def trusts_marks(self) -> bool:
        """Whether whatever changes a job says so: plugins of other packages need not."""
        from slimsched.sched import registry

        built_in = registry.is_built_in(self.cluster.config.get("SchedulerType"))
        return built_in and self.priority.marks_changes and not self.thorough

    @cached_property
    def power(self) -> Power:
        """The power of the nodes."""
        from slimsched.controller.life.power import Power

        return Power(self)

    @cached_property
    def executor(self) -> Executor:
        """What runs the jobs."""
        from slimsched.executor import registry

        return registry.create(self.cluster, self.place)

    # what every command does

    @classmethod
    def load(cls, store: Store) -> Controller:
        """Return the controller of an open state directory."""
        ctl = cls(store.load(), store.data)
        ctl.store = store
        return ctl

    @contextmanager
    def session(self, *, write: bool) -> Iterator[None]:
        """Catch up; commit what is done inside (``write``). An error leaves all as it was, unless it ``commits``."""
        try:
            self.catch_up()
            yield
        except SimError as error:
            if write and error.commits:
                self.commit()
            raise
        else:
            if write:
                self.commit()
        finally:
            self.shut_down(save=False)

    def commit(self) -> None:
        """Settle, and write what has changed."""
        self.settle()
        self.shut_down()
        if self.cluster.config.live:
            self.executor.write()
        self._write()

    def commit_much(self) -> None:
        """Write what long work has changed so far, if it is much: the state is then as if it ended at this instant.

        For whoever drives the event loop, between two instants.
        """
        cluster = self.cluster
        if self.store is not None and len(cluster.events) >= max(MUCH, len(cluster.jobs)):
            due = cluster.pass_due
            cluster.pass_due |= self.plans_left
            self._save_plugin()
            self._write()
            cluster.pass_due = due

    def _write(self) -> None:
        if self.store is not None:
            self.store.commit(self.cluster)
            self.events_seen = 0
            self.committed = time.monotonic_ns()

    def follow_up(self) -> None:
        """Start and end processes of a live cluster after a commit, once the state's lock is free again."""
        if self.store is not None and self.committed and self.cluster.config.live:
            from slimsched.controller.schedule.event_loop import next_instant
            from slimsched.executor.local import afterwards

            self.executor.start()
            afterwards.tell(self.store.folder, next_instant(self), self.committed)

    def catch_up(self) -> None:
        """Bring the cluster to the present (wall clock); under the virtual clock nothing moves by itself.

        Arrays that were submitted at this instant get their pass, if no more submissions are ``gathering``.
        """
        if self.cluster.arrays_due:
            self.settle()
        if self.cluster.config.clock == "wall":
            from slimsched.controller.schedule import event_loop

            event_loop.advance(self, int(time.time()))
            if self.cluster.config.live:
                from slimsched.controller.life import live_steps

                live_steps.catch_up(self)
                if self.cluster.accounting:
                    from slimsched.controller.accounts import usage_limits

                    usage_limits.catch_up(self)

    def refresh_priorities(self) -> None:
        """Bring the priorities of waiting jobs to the present, for a command that shows them and writes nothing.

        Without a plugin that could be loaded they are shown as they were written.
        """
        if self.cluster.config.get("PriorityType") != "priority/basic":
            with suppress(PluginError):
                self.priority.recalculate([job for job in self.cluster.jobs.values() if job.pending])

    def settle(self) -> None:
        """Run a scheduling pass if something changed since the last one; jobs without a run time end at once.

        While submissions are ``gathering``, a pass that would give new arrays' tasks their job ids waits.
        """
        if self.cluster.arrays_due and self.gathering:
            return
        if self.paced:
            from slimsched.controller.schedule import rhythm

            rhythm.note(self)
        elif self.cluster.pass_due:
            from slimsched.controller.schedule.main_pass import run_pass

            run_pass(self)
        if self.ends_now:
            from slimsched.controller.schedule import event_loop

            event_loop.advance(self, self.cluster.now)
        if self.cluster.triggers:
            from slimsched.controller.life import triggers

            triggers.look(self)

    def shut_down(self, *, save: bool = True) -> None:
        """End the select plugin, at the end of a command that used it; ``save``: keep its state with the cluster."""
        if "select" in self.__dict__:
            if save:
                self._save_plugin()
            self.select.fini()
            del self.select
            self.__dict__.pop("foresight", None)

    def _save_plugin(self) -> None:
        if "select" in self.__dict__:
            self.cluster.plugin_state = {self.cluster.config.get("SelectType"): self.select.state_save()}

    def renew_nodes(self) -> None:
        """Forget what was kept of a table of nodes that has changed."""
        if "select" in self.__dict__:
            self.shut_down()
        self.__dict__.pop("sets", None)

    @cached_property
    def tells_states(self) -> bool:
        """Whether the select plugin uses the states of nodes."""
        from slimsched.select.api import SelectPlugin

        plugin = getattr(self.select, "plugin", self.select)
        return type(plugin).update_node_state is not SelectPlugin.update_node_state

    # the verbs' common steps

    def note(self, job: Job) -> None:
        """Tell the event queue that a job's next event (end, begin time, deadline) may have changed."""
        if self.agenda is not None:
            self.agenda.note(job)
