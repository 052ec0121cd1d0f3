"""The command ``sbcast``: a file for all nodes of a job. All nodes are this machine, so it is copied once."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from slimsched.cli.program import RECORDED, STANDARD, Given, Option, Program
from slimsched.errors import UserError
from slimsched.slurm.errno import Errno
from slimsched.text import hostlist

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
    Option("preserve", "p", help="keep times and mode"),
    Option("send-libs", "", "[yes|no]", "send the libraries of a program, too", RECORDED, ONE_COPY),
    Option("size", "s", "bytes", "size of a message", RECORDED, ONE_COPY),
    Option("timeout", "t", "seconds", "how long to wait for a node", RECORDED, ONE_COPY),
    Option("treewidth", "", "width", "width of the tree", RECORDED, ONE_COPY),
    Option("verbose", "v", "", "say more", RECORDED, "there are no further messages"),
    *STANDARD,
)
NO_JOB = "Need a job id to run this command.  Run from within a Slurm job or use the --jobid option."
BLOCK = 1 << 20


def run(app: Application, given: Given, args: list[str]) -> None:
    """Copy a file to its place on the nodes of a job."""
    if len(args) != 2:
        raise UserError(f"Need two file names, have {len(args)} names")
    source, place = args
    try:
        with open(source, "rb") as file:
            mode = os.fstat(file.fileno()).st_mode & 0o7777
            job, live = _job(app, given.last("jobid") or os.environ.get("SLURM_JOB_ID", ""))
            if not live:
                app.tell_simulated()
                return
            name = os.path.join(place, os.path.basename(source)) if place.endswith("/") else place
            node = hostlist.expand(job.nodes, dialect="slurm")[0]
            _copy(file.fileno(), name, mode, force=given.has("force"), node=node)
            if given.has("preserve"):
                found = os.fstat(file.fileno())
                os.utime(name, ns=(found.st_atime_ns, found.st_mtime_ns))
    except OSError as fault:
        raise UserError(f"Can't open `{source}': {fault.strerror}") from None


def _job(app: Application, text: str) -> tuple[Job, bool]:
    """Return the running job, and whether it really runs."""
    from slimsched.cli.submit import blocking
    from slimsched.controller.life import selectors

    if not text:
        raise UserError(NO_JOB)
    spec = selectors.parse(text.partition(".")[0])
    with app.session(write=False) as ctl:
        found = [job for job in blocking.records(app, ctl, spec.job_id) if selectors.means(spec, job)]
        if not any(job.active for job in found):
            error = Errno.ALREADY_DONE if found else Errno.INVALID_JOB_ID
            raise UserError(f"Slurm jobid {text} lookup error: {error.text}")
        return next(job for job in found if job.active), ctl.cluster.config.live


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
