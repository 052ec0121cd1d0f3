"""Steps of several components of a heterogeneous job that ``srun`` runs as one. Standard library only.

Tasks are numbered through all components; messages about a task give its number within its component.
"""

from __future__ import annotations

import resource
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from slimsched.executor.local.exits import Exits
from slimsched.executor.local.tasks import Part, Plan

if TYPE_CHECKING:
    from slimsched.executor.local.files import Json


def joined(plans: Sequence[Plan], shared: Mapping[str, str]) -> Plan:
    """Return one plan of several; ``shared``: variables that are the same in the tasks of all of them."""
    first, ranks, places = plans[0], [], []
    parts: list[Part] = []
    total = 0
    for plan in plans:
        parts.append(Part(plan.folder, plan.nodes, plan.ranks, total))
        ranks += [[total + rank for rank in here] for here in plan.ranks]
        places += [(plan, node, total) for node in range(len(plan.nodes))]
        total += len(plan.words)

    def environment(node: int, local: int) -> Mapping[str, str]:
        plan, own, before = places[node]
        return {
            **plan.environment(own, local),
            **shared,
            "SLURM_PROCID": str(before + plan.ranks[own][local]),
            "SLURM_NODEID": str(node),
            "SLURM_GTIDS": ",".join(map(str, ranks[node])),
        }

    return first.replaced(
        nodes=[name for plan in plans for name in plan.nodes],
        ranks=ranks,
        words=[words for plan in plans for words in plan.words],
        environment=environment,
        input=[name for plan in plans for name in plan.input],
        output=[name for plan in plans for name in plan.output],
        error=[name for plan in plans for name in plan.error],
        memory=[most for plan in plans for most in plan.memory],
        parts=parts,
    )


class JointExits(Exits):
    """The ends of the tasks of several steps: the whole, and those of each step by themselves (``parts``)."""

    def __init__(self, plans: Sequence[Plan], whole: Plan, say: Callable[[str], None]) -> None:
        super().__init__(whole.nodes, whole.ranks, lambda _: None, whole.name, whole.verbose)
        self.parts = [Exits(plan.nodes, plan.ranks, say, plan.name, plan.verbose) for plan in plans]
        self.places = [(part, rank) for part in self.parts for rank in sorted(part.node)]

    def note(self, rank: int, status: int, usage: resource.struct_rusage) -> None:
        """Take note of a task's end, in its step and in the whole."""
        super().note(rank, status, usage)
        part, own = self.places[rank]
        part.note(own, status, usage)

    def tell(self) -> None:
        """Say how tasks have ended badly, step by step."""
        for part in self.parts:
            part.silent = self.silent
            part.tell()
        super().tell()

    def records(self) -> list[Json]:
        """Return what is written down of the end of each step."""
        return [part.record() for part in self.parts]
