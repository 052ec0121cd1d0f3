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
    from slimsched.cli.program import Given, Program

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


def run(app: Application, program: Program, given: Given) -> int:
    """Run a command with the fault that holds for it, if one does; return the exit code."""
    fault = faults.take(layout.locate(app.state), program.name)
    if fault is None:
        return program.run(app, given, given.rest) or 0
    if fault.delay:
        sys.stdout.flush()
        time.sleep(fault.delay)
    if fault.unreachable:
        raise _unreachable(app, program, given)
    if not fault.answers:
        return _cut(app, program, given, fault.truncate)
    if fault.run:
        _unheard(program, app, given)
    _say(fault.stdout, app.out)
    _say(fault.stderr, app.err)
    return fault.exit_code if fault.exit_code is not None else int(fault.stderr is not None)


def _say(text: str | None, write: Callable[[str], None]) -> None:
    if text:
        write(text.removesuffix("\n"))


def _unheard(program: Program, app: Application, given: Given) -> None:
    """Let a command do its work, and nobody hear what it says."""
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), suppress(SimError):
        program.run(app, given, given.rest)


def _cut(app: Application, program: Program, given: Given, size: int | None) -> int:
    """Run a command and print the first ``size`` bytes of what it says, all of it for None."""
    if size is None:
        return program.run(app, given, given.rest) or 0
    said = io.StringIO()
    try:
        with redirect_stdout(said):
            return program.run(app, given, given.rest) or 0
    finally:
        sys.stdout.flush()
        sys.stdout.buffer.write(said.getvalue().encode("utf-8", "backslashreplace")[:size])


# nobody there


def _unreachable(app: Application, program: Program, given: Given) -> UserError:
    name, text = program.name, Errno.CONNECTION.text
    if name in DATABASE:
        return _no_database(app, name, given)
    if name in SUBMISSIONS:
        return SlurmError(Errno.CONNECTION)
    if name in LOADS:
        return UserError(LOADS[name] + text, level="plain")
    if name == "scancel" and given.rest:
        lines = [f"Kill job error on job id {word}: {text}" for word in given.rest]
        return UserError("\n".join(lines), exit_code=8)
    if name == "scancel":
        return UserError(f"slurm_load_jobs error: {text}", level="plain")
    return _no_controller(app, given, text)


def _no_controller(app: Application, given: Given, text: str) -> UserError:
    """Return what scontrol says."""
    first, second = [*given.rest, "", ""][:2]
    if first == "ping":
        conf, _ = config.load(layout.locate(app.state))
        host = conf.get("SlurmctldHost").partition("(")[0]
        return UserError(f"Slurmctld(primary) at {host} is DOWN\n{STARS}", level="plain", stdout=True)
    asked = second.lower().partition("=")[0].removesuffix("s") if first == "show" else ""
    lead = next((lead for kind, lead in SHOWS.items() if asked and kind.startswith(asked)), "slurm_update error: ")
    return UserError(lead + text, level="plain")


def _no_database(app: Application, name: str, given: Given) -> UserError:
    """Return what a command says that finds no slurmdbd."""
    if name == "sacct":
        return UserError(f"{NO_DATABASE}\nProblem talking to the database: Connection refused")
    if name == "sreport":
        app.report(UserError(NO_DATABASE))
        return UserError("Problem connecting to the database: Connection refused", level="fatal")
    if given.rest[:1] == ["ping"]:
        conf, _ = config.load(layout.locate(app.state))
        app.out(f"slurmdbd(primary) at {conf.get('AccountingStorageHost') or 'localhost'} is DOWN")
    return UserError(NO_DATABASE)
