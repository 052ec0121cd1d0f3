"""slurmctld as a library: the cluster and its plugins, and the two calls that every command makes.

`catch_up` brings the cluster to the present of its clock; `settle` runs the scheduling pass if a command
changed something that could start a job. The verbs are functions in the files beside this one.
"""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from slimsched.errors import PluginError
from slimsched.model.job import HOLD_PRIORITY

if TYPE_CHECKING:
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


class Controller:
    """One cluster under control. Plugins are loaded when needed."""

    def __init__(self, cluster: Cluster, place: str = "") -> None:
        self.cluster: Cluster = cluster
        self.place = place  # folder of the state's files, for an executor that needs some
        self.agenda: EventQueue | None = None  # the event queue, once the clock has moved
        self.next_purge = cluster.now
        self.bookings: Bookings | None = None  # of consumables, once one is asked for; see `complexes`
        self.forecasting = True  # false: a replay, whose submissions are batches, each followed by a whole pass
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
        return self._roster.refresh(every=not self.trusts_marks)

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

    def catch_up(self) -> None:
        """Bring the cluster to the present (wall clock); under the virtual clock nothing moves by itself.

        Arrays that were submitted at this instant get their pass, if no more submissions are ``gathering``.
        """
        if self.cluster.arrays_due:
            self.settle()
        if self.cluster.config.clock == "wall":
            import time

            from slimsched.controller.schedule import event_loop

            event_loop.advance(self, int(time.time()))
            if self.cluster.config.live:
                from slimsched.controller.life import live_steps

                live_steps.catch_up(self)
                if self.cluster.accounting:
                    from slimsched.controller.accounts import usage_limits

                    usage_limits.catch_up(self)

    def next_event(self) -> int | None:
        """Return the instant of the next event that comes by itself, None if there is none."""
        if self.agenda is None:
            return None
        instants = {self.agenda.awaited()}
        if self.paced:
            from slimsched.controller.schedule import rhythm
            from slimsched.controller.schedule.event_queue import EventKind

            instants |= {event.time + (event.kind is EventKind.BACKFILL) for event in rhythm.due(self)}
        return min((instant for instant in instants if instant is not None), default=None)

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
            from slimsched.controller.schedule import main_pass

            main_pass.run_pass(self)
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
                self.cluster.plugin_state = {self.cluster.config.get("SelectType"): self.select.state_save()}
            self.select.fini()
            del self.select
            self.__dict__.pop("foresight", None)

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

    def set_priority(self, job: Job) -> None:
        """Give a new, released or requeued job the priority that the plugins answer.

        The scheduler plugin is told the lowest number so far, as by slurmctld, but never one that leaves nothing
        between itself and the zero of a hold.
        """
        cluster = self.cluster
        base = self.sched.initial_priority(max(2, cluster.next_priority + 1))
        if base:
            cluster.next_priority = min(cluster.next_priority, base - 1)
        job.sched_hold = not base
        job.priority = self.priority.set(base, job) if base else HOLD_PRIORITY

    def note(self, job: Job) -> None:
        """Tell the event queue that a job's next event (end, begin time, deadline) may have changed."""
        if self.agenda is not None:
            self.agenda.note(job)
