"""The fields of a job that have no letter: those of ``squeue -O`` only."""

from __future__ import annotations

from slimsched.render.columns import Field
from slimsched.render.jobs.fields import absent, at, bit, limited, span, when
from slimsched.render.units import null, stamp


def written_out(field: Field | None) -> Field | None:
    """Return the field of a file as one that shows its full path (``--expand-patterns``); others as they are."""
    stream = STREAMS.get(field.names) if field else None
    if field is None or stream is None:
        return field
    from slimsched.render.jobs.file_names import path

    return Field("", field.names, field.header, lambda view: null(path(view, stream)))


STREAMS = {"StdErr": "error", "StdIn": "input", "StdOut": "output"}


def _fixed(names: str, header: str, text: str) -> Field:
    """Return a field whose text is the same for every job: what it describes does not exist here."""
    return Field("", names, header, lambda _: text)


def or_zero(count: int | None) -> str:
    """Return a count, 0 if there is none."""
    return str(count or 0)


def or_none(count: int | None) -> str:
    """Return a count, ``N/A`` if there is none."""
    return str(count or "N/A")


FIELDS = (
    Field("", "AccrueTime", "ACCRUE_TIME", lambda v: stamp(v.accrues_since, v.now)),
    at("", "admin_comment", "ADMIN_COMMENT", "request.admin_comment", null, json="admin_comment text",
        sacct="AdminComment 19 late"),
    at("", "AllocNodes", "ALLOC_NODES", "job.alloc_node", json="allocating_node text"),
    at("", "AllocSID", "ALLOC_SID", "job.alloc_sid", str),
    _fixed("AssocId", "ASSOC_ID", "0"),
    at("", "BatchFlag", "BATCH_FLAG", "request.batch", bit, json="batch_flag truth"),
    _fixed("BoardsPerNode", "BOARDS_PER_NODE", "0"),
    _fixed("BurstBuffer", "BURST_BUFFER", "(null)"),
    _fixed("BurstBufferState", "BURST_BUFFER_STATE", "(null)"),
    at("", "Cluster", "CLUSTER", "cluster_name", json="cluster text"),
    at("", "ClusterFeature", "CLUSTER_FEATURES", "request.cluster_features", null, json="cluster_features text"),
    at("", "Container", "CONTAINER", "container", null, json="container text", sacct="Container 19"),
    at("", "ContainerId", "CONTAINERID", "container_id", null, json="container_id text"),
    at("", "CPUsPerTask cpus-per-task", "CPUS_PER_TASK", "cpus_per_task", str, json="cpus_per_task number"),
    at("", "cpus-per-tres", "CPUS_PER_TRES", "cpus_per_tres", absent, json="cpus_per_tres text", show="CpusPerTres"),
    _fixed("CronJob", "CRON_JOB", "No"),
    when("", "Deadline", "DEADLINE", "request.deadline", "deadline"),
    _fixed("DelayBoot", "DELAY_BOOT", "0:00"),
    Field("", "DerivedEC", "DERIVED_EC", lambda _: "0:0"),
    when("", "EligibleTime", "ELIGIBLE_TIME", "job.eligible_time", "eligible_time"),
    at("", "Exclusive", "EXCLUSIVE", "exclusive", sacct="Exclusive 9"),
    Field("", "exit_code", "EXIT_CODE", lambda v: f"{v.job.exit_code}:{v.job.exit_signal}"),
    at("", "HetJobId", "HET_JOB_ID", "job.het_job_id", or_none, json="het_job_id number"),
    at("", "HetJobIdSet", "HET_JOB_ID_SET", "job.het_ids", absent, json="het_job_id_set text"),
    Field("", "HetJobOffset", "HET_JOB_OFFSET", lambda v: str(v.job.het_job_offset) if v.job.het_job_id else "N/A",
          path="job.het_job_offset", json="het_job_offset number"),
    when("", "LastSchedEval", "LAST_SCHED_EVAL", "job.last_sched_eval", "last_sched_evaluation"),
    at("", "LicensesAlloc", "LICENSES_ALLOC", "job.licenses_alloc", null, json="licenses_allocated text"),
    Field("", "MaxCPUs", "MAX_CPUS", lambda v: str(v.cpu_count)),
    Field("", "MaxNodes", "MAX_NODES", lambda v: str(v.max_nodes or v.node_count), path="max_nodes",
          json="max_nodes number"),
    at("", "MCSLabel", "MCSLABEL", "request.mcs_label", null, json="mcs_label text", sacct="McsLabel 10"),
    at("", "mem-per-tres", "MEM_PER_TRES", "memory_per_tres", absent, json="memory_per_tres text", show="MemPerTres"),
    at("", "MinTime", "TIME_MIN", "request.time_min", lambda n: limited(n or 0), json="time_minimum count"),
    at("", "Network", "NETWORK", "request.network", null, json="network text"),
    at("", "NTPerCore", "NTASKS_PER_CORE", "request.ntasks_per_core", or_none, json="tasks_per_core endless"),
    at("", "NTPerNode", "NTASKS_PER_NODE", "request.ntasks_per_node", or_zero, json="tasks_per_node count"),
    at("", "NTPerSocket", "NTASKS_PER_SOCKET", "request.ntasks_per_socket", or_none, json="tasks_per_socket endless"),
    _fixed("NTPerBoard", "NTASKS_PER_BOARD", "0"),
    at("", "NumTasks", "TASKS", "task_count", str, json="tasks number"),
    _fixed("Origin", "ORIGIN", "NA"),
    _fixed("OriginRaw", "ORIGIN_RAW", "NA"),
    at("", "PendingTime", "PENDING_TIME", "waited", str),
    _fixed("PreemptTime", "PREEMPT_TIME", "N/A"),
    at("", "Prefer", "PREFER", "request.prefer", null, json="prefer text"),
    Field("", "Profile", "PROFILE", lambda v: v.request.recorded.get("profile") or "NotSet"),
    at("", "Reboot", "REBOOT", "request.reboot", bit, json="reboot truth"),
    at("", "ReqSwitch", "REQ_SWITCH", "request.switches", or_zero, json="required_switches whole"),
    at("", "Requeue", "REQUEUE", "request.requeue", bit, json="requeue truth"),
    Field("", "ResizeTime", "RESIZE_TIME", lambda view: stamp(view.job.resize_time, view.now, "N/A")),
    at("", "RestartCnt", "RESTART_COUNT", "job.restarts", str, json="restart_cnt whole", sacct="Restarts 8 number"),
    _fixed("Runtime", "RUNTIME", "(null)"),
    _fixed("SegmentSize", "SEGMENT_SIZE", "0"),
    _fixed("SiblingsActive", "ACTIVE_SIBLINGS", "NA"),
    _fixed("SiblingsActiveRaw", "ACTIVE_SIBLINGS_RAW", "NA"),
    _fixed("SiblingsViable", "VIABLE_SIBLINGS", "NA"),
    _fixed("SiblingsViableRaw", "VIALBLE_SIBLINGS_RAW", "NA"),  # as Slurm spells it
    _fixed("SPerBoard", "SOCKETS_PER_BOARD", "0"),
    at("", "StdErr", "STDERR", "stderr", null, json="standard_error text", sacct="StdErr 20"),
    at("", "StdIn", "STDIN", "stdin", null, json="standard_input text", sacct="StdIn 20"),
    at("", "StdOut", "STDOUT", "stdout", null, json="standard_output text", sacct="StdOut 20"),
    at("", "system_comment", "SYSTEM_COMMENT", "system_comment", null, json="system_comment text",
        sacct="SystemComment 14"),
    Field("", "tres-alloc", "TRES_ALLOC", lambda v: v.allocated_tres or v.requested_tres, path="allocated_tres",
          json="tres_alloc_str text"),
    at("", "tres-bind", "TRES_BIND", "request.tres_bind", absent, json="tres_bind text", show="TresBind"),
    at("", "tres-freq", "TRES_FREQ", "request.tres_freq", absent, json="tres_freq text", show="TresFreq"),
    at("", "tres-per-job", "TRES_PER_JOB", "tres_per_job", absent, json="tres_per_job text", show="TresPerJob"),
    at("", "tres-per-socket", "TRES_PER_SOCKET", "tres_per_socket", absent, json="tres_per_socket text",
        show="TresPerSocket"),
    at("", "tres-per-task", "TRES_PER_TASK", "tres_per_task", absent, json="tres_per_task text", show="TresPerTask"),
    Field("", "Wait4Switch", "WAIT4SWITCH", lambda v: span(v.request.wait_for_switches or 0),
          path="request.wait_for_switches", json="maximum_switch_wait_time whole"),
)  # fmt: skip
"""Fields without a letter, in the order of their names."""
