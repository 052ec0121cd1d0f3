"""The contract of priority plugins, as checks that run on a few jobs in memory."""

from __future__ import annotations

from slimsched.model.cluster import Cluster
from slimsched.model.config import Config, NodeConf, PartitionConf
from slimsched.model.job import Job
from slimsched.model.request import JobRequest
from slimsched.plugins import expect
from slimsched.priority.api import HIGHEST, PriorityPlugin

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

NOW = 1_000_000
FIRST = 4_000_000


def _plugin(plugin: type[PriorityPlugin]) -> PriorityPlugin:
    nodes = [NodeConf(node_name="node[1-4]", cpus=4, real_memory=1000)]
    parts = [PartitionConf(partition_name=name, nodes="ALL", default=name == "debug") for name in ("debug", "other")]
    slurm = {"PriorityType": plugin.plugin_type, "PriorityWeightAge": "1000", "PriorityWeightJobSize": "100"}
    return plugin(Cluster(Config(slurm=slurm, nodes=nodes, partitions=parts), now=NOW))


def _jobs(count: int = 12) -> list[Job]:
    return [
        Job(
            job_id=k,
            request=JobRequest(partition="debug", num_tasks=1 + k % 5, nice=(k % 3 - 1) * 100, batch=True),
            submit_time=NOW - k,
            eligible_time=NOW - k,
            partition="debug",
        )
        for k in range(1, count + 1)
    ]


def _order(plugin: PriorityPlugin, jobs: list[Job]) -> list[int]:
    for k, job in enumerate(jobs):
        plugin.cluster.jobs[job.job_id] = job
        job.priority = plugin.set(FIRST - k, job)
    plugin.recalculate(jobs)
    return [job.priority for job in jobs]


def numbers_are_priorities(plugin: type[PriorityPlugin]) -> None:
    """Give new jobs a number from 1 to the highest; zero would hold them."""
    made = _plugin(plugin)
    for value in _order(made, _jobs()):
        expect(isinstance(value, int) and 1 <= value <= HIGHEST, f"{value!r} is not a priority of a waiting job")


def held_jobs_stay_held(plugin: type[PriorityPlugin]) -> None:
    """Release nobody by a recalculation, and hold nobody."""
    made, jobs = _plugin(plugin), _jobs()
    _order(made, jobs)
    for job in jobs[::3]:
        job.priority = 0
    made.cluster.now += 3600
    made.recalculate([job for job in jobs if job.priority])
    expect(not any(job.priority for job in jobs[::3]), "a held job was given a priority")
    expect(all(job.priority for k, job in enumerate(jobs) if k % 3), "a waiting job has lost its priority")


def answers_repeat(plugin: type[PriorityPlugin]) -> None:
    """Give the same jobs the same numbers from a new instance."""
    first, second = (_order(_plugin(plugin), _jobs()) for _ in range(2))
    expect(first == second, "a second instance gives other priorities")


def partitions_have_priorities(plugin: type[PriorityPlugin]) -> None:
    """Give a job a priority in each partition that it asked for."""
    made, jobs = _plugin(plugin), _jobs()
    _order(made, jobs)
    for part in made.cluster.partitions.values():
        for job in jobs:
            value = made.in_partition(job, part)
            expect(isinstance(value, int) and 0 <= value <= HIGHEST, f"{value!r} is not a priority in a partition")


CHECKS: tuple[Callable[[type[PriorityPlugin]], None], ...] = (
    numbers_are_priorities,
    held_jobs_stay_held,
    answers_repeat,
    partitions_have_priorities,
)
