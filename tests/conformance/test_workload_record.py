"""The record of a workload, forced upon a cluster: preemption, requeues, odd lines, nothing at all."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import decisions
import pytest

PROGRAM = Path(__file__).parents[1] / "decisions.py"
CONF = """ClusterName=c
SlurmctldHost=vm
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
NodeName=n[1-2] CPUs=4
PartitionName=low Nodes=n[1-2] Default=YES PriorityTier=1
PartitionName=high Nodes=n[1-2] PriorityTier=2 PreemptMode=OFF
"""
LOW = {"job": "low", "jobid": 1, "start": 150, "end": 180, "nodes": "n[1-2]", "cpus": 8, "partition": "low"}
LOW |= {"cpus_on": [["n1", 4, 0, ""], ["n2", 4, 0, ""]], "state": "COMPLETED", "by": "Main"}
HIGH = LOW | {"job": "high", "jobid": 2, "start": 13, "end": 23, "nodes": "n1", "cpus": 4, "partition": "high"}
HIGH["cpus_on"] = [["n1", 4, 0, ""]]
PREEMPTED = (
    [(0.2, "sbatch -J low -p low -n 8 -t 5", "low"), (11.5, "sbatch -J high -p high -n 4 -t 1", "high")],
    [LOW | {"runs": [[1, 13, "n[1-2]"], [150, 180]]}, HIGH],
    [1.001, (1.001, 1, "n[1-2]"), 13.001, 13.04, (13.04, 2, "n1"), 150.001, (150.001, 1, "n[1-2]")],
    "main: 4 of 4 passes the same, 3 of 3 starts too, 3 of 3 on the same nodes",
)
REQUEUED = (
    [(0.2, "sbatch -J low -p low -n 8 -t 5", "low"), (20.3, "scontrol requeue {low}", "")],
    [LOW | {"runs": [[1, 13, "n[1-2]"], [150, 180]]}],
    [1.001, (1.001, 1, "n[1-2]"), 21.001, 150.001, (150.001, 1, "n[1-2]")],
    "main: 3 of 3 passes the same, 2 of 2 starts too, 2 of 2 on the same nodes",
)
ODD = (
    [
        *PREEMPTED[0],
        (14, "nosuch x", ""),
        (14, "scontrol update nodename=n9 state=down", ""),
        (15, "", ""),
        (float("inf"), "scancel {low}", ""),
        (1e300, "scancel {low}", ""),
    ],
    [*PREEMPTED[1], {}, 7, None, [{}], {"job": "x", "start": "soon", "runs": 7, "cpus_on": [1]}],
    [*PREEMPTED[2], (16, 77, "n7"), float("nan"), float("inf")],
    PREEMPTED[3],
)


def write(folder: Path, commands, jobs, passes) -> Path:
    """Write a record; each of ``passes`` is an instant, or one with the job id and the nodes of a start."""
    answer = {"wall_s": 0, "rc": 0}
    lines = [
        {"argv": [*words.split(), *(["--wrap", "x"] if label else [])], "label": label, "A": {"t": at, **answer}}
        for at, words, label in commands
    ]
    log = [
        {"t": one, "pass": "main"} if isinstance(one, float) else {"t": one[0], "start": str(one[1]), "nodes": one[2]}
        for one in passes
    ]
    for name, rows in (("submissions", lines), ("real_A", jobs), ("passes_A", log)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "slurm.conf").write_text(CONF)
    (folder / "origin.json").write_text('{"A": "2026-11-22T10:00:00"}')
    return folder


@pytest.mark.parametrize("record", [PREEMPTED, REQUEUED, ODD], ids=["preempted", "requeued", "odd"])
def test_what_is_forced_upon_a_cluster(tmp_path, record):
    found = decisions.compare(write(tmp_path, *record[:3]))

    assert str(found).split(";")[0] == record[3], found.differing
    assert bool(found.odd) == (record is ODD)


def test_no_record(tmp_path):
    done = subprocess.run([sys.executable, PROGRAM, tmp_path], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"decisions: {tmp_path}: no record of run A: ")
