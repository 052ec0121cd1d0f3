"""What ``srun`` does around its tasks: programs before and after, copies of the program, kinds of MPI."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slimsched.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slimsched.cli.app import Application
    from slimsched.cli.submit.options.request import Draft
    from slimsched.controller.life.step_place import Place
    from slimsched.model.config import Config

MPI_TYPES = ("none", "pmi2", "pmix")
"""Kinds of MPI that are accepted; nothing is loaded for any of them."""

UNKNOWN_MPI = (
    "Couldn't find the specified plugin name for mpi/{0} looking at all files",
    "cannot find mpi plugin for mpi/{0}",
    "MPI: Cannot create context for mpi/{0}",
    "MPI: Unable to load any plugin",
    "Invalid MPI type '{0}', --mpi=list for acceptable types",
)


def answered_mpi(app: Application, kind: str) -> bool:
    """Print the kinds of MPI if these are asked for; whether they are. Raises `UserError` for another kind."""
    if kind == "list":
        app.out("MPI plugin types are...\n" + "\n".join(f"\t{name}" for name in MPI_TYPES))
        return True
    name, _, version = kind.partition("_v")
    if name not in MPI_TYPES or (version and not version.isdecimal()):
        *lines, last = (line.format(kind) for line in UNKNOWN_MPI)
        for line in lines:
            app.err(f"srun: error: {line}")
        raise UserError(last)
    return False


def around(config: Config, made: Draft, args: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the calls of the programs that run before and after a step, [] for none; they get its command."""
    before, after = (
        made.recorded.get(option) or config.get(key)
        for option, key in (("prolog", "SrunProlog"), ("epilog", "SrunEpilog"))
    )
    return _call(before, args), _call(after, args)


def _call(program: str, args: Sequence[str]) -> list[str]:
    return [] if program.lower() in ("", "none", "(null)") else [program, *args]


def call(words: list[str], context: str, step: str) -> None:
    """Run a program and wait for it; how it ends does not matter."""
    if not words:
        return
    job, _, number = step.partition(".")
    own = {"SLURM_JOB_ID": job, "SLURM_JOBID": job, "SLURM_STEP_ID": number, "SLURM_SCRIPT_CONTEXT": context}
    try:
        pid = os.posix_spawnp(words[0], words, {**os.environ, **own})
    except OSError:
        return
    os.waitpid(pid, 0)


def broadcast(place: str, args: Sequence[str], step: str, found: Place) -> list[list[str]]:
    """Copy a step's program to its nodes; return the words of each task, which runs the copy.

    ``place``: a file, or a directory that ends with a slash, in which each node has a file of its own; "": here.
    Raises `UserError`.
    """
    import shutil

    source = args[0] if "/" in args[0] else shutil.which(args[0]) or args[0]
    folder = place if place.endswith("/") else "" if place else "./"
    words: dict[int, list[str]] = {}
    for node, ranks in zip(found.nodes, found.tasks, strict=True):
        path = os.path.abspath(f"{folder}slurm_bcast_{step}_{node}" if folder else place)
        try:
            shutil.copyfile(source, f"{path}.{os.getpid()}")
            shutil.copymode(source, f"{path}.{os.getpid()}")
            os.replace(f"{path}.{os.getpid()}", path)
        except OSError as fault:
            raise UserError(f"Can't open `{fault.filename}': {fault.strerror}") from None
        words |= {rank: [path, *args[1:]] for rank in ranks}
    return [words[rank] for rank in sorted(words)]
