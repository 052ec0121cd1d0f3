"""Whatever commands change, the directory gives it back: snapshot plus journal is the cluster in memory."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import example, given, settings
from hypothesis import strategies as st

from slimsched.model.account import Book
from slimsched.model.cluster import Cluster
from slimsched.model.config import PartitionConf
from slimsched.model.job import COMPLETED, RUNNING, Job
from slimsched.model.request import JobRequest
from slimsched.model.reservation import Reservation
from slimsched.state import salvage
from slimsched.state.store import Store

NAMES = [
    *("submit", "change", "purge", "requeue", "node", "partition", "drop partition", "reset partitions", "reserve"),
    *("unreserve", "account", "close account", "count", "commit", "checkpoint", "reopen"),
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
        cluster = self.cluster
        job = Job(job_id=cluster.next_job_id, request=JobRequest(name=text, num_tasks=number), submit_time=cluster.now)
        cluster.next_job_id += 1
        cluster.jobs[job.job_id] = job
        cluster.touch_job(job)

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

    def count(self, text: str, number: int) -> None:
        self.cluster.now += number
        self.cluster.users[text] = number
        self.cluster.statistics[text] = number
        self.cluster.changed(text)
        self.cluster.pass_due = bool(number % 2)


def content(cluster: Cluster) -> Any:
    counters = {name: getattr(cluster, name) for name in ("now", "boot_time", "next_job_id", "pass_due", "epoch")}
    return (
        list(cluster.jobs.items()),
        [(node.name, node.saved, node.extra, node.weight, set(node.partitions)) for node in cluster.nodes],
        cluster.partitions,
        cluster.reservations,
        cluster.accounting,
        cluster.users,
        cluster.statistics,
        counters,
    )


@given(steps)
@example([("partition", "a", 1), ("commit", "", 0), ("reset partitions", "", 0)])
@example([("partition", "a", 1), ("reset partitions", "", 0), ("drop partition", "", 0), ("reopen", "", 0)])
@settings(max_examples=150, deadline=None)
def test_what_was_committed_is_what_is_loaded(given_steps: list[tuple[str, str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with Store.open(folder, write=True) as store:
            model = Model(store.load())
            todo = _until_reopened(model, store, given_steps)
        while todo:
            with Store.open(folder, write=True) as store:
                loaded = store.load()
                assert content(loaded) == content(model.cluster)
                model.cluster = loaded
                todo = _until_reopened(model, store, todo)
        with Store.open(folder) as store:
            loaded = store.load()

            assert content(loaded) == content(model.cluster)
            assert {(job.job_id, job.restarts): job for job in store.archive.between()} == model.archived
            assert [event for commit in store.history() for event in commit.events] == model.events
        Path(folder, "snapshot.json").unlink()
        salvage.rebuild(folder)
        with Store.open(folder) as store:
            assert content(store.load())[0] == content(model.cluster)[0]
            assert {(job.job_id, job.restarts): job for job in store.archive.between()} == model.archived


def _until_reopened(model: Model, store: Store, todo: list[tuple[str, str, int]]) -> list[tuple[str, str, int]]:
    for place, (name, text, number) in enumerate(todo):
        if name in ("reopen", "commit"):
            store.commit(model.cluster)
        if name == "reopen":
            return todo[place + 1 :]
        if name == "checkpoint":
            store.commit(model.cluster)
            store.checkpoint()
        elif name != "commit":
            model.do(name, text, number)
    store.commit(model.cluster)
    return []
