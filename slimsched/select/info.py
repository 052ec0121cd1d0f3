"""Information of the built-in plugins about nodes and jobs (``nodeinfo_*`` and ``jobinfo_*``)."""

from __future__ import annotations

from slimsched.select import gres
from slimsched.select.records import SelectInfo

TYPE_CHECKING = False
if TYPE_CHECKING:
    from slimsched.model.job import Job
    from slimsched.select.pool import Pool


def fill_node(info: SelectInfo, pool: Pool, node: int) -> None:
    """Set ``state``, ``cpus_alloc``, ``mem_alloc`` (MB), ``jobs`` and ``gres_used`` of a node."""
    use = pool.use(node)
    kind = pool.kinds[use.kind]
    cpus = min(sum(use.rows), kind.cpus)
    info.set("state", "IDLE" if not use.users else "MIXED" if cpus < kind.cpus else "ALLOCATED")
    info.set("cpus_alloc", cpus)
    info.set("mem_alloc", use.memory)
    info.set("jobs", len(use.users))
    info.set("gres_used", gres.show(kind.gres, use.gres))


def fill_job(info: SelectInfo, job: Job) -> None:
    """Set ``nodes`` and, by node, ``cpus``, ``memory`` (MB), ``gres`` and ``cpu_ids`` of a job."""
    info.values.update(
        nodes=job.nodes,
        cpus=job.cpus.copy(),
        memory=job.memory.copy(),
        gres=job.gres.copy(),
        cpu_ids=job.cpu_ids.copy(),
    )
