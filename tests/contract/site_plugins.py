"""Scheduler and priority plugins of a package that is not ours; each decides one thing that the guide leaves to it."""

from __future__ import annotations

from slimsched.priority.api import HIGHEST, PriorityPlugin
from slimsched.sched.api import SUCCESS, SchedPlugin

CALLS: list[object] = []
"""What the plugins were asked since the test began."""

ANSWERS: list[object] = []
"""What ``initial_priority`` of `Says` answers, one after the other; an exception is raised."""


class Newest(SchedPlugin):
    """Tries the job that was submitted last first."""

    plugin_type = "sched/newest"

    def schedule(self):
        CALLS.append(("schedule", self.host.cluster.now))
        for entry in sorted(self.host.queue(), key=lambda entry: -entry.job.job_id):
            self.host.attempt(entry.job, entry.partition, 0, "Newest")
        return SUCCESS


class Lifo(SchedPlugin):
    """Last in, first out, by nothing but the priority."""

    plugin_type = "sched/lifo"

    def initial_priority(self, max_prio):
        CALLS.append(max_prio)
        return max_prio + 1


class Says(SchedPlugin):
    """Answers what it is told, then as the others do."""

    plugin_type = "sched/says"

    def initial_priority(self, max_prio):
        CALLS.append(max_prio)
        answer = ANSWERS.pop(0) if ANSWERS else max_prio - 1
        if isinstance(answer, Exception):
            raise answer
        return answer


class Gate(SchedPlugin):
    """Holds every job at first and releases it after five minutes, on a node of its choice."""

    plugin_type = "sched/gate"

    def initial_priority(self, max_prio):
        return 0

    def job_is_pending(self):
        CALLS.append("pending")

    def schedule(self):
        now = self.host.cluster.now
        CALLS.append(now)
        for job in self.host.held():
            if now - job.submit_time >= 300:
                self.host.set_required_nodes(job, 0b1000)
                self.host.set_priority(job, 50 + job.job_id)
        return SUCCESS


class Closed(Gate):
    """Releases nobody but whom it must not."""

    plugin_type = "sched/closed"

    def schedule(self):
        for job in self.host.cluster.jobs.values():
            if job.held and not job.sched_hold:
                self.host.set_priority(job, 5)
        return SUCCESS


class Turns(SchedPlugin):
    """Puts the job with the highest number first whenever it is asked, by changing priorities."""

    plugin_type = "sched/turns"

    def schedule(self):
        for entry in self.host.queue():
            self.host.set_priority(entry.job, 1000 + entry.job.job_id)
        return SUCCESS


class ByName(PriorityPlugin):
    """The priority is a number in the job's name, more in partition "fast", and grows by one a minute."""

    plugin_type = "priority/by_name"

    def set(self, last_prio, job):
        CALLS.append(("set", last_prio))
        return max(1, min(HIGHEST, int(job.request.name)))

    def recalculate(self, jobs):
        for job in jobs:
            if not job.held and job.request.priority is None:
                job.priority = int(job.request.name) + (self.cluster.now - job.submit_time) // 60
                self.cluster.touch_job(job)

    def in_partition(self, job, partition):
        return job.priority + 100 * (partition.partition_name == "fast")
