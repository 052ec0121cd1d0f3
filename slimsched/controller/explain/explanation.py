"""``sim explain``: why a job does not start, why one got its nodes, or how one ended. Nothing is changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.controller.explain import pending
from slimsched.controller.explain.answer import NEVER, Explanation, NodeReason, PartitionView
from slimsched.controller.explain.steps import Step, left_after
from slimsched.controller.explain.unsubmitted import suppose
from slimsched.controller.life import arrays, transitions
from slimsched.controller.schedule import job_queue
from slimsched.model import bitmap
from slimsched.slurm import reasons, states
from slimsched.text import times

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slimsched.controller.core import Controller
    from slimsched.controller.requests.users import User
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.model.request import JobRequest


def explain(ctl: Controller, job: Job, tasks: str = "") -> Explanation:
    """Return the explanation of a live or an archived job; ``tasks``: the requested tasks of an array."""
    found = _head(job)
    if tasks and job.array_tasks:
        found.story.append(f"Task {tasks} is one of its array's waiting tasks, which share one record.")
    if job.pending:
        pending.complete(ctl, job, found)
    elif job.active:
        _running(ctl, job, found)
    else:
        _finished(ctl, job, found)
    found.story += _array(ctl, job)
    return found


def supposed(ctl: Controller, requests: Sequence[JobRequest], user: User) -> list[Explanation]:
    """Return the explanation of a job that is not submitted, that of each of its components by itself.

    The controller's cluster is changed and must not be written. Raises `SlurmError` if the job would be refused.
    """
    answers = []
    for request in requests:
        job = suppose(ctl, request, user)
        found = _head(job)
        pending.complete(ctl, job, found)
        answers.append(found)
        del ctl.cluster.jobs[job.job_id]
    for place, found in enumerate(answers):
        found.job = "" if len(requests) == 1 else f"component {place}"
        found.state, found.reason = "not submitted", "None"
    return answers


def _head(job: Job) -> Explanation:
    reason = job.state_desc or job.reason
    return Explanation(arrays.label(job), job.request.name, job.user_name, job.state, reason, "", [])


def _array(ctl: Controller, job: Job) -> list[str]:
    """Return a line about the other tasks of an array."""
    if not job.array_job_id:
        return []
    counts: dict[str, int] = {}
    for other in arrays.members(ctl.cluster, job.array_job_id):
        counts[other.state] = counts.get(other.state, 0) + (arrays.count(other.array_tasks) or 1)
    said = ", ".join(f"{count} {state}" for state, count in sorted(counts.items()))
    return [f"Tasks of array {job.array_job_id}: {said}."]


# running


def _running(ctl: Controller, job: Job, found: Explanation) -> None:
    since = f"on {job.nodes} since {times.instant(job.start_time)}, {_waited(job)}."
    if states.CONFIGURING in job.flags:
        found.state = states.CONFIGURING
        found.story += [f"It has been CONFIGURING {since}", _configuring(ctl, job)]
    else:
        found.story.append(f"It has been running {since}")
    if job.scheduler:
        by = "A backfill cycle" if job.scheduler == "Backfill" else "The main scheduling pass"
        found.story.append(f"{by} started it.")
    found.story.append(_limit(job))
    part = ctl.cluster.partitions.get(job.partition)
    if part is not None:
        steps = pending.asked_steps(ctl, job, part)
        held = ctl.cluster.bitmap_of(job.nodes)
        found.story += _choice(ctl, job, steps, held)
        found.partitions = [_chosen(ctl, part, steps, held)]


def _configuring(ctl: Controller, job: Job) -> str:
    """Return what a job waits for that has its nodes and does not run yet."""
    cluster = ctl.cluster
    rising = bitmap.of(
        k for k in bitmap.iterate(cluster.bitmap_of(job.nodes)) if states.POWERING_UP in cluster.nodes[k].flags
    )
    if not rising:
        return "Its nodes are being prepared."
    ready = times.instant(transitions.ready_at(ctl, job))
    return f"It waits for {cluster.hostlist_of(rising)} to power up, and runs from {ready} on if they do so in time."


def _waited(job: Job) -> str:
    since = job.start_time - job.submit_time
    return f"{times.elapsed(since)} after it was submitted" if since > 0 else "when it was submitted"


def _limit(job: Job) -> str:
    return f"It ends at {times.instant(job.end_time)} at the latest." if job.end_time else "It has no time limit."


def _choice(ctl: Controller, job: Job, steps: list[Step], held: int) -> list[str]:
    """Return why the job has these nodes and not others, as far as the records show."""
    nodes = ctl.cluster.nodes
    others = left_after(steps) & ~held
    mine = sorted({nodes[i].weight for i in bitmap.iterate(held)})
    cpus = sum(job.cpus)
    story = [f"It has {cpus} CPU{'s' * (cpus != 1)} and {sum(job.memory)} MB there."]
    if job.request.nodelist:
        story.append(f"It asked for {job.request.nodelist} by name.")
    elif not others:
        story.append("No other node satisfies what it asked for.")
    else:
        rest = sorted({nodes[i].weight for i in bitmap.iterate(others)})
        count = others.bit_count()
        told = f"{count} other node{'s' if count > 1 else ''} also satisf{'y' if count > 1 else 'ies'} its request"
        cheaper = " Nodes of lower Weight are taken first." if mine[-1] < rest[-1] else ""
        story.append(f"Its nodes have Weight {_range(mine)}; {told}, with Weight {_range(rest)}.{cheaper}")
    return story


def _range(values: list[int]) -> str:
    return str(values[0]) if values[0] == values[-1] else f"{values[0]}-{values[-1]}"


def _chosen(ctl: Controller, part: PartitionConf, steps: list[Step], held: int) -> PartitionView:
    """Return the steps as the nodes are now, and which of the job's own nodes would fail one by now."""
    found = []
    for step in steps:
        for i in bitmap.iterate(held & ~step.nodes):
            name = ctl.cluster.nodes[i].name
            found.append(NodeReason(name, 1, step.name, f"no longer: {step.words(i)}"))
    return PartitionView(part.partition_name, held.bit_count(), "", pending.counted(steps), found)


# finished


def _finished(ctl: Controller, job: Job, found: Explanation) -> None:
    found.story.append(_ending(job))
    if job.reason == reasons.BAD_CONSTRAINTS and not job.nodes:
        found.verdict = NEVER
        found.story.append(
            "No nodes of the cluster could satisfy its request. The lists below show the cluster as it is now."
        )
        cases = [pending.case_of(ctl, job, part) for part in job_queue.partitions_of(ctl, job)]
        found.partitions = [pending.view(case) for case in cases]


def _ending(job: Job) -> str:
    when = times.instant(job.end_time)
    if not job.nodes:
        return f"It ended {job.state} at {when} without having started."
    ran = times.elapsed(max(0, job.end_time - job.start_time))
    signal = f", signal {job.exit_signal}" if job.exit_signal else ""
    return f"It ran on {job.nodes} for {ran} and ended {job.state} at {when} with exit code {job.exit_code}{signal}."
