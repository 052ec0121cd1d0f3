"""The values to complete: jobs, nodes, partitions and other names of the state, and fixed words.

Each kind is a Click type that completes itself, so that Click's own completion knows them as ``sim completion`` does;
whether a value is right is for the command to say. The state is read without waiting for a writer, and is not made
if there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem as Candidate

from slimsched.cli.app import Application
from slimsched.errors import SimError
from slimsched.slurm.getopt import OPTIONAL, OURS, Option

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job

    Kind = click.ParamType[object]
else:
    Kind = click.ParamType  # click 8.1 has it without parameters

NO_WORDS = ("[", " ", "file")  # an argument that has one of these is described, and not a list of words
MOST = 500  # candidates; a longer list helps nobody

Values = Callable[["Cluster"], Iterable[Candidate]]


class Names(Kind):
    """Names of the state, one or a list of them: ``values`` says which."""

    name = "name"

    def __init__(self, values: Values) -> None:
        self._values = values

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Candidate]:
        """Return the names that begin as the last one of a list does."""
        return of_state(self._values, incomplete, ctx)


class Words(Kind):
    """One of some fixed words."""

    name = "word"

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Candidate]:
        """Return the words that begin as what was typed does."""
        return matching(map(Candidate, self._words), incomplete)


class Sentence(Kind):
    """The plain words of a command with a grammar: ``following`` says what may stand behind some of them."""

    name = "word"

    def __init__(self, following: Callable[[list[str], str, click.Context], list[Candidate]]) -> None:
        self._following = following

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Candidate]:
        """Return what may stand behind the words that the line has so far."""
        return self._following(list(ctx.params.get(str(param.name)) or ()), incomplete, ctx)


def cluster(ctx: click.Context) -> Cluster | None:
    """Return the cluster that a line is about; None if there is none, or none that can be read at once."""
    import os

    from slimsched.state import layout, lock
    from slimsched.state.store import Store

    state = ctx.ensure_object(Application).state
    with suppress(SimError, OSError):
        folder = layout.locate(state)
        if os.path.exists(layout.snapshot(folder)) and not lock.busy(folder):
            with Store.open(state, write=False) as store:
                return store.load()
    return None


def of_state(values: Values | None, current: str, ctx: click.Context) -> list[Candidate]:
    """Return values of the state that begin as the last item of a list does."""
    known = cluster(ctx) if values is not None else None
    return [] if values is None or known is None else matching(values(known), current)


def matching(found: Iterable[Candidate], current: str) -> list[Candidate]:
    """Return what may stand at the end of a list: what begins as its last item does and is not in it yet."""
    head, comma, last = current.rpartition(",")
    taken = head.split(",")
    chosen = [
        Candidate(head + comma + each.value, help=each.help)
        for each in found
        if each.value.startswith(last) and each.value not in taken
    ]
    return chosen[:MOST]


def _job(job: Job) -> Candidate:
    number = job.job_id
    text = str(number) if job.array_task_id is None else f"{job.array_job_id}_{job.array_task_id}"
    return Candidate(text, help=f"{job.request.name}, {job.state} of {job.user_name}")


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
    return [Candidate(name, help="default partition" * part.default) for name, part in cluster.partitions.items()]


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
    from slimsched.slurm.states import JOB_STATES

    return [Candidate(row.name, help=row.letters) for row in JOB_STATES]


def node_states(_cluster: Cluster) -> list[Candidate]:
    """Return the states of nodes that a listing can choose by."""
    from slimsched.render.nodes.state_words import TESTS

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
    "user": users,
}
"""Option -> the kind of its values."""

BY_COMMAND: dict[tuple[str, str], Values | None] = {
    ("sinfo", "nodes"): nodes,
    ("slurmd", "N"): nodes,
    ("sinfo", "reservation"): None,
    ("sinfo", "states"): node_states,
    ("squeue", "nodelist"): nodes,
}
"""The same for commands in which an option means something else."""


def of_option(program: str, option: Option) -> Kind | None:
    """Return the kind of an option's value; None if nothing completes it."""
    if option.status == OURS and option.name == "state":
        return None
    words = option.arg[1:-1] if option.kind == OPTIONAL else option.arg
    if "|" in words and not any(mark in words for mark in NO_WORDS):
        return Words(words.split("|"))
    values = BY_COMMAND.get((program, option.name), BY_OPTION.get(option.name))
    return Names(values) if values is not None else None
