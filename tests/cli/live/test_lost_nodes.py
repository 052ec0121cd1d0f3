"""Jobs of several nodes one of which fails on a live cluster."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from live_calls import Live, two_nodes


@pytest.fixture
def live(sim: Any) -> Iterator[Live]:
    with two_nodes(sim) as cluster:
        yield cluster


DOWN = ("scontrol", "update", "nodename=n2", "state=down", "reason=test")


def test_a_job_that_is_not_to_be_killed_goes_on_with_the_other_nodes(live: Live) -> None:
    script = """
    srun -N2 -k sh -c 'echo up $SLURM_PROCID; cat told' > kept 2>&1 &
    srun -N2 --overlap sh -c 'echo up; exec sleep 100' > lost 2>&1 &
    until [ $(cat kept lost 2>/dev/null | grep -c up) = 4 ]; do sleep 0.05; done
    scontrol update nodename=n2 state=down reason=test
    wait %2
    squeue -h -j $SLURM_JOB_ID -o '%t %D %N'
    echo > told
    wait
    srun -N1 -n1 sh -c 'echo $SLURMD_NODENAME $SLURM_JOB_NODELIST'"""
    out = live.job(script, "-N2", "--no-kill")
    failure = "srun: error: Node failure on n2"

    assert out.splitlines() == ["R 1 n1", "n1 n1"]
    assert failure in (live.sim.cwd / "kept").read_text()
    assert "srun: error: n2: task 1: Killed" in (live.sim.cwd / "kept").read_text()
    assert "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***" in (live.sim.cwd / "lost").read_text()
    both = live.sim("sacct", "-n", "-X", "-D", "-P", "-o", "jobid,state,exitcode,nodelist").splitlines()
    assert both == ["1|RESIZING|0:0|n[1-2]", "1|COMPLETED|0:0|n1"]
    assert live.sim("sacct", "-n", "-X", "-P", "-o", "state,nodelist") == "COMPLETED|n1\n"


def test_salloc_hears_of_a_node_that_fails(live: Live) -> None:
    answer = live("salloc", "-N2", "-k", "sh", "-c", f"{' '.join(DOWN)}; squeue -h -o '%t %N'")

    assert answer.out == "R n1\n"
    assert "salloc: error: Node failure on n2\n" in answer.err
    assert answer.code == 0


@pytest.mark.parametrize("option", [[], ["--no-kill=off"]], ids=str)
def test_any_other_job_ends_with_its_node(live: Live, option: list[str]) -> None:
    live.sim("sbatch", "-N2", "--no-requeue", *option, "--wrap", "sleep 100")
    live.sim(*DOWN)
    live.sim.run("wait", "1")

    assert live.sacct("jobid,state,failednode")[0] == "1|NODE_FAIL|n2"
    assert "JobState=NODE_FAIL Reason=NodeDown FailedNode=n2 " in live.sim("scontrol", "show", "job", "1")


@pytest.mark.parametrize("option", ["--no-requeue", "--requeue"])
def test_a_script_whose_node_fails_cannot_say_how_it_ended(live: Live, option: str) -> None:
    live.sim("sbatch", "-w", "n2", option, "--wrap", "sleep 100")
    live.sim(*DOWN)
    while live.sim("squeue", "-h", "-t", "R,CG"):
        time.sleep(0.02)

    rows = live.sim("sacct", "-D", "-nPo", "jobid,state,exitcode").splitlines()
    assert rows[:2] == ["1|NODE_FAIL|1:0", "1.batch|CANCELLED|"]
    if option == "--no-requeue":
        assert " ExitCode=0:1" in live.sim("scontrol", "show", "job", "1")
