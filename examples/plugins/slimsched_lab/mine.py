"""select/mine: a job gets whole nodes, the last of the node table first."""

from __future__ import annotations

from slimsched.model import bitmap
from slimsched.select.api import JobTest, Mode, Never, NotNow, Selection, SelectPlugin

YEAR = 365 * 24 * 3600


class Mine(SelectPlugin):
    """Keeps one book: which job has which node."""

    plugin_type = "select/mine"
    plugin_name = "Whole nodes, the last first"

    def job_init(self, jobs):
        self.owner = {}
        for job in jobs:
            if job.active:
                self.job_begin(job)

    def job_begin(self, job):
        for node in bitmap.iterate(self.cluster.bitmap_of(job.nodes)):
            self.owner[node] = job

    def job_fini(self, job):
        self.owner = {node: owner for node, owner in self.owner.items() if owner is not job}

    def job_resized(self, job, node):
        del self.owner[node.index]

    def job_test(self, request: JobTest, mode: Mode) -> Selection:
        now = self.cluster.now
        if not self.choose(request, request.bitmap):
            raise Never("BadConstraints")
        ends = {node: max(now + 1, job.end_time or now + YEAR) for node, job in self.owner.items()}
        if mode == Mode.TEST_ONLY:
            ends = {}
        for start in [now, *sorted(set(ends.values()))] if mode == Mode.WILL_RUN else [now]:
            busy = bitmap.of(node for node, end in ends.items() if end > start)
            nodes = self.choose(request, request.bitmap & ~busy)
            if nodes:
                taken = [self.cluster.nodes[node] for node in bitmap.iterate(nodes)]
                cpus, memory = [node.cpus for node in taken], [node.real_memory for node in taken]
                return Selection(nodes, cpus, memory, start_time=start)
        raise NotNow("Resources")

    def choose(self, request: JobTest, free: int) -> int:
        """Return enough of the free nodes, 0 if there are too few."""
        asked = request.job.request
        need = max(request.min_nodes, -(-(asked.num_tasks or 1) * (asked.cpus_per_task or 1) // self.smallest(free)))
        more = need - request.required.bit_count()
        rest = list(bitmap.iterate(free & ~request.required))
        if request.required & ~free or more > len(rest) or need > request.max_nodes or asked.gres:
            return 0
        return request.required | bitmap.of(rest[len(rest) - more :] if more > 0 else [])

    def smallest(self, nodes: int) -> int:
        return min((self.cluster.nodes[node].cpus for node in bitmap.iterate(nodes)), default=1)
