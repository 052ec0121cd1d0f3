"""Jobs in the shape of Slurm's data parser: ``squeue --json``, ``scontrol --json show job``.

Readers that print documents as they come rely on the order of the keys, which is that of the recorded answers.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from slimsched.executor.file_names import pattern
from slimsched.model.request import INFINITE
from slimsched.render.jobs.file_names import path
from slimsched.render.json import job_parts as parts
from slimsched.render.json.table import NONE, NOTHING, UNSET, ZERO, Table, alike, constant
from slimsched.render.json.types import exits, number, real, same, text, truth, whole

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.render.jobs.job_view import View

NO_CORES = 0x7FFE  # what stands for "no specialized cores"


def _tasks_per(limit: int | None) -> int:
    return INFINITE if limit is None else limit


STEP_ID: Table[View] = Table(
    ("sluid", text, lambda view: view.sluid),
    ("job_id", number, lambda view: view.job.job_id),
    ("step_het_component", number, UNSET),
    ("step_id", text, constant("entire")),
)
JOB: Table[View] = Table(
    ("account", text, lambda view: view.request.account),
    ("accrue_time", number, parts.accrue_time),
    ("admin_comment", text, lambda view: view.request.admin_comment),
    ("allocating_node", text, lambda view: view.job.alloc_node),
    ("array_job_id", number, lambda view: view.array_id if view.of_array else 0),
    ("array_task_id", number, lambda view: view.task),
    ("array_max_tasks", number, lambda view: view.job.array_max_tasks),
    ("array_task_string", text, lambda view: view.pending_tasks),
    ("association_id", whole, ZERO),
    ("batch_features", text, parts.recorded("batch")),
    ("batch_flag", truth, lambda view: view.request.batch),
    ("batch_host", text, lambda view: view.batch_host),
    ("flags", parts.FLAGS, parts.held_flags),
    ("burst_buffer", text, parts.recorded("bb")),
    ("burst_buffer_state", text, NOTHING),
    ("cluster", text, lambda view: view.cluster_name),
    ("cluster_features", text, lambda view: view.request.cluster_features),
    ("command", text, lambda view: view.request.command),
    ("comment", text, lambda view: view.request.comment),
    ("container", text, parts.recorded("container")),
    ("container_id", text, parts.recorded("container-id")),
    ("contiguous", truth, lambda view: view.request.contiguous),
    ("core_spec", whole, lambda view: view.request.core_spec),
    ("thread_spec", whole, lambda view: NO_CORES if view.request.thread_spec is None else view.request.thread_spec),
    ("cores_per_socket", number, lambda view: view.shape[1]),
    ("billable_tres", real, lambda view: view.billing if view.placed else None),
    ("cpus_per_task", number, lambda view: view.cpus_per_task),
    *alike(number, UNSET, "cpu_frequency_minimum cpu_frequency_maximum cpu_frequency_governor"),
    ("cpus_per_tres", text, lambda view: view.cpus_per_tres),
    ("cron", text, NOTHING),
    ("deadline", number, lambda view: view.request.deadline),
    ("delay_boot", number, ZERO),
    ("dependency", text, lambda view: view.job.dependency),
    ("derived_exit_code", exits, constant((0, 0))),
    ("eligible_time", number, lambda view: view.job.eligible_time),
    ("end_time", number, lambda view: view.end),
    ("excluded_nodes", text, lambda view: view.excluded),
    ("exit_code", exits, lambda view: (view.job.exit_code, view.job.exit_signal)),
    ("extra", text, lambda view: view.request.extra),
    ("failed_node", text, NOTHING),
    ("features", text, lambda view: view.request.features),
    *alike(text, NOTHING, "federation_origin federation_siblings_active federation_siblings_viable"),
    ("gres_detail", same, lambda view: [gres for gres in view.job.gres if gres] if view.job.active else []),
    ("group_id", whole, lambda view: view.job.group_id),
    ("group_name", text, lambda view: view.job.group_name),
    ("het_job_id", number, lambda view: view.job.het_job_id),
    ("het_job_id_set", text, lambda view: view.job.het_ids),
    ("het_job_offset", number, lambda view: view.job.het_job_offset),
    ("job_id", whole, lambda view: view.job.job_id),
    ("job_resources", same, parts.resources),
    ("job_size_str", same, lambda view: [size for size in view.request.job_size.split(",") if size]),
    ("job_state", same, parts.states),
    ("last_sched_evaluation", number, lambda view: view.job.last_sched_eval),
    ("licenses", text, lambda view: view.request.licenses),
    ("licenses_allocated", text, lambda view: view.job.licenses_alloc),
    ("mail_type", same, parts.mail_types),
    ("mail_user", text, lambda view: view.mail_user),
    ("max_cpus", number, ZERO),
    ("max_nodes", number, lambda view: view.max_nodes),
    ("mcs_label", text, lambda view: view.request.mcs_label),
    ("memory_per_tres", text, lambda view: view.memory_per_tres),
    ("memory_update_delay", whole, ZERO),
    ("memory_update_margin", whole, ZERO),
    ("name", text, lambda view: view.request.name),
    ("network", text, lambda view: view.request.network),
    ("nodes", text, lambda view: view.job.nodes),
    ("nice", whole, lambda view: view.request.nice),
    ("tasks_per_core", number, lambda view: _tasks_per(view.request.ntasks_per_core)),
    ("tasks_per_tres", number, lambda view: view.request.ntasks_per_gpu or 0),
    ("tasks_per_node", number, lambda view: view.request.ntasks_per_node or 0),
    ("tasks_per_socket", number, lambda view: _tasks_per(view.request.ntasks_per_socket)),
    ("tasks_per_board", number, ZERO),
    ("cpus", number, lambda view: view.cpu_count),
    ("node_count", number, lambda view: view.node_count),
    ("tasks", number, lambda view: view.task_count),
    ("partition", text, lambda view: view.partition),
    ("prefer", text, lambda view: view.request.prefer),
    ("memory_per_cpu", number, lambda view: view.request.mem_per_cpu),
    ("memory_per_node", number, lambda view: view.memory_per_node),
    ("minimum_cpus_per_node", number, lambda view: view.min_cpus),
    ("minimum_tmp_disk_per_node", number, lambda view: view.disk),
    ("preempt_time", number, lambda view: view.job.preempt_time),
    ("preemptable_time", number, ZERO),
    ("pre_sus_time", number, lambda view: view.job.pre_sus_time),
    ("hold", truth, lambda view: view.job.held),
    ("priority", number, lambda view: view.job.priority),
    ("priority_by_partition", same, parts.priorities),
    ("profile", same, constant(["NOT_SET"])),
    ("qos", text, lambda view: view.request.qos),
    ("reboot", truth, lambda view: view.request.reboot),
    ("required_nodes", text, lambda view: view.required),
    ("required_switches", whole, lambda view: view.request.switches),
    ("requeue", truth, lambda view: view.request.requeue),
    ("resize_time", number, ZERO),
    ("restart_cnt", whole, lambda view: view.job.restarts),
    ("resv_name", text, lambda view: view.request.reservation),
    ("runtime", text, NOTHING),
    ("scheduled_nodes", text, lambda view: view.job.sched_nodes),
    ("segment_size", whole, ZERO),
    ("selinux_context", text, NOTHING),
    ("shared", same, NONE),
    ("step_id", STEP_ID.of, same),
    ("sockets_per_board", whole, ZERO),
    ("sockets_per_node", number, lambda view: view.shape[0]),
    ("start_time", number, lambda view: view.job.start_time),
    ("state_description", text, lambda view: view.job.state_desc),
    ("state_reason", text, lambda view: view.job.reason),
    ("standard_input", text, lambda view: pattern(view.job, "input")),
    ("standard_output", text, lambda view: pattern(view.job, "output")),
    ("standard_error", text, lambda view: pattern(view.job, "error")),
    ("stdin_expanded", text, lambda view: path(view, "input")),
    ("stdout_expanded", text, lambda view: path(view, "output")),
    ("stderr_expanded", text, lambda view: path(view, "error")),
    ("submit_time", number, lambda view: view.job.submit_time),
    ("submit_line", text, lambda view: view.request.submit_line),
    ("suspend_time", number, lambda view: view.job.suspend_time),
    ("system_comment", text, parts.recorded("system-comment")),
    ("time_limit", number, lambda view: view.limit),
    ("time_minimum", number, lambda view: view.request.time_min or 0),
    ("threads_per_core", number, lambda view: view.shape[2]),
    ("tres_bind", text, lambda view: view.request.tres_bind),
    ("tres_freq", text, lambda view: view.request.tres_freq),
    ("tres_per_job", text, lambda view: view.tres_per_job),
    ("tres_per_node", text, lambda view: view.gres),
    ("tres_per_socket", text, lambda view: view.tres_per_socket),
    ("tres_per_task", text, lambda view: view.tres_per_task),
    ("tres_req_str", text, lambda view: view.requested_tres),
    ("tres_alloc_str", text, lambda view: view.allocated_tres),
    ("user_id", whole, lambda view: view.job.user_id),
    ("user_name", text, lambda view: view.job.user_name),
    ("maximum_switch_wait_time", whole, lambda view: view.request.wait_for_switches),
    ("wckey", text, lambda view: view.request.wckey),
    ("current_working_directory", text, lambda view: view.request.work_dir),
)


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
