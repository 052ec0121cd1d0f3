"""Options from the environment: which variables ``sbatch``, ``salloc`` and ``srun`` read.

Most variables are the command's prefix and the option's name; the tables hold the options that have one, and the
irregular names. An option that has no variable (``--extra``, ``--hold``, ``--comment``) is not read from one.
Source: the manual pages; SBATCH_EXTRA by oracle SURPRISES D35.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from slimsched.cli.options.amounts import duration
from slimsched.cli.options.request import Reading
from slimsched.cli.options.submission import SubmitOption

_SHARED = (
    "account acctg-freq clusters constraint container container-id core-spec cpus-per-gpu delay-boot exclusive"
    " gpu-bind gpu-freq gpus gpus-per-node gpus-per-task gres gres-flags hint mem-bind mem-per-cpu mem-per-gpu"
    " network no-kill overcommit partition profile qos reservation signal spread-job thread-spec threads-per-core"
    " tres-bind tres-per-task use-min-nodes wait-all-nodes wckey"
)
REGULAR = {
    "SBATCH": _SHARED
    + " distribution error export get-user-env ignore-pbs input job-name no-requeue open-mode output requeue"
    " consolidate-segments wait",
    "SALLOC": _SHARED + " bell immediate no-bell",
    "SLURM": _SHARED
    + " bcast bcast-exclude compress cpu-bind dependency disable-status distribution epilog exact immediate job-name"
    " ntasks ntasks-per-core ntasks-per-gpu ntasks-per-node ntasks-per-socket open-mode overlap prolog resv-ports"
    " task-epilog task-prolog threads wait",
}
_SHARED_IRREGULAR = {
    "CPU_FREQ_REQ": "cpu-freq",
    "DEBUG": "verbose",
    "MEM_PER_NODE": "mem",
    "REQ_SWITCH": "switches",
    "SEGMENT_SIZE": "segment",
    "TIMELIMIT": "time",
}
IRREGULAR = {
    "SBATCH": {**_SHARED_IRREGULAR, "ARRAY_INX": "array"},
    "SALLOC": {**_SHARED_IRREGULAR, "BURST_BUFFER": "bb", "KILL_CMD": "kill-command"},
    "SLURM": {
        **_SHARED_IRREGULAR,
        "BURST_BUFFER": "bb",
        "JOB_ID": "jobid",
        "JOB_NUM_NODES": "nodes",
        "KILL_BAD_EXIT": "kill-on-bad-exit",
        "LABELIO": "label",
        "MPI_TYPE": "mpi",
        "UNBUFFEREDIO": "unbuffered",
        "WORKING_DIR": "chdir",
    },
}


def variables(prefix: str) -> dict[str, str]:
    """Return variable -> option for a command's prefix (SBATCH, SALLOC, SLURM)."""
    regular = {f"{prefix}_{name.upper().replace('-', '_')}": name for name in REGULAR[prefix].split()}
    return regular | {f"{prefix}_{word}": name for word, name in IRREGULAR[prefix].items()}


def read(prefix: str, options: Sequence[SubmitOption]) -> list[Reading]:
    """Return the options that the environment sets; raise `UserError` for a wrong value."""
    start = f"{prefix}_"
    if not any(name.startswith(start) for name in os.environ):
        return []
    by_name = {option.long: option for option in options}
    found = []
    for variable, name in variables(prefix).items():
        text = os.environ.get(variable)
        if text is None:
            continue
        option = by_name[name]
        value = None if option.arg.startswith("[") and not text else text
        found.append(Reading(option, value if option.arg else None, option.read(name, value)))
    wait = os.environ.get(f"{start}WAIT4SWITCH")
    if wait is not None:
        switches = by_name["switches"]
        found.append(Reading(switches, wait, {"wait_for_switches": duration("switches", wait)}))
    return found
