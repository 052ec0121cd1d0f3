"""The steps of running jobs: the step of a batch script (``N.batch``) and those that ``srun`` makes (``N.0``)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from slimsched.render.columns import Field, Table
from slimsched.render.jobs.job_list import JobChoice, Listing, Manner, views
from slimsched.render.units import null, stamp, tres
from slimsched.slurm.states import ACTIVE
from slimsched.text.hostlist import expand, fold
from slimsched.text.times import INFINITE, elapsed, limit

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Step
    from slimsched.render.jobs.job_view import View
    from slimsched.slurm.job_ids import JobId

BATCH, EXTERN = "batch", "extern"


class StepView:
    """The step of a batch script, the one beside it (`EXTERN`), or a numbered one that ``srun`` made (``run``).

    Without a name of a step it is the job itself.
    """

    def __init__(self, view: View, step: str = "") -> None:
        self.view, self.job, self.step = view, view.job, step
        self.run = view.job.steps[int(step)] if step.isdigit() else None

    @property
    def name(self) -> str:
        """Job id, with the step's name behind it: ``3_0.batch``."""
        return f"{self.view.name}.{self.step}" if self.step else self.view.name

    @property
    def title(self) -> str:
        """Name of the job or step."""
        return self.run.name if self.run is not None else self.step or self.view.request.name

    @property
    def start_time(self) -> int:
        """When it began, in seconds since 1970."""
        return self.job.start_time + (self.run.begin if self.run is not None else 0)

    @property
    def tasks(self) -> int:
        """Tasks: one of a batch script, one on each node beside it, else as many as are asked for and the job has."""
        if self.run is None:
            return self.node_count if self.step == EXTERN else 1
        if self.run.nodes:
            return self.run.tasks
        return min(self.run.tasks, self.view.task_count) or self.view.task_count

    @property
    def node_count(self) -> int:
        """Nodes that it runs on, the first ones of its job."""
        if self.run is not None and self.run.nodes:
            return len(self.run.cpus)
        return 1 if self.run is None else min(self.tasks, len(self.job.cpus)) or 1

    @property
    def nodes(self) -> str:
        """The same as a hostlist."""
        if self.run is not None and self.run.nodes:
            return self.run.nodes
        return fold(expand(self.job.nodes)[: self.node_count], "slurm")

    @property
    def megabytes(self) -> int:
        """Memory of a step, on all its nodes together."""
        if self.run is not None and self.run.nodes:
            return sum(self.run.memory)
        return sum(self.job.memory[: self.node_count])

    @property
    def layout(self) -> str:
        """How the tasks of a numbered step are laid out over its nodes, "" for another one."""
        if self.run is None:
            return ""
        if self.run.layout:
            return self.run.layout.partition(":")[0].capitalize()
        return "Cyclic" if self.tasks <= self.node_count else "Block"


FORMAT = "%.15i %.8j %.9P %.8u %.9M %N"
BATCH_NUMBER = 0xFFFFFFFB  # behind every numbered step
ORDER = "P,i"


class RunningStep(StepView):
    """A step that runs."""

    @property
    def name(self) -> str:
        """Job id and step; a component of a heterogeneous job has its own number here."""
        return f"{self.job.job_id}.{self.step}" if self.job.het_job_id else super().name

    @property
    def number(self) -> int:
        """What it sorts by among the steps of its job."""
        return BATCH_NUMBER if self.run is None else int(self.step)

    @property
    def time_limit(self) -> int:
        """Minutes of its own limit, `INFINITE` for none."""
        return INFINITE if self.run is None or self.run.time_limit is None else self.run.time_limit

    @property
    def host(self) -> str:
        """Where its ``srun`` runs."""
        return self.job.alloc_node if self.run is not None and self.run.pid else self.view.batch_host

    @property
    def used(self) -> int:
        """Seconds that it has run."""
        return max(0, self.view.used - (self.run.begin if self.run is not None else 0))

    @property
    def cpus(self) -> int:
        """CPUs that it has; those of a script are not counted."""
        if self.run is not None and self.run.nodes:
            return sum(self.run.cpus)
        return self.tasks * self.view.cpus_per_task if self.run is not None else 0

    @property
    def tres(self) -> str:
        """Trackable resources that it has, "" for a script."""
        if self.run is None:
            return ""
        held = {"cpu": self.cpus, "mem": self.megabytes, "node": self.node_count}
        return tres(self.view.cluster.config, held)

    def named(self, job_id: int, task: int | None, step: str = "") -> bool:
        """Whether a job id, with a task of an array or a step, means it."""
        if step and step != self.step:
            return False
        if task is None:
            return job_id in (self.job.job_id, self.view.array_id)
        return job_id == self.view.array_id and task == self.view.task

    def meant(self, name: JobId) -> bool:
        """Whether the name of a job, a task or a component, perhaps with a step, means it."""
        step = name.step or ""
        if name.offset is None:
            return self.named(name.job_id, name.task, step)
        return (self.job.het_job_id, self.job.het_job_offset) == (name.job_id, name.offset) and step in ("", self.step)


def _null(names: str, header: str) -> Field:
    """Return a field of what no step here has."""
    return Field("", names, header, lambda _: null(None))


Number = Callable[[RunningStep], int]


def _count(letter: str, names: str, header: str, number: Number, *, sorts: bool = False) -> Field:
    return Field(letter, names, header, lambda step: str(number(step)), number if sorts else None)


FIELDS = (
    Field("i", "stepid", "STEPID", lambda s: s.name, lambda s: (s.job.job_id, s.number)),
    Field("j", "stepname", "NAME", lambda s: s.title),
    Field("P", "partition", "PARTITION", lambda s: s.view.partition, lambda s: s.view.partition),
    Field("u", "username", "USER", lambda s: s.job.user_name, lambda s: s.job.user_name),
    Field("M", "timeused", "TIME", lambda s: elapsed(s.used), lambda s: s.used, whole=True),
    Field("N", "nodes", "NODELIST", lambda s: s.nodes, lambda s: s.nodes, whole=True, wide=True),
    _count("A", "numtasks numtask", "TASKS", lambda s: s.tasks),
    Field("l", "timelimit", "TIME_LIMIT", lambda s: limit(s.time_limit), lambda s: s.time_limit),
    Field("S", "starttime", "START_TIME", lambda s: stamp(s.start_time, s.view.now), lambda s: s.start_time),
    _count("U", "userid", "UID", lambda s: s.job.user_id, sorts=True),
    Field("b", "gres tres-per-node", "TRES_PER_JOB", lambda _: null(None)),  # Slurm's own header
    _count("", "arrayjobid", "ARRAY_JOB_ID", lambda s: s.job.array_job_id),
    Field("", "arraytaskid", "ARRAY_TASK_ID", lambda s: "N/A" if s.view.task is None else str(s.view.task)),
    Field("", "cluster", "CLUSTER", lambda s: s.view.cluster_name),
    _null("container", "CONTAINER"),
    _null("containerid", "CONTAINER_ID"),
    Field("", "cpufreq", "CPU_FREQ", lambda _: "Unknown-Unknown:Unknown"),
    _null("cpus-per-tres", "CPUS_PER_TRES"),
    _count("", "jobid", "JOB_ID", lambda s: s.job.job_id),
    _null("mem-per-tres", "MEM_PER_TRES"),
    _null("network", "NETWORK"),
    _count("", "numcpus", "NUM_CPUS", lambda s: s.cpus),
    _null("resvports", "RESERVED_PORTS"),
    Field("", "stepstate", "STATE", lambda s: s.view.state),
    _null("tres-bind", "TRES_BIND"),
    _null("tres-freq", "TRES_FREQ"),
    _null("tres-per-job tres-per-step", "TRES_PER_STEP"),
    _null("tres-per-socket", "TRES_PER_SOCKET"),
    _null("tres-per-task", "TRES_PER_TASK"),
)
STEPS = Table(FIELDS, unsorted=None)


def steps(cluster: Cluster) -> Iterator[RunningStep]:
    """Yield the steps that run, job by job in the controller's order."""
    for view in views(cluster):
        if view.job.state not in ACTIVE:
            continue
        if view.job.has_script:
            yield RunningStep(view, BATCH)
        for number, run in enumerate(view.job.steps):
            if run.begin <= view.used and (run.end is None or run.end > view.used):
                yield RunningStep(view, str(number))


def waiting(cluster: Cluster) -> Iterator[tuple[View, Step]]:
    """Yield the steps that wait for room in their jobs."""
    for view in views(cluster):
        if view.job.state in ACTIVE:
            yield from ((view, step) for step in view.job.waiting)


def listing(cluster: Cluster, choice: JobChoice, _manner: Manner) -> Listing:
    """Return the steps of the chosen jobs; of the other conditions those on users, partitions and nodes count."""
    chosen = [step for step in steps(cluster) if choice.keeps_running(step.view)]
    if choice.steps is not None:
        chosen = [step for step in chosen if any(step.named(*key) for key in choice.steps)]
    if choice.nodes is not None:
        chosen = [step for step in chosen if choice.nodes & cluster.bitmap_of(step.nodes)]
    return Listing(chosen, STEPS, ORDER, FORMAT)
