"""The environment variables that ``sbatch``, ``salloc`` and ``srun`` read as options.

Most variables are the command's prefix and the option's name; the tables hold the options that have one, and the
irregular names. An option that has no variable (``--extra``, ``--hold``, ``--comment``) is not read from one.
Source: the manual pages; SBATCH_EXTRA by oracle SURPRISES D35.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from slimsched.cli.submit.options import readers
from slimsched.cli.submit.options.request import Reading
from slimsched.slurm.getopt import NONE, OPTIONAL
from slimsched.slurm.options import SubmitOption
from slimsched.text.sizes import strtol

_SHARED = (
    "account acctg-freq clusters cluster-constraint constraint container container-id core-spec cpus-per-gpu delay-boot"
    " exclusive gpu-bind gpu-freq gpus gpus-per-node gpus-per-socket gpus-per-task gres gres-flags hint mem-bind"
    " mem-per-cpu mem-per-gpu network no-kill oom-kill-step overcommit partition profile qos reservation signal"
    " spread-job thread-spec threads-per-core tres-bind tres-per-task use-min-nodes wait-all-nodes wckey"
)
REGULAR = {
    "SBATCH": _SHARED
    + " batch distribution error export get-user-env ignore-pbs input job-name no-requeue open-mode output requeue"
    " consolidate-segments spread-segments wait",
    "SALLOC": _SHARED + " bell immediate no-bell",
    "SLURM": _SHARED
    + " bcast bcast-exclude compress cpu-bind cpus-per-task dependency disable-status distribution epilog exact"
    " immediate job-name kill-on-invalid-dep multi-prog ntasks ntasks-per-core ntasks-per-gpu ntasks-per-node"
    " ntasks-per-socket ntasks-per-tres open-mode overlap prolog resv-ports send-libs task-epilog task-prolog threads"
    " wait",
}
_SHARED_IRREGULAR = {
    "BURST_BUFFER": "bb",
    "CPU_FREQ_REQ": "cpu-freq",
    "DEBUG": "verbose",
    "MEM_PER_NODE": "mem",
    "REQ_SWITCH": "switches",
    "SEGMENT_SIZE": "segment",
    "TIMELIMIT": "time",
}
IRREGULAR = {
    "SBATCH": {**_SHARED_IRREGULAR, "ARRAY_INX": "array"},
    "SALLOC": {**_SHARED_IRREGULAR, "KILL_CMD": "kill-command"},
    "SLURM": {
        **_SHARED_IRREGULAR,
        "EXPORT_ENV": "export",
        "JOB_ID": "jobid",
        "JOB_NUM_NODES": "nodes",
        "KILL_BAD_EXIT": "kill-on-bad-exit",
        "LABELIO": "label",
        "MPI_TYPE": "mpi",
        "NPROCS": "ntasks",
        "REMOTE_CWD": "chdir",
        "STDERRMODE": "error",
        "STDINMODE": "input",
        "STDOUTMODE": "output",
        "UNBUFFEREDIO": "unbuffered",
        "WORKING_DIR": "chdir",
    },
}
COMMON = {"SLURM_CLUSTERS": "clusters", "SLURM_HINT": "hint"}
"""Variables that all three commands read."""
SRUN = {
    "SRUN_CONTAINER": "container",
    "SRUN_CONTAINER_ID": "container-id",
    "SRUN_CPUS_PER_TASK": "cpus-per-task",
    "SRUN_ERROR": "error",
    "SRUN_EXPORT_ENV": "export",
    "SRUN_INPUT": "input",
    "SRUN_OUTPUT": "output",
}
"""Variables of ``srun`` with a prefix of their own."""
SWITCHED_ON = ("", "yes")  # or a number other than 0


def variables(prefix: str) -> dict[str, str]:
    """Return variable -> option for a command's prefix (SBATCH, SALLOC, SLURM), later ones the stronger."""
    regular = {f"{prefix}_{name.upper().replace('-', '_')}": name for name in REGULAR[prefix].split()}
    irregular = {f"{prefix}_{word}": name for word, name in IRREGULAR[prefix].items()}
    return regular | irregular | COMMON | (SRUN if prefix == "SLURM" else {})


def read(prefix: str, options: Sequence[SubmitOption], group: int | None = None) -> list[Reading]:
    """Return the options that the environment sets or switches off; raise `UserError` for a wrong value.

    ``group``: the component of a heterogeneous job whose own variables come before those of all.
    """
    given = os.environ if group is None else _of_group(group)
    if not any(name.startswith((f"{prefix}_", "SLURM_", "SRUN_")) for name in given):
        return []
    by_name = {option.long: option for option in options}
    found = []
    for variable, name in variables(prefix).items():
        text = given.get(variable)
        if text is not None and name in by_name:
            found.append(_reading(by_name[name], text))
    wait = given.get(f"{prefix}_WAIT4SWITCH")
    if wait is not None:
        from slimsched.cli.submit.options.numbers import switch_wait

        switches = by_name["switches"]
        found.append(Reading(switches, wait, switch_wait("switches", wait), environment=True))
    return found


def _of_group(group: int) -> dict[str, str]:
    ending = f"_HET_GROUP_{group}"
    own = {name.removesuffix(ending): text for name, text in os.environ.items() if name.endswith(ending)}
    own.pop("SLURM_JOB_ID", None)
    return {**os.environ, **own}


def _reading(option: SubmitOption, text: str) -> Reading:
    """Read a variable: for an option without an argument it says yes or no."""
    if option.kind != NONE:
        value = None if option.kind == OPTIONAL and not text else text
        return Reading(option, value, readers.find(option.reader)(option.long, value), environment=True)
    number, rest = strtol(text)
    off = text.lower() not in SWITCHED_ON and (not number or bool(rest))
    return Reading(option, text, readers.find(option.reader)(option.long, None), environment=True, off=off)
