"""The environment of a batch script: what the submitter exports, and what Slurm sets.

Source: sbatch(1), ``--export`` and OUTPUT ENVIRONMENT VARIABLES; scenarios env_batch_options, env_batch_export.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from slimsched.errors import UserError
from slimsched.executor.environment import job_environment
from slimsched.model.account import NORMAL, Book
from slimsched.text import hostlist, idset

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job

FIXED = {
    "ENVIRONMENT": "BATCH",
    "HYDRA_BOOTSTRAP": "slurm",
    "HYDRA_LAUNCHER_EXTRA_ARGS": "--external-launcher",
    "I_MPI_HYDRA_BOOTSTRAP": "slurm",
    "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS": "--external-launcher",
    "OMPI_MCA_plm_slurm_args": "--external-launcher",
    "PRTE_MCA_plm_slurm_args": "--external-launcher",
    "SLURM_GTIDS": "0",
    "SLURM_LOCALID": "0",
    "SLURM_NODEID": "0",
    "SLURM_OOM_KILL_STEP": "0",
    "SLURM_PRIO_PROCESS": "0",
    "SLURM_PROCID": "0",
    "SLURM_STEPID": "-5",
    "SLURM_STEP_ID": "-5",
}
"""Variables that are the same for every batch script."""

SUBMITTED = "SLURM_"  # variables with these prefixes go to every job, whatever is exported
QUOTES = ("'", '"')


class Export:
    """The export of ``--export``: all of the submitter's environment, none, or the named variables, and new values.

    ``text``: None without the option, which is not the same as an empty list. ``login``: what a login of the user sets
    goes along. ``broken``: what is left out because a quote has no end.
    """

    def __init__(self, text: str | None) -> None:
        self.text = text
        words, self.broken = _words(text or "")
        self.every = text is None or any(word.upper() == "ALL" for word in words)
        self.login = text is not None and text.strip().upper() not in ("ALL", "NIL")
        self.named = [word for word in words if "=" not in word and word.upper() not in ("ALL", "NONE", "NIL")]
        self.set = dict(word.partition("=")[::2] for word in words if "=" in word)

    def of(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Return what is exported of an environment."""
        found = {k: v for k, v in environment.items() if self.every or k in self.named or k.startswith(SUBMITTED)}
        found |= self.set
        if self.text is not None and self.text.upper() != "ALL":
            found["SLURM_EXPORT_ENV"] = self.text
        if self.login:
            found["SLURM_GET_USER_ENV"] = "1"
        return found


def _words(text: str) -> tuple[list[str], str]:
    """Return the words between commas outside of quotes, and the rest that a quote without its end spoils.

    A word that is quoted as a whole loses its quotes, others keep them, as in Slurm.
    """
    words, begin, quotes = [], 0, set[str]()
    for place, letter in enumerate(f"{text},"):
        if letter in QUOTES:
            quotes ^= {letter}
        elif letter == "," and not quotes:
            word, begin = text[begin:place], place + 1
            words.append(word[1:-1] if word[:1] in QUOTES and word[:1] == word[-1:] else word)
    return [word for word in words if word], text[begin:]


def batch_environment(
    cluster: Cluster, job: Job, nodes: list[str], submitted: Mapping[str, str], *, tasks: str, folder: str
) -> dict[str, str]:
    """Return the environment of a job's script.

    ``submitted``: what the submitter exports; ``tasks``: those of the array as submitted, as an idset; ``folder``:
    where it was submitted.
    """
    request = job.request
    own = {
        **FIXED,
        "HOSTNAME": nodes[0],
        "SLURMD_NODENAME": nodes[0],
        "SLURM_CPUS_ON_NODE": str(job.cpus[0]),
        "SLURM_JOB_EXCLUSIVE": request.exclusive or "NO",
        "SLURM_JOB_OVERSUBSCRIBE": "YES" if request.oversubscribe else "NO",
        "SLURM_JOB_QOS": request.qos or NORMAL,
        "SLURM_JOB_SLUID": sluid(job),
        "SLURM_RESTART_COUNT": str(job.restarts),
        "SLURM_TOPOLOGY_ADDR": nodes[0],
        "SLURM_TOPOLOGY_ADDR_PATTERN": "node",
        **job_environment(cluster, job),
        "SLURM_SUBMIT_DIR": folder,
        **array_facts(tasks),
        **_gpus(job),
    }
    if account := _account(cluster, job):
        own["SLURM_JOB_ACCOUNT"] = account
    if cluster.config.source:
        own["SLURM_CONF"] = cluster.config.source
    if job.het_job_id:
        own |= group_environment(cluster, job, BATCH_GROUP)
    if request.cpus_per_task and "SLURM_CPUS_PER_TASK" not in own:
        own["SLURM_CPUS_PER_TASK"] = str(request.cpus_per_task)
    return {"TMPDIR": "/tmp", **submitted, **own}


def _account(cluster: Cluster, job: Job) -> str:
    return job.request.account or Book(cluster).default_account(job.user_name)


def group_environment(cluster: Cluster, job: Job, names: str) -> dict[str, str]:
    """Return the variables of all components of a heterogeneous job, those of each under its own number, twice.

    ``names``: those variables, without ``SLURM_``, that are told of each.
    """
    every = cluster.components(job)
    found = {"SLURM_HET_SIZE": str(len(every)), "SLURM_PACK_SIZE": str(len(every))}
    for one in every:
        own = {**job_environment(cluster, one), "SLURM_JOB_QOS": one.request.qos or NORMAL}
        if account := _account(cluster, one):
            own["SLURM_JOB_ACCOUNT"] = account
        for name in (f"SLURM_{word}" for word in names.split()):
            if name in own:
                found |= dict.fromkeys((f"{name}_{kind}_GROUP_{one.het_job_offset}" for kind in KINDS), own[name])
    return found


KINDS = ("HET", "PACK")
"""The name of a heterogeneous job's variables, and the one of former days."""

BATCH_GROUP = (
    "JOB_ACCOUNT JOB_CPUS_PER_NODE JOB_ID JOB_NAME JOB_NODELIST JOB_NUM_NODES JOB_PARTITION JOB_QOS JOB_RESERVATION"
    " MEM_PER_CPU MEM_PER_GPU MEM_PER_NODE NPROCS NTASKS TASKS_PER_NODE CPUS_PER_TASK"
)
"""What a batch script is told of each component."""

ALLOCATION_GROUP = (
    "JOBID JOB_ACCOUNT JOB_CPUS_PER_NODE JOB_ID JOB_NAME JOB_NODELIST JOB_NUM_NODES JOB_PARTITION JOB_QOS"
    " JOB_RESERVATION NNODES NODELIST NPROCS NTASKS TASKS_PER_NODE"
)
"""What the command of ``salloc`` is told of each component."""


def allocation_environment(cluster: Cluster, job: Job) -> dict[str, str]:
    """Return what the command of ``salloc`` is told; of a heterogeneous job only what all components share is plain."""
    own = job_environment(cluster, job)
    if not job.het_job_id:
        return own
    tasks = [job_environment(cluster, one).get("SLURM_NTASKS") for one in cluster.components(job)]
    if all(tasks):
        total = str(sum(int(count or 0) for count in tasks))
        own |= {"SLURM_NTASKS": total, "SLURM_NPROCS": total}
    shared = {name: own[name] for name in SHARED if name in own}
    return shared | group_environment(cluster, job, ALLOCATION_GROUP)


SHARED = tuple(f"SLURM_{word}" for word in ["CLUSTER_NAME", "JOB_ID", "NTASKS", "NPROCS", "SUBMIT_DIR", "SUBMIT_HOST"])


def sluid(job: Job) -> str:
    """Return a job's unique id in the shape of Slurm's own, made of the submission's time and the job id."""
    number = job.submit_time << 24 | (job.array_job_id or job.job_id)
    digits = (number >> shift & 31 for shift in range(55, -1, -5))
    return "s2" + "".join("0123456789ABCDEFGHJKMNPQRSTVWXYZ"[digit] for digit in digits)


def array_facts(tasks: str) -> dict[str, str]:
    """Return what an array was when it was submitted."""
    found = idset.decode(tasks) if tasks else []
    if not found:
        return {}
    return {
        "SLURM_ARRAY_TASK_COUNT": str(len(found)),
        "SLURM_ARRAY_TASK_MIN": str(found[0]),
        "SLURM_ARRAY_TASK_MAX": str(found[-1]),
        "SLURM_ARRAY_TASK_STEP": str(found[1] - found[0] if len(found) > 1 else 1),
    }


def _gpus(job: Job) -> dict[str, str]:
    """Return the numbers of the GPUs on the first node."""
    text = job.gres[0] if job.gres else ""
    if not text.startswith("gpu") or "(IDX:" not in text:
        return {}
    numbers = text.partition("(IDX:")[2].partition(")")[0]
    listed = ",".join(map(str, idset.decode(numbers)))
    names = ("CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ROCR_VISIBLE_DEVICES", "SLURM_JOB_GPUS")
    return {**dict.fromkeys(names, listed), "SLURM_GPUS_ON_NODE": str(len(listed.split(",")))}


def nodes_of(job: Job) -> list[str]:
    """Return the names of a job's nodes."""
    return hostlist.expand(job.nodes, dialect="slurm")


def submitters(export: str | None, file: str | None) -> dict[str, str]:
    """Return what this process exports to a job; ``file``: the one of ``--export-file``, instead of the environment."""
    if file is not None:
        return _from_file(file)
    return Export(export).of(os.environ)


def _from_file(name: str) -> dict[str, str]:
    """Return the variables of a file, or of an open descriptor that is named by its number.

    Source: sbatch(1), ``--export-file``. Raises `UserError` for a file that cannot be read.
    """
    place: str | int = name
    if name.isdecimal() and int(name) > STANDARD_ERROR and os.path.exists(f"/dev/fd/{int(name)}"):
        place = int(name)
    try:
        with open(place, encoding="utf-8", errors="surrogateescape") as handle:
            pairs = (item.partition("=") for item in handle.read().split("\0"))
            return {name: value for name, equals, value in pairs if equals and name not in NOT_FROM_FILE}
    except OSError:
        raise UserError(f"Could not open user environment file {name}") from None


STANDARD_ERROR = 2
NOT_FROM_FILE = ("DISPLAY", "ENVIRONMENT", "HOSTNAME")
