"""The checks between options: which exclude each other, and sizes that follow from one another.

The checks run in the order in which the commands complain. Source: sbatch(1), srun(1).
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slimsched.cli.submit.options.numbers import leading
from slimsched.cli.submit.options.values import hostfile
from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.cli.submit.options.request import Draft

MEMORY = {"mem": "mem_per_node", "mem-per-cpu": "mem_per_cpu", "mem-per-gpu": "mem_per_gpu"}
ONE_MEMORY = "--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive."
ONE_MEMORY_VARIABLE = "SLURM_MEM_PER_CPU, SLURM_MEM_PER_GPU, and SLURM_MEM_PER_NODE are mutually exclusive."
NOT_WITH_NTASKS_PER_GPU = ("tres-per-task", "gpus-per-task", "gpus-per-socket", "ntasks-per-node")
SPEC = ("core-spec", "thread-spec")
ONE_SPEC = "-S/--core-spec and --thred-spec options are mutually exclusive"
ONE_SPEC_VARIABLE = (
    "Both --core-spec and --thread-spec set using environment variables. Those options are mutually exclusive."
)
NO_TASK_TRES = ("mem", "energy", "node", "billing", "fs", "vmem", "pages", "bb")
ONE_CPU_COUNT = "--cpus-per-task, --tres-per-task=cpu:#, and --cpus-per-gpu are mutually exclusive"
NOT_WITH_HINT = ("ntasks-per-core", "threads-per-core", "extra-node-info", "cpu-bind")
HINTED = {
    "compute_bound": {"threads_per_core": 1},
    "memory_bound": {"cores_per_socket": 1, "threads_per_core": 1},
    "nomultithread": {"threads_per_core": 1},
}
GEOMETRY = ("sockets_per_node", "cores_per_socket", "threads_per_core")


def verify(made: Draft) -> list[str]:
    """Refuse what does not go together, let the user's options replace those of the environment; return warnings.

    Raises `UserError`.
    """
    for check in CHECKS:
        check(made)
    return settle_size(made)


def _fatal(text: str) -> UserError:
    return UserError(text, level="fatal")


def _ntasks_per_gpu(made: Draft) -> None:
    names = [name for name in ("ntasks-per-gpu", "ntasks-per-tres") if name in made.last]
    if not names:
        return
    gpu, tres = (made.last[names[i]].value for i in (0, -1))
    if gpu != tres and made.given(names[0]) and made.given(names[-1]):
        raise _fatal(f"Inconsistent values set to --ntasks-per-gpu={gpu} and --ntasks-per-tres={tres} ")
    for name in NOT_WITH_NTASKS_PER_GPU:
        if name in made.last:
            shown = f"--{name}" if made.given(name) else f"SLURM_{name.upper().replace('-', '_')}"
            raise _fatal(f"{shown} is mutually exclusive with --ntasks-per-gpu and SLURM_NTASKS_PER_GPU")


def _spec_cores(made: Draft) -> None:
    if all(map(made.given, SPEC)):
        raise _fatal(ONE_SPEC)
    if all(map(made.inherited, SPEC)):
        raise _fatal(ONE_SPEC_VARIABLE)


def _memory(made: Draft) -> None:
    given = [name for name in MEMORY if made.given(name)]
    if len(given) > 1:
        raise _fatal(ONE_MEMORY)
    inherited = [name for name in MEMORY if made.inherited(name)]
    if given:
        for name in inherited:
            made.drop(name, MEMORY[name])
    elif len(inherited) > 1:
        raise _fatal(ONE_MEMORY_VARIABLE)


def _share(made: Draft) -> None:
    if made.given("exclusive") and made.given("oversubscribe"):
        raise _fatal("--exclusive and --oversubscribe options are mutually exclusive")


def _tres_per_task(made: Draft) -> None:
    """Check ``--tres-per-task``; the CPUs in it are those of ``--cpus-per-task``."""
    for item in filter(None, str(made.fields.get("tres_per_task", "")).split(",")):
        bad = next((tres for tres in NO_TASK_TRES if item.lower().startswith(tres)), None)
        if bad:
            raise _fatal(f"Invalid TRES for --tres-per-task: {bad}")
        kind, sibling = ("cpu", "cpus-per-task") if item.lower().startswith("cpu") else ("gres/gpu", "gpus-per-task")
        if item.lower().startswith(kind) and made.given(sibling) and made.given("tres-per-task"):
            raise _fatal(f"You can not have --tres-per-task={kind}= and --{sibling} please use one or the other")
        if kind == "cpu":
            _cpus_per_task(made, item)


def _cpus_per_task(made: Draft, item: str) -> None:
    number = leading(item[4:])
    if number <= 0:
        raise _fatal(f"Invalid --tres-per-task=cpu={number}")
    if not made.given("cpus-per-task"):
        made.fields["cpus_per_task"] = number


def _cpus_per_gpu(made: Draft) -> None:
    """Let the CPUs of a task and those of a GPU exclude each other."""
    by_task = "tres-per-task" if "cpu" in (_text(made, "tres-per-task")).lower() else "cpus-per-task"
    for asked in (made.given, made.inherited):
        if asked("cpus-per-gpu") and (asked("cpus-per-task") or asked(by_task)):
            raise _fatal(ONE_CPU_COUNT)
    if made.given("cpus-per-gpu"):
        made.drop("cpus-per-task", "cpus_per_task")
    elif made.given("cpus-per-task") or made.given(by_task):
        made.drop("cpus-per-gpu", "cpus_per_gpu")


def _gpus_per_socket(made: Draft) -> None:
    if made.fields.get("gpus_per_socket") and made.fields.get("sockets_per_node") is None:
        raise UserError("--gpus-per-socket option requires --sockets-per-node specification")


def _text(made: Draft, name: str) -> str:
    return (made.last[name].text or "") if name in made.last else ""


def _host_file(made: Draft) -> None:
    """Without a node list, take the one of the file that SLURM_HOSTFILE names, one task for every line."""
    path = os.environ.get("SLURM_HOSTFILE")
    if path is None or "nodelist" in made.fields:
        return
    made.fields["nodelist"] = hostfile("nodelist", path)
    made.fields["distribution"] = "arbitrary"


def _arbitrary(made: Draft) -> None:
    """Lay tasks out over the hosts as listed: a task for each name, whatever else was said."""
    if str(made.fields.get("distribution", "")).partition(",")[0] != "arbitrary":
        return
    if made.given("nodes"):
        raise UserError("--nodes is incompatible with --distribution=arbitrary")
    if "nodelist" not in made.fields:
        raise UserError("With Arbitrary distribution you need to specify a nodelist or hostfile with the -w option")
    from slimsched.text import hostlist

    hosts = hostlist.expand(made.fields["nodelist"], dialect="slurm")
    made.fields.setdefault("num_tasks", len(hosts))
    made.other["hosts"] = ",".join(hosts)
    unique = list(dict.fromkeys(hosts))
    made.fields.update(min_nodes=len(unique), max_nodes=len(unique), nodelist=hostlist.fold(unique))


def _loudness(made: Draft) -> None:
    if "quiet" in made.other and "verbose" in made.other:
        raise UserError("don't specify both --verbose (-v) and --quiet (-Q)")


def _burst_buffer(made: Draft) -> None:
    path = made.recorded.get("bbf")
    if path is None:
        return
    if "bb" in made.recorded:
        raise UserError("Cannot specify both --burst-buffer and --bbf")
    if not os.path.isfile(path):
        raise UserError("Invalid --bbf specification")


def _hint(made: Draft) -> None:
    """Turn a hint into what it stands for; options that say the same more precisely replace it."""
    if "hint" not in made.last:
        return
    if any(map(made.given, NOT_WITH_HINT)) or not (made.given("hint") or not any(map(made.inherited, NOT_WITH_HINT))):
        made.drop("hint")
        return
    for word in _text(made, "hint").lower().split(","):
        made.fields.update(HINTED.get(word, {}))


def _no_allocate(made: Draft) -> None:
    if "no-allocate" not in made.recorded:
        return
    said = [
        "must specify a node list with -Z, --no-allocate." if "nodelist" not in made.fields else "",
        "can not specify --exclude list with -Z, --no-allocate." if "exclude" in made.fields else "",
        "do not specify -r,--relative with -Z,--no-allocate." if "relative" in made.last else "",
    ]
    if any(said):
        raise UserError("\n".join(filter(None, said)))


CHECKS = (
    _ntasks_per_gpu,
    _spec_cores,
    _memory,
    _share,
    _tres_per_task,
    _cpus_per_gpu,
    _gpus_per_socket,
    _host_file,
    _arbitrary,
    _loudness,
    _burst_buffer,
    _hint,
    _no_allocate,
)


def settle_size(made: Draft) -> list[str]:
    """Make node and task counts agree as the commands do; return the warnings. Raises `UserError`."""
    fields = made.fields
    if fields.get("nodelist") == "" and fields.get("min_nodes") is None:
        fields["min_nodes"] = fields["max_nodes"] = 0
    _plane(fields)
    tasks, nodes, most = fields.get("num_tasks"), fields.get("min_nodes"), fields.get("max_nodes")
    if tasks is None:
        _tasks_by_geometry(made)
        return []
    if nodes is None:
        if fields.get("ntasks_per_node"):
            fields["min_nodes"] = -(-tasks // fields["ntasks_per_node"])
        return []
    if most is not None and tasks < most and not fields.get("job_size"):
        fields["max_nodes"] = tasks
    if tasks >= nodes:
        return []
    fields["min_nodes"] = fields["max_nodes"] = tasks
    return [f"can't run {tasks} processes on {nodes} nodes, setting nnodes to {tasks}"]


def _tasks_by_geometry(made: Draft) -> None:
    """Ask for a task on each core or thread that ``-B`` names, if the number of nodes is fixed."""
    fields = made.fields
    nodes = fields.get("min_nodes")
    fixed = nodes is not None and nodes == fields.get("max_nodes") and not fields.get("job_size")
    counts = [fields[name] for name in GEOMETRY if fields.get(name)]
    if not counts or not (fixed or (nodes is None and "extra-node-info" in made.last)) or fields.get("ntasks_per_node"):
        return
    total = nodes or 1
    for number in counts:
        total *= number
    fields["num_tasks"] = total


def _plane(fields: dict[str, object]) -> None:
    """Refuse a plane distribution that leaves nodes without a task."""
    kind, _, size = str(fields.get("distribution", "")).partition("=")
    nodes, tasks = fields.get("min_nodes"), fields.get("num_tasks")
    if kind != "plane" or not isinstance(nodes, int):
        return
    number, tasks = int(size), tasks if isinstance(tasks, int) else 1
    if tasks // number < nodes and (nodes - 1) * number >= tasks:
        raise UserError("Too few processes for the requested {plane,node} distribution")
