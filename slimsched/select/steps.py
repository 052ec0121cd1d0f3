"""Nodes of steps: a step gets nodes of its job that no other uses, as far as there are any."""

from __future__ import annotations

from slimsched.model import bitmap


class Steps:
    """The nodes of the running steps, by job and step id."""

    def __init__(self) -> None:
        self._nodes: dict[int, dict[int, int]] = {}

    def pick(self, job_id: int, step_id: int, held: int, count: int) -> int | None:
        """Return ``count`` nodes of ``held`` for a step, ``None`` if the job has fewer."""
        if not 0 < count <= held.bit_count():
            return None
        steps = self._nodes.setdefault(job_id, {})
        busy = 0
        for mask in steps.values():
            busy |= mask
        found = bitmap.lowest(held & ~busy, count)
        found |= bitmap.lowest(held & busy, count - found.bit_count())
        steps[step_id] = found
        return found

    def finish(self, job_id: int, step_id: int) -> None:
        """Forget a step."""
        self._nodes.get(job_id, {}).pop(step_id, None)

    def forget(self, job_id: int) -> None:
        """Forget all steps of a job."""
        self._nodes.pop(job_id, None)
