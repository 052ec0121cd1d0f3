"""What `srun` does around its tasks on a live cluster: programs, copies, kinds of MPI, features, warnings."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from live_calls import Live, two_nodes


@pytest.fixture
def live(sim: Any) -> Iterator[Live]:
    with two_nodes(sim) as cluster:
        yield cluster


def program(live: Live, name: str, *lines: str) -> str:
    path = Path(live.sim.cwd) / name
    path.write_text("#!/bin/sh\n" + "\n".join(lines) + "\n")
    path.chmod(0o755)
    return str(path)


def test_programs_around_a_step_and_its_tasks(live: Live) -> None:
    around = program(live, "around", 'echo "$SLURM_SCRIPT_CONTEXT $SLURM_JOB_ID.$SLURM_STEP_ID $*"')
    before = program(live, "before", 'echo "export FOO=bar"', 'echo "print task $SLURM_PROCID"')
    after = program(live, "after", "echo $SLURM_PROCID $FOO >> epilogs")
    words = (f"--prolog={around}", f"--epilog={around}", f"--task-prolog={before}", f"--task-epilog={after}")
    answer = live("srun", "-n2", "-l", *words, "sh", "-c", "echo $FOO")
    lines = answer.out.splitlines()

    assert (answer.code, answer.err) == (0, "")
    assert (lines[0], lines[-1]) == ("prolog_srun 1.0 sh -c echo $FOO", "epilog_srun 1.0 sh -c echo $FOO")
    assert sorted(lines[1:-1]) == ["0: bar", "0: task 0", "1: bar", "1: task 1"]
    assert sorted((live.sim.cwd / "epilogs").read_text().split()) == ["0", "1"]
    assert live("srun", "--prolog=none", "--task-prolog=none", "echo", "x") == (0, "x\n", "")
    answer = live("srun", "--task-prolog=./before", "touch", "ran")
    assert answer.code == 1
    assert "error: run_command: user task_prolog is not a fully qualified pathname (./before)\n" in answer.err
    assert "error: --task-prolog failed status=1\n" in answer.err
    assert not (live.sim.cwd / "ran").exists()


def test_a_copy_of_the_program_runs(live: Live) -> None:
    program(live, "tool", "echo $0")
    folder = Path(live.sim.cwd).resolve()

    assert live("srun", "-n2", "--bcast=copy", "./tool").out == f"{folder}/copy\n" * 2
    names = [f"{folder}/there/slurm_bcast_2.0_n{n}" for n in (1, 2)]
    os.mkdir(folder / "there")
    assert sorted(live("srun", "-N2", "--bcast=there/", "./tool").out.splitlines()) == names
    assert live("srun", "--bcast=nosuch/x", "./tool").code == 1
    assert os.listdir(live.sim.state / "data-1" / "runs") == []


def test_kinds_of_mpi(live: Live) -> None:
    assert live("srun", "--mpi=list") == (0, "MPI plugin types are...\n\tnone\n\tpmi2\n\tpmix\n", "")
    assert live("srun", "--mpi=pmix_v4", "echo", "x").out == "x\n"
    answer = live("srun", "--mpi=nosuch", "true")
    assert (answer.code, answer.err.splitlines()[-1]) == (
        1,
        "srun: error: Invalid MPI type 'nosuch', --mpi=list for acceptable types",
    )


def test_a_step_on_nodes_with_a_feature(live: Live) -> None:
    live.sim("scontrol", "update", "nodename=n2", "availablefeatures=big", "activefeatures=big")
    script = "srun -n1 -N1 -C big sh -c 'echo $SLURMD_NODENAME'; srun -n1 -N1 -C 'nosuch' true; echo $?"

    assert live.job(script, "-N2").splitlines() == [
        "n2",
        "srun: error: Unable to create step for job 1: Requested node configuration is not available",
        "1",
    ]


def test_what_a_step_in_a_job_tells_its_tasks_of_its_options(live: Live) -> None:
    shown = "sh -c 'echo $SLURM_CPUS_PER_TASK $SLURM_TRES_PER_TASK $SLURM_NTASKS_PER_NODE'"
    script = f"srun -n1 -c2 {shown}; srun -n2 --ntasks-per-node=2 {shown}; srun -n1 {shown}"

    assert live.job(script, "-n4").splitlines() == ["2 cpu=2", "2", "2", ""]


def test_tasks_follow_a_list_of_hosts(live: Live) -> None:
    hosts = Path(live.sim.cwd) / "hosts"
    hosts.write_text("n2\nn1\nn1\n")
    shown = "srun -l sh -c 'echo $SLURMD_NODENAME $SLURM_DISTRIBUTION' | sort"
    script = f"SLURM_HOSTFILE=hosts {shown}; {shown.replace('srun', 'srun -n3 -m arbitrary -w n1,n2,n1')}"

    lines = live.job(script, "-N2", "-n4").splitlines()
    assert lines[:3] == ["0: n2 arbitrary", "1: n1 arbitrary", "2: n1 arbitrary"]
    assert lines[3:] == ["0: n1 arbitrary", "1: n2 arbitrary", "2: n1 arbitrary"]
