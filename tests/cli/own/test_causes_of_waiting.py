"""The causes of waiting: ``squeue``, ``scontrol`` and ``sim explain`` agree, and no line contradicts another."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pytest

from slimsched.slurm import reasons

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
    after: tuple[str, ...] = ()  # what happens while it waits


HIGH = "scontrol update partitionname=one "
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
    "partition down": Cause([f"{HIGH}state=down"], "-p one", "PartitionDown", "partitionname=one state=up"),
    "partition inactive": Cause(
        [FULL], "-p one", "PartitionInactive", "partitionname=one state=up", (f"{HIGH}state=inactive", "advance 1m")
    ),
    "more nodes than the partition has": Cause([], "-p one -N2", "PartitionNodeLimit", "jobid=1 numnodes=1"),
    "fewer nodes than the partition wants": Cause(
        ["scontrol update partitionname=short minnodes=2"], "-N1", "PartitionNodeLimit", "jobid=1 numnodes=2"
    ),
    "memory of the partition": Cause(
        [f"{HIGH}maxmempernode=50"], "-p one --mem=500", "MaxMemPerLimit", "jobid=1 minmemorynode=50"
    ),
    "account of a new job": Cause(
        [f"{HIGH}allowaccounts=other"], "-p one", "PartitionConfig", f"sim {HIGH}allowaccounts=other,root"
    ),
    "account": Cause(
        [FULL], "-p one", "AccountNotAllowed", "jobid=2 partition=short", (f"{HIGH}allowaccounts=other", "advance 1m")
    ),
    "QOS": Cause(
        [FULL], "-p one -q few", "QOSNotAllowed", f"sim {HIGH}denyqos=x", (f"{HIGH}denyqos=few,x", "advance 1m")
    ),
    "held by an operator": Cause([FULL], "", "JobHeldAdmin", "sim scontrol release 2", ("scontrol hold 2",)),
    "requeued and held": Cause(
        [], "--sim-runtime 600", "job requeued in held state", "sim scontrol release 1", ("scontrol requeuehold 1",)
    ),
    "a dependency that failed": Cause(
        ["sbatch --sim-exit 1 --sim-runtime 60 --wrap x"],
        "-d afterok:1",
        "DependencyNeverSatisfied",
        "can never be fulfilled: afterok:1, which is FAILED",
        ("advance 5m",),
    ),
    "a reservation to come": Cause(
        ["scontrol create reservation=r user=root nodes=n1 starttime=now+3600 duration=60"],
        "--reservation=r",
        "Reservation",
        "reservation r begins at 2026-01-01T01:00:00",
    ),
    "a reservation that is over": Cause(
        ["scontrol create reservation=r user=root nodes=n1 starttime=now+600 duration=5"],
        "--reservation=r -t 5 -H",
        "Reservation r was deleted",
        "sim scontrol release 1",
        ("advance 20m",),
    ),
    "too few nodes in service": Cause(
        ["scontrol update nodename=n1 state=drain reason=fan"],
        "-N2",
        "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions",
        "sim scontrol update nodename=n1 state=resume",
    ),
}


@pytest.mark.parametrize(("name", "cause"), CAUSES.items(), ids=CAUSES)
def test_the_answers_agree(configured: Make, name: str, cause: Cause) -> None:
    sim = configured(CONF, ACCOUNTS)
    for line in cause.before:
        assert sim.run(line).code == 0, line
    number = int(sim(f"sbatch --parsable {cause.job} --wrap x"))
    for line in cause.after:
        assert sim.run(line).code == 0, line
    shown = sim(f"squeue -h -j {number} -t PD,RESV_DEL_HOLD -o %R").strip()
    assert shown == f"({cause.reason})"
    word = cause.reason.partition(",")[0].replace(" ", "_")
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


def test_a_component_is_changed_by_the_number_of_its_own(configured: Make) -> None:
    sim = configured(CONF, ACCOUNTS)
    sim("sbatch -w n1 --exclusive -t 10 --sim-runtime 600 --wrap x")
    sim("sbatch -t 5 : -N2 --exclusive -t 5 --wrap x")
    assert "\n         sim scontrol update jobid=3 numnodes=1\n" in sim("explain 2+1")


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


NOT_SEEN = {
    reasons.NONE: "has not been tried",
    reasons.BAD_CONSTRAINTS: "ends a new job, or holds one: tests/controller/explain",
    reasons.SYSTEM_FAILURE: "a plugin failed",
    **dict.fromkeys((reasons.EXIT_CODE, reasons.TIME_LIMIT, reasons.NODE_DOWN), "of jobs that have ended"),
    **dict.fromkeys((reasons.DEADLINE, reasons.OUT_OF_MEMORY, reasons.BOOT_FAIL), "of jobs that have ended"),
    reasons.RESERVATION_DELETED: "its text takes its place",
}
"""Reasons that no cause here shows, and why."""


def test_every_reason_of_a_waiting_job_has_a_cause() -> None:
    shown = {cause.reason.partition(",")[0] for cause in CAUSES.values()}
    assert {row.word for row in reasons.ROWS} - shown == set(NOT_SEEN)


TEN = "-t 10 --sim-runtime 600"
QOS_LIMITS = [
    ("grpjobs=1", TEN, TEN, "QOSGrpJobsLimit", "GrpJobs=1; 1 in use, this job asks for 1"),
    ("grptres=cpu=2", f"-n2 {TEN}", TEN, "QOSGrpCpuLimit", "GrpTRES=cpu=2; 2 in use, this job asks for 1"),
    ("grptres=mem=200", f"-n2 {TEN}", TEN, "QOSGrpMemLimit", "GrpTRES=mem=200M; 200M in use, this job asks for 100M"),
    ("grptres=node=1", f"-w n1 {TEN}", f"-w n2 {TEN}", "QOSGrpNodeLimit", "GrpTRES=node=1; 1 in use"),
    ("grptresrunmins=cpu=15", TEN, TEN, "QOSGrpCPURunMinutesLimit", "10 in use, this job asks for 10"),
    ("grptresrunmins=mem=1500", TEN, TEN, "QOSGrpMemoryRunMinutes", "1000M in use, this job asks for 1000M"),
    ("maxjobspa=1", TEN, TEN, "MaxJobsPerAccount", "MaxJobsPerAccount=1; 1 in use by account lab"),
    ("maxjobspu=1", TEN, TEN, "QOSMaxJobsPerUserLimit", "MaxJobsPerUser=1; 1 in use by user bob"),
    ("maxtrespa=cpu=1", TEN, TEN, "MaxCpuPerAccount", "MaxTRESPerAccount=cpu=1; 1 in use by account lab"),
    ("maxtresperjob=cpu=1", "", f"-n2 {TEN}", "QOSMaxCpuPerJobLimit", "MaxTRESPerJob=cpu=1; this job asks for 2"),
    ("maxtresperjob=node=1", "", f"-N2 {TEN}", "QOSMaxNodePerJobLimit", "MaxTRESPerJob=node=1; this job asks for 2"),
    ("maxtresperjob=mem=100", "", f"-n2 {TEN}", "QOSMaxMemoryPerJob", "MaxTRESPerJob=mem=100M; this job asks for 200M"),
    ("maxtrespernode=cpu=1", "", f"-n2 {TEN}", "QOSMaxCpuPerNode", "MaxTRESPerNode=cpu=1; this job asks for 2"),
    ("maxtresperuser=node=1", f"-w n1 {TEN}", f"-w n2 {TEN}", "QOSMaxNodePerUserLimit", "1 in use by user bob"),
    ("maxtresperuser=gres/gpu=1", f"--gpus=1 {TEN}", f"--gpus=1 {TEN}", "QOSMaxGRESPerUser", "1 in use by user bob"),
    ("mintresperjob=cpu=2", "", TEN, "QOSMinCpuNotSatisfied", "MinTRESPerJob=cpu=2; this job asks for 1"),
    ("mintresperjob=gres/gpu=1", "", TEN, "QOSMinGRES", "MinTRESPerJob=gres/gpu=1; this job asks for 0"),
    ("maxtresminsperjob=cpu=5", "", TEN, "QOSMaxCpuMinutesPerJobLimit", "=cpu=5; this job asks for 10"),
    ("maxtresminsperjob=mem=5", "", TEN, "QOSMaxMemoryMinutesPerJob", "=mem=5M; this job asks for 1000M"),
    ("maxtresrunminspa=cpu=15", TEN, TEN, "MaxCpuRunMinsPerAccount", "10 in use by account lab, this job asks for 10"),
    ("maxtresrunminspu=cpu=15", TEN, TEN, "MaxCpuRunMinsPerUser", "10 in use by user bob, this job asks for 10"),
    ("maxwall=5", "", TEN, "QOSMaxWallDurationPerJobLimit", "MaxWallDurationPerJob=5:00; this job asks for 10:00"),
]
"""A limit of a QOS, the job that uses it up, the job that waits, its reason, and the figures."""
BOTH = "grp|maxtresperjob|maxtrespernode|maxtresminsperjob|maxwall"
USER_LIMITS = [
    (limit, before, job, reason.replace("QOS", "Assoc", 1).replace("Memory", "Mem"), told)
    for limit, before, job, reason, told in QOS_LIMITS
    if re.match(BOTH, limit)
] + [("maxjobs=1", TEN, TEN, "AssocMaxJobsLimit", "MaxJobs=1; 1 in use, this job asks for 1")]


@pytest.mark.parametrize(
    ("owner", "limits"),
    [("QOS few", QOS_LIMITS), ("the association of user bob in account lab", USER_LIMITS)],
    ids=["QOS", "user"],
)
def test_the_line_that_changes_a_limit_lets_the_job_run(configured: Make, owner: str, limits: list[Any]) -> None:
    sim = configured(CONF, ("add account lab", "add qos few", "add user bob account=lab"))
    sim("sacctmgr -i modify user where name=bob set qos=normal,few")
    sim("snapshot save new")
    record, qos = ("qos where name=few", "-q few ") if owner == "QOS few" else ("user where name=bob", "")
    for limit, before, waits, reason, told in limits:
        sim("snapshot load new")
        sim(f"sacctmgr -i modify {record} set {limit}")
        if before:
            sim(f"sbatch --uid bob {qos}{before} --wrap x")
        job = sim(f"sbatch --parsable --uid bob {qos}{waits} --wrap x").strip()
        assert sim(f"squeue -h -j {job} -o '%T %r'") == f"PENDING {reason}\n", limit
        said = sim(f"explain {job}")
        assert f"limit: {owner}: " in said
        assert told in said
        _agrees(said)
        (line,) = re.findall(r"^ +sim (sacctmgr .* modify .*)$", said, re.MULTILINE)
        sim(line)
        assert sim(f"squeue -h -j {job} -o '%T %r'") == "RUNNING None\n", limit


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
