"""The causes of waiting: ``squeue``, ``scontrol`` and ``sim explain`` agree, and no line contradicts another."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pytest

CONF = """
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageEnforce=associations,limits,qos
SchedulerParameters=extra_constraints
PriorityType=priority/multifactor
PriorityWeightFairshare=1000
GresTypes=gpu
Licenses=comsol:1
DefMemPerCPU=100
NodeName=n1 CPUs=4 RealMemory=4000 Gres=gpu:2 Feature=fast Extra={"load":0.9}
NodeName=n2 CPUs=4 RealMemory=4000 Extra={"lod":0.1}
PartitionName=short Nodes=ALL Default=YES MaxTime=60
PartitionName=one Nodes=n1 MaxTime=60
"""
ACCOUNTS = (
    "add account lab",
    "add user root account=lab",
    "add user ann account=lab",
    "add qos capped set maxtresperuser=cpu=2",
    "add qos few set grpjobs=1",
    "modify user where name=root set qos=normal,capped,few",
    "modify user where name=ann set maxjobs=1",
)
FULL = "sbatch -N2 --exclusive -t 10 --sim-runtime 600 --wrap x"
Make = Callable[[str, Sequence[str]], Any]


class Cause(NamedTuple):
    """What comes first, the job that waits, the reason, and what the explanation must say."""

    before: list[str]
    job: str
    reason: str
    said: str


CAUSES = {
    "resources": Cause([FULL], "-t 5", "Resources", "Expected start: 2026-01-01T00:10:00"),
    "priority": Cause([FULL, "sbatch -N2 -t 5 --wrap x"], "-t 5 --nice=50", "Priority", "Jobs that come first"),
    "dependency": Cause([FULL], "-d afterok:1", "Dependency", "afterok:1, which is RUNNING until 2026-01-01T00:10:00"),
    "feature not now": Cause(
        ["scontrol update nodename=n1 state=down reason=fan"],
        "-C fast",
        "ReqNodeNotAvail, UnavailableNodes:n1",
        "n1: state=DOWN (fan), wanted a node in service",
    ),
    "extra": Cause([], "--extra load<0.5", "Constraints", "sim scontrol update nodename="),
    "drained": Cause(
        ["scontrol update nodename=n1 state=drain reason=fan"],
        "-w n1",
        "ReqNodeNotAvail, May be reserved for other job",
        "sim scontrol update nodename=n1 state=resume",
    ),
    "down": Cause(
        ["scontrol update nodename=n1 state=down reason=fan"],
        "-w n1",
        "ReqNodeNotAvail, UnavailableNodes:n1",
        "sim scontrol update nodename=n1 state=resume",
    ),
    "powering down": Cause(
        ["scontrol power down n1"],
        "-w n1",
        "ReqNodeNotAvail, May be reserved for other job",
        "wait until n1 can be switched on again, at 2026-01-01T00:00:31",
    ),
    "maintenance": Cause(
        ["scontrol create reservation=m flags=maint user=root nodes=ALL starttime=now+600 duration=60"],
        "-t 30",
        "ReqNodeNotAvail, Reserved for maintenance",
        "sim scontrol update jobid=1 timelimit=9:00",
    ),
    "reserved": Cause(
        ["scontrol create reservation=r user=ann nodes=ALL starttime=now duration=60"],
        "-t 30",
        "ReqNodeNotAvail, May be reserved for other job",
        "reserved by r",
    ),
    "time limit": Cause([], "-t 90", "PartitionTimeLimit", "TimeLimit=1:30:00, partition short allows 1:00:00"),
    "QOS limit of a user": Cause(
        ["sbatch -q capped -n2 -t 10 --sim-runtime 600 --wrap x"],
        "-q capped -n1",
        "QOSMaxCpuPerUserLimit",
        "sim sacctmgr",
    ),
    "QOS limit of all": Cause(
        ["sbatch -q few -t 10 --sim-runtime 600 --wrap x"], "-q few", "QOSGrpJobsLimit", "sim sacctmgr"
    ),
    "association limit": Cause(
        ["sbatch --uid ann -t 10 --sim-runtime 600 --wrap x"], "--uid ann", "AssocMaxJobsLimit", "sim sacctmgr"
    ),
    "array throttle": Cause([], "--array 0-3%1 -t 10 --sim-runtime 600", "JobArrayTaskLimit", "arraytaskthrottle=2"),
    "fair share": Cause(
        ["sbatch -N2 --exclusive -t 10 --sim-runtime 600 --wrap x", "advance 5m", "sbatch --uid ann -N2 -t 5 --wrap x"],
        "-N2 -t 5",
        "Priority",
        "priority  FAIRSHARE",
    ),
    "held": Cause([], "--hold", "JobHeldUser", "sim scontrol release 1"),
    "begin time": Cause([], "--begin now+1hour", "BeginTime", "Expected start: 2026-01-01T01:00:00"),
    "licences": Cause(
        ["sbatch -L comsol -t 10 --sim-runtime 600 --wrap x"], "-L comsol", "Licenses", "held by job 1 (comsol)"
    ),
    "minutes used up": Cause(
        [
            "sbatch --uid ann --exclusive -t 60 --sim-runtime 50m --wrap x",
            "advance 50m",
            "sacctmgr -i modify account lab set grptresmins=cpu=100",
        ],
        "--uid ann -t 5",
        "AssocGrpCPUMinutesLimit",
        "sim sacctmgr -i modify account where name=lab set RawUsage=0",
    ),
    "GPUs": Cause(
        ["sbatch --gpus=2 -t 10 --sim-runtime 600 --wrap x"],
        "--gpus=1 -p one",
        "Resources",
        "0 of 2 gpu free, wanted 1",
    ),
    "memory": Cause(
        ["sbatch -N2 -n2 --mem=3500 -t 10 --sim-runtime 600 --wrap x"],
        "--mem=1000",
        "Resources",
        "500 of 4000 MB free, wanted 1000",
    ),
}


@pytest.mark.parametrize(("name", "cause"), CAUSES.items(), ids=CAUSES)
def test_the_answers_agree(configured: Make, name: str, cause: Cause) -> None:
    sim = configured(CONF, ACCOUNTS)
    for line in cause.before:
        assert sim.run(line).code == 0, line
    number = int(sim(f"sbatch --parsable {cause.job} --wrap x"))
    shown = sim(f"squeue -h -j {number} -t PD -o %R").strip()
    assert shown == f"({cause.reason})"
    word = cause.reason.partition(",")[0]
    assert f" Reason={word}" in sim(f"scontrol show job {number}")
    said = sim(f"explain {number}")
    assert re.match(rf"Job {number}\S* \(wrap\) of ", said)
    assert said.splitlines()[0].endswith(f"PENDING, reason {cause.reason}")
    assert cause.said in said
    _agrees(said)


def _components(sim: Any, job: int, count: int) -> list[str]:
    """Return the explanations of the components of a heterogeneous job, which agree each with itself."""
    said = sim(f"explain {job}").split("\n\nJob ")
    answers = [said[0], *(f"Job {text}" for text in said[1:])]
    assert [text.split(" ")[1] for text in answers] == [f"{job}+{place}" for place in range(count)]
    for place, text in enumerate(answers):
        assert sim(f"explain {job}+{place}").rstrip("\n") == text.rstrip("\n")
        _agrees(text)
    assert len(json.loads(sim(f"explain --json {job}"))) == count
    return answers


def test_components_that_never_fit_together(configured: Make) -> None:
    sim = configured(CONF, ACCOUNTS)
    sim("sbatch -N2 -t 5 : -N1 -t 5 --wrap x")
    for said in _components(sim, 1, 2):
        assert "its 2 components start together, each on its own nodes: 3 are wanted, their partitions have 2\n" in said
        assert "no other job comes first" in said
    assert sim("explain 1+0").count("jobid=1 numnodes=") == sim("explain 1+1").count("jobid=2 numnodes=")


def test_a_component_waits_for_another(configured: Make) -> None:
    sim = configured(CONF, ACCOUNTS)
    sim("sbatch -w n1 --exclusive -t 10 --sim-runtime 600 --wrap x")
    sim("sbatch -w n2 -t 5 : -w n1 -t 5 --wrap x")
    first, second = _components(sim, 2, 2)
    assert "components: job 2+1, which starts with it, cannot start\n" in first
    assert "components" not in second
    assert "n1: 0 of 4 CPUs free, wanted 1; job 1 until 2026-01-01T00:10:00\n" in second
    for said in (first, second):
        assert "It cannot start now, but it can later.\n" in said
        assert "Expected start: 2026-01-01T00:10:00" in said


def test_components_that_are_in_each_others_way(configured: Make) -> None:
    sim = configured(CONF, ACCOUNTS)
    sim("sbatch -w n1 --exclusive -t 10 --sim-runtime 600 --wrap x")
    sim("sbatch -t 5 : -t 5 --wrap x")
    for said in _components(sim, 2, 2):
        assert "its components start together, each on its own nodes, and too few are free for all of them\n" in said
        assert "It cannot start now, but it can later.\n" in said


def test_components_that_run_and_have_ended(configured: Make) -> None:
    sim = configured(CONF, ACCOUNTS)
    sim("sbatch -t 5 --sim-runtime 60 : -t 5 --wrap x")
    assert ["RUNNING" in said for said in _components(sim, 1, 2)] == [True, True]
    sim("advance 1d")
    assert ["COMPLETED" in said for said in _components(sim, 1, 2)] == [True, True]


def test_the_history_of_a_preemptor_names_its_victims(configured: Make) -> None:
    sim = configured(
        CONF + "PreemptType=preempt/qos\nPreemptMode=REQUEUE\n", (*ACCOUNTS, "modify qos few set preempt=normal")
    )
    sim("sbatch -N2 --exclusive -t 10 --sim-runtime 600 --wrap x")
    sim("sbatch -q few -N2 --exclusive -t 10 --sim-runtime 600 --wrap x")
    assert [line.split()[2:5] for line in sim("events 2").splitlines()][1:] == [
        ["preempt", "job", "1"],
        ["start", "job", "2"],
    ]
    assert "It preempted job 1 at " in sim("explain 2")
    assert "Job 2 preempted it at " in sim("explain 1")


def _agrees(said: str) -> None:
    """Check that the verdict, the hurdles and the expected start do not contradict each other."""
    starts = re.findall(r"^Expected start: (\d{4}\S+)", said, re.MULTILINE)
    ends = re.findall(r"^  after job .* ends at (\d{4}\S+)", said, re.MULTILINE)
    if "It can never start" in said:
        assert not starts
    assert all(end <= start for start in starts for end in ends)
    left = [int(count) for count in re.findall(r"^ {1,6}(\d+)  \S", said, re.MULTILINE)]
    assert left == sorted(left, reverse=True)
    if left and not left[-1]:
        assert "Why each node is ruled out" in said


@pytest.mark.parametrize(
    ("job", "note"),
    [
        ("-C nvme", "no node has the feature 'nvme'"),
        ("--mem=9000", "RealMemory=4000, wanted 9000"),
        ("--gres=gpu:h100:1", "n1: Gres=gpu:2, wanted gpu:h100:1"),
        ("-L ansys", "no license 'ansys'"),
    ],
)
def test_what_is_refused_has_a_reason(configured: Make, with_notes: None, job: str, note: str) -> None:
    sim = configured(CONF, ACCOUNTS)
    answer = sim.run(f"sbatch {job} --wrap x")
    assert answer.code == 1
    assert note in answer.err
