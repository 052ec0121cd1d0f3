"""`sim shims`: scripts that run this program under Slurm's names."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

from slimsched.cli.subcommands import COMMANDS


def call(folder: Path, *words: str, **variables: str) -> str:
    """Run a command by name, with nothing but PATH and ``variables`` in its environment."""
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        words, env={"PATH": path, **variables}, cwd=folder.parent, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_names_of_slurm_run_the_simulation(sim: Any) -> None:
    folder = sim.cwd / "its bin"
    sim("init")
    said = sim("shims", "its bin")

    assert said.splitlines()[1] == f"export PATH='{folder}':\"$PATH\""
    assert {"sbatch", "squeue", "sacct", "scancel", "scontrol", "sinfo", "srun", "salloc"} <= set(os.listdir(folder))
    assert not {"init", "qsub", "sim"} & set(os.listdir(folder))
    assert set(os.listdir(folder)) <= set(COMMANDS)
    assert call(folder, "sbatch", "--parsable", "--wrap", "sleep 1; echo 'a b'") == "1\n"
    assert call(folder, "squeue", "-h", "-o", "%i %T") == sim("squeue", "-h", "-o", "%i %T") == "1 RUNNING\n"


def test_the_state_of_the_environment_goes_first(sim: Any, tmp_path: Path) -> None:
    sim("shims", "bin")
    sim("sbatch", "--parsable", "--wrap", "sleep 9")
    other = tmp_path / "other"
    sim("init", "--state", str(other))

    assert call(sim.cwd / "bin", "squeue", "-h", "-o", "%i", SLIMSCHED_STATE=str(other)) == ""
    assert call(sim.cwd / "bin", "squeue", "-h", "-o", "%i", SLIMSCHED_STATE="") == "1\n"


def test_scripts_are_made_anew_and_other_files_stay(sim: Any) -> None:
    assert sim("shims", "bin") == sim("shims", "bin")
    file = sim.cwd / "bin" / "sinfo"
    file.write_text("mine", encoding="utf-8")
    (sim.cwd / "bin" / "sbatch").unlink()

    answer = sim.run("shims", "bin")

    assert (answer.code, answer.out) == (1, "")
    assert answer.err == f"sim: error: {file} exists, and was not made by sim shims\n"
    assert file.read_text(encoding="utf-8") == "mine"
    assert not (sim.cwd / "bin" / "sbatch").exists()


def test_a_path_below_a_file_is_refused(sim: Any) -> None:
    (sim.cwd / "file").write_text("", encoding="utf-8")
    answer = sim.run("shims", "file/bin")

    assert answer.code == 1
    assert "file" in answer.err
