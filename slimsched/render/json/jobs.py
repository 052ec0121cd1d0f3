"""Jobs in the shape of Slurm's data parser: ``squeue --json``, ``scontrol --json show job``.

Readers that print documents as they come rely on the order of the keys, which is that of the recorded answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from slimsched.render.jobs import facts
from slimsched.render.jobs.file_names import path
from slimsched.render.json import job_parts as parts
from slimsched.render.json import types
from slimsched.render.json.table import NONE, NOTHING, UNSET, ZERO, Line, Table, alike, constant
from slimsched.render.json.types import exits, number, real, same, text, truth, whole

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.render.jobs.job_view import View

NO_CORES = 0x7FFE  # what stands for "no specialized cores"


STEP_ID: Table[View] = Table(
    ("sluid", text, lambda view: view.sluid),
    ("job_id", number, lambda view: view.job.job_id),
    ("step_het_component", number, UNSET),
    ("step_id", text, constant("entire")),
)
OWN: Sequence[Line[View] | str] = (
    "account",
    ("accrue_time", number, parts.accrue_time),
    "admin_comment allocating_node",
    ("array_job_id", number, lambda view: view.array_id if view.of_array else 0),
    ("array_task_id", number, lambda view: view.task),
    ("array_max_tasks", number, lambda view: view.job.array_max_tasks),
    ("array_task_string", text, lambda view: view.pending_tasks),
    ("association_id", whole, ZERO),
    ("batch_features", text, parts.recorded("batch")),
    "batch_flag batch_host",
    ("flags", parts.FLAGS, parts.held_flags),
    ("burst_buffer", text, parts.recorded("bb")),
    ("burst_buffer_state", text, NOTHING),
    "cluster cluster_features command comment container container_id contiguous core_spec",
    ("thread_spec", whole, lambda view: NO_CORES if view.request.thread_spec is None else view.request.thread_spec),
    "cores_per_socket",
    ("billable_tres", real, lambda view: view.billing if view.placed else None),
    "cpus_per_task",
    *alike(number, UNSET, "cpu_frequency_minimum cpu_frequency_maximum cpu_frequency_governor"),
    "cpus_per_tres",
    ("cron", text, NOTHING),
    "deadline",
    ("delay_boot", number, ZERO),
    "dependency",
    ("derived_exit_code", exits, constant((0, 0))),
    "eligible_time end_time excluded_nodes",
    ("exit_code", exits, lambda view: (view.job.exit_code, view.job.exit_signal)),
    ("extra", text, lambda view: view.request.extra),
    ("failed_node", text, lambda view: view.job.failed_node),
    "features",
    *alike(text, NOTHING, "federation_origin federation_siblings_active federation_siblings_viable"),
    ("gres_detail", same, lambda view: [gres for gres in view.job.gres if gres] if view.job.active else []),
    "group_id group_name het_job_id het_job_id_set het_job_offset job_id",
    ("job_resources", same, parts.resources),
    ("job_size_str", same, lambda view: [size for size in view.request.job_size.split(",") if size]),
    ("job_state", same, parts.states),
    "last_sched_evaluation licenses licenses_allocated",
    ("mail_type", same, parts.mail_types),
    ("mail_user", text, lambda view: view.mail_user),
    ("max_cpus", number, ZERO),
    "max_nodes mcs_label memory_per_tres",
    ("memory_update_delay", whole, ZERO),
    ("memory_update_margin", whole, ZERO),
    "name network nodes nice tasks_per_core",
    ("tasks_per_tres", number, lambda view: view.request.ntasks_per_gpu or 0),
    "tasks_per_node tasks_per_socket",
    ("tasks_per_board", number, ZERO),
    "cpus node_count tasks partition prefer",
    ("memory_per_cpu", number, lambda view: view.request.mem_per_cpu),
    ("memory_per_node", number, lambda view: view.memory_per_node),
    "minimum_cpus_per_node minimum_tmp_disk_per_node",
    ("preempt_time", number, lambda view: view.job.preempted_at),
    ("preemptable_time", number, ZERO),
    ("pre_sus_time", number, lambda view: view.job.pre_sus_time),
    ("hold", truth, lambda view: view.job.held),
    "priority",
    ("priority_by_partition", same, parts.priorities),
    ("profile", same, constant(["NOT_SET"])),
    "qos reboot required_nodes required_switches requeue",
    ("resize_time", number, lambda view: view.job.resize_time),
    "restart_cnt resv_name",
    ("runtime", text, NOTHING),
    "scheduled_nodes",
    ("segment_size", whole, ZERO),
    ("selinux_context", text, NOTHING),
    ("shared", same, NONE),
    ("step_id", STEP_ID.of, same),
    ("sockets_per_board", whole, ZERO),
    "sockets_per_node start_time",
    ("state_description", text, lambda view: view.job.state_desc),
    ("state_reason", text, lambda view: view.job.reason),
    "standard_input standard_output standard_error",
    ("stdin_expanded", text, lambda view: path(view, "input")),
    ("stdout_expanded", text, lambda view: path(view, "output")),
    ("stderr_expanded", text, lambda view: path(view, "error")),
    "submit_time",
    ("submit_line", text, lambda view: view.request.submit_line),
    ("suspend_time", number, lambda view: view.job.suspend_time),
    "system_comment time_limit time_minimum threads_per_core tres_bind tres_freq tres_per_job tres_per_node",
    "tres_per_socket tres_per_task",
    ("tres_req_str", text, lambda view: view.requested_tres),
    "tres_alloc_str user_id user_name maximum_switch_wait_time wckey current_working_directory",
)
"""The keys in their order. A text names keys that rows of `fields` describe, the others are JSON's own."""


def _fact(words: list[str], value: Callable[[View], Any]) -> Line[View]:
    key, kind = words
    return key, getattr(types, kind), value


JOB: Table[View] = Table(*facts.placed(OWN, facts.rows(lambda field: field.json, _fact)))


def body(cluster: Cluster, views: Iterable[View], *, changed: int | None = None) -> dict[str, Any]:
    """Return the jobs and when backfill last ran; ``changed``: when anything last did, now if not given."""
    return {
        "jobs": JOB.every(views),
        "last_backfill": number(cluster.last_backfill),
        "last_update": number(cluster.now if changed is None else changed),
    }


STATE: Table[View] = Table(
    ("job_id", text, lambda view: view.name),
    ("state", same, parts.states),
)


def states(views: Iterable[View]) -> dict[str, Any]:
    """Return the states of jobs and nothing else: ``squeue --only-job-state``."""
    return {"jobs": STATE.every(views)}
