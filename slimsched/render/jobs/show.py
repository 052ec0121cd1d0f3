"""A job as ``scontrol show job`` prints it, line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.errors import SyntaxFault
from slimsched.model.bitmap import iterate
from slimsched.render.jobs import facts
from slimsched.render.jobs.fields import star
from slimsched.render.jobs.file_names import path
from slimsched.render.show_layout import given, record
from slimsched.render.units import known, null, stamp
from slimsched.text.sizes import megabytes
from slimsched.text.times import elapsed, limit, minutes

if TYPE_CHECKING:
    from slimsched.model.job import Job, Step
    from slimsched.render.jobs.job_view import View
    from slimsched.render.jobs.step_list import RunningStep

NO_TIME = "00:00:00"


def text(view: View, *, oneliner: bool = False, details: bool = False) -> str:
    """Return a job's record; ``details`` adds what ``-d`` does."""
    lines = [*_identity(view, details), *_state(view, details), *_times(view), *_place(view)]
    lines += [*_size(view), *(_details(view) if details else ()), *_wishes(view), *_files(view), *_extras(view)]
    return record(lines, oneliner=oneliner)


def _identity(view: View, details: bool) -> list[str | None]:
    job, asked = view.job, view.request
    array = ""
    if view.of_array:
        array = f" ArrayJobId={view.array_id} ArrayTaskId={view.tasks}"
        array += f" ArrayTaskThrottle={job.array_max_tasks}" if job.array_max_tasks else ""
    if job.het_job_id:
        array = f" HetJobId={job.het_job_id} HetJobOffset={job.het_job_offset}"
    wckey = f" WCKey={asked.wckey}" if asked.wckey else ""
    return [
        f"JobId={job.job_id}{array} JobName={asked.name}",
        given("HetJobIdSet", job.het_ids),
        f"SLUID={view.sluid}" if details else None,
        f"UserId={job.user_name}({job.user_id}) GroupId={job.group_name}({job.group_id})"
        f" MCS_label={asked.mcs_label or 'N/A'}",
        f"Priority={job.priority} Nice={asked.nice} Account={null(asked.account)} QOS={known(view.qos)}{wckey}",
    ]


def _state(view: View, details: bool) -> list[str | None]:
    job, asked = view.job, view.request
    return [
        f"JobState={view.state} Reason={view.reason.replace(' ', '_')}"
        f"{f' FailedNode={job.failed_node}' if job.failed_node else ''} Dependency={null(job.dependency)}",
        f"Requeue={int(bool(asked.requeue))} Restarts={job.restarts} BatchFlag={int(asked.batch)}"
        f" Reboot={int(asked.reboot)} ExitCode={job.exit_code}:{job.exit_signal}",
        "DerivedExitCode=0:0" if details else None,
    ]


def _times(view: View) -> list[str | None]:
    job, asked, now = view.job, view.request, view.now
    shortest = "N/A" if asked.time_min is None else limit(asked.time_min, full=True)
    return [
        f"RunTime={elapsed(view.used, full=True)} TimeLimit={limit(view.limit, full=True)} TimeMin={shortest}",
        f"SubmitTime={stamp(job.submit_time, now)} EligibleTime={stamp(job.eligible_time, now, 'Unknown')}",
        f"AccrueTime={stamp(view.accrues_since, now, 'Unknown')}",
        f"ResizeTime={stamp(job.resize_time, now)}" if job.resize_time else None,
        f"StartTime={stamp(job.start_time, now, 'Unknown')} EndTime={stamp(view.end, now, 'Unknown')}"
        f" Deadline={stamp(asked.deadline, now)}",
        f'CronJob=Yes CrontabSpec="{asked.cron}"' if asked.cron else None,
        _preemption(view),
        f"SuspendTime={stamp(job.suspend_time, now, 'None')} SecsPreSuspend={job.pre_sus_time}"
        f" LastSchedEval={stamp(job.last_sched_eval, now, 'Unknown')}"
        f" Scheduler={job.scheduler or 'Main'}{':*' if job.planned else ''}",
    ]


def _preemption(view: View) -> str | None:
    """Return since when the job may be preempted, and was, where jobs are preempted."""
    if not view.cluster.config.preempts:
        return None
    from slimsched.controller.schedule.preemption import eligible_time

    since, at = eligible_time(view.cluster, view.job), view.job.preempted_at
    return f"PreemptEligibleTime={stamp(since, view.now)} PreemptTime={stamp(at, view.now, 'None')}" if since else None


def _place(view: View) -> list[str | None]:
    job = view.job
    planned = f" SchedNodeList={job.sched_nodes}" if job.sched_nodes else ""
    return [
        f"Partition={view.partition} AllocNode:Sid={job.alloc_node}:{job.alloc_sid}",
        f"ReqNodeList={null(view.required)} ExcNodeList={null(view.excluded)}",
        f"NodeList={job.nodes}{planned}",
        given("BatchHost", view.batch_host),
        given("BatchFeatures", view.request.recorded.get("batch")),
    ]


def _size(view: View) -> list[str | None]:
    asked = view.request
    cores, threads = star(asked.cores_per_socket), star(asked.threads_per_core)
    per_socket, per_core = star(asked.ntasks_per_socket), star(asked.ntasks_per_core)
    return [
        f"NumNodes={view.node_range} NumCPUs={view.cpu_count} NumTasks={_tasks(view)}"
        f" CPUs/Task={view.cpus_per_task} ReqB:S:C:T=0:0:{cores}:{threads}",
        *_tres(view),
        f"Socks/Node={star(asked.sockets_per_node)}"
        f" NtasksPerN:B:S:C={asked.ntasks_per_node or 0}:0:{per_socket}:{per_core}{_specialized(view)}",
    ]


def _tres(view: View) -> list[str]:
    if _early(view):
        return [f"TRES={view.allocated_tres or view.requested_tres}"]
    return [f"ReqTRES={view.requested_tres}", f"AllocTRES={null(view.allocated_tres)}"]


def _early(view: View) -> bool:
    """Whether the cluster passes for a version whose jobs have fewer keys."""
    return view.cluster.config.version.early_jobs


def _tasks(view: View) -> str:
    """Return the number of tasks, which nobody has counted of a job that ended before it could start."""
    uncounted = view.job.finished and not view.placed and "num_tasks" not in view.request.given
    return "N/A" if uncounted else str(view.task_count)


def _specialized(view: View) -> str:
    """Return what is left to the system, which only some configurations allow a job to choose."""
    allowed = view.cluster.config.flag("AllowSpecResourcesUsage")
    if allowed and view.request.thread_spec is not None:
        return f" ThreadSpec={view.request.thread_spec}"
    return f" CoreSpec={star(view.request.core_spec if allowed else None)}"


def _wishes(view: View) -> list[str | None]:
    asked = view.request
    kind, memory = view.min_memory
    return [
        f"MinCPUsNode={view.min_cpus} MinMemory{kind}={megabytes(memory)} MinTmpDiskNode={megabytes(view.disk)}",
        f"Features={null(asked.features)} DelayBoot={_delay(view)}",
        given("ClusterFeatures", asked.cluster_features),
        given("Prefer", asked.prefer),
        given("Reservation", asked.reservation),
        _sharing(view),
    ]


def _sharing(view: View) -> str:
    asked = view.request
    exclusive = "" if _early(view) else f" Exclusive={view.exclusive}"
    allocated = "" if _early(view) else f" LicensesAlloc={null(view.job.licenses_alloc)}"
    return (
        f"OverSubscribe={view.over_subscribe}{exclusive} Contiguous={int(asked.contiguous)}"
        f" Licenses={null(asked.licenses)}{allocated} Network={null(asked.network)}"
    )


def _delay(view: View) -> str:
    """Return how long the start of nodes that must be rebooted is put off."""
    asked = view.request.recorded.get("delay-boot", "")
    try:
        return elapsed(minutes(asked) * 60, full=True) if asked else NO_TIME
    except SyntaxFault:
        return NO_TIME


def _files(view: View) -> list[str | None]:
    asked = view.request
    return [
        f"Command={null(asked.command)}",
        None if _early(view) else given("SubmitLine", asked.submit_line or ("(null)" if asked.cron else "")),
        f"WorkDir={asked.work_dir}",
        given("AdminComment", asked.admin_comment),
        given("SystemComment", asked.recorded.get("system-comment")),
        given("Comment", asked.comment),
        given("Extra", asked.extra),
        *([f"{key}={path(view, stream)}" for key, stream in STREAMS] if asked.batch else []),
    ]


STREAMS = (("StdErr", "error"), ("StdIn", "input"), ("StdOut", "output"))
SHARED = facts.placed(
    ["CpusPerTres MemPerTres TresBind TresFreq TresPerJob TresPerNode TresPerSocket TresPerTask"],
    facts.rows(lambda field: field.show, lambda words, value: (words[0], value)),
)
"""Keys that rows of ``squeue``'s table describe, with the getters of their values."""


def _extras(view: View) -> list[str | None]:
    """Return the lines that only a job that asked for something special has."""
    asked = view.request
    switches = (
        None if asked.switches is None else f"{asked.switches}@{elapsed(asked.wait_for_switches or 0, full=True)}"
    )
    flags = asked.recorded.get("gres-flags", "")
    container = asked.recorded.get("container")
    return [
        given("BurstBuffer", asked.recorded.get("bb")),
        given("Switches", switches),
        "Power=" if _early(view) else None,
        *(given(key, value(view)) for key, value in SHARED),
        f"MailUser={view.mail_user} MailType={asked.mail_type}" if asked.mail_type else None,
        "KillOnInvalidDependent=Yes" if asked.kill_on_invalid_dep else None,
        "SpreadJob=Yes" if asked.spread_job else None,
        *(given(f"Gres{key}", "Yes" if flag in flags else None) for flag, key in GRES_FLAGS.items()),
        given("SegmentSize", asked.recorded.get("segment")),
        given("StepMgrEnabled", "Yes" if "stepmgr" in asked.recorded else None),
        f"Container={container} ContainerID={null(asked.recorded.get('container-id'))}" if container else None,
    ]


GRES_FLAGS = {
    "disable-binding": "DisableBind",
    "enforce-binding": "EnforceBind",
    "one-task-per-sharing": "OneTaskPerSharing",
}


def step_text(step: RunningStep, *, oneliner: bool = False) -> str:
    """Return the record of a step that runs."""
    view = step.view
    layout = f" Dist={step.layout}" if step.layout else ""
    lines = [
        f"StepId={step.name} UserId={step.job.user_id} StartTime={stamp(step.start_time, view.now)}"
        f" TimeLimit={limit(step.time_limit, full=True)}",
        f"State={view.state} Partition={view.partition} NodeList={step.nodes}",
        f"Nodes={step.node_count} CPUs={step.cpus} Tasks={step.tasks} Name={step.title} Network=(null)",
        f"TRES={null(step.tres)}",
        "ResvPorts=(null)",
        f"CPUFreqReq=Default{layout}",
        "SrunHost:Pid=(null):0" if step.run is None else f"SrunHost:Pid={step.host}:{step.run.pid}",
    ]
    return record(lines, oneliner=oneliner)


def waiting_text(view: View, step: Step, *, oneliner: bool = False) -> str:
    """Return the record of a step that waits for room in its job."""
    lines = [
        f"StepId={view.name}.TBD UserId={view.job.user_id} StartTime=Unknown TimeLimit=UNLIMITED",
        f"State=PENDING Partition={view.partition} NodeList={step.nodes}",
        f"Nodes={len(step.cpus)} CPUs={sum(step.cpus)} Tasks={step.tasks} Name=(null) Network=(null)",
        "TRES=(null)",
        "ResvPorts=(null)",
        "CPUFreqReq=Default Dist=Unknown",
        f"SrunHost:Pid={view.job.alloc_node}:{step.pid}",
    ]
    return record(lines, oneliner=oneliner)


def _details(view: View) -> list[str]:
    """Return the lines; nodes of which the job holds the same share one. Nothing for a job without nodes."""
    job, cluster = view.job, view.cluster
    if not job.active:
        return []
    shares: dict[str, int] = {}
    before = _earlier(view)
    for place, index in enumerate(iterate(cluster.bitmap_of(job.nodes))):
        first = before.get(index, 0)
        last = first + (job.cpus[place] if place < len(job.cpus) else 0) - 1
        ids = str(first) if last <= first else f"{first}-{last}"
        gres = job.gres[place] if place < len(job.gres) else ""
        memory = job.memory[place] if place < len(job.memory) else 0
        text = f"CPU_IDs={ids} Mem={memory} GRES={gres}"
        shares[text] = shares.get(text, 0) | 1 << index
    listed = [f"  Nodes={cluster.hostlist_of(mask)} {text}" for text, mask in shares.items()]
    return [f"JOB_GRES={null(view.request.gres)}", *listed]


def _earlier(view: View) -> dict[int, int]:
    """Return, by node, the CPUs of the jobs that started there earlier: its own come behind theirs."""

    def age(job: Job) -> tuple[int, int]:
        return job.start_time, job.job_id

    cluster = view.cluster
    used: dict[int, int] = {}
    for job in cluster.begun():
        if job.active and age(job) < age(view.job):
            for place, index in enumerate(iterate(cluster.bitmap_of(job.nodes))):
                used[index] = used.get(index, 0) + (job.cpus[place] if place < len(job.cpus) else 0)
    return used
