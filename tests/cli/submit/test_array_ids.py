"""Tasks of an array take their job ids when the pass starts them, behind all jobs submitted at the same instant."""

from __future__ import annotations

from typing import Any


def test_jobs_submitted_together_get_ids_in_a_row(sim: Any) -> None:
    for job_id in (1, 2, 3):
        assert sim("sbatch", "--parsable", "--array=0-2", "--wrap", "sleep 60") == f"{job_id}\n"
    listed = sim("squeue", "-h", "-r", "-S", "i", "-o", "%i %A %t").splitlines()
    assert listed == [f"{array}_{task} {own} R" for array, row in RAW.items() for task, own in enumerate(row)]
    assert sim("sbatch", "--parsable", "--wrap", "sleep 60") == "10\n"


RAW = {1: (4, 5, 1), 2: (6, 7, 2), 3: (8, 9, 3)}


def test_a_look_settles_nothing_else(sim: Any) -> None:
    sim("sbatch", "--array=0-1", "--wrap", "sleep 60")
    first = sim("squeue", "-h", "-o", "%i %A %t %S")
    assert sim("squeue", "-h", "-o", "%i %A %t %S") == first
    sim("advance", "30s")
    assert sim("squeue", "-h", "-o", "%i %A %t %S") == first


def test_time_that_passes_starts_the_tasks(sim: Any) -> None:
    sim("sbatch", "--array=0-2", "--wrap", "sleep 60")
    sim("advance", "1s")
    assert sim("sbatch", "--parsable", "--wrap", "sleep 60") == "4\n"
