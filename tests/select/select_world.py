"""A select plugin on a cluster of `world`, and jobs to try on it: what the controller asks, in a few lines."""

from __future__ import annotations

import world

from slimsched.model import bitmap
from slimsched.model.cluster import Cluster
from slimsched.model.config import NodeConf, SwitchConf
from slimsched.model.job import Job
from slimsched.model.request import JobRequest
from slimsched.select.api import JobTest, Mode, Never, NotNow, Selection, SelectPlugin
from slimsched.select.registry import load
from slimsched.slurm.states import RUNNING

ANY = 0x7FFFFFFF
NOW = 1_000_000


class World:
    """Nodes node1, node2, ... with 4 CPUs and 1000 MB unless said otherwise."""

    def __init__(
        self,
        select: str = "cons_tres",
        params: str = "CR_CPU_Memory",
        nodes: list[NodeConf] | int = 4,
        partitions: dict[str, dict[str, object]] | None = None,
        plugin: type[SelectPlugin] | None = None,
        switches: list[SwitchConf] | None = None,
        **slurm: str,
    ) -> None:
        found = [world.node(f"node[1-{nodes}]")] if isinstance(nodes, int) else nodes
        slurm = {"SelectType": f"select/{select}", "SelectTypeParameters": params, **slurm}
        self.cluster = Cluster(world.config(found, {"debug": {}, **(partitions or {})}, switches or (), **slurm), NOW)
        if plugin is None:
            self.plugin = load(f"select/{select}", self.cluster)
        else:
            self.plugin = plugin(self.cluster)
            self.plugin.init()
            self.plugin.node_init(self.cluster.nodes)
            self.plugin.job_init([])

    def job(self, partition: str = "debug", user: int = 0, minutes: int = 30, **request: object) -> Job:
        """Return a pending job; 100 MB for each CPU unless ``request`` speaks of memory."""
        if not any(key.startswith("mem_") for key in request):
            request["mem_per_cpu"] = 100
        asked = JobRequest(partition=partition, time_limit=minutes, **request)
        return world.record(self.cluster, asked, user_id=user, submit_time=0)

    def query(self, job: Job, nodes: str = "", **more: object) -> JobTest:
        """Return the question about a job that the controller would ask; ``nodes`` restricts the candidates."""
        request = job.request
        mask = self.cluster.bitmap_of(nodes) if nodes else bitmap.full(len(self.cluster.nodes))
        mask &= ~self.cluster.bitmap_of(request.exclude)
        required = self.cluster.bitmap_of(request.nodelist)
        low = max(request.min_nodes or 1, required.bit_count())
        high = max(request.max_nodes or ANY, low)
        return JobTest(job, mask, low, high, request.max_nodes or low, required, **more)

    def try_mode(self, job: Job, mode: Mode, nodes: str = "", **more: object) -> Selection:
        return self.plugin.job_test(self.query(job, nodes, **more), mode)

    def where(self, job: Job, mode: Mode = Mode.RUN_NOW, nodes: str = "", **more: object) -> str:
        """Return the nodes chosen, "" for not now."""
        try:
            return self.cluster.hostlist_of(self.try_mode(job, mode, nodes, **more).bitmap)
        except NotNow:
            return ""

    def start(self, job: Job | None = None, nodes: str = "", **request: object) -> Job:
        """Start a job now; it stays pending, with no nodes, if it does not fit."""
        job = job or self.job(**request)
        try:
            found = self.try_mode(job, Mode.RUN_NOW, nodes)
        except (NotNow, Never):
            return job
        self.begin(job, found)
        return job

    def begin(self, job: Job, found: Selection) -> None:
        job.nodes = self.cluster.hostlist_of(found.bitmap)
        job.cpus, job.memory, job.gres = found.cpus, found.memory, found.gres
        job.partition = job.partition or job.request.partition
        job.start_time = self.cluster.now
        job.end_time = self.cluster.now + 60 * (job.request.time_limit or 0)
        self.plugin.job_begin(job)
        job.state = RUNNING

    def end(self, job: Job) -> None:
        self.plugin.job_fini(job)
        job.state = "COMPLETED"

    def free(self) -> list[tuple[object, ...]]:
        """Return what is taken of every node, as the plugin keeps it."""
        pool = self.plugin.ledger.pool
        return [pool.use(i) for i in range(len(self.cluster.nodes))]
