"""``sim explain --submit``: a submission is explained and not made; figures of limits, priorities and preemption."""

from __future__ import annotations

import json
import shlex
from typing import Any

import pytest

SLURM_CONF = """\
ClusterName=c
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageEnforce=associations,limits,qos
PriorityType=priority/multifactor
PriorityWeightQOS=1000
PriorityWeightPartition=10
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SchedulerParameters=extra_constraints
NodeName=n[1-2] CPUs=4 RealMemory=8000 Gres=gpu:a100:2
NodeName=n3 CPUs=4 RealMemory=8000
PartitionName=debug Nodes=ALL Default=YES MaxTime=1:00:00 DefMemPerCPU=100
PartitionName=first Nodes=ALL PriorityTier=9 MaxTime=1:00:00 DefMemPerCPU=100
"""
ACCOUNTS = (
    "add qos high",
    "modify qos where name=high set priority=10 maxjobsperuser=1",
    "add account lab",
    "add user ann account=lab qos+=high",
)


@pytest.fixture
def cluster(configured: Any) -> Any:
    """Three nodes, two of them with GPUs; user ann may use the QOS high, for one job at once."""
    return configured(SLURM_CONF, ACCOUNTS)


FREE = """\
Job (wrap) of root: not submitted
Nothing keeps it from starting at the next scheduling pass.

Nodes left in partition debug after each step; 2 nodes wanted:
      3  partition   debug
      3  node state  up
      2  hardware    1 CPU, 100 MB, gpu:1
      2  resources   free now
      2  priority    no other job comes first

Why each node is ruled out (first reason only):
  n3: Gres=none, wanted gpu:1

Expected start: 2026-01-01T00:00:00 on n[1-2], at the next scheduling pass
"""


def test_it_says_where_the_job_would_start_and_changes_nothing(cluster: Any) -> None:
    before = {path: path.read_bytes() for path in cluster.state.rglob("*") if path.is_file()}

    assert cluster("explain", "--submit", "--nodes=2", "--gres=gpu:1", "--wrap", "true") == FREE
    assert {path: path.read_bytes() for path in cluster.state.rglob("*") if path.is_file()} == before
    assert cluster("sbatch --parsable --wrap true") == "1\n"


def test_the_script_and_its_directives_count(cluster: Any) -> None:
    (cluster.cwd / "job.sh").write_text("#!/bin/sh\n#SBATCH -N 3 --hold\nsleep 1\n", encoding="utf-8")
    said = json.loads(cluster("explain --json --submit -t 5 job.sh"))

    assert (said["name"], said["state"], said["partitions"][0]["wanted"]) == ("job.sh", "not submitted", 3)
    assert [hurdle["what"] for hurdle in said["hurdles"]] == ["hold"]


@pytest.mark.usefixtures("with_notes")
def test_a_submission_that_would_be_refused_is_refused_in_slurms_words(cluster: Any) -> None:
    answer = cluster.run("explain --submit --gres=gpu:h100:1")

    assert (answer.code, answer.out) == (1, "")
    assert answer.err.splitlines() == [
        "sbatch: error: Batch job submission failed: Requested node configuration is not available",
        "sbatch: note: no node with 1 CPU, 100 MB, gpu:h100:1; wanted: 1",
        "sbatch: note: n[1-2]: Gres=gpu:a100:2, wanted gpu:h100:1",
        "sbatch: note: n3: Gres=none, wanted gpu:h100:1",
    ]


def test_options_stand_in_for_commands_that_need_a_job(cluster: Any) -> None:
    said = cluster("explain --submit -N4 -t 2:00:00")

    assert "scontrol update jobid" not in said
    assert "sim sbatch --time=1:00:00 ..." in said or "sim sbatch --nodes=3 ..." in said


def test_gpus_that_are_taken_are_counted(cluster: Any) -> None:
    cluster("sbatch --gres=gpu:1 -w n1 -t 10 --sim-runtime 5m --wrap x")
    cluster("sbatch --gres=gpu:2 -w n2 -t 10 --sim-runtime 5m --wrap x")
    said = cluster("explain --submit --gres=gpu:a100:2")

    assert "  n1: 1 of 2 gpu:a100 free, wanted 2; job 1 until 2026-01-01T00:10:00\n" in said
    assert "  n2: 0 of 2 gpu:a100 free, wanted 2; job 2 until 2026-01-01T00:10:00\n" in said


def test_a_limit_has_its_owner_its_figures_and_the_line_that_changes_it(cluster: Any) -> None:
    for _ in range(2):
        cluster("sbatch --uid ann -q high -t 10 --sim-runtime 5m --wrap x")
    said = cluster("explain --json 2")
    (limit,) = json.loads(said)["partitions"][0]["hurdles"]

    assert limit["text"] == (
        "QOS high: MaxJobsPerUser=1; 1 in use by user ann, this job asks for 1 (QOSMaxJobsPerUserLimit)"
    )
    cluster(*shlex.split(limit["changes"][-1]["command"].removeprefix("sim ")))
    cluster("advance 1s")
    assert cluster("squeue -h -j 2 -o %T") == "RUNNING\n"


@pytest.mark.parametrize(
    ("limit", "options", "text"),
    [
        ("user where name=ann set maxjobs=0", "", "the association of user ann in account lab: MaxJobs=0; 0 in use"),
        ("user where name=ann set grptres=cpu=1", "-n2", "GrpTRES=cpu=1; 0 in use, this job asks for 2"),
        (
            "account where name=lab set grpjobs=0",
            "",
            "account lab: GrpJobs=0; 0 in use, this job asks for 1 (AssocGrpJobs",
        ),
        (
            "user where name=ann set maxtresperjob=gres/gpu=1",
            "--gres=gpu:2",
            "MaxTRESPerJob=gres/gpu=1; this job asks for 2",
        ),
        ("user where name=ann set maxwall=5", "-t 10", "MaxWallDurationPerJob=5:00; this job asks for 10:00"),
        ("user where name=ann set maxtresmins=cpu=5", "-t 10", "MaxTRESMinsPerJob=cpu=5; this job asks for 10"),
        ("qos where name=normal set maxtresperuser=mem=50", "", "QOS normal: MaxTRESPerUser=mem=50M; 0M in use by"),
        ("qos where name=normal set mintresperjob=cpu=3", "", "QOS normal: MinTRESPerJob=cpu=3; this job asks for 1"),
    ],
)
def test_every_kind_of_limit_can_be_lifted_as_told(limit: str, options: str, text: str, cluster: Any) -> None:
    cluster.run(f"sacctmgr -i modify {limit}")
    cluster(f"sbatch --uid ann -H {options} --sim-runtime 5m --wrap x")
    cluster("scontrol release 1")
    said = json.loads(cluster("explain --json 1"))
    found = next(hurdle for hurdle in said["partitions"][0]["hurdles"] if hurdle["what"] == "limit")

    assert text in found["text"]
    command = next(each["command"] for each in found["changes"] if "sacctmgr" in each["command"])
    cluster(*shlex.split(command.removeprefix("sim ")))
    cluster("advance 1s")
    assert cluster("squeue -h -j 1 -o %T") == "RUNNING\n"


def test_jobs_ahead_stand_beside_it_with_their_factors(cluster: Any) -> None:
    cluster("sbatch -N3 --exclusive -t 30 --sim-runtime 20m --wrap x")
    cluster("sbatch --uid ann -q high -N3 --exclusive -t 30 --wrap x")
    cluster("sbatch --uid ann -N3 --exclusive -t 30 --wrap x")
    table = cluster("explain 3").partition("Jobs that come first, and their priorities:\n")[2].splitlines()[:3]

    assert [line.split() for line in table] == [
        ["job", "user", "priority", "PARTITION", "QOS"],
        ["2", "ann", "1010", "10", "1000"],
        ["3", "(this)", "ann", "10", "10", "0"],
    ]


def test_who_preempted_whom(cluster: Any) -> None:
    cluster("sbatch -N3 --exclusive -t 30 --sim-runtime 20m --wrap x")
    cluster("sbatch -p first -N3 --exclusive -t 30 --sim-runtime 20m --wrap x")
    cluster("advance 1m")

    assert "Job 2 preempted it at 2026-01-01T00:00:00 (requeue).\n" in cluster("explain 1")
    assert "It preempted job 1 at 2026-01-01T00:00:00 (requeue).\n" in cluster("explain 2")
    assert "preempt" in cluster("events 1")


def test_extra_data_that_would_do_and_a_key_spelled_alike(cluster: Any) -> None:
    cluster("scontrol", "update", "nodename=n3", 'extra={"laod": 0.9}')
    cluster("sbatch -w n3 --extra load<0.5 --sim-runtime 5m --wrap x")
    said = json.loads(cluster("explain --json 1"))["partitions"][0]["hurdles"][0]["changes"][0]

    assert said["text"].endswith("n3: no load, wanted load<0.5; n3 has 'laod', not 'load')")
    cluster(*shlex.split(said["command"].removeprefix("sim ")))
    cluster("advance 1s")
    assert cluster("scontrol show node n3").count('Extra={"laod": 0.9, "load": 0.25}') == 1


def test_nodes_that_are_down_have_the_line_that_brings_them_back(cluster: Any) -> None:
    cluster("scontrol update nodename=n[1-3] state=down reason=psu")
    cluster("sbatch --sim-runtime 5m --wrap x")
    said = cluster("explain 1")

    assert "  n[1-3]: state=DOWN (psu), wanted a node in service\n" in said
    assert "    1. put n1 back in service\n         sim scontrol update nodename=n1 state=resume\n" in said


def test_a_node_with_a_key_spelled_alike_comes_first(cluster: Any) -> None:
    cluster("scontrol", "update", "nodename=n1", 'extra={"load": 0.9}')
    cluster("scontrol", "update", "nodename=n3", 'extra={"laod": 0.9}')
    cluster("sbatch --extra load<0.5 --sim-runtime 5m --wrap x")
    said = json.loads(cluster("explain --json 1"))["partitions"][0]["hurdles"][0]["changes"][0]

    assert said["text"].endswith("(n3: no load, wanted load<0.5; n3 has 'laod', not 'load')")


def test_fewer_nodes_are_not_the_only_way_if_some_are_down_and_others_busy(cluster: Any) -> None:
    cluster("sbatch -w n1 --exclusive -t 30 --sim-runtime 20m --wrap x")
    cluster("scontrol update nodename=n2 state=down reason=psu")
    cluster("sbatch -N3 --exclusive --sim-runtime 5m --wrap x")
    changes = json.loads(cluster("explain --json 2"))["partitions"][0]["hurdles"][0]["changes"]

    assert [(change["text"], change["command"]) for change in changes] == [
        (
            "all of these: put n2 back in service; wait for running jobs to end",
            "sim scontrol update nodename=n2 state=resume",
        ),
        ("ask for 1 node", "sim scontrol update jobid=2 numnodes=1"),
    ]


def test_no_size_is_asked_for_twice(cluster: Any) -> None:
    said = cluster("explain --submit -N9")

    assert said.count("ask for 3 nodes") == 1
    assert "ask for 4 nodes" not in said


def test_each_component_is_explained(sim: Any) -> None:
    sim("init")
    said = sim("explain --submit -n1 : -n99 : -N2 --wrap x")
    assert [line for line in said.splitlines() if line.startswith("Job ")] == [
        f"Job component {place} (wrap) of root: not submitted" for place in range(3)
    ]
    assert said.count("It can never start unless the job or the cluster changes.") == 1
    assert said.count("Nothing keeps it from starting at the next scheduling pass.") == 2
