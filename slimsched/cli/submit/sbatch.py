"""``sbatch``: submit a batch script."""

from __future__ import annotations

import os
import sys
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
    from slimsched.controller.core import Controller
    from slimsched.controller.requests.users import User
    from slimsched.model.job import Job
    from slimsched.model.request import JobRequest

OPTIONS = options_of("b")
EARLY = ("help", "usage", "version", "verbose", "quiet", "wrap")
"""Options that count on the command line only: a script that sets them is not heard."""
USAGE_EXIT = 255
SEPARATORS = ("hetjob", "packjob")
"""Words that separate the components of a heterogeneous job in a script; all but the first are old names."""
OLD_SEPARATOR = 'The "packjob" component separator is deprecated. Please use "hetjob" instead.'


class Source(Record):
    """Where the batch script comes from: the job's default name, the script's path ("": none) and its text."""

    name: str
    path: str
    text: str


@drafts.with_exit_codes
def run(app: Application, given: Given, args: list[str]) -> int:
    """Read script and options, submit, print the job's id; with ``--wait`` return the job's exit code."""
    every, source, args = understood(app, given, args)
    made = every[-1]  # what counts for the whole job has been carried on to it
    if "test-only" in made.other:
        from slimsched.cli.submit import preview

        return preview.report(app, every[0], given, name=source.name, others=every[1:])
    with app.session(gathering=True) as ctl:
        requests = requested(app, ctl, given, every, source, args)
        user = drafts.user_of(ctl, made)
        with drafts.reasoned(ctl, requests, user):
            job = _submit(ctl, requests, user, source.text)
        job_id = job.job_id
        if scripts.branches(source.text) and not app.live and requests[0].sim_runtime is None:
            from slimsched.cli.submit import stray

            if ctl.cluster.config.runtime == "sleep":
                app.remarks += stray.unfollowed(source.text, os.path.basename(source.path) or "stdin", job.run_time)
        app.store.save_script(job_id, source.text)
        cluster = ctl.cluster.config.get("ClusterName") if "clusters" in made.other else ""
    _announce(app, made, job_id, cluster)
    app.tell_remarks()
    if "wait" in made.other:
        from slimsched.cli.submit import blocking

        return blocking.until_ended(app, job_id)
    return 0


def understood(
    app: Application, given: Given, args: list[str], *, hearing: bool = True
) -> tuple[list[Draft], Source, list[str]]:
    """Return the draft of each component, the script, and the words from the script's name on.

    ``hearing``: a script that nobody names is read from standard input; else there is none.
    """
    lines = [read(given.pairs)]
    if args[:1] == [":"]:
        from slimsched.cli.submit import components

        others, args = components.of_line("sbatch", OPTIONS, args, USAGE_EXIT)
        lines += others
    wrapped = next((r.text for line in reversed(lines) for r in reversed(line) if r.option.name == "wrap"), None)
    source = _source(args, wrapped) if hearing or args or wrapped is not None else Source("sbatch", "", "")
    in_script = _script(app, source) if wrapped is None else [[]]
    if len(lines) == len(in_script) == 1:
        return [drafts.draft(app, "SBATCH", OPTIONS, lines[0], in_script[0])], source, args
    from slimsched.cli.submit import components

    return components.merged(app, "SBATCH", OPTIONS, lines, in_script), source, args


def requested(
    app: Application, ctl: Controller, given: Given, every: list[Draft], source: Source, args: list[str]
) -> list[JobRequest]:
    """Return the request of each component."""
    fields = {"name": source.name, "command": source.path, "script_args": args[1:] if source.path else []}
    return [drafts.make_request(app, ctl, one, given, **fields) for one in every]


def _submit(ctl: Controller, requests: list[JobRequest], user: User, script: str) -> Job:
    """Hand in a job, or one of several components."""
    from slimsched.controller.submit import submission

    if len(requests) > 1:
        return submission.submit_together(ctl, requests, user, script)
    return submission.submit(ctl, requests[0], user, script)


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


def _script(app: Application, source: Source) -> list[list[Reading]]:
    """Read the options in the script's directives, those of each component of a heterogeneous job by themselves."""
    name = os.path.basename(source.path) or "stdin"
    if scripts.doubtful(source.text):
        from slimsched.cli.submit import stray

        app.remarks += stray.remarks(source.text, name)
    words = scripts.directives(source.text, name)
    found: list[list[Reading]] = []
    while True:
        scanner = Scanner("sbatch", (*OPTIONS, *STANDARD_H), words, posix=True, exit_code=USAGE_EXIT)
        found.append(read(pair for pair in scanner if pair[0].name not in EARLY))
        if not scanner.rest:
            return found
        word, *words = scanner.rest
        if word not in SEPARATORS:
            raise UserError(f"Invalid directive found in batch script: {word}", exit_code=USAGE_EXIT)
        if word != SEPARATORS[0]:
            app.err(f"sbatch: warning: {OLD_SEPARATOR}")


def _announce(app: Application, made: Draft, job_id: int, cluster: str) -> None:
    """Print the new job's id."""
    if "quiet" in made.other:
        return
    if "parsable" in made.other:
        app.out(f"{job_id};{cluster}" if cluster else str(job_id))
    else:
        app.out(f"Submitted batch job {job_id}" + (f" on cluster {cluster}" if cluster else ""))
        if not app.live and sys.stderr.isatty():  # programs do not read notes
            app.tell_simulated()


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
