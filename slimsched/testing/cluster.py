"""A cluster as tests see it: what clients did to it, what became of their jobs, and what is to go wrong."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

from slimsched.cli.app import Application
from slimsched.cli.live import place
from slimsched.cli.main import main
from slimsched.cli.submit import blocking
from slimsched.controller.core import Controller
from slimsched.controller.life import selectors
from slimsched.controller.requests import users
from slimsched.controller.update import node as node_update
from slimsched.errors import UserError
from slimsched.model.job import Job as Record
from slimsched.render.jobs import file_names
from slimsched.render.jobs.job_view import View
from slimsched.render.nodes import node_view
from slimsched.slurm.states import FINISHED
from slimsched.state import calls
from slimsched.text import hostlist

DEFAULTS = {"nodes": "4", "cpus": "8"}


class Job(NamedTuple):
    """What became of a job. ``state``: Slurm's word (``RUNNING``); ``signal``: that ended it, 0 for none.

    ``output``: the text of its output file, "" if there is none.
    """

    job_id: int
    name: str
    state: str
    reason: str
    exit_code: int
    signal: int
    nodes: list[str]
    output: str


class Node(NamedTuple):
    """A node. ``state``: the word of ``sinfo`` (``idle``, ``mixed``); memory in MB."""

    name: str
    state: str
    cpus: int
    memory: int
    extra: str


class Cluster:
    """A cluster in a folder: ``path`` holds its state, ``bin`` Slurm's commands.

    ``variables``: what a program needs in its environment to find both; ``env`` is the whole environment with them.
    The options are those of the marker ``slurm``. Every method raises `UserError` with the text of the command that
    it stands for.
    """

    def __init__(self, folder: Path, options: Mapping[str, str], *, live: bool = False) -> None:
        self.path, self.bin, self.live = folder / "state", folder / "state" / place.BIN, live
        self.run("init", *["--live"] * live, *_shape(options))
        self.run("shims", str(self.bin))
        self.run("calls", "--on")
        path = os.pathsep.join((str(self.bin), os.environ.get("PATH", os.defpath)))
        self.variables = {"PATH": path, "SLIMSCHED_STATE": str(self.path)}

    def close(self) -> None:
        """End what still runs and remove the cluster."""
        place.remove(str(self.path))

    def run(self, *words: str) -> str:
        """Run one of the subcommands of ``sim`` and return what it prints (``run("squeue", "-h")``)."""
        code, said, complaint = self._call(*words)
        if code:
            raise UserError(complaint.strip() or said.strip() or f"{words[0]}: exit status {code}", exit_code=code)
        return said

    def _call(self, *words: str) -> tuple[int, str, str]:
        """Run a subcommand; return exit code, standard output and standard error."""
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        with redirect_stdout(out), redirect_stderr(err):
            try:
                code = main(["--state", str(self.path), *words])
            except SystemExit as stop:  # Click's way to end
                code = stop.code if isinstance(stop.code, int) else 1
        said, complaint = (stream.buffer.getvalue().decode("utf-8", "replace") for stream in (out, err))
        return code, said, complaint

    # what became of it

    @property
    def env(self) -> dict[str, str]:
        """The environment for a program that is to use the cluster."""
        return {**os.environ, **self.variables}

    @property
    def nodes(self) -> dict[str, Node]:
        """The nodes by name, as they are now."""
        with self._session(write=False) as (_, ctl):
            return {
                view.node.name: Node(view.node.name, view.state, view.node.cpus, view.node.real_memory, view.node.extra)
                for view in node_view.views(ctl.cluster)
            }

    def jobs(self, job_id: int | str) -> list[Job]:
        """Return a job, or the tasks of an array (``7``, ``7_3``, ``7_[1-2]``); ended ones, too."""
        with self._session(write=False) as (app, ctl):
            return [
                Job(
                    job.job_id,
                    job.request.name,
                    job.state,
                    job.reason,
                    job.exit_code,
                    job.exit_signal,
                    hostlist.expand(job.nodes) if job.nodes else [],
                    _output(ctl, job),
                )
                for job in blocking.meant(app, ctl, selectors.parse(str(job_id)))
            ]

    def job(self, job_id: int | str) -> Job:
        """Return one job; raises `UserError` if the id means several."""
        found = self.jobs(job_id)
        if len(found) != 1:
            raise UserError(f"{job_id} means {len(found)} jobs; jobs({job_id!r}) returns them")
        return found[0]

    @property
    def calls(self) -> list[list[str]]:
        """The words of each Slurm command that the cluster received, oldest first."""
        return [[call.command, *call.args] for call in calls.read(str(self.path)) or ()]

    @property
    def events(self) -> str:
        """The history of the cluster, as ``sim events`` prints it; the reason if it cannot be read."""
        try:
            return self.run("events")
        except UserError as error:
            return str(error)

    # time

    def advance(self, duration: str) -> None:
        """Move the clock (``10m``); what falls due on the way happens."""
        self.run("advance", duration)

    def wait(self, job_id: int | str, timeout: str | None = None) -> Job:
        """Let time pass until a job has ended, and return it; raises `UserError` if it never will.

        ``timeout``: for how long at most; a minute, unless the clock is virtual.
        """
        patience = timeout or ("1m" if self.live else None)
        _, _, complaint = self._call("wait", str(job_id), *([] if patience is None else [f"--timeout={patience}"]))
        job = self.job(job_id)
        if job.state not in FINISHED:
            raise UserError(complaint.strip() or f"job {job_id} has not ended after {patience}")
        return job

    # what goes wrong

    def fail(
        self,
        command: str,
        *,
        times: int | None = None,
        after: int = 0,
        stdout: str | None = None,
        stderr: str | None = None,
        exit_code: int | None = None,
        delay: str | None = None,
        truncate: int | None = None,
        run: bool = False,
        lag: str | None = None,
        unreachable: bool = False,
    ) -> None:
        """Let a command of Slurm's fail; the keywords are the options of ``sim fault add``."""
        given = {
            "times": times,
            "after": after,
            "stdout": stdout,
            "stderr": stderr,
            "exit": exit_code,
            "delay": delay,
            "truncate": truncate,
            "lag": lag,
        }
        words = [f"--{name}={value}" for name, value in given.items() if value is not None]
        self.run("fault", "add", command, *words, *["--run"] * run, *["--unreachable"] * unreachable)

    def end_job(
        self,
        job_id: int | str,
        state: str | None = None,
        *,
        exit_code: int | None = None,
        signal: int | str | None = None,
        after: str | None = None,
    ) -> None:
        """Let a job end in ``state`` (``OUT_OF_MEMORY``), with an exit code, or by a signal.

        ``after``: how long from now; None when it would end anyway.
        """
        given = {"exit": exit_code, "signal": signal, "in": after}
        words = [f"--{name}={value}" for name, value in given.items() if value is not None]
        self.run("fault", "job", str(job_id), *([] if state is None else [state]), *words)

    def node_down(self, name: str, reason: str = "failed by a test", *, after: str | None = None) -> None:
        """Take nodes (a hostlist) out of service, with what runs on them; ``after`` some time, as if they failed."""
        if after is None:
            self._change_nodes(name, "state=down", f"reason={reason}")
        else:
            self.run("fault", "node", name, f"--in={after}")

    def node_up(self, name: str) -> None:
        """Put nodes that were down back into service."""
        self._change_nodes(name, "state=resume")

    def set_extra(self, name: str, extra: object) -> None:
        """Set the ``Extra`` data of nodes: a text as it is, anything else as JSON."""
        self._change_nodes(name, f"extra={extra if isinstance(extra, str) else json.dumps(extra)}")

    def _change_nodes(self, name: str, *words: str) -> None:
        with self._session() as (_, ctl):
            node_update.update(ctl, node_update.parse([f"nodename={name}", *words]), users.invoking(ctl.cluster))

    @contextmanager
    def _session(self, *, write: bool = True) -> Iterator[tuple[Application, Controller]]:
        app = Application(str(self.path))
        with app.session(write=write) as ctl:
            yield app, ctl


def _output(ctl: Controller, job: Record) -> str:
    """Return the text of a job's output file, "" if it has written none."""
    name = file_names.path(View(job, ctl.cluster), "output")
    try:
        return Path(name).read_text(encoding="utf-8", errors="replace") if name else ""
    except OSError:
        return ""


def _shape(options: Mapping[str, str]) -> list[str]:
    """Return the options of ``sim init`` for those of the marker."""
    given = dict(options)
    conf = given.pop("conf", None)
    if conf is None:
        given = DEFAULTS | given
        if given["nodes"].isdecimal():
            given["nodes"] = f"n[1-{given['nodes']}]"
    words = [word for name, value in given.items() for word in (f"--{name.replace('_', '-')}", value)]
    return words if conf is None else ["--from", conf, *words]
