"""What ``sim explain`` says in each situation: verdict, what would have to change, and when the job will start."""

from __future__ import annotations

import json

import pytest

CLUSTER = """
[slurm]
SchedulerParameters = "extra_constraints"
Licenses = "matlab:2"
DefMemPerCPU = "100"
AccountingStorageEnforce = "limits,qos"
GresTypes = "gpu"
[[nodes]]
NodeName = "n[1-2]"
CPUs = 4
RealMemory = 1000
Features = "intel"
[[nodes]]
NodeName = "n[3-4]"
CPUs = 8
RealMemory = 2000
Features = "amd,big"
Gres = "gpu:2"
Weight = 10
[[partitions]]
PartitionName = "debug"
Nodes = "ALL"
Default = true
MaxTime = "2:00:00"
DefaultTime = "30:00"
[[partitions]]
PartitionName = "batch"
Nodes = "n[3-4]"
MaxTime = "1-0"
"""

FILL = "sbatch -N4 --exclusive -t 30 --wrap 'sleep 1800'"
ONE = "sbatch -w n1 --exclusive -t 30 --wrap 'sleep 1800'"
RESERVE = "scontrol create reservation reservationname=r starttime=now+10minutes duration=60 users=root"
LAB = ("sacctmgr -i add account lab", "sacctmgr -i add user root account=lab")
RUNNING = "when running jobs reach their time limits"
TURNS = "after running jobs reach their time limits and the jobs ahead have run"
CLEARED = "once everything above is cleared"


@pytest.fixture
def cluster(sim):
    sim.init(CLUSTER)
    return sim


def after(sim, *commands):
    """Run commands, of which some may be refused, and return the explanation of the last job."""
    for command in commands:
        sim.run(command)
    last = sim("squeue", "-h", "-t", "all", "-o", "%A", "-S", "-i").split()[0]
    return json.loads(sim("explain", last, "--json"))


def start(answer):
    """Return the expected start as minutes from the cluster's first instant, and how that is known."""
    found = answer["start"]
    return None if found is None else ((found["time"] - 1767225600) // 60 if found["time"] else None, found["basis"])


def remedies(answer):
    """Return each hurdle with its remedies, the cheapest first: a command, or words."""
    hurdles = [*answer["hurdles"], *(h for view in answer["partitions"] for h in view["hurdles"])]
    return [(h["what"], *(c["command"].removeprefix("sim ") or c["text"] for c in h["changes"])) for h in hurdles]


@pytest.mark.parametrize(
    ("commands", "reason", "verdict", "expected", "changes"),
    [
        (
            [FILL, "sbatch -t 10 --wrap true"],
            "Resources",
            "not now",
            (30, RUNNING),
            [("nodes", "wait for running jobs to end", "scancel 1")],
        ),
        (
            [ONE, FILL, "sbatch -t 60 --wrap true"],
            "Priority",
            "not now",
            (60, TURNS),
            [
                (
                    "nodes",
                    "wait for the jobs ahead of it",
                    "scontrol update jobid=3 timelimit=29:00",
                    "scontrol update jobid=3 priority=4294901759",
                )
            ],
        ),
        (
            ["sbatch -H --wrap true"],
            "JobHeldUser",
            "not now",
            (None, "not before it is released"),
            [("hold", "scontrol release 1")],
        ),
        (
            ["sbatch -b now+1hour --wrap true"],
            "BeginTime",
            "not now",
            (60, CLEARED),
            [("begin time", "wait", "scontrol update jobid=1 starttime=now")],
        ),
        (
            [ONE, "sbatch -d afterok:1 --wrap true"],
            "Dependency",
            "not now",
            (30, RUNNING),
            [("dependency", "wait", "scontrol update jobid=2 dependency=")],
        ),
        (
            [ONE, "sbatch -d after:1+5 --wrap true"],
            "Dependency",
            "not now",
            (5, CLEARED),
            [("dependency", "wait", "scontrol update jobid=2 dependency=")],
        ),
        (
            ["sbatch -H --wrap true", "sbatch -d afterok:1 --wrap true"],
            "Dependency",
            "not now",
            (None, "unknown, because of the dependency"),
            [("dependency", "wait", "scontrol update jobid=2 dependency=")],
        ),
        (
            ["sbatch -H --wrap true", "sbatch -d afterok:1 --wrap true", "scancel 1", "advance 1"],
            "DependencyNeverSatisfied",
            "never",
            None,
            [("dependency", "scontrol update jobid=2 dependency=")],
        ),
        (
            ["sbatch -t 10 --array 0-9%2 --wrap 'sleep 600'"],
            "JobArrayTaskLimit",
            "not now",
            (10, RUNNING),
            [("array limit", "wait for a task to end", "scontrol update jobid=1 arraytaskthrottle=3")],
        ),
        (
            ["sbatch -L matlab:2 -t 7 --wrap 'sleep 600'", "sbatch -L matlab:1 --wrap true"],
            "Licenses",
            "not now",
            (7, RUNNING),
            [("licenses", "wait for jobs that hold them to end", "scontrol update jobid=2 licenses=")],
        ),
        (
            [*LAB, "sacctmgr -i modify user root set maxjobs=1", ONE, "sbatch --wrap true"],
            "AssocMaxJobsLimit",
            "not now",
            (30, RUNNING),
            [
                (
                    "limit",
                    "wait for other jobs under that limit to end",
                    "sacctmgr -i modify user where name=root account=root set MaxJobs=2",
                )
            ],
        ),
        (
            [*LAB, "sacctmgr -i modify user root set grptres=cpu=2", "sbatch -n 4 --wrap true"],
            "AssocGrpCpuLimit",
            "never",
            None,
            [("limit", "ask for less", "sacctmgr -i modify user where name=root account=root set GrpTRES=cpu=4")],
        ),
        (
            [*LAB, "sacctmgr -i modify user root set maxwall=20", "sbatch -t 30 --wrap true"],
            "AssocMaxWallDurationPerJobLimit",
            "never",
            None,
            [
                (
                    "limit",
                    "scontrol update jobid=1 timelimit=20:00",
                    "sacctmgr -i modify user where name=root account=root set MaxWallDurationPerJob=30",
                )
            ],
        ),
        (
            ["sbatch -t 5:00:00 --wrap true"],
            "PartitionTimeLimit",
            "never",
            None,
            [("limit", "scontrol update jobid=1 timelimit=2:00:00")],
        ),
        (
            ["scontrol update partitionname=debug state=down", "sbatch --wrap true"],
            "PartitionDown",
            "not now",
            (None, "unknown, because of the partition"),
            [("partition", "scontrol update partitionname=debug state=up")],
        ),
        (
            [
                f"{RESERVE} nodes=ALL",
                "sbatch -t 30 --uid=1000 --wrap true",
            ],
            "ReqNodeNotAvail, May be reserved for other job",
            "not now",
            (70, CLEARED),
            [
                (
                    "nodes",
                    "wait for the end of the reservation "
                    "(n1: reserved by r from 2026-01-01T00:10:00 to 2026-01-01T01:10:00)",
                    "scontrol update jobid=1 timelimit=9:00",
                )
            ],
        ),
        (
            [
                f"{RESERVE} nodes=n1",
                "sbatch -t 30 --reservation r --wrap true",
            ],
            "Reservation",
            "not now",
            (10, CLEARED),
            [("reservation", "wait", "scontrol update jobid=1 reservationname=")],
        ),
        (
            ["scontrol update nodename=n1 'extra={\"load\": 0.9}'", "sbatch --extra 'load<0.5' --wrap true"],
            "Constraints",
            "not now",
            (None, "unknown: nothing now running or planned will free the nodes it needs"),
            [
                (
                    "nodes",
                    "scontrol update nodename=n1 extra='{\"load\": 0.25}'",
                    "submit it again without --extra",
                )
            ],
        ),
        (
            ["scontrol update nodename=n1 state=drain reason=x", "sbatch --requires host:n1 --wrap true"],
            "ReqNodeNotAvail, May be reserved for other job",
            "not now",
            (None, "unknown: nothing now running or planned will free the nodes it needs"),
            [("nodes", "scontrol update nodename=n1 state=resume", "submit it again without --requires")],
        ),
        (
            ["scontrol update nodename=n[1-4] state=drain reason=x", "sbatch -n 7 --wrap true"],
            "Nodes required for job are DOWN, DRAINED or reserved for jobs in higher priority partitions",
            "not now",
            (None, "unknown: nothing now running or planned will free the nodes it needs"),
            [("nodes", "scontrol update nodename=n[1-2] state=resume")],  # one has too few CPUs
        ),
        (
            ["sbatch --gres gpu:2 -w n3 --wrap 'sleep 1800'", "sbatch -N2 --gres gpu:1 --wrap true"],
            "Resources",
            "not now",
            (30, RUNNING),
            [
                (
                    "nodes",
                    "wait for running jobs to end",
                    "scontrol update jobid=2 numnodes=1",
                    "ask for less per node (n1: Gres=none, wanted gpu:1)",
                    "scancel 1",
                )
            ],
        ),
        (
            ["sbatch -H --gres gpu:3 --wrap true"],
            "JobHeldUser",
            "never",
            None,
            [
                ("hold", "scontrol release 1"),
                ("nodes", "ask for less per node (n3: Gres=gpu:2, wanted gpu:3)"),
            ],
        ),
        (
            ["sbatch -w n3 --exclusive --wrap 'sleep 1800'", "sbatch -N3 -C '[intel*1&big*2]' --wrap true"],
            "Resources",
            "not now",
            (30, RUNNING),
            [
                (
                    "nodes",
                    "wait for running jobs to end",
                    "ask for less in total: fewer tasks, fewer CPUs per task, less memory",
                )
            ],
        ),
        (
            ["sbatch -n 20 -t 10 --wrap 'sleep 600'", "sbatch -n 20 --wrap true"],
            "Resources",
            "not now",
            (10, RUNNING),
            [
                (
                    "nodes",
                    "wait for running jobs to end",
                    "ask for less in total: fewer tasks, fewer CPUs per task, less memory",
                )
            ],
        ),
        (
            ["sbatch -N 5 --wrap true"],
            "PartitionNodeLimit",
            "never",
            None,
            [("limit", "scontrol update jobid=1 numnodes=4")],
        ),
        (
            ["sbatch -N 5 --array 0-3 --wrap true"],
            "PartitionNodeLimit",
            "never",
            None,
            [("limit", "scontrol update jobid=1 numnodes=4")],
        ),
        (
            [FILL, "sbatch -p debug,batch -t 10 --wrap true"],
            "Resources",
            "not now",
            (30, RUNNING),
            [("nodes", "wait for running jobs to end", "scancel 1")] * 2,
        ),
    ],
    ids=lambda value: value if isinstance(value, str) and " " not in value else "",
)
def test_a_pending_job(cluster, commands, reason, verdict, expected, changes):
    answer = after(cluster, *commands)

    assert (answer["state"], answer["reason"], answer["verdict"]) == ("PENDING", reason, verdict)
    assert start(answer) == expected
    assert remedies(answer) == changes


def test_a_refused_job_gets_no_command_that_would_fail(cluster):
    answer = after(cluster, "sbatch -C 'intel&big' --wrap true")

    assert (answer["state"], answer["verdict"]) == ("FAILED", "never")
    assert remedies(answer) == [("nodes", "drop --constraint")]


def test_what_it_waits_for_is_named(cluster):
    answer = after(cluster, ONE, FILL, "sbatch -t 60 --wrap true")

    assert [(wait["job"], wait["state"], wait["nodes"]) for wait in answer["start"]["waits_for"]] == [
        ("1", "RUNNING", "n1"),
        ("2", "PENDING", "n[1-4]"),
    ]


@pytest.mark.parametrize(
    ("minutes", "late"), [(25, "; it is expected to start too late."), (60, ".")], ids=["too late", "in time"]
)
def test_a_deadline_is_told(cluster, minutes, late):
    answer = after(cluster, FILL, f"sbatch --deadline now+{minutes}minutes -t 10 --wrap true")
    clock = f"00:{minutes - 10}:01"

    assert answer["story"][1] == (
        f"If it has not started by 2026-01-01T{clock}, it is ended because of its deadline{late}"
    )


def test_a_partition_that_can_never_serve_it_leaves_it_to_the_others(cluster):
    answer = after(cluster, FILL, "sbatch -p debug,batch -C intel -t 5 --wrap 'sleep 60'")

    assert (answer["reason"], answer["verdict"]) == ("Resources", "not now")
    assert answer["story"][1] == (
        "It can never run in partition batch. To leave that partition out: sim scontrol update jobid=2 partition=debug"
    )
    cluster("advance 1h")
    assert "ended COMPLETED at 2026-01-01T00:31:00" in cluster("explain 2")


def test_rows_of_nodes(cluster):
    answer = after(cluster, "sbatch --hold -N3 -x n2 --contiguous --wrap 'sleep 60'", "scontrol release 1")

    assert answer["partitions"][0]["reasons"] == [
        {"nodes": "n2", "count": 1, "step": "exclude", "reason": "excluded by --exclude=n2"},
        {
            "nodes": "n[1,3-4]",
            "count": 3,
            "step": "size",
            "reason": "too few suitable nodes are adjacent, or together they are too small",
        },
    ]
    assert remedies(answer)[-1] == (
        "nodes",
        "scontrol update jobid=1 contiguous=no",
        "ask for less in total: fewer tasks, fewer CPUs per task, less memory",
    )
    cluster("scontrol update jobid=1 contiguous=no")
    assert cluster("squeue -h -o %T") == "RUNNING\n"
