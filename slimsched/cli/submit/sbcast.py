"""The command ``sbcast``: a file for all nodes of a job. All nodes are this machine, so it is copied once."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slimsched.cli.program import RECORDED, REFUSED, STANDARD, Given, Option, Program
from slimsched.errors import UserError
from slimsched.slurm import kinds
from slimsched.slurm.errno import Errno
from slimsched.text import hostlist
from slimsched.text.sizes import strtol

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.model.job import Job

ONE_COPY = "all nodes are this machine"

OPTIONS = (
    Option("compress", "C", "[library]", "compress the file on its way", RECORDED, ONE_COPY),
    Option("exclude", "", "paths", "libraries that are left out", RECORDED, ONE_COPY),
    Option("fanout", "F", "count", "messages at a time", RECORDED, ONE_COPY),
    Option("force", "f", help="replace a file that is there"),
    Option("jobid", "j", "job", "the job, instead of that of SLURM_JOB_ID"),
    Option("no-allocation", "Z", "", "nodes outside of a job", REFUSED, "files are copied for jobs only"),
    Option("nodelist", "w", "nodes", "with --no-allocation", RECORDED, ONE_COPY),
    Option("preserve", "p", help="keep times and mode"),
    Option("send-libs", "", "[yes|no]", "send the libraries of a program, too", RECORDED, ONE_COPY),
    Option("size", "s", "bytes", "size of a message", RECORDED, ONE_COPY),
    Option("timeout", "t", "seconds", "how long to wait for a node", RECORDED, ONE_COPY),
    Option("treewidth", "", "width", "width of the tree", RECORDED, ONE_COPY),
    Option("verbose", "v", "", "list the options as they are understood"),
    *STANDARD,
)
NO_JOB = "Need a job id to run this command.  Run from within a Slurm job or use the --jobid option."
HINT = 'Try "sbcast --help" for more information'
BLOCK = 1 << 20
SIZES = {"": 1, "k": 1 << 10, "m": 1 << 20}
RULE = "-" * 29
NO_SIZE = "size specification is invalid, ignored"


def run(app: Application, given: Given, args: list[str]) -> None:
    """Copy a file to its place on the nodes of a job."""
    size = _size(app, given)
    libraries = _libraries(app, given)
    if len(args) != 2:
        raise UserError(f"Need two file names, have {len(args)} names\n{HINT}", level="plain")
    source, place = args
    named, text = given.last("jobid"), os.environ.get("SLURM_JOB_ID", "")
    if not (named or text):
        raise UserError(NO_JOB)
    if named:
        _look_up(app, named)
    if place.endswith("/"):
        raise UserError("Target filename cannot be a directory.")
    switches = {name: given.has(name) or f"SBCAST_{name.upper()}" in os.environ for name in ("force", "preserve")}
    with app.session(write=False) as ctl:
        folder = _parameter(ctl.cluster.config.get("BcastParameters"), "DestDir") or os.getcwd()
    place = os.path.join(folder, place)
    if given.has("verbose"):
        _tell(app, given, {**switches, "send_libs": libraries}, size, source, place)
    try:
        with open(source, "rb") as file:
            mode = os.fstat(file.fileno()).st_mode & 0o7777
            job, live = _job(app, named or text)
            if not live:
                app.tell_simulated()
                return
            node = hostlist.expand(job.nodes, dialect="slurm")[0]
            _copy(file.fileno(), place, mode, force=switches["force"], node=node)
            if switches["preserve"]:
                found = os.fstat(file.fileno())
                os.utime(place, ns=(found.st_atime_ns, found.st_mtime_ns))
    except OSError as fault:
        raise UserError(f"Can't open `{source}': {fault.strerror}") from None


def _size(app: Application, given: Given) -> int:
    """Return the bytes of a message; a text that is no size is told, and means 0."""
    text = given.last("size") or os.environ.get("SBCAST_SIZE", "8m")
    number, rest = strtol(text)
    if number < 0 or rest.lower() not in SIZES:
        app.err(NO_SIZE)
        return 0
    return number * SIZES[rest.lower()]


def _libraries(app: Application, given: Given) -> bool:
    """Return whether libraries would be sent, too; another text than yes or no is told."""
    texts = [("SBCAST_SEND_LIBS value", os.environ.get("SBCAST_SEND_LIBS"))]
    texts += [("--send-libs value", given.last("send-libs") or "yes")] if given.has("send-libs") else []
    wanted = False
    for what, text in texts:
        if text is not None and (answer := kinds.yes_no(text)) is not None:
            wanted = answer
        elif text is not None:
            app.err(f"sbcast: error: Ignoring unrecognized {what} '{text}'")
    return wanted


def _parameter(text: str, name: str) -> str:
    """Return the value of a word of ``BcastParameters``, "" if it is not there."""
    words = (word.partition("=") for word in text.split(","))
    return next((value for word, _, value in words if word.lower() == name.lower()), "")


def _tell(app: Application, given: Given, switches: dict[str, bool], size: int, source: str, place: str) -> None:
    """List the options as they are understood."""
    words = {name: str(value).lower() for name, value in switches.items()}
    width = given.last("treewidth") or given.last("fanout") or os.environ.get("SBCAST_FANOUT", "0")
    excluded = given.last("exclude") or os.environ.get("SBCAST_EXCLUDE", "(null)")
    for line in (
        RULE,
        f"block_size = {size}",
        f"compress   = {LZ4 if given.has('compress') and given.last('compress') in (None, '', 'lz4') else 0}",
        f"exclude    = {excluded}",
        f"force      = {words['force']}",
        f"treewidth     = {OFF if width.lower() == 'off' else strtol(width)[0]}",
        f"preserve   = {words['preserve']}",
        f"send_libs  = {words['send_libs']}",
        f"timeout    = {strtol(given.last('timeout') or os.environ.get('SBCAST_TIMEOUT', '0'))[0] * 1000}",
        f"verbose    = {given.count('verbose')}",
        f"source     = {source}",
        f"dest       = {place}",
        RULE,
    ):
        app.err(f"sbcast: {line}")


LZ4, OFF = 2, 0xFFFD
"""The number of the compression, and of a tree without branches."""


def _look_up(app: Application, text: str) -> None:
    """Raise `UserError` for a job that ``--jobid`` names and that does not exist."""
    from slimsched.controller.life import selectors
    from slimsched.controller.requests import strangers

    spec = selectors.parse(text.partition(".")[0])
    with app.session(write=False) as ctl:
        if not ctl.cluster.related({spec.job_id}):
            notes = strangers.jobs(ctl.cluster, [spec.job_id])
            raise UserError(f"Failed to load JobId={spec.job_id}: '{Errno.INVALID_JOB_ID.text}'", notes=notes)


def _job(app: Application, text: str) -> tuple[Job, bool]:
    """Return the running job, and whether it really runs."""
    from slimsched.cli.submit import blocking
    from slimsched.controller.life import selectors
    from slimsched.controller.requests import rights

    spec = selectors.parse(text.partition(".")[0])
    with app.session(write=False) as ctl:
        found = [job for job in blocking.records(app, ctl, spec.job_id) if selectors.means(spec, job)]
        error = Errno.INVALID_JOB_ID if not found else Errno.ALREADY_DONE
        if found and not rights.owns(ctl.cluster, found[0]):
            error = Errno.ACCESS_DENIED
        elif any(job.active for job in found):
            return next(job for job in found if job.active), ctl.cluster.config.live
        from slimsched.controller.requests import strangers

        notes = () if found else strangers.jobs(ctl.cluster, [spec.job_id])
        raise UserError(f"Slurm jobid {text} lookup error: {error.text}", notes=notes)


def _copy(source: int, name: str, mode: int, *, force: bool, node: str) -> None:
    """Write the file; it must not be there, unless by force, and then it is replaced whole."""
    fresh = f"{name}.{os.getpid()}" if force else name
    try:
        fd = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        try:
            while block := os.read(source, BLOCK):
                while block:
                    block = block[os.write(fd, block) :]
        finally:
            os.close(fd)
        if force:
            os.replace(fresh, name)
    except OSError as fault:
        raise UserError(f"REQUEST_FILE_BCAST({node}): {fault.strerror}") from None


command = Program("sbcast", OPTIONS, run, summary="Copy a file to the nodes of a job", arguments="SOURCE DEST")
