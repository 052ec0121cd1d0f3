"""``sim scrontab``: there are no cron jobs, so it answers as on a cluster that does not have them enabled."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.cli.program import RECORDED, STANDARD, Given, Option, Program
from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.cli.app import Application

NOTHING = "there are no cron jobs"

OPTIONS = (
    Option("", "e", "", "edit the crontab", RECORDED, NOTHING),
    Option("", "l", "", "show the crontab", RECORDED, NOTHING),
    Option("", "r", "", "remove the crontab", RECORDED, NOTHING),
    Option("", "u", "user", "the crontab of this user", RECORDED, NOTHING),
    Option("", "v", "", "say more", RECORDED, NOTHING),
    *STANDARD[:2],
    Option("version", "V", help="show the version of Slurm that is reproduced"),
)


def run(app: Application, given: Given, args: list[str]) -> int | None:
    """Refuse."""
    raise UserError("scrontab is disabled on this cluster", level="fatal")


command = Program("scrontab", OPTIONS, run, summary="Keep the crontab of a user", arguments="[FILE | -]")
