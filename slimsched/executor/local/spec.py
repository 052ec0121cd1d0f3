"""The orders of a supervisor for the run of a job: plain JSON in the run's folder.

script, arguments     what is executed
environment, login    its environment; the account whose login environment goes below it, or none
commands              the folder of Slurm's commands, ahead on PATH if that does not have it, or ""
directory, umask, limits, uid, gid, user
input, output, error  full paths, error "" where it is the output; append: whether they are kept
fate                  how it is to end, and when, None for what its script makes of it
limit, warn           when it is ended, and warned (0, None: never): see `due`
before, after         the programs of the site, calls as in `site`; task_prolog, task_epilog: their paths, or ""
memory, poll          bytes that it may use (0: any amount), and the seconds between two looks
kill_wait             seconds between TERM and KILL
id, nodes, prefix     for messages
report, state         the command that tells the cluster of the end, and the state directory
"""

from __future__ import annotations

import os
import posixpath
import pwd
import sys
from typing import TYPE_CHECKING

from slimsched.executor import file_names, limits
from slimsched.executor.batch_environment import batch_environment, nodes_of
from slimsched.slurm import states

if TYPE_CHECKING:
    from collections.abc import Iterable

    from slimsched.executor.local.files import Json
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job

REPORT = "from slimsched.cli.start import prepare; prepare(); from slimsched.cli.live.report import main; main()"
OWN_CODES = (states.COMPLETED, states.FAILED, states.OUT_OF_MEMORY)
"""States in which a script ends by itself, its exit code and signal being the job's; in others somebody stops it."""

TEXTS = {
    states.CANCELLED: "DUE to SIGNAL Terminated",
    states.FAILED: "DUE to SIGNAL Killed",
    states.TIMEOUT: "DUE TO TIME LIMIT",
    states.DEADLINE: "DUE TO TIME LIMIT",
    states.REQUEUED: "DUE TO JOB REQUEUE",
    states.PREEMPTED: "DUE TO PREEMPTION",
    states.NODE_FAIL: "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS",
}
"""State that a job is ended in -> the end of the message in its output."""

OUT_OF_MEMORY = "error: Detected 1 oom_kill event in StepId={}.batch. Some of the step tasks have been OOM Killed."

NONE = "/dev/null"
"""What ``none`` as a file name means."""


def report(state: str) -> list[str]:
    """Return the words of the command that brings a cluster up to date."""
    return [sys.executable, "-c", REPORT, state]


def due(cluster: Cluster, job: Job) -> Json:
    """Return when a job that runs is ended and warned, as far as its supervisor has to see to it."""
    end, told = limits.killed_at(cluster, job), limits.warning(job)
    at = limits.warned_at(cluster, job, told) if told else None
    warn = {"signal": told.number, "to": told.target, "at": at} if told and at is not None else None
    return {"limit": limits.acted_on(cluster, end) if end is not None else 0, "warn": warn}


def fate(job: Job) -> Json | None:
    """Return what a test decided about the end of a run: its instant (0: its own end), state, codes and message."""
    if job.fate is None:
        return None
    state, after = job.fate.state, job.fate.after
    codes = [job.fate.exit_code, job.fate.signal] if state in OWN_CODES else None
    at = 0 if after is None else limits.run_for(job, after)
    said = OUT_OF_MEMORY.format(job.job_id) if state == states.OUT_OF_MEMORY else ""
    return {"at": at, "why": state, "codes": codes, "text": TEXTS.get(state, ""), "said": said}


def made(cluster: Cluster, job: Job, submission: Json, run: str, script: str) -> Json:
    """Return the spec of a job that has its nodes; ``run``: the folder, ``script``: the path of the script."""
    state = os.path.dirname(os.path.dirname(os.path.dirname(run)))
    request, nodes = job.request, nodes_of(job)
    environment = batch_environment(
        *(cluster, job, nodes, submission["environment"]), tasks=submission["tasks"], folder=submission["folder"]
    )
    environment |= {"SLIMSCHED_STATE": state, "SLIMSCHED_RUN": run}
    shims = os.path.join(state, "bin")
    files = {stream: _file(job, stream, nodes[0]) for stream in ("input", "output", "error")}
    mode = request.open_mode or ("append" if cluster.config.number("JobFileAppend") else "truncate")
    account, uid = _account(job.user_id), other_user(job)
    if uid and account and "HOME" in environment:  # that of root, who submitted it
        environment |= {**account, "LOGNAME": account["USER"]}
    return {
        "script": script,
        "arguments": request.script_args,
        "environment": environment,
        "login": account if submission["login"] else None,
        "commands": shims if os.path.isdir(shims) else submission["commands"],
        "directory": request.work_dir,
        **{name: submission[name] for name in ("umask", "limits")},
        **{"uid": uid, "gid": _group(job, uid), "user": account["USER"] if account else ""},
        **files,
        "append": mode.lower().startswith("a"),
        **due(cluster, job),
        "fate": fate(job),
        "memory": job.memory[0] << 20 if kills_for_memory(cluster) and job.memory else 0,
        "poll": poll(cluster, job),
        "kill_wait": cluster.config.number("KillWait"),
        **{"id": job.job_id, "nodes": nodes, "prefix": cluster.config.version.prefix},
        **_site(cluster, job, nodes),
        "report": report(state),
        "state": state,
    }


def _site(cluster: Cluster, job: Job, nodes: list[str]) -> Json:
    """Return the programs of the site that run before and after the script, and around it as a task."""
    found: Json = {"task_prolog": of_task(cluster, "TaskProlog"), "task_epilog": of_task(cluster, "TaskEpilog")}
    for key, names in (("before", ("PrologSlurmctld", "Prolog")), ("after", ("Epilog", "EpilogSlurmctld"))):
        found[key] = calls(cluster, job, nodes, names)
    return found


def of_task(cluster: Cluster, name: str) -> str:
    """Return the path of ``TaskProlog`` or ``TaskEpilog``, "" if there is none."""
    return next(iter(_programs(cluster, name)), "")


def calls(cluster: Cluster, job: Job, nodes: list[str], names: Iterable[str]) -> list[Json]:
    """Return the calls of the programs of the site that these keys of the configuration name."""
    return [call for name in names for call in _calls(cluster, job, nodes, name)]


def _calls(cluster: Cluster, job: Job, nodes: list[str], name: str) -> list[Json]:
    paths = _programs(cluster, name)
    if not paths:
        return []
    from slimsched.executor import site_environment

    word = name.removesuffix("Slurmctld")
    if word != name:
        own = {**site_environment.of_controller(cluster, job), "SLURM_SCRIPT_CONTEXT": f"{word.lower()}_slurmctld"}
        return [{"path": path, "environment": own, "node": "", "reason": ""} for path in paths]
    own = {**site_environment.of_node(cluster, job), "SLURM_SCRIPT_CONTEXT": f"{word.lower()}_slurmd"}
    return [
        {"path": path, "environment": {**own, "SLURMD_NODENAME": node}, "node": node, "reason": f"{word} error"}
        for path in paths
        for node in nodes
    ]


def _programs(cluster: Cluster, name: str) -> list[str]:
    """Return the full paths of the programs that a key of the configuration names, which may be a pattern."""
    text = cluster.config.get(name)
    if not text.startswith("/"):  # none, "(null)"
        return []
    if not any(letter in text for letter in "*?["):
        return [text]
    from glob import glob

    return sorted(glob(text))


def _file(job: Job, stream: str, node: str) -> str:
    """Return the full path of a stream's file, "" for an error stream that has none of its own."""
    if stream == "error" and job.request.error is None:
        return ""
    text = file_names.pattern(job, stream)
    if text.lower() == "none":
        return NONE
    name = file_names.expand(text, file_names.letters(job, job.array_task_id, node))
    return posixpath.join(job.request.work_dir, name)


def other_user(job: Job) -> int:
    """Return the uid that root gives a job's processes, 0 for its own; users that only the cluster knows have none."""
    return job.user_id if not os.geteuid() and _account(job.user_id) else 0


def _group(job: Job, other: int) -> int:
    """Return the group that root gives a job's processes, 0 for its own (``--gid``, or another user's)."""
    return job.group_id if other or (not os.geteuid() and job.group_id != os.getgid()) else 0


def _account(uid: int) -> dict[str, str] | None:
    """Return the names and places of a user that a login sets, None for one whom the system does not know."""
    try:
        entry = pwd.getpwuid(uid)
    except KeyError:
        return None
    return {"USER": entry.pw_name, "HOME": entry.pw_dir, "SHELL": entry.pw_shell or "/bin/sh"}


def kills_for_memory(cluster: Cluster) -> bool:
    """Whether what uses more memory than it has is killed (``OverMemoryKill``)."""
    return "overmemorykill" in cluster.config.get("JobAcctGatherParams").lower()


def poll(cluster: Cluster, job: Job) -> int:
    """Return the seconds between two looks at a job's memory (``--acctg-freq``, ``JobAcctGatherFrequency``, task)."""
    if cluster.config.pace == "fast":
        return 1
    asked = job.request.recorded.get("acctg-freq", "")
    for item in f"{asked},{cluster.config.get('JobAcctGatherFrequency')}".split(","):
        name, equals, value = item.partition("=")
        text = value if equals else name
        if (not equals or name == "task") and text.isdecimal():
            return max(1, int(text))
    return 30
