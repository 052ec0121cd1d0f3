"""The command ``sim sattach``: what the tasks of a running step say, from its first line, and input for them.

A simulated step has no processes, so there it always answers that there is no such step.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

from slimsched.cli.program import RECORDED, STANDARD, Given, Option, Program
from slimsched.errors import UserError
from slimsched.slurm.errno import Errno
from slimsched.text.sizes import is_number

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.executor.local.files import Json

OPTIONS = (
    Option("error-filter", "", "task", "print errors of one task"),
    Option("input-filter", "", "task", "send input to one task"),
    Option("label", "l", "", "task numbers ahead of lines"),
    Option("layout", "", "", "show where the tasks are"),
    Option("output-filter", "", "task", "print output of one task"),
    Option("pty", "", "task", "terminal of one task"),
    Option("quiet", "Q", "", "print less", RECORDED, "there is nothing to leave out"),
    Option("verbose", "v", "", "say how tasks have ended"),
    Option("help", "h", help="show this help"),
    Option("usage", "u", help="show a line of usage"),
    *STANDARD[2:],
)


def run(app: Application, given: Given, args: list[str]) -> int:
    """Print what the tasks of a step say; return the highest exit code of those that end meanwhile."""
    filters = {stream: _task(f"{name}-filter", given.last(f"{name}-filter")) for name, stream in STREAMS.items()}
    terminal = given.has("pty")
    if terminal:
        wanted = _task("pty", given.last("pty"))
    if len(args) != 1:
        app.out(USAGE)
        raise UserError("too many parameters")
    if given.has("quiet") and given.has("verbose"):
        raise UserError("don't specify both --verbose (-v) and --quiet (-Q)")
    if terminal:
        if any(given.has(f"{name}-filter") for name in STREAMS):
            raise UserError("don't specify both --pty and I/O filtering")
        filters = dict.fromkeys(filters, wanted)
    elif not given.has("error-filter"):
        filters[STREAMS["error"]] = filters[STREAMS["output"]]
    folder, tasks = _found(app, args[0])
    if given.has("layout"):
        app.out("\n".join(_layout(tasks["nodes"], tasks["ranks"])))
        return 0
    width = len(str(sum(map(len, tasks["ranks"])) - 1)) if given.has("label") else 0
    with _raw() if terminal else nullcontext():
        return _follow(app, folder, filters, width, verbose=given.has("verbose"))


@contextmanager
def _raw() -> Iterator[None]:
    """Let every key go to the task, as `srun --pty` does."""
    from slimsched.executor.local import terminal

    terminal.make_raw()
    try:
        yield
    finally:
        terminal.restore()


STREAMS = {"input": 0, "output": 1, "error": 2}
EVERY = -1


USAGE = "Usage: sattach [options] <jobid.stepid>"


def _task(option: str, text: str | None) -> int:
    """Return the task that a filter names, `EVERY` for none."""
    if text is None or text.lower() in ("-", "all"):
        return EVERY
    if not is_number(text.strip(), 10):
        raise UserError(f'Invalid numeric value "{text}" for {option}.')
    if int(text) > LARGEST:
        raise UserError(f"Numeric argument {int(text)} to big for {option}.")
    return int(text)


LARGEST = (1 << 31) - 1


def _found(app: Application, text: str) -> tuple[str, Json]:
    """Return the folder of a step that runs, and its tasks. Raises `UserError`."""
    from slimsched.cli.job_ids import job_name
    from slimsched.render.jobs.step_list import steps

    try:
        wanted = job_name(text)
    except UserError:
        raise UserError(f"Bad job/step specification: {text}", level="fatal") from None
    with app.session(write=False) as ctl:
        found = [step for step in steps(ctl.cluster) if wanted.step and step.meant(wanted)]
        if found and found[0].run is not None and ctl.cluster.config.live:
            from slimsched.executor.local import files
            from slimsched.executor.local.owners import step_folder

            folder = step_folder(app.store.data, found[0].job, int(found[0].step))
            if tasks := files.read(folder, "tasks.json"):
                return folder, tasks
        from slimsched.cli.app import SIMULATED
        from slimsched.controller.requests import strangers

        raise _gone((SIMULATED,) if found else strangers.jobs(ctl.cluster, [wanted.job_id]))


def _gone(notes: tuple[str, ...] = ()) -> UserError:
    return UserError(f"Could not get job step info: {Errno.INVALID_JOB_ID.text}", notes=notes)


def _layout(nodes: list[str], ranks: list[list[int]]) -> list[str]:
    """Return where the tasks of a step are, node by node."""
    from slimsched.text import hostlist

    lines = ["Job step layout:"]
    lines += [f"  {sum(map(len, ranks))} tasks, {len(nodes)} nodes ({hostlist.fold(nodes, 'slurm')})", ""]
    for place, (node, here) in enumerate(zip(nodes, ranks, strict=True)):
        lines.append(f"  Node {place} ({node}), {len(here)} task(s): {''.join(f'{rank} ' for rank in here)}")
    return lines


def _follow(app: Application, folder: str, filters: dict[int, int], width: int, *, verbose: bool) -> int:
    from slimsched.executor.local.followers import STATUS, Following
    from slimsched.executor.local.streams import Sink
    from slimsched.executor.local.tasks import flush

    flush()
    sinks = {fd: Sink(fd, width) for fd in (1, 2)}
    following = Following(folder, filters[0])
    code = 0
    for rank, stream, data in following.frames():
        if stream != STATUS:
            if filters[stream] in (EVERY, rank):
                sinks[stream].put(rank, data)
            continue
        ended = os.waitstatus_to_exitcode(int(data))
        if ended > 0:
            app.err(f"sattach: error: task {rank} exited with exit code {ended}")
        elif verbose:
            app.err(f"sattach: task {rank} " + (f"killed by signal {-ended}" if ended else "finished"))
        code = max(code, ended)
    if not following.greeted:
        raise _gone()
    return code


command = Program("sattach", OPTIONS, run, summary="Attach to a running step", arguments="JOBID.STEP")
