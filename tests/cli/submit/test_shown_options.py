"""What ``scontrol show job`` says of a job because of one option, and does not say of a job without it."""

from __future__ import annotations

from typing import Any

import pytest

NODES = """
[slurm]
GresTypes = "gpu"
SchedulerParameters = "defer"
[[nodes]]
NodeName = "node[1-2]"
CPUs = 4
RealMemory = 1000
Gres = "gpu:2"
[[partitions]]
PartitionName = "debug"
Nodes = "ALL"
Default = true
"""


def lines(sim: Any, *argv: str) -> set[str]:
    job_id = sim("sbatch", "--parsable", *argv, "--wrap", "true").strip()
    return {line.strip() for line in sim("scontrol", "show", "job", job_id).splitlines()}


@pytest.mark.parametrize(
    ("argv", "shown"),
    [
        (["--gpus-per-node=1"], "TresPerNode=gres/gpu:1"),
        (["--gpus-per-node=1", "--gres=gpu:2"], "TresPerNode=gres/gpu:1,gres/gpu:2"),
        (["--gpus=2"], "TresPerJob=gres/gpu:2"),
        (["--gpus-per-task=1"], "TresPerTask=gres/gpu=1"),
        (["--tres-per-task=cpu=2"], "TresPerTask=cpu=2"),
        (["--tres-per-task=cpu:2,gres/gpu:1"], "TresPerTask=cpu:2,gres/gpu:1"),
        (["--gpu-bind=closest"], "TresBind=gres/gpu:closest"),
        (["--tres-bind=gres/gpu:none", "--gpu-bind=closest"], "TresBind=gres/gpu:closest"),
        (["--gpu-freq=high"], "TresFreq=gpu:high"),
        (["--gres-flags=enforce-binding"], "GresEnforceBind=Yes"),
        (["--gres-flags=disable-binding"], "GresDisableBind=Yes"),
        (["--segment=2"], "SegmentSize=2"),
        (["--stepmgr"], "StepMgrEnabled=Yes"),
        (["--container=/x"], "Container=/x ContainerID=(null)"),
        (["--bb=x"], "BurstBuffer=x"),
        (["--batch=rack1"], "BatchFeatures=rack1"),
        (["--cluster-constraint=x"], "ClusterFeatures=x"),
        (["--kill-on-invalid-dep=yes"], "KillOnInvalidDependent=Yes"),
        (["--spread-job"], "SpreadJob=Yes"),
        (["--switches=1@5"], "Switches=1@00:05:00"),
        (["--mail-type=FAIL,BEGIN", "--mail-user=me"], "MailUser=me MailType=BEGIN,FAIL"),
    ],
)
def test_lines(argv: list[str], shown: str, sim: Any) -> None:
    sim.init(NODES)

    assert shown in lines(sim, *argv)
    key = shown.partition("=")[0]
    assert not any(line.startswith(f"{key}=") for line in lines(sim))


def test_squeue_counts_the_gpus_of_a_node(sim: Any) -> None:
    sim.init(NODES)
    sim("sbatch", "--gpus-per-node=1", "--wrap", "true")

    assert sim("squeue", "-h", "-o", "%b") == "gres/gpu:1\n"


def test_cpus_of_a_task_that_are_changed(sim: Any) -> None:
    sim.init(NODES)
    sim("sbatch", "--hold", "--tres-per-task=cpu:2,gres/gpu:1", "--wrap", "true")

    sim("scontrol", "update", "jobid=1", "cpuspertask=3")

    assert "TresPerTask=cpu=3,gres/gpu:1\n" in sim("scontrol", "show", "job", "1")
