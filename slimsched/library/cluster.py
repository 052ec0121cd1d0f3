"""`Cluster`: make or load one, submit, advance, ask, and read the events."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Self

from slimsched.controller.requests import users
from slimsched.controller.schedule import event_loop
from slimsched.controller.submit import submission
from slimsched.errors import UserError
from slimsched.library import records
from slimsched.library.holders import Directory, Holder, Memory
from slimsched.library.records import Event, Job, Node
from slimsched.model import bitmap
from slimsched.model.request import requested
from slimsched.slurm.states import FINISHED
from slimsched.text import times

if TYPE_CHECKING:
    from slimsched.model.config import Config


class Cluster:
    """A simulated cluster on a virtual clock.

    ``Cluster(nodes=4, cpus=8)`` makes one in memory; `load` takes one from a ``slurm.conf``, a ``cluster.toml`` or a
    state directory. Every method raises `UserError` in Slurm's words.
    """

    def __init__(
        self, *, nodes: int | str = 3, cpus: int = 12, memory: int = 64000, extra: str = "", **settings: str
    ) -> None:
        """Make a cluster of equal nodes: a number (``n1``, ``n2``, ...) or a hostlist; memory in MB.

        ``settings``: keys of slurm.conf (``SchedulerType="sched/builtin"``).
        """
        from slimsched.state import default

        named = f"n[1-{nodes}]" if isinstance(nodes, int) else nodes
        shape = {"NodeName": named, "CPUs": str(cpus), "RealMemory": str(memory), "Extra": extra}
        config = default.described({name: value for name, value in shape.items() if value}, ())
        default.adjust(config, [f"{key}={value}" for key, value in settings.items()], {})
        self._holder: Holder = Memory(config)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Load a cluster: a state directory is used as it is, a ``slurm.conf`` or ``cluster.toml`` read into memory."""
        name = os.fspath(path)
        cluster = cls.__new__(cls)
        cluster._holder = Directory(name) if os.path.isdir(name) else Memory(configuration(name))
        return cluster

    @property
    def now(self) -> int:
        """The instant of the clock, in seconds since 1970."""
        with self._holder.session(write=False) as ctl:
            return ctl.cluster.now

    # submit

    def submit(self, script: str | None = None, *, user: str | None = None, **request: Any) -> int:
        """Submit a job and return its id.

        ``request``: fields of a job request (``num_tasks=4, time_limit=30, extra="load<0.5"``), limits in minutes;
        ``sim_runtime``: for how many seconds it runs. Without it the ``script`` tells (``sleep 60``), else the limit.
        """
        with self._holder.session() as ctl:
            who = users.invoking(ctl.cluster) if user is None else users.resolve(ctl.cluster, user)
            try:
                asked = requested(request)
            except ValueError as fault:
                raise UserError(f"job request: {fault}") from None
            return submission.submit(ctl, asked, who, None if script is None else _batch(script)).job_id

    # advance

    def advance(self, duration: str | int | None = None) -> int:
        """Move the clock by a duration (seconds, or a text: ``10m``), or until nothing more happens; return the time.

        What falls due on the way happens at its own instant. Jobs that wait for ever do not count.
        """
        seconds = times.duration(duration) if isinstance(duration, str) else duration
        if seconds is not None and seconds < 0:
            raise UserError("the clock does not go back")
        with self._holder.session() as ctl:
            if ctl.cluster.config.clock == "wall":
                raise UserError("the cluster uses the system's clock, which moves by itself")

            def go_on(_now: int) -> bool:
                ctl.commit_much()
                return True

            if seconds is None:
                event_loop.advance_until_idle(ctl, watch=go_on)
            else:
                event_loop.advance(ctl, ctl.cluster.now + seconds, watch=go_on)
            return ctl.cluster.now

    # change

    def update(self, **fields: object) -> None:
        """Change a node, a partition, a reservation or a job, as ``scontrol update`` does.

        ``fields``: its words (``nodename="n1", extra='{"load": 0.9}'``), in lower or upper case.
        """
        from slimsched.library import changes

        with self._holder.session() as ctl:
            changes.update(ctl, [f"{name}={value}" for name, value in fields.items()])

    def reserve(self, **fields: object) -> str:
        """Make a reservation, as ``scontrol create reservation`` does, and return its name."""
        from slimsched.library import changes

        with self._holder.session() as ctl:
            return changes.reserve(ctl, [f"{name}={value}" for name, value in fields.items()])

    # ask

    def jobs(self, *states: str) -> list[Job]:
        """Return the jobs by id, ended ones too; with ``states`` (``"PENDING"``) only those in one of them."""
        with self._holder.session(write=False) as ctl:
            found = {job.job_id: job for job in self._holder.ended()} if not states or FINISHED & {*states} else {}
            found.update(ctl.cluster.jobs)
            chosen = (job for _, job in sorted(found.items()))
            return [records.job(job) for job in chosen if not states or job.state in states]

    def job(self, job_id: int) -> Job:
        """Return one job; raises `UserError` if there is none."""
        with self._holder.session(write=False) as ctl:
            found = ctl.cluster.jobs.get(job_id)
            if found is None:
                found = next((job for job in self._holder.ended() if job.job_id == job_id), None)
            if found is None:
                raise UserError("Invalid job id specified")
            return records.job(found)

    def nodes(self) -> list[Node]:
        """Return the nodes in the order of the node table."""
        with self._holder.session(write=False) as ctl:
            cluster = ctl.cluster
            here: dict[int, list[int]] = {}
            for job in cluster.jobs.values():
                for index in bitmap.iterate(cluster.bitmap_of_known(job.nodes) if job.active else 0):
                    here.setdefault(index, []).append(job.job_id)
            return [
                Node(node.name, node.state, node.cpus, node.real_memory, node.extra, here.get(node.index, []))
                for node in cluster.nodes
            ]

    # events

    def events(self) -> list[Event]:
        """Return what has happened since the last call, oldest first; the first call tells it all."""
        with self._holder.session(write=False):
            return [records.event(each) for each in self._holder.news()]


def configuration(path: str) -> Config:
    """Return the configuration of a ``cluster.toml`` (by its suffix), a ``slurm.conf`` or a state directory.

    Raises `UserError`, which names a fault.
    """
    from slimsched.state import config, slurm_conf

    if os.path.isdir(path):
        return config.load(path)[0]
    if not os.path.exists(path):
        raise UserError(f"{path}: No such file or directory")
    return config.read(path) if path.endswith(".toml") else slurm_conf.load(path).config


def _batch(script: str) -> str:
    return script if script.startswith("#!") else f"#!/bin/sh\n{script}\n"
