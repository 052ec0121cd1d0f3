"""Options together: what excludes what, which sizes follow, where a value comes from, and how ``-v`` lists it all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

NOT_PER_GPU = " is mutually exclusive with --ntasks-per-gpu and SLURM_NTASKS_PER_GPU"
BOTH_SPECS = "Both --core-spec and --thread-spec set using environment variables. Those options are mutually exclusive."
UNLIKE = "Inconsistent values set to --ntasks-per-gpu=2 and --ntasks-per-tres=3 "
BOTH_PER_TASK = "You can not have --tres-per-task={}= and --{} please use one or the other"
VARIABLES = "SLURM_MEM_PER_CPU, SLURM_MEM_PER_GPU, and SLURM_MEM_PER_NODE are mutually exclusive."
CPUS = "--cpus-per-task, --tres-per-task=cpu:#, and --cpus-per-gpu are mutually exclusive"
WRAP = ("--wrap", "sleep 300")
NO_NODE_FILE = "Invalid --nodefile node file"
LINE = "-------------------- --------------------"


@pytest.mark.parametrize(
    ("argv", "environ", "text"),
    [
        (["--ntasks-per-gpu=2", "--ntasks-per-node=2"], {}, "--ntasks-per-node" + NOT_PER_GPU),
        (["--ntasks-per-gpu=2", "--gpus-per-task=1"], {}, "--gpus-per-task" + NOT_PER_GPU),
        (["--ntasks-per-gpu=2", "--gpus-per-socket=1"], {}, "--gpus-per-socket" + NOT_PER_GPU),
        (["--ntasks-per-tres=2"], {"SBATCH_GPUS_PER_TASK": "1"}, "SLURM_GPUS_PER_TASK" + NOT_PER_GPU),
        (["--ntasks-per-gpu=2", "--ntasks-per-tres=3"], {}, UNLIKE),
        (["-S1", "--thread-spec=1"], {}, "-S/--core-spec and --thred-spec options are mutually exclusive"),
        ([], {"SBATCH_CORE_SPEC": "1", "SBATCH_THREAD_SPEC": "1"}, BOTH_SPECS),
        (["--mem=1", "--mem-per-gpu=1"], {}, "--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive."),
        ([], {"SBATCH_MEM_PER_CPU": "1", "SBATCH_MEM_PER_NODE": "1"}, VARIABLES),
        (["--exclusive", "-s"], {}, "--exclusive and --oversubscribe options are mutually exclusive"),
        (["--tres-per-task=mem=5"], {}, "Invalid TRES for --tres-per-task: mem"),
        (["--tres-per-task=cpu=2,billing=1"], {}, "Invalid TRES for --tres-per-task: billing"),
        (["--tres-per-task=cpu=2", "-c2"], {}, BOTH_PER_TASK.format("cpu", "cpus-per-task")),
        (["--tres-per-task=gres/gpu=1", "--gpus-per-task=1"], {}, BOTH_PER_TASK.format("gres/gpu", "gpus-per-task")),
        (["--tres-per-task=cpu=0"], {}, "Invalid --tres-per-task=cpu=0"),
        (["-c2", "--cpus-per-gpu=2"], {}, CPUS),
    ],
)  # fmt: skip
def test_fatal(argv: list[str], environ: dict[str, str], text: str, sim: Any) -> None:
    answer = sim.run("sbatch", *argv, *WRAP, env=environ)

    assert answer == (1, "", f"sbatch: fatal: {text}\n")
    assert not sim.state.exists()  # refused without looking at the cluster


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        (["-v", "-Q"], "don't specify both --verbose (-v) and --quiet (-Q)"),
        (["--bb=x", "--bbf=y"], "Cannot specify both --burst-buffer and --bbf"),
        (["--bbf=/proc/nonexistent"], "Invalid --bbf specification"),
        (["-N2", "-n2", "-m", "plane=4"], "Too few processes for the requested {plane,node} distribution"),
        (
            ["-m", "arbitrary"],
            "With Arbitrary distribution you need to specify a nodelist or hostfile with the -w option",
        ),
        (["-m", "arbitrary", "-N2", "-w", "n1"], "--nodes is incompatible with --distribution=arbitrary"),
    ],
)
def test_error(argv: list[str], text: str, sim: Any) -> None:
    assert sim.run("sbatch", *argv, *WRAP) == (1, "", f"sbatch: error: {text}\n")


def test_the_deadline_comes_after_the_beginning(sim: Any) -> None:
    answer = sim.run("sbatch", "--begin=now+2hours", "--deadline=now+1hour", *WRAP)

    assert answer == (1, "", "sbatch: error: Incompatible begin and deadline time specification\n")


def test_a_script_speaks_for_the_user(sim: Any) -> None:
    (sim.cwd / "job.sh").write_text("#!/bin/sh\n#SBATCH --mem=100\n")

    assert sim.run("sbatch", "--mem-per-cpu=5", "job.sh").err.startswith("sbatch: fatal: --mem, --mem-per-cpu,")
    assert sim.run("sbatch", "-H", "job.sh", env={"SBATCH_MEM_PER_CPU": "5"}).code == 0
    assert sim("squeue", "-h", "-O", "minmemory:") == "100M\n"


@pytest.mark.parametrize(
    ("argv", "shown"),
    [
        (["-n5", "--ntasks-per-node=2"], "3-5 5"),
        (["-N2", "-n1"], "1-1 1"),
        (["-N1-4", "-n2"], "1-2 2"),
        (["-N2", "-B", "1:2"], "2-2 4"),
        (["-B", "2:3:1"], "1-6 6"),
        (["-w", "node01,node02,node01", "-m", "arbitrary"], "2-2 3"),
        (["--tres-per-task=cpu=2", "-n3"], "1-3 6"),
        (["--hint=nomultithread", "-N2"], "2-2 2"),
    ],
)
def test_sizes(argv: list[str], shown: str, sim: Any) -> None:
    assert sim.run("sbatch", "-H", *argv, *WRAP).code == 0
    text = sim("scontrol", "-o", "show", "job", "1")
    found = dict(item.partition("=")[::2] for item in text.split() if "=" in item)

    assert f"{found['NumNodes']} {found['NumCPUs']}" == shown


def test_fewer_tasks_than_nodes(sim: Any) -> None:
    warning = "sbatch: warning: can't run 1 processes on 2 nodes, setting nnodes to 1\n"

    assert sim.run("sbatch", "-N2-4", "-n1", *WRAP) == (0, "Submitted batch job 1\n", warning)
    assert sim.run("sbatch", "-Q", "-N2-4", "-n1", *WRAP) == (0, "", "")


def test_hosts_from_the_environment(sim: Any) -> None:
    (sim.cwd / "hosts").write_text("node02\nnode01\nnode02\n")
    sim("sbatch", "-H", *WRAP, env={"SLURM_HOSTFILE": "hosts"})

    assert sim("squeue", "-h", "-o", "%n %D %C") == "node[01-02] 2 3\n"


@pytest.mark.parametrize(
    ("environ", "shown"),
    [
        ({"SBATCH_OVERCOMMIT": "yes"}, "1"),
        ({"SBATCH_OVERCOMMIT": ""}, "1"),
        ({"SBATCH_OVERCOMMIT": "2"}, "1"),
        ({"SBATCH_OVERCOMMIT": "no"}, "5"),
        ({"SBATCH_OVERCOMMIT": "0"}, "5"),
    ],
)
def test_switches_in_the_environment(environ: dict[str, str], shown: str, sim: Any) -> None:
    sim("sbatch", "-H", "-n5", *WRAP, env=environ)

    assert sim("squeue", "-h", "-o", "%C") == f"{shown}\n"


def test_a_variable_can_switch_off_what_the_script_says(sim: Any) -> None:
    (sim.cwd / "job.sh").write_text("#!/bin/sh\n#SBATCH -O -n 5\n")
    sim("sbatch", "-H", "job.sh", env={"SBATCH_OVERCOMMIT": "no"})

    assert sim("squeue", "-h", "-o", "%C") == "5\n"


@pytest.mark.parametrize(
    ("argv", "rows"),
    [
        (["-t", "90", "-N2-3", "-n", "4"], ["nodes: 2-3", "ntasks: 4", "time: 01:30:00"]),
        (["-t", "0", "--time-min=1-1"], ["time: UNLIMITED", "time-min: 1-01:00:00"]),
        (["--mem", "2048"], ["mem: 2G"]),
        (["--mem", "0"], ["mem: 0?"]),
        (["--mem-per-cpu=10K", "--tmp=5"], ["mem-per-cpu: 1", "tmp: 5"]),
        (["-N2-0"], ["nodes: 2-0"]),
        (["--exclusive"], ["exclusive: exclusive"]),
        (["-s"], ["oversubscribe: oversubscribe"]),
        (["--no-requeue"], ["no-requeue: no-requeue"]),
        (["--signal=b:10@60"], ["signal: B:USR1"]),
        (["--signal=R:usr2@5"], ["signal: R:USR2@5"]),
        (["--mail-type=end", "--mail-type=BEGIN"], ["mail-type: BEGIN,END"]),
        (["--gres=gpu:2,gres/x:1"], ["gres: gres/gpu:2,gres/x:1"]),
        (["--priority=TOP"], ["priority: -3"]),
        (["--nice"], ["nice: 100"]),
        (["-m", "*:*"], ["distribution: block:cyclic"]),
        (["--switches=2@90:00"], ["switches: 2@01:30:00"]),
        (["--open-mode=append"], ["open-mode: a"]),
        (["-B", "1:2"], ["extra-node-info: 1:2"]),
        (["--begin=now+1hour"], ["begin: 2026-01-01T01:00:00"]),
        (["-H", "--contiguous", "-C", "x"], ["contiguous: set", "constraint: x", "hold: set"]),
        (["--kill-on-invalid-dep=no", "-J", "a"], ["job-name: a", "kill-on-invalid-dep: no"]),
        (["--bb=x", "--begin=2030-01-01"], ["begin: 2030-01-01T00:00:00", "bb: x"]),
        (["--delay-boot=5"], ["delay-boot: 00:05:00"]),
        (["--no-kill=off"], ["no-kill: unset"]),
        (["--profile=task"], ["profile: Task"]),
    ],
)  # fmt: skip
def test_the_list_of_options(argv: list[str], rows: list[str], sim: Any) -> None:
    sim("scontrol", "show", "config")
    answer = sim.run("sbatch", "-v", *argv, "--test-only", *WRAP)
    block = answer.err.split("sbatch: end of defined options\n")[0]
    early = [row for row in rows if row < "test-only"]
    found = [*early, "test-only: set", *rows[len(early) :], "verbose: 1", "wrap: sleep 300"]
    lines = ["defined options", LINE, *("{:<20}: {}".format(*row.split(": ", 1)) for row in found), LINE]

    assert block == "".join(f"sbatch: {line}\n" for line in lines)


def test_the_hint_gives_way(sim: Any) -> None:
    sim("sbatch", "-H", "--hint=nomultithread", *WRAP)
    sim("sbatch", "-H", "--hint=nomultithread", "-B", "1:1", *WRAP)
    shown = [sim("scontrol", "show", "job", job).split("ReqB:S:C:T=")[1].split()[0] for job in ("1", "2")]

    assert shown == ["0:0:*:1", "0:0:1:*"]


def test_a_missing_node_file(sim: Any, tmp_path: Path) -> None:
    answer = sim.run("sbatch", "-F", "/proc/nonexistent", *WRAP)

    lines = ("slurm_allocate_resources error opening file /proc/nonexistent, No such file or directory", NO_NODE_FILE)
    assert answer == (255, "", "".join(f"sbatch: error: {line}\n" for line in lines))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "must specify a node list with -Z, --no-allocate."),
        ("-w node01 -x node02", "can not specify --exclude list with -Z, --no-allocate."),
        ("-w node01 -r 0", "do not specify -r,--relative with -Z,--no-allocate."),
    ],
)
def test_no_allocate(sim, words, said):
    assert sim.run(f"srun -Z {words} true") == (1, "", f"srun: error: {said}\n")


def test_the_help_of_hints(sim):
    answer = sim.run("sbatch --hint=help --wrap true")

    assert (answer.code, answer.err) == (1, "")
    assert answer.out.splitlines()[0] == "Application hint options:"
    assert sim("squeue -h") == ""
