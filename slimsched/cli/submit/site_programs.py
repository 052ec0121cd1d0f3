"""The programs of a site around an allocation without a script: those of slurmctld, and Prolog and Epilog of nodes.

The process that has the allocation runs them, as the cluster's user. Prolog runs with the first step, or with the
allocation if ``PrologFlags`` has Alloc. Source: slurm.conf(5); the guide Prolog and Epilog; scenario prolog_fails.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.controller.core import Controller
    from slimsched.executor.local.files import Json
    from slimsched.model.config import Config
    from slimsched.model.job import Job

BEFORE, AFTER = ("PrologSlurmctld", "Prolog"), ("Epilog", "EpilogSlurmctld")
ALLOC = {"ALLOC", "CONTAIN", "NOHOLD", "X11", "DEFERBATCH", "RUNINJOB"}
"""Words of ``PrologFlags`` that have Prolog run with the allocation."""
PREPARED = "prepared"  # the file in an allocation's folder that says that Prolog has run
FAILED = 182
"""The exit code of an ``srun`` whose Prolog fails: the low byte of Slurm's error number."""


def configured(config: Config, names: Sequence[str]) -> bool:
    """Whether a site has one of these programs."""
    return any(config.get(name).startswith("/") for name in names)


def at_grant(config: Config) -> list[str]:
    """Return which programs run when an allocation is granted."""
    early = ALLOC.intersection(config.get("PrologFlags").upper().split(","))
    return [name for name in (BEFORE if early else BEFORE[:1]) if configured(config, [name])]


def granted(app: Application, job_id: int, names: Sequence[str]) -> bool:
    """Run what runs when an allocation is granted; whether nothing has failed."""
    from slimsched.executor.batch_environment import nodes_of
    from slimsched.executor.local import site, spec

    with app.session(write=False) as ctl:
        job = ctl.cluster.jobs[job_id]
        calls = spec.calls(ctl.cluster, job, nodes_of(job), names)
        folder = _folder(ctl, job)
    failed = site.run(calls, {})
    if BEFORE[1] in names:
        _mark(folder)
    if failed:
        drain(app, failed)
    return not failed


def before_step(ctl: Controller, job: Job) -> list[Json]:
    """Return the calls of Prolog that a step has to make, none if they have been made for its job."""
    if job.has_script or not configured(ctl.cluster.config, BEFORE[1:]):
        return []
    from slimsched.executor.batch_environment import nodes_of
    from slimsched.executor.local import spec

    folder = _folder(ctl, job)
    if os.path.exists(os.path.join(folder, PREPARED)):
        return []
    _mark(folder)
    return spec.calls(ctl.cluster, job, nodes_of(job), BEFORE[1:])


def after_job(ctl: Controller, job: Job) -> list[Json]:
    """Return the calls to make when a job has ended that still has its nodes."""
    if not configured(ctl.cluster.config, AFTER):
        return []
    from slimsched.executor.batch_environment import nodes_of
    from slimsched.executor.local import spec

    return spec.calls(ctl.cluster, job, nodes_of(job), AFTER)


def run_after(app: Application, calls: list[Json], exit_code: int, signal: int) -> None:
    """Run these calls, behind the job's end."""
    if calls:
        from slimsched.executor.local import site

        failed = site.run(calls, site.ended(exit_code, signal, time.time()))
        if failed:
            drain(app, failed)


def drain(app: Application, call: Json) -> None:
    """Drain the node on which a program has failed."""
    if call["node"]:
        from slimsched.controller.life import launch_failures

        with app.session() as ctl:
            launch_failures.drain(ctl, call["node"], call["reason"])


def _folder(ctl: Controller, job: Job) -> str:
    from slimsched.executor.local.owners import folder_of

    return folder_of(ctl.executor.place, job)


def _mark(folder: str) -> None:
    if os.path.isdir(folder):
        with open(os.path.join(folder, PREPARED), "w", encoding="utf-8"):
            pass
