"""The text and the JSON of ``sdiag``: the controller's counters.

Under the virtual clock a cycle takes no time. The only remote call that there is, and that is listed, is the question
itself; the rest is counted in ``cluster.statistics`` under the names that Slurm's JSON has for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model.cluster import SINCE
from slimsched.render.units import long_date
from slimsched.slurm.states import PENDING, RUNNING

if TYPE_CHECKING:
    from slimsched.controller.requests.users import User
    from slimsched.model.cluster import Cluster

MAIN_EXITS = (
    ("End of job queue", "end_job_queue"),
    ("Hit default_queue_depth", "default_queue_depth"),
    ("Hit sched_max_job_start", "max_job_start"),
    ("Blocked on licenses", "licenses"),
    ("Hit max_rpc_cnt", "max_rpc_cnt"),
    ("Timeout (max_sched_time)", "max_sched_time"),
)
BACKFILL_EXITS = (
    ("End of job queue", "end_job_queue"),
    ("Hit bf_max_job_start", "bf_max_job_start"),
    ("Hit bf_max_job_test", "bf_max_job_test"),
    ("System state changed", "state_changed"),
    ("Hit table size limit (bf_node_space_size)", "bf_node_space_size"),
    ("Timeout (bf_max_time)", "bf_max_time"),
)
JOBS = (
    ("Jobs submitted: ", "jobs_submitted"),
    ("Jobs started:   ", "jobs_started"),
    ("Jobs completed: ", "jobs_completed"),
    ("Jobs canceled:  ", "jobs_canceled"),
    ("Jobs failed:    ", "jobs_failed"),
)


class Numbers:
    """The counters of a cluster, 0 for what was never counted, and the user who asks."""

    def __init__(self, cluster: Cluster, asker: User) -> None:
        self.cluster, self.found, self.asker = cluster, cluster.statistics, asker
        self.since = self.found.get(SINCE, cluster.boot_time)

    def __getitem__(self, name: str) -> int:
        return self.found.get(name, 0)

    def mean(self, name: str) -> int:
        """Return the mean of a sum over the cycles of its scheduler."""
        cycles = self["bf_cycle_counter" if name.startswith("bf_") else "schedule_cycle_total"]
        return self[name] // cycles if cycles else 0

    def per_minute(self) -> int:
        """Return the main cycles per minute since the counters began."""
        minutes = (self.cluster.now - self.since) // 60
        return self["schedule_cycle_total"] // minutes if minutes else 0

    def in_state(self, state: str) -> int:
        """Return how many jobs are in a state."""
        return sum(job.state == state for job in self.cluster.jobs.values())


def text(cluster: Cluster, asker: User) -> str:
    """Return the whole report."""
    numbers = Numbers(cluster, asker)
    parts = (_head, _states, _main, _backfill, _calls)
    return "\n".join("\n".join(part(numbers)) for part in parts)


def constraints(cluster: Cluster) -> str:
    """Return the counts of evaluated constraints, "" if there were none."""
    asked, cached = (cluster.statistics.get(f"constraint_{name}", 0) for name in ("evaluations", "cache_hits"))
    return f"constraints evaluated: {asked}, answered from the cache: {cached}" if asked or cached else ""


FAULTS = "plugin_faults"
"""The counter of plugin faults: alone for all of them, with a blank and a name for one plugin's function."""


def plugin_faults(cluster: Cluster) -> list[str]:
    """Return which plugins of other packages went wrong, in which function and how often."""
    found = {name.partition(" ")[2]: count for name, count in cluster.statistics.items() if name.startswith(FAULTS)}
    return [f"plugin faults: {name}: {count}" for name, count in sorted(found.items()) if name]


def _dated(seconds: int) -> str:
    return f"{long_date(seconds)} ({seconds})" if seconds else "N/A"


def _exits(title: str, exits: tuple[tuple[str, str], ...], numbers: Numbers, prefix: str) -> list[str]:
    return [title, *(f"\t{label}:{numbers[prefix + name]:2}" for label, name in exits), ""]


def _head(numbers: Numbers) -> list[str]:
    stars = "*" * 55
    return [
        stars,
        f"sdiag output at {_dated(numbers.cluster.now)}",
        f"Data since      {_dated(numbers.since)}",
        stars,
        *("Server thread count:  1", "RPC queue enabled:    0", "Agent queue size:     0", "Agent count:          0"),
        *("Agent thread count:   0", "DBD Agent queue size: 0", ""),
    ]


def _states(numbers: Numbers) -> list[str]:
    return [
        *(label + str(numbers[name]) for label, name in JOBS),
        "",
        f"Job states ts:  {_dated(numbers.cluster.now)}",
        f"Jobs pending:   {numbers.in_state(PENDING)}",
        f"Jobs running:   {numbers.in_state(RUNNING)}",
        "",
    ]


def _main(numbers: Numbers) -> list[str]:
    cycles = numbers["schedule_cycle_total"]
    lines = ["Main schedule statistics (microseconds):", "\tLast cycle:   0", "\tMax cycle:    0"]
    lines.append(f"\tTotal cycles: {cycles}")
    if cycles:
        lines += ["\tMean cycle:   0", f"\tMean depth cycle:  {numbers.mean('schedule_cycle_depth')}"]
    if numbers.cluster.now - numbers.since > 60:
        lines.append(f"\tCycles per minute: {numbers.per_minute()}")
    lines += [f"\tLast queue length: {numbers['schedule_queue_length']}", ""]
    return lines + _exits("Main scheduler exit:", MAIN_EXITS, numbers, "schedule_exit_")


def _backfill(numbers: Numbers) -> list[str]:
    cycles, started = numbers["bf_cycle_counter"], numbers["bf_backfilled_jobs"]
    lines = [
        "Backfilling stats",
        f"\tTotal backfilled jobs (since last slurm start): {started}",
        f"\tTotal backfilled jobs (since last stats cycle start): {started}",
        f"\tTotal backfilled heterogeneous job components: {numbers['bf_backfilled_het_jobs']}",
        f"\tTotal cycles: {cycles}",
        f"\tLast cycle when: {_dated(numbers['bf_when_last_cycle'])}",
        "\tLast cycle: 0",
        "\tMax cycle:  0",
        *(["\tMean cycle: 0"] if cycles else []),
        f"\tLast depth cycle: {numbers['bf_last_depth']}",
        f"\tLast depth cycle (try sched): {numbers['bf_last_depth_try']}",
    ]
    if cycles:
        lines.append(f"\tDepth Mean: {numbers.mean('bf_depth_sum')}")
        lines.append(f"\tDepth Mean (try depth): {numbers.mean('bf_depth_try_sum')}")
    lines.append(f"\tLast queue length: {numbers['bf_queue_len']}")
    if cycles:
        lines.append(f"\tQueue length mean: {numbers.mean('bf_queue_len_sum')}")
    lines.append(f"\tLast table size: {numbers['bf_table_size']}")
    if cycles:
        lines.append(f"\tMean table size: {numbers.mean('bf_table_size_sum')}")
    return [*lines, "", *_exits("Backfill exit", BACKFILL_EXITS, numbers, "bf_exit_")]


QUESTION = ("REQUEST_STATS_INFO", 2035)
"""The remote call that ``sdiag`` makes: its name and its number."""


def _calls(numbers: Numbers) -> list[str]:
    title, once = "Remote Procedure Call statistics by", "count:1      ave_time:0      total_time:0"
    by_type = f"\t{QUESTION[0]:<40}({QUESTION[1]:5}) {once}"
    by_user = f"\t{numbers.asker.name:<16}({numbers.asker.uid:8}) {once}"
    pending = ("Pending RPC statistics", "\tNo pending RPCs")
    latency = "Latency for 1000 calls to gettimeofday(): 0 microseconds"
    return [latency, "", f"{title} message type", by_type, "", f"{title} user", by_user, "", *pending]
