"""The fields of a job that have no letter: those of ``squeue -O`` only."""

from __future__ import annotations

from slimsched.executor.file_names import pattern
from slimsched.render.columns import Field
from slimsched.render.jobs.fields import limited, span
from slimsched.render.units import null, stamp


def _fixed(names: str, header: str, text: str) -> Field:
    """Return a field whose text is the same for every job: what it describes does not exist here."""
    return Field("", names, header, lambda _: text)


FIELDS = (
    Field("", "AccrueTime", "ACCRUE_TIME", lambda v: stamp(v.job.accrue_time, v.now)),
    Field("", "admin_comment", "ADMIN_COMMENT", lambda v: null(v.request.admin_comment)),
    Field("", "AllocNodes", "ALLOC_NODES", lambda v: v.job.alloc_node),
    Field("", "AllocSID", "ALLOC_SID", lambda v: str(v.job.alloc_sid)),
    _fixed("AssocId", "ASSOC_ID", "0"),
    Field("", "BatchFlag", "BATCH_FLAG", lambda v: str(int(v.request.batch))),
    _fixed("BoardsPerNode", "BOARDS_PER_NODE", "0"),
    _fixed("BurstBuffer", "BURST_BUFFER", "(null)"),
    _fixed("BurstBufferState", "BURST_BUFFER_STATE", "(null)"),
    Field("", "Cluster", "CLUSTER", lambda v: v.cluster_name),
    Field("", "ClusterFeature", "CLUSTER_FEATURES", lambda v: null(v.request.cluster_features)),
    Field("", "Container", "CONTAINER", lambda v: null(v.request.recorded.get("container"))),
    Field("", "ContainerId", "CONTAINERID", lambda v: null(v.request.recorded.get("container-id"))),
    Field("", "CPUsPerTask cpus-per-task", "CPUS_PER_TASK", lambda v: str(v.cpus_per_task)),
    Field("", "cpus-per-tres", "CPUS_PER_TRES", lambda v: v.cpus_per_tres or "N/A"),
    _fixed("CronJob", "CRON_JOB", "No"),
    Field("", "Deadline", "DEADLINE", lambda v: stamp(v.request.deadline, v.now)),
    _fixed("DelayBoot", "DELAY_BOOT", "0:00"),
    Field("", "DerivedEC", "DERIVED_EC", lambda _: "0:0"),
    Field("", "EligibleTime", "ELIGIBLE_TIME", lambda v: stamp(v.job.eligible_time, v.now)),
    Field("", "Exclusive", "EXCLUSIVE", lambda v: v.exclusive),
    Field("", "exit_code", "EXIT_CODE", lambda v: f"{v.job.exit_code}:{v.job.exit_signal}"),
    Field("", "HetJobId", "HET_JOB_ID", lambda v: str(v.job.het_job_id or "N/A")),
    Field("", "HetJobIdSet", "HET_JOB_ID_SET", lambda v: v.job.het_ids or "N/A"),
    Field("", "HetJobOffset", "HET_JOB_OFFSET", lambda v: str(v.job.het_job_offset) if v.job.het_job_id else "N/A"),
    Field("", "LastSchedEval", "LAST_SCHED_EVAL", lambda v: stamp(v.job.last_sched_eval, v.now)),
    Field("", "LicensesAlloc", "LICENSES_ALLOC", lambda v: null(v.job.licenses_alloc)),
    Field("", "MaxCPUs", "MAX_CPUS", lambda v: str(v.cpu_count)),
    Field("", "MaxNodes", "MAX_NODES", lambda v: str(v.max_nodes or v.node_count)),
    Field("", "MCSLabel", "MCSLABEL", lambda v: null(v.request.mcs_label)),
    Field("", "mem-per-tres", "MEM_PER_TRES", lambda v: v.memory_per_tres or "N/A"),
    Field("", "MinTime", "TIME_MIN", lambda v: limited(v.request.time_min or 0)),
    Field("", "Network", "NETWORK", lambda v: null(v.request.network)),
    Field("", "NTPerCore", "NTASKS_PER_CORE", lambda v: str(v.request.ntasks_per_core or "N/A")),
    Field("", "NTPerNode", "NTASKS_PER_NODE", lambda v: str(v.request.ntasks_per_node or 0)),
    Field("", "NTPerSocket", "NTASKS_PER_SOCKET", lambda v: str(v.request.ntasks_per_socket or "N/A")),
    _fixed("NTPerBoard", "NTASKS_PER_BOARD", "0"),
    Field("", "NumTasks", "TASKS", lambda v: str(v.task_count)),
    _fixed("Origin", "ORIGIN", "NA"),
    _fixed("OriginRaw", "ORIGIN_RAW", "NA"),
    Field("", "PendingTime", "PENDING_TIME", lambda v: str(v.waited)),
    _fixed("PreemptTime", "PREEMPT_TIME", "N/A"),
    Field("", "Prefer", "PREFER", lambda v: null(v.request.prefer)),
    Field("", "Profile", "PROFILE", lambda v: v.request.recorded.get("profile") or "NotSet"),
    Field("", "Reboot", "REBOOT", lambda v: str(int(v.request.reboot))),
    Field("", "ReqSwitch", "REQ_SWITCH", lambda v: str(v.request.switches or 0)),
    Field("", "Requeue", "REQUEUE", lambda v: str(int(bool(v.request.requeue)))),
    _fixed("ResizeTime", "RESIZE_TIME", "N/A"),
    Field("", "RestartCnt", "RESTART_COUNT", lambda v: str(v.job.restarts)),
    _fixed("Runtime", "RUNTIME", "(null)"),
    _fixed("SegmentSize", "SEGMENT_SIZE", "0"),
    _fixed("SiblingsActive", "ACTIVE_SIBLINGS", "NA"),
    _fixed("SiblingsActiveRaw", "ACTIVE_SIBLINGS_RAW", "NA"),
    _fixed("SiblingsViable", "VIABLE_SIBLINGS", "NA"),
    _fixed("SiblingsViableRaw", "VIALBLE_SIBLINGS_RAW", "NA"),  # as Slurm spells it
    _fixed("SPerBoard", "SOCKETS_PER_BOARD", "0"),
    Field("", "StdErr", "STDERR", lambda v: null(pattern(v.job, "error"))),
    Field("", "StdIn", "STDIN", lambda v: null(pattern(v.job, "input"))),
    Field("", "StdOut", "STDOUT", lambda v: null(pattern(v.job, "output"))),
    Field("", "system_comment", "SYSTEM_COMMENT", lambda v: null(v.request.recorded.get("system-comment"))),
    Field("", "tres-alloc", "TRES_ALLOC", lambda v: v.allocated_tres or v.requested_tres),
    Field("", "tres-bind", "TRES_BIND", lambda v: v.request.tres_bind or "N/A"),
    Field("", "tres-freq", "TRES_FREQ", lambda v: v.request.tres_freq or "N/A"),
    Field("", "tres-per-job", "TRES_PER_JOB", lambda v: v.tres_per_job or "N/A"),
    Field("", "tres-per-socket", "TRES_PER_SOCKET", lambda v: v.tres_per_socket or "N/A"),
    Field("", "tres-per-task", "TRES_PER_TASK", lambda v: v.tres_per_task or "N/A"),
    Field("", "Wait4Switch", "WAIT4SWITCH", lambda v: span(v.request.wait_for_switches or 0)),
)
"""Fields without a letter, in the order of their names."""
