"""The contract of scheduler plugins: checks that run it under a controller in memory.

They stand here because a scheduler has nothing to do without a controller.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from slimsched.controller.core import Controller
from slimsched.controller.life import transitions
from slimsched.controller.plugins.guard_priority import sound
from slimsched.controller.plugins.guard_sched import GuardedSched
from slimsched.controller.plugins.sched_host import SchedHost
from slimsched.controller.requests.users import User
from slimsched.controller.schedule import event_loop
from slimsched.controller.submit.submission import submit
from slimsched.model import bitmap
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config, NodeConf, PartitionConf
from slimsched.model.request import JobRequest
from slimsched.plugins import expect, ours
from slimsched.sched.api import ERROR, ESLURM_SCHED_MAX, ESLURM_SCHED_MIN, SUCCESS, SchedPlugin
from slimsched.select.questions import fits
from slimsched.select.records import JobTest, Mode

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.model.job import Job

NOW = 1_000_000
SEEDS = range(3)
ROOT = User(0, "root", 0, "root")


class Trial:
    """A plugin over six nodes of 4 CPUs."""

    def __init__(self, plugin: type[SchedPlugin], seed: int = 0) -> None:
        self.random = Random(seed)
        nodes = [NodeConf(node_name="node[1-6]", cpus=4, real_memory=1000)]
        parts = [PartitionConf(partition_name="debug", nodes="ALL", default=True, max_time=600)]
        slurm = {"SchedulerParameters": "bf_interval=1", "SchedulerType": plugin.plugin_type, "DefMemPerCPU": "100"}
        self.ctl = Controller(Cluster(Config(slurm=slurm, nodes=nodes, partitions=parts), NOW))
        self.renew(plugin)

    def renew(self, plugin: type[SchedPlugin]) -> None:
        """Put a new instance of the plugin in charge."""
        host = SchedHost(self.ctl)
        if ours(plugin):
            self.plugin = self.ctl.__dict__["sched"] = plugin(host)
            return
        guarded = self.ctl.__dict__["sched"] = GuardedSched(host, plugin)
        self.plugin = guarded.outsider.plugin

    def submit(self, **fields: Any) -> Job:
        """Submit a job that runs to its limit."""
        return submit(self.ctl, JobRequest(**{"name": "job", **fields}), ROOT)

    def random_job(self) -> Job:
        """Submit a job of some size and length."""
        pick = self.random.choice
        size: dict[str, Any] = pick(
            [
                {"num_tasks": pick((1, 2, 4, 6))},
                {"min_nodes": pick((1, 2, 4)), "exclusive": "NODE"},
                {"num_tasks": 1, "nodelist": "node2"},
            ]
        )
        return self.submit(time_limit=pick((1, 3, 5, 10, 30)), **size)

    def load(self, count: int) -> None:
        """Submit random jobs and settle."""
        for _ in range(count):
            self.random_job()
        self.ctl.cluster.pass_due = True
        self.ctl.settle()

    def faults(self, call: str) -> list[str]:
        """Return the faults of the plugin in one of its functions."""
        noted = [event for event in self.ctl.cluster.events if event["event"] == "plugin-fault"]
        return [str(event["fault"]) for event in noted if event["call"] == call]

    def starts(self) -> list[tuple[int, int, str]]:
        """Return who started when, where."""
        return [(j.job_id, j.start_time, j.nodes) for j in self.ctl.cluster.jobs.values() if j.active]

    def check_books(self) -> None:
        """Raise `Broken` if running jobs have more CPUs than their nodes."""
        used = [0] * len(self.ctl.cluster.nodes)
        for job in self.ctl.cluster.jobs.values():
            if job.active:
                for node, cpus in zip(bitmap.iterate(self.ctl.cluster.bitmap_of(job.nodes)), job.cpus, strict=True):
                    used[node] += cpus
        expect(max(used) <= 4, f"{max(used)} of 4 CPUs given out")


def first_priorities(plugin: type[SchedPlugin]) -> None:
    """Give a new job a priority, or zero, which holds it."""
    made = Trial(plugin).plugin
    for most in (2, 3, 1000, 0xFFFF0000):
        value = made.initial_priority(most)
        expect(sound(value), f"initial_priority({most}) is {value!r}")


def errors_are_explained(plugin: type[SchedPlugin]) -> None:
    """Have SUCCESS as errno at first, and texts for errors of the scheduler's range alone."""
    made = Trial(plugin).plugin
    expect(made.get_errno() == SUCCESS, f"the errno is {made.get_errno()!r} before anything happened")
    for number in (-1, 0, 1, ESLURM_SCHED_MIN - 1, ESLURM_SCHED_MAX + 1):
        expect(made.strerror(number) is None or number == SUCCESS, f"strerror({number}) is not an error of the plugin")
    texts = [made.strerror(number) for number in range(ESLURM_SCHED_MIN, ESLURM_SCHED_MAX + 1)]
    expect(all(text is None or isinstance(text, str) for text in texts), "strerror returns neither text nor None")


def passes_succeed(plugin: type[SchedPlugin]) -> None:
    """Return SUCCESS or ERROR from a pass, and start only what waits, on what is free."""
    for seed in SEEDS:
        trial = Trial(plugin, seed)
        for _ in range(8):
            trial.load(4)
            code = trial.ctl.sched.schedule()
            expect(code in (SUCCESS, ERROR), f"schedule returns {code!r}")
            expect(not trial.faults("schedule"), f"schedule: {trial.faults('schedule')[:1]}")
            trial.check_books()
            event_loop.advance(trial.ctl, trial.ctl.cluster.now + 60 * trial.random.choice((1, 2, 5)))
            trial.check_books()


def held_jobs_stay_held(plugin: type[SchedPlugin]) -> None:
    """Leave a job of priority zero alone until somebody releases it."""
    trial = Trial(plugin)
    held = [trial.submit(num_tasks=1, hold=True, time_limit=1) for _ in range(3)]
    trial.load(3)
    event_loop.advance(trial.ctl, NOW + 600)
    expect(all(job.pending and not job.priority for job in held), "a held job was started or released")


def what_is_held_at_first_waits(plugin: type[SchedPlugin]) -> None:
    """Start nothing that is held at first until the plugin releases it."""
    trial = Trial(plugin)
    if trial.plugin.initial_priority(1000):
        return
    jobs = [trial.random_job() for _ in range(6)]
    expect(all(job.pending for job in jobs), "a job has started that nobody released")
    trial.load(0)
    event_loop.advance(trial.ctl, NOW + 3600)
    expect(all(job.pending for job in jobs if job.held), "a job has started that nobody released")


def keeps_the_head(plugin: type[SchedPlugin]) -> None:
    """Never delay the planned start of the job of highest priority, if the plugin says ``keeps_head``."""
    if not plugin.keeps_head:
        return
    for seed in SEEDS:
        trial = Trial(plugin, seed)
        for _ in range(6):
            trial.load(4)
            head = _head(trial)
            if head is None:
                continue
            planned = _planned(trial, head)
            trial.load(6)
            event_loop.advance_until(trial.ctl, lambda job=head: not job.pending, NOW + 10**6)  # type: ignore[misc]
            late = head.start_time - planned
            expect(late <= 0, f"job {head.job_id} starts {late} s after the time that was planned for it")


def _head(trial: Trial) -> Job | None:
    waiting = [job for job in trial.ctl.cluster.jobs.values() if job.pending and job.priority]
    return max(waiting, key=lambda job: job.priority, default=None)


def _planned(trial: Trial, job: Job) -> int:
    cluster = trial.ctl.cluster
    request, required = job.request, cluster.bitmap_of(job.request.nodelist)
    low = request.min_nodes or 1
    count = len(cluster.nodes)
    test = JobTest.of(job, "", bitmap.full(count), low, count, required)
    return trial.ctl.select.job_test(test, Mode.WILL_RUN).start_time


def restarts_make_no_difference(plugin: type[SchedPlugin]) -> None:
    """Start the same jobs when the plugin is made anew for every pass, as commands do."""
    once, often = Trial(plugin, 7), Trial(plugin, 7)
    for _ in range(5):
        for trial in (once, often):
            trial.load(4)
            if trial is often:
                trial.renew(plugin)
            trial.ctl.sched.schedule()
            event_loop.advance(trial.ctl, trial.ctl.cluster.now + 120)
        expect(once.starts() == often.starts(), "different jobs start when the plugin is created again")


def requeued_jobs_run_again(plugin: type[SchedPlugin]) -> None:
    """Let a requeued job run again, or hold it."""
    trial = Trial(plugin)
    job = trial.submit(num_tasks=1, time_limit=5, batch=True)
    trial.ctl.settle()
    if job.pending:
        return
    transitions.requeue_job(trial.ctl, job)
    event_loop.advance(trial.ctl, NOW + 3600)
    expect(job.finished or not job.priority, "a requeued job does not run again on an idle cluster")


def first_come_first_served(plugin: type[SchedPlugin]) -> None:
    """Let the only job of an idle cluster start at once, unless it is held."""
    trial = Trial(plugin)
    job = trial.submit(num_tasks=1, time_limit=5)
    trial.ctl.settle()
    if fits(trial.ctl.select, JobTest.of(job, "", 1, 1, 1), Mode.TEST_ONLY):
        expect(job.active or not job.priority, "the only job of an idle cluster waits")


CHECKS: tuple[Callable[[type[SchedPlugin]], None], ...] = (
    first_priorities,
    errors_are_explained,
    passes_succeed,
    held_jobs_stay_held,
    what_is_held_at_first_waits,
    keeps_the_head,
    restarts_make_no_difference,
    requeued_jobs_run_again,
    first_come_first_served,
)
