"""Heterogeneous jobs that really run, as recorded in the scenario het_batch."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Any

import pytest

SCRIPT = "#!/bin/bash\n#SBATCH -n1 -J het\n#SBATCH hetjob\n#SBATCH -n2 -N1 --mem=200\nenv | grep ^SLURM\nexit 3\n"


@pytest.fixture(autouse=True)
def cluster(sim: Any) -> None:
    sim("init --live --nodes node[1-4] --cpus 4 --memory 1000 --set DefMemPerCPU=100")
    sim("shims", str(sim.state / "bin"))


def ended(sim: Any, job: str) -> str:
    """Wait until a job is over; return its records."""
    while sim("squeue", "-h", "-j", job, "-t", "R,CG,PD"):
        time.sleep(0.02)
    return sim("sacct", "-nPj", job, "-o", "JobID,State,ExitCode")


def test_the_first_component_runs_the_script(sim: Any) -> None:
    sim("sbatch", stdin=SCRIPT)

    assert ended(sim, "1") == "1+0|FAILED|3:0\n1+0.batch|FAILED|3:0\n1+1|FAILED|3:0\n"
    assert sorted(path.name for path in sim.cwd.iterdir()) == ["slurm-1.out"]
    told = dict(line.split("=", 1) for line in (sim.cwd / "slurm-1.out").read_text().splitlines())
    expected = {
        **{"HET_SIZE": "2", "PACK_SIZE": "2", "JOB_ID": "1", "JOB_NODELIST": "node1", "NTASKS": "1"},
        **{"JOB_ID_HET_GROUP_0": "1", "JOB_ID_HET_GROUP_1": "2", "NTASKS_PACK_GROUP_1": "2"},
        **{"JOB_NODELIST_HET_GROUP_1": "node2", "JOB_CPUS_PER_NODE_HET_GROUP_1": "2"},
        **{"MEM_PER_CPU_HET_GROUP_0": "100", "MEM_PER_NODE_HET_GROUP_1": "200"},
    }
    assert {name: told[f"SLURM_{name}"] for name in expected} == expected
    assert "SLURM_MEM_PER_CPU_HET_GROUP_1" not in told
    assert "SLURM_NNODES_HET_GROUP_1" not in told


def test_cancel_and_requeue(sim: Any) -> None:
    sim("sbatch", "-n1", ":", "-n1", "--wrap", "sleep 60")
    sim("scancel 1+1")
    assert sim("squeue -h -t all -S i -o '%i %t'") == "1+0 R\n1+1 CA\n"
    sim("scancel 1")

    assert ended(sim, "1").startswith("1+0|CANCELLED by ")

    sim("sbatch", "-n1", ":", "-n1", "--wrap", "sleep 0.$SLURM_RESTART_COUNT; exit $SLURM_RESTART_COUNT")
    while not (sim.cwd / "slurm-3.out").exists():
        time.sleep(0.02)
    sim.run("scontrol requeue 3")

    assert ended(sim, "3") == "3+0|FAILED|1:0\n3+0.batch|FAILED|1:0\n3+1|FAILED|1:0\n"


def test_steps_of_several_components(sim: Any) -> None:
    lines = [
        "srun --het-group=1 -l sh -c 'echo one $SLURM_PROCID $SLURM_NTASKS'",
        "srun --het-group=0,1 -l sh -c 'echo all $SLURM_PROCID $SLURM_NTASKS $SLURMD_NODENAME $SLURM_JOB_ID'",
        "srun -n1 -l echo a : -n1 echo b",
        "srun -n1 sh -c 'exit 2' : -n1 sh -c 'exit 3'; echo rc $?",
    ]
    (sim.cwd / "job.sh").write_text("#!/bin/sh\n#SBATCH -n1\n#SBATCH hetjob\n#SBATCH -n2\n" + "\n".join(lines))
    sim("sbatch job.sh", env={"PATH": f"{sim.state}/bin:{os.environ['PATH']}"})
    records = ended(sim, "1")
    said = (sim.cwd / "slurm-1.out").read_text().splitlines()

    while os.listdir(sim.state / "data-1" / "runs"):  # removed after the commit that `ended` has seen
        time.sleep(0.01)
    assert sorted(said[:2]) == ["0: one 0 2", "1: one 1 2"]
    assert sorted(said[2:5]) == ["0: all 0 3 node1 1", "1: all 1 3 node2 1", "2: all 2 3 node2 1"]
    assert sorted(said[5:7]) == ["0: a", "1: b"]
    assert sorted(said[7:9]) == [
        "srun: error: node1: task 0: Exited with exit code 2",
        "srun: error: node2: task 0: Exited with exit code 3",
    ]
    assert said[9:] == ["rc 3"]
    assert records.split() == [
        *("1+0|COMPLETED|0:0", "1+0.batch|COMPLETED|0:0"),
        *("1+0.0|COMPLETED|0:0", "1+0.1|COMPLETED|0:0", "1+0.2|FAILED|2:0"),
        *("1+1|COMPLETED|0:0", "1+1.0|COMPLETED|0:0", "1+1.1|COMPLETED|0:0", "1+1.2|COMPLETED|0:0", "1+1.3|FAILED|3:0"),
    ]


def test_those_who_look_at_a_step_see_their_component(sim: Any) -> None:
    os.mkfifo(sim.cwd / "up")
    os.mkfifo(sim.cwd / "go")
    said = 'echo "$SLURM_PROCID in $SLURM_JOB_ID"; echo >> up; read line < go'
    script = f"srun --het-group=0,1 sh -c '{said}'"
    sim("sbatch", "-o", "out", "-n1", ":", "-n2", "--wrap", script)
    up, go = (os.open(sim.cwd / name, os.O_RDWR) for name in ("up", "go"))  # for as long as any task may come
    heard = 0
    while heard < 3:
        heard += len(os.read(up, 3))
    pids = {text: sim("scontrol", "listpids", text).splitlines()[1:] for text in ("1+0.0", "1+1.0")}
    follower = subprocess.Popen(
        [sys.executable, "-m", "slimsched.cli.main", "sattach", "-l", "1+1.0"],
        cwd=sim.cwd,
        env={**os.environ, "SLIMSCHED_STATE": str(sim.state)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert follower.stdout is not None
    lines = sorted(follower.stdout.readline() for _ in range(2))
    layout = sim("sattach", "--layout", "1+1.0")
    os.write(go, b"\n\n\n")
    follower.communicate(timeout=20)
    for fd in (up, go):
        os.close(fd)
    ended(sim, "1")

    ranks = {text: sorted(row.split()[4] for row in rows if row.split()[4] != "-") for text, rows in pids.items()}
    if sys.platform.startswith("linux"):
        assert ranks == {"1+0.0": ["0"], "1+1.0": ["0", "1"]}
    assert lines == ["0: 1 in 1\n", "1: 2 in 1\n"]
    assert "2 tasks, 1 nodes (node2)" in layout
