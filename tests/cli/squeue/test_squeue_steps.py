"""``squeue --steps`` and ``scontrol show steps``: the steps that run."""

from __future__ import annotations

import pytest
import scene
import world

from slimsched.cli.squeue.squeue import command
from slimsched.model.job import Step

HEADER = "         STEPID     NAME PARTITION     USER      TIME NODELIST\n"


def cluster():
    """Job 1 runs its second srun since a minute, 2 an endless one, 3 is an allocation with one, 4 is suspended."""
    found = scene.Cluster(world.recorded(), scene.at("08:00:00"))
    one = [Step("first", 0, 60, 1), Step("second", 540, 900, 3), Step("third", 900, 960)]
    job = scene.add(found, 1, "07:00:00", num_tasks=3, min_nodes=2, steps=one, cpus_per_task=2)
    scene.run(found, job, "node[1-2]", [4, 2], [200, 100], "07:50:00")
    job = scene.add(found, 2, "07:00:00", partition="batch", steps=[Step("endless", 0, None, 1)])
    scene.run(found, job, "node5", [1], [100], "07:59:00")
    job = scene.add(found, 3, "07:00:00", batch=False, steps=[Step("inside", 30, 40), Step("now", 40, 100)])
    scene.run(found, job, "node3", [1], [100], "07:59:00")
    array = {"array_job_id": 10, "array_task_id": 4, "steps": [Step("task", 0, 30)]}
    job = scene.add(found, 4, "07:00:00", **array)
    scene.run(found, job, "node4", [1], [100], "07:59:00")
    job.state, job.pre_sus_time, job.suspend_time = "SUSPENDED", 10, scene.at("07:59:10")
    job.user_id, job.user_name = 4321, "ann"
    scene.add(found, 5, "07:00:00")
    return found


def listed(capsys, *argv):
    code, out, err = scene.call(cluster(), command, argv, capsys)
    assert (code, err) == (0, "")
    return out


def test_list(capsys):
    assert listed(capsys, "-s") == HEADER + (
        "            2.0  endless     batch     root      1:00 node5\n"
        "        2.batch    batch     batch     root      1:00 node5\n"
        "            1.1   second     debug     root      1:00 node[1-2]\n"
        "        1.batch    batch     debug     root     10:00 node1\n"
        "            3.1      now     debug     root      0:20 node3\n"
        "         10_4.0     task     debug      ann      0:10 node4\n"
        "     10_4.batch    batch     debug      ann      0:10 node4\n"
    )


@pytest.mark.parametrize(
    ("argv", "names"),
    [
        ("-s1.1", "1.1"),
        ("-s1.batch,2.0", "2.0 1.batch"),
        ("-s10_4.0", "10_4.0"),
        ("-s4.0", "10_4.0"),
        ("-s10_3.0", ""),
        ("--steps=3.1", "3.1"),
        ("-s 3.1", "3.1"),
        ("-s -j1", "1.1 1.batch"),
        ("-s -j10_4", "10_4.0 10_4.batch"),
        ("-s -j5", ""),
        ("-s -j999", ""),
        ("-s -p batch", "2.0 2.batch"),
        ("-s -u ann", "10_4.0 10_4.batch"),
        ("-s -w node2", "1.1"),
        ("-s -w node1", "1.1 1.batch"),
        ("-s -n nosuch -j3", "3.1"),  # names of jobs do not count
        ("-s -S -i", "10_4.batch 10_4.0 3.1 2.batch 2.0 1.batch 1.1"),
        ("-s -S M,i", "10_4.0 10_4.batch 3.1 1.1 2.0 2.batch 1.batch"),
        ("-s -S u,x,i", "10_4.0 10_4.batch 1.1 1.batch 2.0 2.batch 3.1"),  # what it cannot sort by is ignored
        ("-s -S U,i", "1.1 1.batch 2.0 2.batch 3.1 10_4.0 10_4.batch"),
        ("-s -S S,i -j1,2,3", "1.batch 1.1 2.0 2.batch 3.1"),
    ],
)
def test_choice_and_order(argv, names, capsys):
    assert listed(capsys, *argv.split(), "-h", "-o", "%i").split() == names.split()


FIELDS = {
    "stepid": ["STEPID", "1.1", "1.batch", "10_4.0"],
    "stepname": ["NAME", "second", "batch", "task"],
    "numtasks": ["TASKS", "3", "1", "1"],
    "numtask": ["TASKS", "3", "1", "1"],
    "numcpus": ["NUM_CPUS", "6", "0", "1"],
    "nodes": ["NODELIST", "node[1-2]", "node1", "node4"],
    "partition": ["PARTITION", "debug", "debug", "debug"],
    "stepstate": ["STATE", "RUNNING", "RUNNING", "SUSPENDED"],
    "timelimit": ["TIME_LIMIT", "UNLIMITED", "UNLIMITED", "UNLIMITED"],
    "timeused": ["TIME", "1:00", "10:00", "0:10"],
    "starttime": ["START_TIME", "2026-11-21T07:59:00", "2026-11-21T07:50:00", "2026-11-21T07:59:00"],
    "jobid": ["JOB_ID", "1", "1", "4"],
    "arrayjobid": ["ARRAY_JOB_ID", "0", "0", "10"],
    "arraytaskid": ["ARRAY_TASK_ID", "N/A", "N/A", "4"],
    "userid": ["UID", "0", "0", "4321"],
    "username": ["USER", "root", "root", "ann"],
    "cluster": ["CLUSTER", "oracle", "oracle", "oracle"],
    "network": ["NETWORK", "(null)", "(null)", "(null)"],
    "tres-per-step": ["TRES_PER_STEP", "(null)", "(null)", "(null)"],
    "gres": ["TRES_PER_JOB", "(null)", "(null)", "(null)"],
    "resvports": ["RESERVED_PORTS", "(null)", "(null)", "(null)"],
}


@pytest.mark.parametrize("name", FIELDS)
def test_field(name, capsys):
    assert listed(capsys, "-s1.1,1.batch,4.0", "-O", f"{name}:").splitlines() == FIELDS[name]


@pytest.mark.parametrize(
    ("argv", "err"),
    [
        ("-o %z", "Invalid job step format specification: z"),
        ("-o %T", "Invalid job step format specification: T"),
        ("-O jobarrayid", "Invalid job step format specification: jobarrayid"),
    ],
)
def test_fields_of_jobs_are_none_of_steps(argv, err, capsys):
    assert scene.call(cluster(), command, ["-s", "-h", *argv.split()], capsys)[2] == f"squeue: error: {err}\n"


def test_scontrol_show_steps(sim):
    sim("sbatch", "-n2", "--wrap", "sleep 5; srun -J long sleep 60; srun sleep 5")
    sim("advance", "10s")

    assert sim("squeue -s -h -o %i|%j|%M|%N|%A").splitlines() == [
        "1.0|long|0:05|node01|2",
        "1.batch|batch|0:10|node01|1",
    ]
    shown = sim("scontrol show step 1.0")
    assert shown == (
        "StepId=1.0 UserId="
        + shown.split()[1].partition("=")[2]
        + " StartTime=2026-01-01T00:00:05 TimeLimit=UNLIMITED\n"
        "   State=RUNNING Partition=debug NodeList=node01\n"
        "   Nodes=1 CPUs=2 Tasks=2 Name=long Network=(null)\n"
        "   TRES=cpu=2,mem=200M,node=1\n"
        "   ResvPorts=(null)\n"
        "   CPUFreqReq=Default Dist=Block\n"
        "   SrunHost:Pid=node01:0\n\n"
    )
    assert [line.split()[0] for line in sim("scontrol -o show steps").splitlines()] == ["StepId=1.batch", "StepId=1.0"]
    assert sim("scontrol -o show step 1").count("StepId=") == 2
    assert sim.run("scontrol show step 1.1").code == 1
    sim("advance", "57s")
    assert sim("squeue -s -h -o %i").split() == ["1.1", "1.batch"]


def test_time_limits_of_steps(sim):
    sim("sbatch", "-t5", stdin="#!/bin/sh\nsrun -t3 sleep 120 &\nsrun sleep 150 &\nwait\n")
    limits = "squeue -s -h -o %i|%l"

    assert sim(limits).split() == ["1.0|3:00", "1.1|UNLIMITED", "1.batch|UNLIMITED"]
    sim("scontrol update StepId=1.0 TimeLimit=1")
    assert "TimeLimit=00:01:00\n" in sim("scontrol show step 1.0")
    sim("scontrol update StepId=1.0 TimeLimit=+1")
    assert sim(limits).split() == ["1.0|2:00", "1.1|UNLIMITED", "1.batch|UNLIMITED"]
    sim("scontrol update stepid=1 timelimit=1")
    assert sim(limits).split() == ["1.0|1:00", "1.1|1:00", "1.batch|UNLIMITED"]
    sim("advance", "61s")
    assert sim(limits).split() == ["1.batch|UNLIMITED"]
    assert sim("sacct -n -P -o jobid,state,exitcode,elapsed").splitlines()[2:] == [
        "1.0|TIMEOUT|0:15|00:01:00",
        "1.1|TIMEOUT|0:15|00:01:00",
    ]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("StepId=1.7 TimeLimit=1", "slurm_update error: Invalid job id specified\n"),
        ("StepId=9.0 TimeLimit=1", "slurm_update error: Invalid job id specified\n"),
        ("StepId=1.0", "No changes specified\n"),
        ("StepId=1.0 TimeLimit=bogus", "scontrol: error: Invalid TimeLimit value\n"),
        ("StepId=x.0 TimeLimit=1", "Invalid StepID parameter: StepId=x.0\nRequest aborted\n"),
        (
            "StepId=1.0 Name=x",
            "Update of this parameter is not supported: Name=x\nRequest aborted\n",
        ),
        ("StepId=1.0 TimeLimit", "Invalid input: TimeLimit\nRequest aborted\n"),
        (
            "StepId=1.0 TimeLimit=-4",
            "slurm_update error: Requested time limit is invalid (missing or exceeds some limit)\n",
        ),
    ],
)
def test_refused_updates_of_steps(sim, words, text):
    sim("sbatch", stdin="#!/bin/sh\nsrun -t3 sleep 120\n")
    answer = sim.run(f"scontrol update {words}")

    assert (answer.code, answer.out, answer.err) == (1, "", text)
