"""`sim fault`: faults of Slurm's commands, by a script."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from slimsched.cli.app import Application
from slimsched.cli.own.job_argument import JobArgument, Number
from slimsched.cli.subcommands import COMMANDS, WITHOUT_CLICK
from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.model.job import Fate
    from slimsched.slurm.job_ids import JobId
    from slimsched.state.faults import Fault

EXAMPLES = """\
\b
Examples:
  sim fault add sbatch --times 2 --stderr 'sbatch: error: Socket timed out'
  sim fault add squeue --after 3 --delay 20s
  sim fault add scontrol --unreachable
"""


@click.group("fault", epilog=EXAMPLES)
def command() -> None:
    """Let Slurm's commands fail as they do on a real cluster, the same way in each run.

    A fault belongs to the cluster and holds for whoever runs the command. It is used up exactly once per call, also
    by commands that run at the same time. A command that the cluster refuses for a wrong option uses none up.
    """


@command.command("add")
@click.argument(
    "name", metavar="COMMAND", type=click.Choice([n for n, e in COMMANDS.items() if e.kind in WITHOUT_CLICK])
)
@click.option("--times", metavar="N", type=Number(1), help="Hold for N calls.  [default: until it is cleared]")
@click.option("--after", metavar="N", type=Number(0), default=0, help="Let N calls pass first.")
@click.option("--delay", metavar="DURATION", help="Wait this long, in real time, before anything else.")
@click.option("--stdout", metavar="TEXT", help="Answer with this on standard output, and do no work.")
@click.option("--stderr", metavar="TEXT", help="Answer with this on standard error, and do no work.")
@click.option(
    "--exit", "exit_code", metavar="N", type=Number(0, 255), help="Exit status.  [default: 1 with --stderr, else 0]"
)
@click.option("--run", is_flag=True, help="Do the work all the same: only the answer is lost.")
@click.option("--truncate", metavar="BYTES", type=Number(0), help="Print only the first bytes of the real answer.")
@click.option("--lag", metavar="DURATION", help="sacct: what happened this recently is not in the database yet.")
@click.option("--unreachable", is_flag=True, help="Behave as if the controller, or the database, could not be reached.")
@click.pass_obj
def add(
    app: Application,
    name: str,
    times: int | None,
    after: int,
    delay: str | None,
    stdout: str | None,
    stderr: str | None,
    exit_code: int | None,
    run: bool,
    truncate: int | None,
    lag: str | None,
    unreachable: bool,
) -> None:
    """Add a fault of COMMAND and print its number. Of several, the oldest that is not used up holds."""
    from slimsched.state import faults, layout, setup
    from slimsched.text import times as spans

    def make(number: int) -> Fault:
        return faults.Fault(
            number=number,
            command=name,
            times=times,
            after=after,
            delay=0 if delay is None else spans.duration(delay),
            stdout=stdout,
            stderr=stderr,
            exit_code=exit_code,
            run=run,
            truncate=truncate,
            unreachable=unreachable,
            lag=0 if lag is None else spans.duration(lag),
        )

    _check(make(0))
    folder = layout.locate(app.state)
    setup.ensure(folder)
    app.out(str(faults.add(folder, make).number))


def _check(fault: Fault) -> None:
    """Raise `UserError` if a fault contradicts itself, does nothing, or needs words that nobody knows."""
    from slimsched.cli.faults import REACHING

    ends = (fault.answers, fault.truncate is not None, fault.unreachable)
    if sum(ends) > 1:
        raise UserError("an answer (--stdout, --stderr, --exit), --truncate and --unreachable exclude each other")
    if not any(ends) and not fault.delay and not fault.lag:
        raise UserError("say what goes wrong: --stdout, --stderr, --exit, --truncate, --unreachable, --lag or --delay")
    if fault.lag and fault.command != "sacct":
        raise UserError("--lag is there for sacct")
    if fault.run and not fault.answers:
        raise UserError("--run needs the answer that is given: --stdout, --stderr or --exit")
    if fault.unreachable and fault.command not in REACHING:
        raise UserError(
            f"what {fault.command} says when nobody can be reached is not known; give it with --stderr",
            notes=(f"--unreachable is there for {', '.join(REACHING)}",),
        )


@command.command("job")
@click.argument("spec", metavar="JOBID", type=JobArgument())
@click.argument("word", metavar="[STATE]", required=False)
@click.option("--in", "after", metavar="DURATION", help="When, from now on.  [default: when the job would end anyway]")
@click.option(
    "--exit", "exit_code", metavar="N", type=Number(0, 255), help="Exit with this code: FAILED, or COMPLETED."
)
@click.option("--signal", "number", metavar="SIGNAL", help="FAILED, as if by this signal: KILL, 9.")
@click.pass_obj
def job(
    app: Application, spec: JobId, word: str | None, after: str | None, exit_code: int | None, number: str | None
) -> None:
    """Let a job end in STATE.

    STATE is OUT_OF_MEMORY, NODE_FAIL, PREEMPTED, FAILED and so on.

    A job that waits runs for DURATION once it has started. A time limit that comes first still ends it, and so does
    its own end. What is decided holds for one run. Submissions take the state as --sim-state.
    """
    from slimsched.controller.life import fates
    from slimsched.text import times as spans

    fate = _fate(word, exit_code, number, None if after is None else spans.duration(after))
    with app.session() as ctl:
        fates.decide(ctl, spec, fate)


def _fate(word: str | None, exit_code: int | None, name: str | None, after: int | None) -> Fate:
    """Return what the words mean; raise `UserError` for words that contradict each other."""
    from slimsched.executor import fates
    from slimsched.slurm import states
    from slimsched.text import signals

    number = signals.number(name) if name is not None else 0
    if name is not None and not number:
        raise UserError(f"{name!r} is not a signal")
    if (word is not None) + (exit_code is not None) + (name is not None) != 1:
        raise UserError("say how the job ends: STATE, --exit N or --signal SIGNAL")
    state = states.job_state(word) if word is not None else states.FAILED if exit_code or number else states.COMPLETED
    if state is None or state not in states.ENDS:
        raise UserError(f"{word!r} is not a state that a job ends in; those are {', '.join(sorted(states.ENDS))}")
    return fates.decided(state, exit_code, number, after)


@command.command("node")
@click.argument("names", metavar="HOSTLIST")
@click.option("--in", "after", metavar="DURATION", help="When, from now on.  [default: now]")
@click.pass_obj
def node(app: Application, names: str, after: str | None) -> None:
    """Let nodes fail.

    They are down, and what runs on them is requeued or ends as NODE_FAIL;
    sim scontrol update nodename=HOSTLIST state=resume brings them back.
    """
    from slimsched.controller.update import failing_nodes
    from slimsched.text import times as spans

    seconds = 0 if after is None else spans.duration(after)
    with app.session() as ctl:
        failing_nodes.fail_nodes(ctl, names, seconds)


@command.command("list")
@click.pass_obj
def listed(app: Application) -> None:
    """List the faults that hold.

    Each line has its number, and the words that would add it with what is left of its counts.
    """
    from slimsched.state import faults, layout

    for fault in faults.load(layout.locate(app.state)):
        app.out(f"{fault.number}: {_words(fault)}")


def _words(fault: Fault) -> str:
    from shlex import join

    given = {
        "times": fault.times,
        "after": fault.after or None,
        "delay": f"{fault.delay}s" if fault.delay else None,
        "lag": f"{fault.lag}s" if fault.lag else None,
        "stdout": fault.stdout,
        "stderr": fault.stderr,
        "exit": fault.exit_code,
        "truncate": fault.truncate,
    }
    words = [word for name, value in given.items() if value is not None for word in (f"--{name}", str(value))]
    flags = ["--run"] * fault.run + ["--unreachable"] * fault.unreachable
    return join([fault.command, *words, *flags])


@command.command("clear")
@click.argument("numbers", metavar="[NUMBER]...", nargs=-1, type=Number(1))
@click.pass_obj
def clear(app: Application, numbers: tuple[int, ...]) -> None:
    """Remove the faults with these numbers, or all of them."""
    from slimsched.state import faults, layout, setup

    folder = layout.locate(app.state)
    setup.ensure(folder)
    missing = faults.clear(folder, numbers)
    if missing:
        raise UserError(f"no such fault: {', '.join(map(str, missing))}")
