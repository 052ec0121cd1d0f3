"""Commands as the state directory sees them: random changes of records, and what must be found of them later."""

from __future__ import annotations

from typing import Any

import msgspec
import world
from hypothesis import strategies as st

from slimsched.model.account import Book
from slimsched.model.cluster import Cluster
from slimsched.model.config import PartitionConf
from slimsched.model.job import Job
from slimsched.model.request import JobRequest
from slimsched.model.reservation import Reservation
from slimsched.slurm.states import COMPLETED, RUNNING

NAMES = [
    *("submit", "change", "purge", "requeue", "node", "partition", "drop partition", "reset partitions", "reserve"),
    *("unreserve", "account", "close account", "use", "complex", "count", "plugin", "commit", "checkpoint", "reopen"),
]
steps = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(["", "a", '"\n', "\0é\u2028"]), st.integers(0, 3)),
    min_size=5,
    max_size=50,
)


class Model:
    """The commands, as far as they touch records; ``archived`` is what must be in the archive."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.archived: dict[tuple[int, int], Job] = {}
        self.events: list[Any] = []

    def do(self, name: str, text: str, number: int) -> None:
        getattr(self, name.replace(" ", "_"))(text, number)
        event = {"event": name, "text": text}
        self.cluster.events.append(event)
        self.events.append(event)

    def picked(self, number: int) -> Job | None:
        jobs = list(self.cluster.jobs.values())
        return jobs[number % len(jobs)] if jobs else None

    def submit(self, text: str, number: int) -> None:
        self.cluster.touch_job(world.record(self.cluster, JobRequest(name=text, num_tasks=number)))

    def change(self, text: str, number: int) -> None:
        job = self.picked(number)
        if job is not None:
            job.state, job.state_desc, job.cpus = RUNNING, text, [number] * number
            self.cluster.touch_job(job)

    def purge(self, text: str, number: int) -> None:
        job = self.picked(number)
        if job is not None:
            job.state, job.end_time = COMPLETED, self.cluster.now
            self.archive(self.cluster.jobs.pop(job.job_id))
            if number % 2:
                self.cluster.dirty_jobs.discard(job.job_id)

    def requeue(self, text: str, number: int) -> None:
        job = self.picked(number)
        if job is not None:
            self.archive(msgspec.structs.replace(job, state=COMPLETED))
            job.restarts += 1
            self.cluster.touch_job(job)

    def archive(self, job: Job) -> None:
        self.cluster.gone_jobs.append(job)
        self.archived[job.job_id, job.restarts] = job

    def node(self, text: str, number: int) -> None:
        node = self.cluster.nodes[number % len(self.cluster.nodes)]
        node.change(extra=text, weight=number)
        self.cluster.touch_node(node)

    def partition(self, text: str, number: int) -> None:
        part = PartitionConf(partition_name=["debug", "p1", "p2", "p3"][number], qos=text)
        self.cluster.add_partition(part)
        self.cluster.dirty_partitions.add(part.partition_name)

    def drop_partition(self, text: str, number: int) -> None:
        name = ["debug", "p1", "p2", "p3"][number]
        self.cluster.drop_partition(name)
        self.cluster.dirty_partitions.add(name)

    def reset_partitions(self, text: str, number: int) -> None:
        self.cluster.reset_partitions()

    def reserve(self, text: str, number: int) -> None:
        self.cluster.reservations[f"r{number}"] = Reservation(name=f"r{number}", comment=text)
        self.cluster.dirty_reservations.add(f"r{number}")

    def unreserve(self, text: str, number: int) -> None:
        self.cluster.reservations.pop(f"r{number}", None)
        self.cluster.dirty_reservations.add(f"r{number}")

    def account(self, text: str, number: int) -> None:
        Book(self.cluster).put(f"account a{number}", {"Description": text})

    def close_account(self, text: str, number: int) -> None:
        Book(self.cluster).drop(f"account a{number}")

    def use(self, text: str, number: int) -> None:
        place = f"assoc a{number}"
        if text:
            self.cluster.usage[place] = {"cpu": text}
        else:
            self.cluster.usage.pop(place, None)
        self.cluster.touch_accounting(f"usage {place}")

    def complex(self, text: str, number: int) -> None:
        self.cluster.complexes = self.cluster.complexes.offering({f"license{number}": text})

    def plugin(self, text: str, number: int) -> None:
        self.cluster.plugin_state[f"select/p{number}"] = {"kept": [text, number]}

    def count(self, text: str, number: int) -> None:
        self.cluster.now += number
        self.cluster.users[text] = number
        self.cluster.statistics[text] = number
        self.cluster.changed(text)
        self.cluster.pass_due = bool(number % 2)
        self.cluster.arrays_due = number > 1
        self.cluster.next_priority -= number
        self.cluster.last_backfill = self.cluster.now


def content(cluster: Cluster) -> Any:
    """Return all that must survive, as one value that can be compared."""
    names = ("now", "boot_time", "next_job_id", "next_priority", "last_backfill", "pass_due", "arrays_due", "epoch")
    counters = {name: getattr(cluster, name) for name in names}
    return (
        list(cluster.jobs.items()),
        [(node.name, node.saved, node.extra, node.weight, set(node.partitions)) for node in cluster.nodes],
        cluster.partitions,
        cluster.reservations,
        cluster.accounting,
        cluster.usage,
        cluster.complexes,
        cluster.plugin_state,
        cluster.users,
        cluster.statistics,
        counters,
    )
