"""``sdiag --json``: what the controller has counted, in the shape of Slurm's data parser."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from slimsched.model.cluster import SINCE
from slimsched.render.json.table import NONE, ZERO, Table, alike, constant
from slimsched.render.json.types import number, same, truth, whole
from slimsched.render.sdiag import FAULTS, QUESTION, Numbers
from slimsched.slurm.states import PENDING, RUNNING

if TYPE_CHECKING:
    from slimsched.controller.requests.users import User
    from slimsched.model.cluster import Cluster

Get = Callable[[Numbers], Any]
MAIN_EXITS = ("end_job_queue", "default_queue_depth", "max_job_start", "max_rpc_cnt", "max_sched_time", "licenses")
BACKFILL_EXITS = (
    "end_job_queue", "bf_max_job_start", "bf_max_job_test", "bf_max_time", "bf_node_space_size", "state_changed",
)  # fmt: skip


def _count(name: str) -> Get:
    return lambda numbers: numbers[name]


def _mean(name: str) -> Get:
    return lambda numbers: numbers.mean(name)


def _now(numbers: Numbers) -> int:
    return numbers.cluster.now


def _exits(prefix: str, names: tuple[str, ...]) -> list[tuple[str, Any, Get]]:
    return [(f"{prefix}/{name}", whole, _count(f"{prefix}_{name}")) for name in names]


def _counts(names: str) -> list[tuple[str, Any, Get]]:
    return [(name, whole, _count(name)) for name in names.split()]


STATISTICS: Table[Numbers] = Table(
    ("req_time", number, _now),
    (SINCE, number, lambda numbers: numbers.since),
    ("server_thread_count", whole, constant(1)),
    *alike(whole, ZERO, "agent_queue_size agent_count agent_thread_count dbd_agent_queue_size"),
    *alike(whole, ZERO, "gettimeofday_latency schedule_cycle_max schedule_cycle_last schedule_cycle_sum"),
    ("schedule_cycle_total", whole, _count("schedule_cycle_total")),
    ("schedule_cycle_mean", whole, ZERO),
    ("schedule_cycle_mean_depth", whole, _mean("schedule_cycle_depth")),
    ("schedule_cycle_per_minute", whole, lambda numbers: numbers.per_minute()),
    ("schedule_cycle_depth", whole, _count("schedule_cycle_depth")),
    *_exits("schedule_exit", MAIN_EXITS),
    *_counts("schedule_queue_length jobs_submitted jobs_started jobs_completed jobs_canceled jobs_failed"),
    ("jobs_pending", whole, lambda numbers: numbers.in_state(PENDING)),
    ("jobs_running", whole, lambda numbers: numbers.in_state(RUNNING)),
    ("job_states_ts", number, _now),
    ("bf_backfilled_jobs", whole, _count("bf_backfilled_jobs")),
    ("bf_last_backfilled_jobs", whole, _count("bf_backfilled_jobs")),
    ("bf_backfilled_het_jobs", whole, _count("bf_backfilled_het_jobs")),
    ("bf_cycle_counter", whole, _count("bf_cycle_counter")),
    ("bf_cycle_mean", whole, ZERO),
    ("bf_depth_mean", whole, _mean("bf_depth_sum")),
    ("bf_depth_mean_try", whole, _mean("bf_depth_try_sum")),
    *alike(whole, ZERO, "bf_cycle_sum bf_cycle_last bf_cycle_max"),
    *_exits("bf_exit", BACKFILL_EXITS),
    *_counts("bf_last_depth bf_last_depth_try bf_depth_sum bf_depth_try_sum bf_queue_len"),
    ("bf_queue_len_mean", whole, _mean("bf_queue_len_sum")),
    *_counts("bf_queue_len_sum bf_table_size bf_table_size_sum"),
    ("bf_table_size_mean", whole, _mean("bf_table_size_sum")),
    ("bf_when_last_cycle", number, _count("bf_when_last_cycle")),
    ("bf_active", truth, constant(False)),
    ("rpcs_by_message_type", same, lambda numbers: [BY_TYPE.of(numbers)]),
    ("rpcs_by_user", same, lambda numbers: [BY_USER.of(numbers)]),
    *alike(same, NONE, "pending_rpcs pending_rpcs_by_hostlist"),
)
BY_TYPE: Table[Numbers] = Table(
    ("type_id", whole, constant(QUESTION[1])),
    ("message_type", same, constant(QUESTION[0])),
    ("count", whole, constant(1)),
    *alike(whole, ZERO, "queued dropped cycle_last cycle_max total_time"),
    ("average_time", number, ZERO),
)
BY_USER: Table[Numbers] = Table(
    ("user_id", whole, lambda numbers: numbers.asker.uid),
    ("user", same, lambda numbers: numbers.asker.name),
    ("count", whole, constant(1)),
    ("total_time", whole, ZERO),
    ("average_time", number, ZERO),
)


def body(cluster: Cluster, asker: User) -> dict[str, Any]:
    """Return the statistics; the faults of plugins of other packages too, if there were any."""
    found = STATISTICS.of(Numbers(cluster, asker))
    faults = {name: count for name, count in cluster.statistics.items() if name.startswith(FAULTS)}
    if faults:
        found[FAULTS] = {name.partition(" ")[2] or "all": count for name, count in sorted(faults.items())}
    return {"statistics": found}
