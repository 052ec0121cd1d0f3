"""``qsub``: submit a job, or verify that the cluster could run it."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, NamedTuple

from slimsched.cli.gridengine.program import COMMON, GridProgram, Pairs, lists, read
from slimsched.cli.program import RECORDED, Given, Option
from slimsched.cli.submit import script as scripts
from slimsched.errors import SlurmError, SyntaxFault, UserError
from slimsched.slurm import kinds

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.controller.core import Controller
    from slimsched.model.request import JobRequest

OPTIONS = (
    Option("", "b", "y[es]|n[o]", "the command is a program, not a script"),
    Option("", "cwd", help="run in this directory", status=RECORDED, note="jobs always do"),
    Option("", "e", "path", "file for standard error"),
    Option("", "h", help="submit in held state"),
    Option("", "hard", help="the -l and -q that follow are required"),
    Option("", "j", "y[es]|n[o]", "join standard error to standard output"),
    Option("", "l", "resource_list", "resources that each slot needs"),
    Option("", "N", "name", "name of the job"),
    Option("", "o", "path", "file for standard output"),
    Option("", "pe", "name slots", "parallel job; on one node if the name is smp, one or pe_slots"),
    Option("", "q", "wc_queue_list", "partitions to choose from"),
    Option("", "soft", help="the -l and -q that follow are preferred"),
    Option("", "sync", "y[es]|n[o]", "wait for the end and return the exit code"),
    Option("", "t", "n[-m[:s]]", "array of tasks"),
    Option("", "terse", help="print only the job's number"),
    Option("", "V", help="export the environment", status=RECORDED, note="jobs always have it"),
    Option("", "w", "e|w|n|v|p", "verify: v as configured, p at present, e refuse, w warn"),
    *COMMON,
)
ONE_NODE = frozenset({"smp", "one", "pe_slots"})
FAILED = "Unable to run job: {}\nExiting."


class Source(NamedTuple):
    """The source of the job: its default name, the script's path ("": none) and its text."""

    name: str
    path: str
    text: str


class Resources(NamedTuple):
    """The requests, as ``-hard`` and ``-soft`` divide them, and the queues that must be one of."""

    hard: list[str]
    soft: list[str]
    queues: list[str]


def run(app: Application, given: Given, args: list[str]) -> int:
    """Submit, or with ``-w v`` or ``-w p`` only verify."""
    try:
        return _run(app, given, args)
    except (SyntaxFault, SlurmError) as fault:
        raise UserError(FAILED.format(fault.message), level="plain") from None
    except UserError as fault:
        if fault.level == "plain":
            raise
        raise UserError(FAILED.format(fault.message), level="plain") from None


def _run(app: Application, given: Given, args: list[str]) -> int:
    binary = _yes(given.last("b"))
    source = _source(args, binary=binary)
    if not binary:  # a script, be it from a file or from standard input
        given = Given(_directives(source.text) + given.pairs, given.line)
    mode = given.last("w", "n")
    if mode in {"v", "p"}:
        return _verify(app, given, live=mode == "p")
    with app.session() as ctl:
        from slimsched.controller.requests.users import invoking
        from slimsched.controller.submit.submission import submit

        request = _request(ctl, given, source, args)
        _check_suitable(app, ctl, request, mode or "n")
        job = submit(ctl, request, invoking(ctl.cluster), source.text)
        app.store.save_script(job.job_id, source.text)
        number, tasks = str(job.job_id), job.request.array
    _announce(app, given, number, tasks, request.name)
    return _wait(app, int(number)) if _yes(given.last("sync")) else 0


def _source(args: list[str], *, binary: bool) -> Source:
    if not args:
        return Source("STDIN", "", scripts.load(None, ""))
    if binary:
        return Source(os.path.basename(args[0]), "", scripts.wrap(shlex.join(args)))
    path = scripts.find(args[0])
    return Source(os.path.basename(path), path, scripts.load(path, args[0]))


def _directives(text: str) -> Pairs:
    """Return the options in a script's lines ``#$ -l ...``."""
    words: list[str] = []
    for line in text.splitlines():
        if line.startswith("#$"):
            try:
                words += shlex.split(line[2:], comments=True)
            except ValueError as fault:
                raise UserError(f'error in the directive "{line}": {fault}') from None
    return read("qsub", OPTIONS, words)[0]


def _yes(text: str | None) -> bool:
    return text is not None and kinds.yes_no(text) is True


def _resources(given: Given) -> Resources:
    found = Resources([], [], [])
    soft = False
    for option, value in given.pairs:
        if option.name in {"hard", "soft"}:
            soft = option.name == "soft"
        elif option.name == "l":
            (found.soft if soft else found.hard).append(value or "")
        elif option.name == "q" and soft:
            found.soft.append("qname=" + "|".join(lists([value or ""])))
        elif option.name == "q":
            found.queues.extend(lists([value or ""]))
    return found


def _partitions(ctl: Controller, patterns: list[str]) -> list[str]:
    """Return the partitions that ``-q`` means. Raises `UserError` if it means none."""
    from fnmatch import fnmatchcase

    known = list(ctl.cluster.partitions)
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern.partition("@")[0]) for name in known):
            raise UserError(f'Job was rejected because job requests unknown queue "{pattern}".')
    return [name for name in known if any(fnmatchcase(name, pattern.partition("@")[0]) for pattern in patterns)]


def _request(ctl: Controller, given: Given, source: Source, args: list[str]) -> JobRequest:
    from slimsched.model.request import JobRequest

    wanted = _resources(given)
    request = JobRequest(
        name=given.last("N") or source.name,
        partition=",".join(_partitions(ctl, wanted.queues)),
        nodelist=",".join(text.partition("@")[2] for text in wanted.queues if "@" in text and "*" not in text),
        hard_resources=wanted.hard,
        soft_resources=wanted.soft,
        output=given.last("o") or "%x.o%j",
        error=given.last("e") or (None if _yes(given.last("j")) else "%x.e%j"),
        hold=given.has("h"),
        array=given.last("t") or "",
        work_dir=os.getcwd(),
        submit_line=given.line,
        command=source.path,
        script_args=args[1:] if source.path else [],
    )
    _take_slots(request, given.last("pe"))
    _take_run_time(ctl, request)
    return request


def _take_slots(request: JobRequest, pe: str | None) -> None:
    """Read ``-pe name slots``; of a range the lower number."""
    if pe is None:
        return
    name, _, slots = pe.partition(" ")
    low = slots.partition("-")[0]
    if not (low.isascii() and low.isdigit() and 0 < int(low) < 10**7):
        raise UserError(f'Numerical value invalid! The initial portion of string "{slots}" contains no decimal number')
    request.num_tasks = int(low)
    if name in ONE_NODE:
        request.min_nodes = request.max_nodes = 1


def _take_run_time(ctl: Controller, request: JobRequest) -> None:
    """Take the time limit from a request for ``h_rt``. Raises `SyntaxFault` for a request that is wrong."""
    from slimsched.constraints.complexes import places, values
    from slimsched.constraints.complexes import request as requests

    asked = requests.read(request.hard_resources, places.catalog_of(ctl.cluster))
    seconds = values.number(asked.get("h_rt", ""), "TIME")
    if seconds is not None and 0 < seconds < 10**9:
        request.time_limit = -int(-seconds // 60)


def _verify(app: Application, given: Given, *, live: bool) -> int:
    """Say whether the cluster could run the job, and if not, why."""
    from slimsched.constraints.complexes import places
    from slimsched.constraints.complexes import request as requests
    from slimsched.controller.gridengine import qsub_verify
    from slimsched.model.request import JobRequest

    wanted = _resources(given)
    with app.session(write=False) as ctl:
        catalog = places.catalog_of(ctl.cluster)
        asked = requests.read(wanted.hard, catalog)
        requests.read(wanted.soft, catalog, soft=True)
        queues = _partitions(ctl, wanted.queues) if wanted.queues else None
        sized = JobRequest()
        _take_slots(sized, given.last("pe"))
        fits, reasons = qsub_verify.verify(ctl, asked, queues, sized.num_tasks or 1, live=live)
        number = ctl.cluster.next_job_id
    if not fits:
        said = [f"Job {number} {reason}" for reason in reasons]
        raise UserError(FAILED.format("\n".join([*said, "verification: no suitable queues"])), level="plain")
    app.out("verification: found suitable queue(s)")
    return 0


def _check_suitable(app: Application, ctl: Controller, request: JobRequest, mode: str) -> None:
    """Refuse (``-w e``) or warn of (``-w w``) a job that no queue instance could serve as configured."""
    if mode not in {"e", "w"}:
        return
    from slimsched.constraints.complexes import places
    from slimsched.constraints.complexes import request as requests
    from slimsched.controller.gridengine import qsub_verify

    asked = requests.read(request.hard_resources, places.catalog_of(ctl.cluster))
    queues = request.partition.split(",") if request.partition else None
    if not qsub_verify.verify(ctl, asked, queues, live=False)[0]:
        if mode == "e":
            raise UserError("error: no suitable queues")
        app.err("warning: no suitable queues")


def _announce(app: Application, given: Given, number: str, tasks: str, name: str) -> None:
    label = f"{number}.{tasks if ':' in tasks else tasks + ':1'}" if tasks else number
    kind = "job-array" if tasks else "job"
    app.out(label if given.has("terse") else f'Your {kind} {label} ("{name}") has been submitted')


def _wait(app: Application, job_id: int) -> int:
    """Wait for the job's end and say how it ended."""
    from slimsched.cli.submit import blocking

    code = blocking.until_ended(app, job_id)
    app.out(f"Job {job_id} exited with exit code {code}.")
    return code


command = GridProgram("qsub", OPTIONS, run, summary="Submit a job", arguments="[script [arguments...]]", posix=True)
