"""The jobs of traces that are sbatch command lines: they go through the option parser of ``sbatch``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.controller.core import Controller
    from slimsched.controller.requests.users import User
    from slimsched.model.request import JobRequest
    from slimsched.replay.requests import Parser


def parser(app: Application) -> Parser:
    """Return what reads the words of a job; it raises `UserError` as ``sbatch`` would. No environment is looked at."""

    def parse(ctl: Controller, words: tuple[str, ...]) -> tuple[JobRequest, User]:
        from slimsched.cli.submit import drafts
        from slimsched.cli.submit.options.request import Draft, read
        from slimsched.cli.submit.sbatch import OPTIONS
        from slimsched.slurm.getopt import Scanner

        made = Draft(read(Scanner("sbatch", OPTIONS, list(words), exit_code=1)))
        request = made.request(ctl.cluster.now)
        return request, drafts.user_of(ctl, made)

    return parse
