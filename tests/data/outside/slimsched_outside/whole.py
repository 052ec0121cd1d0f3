"""select/outside: a job gets whole nodes, by rank; every call of the guide's functions is written down.

``TOLD`` says how it behaves: names of functions that fail, and answers that it gives in place of its own.
"""

from __future__ import annotations

from typing import Any

from slimsched.model import bitmap
from slimsched.select.api import JobTest, Mode, Never, NotNow, PluginError, Selection, SelectPlugin

CALLS: list[tuple[str, tuple[Any, ...]]] = []
"""Function and arguments of each call, jobs by their id, nodes by their name."""

TOLD: dict[str, Any] = {}

OURS = {name for name, value in vars(SelectPlugin).items() if callable(value) and not name.startswith("_")}


def brief(value: Any) -> Any:
    return getattr(value, "job_id", None) or getattr(value, "name", None) or value


class Outside(SelectPlugin):
    plugin_type = "select/outside"
    plugin_name = "Whole nodes, by rank"

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name not in OURS:
            return found

        def traced(*args: Any, **more: Any) -> Any:
            CALLS.append((name, tuple(brief(value) for value in (*args, *more.values()))))
            if name in TOLD.get("fail", ()):
                raise PluginError(f"{name} fails as asked")
            return found(*args, **more)

        return traced

    def node_init(self, nodes):
        self.owner: dict[int, Any] = {}

    def node_ranking(self, nodes):
        for node in nodes:
            node.node_rank = TOLD.get("ranks", {}).get(node.name, 0)
        return TOLD.get("ranked", False)

    def update_node_state(self, node):
        """Take note of it: the call is written down."""

    def job_init(self, jobs):
        self.owner = {}
        for job in jobs:
            if job.active:
                self.take(job)

    def job_begin(self, job):
        self.take(job)

    def job_fini(self, job):
        self.owner = {node: owner for node, owner in self.owner.items() if owner is not job}

    def job_resized(self, job, node):
        del self.owner[node.index]

    def job_expand_allow(self):
        return True

    def job_expand(self, from_job, to_job):
        joined = self.cluster.bitmap_of(from_job.nodes) | self.cluster.bitmap_of(to_job.nodes)
        for node in bitmap.iterate(joined):
            self.owner[node] = to_job
        self.write(to_job, joined)
        self.write(from_job, 0)

    def take(self, job):
        for node in bitmap.iterate(self.cluster.bitmap_of(job.nodes)):
            self.owner[node] = job

    def write(self, job, nodes):
        taken = [self.cluster.nodes[node] for node in bitmap.iterate(nodes)]
        job.nodes = self.cluster.hostlist_of(nodes)
        job.cpus, job.memory = [node.cpus for node in taken], [node.real_memory for node in taken]
        job.gres = []

    def job_test(self, request: JobTest, mode: Mode) -> Selection:
        if request.job.request.name in TOLD.get("never", ()):
            raise Never("BadConstraints")
        busy = 0 if mode == Mode.TEST_ONLY else bitmap.of(self.owner)
        need = max(request.min_nodes, request.required.bit_count())
        if request.bitmap.bit_count() < need:
            raise Never("BadConstraints")
        free = request.bitmap & ~busy
        if request.required & ~free or free.bit_count() < need:
            raise NotNow("Resources")
        chosen = self.cluster.first_nodes(free & ~request.required, need - request.required.bit_count())
        chosen |= request.required
        taken = [self.cluster.nodes[node] for node in bitmap.iterate(chosen)]
        cpus, memory = [node.cpus for node in taken], [node.real_memory for node in taken]
        return Selection(chosen, cpus, memory, start_time=self.cluster.now)

    def step_pick_nodes(self, job, step_jobinfo, node_count):
        if "step" in TOLD:
            return TOLD["step"]
        held = self.cluster.bitmap_of(job.nodes)
        return held & ~bitmap.lowest(held, held.bit_count() - node_count)

    def resv_test(self, resv, node_cnt, avail_bitmap, core_bitmap=None):
        if "cores" in TOLD:
            core_bitmap.update(TOLD["cores"])
        return TOLD["resv"] if "resv" in TOLD else super().resv_test(resv, node_cnt, avail_bitmap, core_bitmap)

    def nodeinfo_set(self, job):
        if job.job_id in self.cluster.select_jobinfo:
            self.cluster.select_jobinfo[job.job_id].set("colour", "blue")

    def nodeinfo_set_all(self):
        for node, record in self.cluster.select_nodeinfo.items():
            record.set("owner", self.owner[node].job_id if node in self.owner else 0)

    def ba_init(self, nodes, sanity_check=False):
        if sanity_check and not all(node.name[1:].isdigit() for node in nodes):
            raise PluginError("node names are no coordinates")

    def ba_get_dims(self):
        return [len(self.cluster.nodes)]

    def get_info_from_plugin(self, dinfo, job=None):
        return 0 if dinfo == "CR_PLUGIN" else None
