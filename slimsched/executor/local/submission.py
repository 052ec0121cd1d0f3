"""The submitting process as a batch job inherits it: environment, umask, limits, directory."""

from __future__ import annotations

import os
import resource
from typing import TYPE_CHECKING

from slimsched.executor.batch_environment import FIXED, Export, submitters
from slimsched.executor.local import plain_json
from slimsched.executor.step_environment import LAUNCHERS
from slimsched.state import files, layout

if TYPE_CHECKING:
    from slimsched.executor.local.files import Json
    from slimsched.model.cluster import Cluster
    from slimsched.model.config import Config
    from slimsched.model.job import Job

PASSED_ON = ("CPU", "FSIZE", "DATA", "STACK", "CORE", "RSS", "NPROC", "NOFILE", "MEMLOCK", "AS")
"""Limits of resources that go along with a job (``PropagateResourceLimits=ALL``)."""


def gathered(config: Config, job: Job) -> Json:
    """Return it, as plain JSON. Raises `UserError` for a file of ``--export-file`` that cannot be read."""
    mask = os.umask(0o077)
    os.umask(mask)
    request = job.request
    propagated = _propagated(config, job)
    own = submitters(request.export, request.recorded.get("export-file"))
    login = bool(request.cron) or Export(request.export).login or "get-user-env" in request.recorded
    if login:
        own = {**({} if request.cron else own), "SLURM_GET_USER_ENV": "1"}
    return {
        "environment": own,
        "login": login,
        "commands": _commands(),
        "umask": mask,
        "limits": {
            f"RLIMIT_{name}": _limit(name, propagated) for name in PASSED_ON if hasattr(resource, f"RLIMIT_{name}")
        },
        "folder": os.getcwd(),
        "tasks": job.array_tasks,
    }


def kept(cluster: Cluster, job: Job, data: str) -> dict[str, str]:
    """Return the environment of a batch job as accounting keeps it (``AccountingStoreFlags=job_env``), {} for none.

    ``data``: the folder of the state's generation.
    """
    number = job.array_job_id or job.job_id
    text = files.read(layout.submission(data, number)) if job.request.batch else None
    if text is None or "job_env" not in cluster.config.get("AccountingStoreFlags").split(","):
        return {}
    submission = plain_json.loads(text)
    tasks = str(job.request.num_tasks) if "num_tasks" in job.request.given else None
    found = {
        **submission["environment"],
        **{f"SLURM_{name}": str(soft if soft >= 0 else UNLIMITED) for name, (soft, _) in submission["limits"].items()},
        "SLURM_PRIO_PROCESS": "0",
        "SLURM_SUBMIT_DIR": submission["folder"],
        "SLURM_SUBMIT_HOST": os.uname().nodename,
        "SLURM_UMASK": f"{submission['umask']:04o}",
        **{name: value for name, value in FIXED.items() if name.startswith(LAUNCHERS)},
    }
    return {**found, "SLURM_NPROCS": tasks, "SLURM_NTASKS": tasks} if tasks else found


UNLIMITED = (1 << 64) - 1


def _limit(name: str, propagated: list[str]) -> list[int]:
    """Return the soft and the hard limit of a job; one that does not go along is as high as it may be."""
    soft, hard = resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))
    return [soft if name in propagated else hard, hard]


def _propagated(config: Config, job: Job) -> list[str]:
    """Return the limits that go along (``--propagate``, ``PropagateResourceLimits`` and its exceptions)."""
    asked = job.request.recorded.get("propagate")
    if asked is None:
        asked = config.get("PropagateResourceLimits")
        left = config.get("PropagateResourceLimitsExcept").upper()
        if left.startswith("(") or not left:
            left = "NONE"
        if left != "NONE":
            return [] if left == "ALL" else [name for name in PASSED_ON if name not in left.split(",")]
    words = [word.removeprefix("RLIMIT_") for word in (asked or "ALL").upper().split(",")]
    if words == ["NONE"]:
        return []
    return [name for name in PASSED_ON if name in words or words == ["ALL"]]


def _commands() -> str:
    """Return the folder on PATH that holds ``sbatch``, "" if none does."""
    folders = os.environ.get("PATH", "").split(os.pathsep)
    return next((folder for folder in folders if os.access(os.path.join(folder, "sbatch"), os.X_OK)), "")
