"""priority/multifactor: a weighted sum of factors between 0 and 1, brought up to date at each pass.

`FACTORS` is open: a further factor is one more line; one without weight is not even looked at. Nice and
``--priority`` work as in Slurm: the one is subtracted, the other takes the place of the sum and never changes.
Source: Slurm's Multifactor Priority Plugin page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from slimsched.model.account import Book
from slimsched.priority import tres
from slimsched.priority.api import HIGHEST, PriorityPlugin
from slimsched.priority.fairshare import FairShare, highest
from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from slimsched.model.cluster import Cluster
    from slimsched.model.config import Config, PartitionConf
    from slimsched.model.job import Job

    Value = Callable[["Multifactor", Job, PartitionConf], float]
    Basis = tuple[int, int, int, int, tuple[str, ...]]
    """The last calculation, how often accounting, nodes and partitions changed, and the users without records."""


class Factor(NamedTuple):
    """One factor: its name in ``sprio``, the key of its weight, and its value for a job in a partition.

    ``still``: from the first turn of ``PriorityCalcPeriod`` on it changes with the job, the nodes, the partitions and
    the accounts only, not with time.
    """

    name: str
    weight: str
    value: Value
    still: bool = False


def _age(plugin: Multifactor, job: Job, part: PartitionConf) -> float:
    since = job.submit_time if plugin.accrues_always else job.accrue_time
    if not since and not plugin.limits_accrual:
        since = job.eligible_time
    waited = plugin.calculated - since if since else 0
    return min(1.0, max(0, waited) / plugin.max_age)


def _job_size(plugin: Multifactor, job: Job, part: PartitionConf) -> float:
    """Return the job's share of the cluster's nodes and CPUs; ``PriorityFavorSmall`` inverts it.

    A job of whole nodes counts with all their CPUs from the first turn of ``PriorityCalcPeriod`` after its submission.
    Source: recorded from Slurm 26.11 (workload W2, ``excl161``).
    """
    request = job.request
    nodes = max(1, len(plugin.cluster.nodes))
    low = request.min_nodes or 1
    cpus = max(low, (request.num_tasks or low) * (request.cpus_per_task or 1))
    if request.exclusive == "NODE" and plugin.has_turned(job):
        cpus = max(cpus, low * plugin.cpus // nodes)
    if plugin.favor_small:
        share = (nodes - low) / nodes
        return min(1.0, max(0.0, (share + 1 - cpus / plugin.cpus) / 2))
    return min(1.0, (low / nodes + cpus / plugin.cpus) / 2)


def _partition(plugin: Multifactor, job: Job, part: PartitionConf) -> float:
    most = max((p.priority_job_factor for p in plugin.cluster.partitions.values()), default=1)
    return part.priority_job_factor / most if most else 0.0


def _association(plugin: Multifactor, job: Job, part: PartitionConf) -> float:
    most = plugin.highest("assoc")
    account = job.request.account or plugin.book.default_account(job.user_name)
    own = plugin.book.effective("Priority", plugin.book.line(account, job.user_name, part.partition_name))
    return int(own) / most if most and own.isdigit() else 0.0


def _fair_share(plugin: Multifactor, job: Job, part: PartitionConf) -> float:
    return plugin.fairshare.factor(job.request.account, job.user_name, part.partition_name)


def _qos(plugin: Multifactor, job: Job, part: PartitionConf) -> float:
    most = plugin.highest("qos")
    own = plugin.book.qos(job.request.qos).get("Priority", "")
    return int(own) / most if most and own.isdigit() else 0.0


def _tres(plugin: Multifactor, job: Job, part: PartitionConf) -> float:
    """Return the sum of the weighted resources; only this factor contains its weights."""
    return sum(plugin.tres(job, part).values())


FACTORS = (
    Factor("AGE", "PriorityWeightAge", _age),
    Factor("ASSOC", "PriorityWeightAssoc", _association, still=True),
    Factor("FAIRSHARE", "PriorityWeightFairshare", _fair_share),
    Factor("JOBSIZE", "PriorityWeightJobSize", _job_size, still=True),
    Factor("PARTITION", "PriorityWeightPartition", _partition, still=True),
    Factor("QOS", "PriorityWeightQOS", _qos, still=True),
    Factor("TRES", "PriorityWeightTRES", _tres, still=True),
)


class Multifactor(PriorityPlugin):
    """Weighted factors."""

    plugin_name = "multifactor"
    marks_changes = True

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        config = cluster.config
        self.max_age = max(1, config.seconds("PriorityMaxAge"))
        self.period = max(1, config.seconds("PriorityCalcPeriod"))
        self.favor_small = config.flag("PriorityFavorSmall")
        self.cpus = max(1, sum(node.cpus for node in cluster.nodes))
        ignored = needs_slurmdbd(config)
        self.weights = {f.name: 0 if f.weight in ignored else _weight(config, f.weight) for f in FACTORS}
        self.tres_weights = tres.weights(config.get("PriorityWeightTRES"))
        self.weights["TRES"] = int(bool(self.tres_weights))
        self.book = Book(cluster)
        self._shares: FairShare | None = None
        self._earlier: FairShare | None = None
        self.accrues_always = "ACCRUE_ALWAYS" in config.get("PriorityFlags").upper().split(",")
        self.limits_accrual = self.book.limits_accrual
        self._highest: dict[str, int] = {}
        self._capacity: dict[str, dict[str, int]] = {}  # of partitions
        self._jobs_of: tuple[tuple[int, int], tuple[str, ...]] = (0, 0), ()  # how many jobs, and whose they are
        self._basis: Basis | None = None  # of these three
        self._brought: Basis | None = None  # of the priorities of those that wait
        self._changed: set[int] | None = None  # jobs that changed since then
        self._weighted = [(self.weights[f.name], f) for f in FACTORS if self.weights[f.name]]
        self._still: dict[int, dict[str, float]] = {}  # by job that waits: what is still of its sum

    @property
    def calculated(self) -> int:
        """When waiting was counted last: every ``PriorityCalcPeriod`` since the cluster was made."""
        begun, now = self.cluster.boot_time, self.cluster.now
        return now - max(0, now - begun) % self.period

    def set(self, last_prio: int, job: Job) -> int:
        """Return the weighted sum of the job's factors, less its nice value; at least 1."""
        self._refresh()
        part = self.cluster.partitions.get(job.request.partition.partition(",")[0])
        return self._sum(job, part) if part is not None else 1

    def recalculate(self, jobs: Iterable[Job]) -> None:
        """Bring the priorities of pending jobs to the present; held and explicitly set ones stay.

        Within a period only those that changed are looked at: the others' factors stay until the next.
        """
        basis = self._refresh()
        if self._changed is None:
            self._changed = self.cluster.watch_jobs()
        elif basis == self._brought:
            if not self._changed:
                return
            changed = [self.cluster.jobs.get(job_id) for job_id in self._changed]
            jobs = [job for job in changed if job is not None and job.pending]
        self._brought = basis
        for job_id in self._changed:
            self._still.pop(job_id, None)
        for job in jobs:
            part = self.cluster.partitions.get(job.request.partition.partition(",")[0])
            if job.held or job.request.priority is not None or part is None:
                continue
            still = self._still.get(job.job_id)
            if still is None:
                still = self._still_parts(job, part)
                if self.has_turned(job):
                    self._still[job.job_id] = still
            self.cluster.set_priority(job, self._sum(job, part, still))
        self._changed.clear()

    def _refresh(self) -> Basis:
        """Return what factors rest on at this instant besides the job, and forget what rested on something else."""
        cluster = self.cluster
        epoch = cluster.epoch
        users = () if self.book.defined else self._users()
        basis = self.calculated, epoch.get("accounting", 0), epoch.get("nodes", 0), cluster.partition_changes, users
        if basis != self._basis:
            if self._basis is None or basis[1:4] != self._basis[1:4]:
                self._still.clear()
            self._earlier = self._shares or self._earlier
            self._basis, self._shares, self.book = basis, None, Book(cluster)
            self.limits_accrual = self.book.limits_accrual
            self._highest.clear()
            self._capacity.clear()
        return basis

    def _users(self) -> tuple[str, ...]:
        """Return the names of the users of all jobs in memory."""
        jobs = self.cluster.jobs
        state = self.cluster.next_job_id, len(jobs)
        if state != self._jobs_of[0]:
            self._jobs_of = state, tuple(sorted({job.user_name for job in jobs.values()}))
        return self._jobs_of[1]

    def in_partition(self, job: Job, partition: PartitionConf) -> int:
        """Return the job's priority in one of several partitions, whose factors may differ."""
        if "," not in job.request.partition or job.held or job.request.priority is not None:
            return job.priority
        return self._sum(job, partition)

    def factors(self, job: Job, part: PartitionConf) -> dict[str, float]:
        """Return the factors by name, each times its weight, as ``sprio`` shows them."""
        return {f.name: self.weights[f.name] * f.value(self, job, part) for f in FACTORS}

    def tres(self, job: Job, part: PartitionConf) -> dict[str, float]:
        """Return the weighted part of each resource that has a weight."""
        if not self.tres_weights:
            return {}
        name = part.partition_name
        if name not in self._capacity:
            self._capacity[name] = tres.partition_capacity(self.cluster, part)
        asked = tres.shares(job.request, self._capacity[name])
        return {name: weight * asked.get(name, 0.0) for name, weight in self.tres_weights.items()}

    def has_turned(self, job: Job) -> bool:
        """Whether a period of ``PriorityCalcPeriod`` has begun since the job was submitted."""
        return job.submit_time < self.calculated

    @property
    def fairshare(self) -> FairShare:
        """The tree of shares and usage as of the last calculation."""
        if self._shares is None:
            self._shares, self._earlier = FairShare(self.cluster, self._earlier), None
        return self._shares

    def highest(self, kind: str) -> int:
        """Return the highest priority of all QOS or associations as of the last calculation, 0 if none has one."""
        if kind not in self._highest:
            records = (record for name, record in self.book.records.items() if name.startswith(f"{kind} "))
            self._highest[kind] = highest(records, "Priority")
        return self._highest[kind]

    def _sum(self, job: Job, part: PartitionConf, still: dict[str, float] | None = None) -> int:
        """Return the sum; ``still``: what `_still_parts` returned, if that is known."""
        known = still if still is not None else self._still_parts(job, part)
        total = sum(known[f.name] if f.still else weight * f.value(self, job, part) for weight, f in self._weighted)
        return max(1, min(HIGHEST, int(total) - job.request.nice))

    def _still_parts(self, job: Job, part: PartitionConf) -> dict[str, float]:
        """Return by name what those factors add that do not change with time."""
        return {f.name: weight * f.value(self, job, part) for weight, f in self._weighted if f.still}


def needs_slurmdbd(config: Config) -> list[str]:
    """Return the weights that are given and ignored, as there is no slurmdbd.

    Source: what slurmctld 26.11 logs (workload W2) of the age; multifactor plugin page, "Fairshare".
    """
    if config.accounting_storage == "slurmdbd":
        return []
    return [key for key in ("PriorityWeightAge", "PriorityWeightFairshare") if _weight(config, key)]


def _weight(config: Config, key: str) -> int:
    """Return a weight; upper and lower case are equal in keys, as in slurm.conf."""
    lowered = key.lower()
    text = next((value for name, value in config.slurm.items() if name.lower() == lowered), "0")
    return int(text) if is_number(text, 10) else 0
