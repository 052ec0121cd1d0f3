"""The contract of select plugins: checks that run on a small cluster in memory.

The project's own tests run them on the built-in plugins, and ``sim plugins check select/NAME`` on any other. Each check
takes a plugin class and raises `Broken` with what went wrong.
"""

from __future__ import annotations

import json
from random import Random

from slimsched.errors import PluginError
from slimsched.model import bitmap
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config, NodeConf, PartitionConf
from slimsched.model.job import Job
from slimsched.model.request import JobRequest
from slimsched.plugins import expect, run_checks
from slimsched.select import gres
from slimsched.select.api import JobTest, Mode, Selection, SelectPlugin
from slimsched.select.questions import answer
from slimsched.slurm.states import COMPLETED, RUNNING, SUSPENDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ANY_NUMBER = 0x7FFFFFFF
NOW = 1_000_000
SEEDS = range(4)


class Trial:
    """A plugin on a cluster of six nodes of 4 CPUs and 1000 MB, two of them with 2 GPUs, two of them heavier."""

    def __init__(self, plugin: type[SelectPlugin], seed: int = 0) -> None:
        self.random = Random(seed)
        self.cluster = _cluster(plugin)
        self.plugin = plugin(self.cluster)
        self.plugin.init()
        self.plugin.node_init(self.cluster.nodes)
        self.plugin.state_restore({})
        self.plugin.job_init([])
        self.full = bitmap.full(len(self.cluster.nodes))

    def job(self, **request: object) -> Job:
        """Return a new pending job; 100 MB for each CPU unless asked otherwise."""
        if "mem_per_node" not in request:
            request.setdefault("mem_per_cpu", 100)
        job = Job(job_id=self.cluster.next_job_id, request=JobRequest(partition="debug", **request))  # type: ignore[arg-type]
        self.cluster.next_job_id += 1
        return job

    def random_job(self) -> Job:
        """Return a job that asks for one thing or another."""
        pick = self.random.choice
        kinds: list[dict[str, object]] = [
            {"num_tasks": pick((1, 2, 3, 5, 8))},
            {"min_nodes": pick((1, 2, 3)), "exclusive": "NODE"},
            {"num_tasks": pick((1, 2)), "cpus_per_task": pick((2, 3, 4))},
            {"mem_per_node": pick((0, 300, 600, 1000))},
            {"num_tasks": 1, "gres": pick(("gpu:1", "gpu:2"))},
            {"min_nodes": pick((2, 3)), "contiguous": True},
            {"num_tasks": 2, "nodelist": pick(("node2", "node3,node5", "node6"))},
        ]
        return self.job(**pick(kinds))

    def question(self, job: Job, nodes: int | None = None) -> JobTest:
        """Return the question that the controller would ask."""
        request = job.request
        required = self.cluster.bitmap_of(request.nodelist)
        low = max(request.min_nodes or 1, required.bit_count())
        most = max(low, request.max_nodes or ANY_NUMBER)
        candidates = self.full if nodes is None else nodes | required
        return JobTest.of(job, "", candidates, low, most, required)

    def ask(self, job: Job, mode: Mode, nodes: int | None = None) -> Selection | None:
        """Return the answer, ``None`` for a refusal; `Broken` if it does not keep to the question."""
        question = self.question(job, nodes)
        found = answer(self.plugin, question, mode)
        if found is not None:
            _keeps_to(found, question, mode)
        return found

    def start(self, job: Job) -> bool:
        """Start a job if it fits now."""
        found = self.ask(job, Mode.RUN_NOW)
        if found is None:
            return False
        job.nodes = self.cluster.hostlist_of(found.bitmap)
        job.cpus, job.memory, job.gres = found.cpus, found.memory, found.gres
        job.partition = "debug"
        job.start_time = self.cluster.now
        job.end_time = self.cluster.now + self.random.choice((60, 600, 1800, 3600))
        self.cluster.jobs[job.job_id] = job
        self.plugin.job_begin(job)
        expect(self.plugin.job_ready(job), "job_ready never becomes true")
        job.state = RUNNING
        return True

    def end(self, job: Job) -> None:
        """End a job."""
        self.plugin.job_fini(job)
        job.state = COMPLETED

    def active(self) -> list[Job]:
        """Return the jobs that hold nodes."""
        return [job for job in self.cluster.jobs.values() if job.active]

    def load(self, count: int) -> None:
        """Start up to ``count`` random jobs."""
        for _ in range(count):
            self.start(self.random_job())

    def probes(self) -> list[object]:
        """Return the answers to a set of questions: what the plugin's state amounts to."""
        return [_shape(self.ask(self.job(**request), mode)) for request in PROBES for mode in Mode]

    def check_books(self) -> None:
        """Raise `Broken` if running jobs have more than their nodes."""
        cpus: dict[str, int] = {}
        memory: dict[str, int] = {}
        for job in self.active():
            for k, name in enumerate(self._names(job)):
                memory[name] = memory.get(name, 0) + job.memory[k]
                if job.state == RUNNING:
                    cpus[name] = cpus.get(name, 0) + job.cpus[k]
        self._check_devices()
        for node in self.cluster.nodes:
            for what, given, most in (("CPUs", cpus, node.cpus), ("MB", memory, node.real_memory)):
                taken = given.get(node.name, 0)
                expect(taken <= most, f"{node.name}: {taken} of {most} {what} given out")

    def _check_devices(self) -> None:
        used: dict[tuple[str, str], int] = {}
        for job in self.active():
            for name, text in zip(self._names(job), job.gres, strict=False):
                for entry in gres.parse(text):
                    taken = used.get((name, entry.name), 0)
                    expect(not taken & entry.devices, f"{name}: a device of {entry.name} given out twice")
                    used[name, entry.name] = taken | entry.devices

    def _names(self, job: Job) -> Iterator[str]:
        mask = self.cluster.bitmap_of(job.nodes)
        return (self.cluster.nodes[i].name for i in bitmap.iterate(mask))


def _cluster(plugin: type[SelectPlugin]) -> Cluster:
    nodes = [
        NodeConf(node_name="node[1-2]", cpus=4, real_memory=1000),
        NodeConf(node_name="node[3-4]", cpus=4, real_memory=1000, gres="gpu:2"),
        NodeConf(node_name="node[5-6]", cpus=4, real_memory=1000, weight=10),
    ]
    parts = [PartitionConf(partition_name="debug", nodes="ALL", default=True)]
    slurm = {"SelectType": plugin.plugin_type, "SelectTypeParameters": "CR_CPU_Memory", "GresTypes": "gpu"}
    return Cluster(Config(slurm=slurm, nodes=nodes, partitions=parts), now=NOW)


PROBES: tuple[dict[str, object], ...] = (
    {"num_tasks": 1},
    {"num_tasks": 6},
    {"min_nodes": 2, "exclusive": "NODE"},
    {"mem_per_node": 700},
    {"gres": "gpu:2"},
    {"min_nodes": 6},
    {"num_tasks": 25},
)
"""The questions of `Trial.probes`."""


def _shape(answer: Selection | None) -> object:
    return answer and (answer.bitmap, answer.cpus, answer.memory, answer.gres, answer.start_time)


def _keeps_to(answer: Selection, question: JobTest, mode: Mode) -> None:
    count = answer.bitmap.bit_count()
    name = mode.name
    expect(not answer.bitmap & ~question.bitmap, f"{name}: nodes outside the candidates")
    expect(not question.required & ~answer.bitmap, f"{name}: a required node is missing")
    expect(question.min_nodes <= count <= question.max_nodes, f"{name}: {count} nodes, not the number requested")
    for column in ("cpus", "memory"):
        values = getattr(answer, column)
        expect(len(values) == count, f"{name}: {column} has {len(values)} entries for {count} nodes")
    if mode != Mode.TEST_ONLY:
        expect(answer.start_time >= NOW, f"{name}: start_time is in the past")


# the checks


def modes_nest(plugin: type[SelectPlugin]) -> None:
    """Fit RUN_NOW inside WILL_RUN inside TEST_ONLY."""
    for seed in SEEDS:
        trial = Trial(plugin, seed)
        for _ in range(40):
            job = trial.random_job()
            now, will, ever = (trial.ask(job, mode) for mode in (Mode.RUN_NOW, Mode.WILL_RUN, Mode.TEST_ONLY))
            expect(not now or will, "fits RUN_NOW, but not WILL_RUN")
            expect(not now or (will and will.start_time == now.start_time), "fits RUN_NOW, but WILL_RUN starts later")
            expect(not will or ever, "fits WILL_RUN, but not TEST_ONLY")
            trial.start(job)


def keeps_to_the_question(plugin: type[SelectPlugin]) -> None:
    """Nodes are chosen among the candidates, the required ones with them, as many as asked for."""
    for seed in SEEDS:
        trial = Trial(plugin, seed)
        for _ in range(40):
            nodes = trial.random.getrandbits(len(trial.cluster.nodes))
            job = trial.random_job()
            for mode in Mode:
                trial.ask(job, mode, nodes)
            trial.start(job)


def tests_leave_no_trace(plugin: type[SelectPlugin]) -> None:
    """A test changes nothing."""
    trial = Trial(plugin)
    trial.load(6)
    before = trial.probes()
    for _ in range(20):
        job = trial.random_job()
        for mode in Mode:
            trial.ask(job, mode)
    expect(trial.probes() == before, "answers change although no job began or ended")


def begin_and_fini_restore(plugin: type[SelectPlugin]) -> None:
    """When a job has ended, all is as before it began."""
    for seed in SEEDS:
        trial = Trial(plugin, seed)
        trial.load(4)
        for _ in range(20):
            before = trial.probes()
            job = trial.random_job()
            if trial.start(job):
                trial.end(job)
            expect(trial.probes() == before, f"job {job.job_id} began and ended, and the answers differ")


def save_and_restore(plugin: type[SelectPlugin]) -> None:
    """After a restart the answers are the same."""
    trial = Trial(plugin)
    trial.load(8)
    before = trial.probes()
    saved = json.loads(json.dumps(trial.plugin.state_save()))
    again = plugin(trial.cluster)
    again.init()
    again.node_init(trial.cluster.nodes)
    again.state_restore(saved)
    again.job_init(list(trial.cluster.jobs.values()))
    trial.plugin = again
    expect(trial.probes() == before, "answers differ after state_save and state_restore")


def never_overbooks(plugin: type[SelectPlugin]) -> None:
    """Whatever happens to jobs in whatever order, nodes are not given out twice."""
    for seed in SEEDS:
        trial = Trial(plugin, seed)
        for _ in range(60):
            trial.random.choice(ACTIONS)(trial)
            trial.check_books()
        for job in trial.active():
            trial.end(job)
        expect(trial.probes() == Trial(plugin, seed).probes(), "something is still booked after the last job ended")


def _start_one(trial: Trial) -> None:
    trial.start(trial.random_job())


def _end_one(trial: Trial) -> None:
    for job in trial.active()[:1]:
        trial.end(job)


def _suspend_one(trial: Trial) -> None:
    running = [job for job in trial.active() if job.state == RUNNING]
    if running:
        job = trial.random.choice(running)
        trial.plugin.job_suspend(job, True)
        job.state = SUSPENDED


def _resume_one(trial: Trial) -> None:
    for job in trial.active():
        if job.state == SUSPENDED:
            try:
                trial.plugin.job_resume(job, True)
            except PluginError:
                continue
            job.state = RUNNING
            return


def _shrink_one(trial: Trial) -> None:
    for job in trial.active():
        mask = trial.cluster.bitmap_of(job.nodes)
        if mask.bit_count() > 1:
            node = trial.cluster.nodes[mask.bit_length() - 1]
            try:
                trial.plugin.job_resized(job, node)
            except PluginError:
                return
            _drop(trial, job, node.index)
            return


def _drop(trial: Trial, job: Job, index: int) -> None:
    """Take a node out of the record if the plugin has left that to the controller."""
    mask = trial.cluster.bitmap_of(job.nodes)
    if mask >> index & 1:
        place = (mask & ((1 << index) - 1)).bit_count()
        job.nodes = trial.cluster.hostlist_of(mask & ~(1 << index))
        for column in (job.cpus, job.memory, job.gres):
            del column[place : place + 1]


def _expand_one(trial: Trial) -> None:
    running = [job for job in trial.active() if job.state == RUNNING]
    if len(running) > 1 and trial.plugin.job_expand_allow():
        source, target = trial.random.sample(running, 2)
        try:
            trial.plugin.job_expand(source, target)
        except PluginError:
            return
        trial.end(source)


ACTIONS: tuple[Callable[[Trial], None], ...] = (
    _start_one,
    _start_one,
    _start_one,
    _end_one,
    _suspend_one,
    _resume_one,
    _shrink_one,
    _expand_one,
)

CHECKS: tuple[Callable[[type[SelectPlugin]], None], ...] = (
    modes_nest,
    keeps_to_the_question,
    tests_leave_no_trace,
    begin_and_fini_restore,
    save_and_restore,
    never_overbooks,
)


def check(plugin: type[SelectPlugin]) -> list[tuple[str, str]]:
    """Run every check; return name and fault, "" for none."""
    return run_checks(plugin, CHECKS)
