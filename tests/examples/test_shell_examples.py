"""The shell examples, run as a reader would run them, with the command of the environment under test."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
EXAMPLES = REPOSITORY / "examples"

QUEUE_AT_THE_END = {  # job -> state, time used and place in quickstart.sh's last squeue
    "1": ["CD", "0:10", "1", "node03"],
    "2": ["CD", "0:10", "1", "node02"],
    "3": ["CD", "1:00", "1", "node01"],
}

KEY_LINES = {  # example -> lines that its point rests on
    "quickstart.sh": [
        'Extra={ "load": 0.99 }',
        "$ sim sbatch -n12 --extra 'load<0.5' --wrap 'srun sleep 10'",
        "Submitted batch job 3",
        "sbatch: error: Batch job submission failed: Invalid extra constraints specification",
        "sbatch: note:     ^^",
        'sbatch: note: write "=": load=0.5',
        "(exit status 1)",
        "2026-01-01T00:01:00",
    ],
    "load_monitor.sh": ["Submitted batch job 1"],
    "flux_constraints.sh": ["host[2-3]", "host[0,4-7]", "(ssd|huge)&slowgpu"],
    "features.sh": [
        "$ sim sbatch --exclusive -N2 -C '[rack1|rack2]' --wrap 'sleep 60'",
        "n[1-4]",
        "Submitted batch job 3",
        "sbatch: note: no node has the feature 'gpu'; there are: amd, intel, rack1, rack2",
    ],
    "explain.sh": [
        "node01: load=0.99, wanted load<0.5",
        "3. submit it again without --extra",
        "It can never start unless the job or the cluster changes.",
    ],
    "complex_attributes.sh": ["hf:t01=20", "Host Resource(s):      hc:t02=0.000000", "2026-01-01T00:01:00"],
    "constraint-inventory/check.sh": [],
}


def run(script: str, cwd: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    bin_folder = Path(sys.executable).parent
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "SBATCH", "SQUEUE", "SLIMSCHED"))}
    environment |= {
        "PATH": f"{bin_folder}{os.pathsep}{environment['PATH']}",
        "SLIMSCHED_VENV": str(bin_folder.parent),
        "TMPDIR": str(cwd),
        "HOME": str(cwd),
    }
    return subprocess.run(
        ["sh", str(EXAMPLES / script), *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_example_is_listed_here():
    found = {str(path.relative_to(EXAMPLES)) for path in EXAMPLES.rglob("*.sh")}
    assert found - {"scratch.sh"} == set(KEY_LINES)


@pytest.mark.parametrize("script", KEY_LINES)
def test_it_runs_from_anywhere_shows_its_point_and_leaves_nothing_behind(script, tmp_path):
    folder = tmp_path / "a folder with blanks"
    folder.mkdir()
    done = run(script, folder)

    lines = [line.strip() for line in done.stdout.splitlines()]
    errors = [line.strip() for line in done.stderr.splitlines()]
    assert done.returncode == 0, done.stderr
    assert [line for line in KEY_LINES[script] if line not in lines + errors] == []
    assert list(folder.iterdir()) == []


def test_the_quickstart_gives_the_documents_answers(tmp_path):
    done = run("quickstart.sh", tmp_path)

    final = done.stdout.rpartition("NODELIST(REASON)\n")[2]
    rows = [line.split() for line in final.partition("\n\n")[0].splitlines()]
    assert {row[0]: row[4:] for row in rows} == QUEUE_AT_THE_END
    started = [line.split() for line in done.stdout.splitlines() if " R " in line]
    assert [row[0] for row in started[:3]] == ["1", "1", "2"]
    assert "(Constraints)" in done.stdout


def test_the_load_monitor_writes_the_load_of_each_round(tmp_path):
    done = run("load_monitor.sh", tmp_path, "2", "0")

    written = [line.strip() for line in done.stdout.splitlines() if "Extra=" in line]
    assert len(written) == 2
    assert all(float(line.removeprefix('Extra={"load":').rstrip("}")) >= 0 for line in written)
