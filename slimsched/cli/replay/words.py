"""The command lines of replays, jobs and changes of the cluster: they go through the parsers of the commands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from slimsched.cli.app import Application

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.controller.requests.users import User
    from slimsched.model.request import JobRequest
    from slimsched.replay.changes import Apply
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


class _Inside(Application):
    """The context of a command within a replay: its cluster is in memory, and nothing is printed."""

    def __init__(self, ctl: Controller) -> None:
        super().__init__(command="scontrol")
        self._ctl = ctl

    @contextmanager
    def session(self, *, write: bool = True, gathering: bool = False) -> Iterator[Controller]:
        """Yield the controller of the replay, which runs the pass and forgets the changes itself."""
        yield self._ctl

    def out(self, text: str, *, end: str = "\n") -> None:
        """Print nothing."""

    def err(self, text: str) -> None:
        """Print nothing: a refusal is raised."""


def changer() -> Apply:
    """Return what carries out the words behind ``scontrol``; it raises as the command would."""

    def change(ctl: Controller, words: list[str]) -> None:
        from slimsched.cli.scontrol.dispatch import process
        from slimsched.cli.scontrol.settings import Settings

        process(_Inside(ctl), words, Settings())

    return change
