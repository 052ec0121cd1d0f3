"""JOBWILLRUN: whether, when and where a pending job could start on some nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.schedule import candidates, job_queue
from slimsched.controller.submit import text_checks
from slimsched.controller.wiki.getnodes import usable
from slimsched.controller.wiki.startjob import find
from slimsched.errors import SlurmError
from slimsched.sched.wiki.message import DENIED, MALFORMED, UNFIT, Refused, Settings, Words, data, number
from slimsched.select.questions import answer
from slimsched.select.records import Mode

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job
    from slimsched.select.records import Selection

NOT_RUNNABLE = "Jobs not runable on selected nodes"  # spelled so since ever


def job_will_run(ctl: Controller, words: Words, settings: Settings) -> str:
    """Answer in the form of the question. Raises `Refused`."""
    cluster = ctl.cluster
    if "NODES" in words.options:
        job = _pending(cluster, words.job_id)
        earliest = number(words.options.get("STARTTIME", "0"), "Invalid STARTTIME value")
        preempted = _preempted(cluster, words.options.get("PREEMPT", ""))
        found = _forecast(ctl, job, _named(cluster, words.options["NODES"]), preempted)
        if found is None:
            return data(NOT_RUNNABLE)
        gone = ",".join(str(one.job_id) for one in found.preempted)
        nodes, cpus = cluster.hostlist_of(found.bitmap), sum(found.cpus)
        when = max(found.start_time, earliest)
        text = f"STARTINFO={job.job_id} TASKS={cpus} STARTTIME={when} NODES={nodes}"
        return data(f"{text} PREEMPT={gone}" if gone else text)
    head, comma, names = words.argument.removeprefix("JOBID=").partition(",")
    if not comma:
        raise Refused(MALFORMED, "Missing NODES value")
    text, _, start = head.partition("@")
    job = _pending(cluster, number(text, "Invalid ARG value"))
    earliest = number(start or "0", "Invalid STARTTIME value")
    found = _forecast(ctl, job, _named(cluster, names) if names else usable(cluster), [])
    if found is None:
        return data(NOT_RUNNABLE)
    nodes = cluster.hostlist_of(found.bitmap)
    return data(f"STARTINFO={job.job_id}:{sum(found.cpus)}@{max(found.start_time, earliest)},{nodes}")


def _pending(cluster: Cluster, job_id: int) -> Job:
    job = find(cluster, job_id)
    if not job.pending:
        raise Refused(DENIED, "WillRun not applicable to non-pending job")
    return job


def _named(cluster: Cluster, text: str) -> int:
    try:
        return text_checks.node_set(cluster, text) if text else 0
    except SlurmError:
        raise Refused(DENIED, "Invalid available nodes value") from None


def _preempted(cluster: Cluster, text: str) -> list[Job]:
    ids = [number(part, "Invalid PREEMPT value") for part in text.split(",") if part]
    return [cluster.jobs[job_id] for job_id in ids if job_id in cluster.jobs and cluster.jobs[job_id].active]


def _forecast(ctl: Controller, job: Job, nodes: int, preempted: list[Job]) -> Selection | None:
    """Ask the select plugin. Raises `Refused` if the nodes will never do."""
    parts = job_queue.partitions_of(ctl, job)
    if not parts:
        raise Refused(DENIED, "Job lacks a partition")
    where = candidates.wanted(ctl, job, parts[0])
    if where.required & ~nodes:
        raise Refused(UNFIT, "Job's required nodes not available")
    test = where.question(job, parts[0], where.bitmap & nodes)
    test.preemptee_candidates = preempted
    return answer(ctl.select, test, Mode.WILL_RUN)
