"""How a job's CPUs are dealt out to its nodes, where these were chosen with more than it needs.

Each node gets a task; then the cores that are in use are filled, and the rest goes round, a core of each node in turn.
Source: recorded from Slurm 26.11 (scenarios task_placement, srun_distribution).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from slimsched.select.best_fit import Ask
    from slimsched.select.need import Need


def dealt(need: Need, ask: Ask, chosen: dict[int, int], threads: Mapping[int, int]) -> dict[int, int]:
    """Return node -> CPUs, ``ask.cpus`` in all; ``chosen``: the most for each, ``threads``: CPUs of a core there."""
    if ask.whole or sum(chosen.values()) <= ask.cpus:
        return chosen
    task = need.cpus_per_task
    given = {index: min(most, ask.node_cpus) for index, most in chosen.items()}
    missing = ask.cpus - sum(given.values())
    limit = need.tasks_per_node * task

    def give(index: int, tasks: int) -> None:
        nonlocal missing
        core = threads[index]
        most = -(-chosen[index] // core) * core  # the rest of a core is of no use to others
        if limit:
            most = min(most, limit)
        for _ in range(tasks):
            if missing > 0 and given[index] + task <= most:
                given[index] += task
                missing -= task

    for index in sorted(given):
        give(index, given[index] % threads[index] // task)
    before = 0
    while missing > 0 and missing != before:
        before = missing
        for index in sorted(given):
            give(index, max(1, threads[index] // task))
    return chosen if missing > 0 else given
