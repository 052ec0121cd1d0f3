"""sched/shortest: jobs are tried in the order of their time limits, the shortest first."""

from __future__ import annotations

from slimsched.sched.api import ERROR, ESLURM_SCHED_MIN, SUCCESS, Entry, SchedPlugin, Verdict

TOO_MANY = ESLURM_SCHED_MIN + 1
MOST = 1000


class Shortest(SchedPlugin):
    """Starts short jobs ahead of long ones, whatever that does to the long ones."""

    plugin_type = "sched/shortest"
    plugin_name = "Shortest job first"
    looks_deeper = True

    def schedule(self) -> int:
        queue = self.host.queue()
        if len(queue) > MOST:
            self.errno = TOO_MANY
            return ERROR
        for entry in sorted(queue, key=self.length):
            if entry.job.pending:
                self.start(entry)
        return SUCCESS

    def length(self, entry: Entry) -> tuple[int, int]:
        return self.host.time_limit(entry.job, entry.partition), entry.job.job_id

    def start(self, entry: Entry) -> bool:
        """Start a job, or as many tasks of an array as there is room for."""
        started = 0
        while entry.job.pending and started < self.host.tasks(entry.job):
            attempt = self.host.attempt(entry.job, entry.partition, 0, "Shortest")
            if attempt.verdict is not Verdict.STARTED:
                break
            started += 1
        return started > 0

    def try_job(self, entry: Entry) -> bool:
        """Let a job that was just submitted go ahead of longer ones that wait."""
        shortest = min(self.host.queue(), key=self.length, default=entry)
        return shortest.job is entry.job and self.start(entry)

    def initial_priority(self, max_prio: int) -> int:
        return max_prio - 1

    def strerror(self, errnum: int) -> str | None:
        return {TOO_MANY: f"More than {MOST} jobs wait"}.get(errnum)
