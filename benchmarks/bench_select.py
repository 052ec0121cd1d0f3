"""How long a test of a job takes, beside a plain first fit over Python objects in the same run.

    python benchmarks/bench_select.py

Prints one line a case: microseconds for a test, and the ratio to the reference (below 1: faster than it).
"""

from __future__ import annotations

import timeit
from collections.abc import Callable

from slimsched.errors import Never, NotNow
from slimsched.model import bitmap
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config, NodeConf, PartitionConf
from slimsched.model.job import Job
from slimsched.model.request import JobRequest
from slimsched.select.api import JobTest, Mode, SelectPlugin
from slimsched.select.registry import load
from slimsched.slurm.states import RUNNING

ANY = 0x7FFFFFFF


class PlainNode:
    """What a first simulator would write: a node with counters."""

    def __init__(self, name: str, cpus: int, memory: int) -> None:
        self.name = name
        self.cpus = cpus
        self.memory = memory


def first_fit(nodes: list[PlainNode], cpus: int, memory: int, count: int) -> list[PlainNode] | None:
    """Return the first ``count`` nodes with so much free on each."""
    found = []
    for node in nodes:
        if node.cpus >= cpus and node.memory >= memory:
            found.append(node)
            if len(found) == count:
                return found
    return None


def make(nodes: int, select: str = "select/cons_tres", cpus: int = 4) -> tuple[Cluster, SelectPlugin]:
    """Return an idle cluster and its plugin."""
    config = Config(
        slurm={"SelectType": select, "SelectTypeParameters": "CR_CPU_Memory"},
        nodes=[NodeConf(node_name=f"node[1-{nodes}]", cpus=cpus, real_memory=1000 * cpus)],
        partitions=[PartitionConf(partition_name="debug", nodes="ALL", default=True)],
    )
    cluster = Cluster(config, now=1000)
    return cluster, load(select, cluster)


def job(job_id: int, **request: object) -> Job:
    """Return a job of the partition debug with 100 MB for each CPU."""
    return Job(job_id=job_id, request=JobRequest(partition="debug", mem_per_cpu=100, **request), partition="debug")


def query(cluster: Cluster, job: Job, nodes: int = 1) -> JobTest:
    """Return the test of a job against all nodes."""
    return JobTest(job, bitmap.full(len(cluster.nodes)), nodes, ANY, nodes)


def start(cluster: Cluster, plugin: SelectPlugin, job: Job, nodes: int = 1) -> None:
    """Start a job now."""
    found = plugin.job_test(query(cluster, job, nodes), Mode.RUN_NOW)
    job.nodes, job.cpus, job.memory = cluster.hostlist_of(found.bitmap), found.cpus, found.memory
    job.state, job.start_time, job.end_time = RUNNING, cluster.now, cluster.now + 600 + job.job_id
    cluster.jobs[job.job_id] = job
    plugin.job_begin(job)


def fill(cluster: Cluster, plugin: SelectPlugin, share: float) -> None:
    """Start one-CPU jobs until ``share`` of the CPUs is taken, leaving gaps as jobs of the past do."""
    total = sum(node.cpus for node in cluster.nodes)
    for k in range(1, total + 1):
        start(cluster, plugin, job(k))
    for k in range(1, int(total * (1 - share)) + 1):
        plugin.job_fini(cluster.jobs.pop(1 + (k * 7919) % total, cluster.jobs[next(iter(cluster.jobs))]))


def microseconds(call: Callable[[], object]) -> float:
    """Return the least time of a call among several rounds."""
    timer = timeit.Timer(call)
    number, _ = timer.autorange()
    number = max(1, number // 4)
    return min(timer.repeat(5, number)) / number * 1e6


def quiet(plugin: SelectPlugin, request: JobTest, mode: Mode) -> Callable[[], object]:
    """Return a call of job_test that swallows a refusal."""

    def call() -> object:
        try:
            return plugin.job_test(request, mode)
        except (NotNow, Never):
            return None

    return call


def report(case: str, ours: float, reference: float) -> None:
    """Print one line."""
    print(f"{case:56} {ours:10.1f} us  {ours / reference:7.2f} x first fit ({reference:.1f} us)")


def plain_of(plugin: SelectPlugin, cluster: Cluster) -> list[PlainNode]:
    """Return the reference's nodes with what is free now."""
    nodes = []
    for node in cluster.nodes:
        use, kind = plugin.ledger.pool.use(node.index), plugin.ledger.pool.kind(node.index)
        nodes.append(PlainNode(node.name, kind.cpus - use.rows[0], kind.memory - use.memory))
    return nodes


def compare(case: str, cluster: Cluster, plugin: SelectPlugin, request: JobTest, mode: Mode = Mode.RUN_NOW) -> None:
    """Time one test beside the reference."""
    nodes = plain_of(plugin, cluster)
    wanted = request.job.request.num_tasks or 1
    count = request.min_nodes
    reference = microseconds(lambda: first_fit(nodes, -(-wanted // count), 100, count))
    report(case, microseconds(quiet(plugin, request, mode)), reference)


def booking(cluster: Cluster, plugin: SelectPlugin) -> float:
    """Time a start and an end, with the test before."""
    item = job(10**6, num_tasks=2)

    def call() -> None:
        start(cluster, plugin, item)
        plugin.job_fini(item)
        del cluster.jobs[item.job_id]

    return microseconds(call)


def main() -> None:
    """Run every case."""
    for nodes in (64, 1000, 10_000):
        cluster, plugin = make(nodes)
        compare(f"{nodes} idle nodes, 1 CPU, fits", cluster, plugin, query(cluster, job(10**6)))
        compare(f"{nodes} idle nodes, 8 nodes", cluster, plugin, query(cluster, job(10**6, num_tasks=8), 8))
        print(f"{nodes} idle nodes, test + begin + fini: {booking(cluster, plugin):.1f} us")
        fill(cluster, plugin, 0.9)
        compare(f"{nodes} nodes 90 % full, 1 CPU, fits", cluster, plugin, query(cluster, job(10**6)))
        compare(f"{nodes} nodes 90 % full, 8 tasks", cluster, plugin, query(cluster, job(10**6, num_tasks=8)))
        big = query(cluster, job(10**6, num_tasks=4 * nodes), nodes)
        compare(f"{nodes} nodes 90 % full, all nodes, fails", cluster, plugin, big)
        compare(f"{nodes} nodes 90 % full, 8 whole nodes, will run", cluster, plugin,
                query(cluster, job(10**6, num_tasks=32), 8), Mode.WILL_RUN)  # fmt: skip
        print(f"{nodes} nodes 90 % full, test + begin + fini: {booking(cluster, plugin):.1f} us")


if __name__ == "__main__":
    main()
