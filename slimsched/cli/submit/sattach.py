"""The command ``sim sattach``: simulated steps have no output, so it always answers with Slurm's error."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.cli.program import RECORDED, STANDARD, Given, Option, Program
from slimsched.errors import UserError
from slimsched.slurm.errno import Errno

if TYPE_CHECKING:
    from slimsched.cli.app import Application

NOTHING = "there is nothing to attach to"

OPTIONS = (
    Option("error-filter", "", "task", "print errors of one task", RECORDED, NOTHING),
    Option("input-filter", "", "task", "send input to one task", RECORDED, NOTHING),
    Option("label", "l", "", "task numbers ahead of lines", RECORDED, NOTHING),
    Option("layout", "", "", "show where the tasks are", RECORDED, NOTHING),
    Option("output-filter", "", "task", "print output of one task", RECORDED, NOTHING),
    Option("pty", "", "task", "terminal of one task", RECORDED, NOTHING),
    Option("quiet", "Q", "", "print less", RECORDED, NOTHING),
    Option("verbose", "v", "", "print more", RECORDED, NOTHING),
    Option("help", "h", help="show this help"),
    Option("usage", "u", help="show a line of usage"),
    *STANDARD[2:],
)


def run(app: Application, given: Given, args: list[str]) -> int | None:
    """Refuse, as Slurm refuses a step that does not exist."""
    from slimsched.cli.job_ids import job_key

    if len(args) != 1:
        raise UserError("No job step specified.")
    job_key(args[0])
    raise UserError(f"Could not get job step info: {Errno.INVALID_JOB_ID.text}")


command = Program("sattach", OPTIONS, run, summary="Attach to a running step", arguments="JOBID.STEP")
