"""``action.yml`` and the examples for CI: their shell lines run."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment with ``sim`` on PATH, and in the place where the action installs it."""
    place = tmp_path / "slimsched" / "bin"
    place.mkdir(parents=True)
    (place / "sim").write_text(f'#!/bin/sh\nexec {sys.executable} -m slimsched.cli.main "$@"\n')
    (place / "sim").chmod(0o755)
    foreign = ("SLURM", "SBATCH", "SLIMSCHED")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    path = f"{place}{os.pathsep}{kept['PATH']}"
    return {**kept, "PATH": path, "RUNNER_TEMP": str(tmp_path), "PYTHONPATH": str(ROOT)}


def run(lines: str, env: dict[str, str], folder: Path) -> str:
    done = subprocess.run(["bash", "-euc", lines], env=env, cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done
    return done.stdout


@pytest.mark.parametrize(
    ("inputs", "nodes"),
    [
        ({"LIVE": "true", "NODES": "a[1-2]", "CPUS": "4", "CONF": "", "OPTIONS": "--set KillWait=1"}, "a[1-2] 4"),
        ({"LIVE": "false", "NODES": "", "CPUS": "", "CONF": "slurm.conf", "OPTIONS": ""}, "x[1-3] 2"),
    ],
)
def test_the_action(inputs: dict[str, str], nodes: str, shell: dict[str, str], tmp_path: Path) -> None:
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    script = textwrap.dedent(text.rpartition("run: |\n")[2])
    (tmp_path / "slurm.conf").write_text(
        "ClusterName=c\nSlurmctldHost=c\nNodeName=x[1-3] CPUs=2\nPartitionName=p Nodes=ALL Default=YES\n"
    )
    files = {name: str(tmp_path / name) for name in ("GITHUB_PATH", "GITHUB_ENV", "GITHUB_OUTPUT")}
    run(script, {**shell, **inputs, **files}, tmp_path)

    state = str(tmp_path / "slurm")
    assert Path(files["GITHUB_PATH"]).read_text().splitlines()[0] == f"{state}/bin"
    assert Path(files["GITHUB_ENV"]).read_text() == f"SLIMSCHED_STATE={state}\n"
    assert Path(files["GITHUB_OUTPUT"]).read_text() == f"state={state}\n"
    later = {**shell, "PATH": f"{state}/bin{os.pathsep}{shell['PATH']}", "SLIMSCHED_STATE": state}
    assert run("sinfo -h -o '%N %c'", later, tmp_path) == f"{nodes}\n"


@pytest.mark.parametrize("job", ["live", "simulated"])
def test_the_lines_for_gitlab(job: str, shell: dict[str, str], tmp_path: Path) -> None:
    text = (ROOT / "examples" / "gitlab-ci.yml").read_text(encoding="utf-8").partition(f"\n{job}:\n")[2]
    lines = [line.strip()[2:] for line in text.partition("\n\n")[0].splitlines() if line.startswith("    - ")]
    assert lines[0].startswith("pip install")
    assert len(lines) >= 4
    kept = [line for line in lines[1:] if not line.startswith("./")]
    said = run("\n".join([*kept, "sim events"]), {**shell, "SLIMSCHED_STATE": str(tmp_path / "s")}, tmp_path)

    assert "Cluster cluster: 4 nodes with 32 CPUs" in said
    assert ("Submitted batch job 1" in said) == (job == "live")
