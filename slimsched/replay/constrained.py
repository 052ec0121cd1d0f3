"""Synthetic workloads with constraints, on a cluster whose nodes say how loaded they are.

Sizes, run times and arrivals are those of `model`. Some jobs ask for a low load in the nodes' ``Extra``
(``load<0.5``), some for a feature that half of the nodes have, some for a consumable complex attribute. A node's load
does not come from the jobs: it moves by itself around 0.4, a little each minute, so that the data can be stale.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from slimsched.errors import UserError
from slimsched.replay import model
from slimsched.replay.model import Made, Workload

STEP = 60
"""Seconds between two true loads of a node."""

MEAN, KEPT, NOISE = 0.4, 0.98, 0.05
FEATURE, ATTRIBUTE, SLOTS = "big", "scratch", 2
LIMIT = 0.5
PART = 4
"""Only jobs of at most this part of the machine have constraints: larger ones would wait for most nodes at once."""


class Wishes(NamedTuple):
    """Shares of the jobs that ask for a low load, a feature, an attribute; ``refresh``: seconds between new loads."""

    nodes: int
    extra: float = 0.0
    features: float = 0.0
    complexes: float = 0.0
    refresh: int = 300


class Generated(NamedTuple):
    """The texts of three files: the jobs (events of the UB-HPC simulator), the cluster, and the changes on the way."""

    jobs: str
    cluster: str
    changes: str


def generate(wanted: Workload, wishes: Wishes) -> Generated:
    """Return a workload; the same numbers always give the same one. Raises `UserError`."""
    if wanted.processors % wishes.nodes or wishes.nodes < 2:
        raise UserError(f"{wanted.processors} processors are not on {wishes.nodes} equal nodes")
    if wishes.refresh % STEP or wishes.refresh <= 0:
        raise UserError(f"new loads come each N times {STEP} seconds")
    jobs = model.generate(wanted)
    last = jobs[-1].submit + max(job.estimate for job in jobs)
    return Generated(
        "".join(_jobs(jobs, wanted, wishes)),
        _cluster(wanted.processors // wishes.nodes, wishes.nodes),
        "".join(_changes(wanted.seed, wishes, last)),
    )


def _jobs(jobs: list[Made], wanted: Workload, wishes: Wishes) -> Iterator[str]:
    random = Random(f"constraints {wanted.seed}")
    for number, job in enumerate(jobs, 1):
        drawn = [random.random() for _ in range(3)]
        asked = []
        if job.processors <= wanted.processors // PART:
            asked += ["--extra", f"load<{LIMIT}"] if drawn[0] < wishes.extra else []
            asked += ["-C", FEATURE] if drawn[1] < wishes.features else []
            asked += ["-l", f"{ATTRIBUTE}=1", "-N", "1", "-n", "1"] if drawn[2] < wishes.complexes else []
        size = [] if "-n" in asked else ["-n", str(job.processors)]
        words = ["-J", f"job_{number}", f"--uid=user{job.user}", *size, "-t", str(-(-job.estimate // 60)), *asked]
        yield f"-dt {job.submit} -e submit_batch_job | {' '.join(words)} -sim-walltime {job.run} job.sh\n"


def _cluster(cpus: int, nodes: int) -> str:
    half = nodes // 2
    return f"""\
ClusterName=generated
SlurmctldHost=head
SelectType=select/cons_tres
SelectTypeParameters=CR_CORE
SchedulerType=sched/backfill
SchedulerParameters=extra_constraints
MaxJobCount=1000000
NodeName=n[1-{half}] CPUs={cpus} Feature={FEATURE} State=UNKNOWN
NodeName=n[{half + 1}-{nodes}] CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE
"""


def _changes(seed: int, wishes: Wishes, last: int) -> Iterator[str]:
    yield "# the loads of the nodes, as they are reported\n"
    if wishes.complexes:
        yield f"0 scontrol create complex name={ATTRIBUTE} type=INT 'relop=<=' consumable=YES\n"
        yield f"0 scontrol update nodename=n[1-{wishes.nodes}] complexes={ATTRIBUTE}={SLOTS}\n"
    told: list[float | None] = [None] * wishes.nodes
    for step, loads in enumerate(true_loads(seed, wishes.nodes)):
        second = step * STEP
        if second > last:
            return
        for place, load in enumerate(loads) if second % wishes.refresh == 0 else ():
            if load != told[place]:
                told[place] = load
                yield f"{second} scontrol update nodename=n{place + 1} extra='{{\"load\": {load}}}'\n"


def true_loads(seed: int, nodes: int) -> Iterator[list[float]]:
    """Yield the loads of all nodes, each `STEP` seconds, rounded to tenths; the same whatever was reported of them."""
    random = Random(f"load {seed}")
    loads = [random.gauss(MEAN, NOISE / (1 - KEPT**2) ** 0.5) for _ in range(nodes)]
    while True:
        yield [round(min(1.0, max(0.0, load)), 1) for load in loads]
        loads = [MEAN + KEPT * (load - MEAN) + random.gauss(0, NOISE) for load in loads]
