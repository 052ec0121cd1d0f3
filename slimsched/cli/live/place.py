"""The state directory of `sim env` and `sim run`, named or temporary, and Slurm's command names over it."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from slimsched.cli.own import shims
from slimsched.errors import UserError
from slimsched.state import default, files, layout, setup
from slimsched.state.config import read

if TYPE_CHECKING:
    from collections.abc import Mapping

    from slimsched.cli.app import Application

BIN = "bin"  # the folder of a state directory with Slurm's command names
TEMPORARY = "slimsched-"  # what the names of temporary state directories begin with
LIVE = {"executor": "local", "clock": "wall"}


def named(app: Application) -> bool:
    """Whether the user names a state directory."""
    return app.state is not None or bool(os.environ.get("SLIMSCHED_STATE"))


def prepared(folder: str, node: Mapping[str, str], *, live: bool) -> Path:
    """Make the cluster of a state directory if there is none, and return the folder of the commands' names.

    Raises `UserError` for an existing cluster that is described anew, or that is not live although it should be.
    """
    if files.kind(layout.snapshot(folder)) or files.kind(layout.config(folder)):
        if node:
            raise UserError(f"{folder} already holds a cluster", notes=("omit the options that describe nodes",))
        if live and not read(layout.config(folder)).live:
            raise UserError(
                f"the jobs of {folder} are simulated", notes=("make a cluster of real jobs: sim init --live",)
            )
    else:
        made = default.described(node, ())
        default.adjust(made, (), LIVE if live else {})
        for fault in setup.create(folder, made, force=False):
            raise fault
    place = Path(folder) / BIN
    shims.write(place, folder, clock=read(layout.config(folder)).clock == "virtual")
    return place


def temporary() -> str:
    """Return a new temporary directory for a state."""
    return tempfile.mkdtemp(prefix=TEMPORARY)


PATIENCE = 2
"""Seconds that jobs get to end when their cluster is removed."""


def remove(folder: str) -> None:
    """Cancel what is left and remove a state directory, once no process of the cluster uses it any more."""
    import shutil

    from slimsched.cli.app import Application
    from slimsched.cli.submit import blocking
    from slimsched.controller.life import cancel
    from slimsched.errors import SimError
    from slimsched.executor.local import family

    app = Application(folder)
    with suppress(SimError):  # a cluster that was never made, or was damaged: its folder goes all the same
        with app.session() as ctl:
            live = ctl.cluster.config.live
            for job in [job for job in ctl.cluster.jobs.values() if not job.finished]:
                cancel.cancel_job(ctl, job)
        if live:
            blocking.until(app, lambda ctl: not any(j.active for j in ctl.cluster.jobs.values()), lambda _: 0, PATIENCE)
    family.kill_cluster(folder)
    shutil.rmtree(folder, ignore_errors=True)
