"""The faults that a test wrote, applied to one command: a wait, an answer in place of its own, half an answer.

The lines for a controller or a database that cannot be reached are those that Slurm 26.11 was seen to print for
sbatch, squeue, sinfo, scancel, ``scontrol show node``, ``scontrol ping``, sacct, sacctmgr and sreport. Those of the
other requests of scontrol, of srun and of salloc follow from the lead-in that each of them has for any error.
"""

from __future__ import annotations

import io
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from typing import TYPE_CHECKING

from slimsched.errors import SimError, SlurmError, UserError
from slimsched.slurm.errno import Errno
from slimsched.state import config, faults, layout

if TYPE_CHECKING:
    from slimsched.cli.app import Application

SUBMISSIONS = ("sbatch", "srun", "salloc")
LOADS = {"squeue": "slurm_load_jobs error: ", "sinfo": "slurm_load_partitions: "}
DATABASE = ("sacct", "sacctmgr", "sreport")
"""Commands that talk to slurmdbd."""
REACHING = (*SUBMISSIONS, *LOADS, *DATABASE, "scancel", "scontrol")
"""Commands of which the words are known for when nobody can be reached."""

SHOWS = {
    "node": "slurm_load_node error: ",
    "job": "slurm_load_jobs error: ",
    "partition": "slurm_load_partitions error: ",
    "reservation": "slurm_load_reservations error: ",
    "config": "slurm_load_ctl_conf error: ",
}
"""What ``scontrol show`` is asked for -> its lead-in; names may be cut short."""
STARS = "*****************************************\n** RESTORE SLURMCTLD DAEMON TO SERVICE **\n" + "*" * 41
NO_DATABASE = (
    "_open_persist_conn: failed to open persistent connection to host:localhost:6819: Connection refused\n"
    "Sending PersistInit msg: Connection refused"
)


def apply(app: Application, args: list[str], work: Callable[[], int]) -> int:
    """Do a command's work with the fault that holds for it, if one does; return the exit code."""
    folder = layout.locate(app.state)
    fault = faults.take(folder, app.command)
    if fault is None:
        return work()
    if fault.delay:
        sys.stdout.flush()
        time.sleep(fault.delay)
    app.lag = fault.lag
    if fault.unreachable:
        raise _unreachable(app, args, folder)
    if fault.truncate is not None:
        return _cut(work, fault.truncate)
    if not fault.answers:
        return work()
    if fault.run:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), suppress(SimError):
            work()
    _say(fault.stdout, app.out)
    _say(fault.stderr, app.err)
    return fault.exit_code if fault.exit_code is not None else int(fault.stderr is not None)


def _say(text: str | None, write: Callable[[str], None]) -> None:
    if text:
        write(text.removesuffix("\n"))


def _cut(work: Callable[[], int], size: int) -> int:
    """Run a command and print the first ``size`` bytes of what it says."""
    said = io.StringIO()
    try:
        with redirect_stdout(said):
            return work()
    finally:
        sys.stdout.flush()
        sys.stdout.buffer.write(said.getvalue().encode("utf-8", "backslashreplace")[:size])


# nobody there


def _unreachable(app: Application, args: list[str], folder: str) -> UserError:
    name, text = app.command, Errno.CONNECTION.text
    if name in DATABASE:
        return _no_database(app, args, folder)
    if name in SUBMISSIONS:
        return SlurmError(Errno.CONNECTION)
    if name in LOADS:
        return UserError(LOADS[name] + text, level="plain")
    if name == "scancel" and args:
        lines = [f"Kill job error on job id {word}: {text}" for word in args]
        return UserError("\n".join(lines), exit_code=8)
    if name == "scancel":
        return UserError(f"slurm_load_jobs error: {text}", level="plain")
    return _no_controller(args, folder, text)


def _no_controller(args: list[str], folder: str, text: str) -> UserError:
    """Return what scontrol says."""
    first, second = [*args, "", ""][:2]
    if first == "ping":
        conf, _ = config.load(folder)
        return UserError(f"Slurmctld(primary) at {conf.controllers[0]} is DOWN\n{STARS}", level="plain", stdout=True)
    asked = second.lower().partition("=")[0].removesuffix("s") if first == "show" else ""
    lead = next((lead for kind, lead in SHOWS.items() if asked and kind.startswith(asked)), "slurm_update error: ")
    return UserError(lead + text, level="plain")


def _no_database(app: Application, args: list[str], folder: str) -> UserError:
    """Return what a command says that finds no slurmdbd."""
    if app.command == "sacct":
        return UserError(f"{NO_DATABASE}\nProblem talking to the database: Connection refused")
    if app.command == "sreport":
        app.report(UserError(NO_DATABASE))
        return UserError("Problem connecting to the database: Connection refused", level="fatal")
    if args[:1] == ["ping"]:
        conf, _ = config.load(folder)
        app.out(f"slurmdbd(primary) at {conf.get('AccountingStorageHost') or 'localhost'} is DOWN")
    return UserError(NO_DATABASE)
