"""The keywords of ``scontrol`` for the daemons' logs: they are checked as by the real command and have no effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.errors import UserError
from slimsched.slurm.logs import DEBUG_FLAGS, LEVELS
from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.cli.scontrol.settings import Settings

SWITCH = ("disable", "enable")
FLAGS = frozenset(flag.lower() for flag in DEBUG_FLAGS)
USAGE = "Usage: setdebugflags {+|-}NAME [{+|-}NAME] [nodes=<NODES>]"


def _refuse(text: str) -> UserError:
    return UserError(text, level="plain")


def _level(text: str, names: tuple[str, ...]) -> bool:
    """Whether a text is one of the names, or the number of one."""
    number = is_number(text, 3) and int(text) < len(names)
    return text.lower() in names or number or not text


def set_level(app: Application, words: list[str], settings: Settings) -> None:
    """Accept ``setdebug LEVEL [nodes=NODES]``."""
    if not _level(words[0], LEVELS):
        raise _refuse(f"invalid debug level: {words[0]}")
    if len(words) > 1 and not words[1].lower().startswith("nodes="):
        raise _refuse(f"Invalid option: {words[0]}")


def set_scheduler_log(app: Application, words: list[str], settings: Settings) -> None:
    """Refuse ``schedloglevel enable|disable``, as slurmctld does where SlurmSchedLogFile is not set."""
    if not _level(words[0], SWITCH):
        raise _refuse(f"invalid schedlog level: {words[0]}")
    with app.session(write=False) as ctl:
        if not ctl.cluster.config.get("SlurmSchedLogFile"):
            raise _refuse("slurm_set_schedlog_level error:Requested operation is presently disabled")


def set_dampening(app: Application, words: list[str], settings: Settings) -> None:
    """Accept ``fsdampeningfactor VALUE``; the exit code is 0 in any case."""
    if not (words[0].isascii() and words[0].isdigit() and int(words[0][:9])):
        error = _refuse(f"invalid dampening factor: {words[0]}")
        error.exit_code = 0
        raise error


def set_flags(app: Application, words: list[str], settings: Settings) -> None:
    """Accept ``setdebugflags {+|-}NAME... [nodes=NODES]``."""
    for place, word in enumerate(words):
        if word[:1] in {"+", "-"} and all(name.lower() in FLAGS for name in word[1:].split(",")):
            continue
        if place == len(words) - 1 and word.lower().startswith(("node=", "nodes=")):
            continue
        usage = "" if word[:1] in {"+", "-"} else f"\n{USAGE}"
        raise _refuse(f"invalid debug flag: {word}{usage}")
