"""``sbatch``: submit a batch script."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slimsched.cli.program import STANDARD_H, Given, Program
from slimsched.cli.submit import drafts
from slimsched.cli.submit import script as scripts
from slimsched.cli.submit.options.request import Draft, Reading, read
from slimsched.errors import UserError
from slimsched.model.record import Record
from slimsched.slurm.getopt import Scanner
from slimsched.slurm.options import options_of

if TYPE_CHECKING:
    from slimsched.cli.app import Application

OPTIONS = options_of("b")
EARLY = ("help", "usage", "version", "verbose", "quiet", "wrap")
"""Options that count on the command line only: a script that sets them is not heard."""
USAGE_EXIT = 255


class Source(Record):
    """Where the batch script comes from: the job's default name, the script's path ("": none) and its text."""

    name: str
    path: str
    text: str


@drafts.with_exit_codes
def run(app: Application, given: Given, args: list[str]) -> int:
    """Read script and options, submit, print the job's id; with ``--wait`` return the job's exit code."""
    drafts.refuse_components(args[:1])
    command_line = read(given.pairs)
    wrapped = next((r.text for r in reversed(command_line) if r.option.name == "wrap"), None)
    source = _source(args, wrapped)
    in_script = _script(source) if wrapped is None else []
    made = drafts.draft(app, "SBATCH", OPTIONS, command_line, in_script)
    if "test-only" in made.other:
        from slimsched.cli.submit import preview

        return preview.report(app, made, given, name=source.name)
    from slimsched.controller.submit.submission import submit

    with app.session(gathering=True) as ctl:
        request = drafts.make_request(
            app, ctl, made, given, name=source.name, command=source.path, script_args=args[1:] if source.path else []
        )
        job_id = submit(ctl, request, drafts.user_of(ctl, made), source.text).job_id
        app.store.save_script(job_id, source.text)
        cluster = ctl.cluster.config.get("ClusterName") if "clusters" in made.other else ""
    _announce(app, made, job_id, cluster)
    if "wait" in made.other:
        from slimsched.cli.submit import blocking

        return blocking.until_ended(app, job_id)
    return 0


def _source(args: list[str], wrapped: str | None) -> Source:
    """Return the script: the command after ``--wrap``, the file that is named, else standard input."""
    if wrapped is not None:
        if args:
            raise UserError("Script arguments not permitted with --wrap option")
        return Source("wrap", "", scripts.wrap(wrapped))
    if not args:
        return Source("sbatch", "", scripts.load(None, ""))
    path = scripts.find(args[0])
    return Source(os.path.basename(path), path, scripts.load(path, args[0]))


def _script(source: Source) -> list[Reading]:
    """Read the options in the script's directives."""
    words = scripts.directives(source.text, os.path.basename(source.path) or "stdin")
    scanner = Scanner("sbatch", (*OPTIONS, *STANDARD_H), words, posix=True, exit_code=USAGE_EXIT)
    found = read(pair for pair in scanner if pair[0].name not in EARLY)
    if scanner.rest:
        drafts.refuse_components(scanner.rest[:1])
        raise UserError(f"Invalid directive found in batch script: {scanner.rest[0]}")
    return found


def _announce(app: Application, made: Draft, job_id: int, cluster: str) -> None:
    """Print the new job's id."""
    if "quiet" in made.other:
        return
    if "parsable" in made.other:
        app.out(f"{job_id};{cluster}" if cluster else str(job_id))
    else:
        app.out(f"Submitted batch job {job_id}" + (f" on cluster {cluster}" if cluster else ""))


command = Program(
    "sbatch",
    (*OPTIONS, *STANDARD_H),
    run,
    summary="Submit a batch script",
    arguments="[script [arguments...]]",
    posix=True,
    usage_exit=USAGE_EXIT,
    refusal="Batch job submission failed: ",
)
