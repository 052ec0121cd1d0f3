"""``slurm_version``: what clients notice of the version that a cluster passes for."""

from __future__ import annotations

import json
from typing import Any

import pytest

COMMANDS = ("sbatch -V", "squeue --version", "scontrol version", "sacctmgr version", "sinfo -V")


@pytest.mark.parametrize(
    ("version", "release"), [("22.05", "22.05.8"), ("24.11", "24.11.5"), ("26.11", "26.11.0-0rc1")]
)
def test_every_command_names_it(version: str, release: str, sim: Any) -> None:
    assert sim("sbatch --version") == "slurm 26.11.0-0rc1\n"  # no cluster yet
    sim(f"init --slurm-version {version}")

    assert {sim(command) for command in COMMANDS} == {f"slurm {release}\n"}
    assert f" Version={release}\n" in sim("scontrol show node node01")
    assert sim("sinfo -h -o %v") == f"{release}\n"
    assert f"SLURM_VERSION           = {release}\n" in sim("scontrol show config")


def test_json_of_a_later_version(sim: Any) -> None:
    sim("init --slurm-version 24.11")
    sim("sbatch --wrap 'sleep 60'")
    meta = json.loads(sim("squeue --json"))["meta"]

    assert meta["plugin"]["data_parser"] == "data_parser/v0.0.42"
    assert (meta["slurm"]["version"], meta["slurm"]["release"]) == (
        {"major": "24", "micro": "5", "minor": "11"},
        "24.11.5",
    )
    assert sim.run("squeue --json=list").out.split() == [f"data_parser/v0.0.{n}" for n in (40, 41, 42)]
    assert sim.run("squeue --json=v0.0.46").code == 1
    assert json.loads(sim("squeue --json"))["jobs"][0]["job_state"] == ["RUNNING"]


def test_json_of_an_early_version(sim: Any) -> None:
    sim("init --slurm-version 22.05")
    sim("sbatch -t 5 --wrap 'sleep 60; exit 3'")
    whole = json.loads(sim("squeue --json"))
    job = whole["jobs"][0]

    assert whole["meta"] == {
        "plugin": {"type": "openapi/v0.0.38", "name": "Slurm OpenAPI v0.0.38"},
        "Slurm": {"version": {"major": 22, "micro": 8, "minor": 5}, "release": "22.05.8"},
    }
    assert (job["job_state"], job["time_limit"], job["array_task_id"]) == ("RUNNING", 5, None)
    sim("advance 1h")
    told = json.loads(sim("sacct --json"))["jobs"][0]
    assert (told["state"]["current"], told["exit_code"]["return_code"]) == ("FAILED", 3)
    assert told["exit_code"]["signal"]["signal_id"] == 0
    step = told["steps"][0]
    assert (step["state"], step["step"]["job_id"], step["step"]["id"]) == ("FAILED", 1, "batch")


def test_lists_in_json_of_an_early_version(sim: Any) -> None:
    """They hold what the controller knows, whatever else is asked for; codes are those of ``wait``."""
    sim("init --slurm-version 22.05 --nodes n[1-2] --cpus 4")
    sim("sbatch -c 2 --wrap 'exit 3'")
    sim("advance 1m")
    sim("sbatch -c 2 --wrap 'sleep 60'")
    first, second = json.loads(sim("squeue --json -j 2"))["jobs"]
    node = json.loads(sim("sinfo --json -n n2"))["nodes"][0]

    assert (first["job_state"], first["exit_code"], first["job_resources"]) == ("FAILED", 768, {})
    held = second["job_resources"]
    assert (held["nodes"], held["allocated_cpus"], held["allocated_hosts"]) == ("n1", 2, 1)
    allocated = held["allocated_nodes"][0]
    assert allocated["sockets"] == {
        str(socket): {"cores": {"0": "allocated"} if socket < 2 else {}} for socket in range(4)
    }
    assert (second["shared"], second["exit_code"]) == ("none", 0)
    words = ("name", "state", "state_flags", "alloc_cpus", "idle_cpus", "features", "slurmd_version")
    assert [node[word] for word in words] == ["n1", "mixed", [], 2, 2, "", "22.05.8"]


def test_a_job_of_an_early_version(sim: Any) -> None:
    sim("init --slurm-version 22.05")
    sim("sbatch -J early -t 5 --wrap 'sleep 60'")
    told = sim("scontrol show job -o 1")

    assert all("=" in word for word in told.split())  # no SubmitLine with its blanks: qtoolkit reads words
    assert " TRES=cpu=1,mem=100M,node=1,billing=1 Socks/Node=* " in told
    assert " OverSubscribe=NO Contiguous=0 Licenses=(null) Network=(null) " in told
    assert told.rstrip().endswith("slurm-1.out Power=")
    assert not [key for key in ("ReqTRES", "AllocTRES", "SubmitLine", "Exclusive", "LicensesAlloc") if key in told]


def test_the_version_is_kept_and_a_wrong_one_refused(sim: Any) -> None:
    sim("init --slurm-version 24.11")
    assert 'slurm_version = "24.11"' in (sim.state / "cluster.toml").read_text()
    text = (sim.state / "cluster.toml").read_text().replace("24.11", "19.05", 1).replace('"24.11"', '"19.05"')
    (sim.state / "cluster.toml").write_text(text)

    assert "slurm_version: should be 26.11 or 24.11 or 22.05, not '19.05'" in sim.run("squeue").err


def test_messages_of_tasks(sim: Any, capfd: Any) -> None:
    sim("init --live --slurm-version 22.05")
    sim.run("srun nosuchcommand")

    assert capfd.readouterr().err.startswith("slurmstepd: error: execve(): nosuchcommand: No such file or directory\n")


def test_messages_in_output_files(sim: Any) -> None:
    sim("init --live --slurm-version 24.11 --set KillWait=1")
    sim("sbatch --sim-state OUT_OF_MEMORY --wrap true")
    sim.run("wait 1")

    assert (sim.cwd / "slurm-1.out").read_text().startswith("slurmstepd: error: Detected 1 oom_kill event in StepId=1.")


@pytest.mark.parametrize("command", ["scontrol show nodes", "sacctmgr show qos", "sdiag", "sprio"])
def test_commands_that_had_no_json(sim: Any, command: str) -> None:
    sim("init --slurm-version 22.05")
    name = command.split()[0]

    error = f"{name}: unrecognized option '--json'\nTry \"{name} --help\" for more information\n"
    assert sim.run(f"{command} --json") == (1, "", error)
    assert sim.run("squeue --json").code == 0
