"""``docs/fidelity.md``: its tables are those of the code, and no option of the real commands is unknown."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from recorded_names import LEFT_OUT, REAL

from slimsched.cli.subcommands import load

DOCS = Path(__file__).parent.parent / "docs"
sys.path.insert(0, str(DOCS))

import generate_fidelity  # noqa: E402

PAGE = DOCS.joinpath("fidelity.md").read_text(encoding="utf-8")


def test_the_tables_are_up_to_date() -> None:
    """``python docs/generate_fidelity.py`` brings them up to date."""
    assert generate_fidelity.main(["--check"]) == 0


@pytest.mark.parametrize("command", REAL)
def test_no_option_of_the_real_command_is_unknown(command: str) -> None:
    known = {f"--{option.long}" for option in load(command).options if option.long}
    known |= {f"-{option.short}" for option in load(command).options if option.short}

    assert {name for name in REAL[command].split() if name not in known} == LEFT_OUT.get(command, set())


def test_every_command_has_its_tables() -> None:
    """A table that is no longer made would otherwise go unnoticed."""
    found = set(re.findall(r"^### (.+)$", PAGE, re.MULTILINE))

    assert {"sbatch, srun, salloc", "Commands of scontrol", "Fields of squeue", "Fields of sacct"} < found
    assert found >= set(generate_fidelity.commands()) - set(generate_fidelity.SUBMISSION)


def test_statuses_are_those_that_are_explained() -> None:
    cells = re.findall(r"^\|.*? \| (honoured|live|recorded|refused|not in Slurm) \|", PAGE, re.MULTILINE)

    assert set(cells) == {"honoured", "live", "recorded", "refused", "not in Slurm"}


def test_constants_are_told_from_values() -> None:
    from slimsched.render.jobs.job_list import JOBS
    from slimsched.render.jobs.sacct_fields import FIELDS

    shown = {field.names: generate_fidelity.constant(field.text) for field in FIELDS}
    listed = {field.names: generate_fidelity.constant(field.text) for field in JOBS.all()}

    assert (shown["JobID"], shown["MaxRSS"], shown["MaxPages"]) == ("honoured", "honoured", "always empty")
    assert (listed["Name"], listed["PreemptTime"]) == ("honoured", "always `N/A`")
