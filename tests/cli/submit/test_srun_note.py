"""On a simulated cluster ``srun`` says that nothing runs."""

from __future__ import annotations

from typing import Any

NOTE = "srun: note: the job is simulated: no process runs and nothing is printed; sim init --live makes jobs run\n"


def test_one_note_in_and_outside_of_an_allocation(sim: Any) -> None:
    loud = {"SLIMSCHED_NOTES": ""}
    sim("salloc --no-shell --quiet")

    assert sim.run("srun hostname", env=loud) == (0, "", NOTE)
    assert sim.run("srun --jobid 1 hostname", env=loud) == (0, "", NOTE)
    assert sim.run("srun hostname") == (0, "", "")
    assert sim.run("sbatch --wrap hostname", env=loud) == (0, "Submitted batch job 4\n", "")
