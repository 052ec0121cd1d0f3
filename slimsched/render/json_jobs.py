"""Jobs in the shape of Slurm's data parser: ``squeue --json``, ``scontrol --json show job``."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from slimsched.model.bitmap import iterate
from slimsched.model.job import PENDING
from slimsched.model.request import INFINITE
from slimsched.render.files import path, pattern
from slimsched.render.job_fields_long import tres_per_task
from slimsched.render.job_view import classed
from slimsched.render.json_order import JOB
from slimsched.render.json_text import exit_code, number
from slimsched.text.idset import ranges

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.render.job_view import View

NO_CORES = 0x7FFE  # what stands for "no specialized cores"


ABSENT: dict[str, Any] = {
    **dict.fromkeys(("cpu_frequency_minimum", "cpu_frequency_maximum", "cpu_frequency_governor"), number(None)),
    **dict.fromkeys(("federation_origin", "federation_siblings_active", "federation_siblings_viable"), ""),
    **dict.fromkeys(("het_job_id", "het_job_offset"), number(0)),
    **dict.fromkeys(("het_job_id_set", "runtime", "selinux_context"), ""),
    **dict.fromkeys(("memory_update_delay", "memory_update_margin", "segment_size"), 0),
    "job_size_str": [],
    "priority_by_partition": [],
}
"""What no job here has: frequencies, federations, heterogeneous jobs."""


def body(cluster: Cluster, views: Iterable[View]) -> dict[str, Any]:
    """Return the jobs, and when anything last changed."""
    return {
        "jobs": [job(view) for view in views],
        "last_backfill": number(cluster.last_backfill),
        "last_update": number(cluster.now),
    }


def job(view: View) -> dict[str, Any]:
    """Return one job, with every key that Slurm's answer has, in its order."""
    found = {
        **_identity(view), **_request(view), **_times(view), **_size(view), **_outcome(view), **_streams(view),
        **_resources(view), **ABSENT,
    }  # fmt: skip
    return {key: found[key] for key in JOB.split()}


def _identity(view: View) -> dict[str, Any]:
    job, asked = view.job, view.request
    return {
        "account": asked.account,
        "allocating_node": job.alloc_node,
        "array_job_id": number(job.array_job_id or (job.job_id if job.array_tasks else 0)),
        "array_task_id": number(view.task),
        "array_max_tasks": number(job.array_max_tasks),
        "array_task_string": view.tasks if job.array_tasks and view.task is None else "",
        "association_id": 0,
        "cluster": view.cluster.config.get("ClusterName"),
        "group_id": job.group_id,
        "group_name": job.group_name,
        "job_id": job.job_id,
        "name": asked.name,
        "partition": view.partition,
        "qos": asked.qos,
        "step_id": {
            "sluid": view.sluid,
            "job_id": number(job.job_id),
            "step_het_component": number(None),
            "step_id": "entire",
        },
        "user_id": job.user_id,
        "user_name": job.user_name,
        "wckey": asked.wckey,
    }


def _request(view: View) -> dict[str, Any]:
    asked = view.request
    return {
        "admin_comment": asked.admin_comment or "",
        "batch_features": asked.recorded.get("batch", ""),
        "batch_flag": asked.batch,
        "burst_buffer": "",
        "burst_buffer_state": "",
        "cluster_features": asked.cluster_features,
        "command": asked.command,
        "comment": asked.comment or "",
        "container": asked.recorded.get("container", ""),
        "container_id": asked.recorded.get("container-id", ""),
        "contiguous": asked.contiguous,
        "core_spec": asked.core_spec or 0,
        "thread_spec": NO_CORES if asked.thread_spec is None else asked.thread_spec,
        "cron": "",
        "dependency": view.job.dependency,
        "excluded_nodes": view.excluded,
        "extra": asked.extra or "",
        "features": asked.features,
        "flags": flags(view),
        "licenses": asked.licenses,
        "licenses_allocated": view.job.licenses_alloc,
        "mail_type": [kind for kind in asked.mail_type.split(",") if kind],
        "mail_user": asked.mail_user or view.job.user_name,
        "mcs_label": asked.mcs_label,
        "network": asked.network,
        "nice": asked.nice,
        "prefer": asked.prefer,
        "profile": ["NOT_SET"],
        "reboot": asked.reboot,
        "requeue": bool(asked.requeue),
        "required_nodes": view.required,
        "required_switches": asked.switches or 0,
        "maximum_switch_wait_time": asked.wait_for_switches or 0,
        "resv_name": asked.reservation,
        "shared": ["OVERSUBSCRIBE"] if asked.oversubscribe else [],
        "submit_line": asked.submit_line,
        "system_comment": asked.recorded.get("system-comment", ""),
    }


def flags(view: View) -> list[str]:
    """Return the words of Slurm's for what a job was given and what it left open."""
    asked, job = view.request, view.job
    given = asked.given
    words = {
        "KILL_INVALID_DEPENDENCY": bool(asked.kill_on_invalid_dep),
        "SPREAD_JOB": asked.spread_job,
        "USE_MIN_NODES": asked.use_min_nodes,
        "EXACT_TASK_COUNT_REQUESTED": "num_tasks" in given,
        "JOB_WAS_RUNNING": view.placed,
        "EXACT_MEMORY_REQUESTED": "mem_per_node" in given,
        "USING_DEFAULT_ACCOUNT": not asked.account,
        "USING_DEFAULT_PARTITION": "partition" not in given,
        "USING_DEFAULT_QOS": not asked.qos,
        "USING_DEFAULT_WCKEY": not asked.wckey,
        "DEPENDENT": bool(job.dependency) or job.held,
        "PARTITION_ASSIGNED": "partition" not in given,
        "BACKFILL_ATTEMPTED": job.scheduler == "Backfill",
        "JOB_IMPLICIT_MAX_NODES": "num_tasks" in given and "min_nodes" not in given,
    }
    return [word for word, holds in words.items() if holds]


def _times(view: View) -> dict[str, Any]:
    job, asked = view.job, view.request
    return {
        "accrue_time": number(job.accrue_time),
        "deadline": number(asked.deadline),
        "delay_boot": number(0),
        "eligible_time": number(job.eligible_time),
        "end_time": number(view.end),
        "last_sched_evaluation": number(job.last_sched_eval),
        "pre_sus_time": number(job.pre_sus_time),
        "preempt_time": number(0),
        "preemptable_time": number(0),
        "resize_time": number(0),
        "start_time": number(job.start_time),
        "submit_time": number(job.submit_time),
        "suspend_time": number(job.suspend_time),
        "time_limit": number(view.limit, infinite=view.limit == INFINITE),
        "time_minimum": number(asked.time_min or 0),
    }


def _size(view: View) -> dict[str, Any]:
    asked, (sockets, cores, threads) = view.request, view.shape
    kind, memory = view.min_memory
    pending = view.job.state == PENDING
    return {
        "billable_tres": number(float(view.job.billing or view.cpu_count) if view.placed else None),
        "cores_per_socket": number(cores),
        "cpus": number(view.cpu_count),
        "cpus_per_task": number(asked.cpus_per_task or 1),
        "cpus_per_tres": f"gres/gpu:{asked.cpus_per_gpu}" if asked.cpus_per_gpu else "",
        "max_cpus": number(0),
        "max_nodes": number(view.max_nodes if pending else 0),
        "memory_per_cpu": number(memory if kind == "CPU" else None),
        "memory_per_node": number(memory if kind == "Node" else None),
        "memory_per_tres": f"gres/gpu:{asked.mem_per_gpu}" if asked.mem_per_gpu else "",
        "minimum_cpus_per_node": number(view.min_cpus),
        "minimum_tmp_disk_per_node": number(view.disk),
        "node_count": number(view.node_count),
        "sockets_per_board": 0,
        "sockets_per_node": number(sockets),
        "tasks": number(view.task_count),
        "tasks_per_board": number(0),
        "tasks_per_core": number(asked.ntasks_per_core, infinite=asked.ntasks_per_core is None),
        "tasks_per_node": number(asked.ntasks_per_node or 0),
        "tasks_per_socket": number(asked.ntasks_per_socket, infinite=asked.ntasks_per_socket is None),
        "tasks_per_tres": number(asked.ntasks_per_gpu or 0),
        "threads_per_core": number(threads),
        "tres_bind": asked.tres_bind,
        "tres_freq": asked.tres_freq,
        "tres_per_job": classed(asked.gpus, "gres/gpu:"),
        "tres_per_node": view.gres,
        "tres_per_socket": classed(asked.gpus_per_socket, "gres/gpu:"),
        "tres_per_task": tres_per_task(view),
        "tres_req_str": view.requested_tres,
        "tres_alloc_str": view.allocated_tres,
    }


def _outcome(view: View) -> dict[str, Any]:
    job = view.job
    return {
        "batch_host": view.batch_host,
        "derived_exit_code": exit_code(0),
        "exit_code": exit_code(job.exit_code, job.exit_signal),
        "failed_node": "",
        "hold": job.held,
        "job_state": [job.state, *job.flags],
        "nodes": job.nodes,
        "priority": number(job.priority),
        "restart_cnt": job.restarts,
        "scheduled_nodes": job.sched_nodes,
        "state_description": job.state_desc,
        "state_reason": job.reason,
    }


def _streams(view: View) -> dict[str, Any]:
    asked = view.request
    found: dict[str, Any] = {"current_working_directory": asked.work_dir}
    for name, stream in (("input", "stdin"), ("output", "stdout"), ("error", "stderr")):
        found[f"standard_{name}"] = pattern(view, name)
        found[f"{stream}_expanded"] = path(view, name)
    return found


def _resources(view: View) -> dict[str, Any]:
    """Return what a job holds, node by node; nothing (null) for one that holds nothing."""
    job, cluster = view.job, view.cluster
    if not job.active:
        return {"gres_detail": [], "job_resources": None}
    held = [_held(view, place, index) for place, index in enumerate(iterate(cluster.bitmap_of(job.nodes)))]
    nodes = {"count": len(held), "select_type": ["ONE_ROW"], "list": job.nodes,
             "whole": bool(view.request.exclusive), "allocation": held}  # fmt: skip
    kinds = cluster.config.get("SelectTypeParameters").upper().split(",")
    return {
        "gres_detail": [gres for gres in job.gres if gres],
        "job_resources": {
            "select_type": kinds,
            "nodes": nodes,
            "cpus": view.cpu_count,
            "threads_per_core": number(None),
        },
    }


def _held(view: View, place: int, index: int) -> dict[str, Any]:
    """Return what a job holds of one node, core by core."""
    job, node = view.job, view.cluster.nodes[index]
    listed = job.cpu_ids[place] if place < len(job.cpu_ids) else ""
    taken = {number // max(1, node.threads_per_core) for a, b in ranges(listed) for number in range(a, b + 1)}
    cores = max(1, node.cores_per_socket)
    sockets = []
    for socket in sorted({core // cores for core in taken} | set(range(node.sockets))):
        words = ["ALLOCATED" if socket * cores + core in taken else "UNALLOCATED" for core in range(cores)]
        sockets.append({"index": socket, "cores": [{"index": k, "status": [word]} for k, word in enumerate(words)]})
    return {
        "index": place,
        "name": node.name,
        "cpus": {"count": job.cpus[place] if place < len(job.cpus) else 0, "used": 0},
        "memory": {"used": 0, "allocated": job.memory[place] if place < len(job.memory) else 0},
        "sockets": sockets,
    }
