"""The submitting process as a batch job inherits it: environment, umask, limits, directory."""

from __future__ import annotations

import os
import resource
from typing import TYPE_CHECKING

from slimsched.executor.batch_environment import Export, submitters

if TYPE_CHECKING:
    from slimsched.executor.local.files import Json
    from slimsched.model.job import Job

PASSED_ON = ("CPU", "FSIZE", "DATA", "STACK", "CORE", "RSS", "NPROC", "NOFILE", "MEMLOCK", "AS")
"""Limits of resources that go along with a job (``PropagateResourceLimits=ALL``)."""


def gathered(job: Job) -> Json:
    """Return it, as plain JSON."""
    mask = os.umask(0o077)
    os.umask(mask)
    request = job.request
    limits = {f"RLIMIT_{name}": getattr(resource, f"RLIMIT_{name}", None) for name in PASSED_ON}
    return {
        "environment": submitters(request.export, request.recorded.get("export-file")),
        "login": Export(request.export).login or "get-user-env" in request.recorded,
        "commands": _commands(),
        "umask": mask,
        "limits": {name: list(resource.getrlimit(which)) for name, which in limits.items() if which is not None},
        "folder": os.getcwd(),
        "tasks": job.array_tasks,
    }


def _commands() -> str:
    """Return the folder on PATH that holds ``sbatch``, "" if none does."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    return next((folder for folder in folders if os.access(os.path.join(folder, "sbatch"), os.X_OK)), "")
