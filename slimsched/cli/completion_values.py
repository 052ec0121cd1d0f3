"""The values that a command line may hold: jobs, nodes, partitions and other names of the state, and fixed words.

The state is read without waiting for a writer, and is not made if there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from slimsched.errors import SimError
from slimsched.slurm.options import OPTIONAL, OURS, Option

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job

NO_WORDS = ("[", " ", "file")  # an argument that has one of these is described, and not a list of words
MOST = 500  # candidates; a longer list helps nobody


class Candidate(NamedTuple):
    """A word that may stand there, and what it is."""

    text: str
    said: str = ""


class Places:
    """Where values come from: ``state`` is the directory that the command line names."""

    def __init__(self) -> None:
        self.state: str | None = None

    def cluster(self) -> Cluster | None:
        """Return the cluster; None if there is none, or none that can be read at once."""
        import os

        from slimsched.state import layout, lock
        from slimsched.state.store import Store

        with suppress(SimError, OSError):
            folder = layout.locate(self.state)
            if os.path.exists(layout.snapshot(folder)) and not lock.busy(folder):
                with Store.open(self.state, write=False) as store:
                    return store.load()
        return None


Values = Callable[["Cluster"], Iterable[Candidate]]


def _job(job: Job) -> Candidate:
    number = job.job_id
    text = str(number) if job.array_task_id is None else f"{job.array_job_id}_{job.array_task_id}"
    return Candidate(text, f"{job.request.name}, {job.state} of {job.user_name}")


def jobs(cluster: Cluster) -> list[Candidate]:
    """Return the jobs that have not ended."""
    return [_job(job) for job in cluster.jobs.values() if not job.finished]


def all_jobs(cluster: Cluster) -> list[Candidate]:
    """Return the jobs that the controller knows."""
    return [_job(job) for job in cluster.jobs.values()]


def nodes(cluster: Cluster) -> list[Candidate]:
    """Return the nodes."""
    return [Candidate(node.name) for node in cluster.nodes]


def partitions(cluster: Cluster) -> list[Candidate]:
    """Return the partitions."""
    return [Candidate(name, "default partition" * part.default) for name, part in cluster.partitions.items()]


def reservations(cluster: Cluster) -> list[Candidate]:
    """Return the reservations."""
    return [Candidate(name) for name in cluster.reservations]


def users(cluster: Cluster) -> list[Candidate]:
    """Return the users who have jobs."""
    return _distinct(job.user_name for job in cluster.jobs.values())


def features(cluster: Cluster) -> list[Candidate]:
    """Return the features of the nodes."""
    return _distinct(word for node in cluster.nodes for word in node.features.split(","))


def defined(kind: str) -> Values:
    """Return what gives the accounting records of a kind."""

    def values(cluster: Cluster) -> list[Candidate]:
        from slimsched.model.account import Book

        return [Candidate(name) for name in Book(cluster).names(kind)]

    return values


def states(_cluster: Cluster) -> list[Candidate]:
    """Return the states of jobs."""
    from slimsched.model.job import COMPACT

    return [Candidate(name, short) for name, short in COMPACT.items()]


def node_states(_cluster: Cluster) -> list[Candidate]:
    """Return the states of nodes that a listing can choose by."""
    from slimsched.render.node_states import TESTS

    return [Candidate(name) for name in TESTS]


def _distinct(names: Iterable[str]) -> list[Candidate]:
    return [Candidate(name) for name in sorted({name for name in names if name})]


BY_OPTION: dict[str, Values] = {
    "account": defined("account"),
    "accounts": defined("account"),
    "constraint": features,
    "exclude": nodes,
    "job": all_jobs,
    "jobid": jobs,
    "jobs": all_jobs,
    "nodelist": nodes,
    "partition": partitions,
    "prefer": features,
    "qos": defined("qos"),
    "reservation": reservations,
    "state": states,
    "states": states,
    "uid": users,
    "until-job": jobs,
    "user": users,
}
"""Option -> what its values are."""

BY_COMMAND: dict[tuple[str, str], Values | None] = {
    ("sinfo", "nodes"): nodes,
    ("slurmd", "N"): nodes,
    ("sinfo", "reservation"): None,
    ("sinfo", "states"): node_states,
    ("squeue", "nodelist"): nodes,
}
"""The same where a command means something else by an option."""

PLAIN: dict[str, Values] = {
    "scancel": jobs,
    "wait": jobs,
    "explain": all_jobs,
    "events": all_jobs,
    "qdel": jobs,
}
"""Command -> what its plain words are."""


def proposals(path: list[str], option: Option, current: str, places: Places) -> list[Candidate]:
    """Return the values of an option that begin as ``current``, whose last item counts, does."""
    if option.status == OURS and option.name == "state":
        return []
    words = option.arg[1:-1] if option.kind == OPTIONAL else option.arg
    if "|" in words and not any(mark in words for mark in NO_WORDS):
        return _matching([Candidate(word) for word in words.split("|")], current)
    values = BY_COMMAND.get((path[0] if path else "", option.name), BY_OPTION.get(option.name))
    return of_state(values, current, places)


def of_state(values: Values | None, current: str, places: Places) -> list[Candidate]:
    """Return values of the state that begin as the last item of a list does."""
    cluster = places.cluster() if values is not None else None
    if values is None or cluster is None:
        return []
    return _matching(values(cluster), current)


def _matching(found: Iterable[Candidate], current: str) -> list[Candidate]:
    head, comma, last = current.rpartition(",")
    taken = head.split(",")
    chosen = [
        Candidate(head + comma + text, said) for text, said in found if text.startswith(last) and text not in taken
    ]
    return chosen[:MOST]


def words(path: list[str], plain: list[str], current: str, places: Places) -> list[Candidate]:
    """Return what may stand as a plain word of a command."""
    name = path[0]
    if name == "scontrol":
        from slimsched.cli.scontrol.completion import words as keywords

        return keywords(plain, current, places)
    if name == "sacctmgr":
        from slimsched.cli.sacctmgr.grammar import following

        return _matching(map(Candidate, following(plain)), current)
    if name == "completion":
        return _matching([Candidate(shell) for shell in ("bash", "zsh", "fish")], current) if not plain else []
    return of_state(PLAIN.get(name), current, places)
