"""The lines that ``scontrol -d show job`` adds: the CPUs and memory that a job holds on each of its nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model.bitmap import iterate
from slimsched.render.units import null

if TYPE_CHECKING:
    from slimsched.model.job import Job
    from slimsched.render.jobs.job_view import View


def details_of(view: View) -> list[str]:
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
    for job in cluster.jobs.values():
        if job.active and age(job) < age(view.job):
            for place, index in enumerate(iterate(cluster.bitmap_of(job.nodes))):
                used[index] = used.get(index, 0) + (job.cpus[place] if place < len(job.cpus) else 0)
    return used
