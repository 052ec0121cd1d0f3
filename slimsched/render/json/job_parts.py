"""Parts of a job in JSON that are more than one value: its flags, the nodes that it holds, its priorities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slimsched.model.bitmap import iterate
from slimsched.render.json.table import Table, constant
from slimsched.render.json.types import flags, number, same, text, truth, whole, words
from slimsched.slurm.states import JOB_STATES, PENDING
from slimsched.text.idset import ranges

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.render.jobs.job_view import View

FLAGS = flags(
    "KILL_INVALID_DEPENDENCY", "NO_KILL_INVALID_DEPENDENCY", "GRES_BINDING_ENFORCED", "SPREAD_JOB",
    "PREFER_MINIMUM_NODE_COUNT", "EXACT_TASK_COUNT_REQUESTED", "EXACT_CPU_COUNT_REQUESTED", "TOP_PRIORITY_JOB",
    "GRES_BINDING_DISABLED", "JOB_WAS_RUNNING", "EXACT_MEMORY_REQUESTED", "USING_DEFAULT_ACCOUNT",
    "USING_DEFAULT_PARTITION", "USING_DEFAULT_QOS", "USING_DEFAULT_WCKEY", "DEPENDENT", "PARTITION_ASSIGNED",
    "BACKFILL_ATTEMPTED", "SCHEDULING_ATTEMPTED", "STEPMGR_ENABLED", "JOB_IMPLICIT_MAX_NODES",
)  # fmt: skip
STATES = flags(*(row.name for row in sorted(JOB_STATES, key=lambda row: row.code)))
MAIL = flags(
    "BEGIN", "END", "FAIL", "REQUEUE", "TIME=100%", "TIME=90%", "TIME=80%", "TIME=50%", "STAGE_OUT", "ARRAY_TASKS",
    "INVALID_DEPENDENCY",
)  # fmt: skip
MAIL_WORDS = {
    "ALL": "BEGIN,END,FAIL,REQUEUE,STAGE_OUT,INVALID_DEPENDENCY", "NONE": "", "TIME_LIMIT": "TIME=100%",
    "TIME_LIMIT_90": "TIME=90%", "TIME_LIMIT_80": "TIME=80%", "TIME_LIMIT_50": "TIME=50%",
    "INVALID_DEPEND": "INVALID_DEPENDENCY",
}  # fmt: skip
"""Words of ``--mail-type`` -> flags, where they differ."""


def recorded(option: str) -> Callable[[View], str]:
    """Return the getter of an option that is only recorded."""
    return lambda view: view.request.recorded.get(option, "")


def held_flags(view: View) -> dict[str, bool]:
    """Return what a job was given and what it left open, as Slurm's flags."""
    asked, job, given = view.request, view.job, view.request.given
    binding = asked.recorded.get("gres-flags", "")
    return {
        "KILL_INVALID_DEPENDENCY": asked.kill_on_invalid_dep is True,
        "NO_KILL_INVALID_DEPENDENCY": asked.kill_on_invalid_dep is False,
        "GRES_BINDING_ENFORCED": "enforce-binding" in binding,
        "GRES_BINDING_DISABLED": "disable-binding" in binding,
        "SPREAD_JOB": asked.spread_job,
        "PREFER_MINIMUM_NODE_COUNT": asked.use_min_nodes,
        "EXACT_TASK_COUNT_REQUESTED": "num_tasks" in given,
        "JOB_WAS_RUNNING": view.placed,
        "EXACT_MEMORY_REQUESTED": "mem_per_node" in given,
        "USING_DEFAULT_ACCOUNT": not asked.account,
        "USING_DEFAULT_PARTITION": "partition" not in given,
        "USING_DEFAULT_QOS": not asked.qos,
        "USING_DEFAULT_WCKEY": not asked.wckey,
        "DEPENDENT": bool(job.dependency) or job.held,
        "PARTITION_ASSIGNED": "partition" not in given,
        "BACKFILL_ATTEMPTED": view.placed and job.scheduler == "Backfill",
        "JOB_IMPLICIT_MAX_NODES": "num_tasks" in given and "min_nodes" not in given,
    }


def states(view: View) -> list[str]:
    """Return the base state and the flags beside it."""
    return [view.job.state, *STATES(view.job.flags)]


def mail_types(view: View) -> list[str]:
    """Return the events that mail is sent for."""
    given = view.request.mail_type.upper().split(",")
    return MAIL({word for each in given for word in MAIL_WORDS.get(each, each).split(",") if word})


def accrue_time(view: View) -> int:
    """Return since when it gains priority by age: since it may run; tasks of an array share theirs."""
    job = view.job
    return job.accrue_time or (0 if view.of_array or job.held else job.eligible_time)


def priorities(view: View) -> list[dict[str, Any]]:
    """Return the priority in each partition, for a pending job that names several."""
    names = view.request.partition.split(",")
    if view.job.state != PENDING or len(names) < 2 or view.cluster.config.get("PriorityType") == "priority/basic":
        return []
    return [{"partition": name, "priority": view.job.priority} for name in names]


class Held:
    """One node of those that a job holds; ``index`` is its number in the cluster."""

    def __init__(self, view: View, place: int, index: int) -> None:
        self.job, self.place, self.node = view.job, place, view.cluster.nodes[index]

    def part(self, values: list[int]) -> int:
        """Return this node's value of a list that has one for each."""
        return values[self.place] if self.place < len(values) else 0

    @property
    def sockets(self) -> list[dict[str, Any]]:
        """The cores of each socket, and whether the job has them."""
        job, node = self.job, self.node
        listed = job.cpu_ids[self.place] if self.place < len(job.cpu_ids) else ""
        taken = {cpu // max(1, node.threads_per_core) for a, b in ranges(listed) for cpu in range(a, b + 1)}
        cores = max(1, node.cores_per_socket)
        numbers = sorted({core // cores for core in taken} | set(range(node.sockets)))
        return [{"index": socket, "cores": _cores(range(socket * cores, (socket + 1) * cores), taken)}
                for socket in numbers]  # fmt: skip


def _cores(numbers: range, taken: set[int]) -> list[dict[str, Any]]:
    words = ["ALLOCATED" if number in taken else "UNALLOCATED" for number in numbers]
    return [{"index": index, "status": [word]} for index, word in enumerate(words)]


NODE: Table[Held] = Table(
    ("index", whole, lambda held: held.place),
    ("name", text, lambda held: held.node.name),
    ("cpus/count", whole, lambda held: held.part(held.job.cpus)),
    ("cpus/used", whole, constant(0)),
    ("memory/used", whole, constant(0)),
    ("memory/allocated", whole, lambda held: held.part(held.job.memory)),
    ("sockets", same, lambda held: held.sockets),
)
RESOURCES: Table[View] = Table(
    ("select_type", words, lambda view: view.cluster.config.get("SelectTypeParameters").upper()),
    ("nodes/count", whole, lambda view: view.node_count),
    ("nodes/select_type", same, lambda view: ["AVAILABLE" if view.request.oversubscribe else "ONE_ROW"]),
    ("nodes/list", text, lambda view: view.job.nodes),
    ("nodes/whole", truth, lambda view: view.request.exclusive),
    ("nodes/allocation", NODE.every, lambda view: held_nodes(view)),
    ("cpus", whole, lambda view: max(view.requested_cpus, view.node_count)),
    ("threads_per_core", number, lambda view: view.request.threads_per_core),
)


def held_nodes(view: View) -> list[Held]:
    """Return the nodes that a job holds, in their order."""
    mask = view.cluster.bitmap_of(view.job.nodes)
    return [Held(view, place, index) for place, index in enumerate(iterate(mask))]


def resources(view: View) -> dict[str, Any] | None:
    """Return what a job holds, None for one that holds nothing."""
    return RESOURCES.of(view) if view.job.active else None
