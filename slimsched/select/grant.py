"""The grant: what a job gets of each node that was chosen for it, CPUs, memory and generic resources."""

from __future__ import annotations

from slimsched.model import bitmap
from slimsched.model.record import replaced
from slimsched.select import gres
from slimsched.select.category import usable
from slimsched.select.need import RESERVED, WHOLE_MEMORY, Need
from slimsched.select.records import Selection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from slimsched.select.pool import NodeKind, NodeUse, Pool


def grant(need: Need, pool: Pool, chosen: dict[int, int], *, whole_units: bool) -> Selection:
    """Return the selection of the ``chosen`` nodes (node -> CPUs); ``whole_units``: CPUs count by core or socket."""
    answer = Selection(bitmap.of(chosen))
    wanted = JobGres(need, len(chosen))
    known: dict[tuple[int, int], tuple[int, int, str]] = {}  # (use, CPUs) of nodes without gres -> what each gives
    for index in sorted(chosen):
        key = pool.numbers.at(index), chosen[index]
        given = known.get(key)
        if given is None:
            use = pool.uses[key[0]]
            kind = pool.kinds[use.kind]
            cpus = _cpus(need, kind, chosen[index], whole_units)
            taken = wanted.take(kind, use, chosen[index])
            given = cpus, _memory(need, kind, use, cpus, taken), gres.show(kind.gres, taken)
            if not kind.gres:
                known[key] = given
        answer.cpus.append(given[0])
        answer.memory.append(given[1])
        answer.gres.append(given[2])
    return answer


def booked_cpus(need: Need, kind: NodeKind, cpus: int, *, whole_units: bool) -> int:
    """Return ``cpus`` of a job in whole units, which it shares with no other job."""
    if need.mode == RESERVED:
        return kind.cpus
    per_core = min(need.threads or kind.threads, kind.threads)
    if not whole_units:
        cpus = -(-cpus // per_core) * kind.threads
    return min(-(-cpus // kind.unit) * kind.unit, max(kind.cpus, cpus))


def cpus_within(need: Need, kind: NodeKind, most: int, *, whole_units: bool) -> int:
    """Return how many CPUs a job may ask of a node so that its record shows at most ``most`` there."""
    if need.mode == RESERVED:
        every = kind.cpus - need.withheld(kind.threads)
        return every if every <= most else 0
    if not whole_units:
        return most
    return most // kind.unit * kind.unit // kind.threads * min(need.threads or kind.threads, kind.threads)


def _cpus(need: Need, kind: NodeKind, cpus: int, whole_units: bool) -> int:
    """Return the CPUs that the job's record shows."""
    if need.mode == RESERVED:
        return kind.cpus - need.withheld(kind.threads)
    if not whole_units:
        return cpus
    per_core = min(need.threads or kind.threads, kind.threads)
    cpus = -(-cpus // per_core) * kind.threads
    return -(-cpus // kind.unit) * kind.unit


def _memory(need: Need, kind: NodeKind, use: NodeUse, cpus: int, taken: tuple[int, ...]) -> int:
    if not need.memory:  # nobody counts it
        return 0
    free = kind.memory - use.memory
    if need.mem_per_node == WHOLE_MEMORY:
        return kind.memory
    if need.mem_per_node:
        return need.mem_per_node
    if need.mem_per_gpu:
        gpus = sum(
            gres.used_of(slot, share) for slot, share in zip(kind.gres, taken, strict=True) if slot.name == "gpu"
        )
        return min(need.mem_per_gpu * gpus, free)
    return min(need.mem_per_cpu * cpus, free)


class JobGres:
    """The gres still to be handed out, node after node."""

    def __init__(self, need: Need, nodes: int) -> None:
        self.need = need
        self.nodes = nodes
        self.left = [want.amount for want in need.job_gres]

    def counts(self, kind: NodeKind, use: NodeUse, cpus: int) -> list[int]:
        """Return how many of each gres of the job the next node gives; each node after it must give one at least."""
        self.nodes -= 1
        found = []
        for k, want in enumerate(self.need.job_gres):
            count = min(usable(self.need, kind, use, want, cpus), max(1, self.left[k] - self.nodes))
            self.left[k] -= count
            found.append(count)
        return found

    def take(self, kind: NodeKind, use: NodeUse, cpus: int) -> tuple[int, ...]:
        """Return what the next node gives with so many CPUs, by entry of its gres."""
        if not kind.gres:
            return ()
        need, tasks = self.need, cpus // self.need.cpus_per_task
        wants = [*need.gres, *(replaced(want, amount=want.amount * max(1, tasks)) for want in need.task_gres)]
        counts = self.counts(kind, use, cpus)
        wants += [replaced(want, amount=count) for want, count in zip(need.job_gres, counts, strict=True)]
        taken = (0,) * len(kind.gres)
        for want in wants:
            used = gres.plus(kind.gres, use.gres, taken)
            taken = gres.plus(kind.gres, taken, gres.take(kind.gres, used, want))
        return taken
