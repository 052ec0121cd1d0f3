"""A replay that is interrupted, however often and wherever, and goes on leaves the files of one that never stopped."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from slimsched.cli.app import Application
from slimsched.cli.replay.words import changer, parser
from slimsched.replay import formats, policies, requests
from slimsched.replay.changes import Changes
from slimsched.replay.machine import Machine
from slimsched.replay.run import Plan, Run
from slimsched.replay.trace import Choice, Trace

POLICIES = (
    *policies.POLICIES,
    "aged=PriorityType=priority/multifactor,PriorityWeightAge=1000,PriorityWeightJobSize=500,bf_continue,bf_interval=45",
    "mine=bf_max_job_user=1,bf_max_job_start=2,default_queue_depth=2,bf_min_prio_reserve=100",
)

CONF = """\
ClusterName=site
NodeName=n[1-4] CPUs=4 RealMemory=1000
PartitionName=day Nodes=n[1-3] Default=YES MaxTime=60
PartitionName=all Nodes=ALL PriorityTier=2
"""

CHANGES = """\
40 scontrol update nodename=n2 state=DOWN reason=broken
90 scontrol create reservation starttime=@120 endtime=@400 user=root nodes=n1 flags=ignore_jobs
150 scontrol update nodename=n2 state=RESUME
150 scontrol update nodename=n3 extra={"load":0.5}
"""

times = st.integers(0, 400)
job = st.tuples(times, st.integers(1, 300), st.integers(1, 9), st.integers(1, 400), st.integers(0, 2))
jobs = st.lists(job, min_size=1, max_size=9).map(sorted)
word = st.sampled_from(
    ["--exclusive", "-N2", "--dependency=singleton", "--begin=now+90", "--nice=50", "-pall", "--requeue", "--hold",
     "-pday,all", "--dependency=afterok:1", "--mem=700", "--time-min=1", "--spread-job", "--deadline=now+200"]
)  # fmt: skip
submission = st.tuples(times, st.integers(-1, 300), st.integers(1, 9), st.integers(1, 6), st.lists(word, max_size=3))
FIRST = (0, 30, 1, 1, list[str]())  # so that no change is made late, when its reservation would be over
submissions = st.lists(submission, min_size=1, max_size=9).map(lambda found: [FIRST, *sorted(found)])
paces = st.sampled_from(["fast", "slurm"])
stops = st.lists(st.integers(1, 12), min_size=1, max_size=5)


def submitted(number: int, second: int, run: int, tasks: int, minutes: int, words: Sequence[str] = ()) -> str:
    """Return a line of an event file."""
    asked = f"-J jobid_{number} -sim-walltime {run} -n {tasks} -t {minutes} {' '.join(words)}"
    return f"-dt {second} -e submit_batch_job | {asked} pseudo.job"


class Case(NamedTuple):
    """What is replayed, where, and how; ``policy`` None: as the cluster's file says."""

    trace: str
    machine: Machine
    policy: str | None
    kill: bool
    pace: str
    plans: bool
    changes: str = ""


def plan(case: Case, folder: Path, out: Path) -> Plan:
    """Return a plan; what it holds is used up by one run."""
    path, conf, changes = folder / "t", folder / "slurm.conf", folder / "changes"
    path.write_text(case.trace, encoding="ascii")
    conf.write_text(CONF, encoding="ascii")
    changes.write_text(case.changes, encoding="ascii")
    machine = Machine(file=str(conf)) if case.machine.file else case.machine
    policy = policies.find(case.policy) if case.policy else None
    trace = Trace(str(path), formats.find(str(path), None), Choice())
    told = Changes(str(changes), changer()) if case.changes else None
    estimates = requests.Estimates(None, case.kill)
    options = {"machine": machine._asdict(), "policy": case.policy}
    return Plan(
        trace, machine, policy, estimates, case.pace, case.plans, told, parser(Application()), str(out), options
    )


def counted(stop: int):
    """Return what a run asks after each instant; it says stop after so many."""
    left = stop

    def watch(submitted: int) -> bool:
        nonlocal left
        left -= 1
        return left > 0

    return watch


def contents(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.iterdir()}


def interrupted_alike(case: Case, stops: list[int]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        assert Run(plan(case, folder, folder / "whole")).go(lambda submitted: True)
        out = folder / "parts"
        finished = Run(plan(case, folder, out)).go(counted(stops[0]))
        for stop in stops[1:]:
            if not finished:
                run = Run(plan(case, folder, out))
                run.resume()
                finished = run.go(counted(stop))
        if not finished:
            run = Run(plan(case, folder, out))
            run.resume()
            assert run.go(lambda submitted: True)
        assert contents(out) == contents(folder / "whole")


SITE = Machine(file="slurm.conf")

FEW = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow], phases=[Phase.generate])


@pytest.mark.parametrize("policy", POLICIES)
@given(
    jobs=jobs,
    stops=stops,
    machine=st.sampled_from([Machine(1, 8, pool=True), Machine(1, 8), Machine(4, 2)]),
    kill=st.booleans(),
    plans=st.booleans(),
    pace=paces,
)
@FEW
def test_traces(policy, jobs, stops, machine, kill, plans, pace):
    lines = [f"{i} {s} -1 {r} {p} -1 -1 {p} {e} -1 1 {u}" for i, (s, r, p, e, u) in enumerate(jobs, 1)]
    interrupted_alike(Case("\n".join(lines), machine, policy, kill, pace, plans), stops)


@pytest.mark.parametrize("policy", [None, *POLICIES])
@given(
    jobs=submissions, stops=stops, plans=st.booleans(), pace=st.sampled_from(["fast", "slurm"]), changed=st.booleans()
)
@FEW
def test_submissions_to_a_cluster_that_changes(policy, jobs, stops, plans, pace, changed):
    lines = [submitted(i, *job) for i, job in enumerate(jobs, 1)]
    interrupted_alike(Case("\n".join(lines), SITE, policy, False, pace, plans, CHANGES if changed else ""), stops)


KNOWN = {
    "a reservation outlives two interrupts": (
        [(86, 91, 6, 1), (133, 269, 2, 5), (376, 145, 6, 3)], "slurm-backfill", "slurm", True, CHANGES, [5, 2],
    ),
    "jobs leave at other instants": (
        [(4, 270, 3, 4), (74, 52, 8, 1), (263, 23, 1, 3), (380, 96, 9, 5)], POLICIES[-1], "fast", False, "", [3],
    ),
    "a cycle follows at once": ([(14, 229, 8, 3), (154, 299, 1, 1)], "easy", "fast", True, CHANGES, [2]),
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_what_once_went_wrong(name):
    jobs, policy, pace, plans, changes, stops = KNOWN[name]
    lines = "\n".join(submitted(i, *job) for i, job in enumerate(jobs, 1))

    interrupted_alike(Case(lines, SITE, policy, False, pace, plans, changes), stops)
