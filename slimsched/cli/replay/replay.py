"""`sim replay`: put a recorded workload through the scheduler."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from slimsched.cli.app import Application
from slimsched.cli.replay.numbers import FACTOR
from slimsched.cli.watching import INTERRUPTED, watching
from slimsched.errors import UserError

if TYPE_CHECKING:
    from slimsched.cli.watching import Bar
    from slimsched.replay.machine import Machine
    from slimsched.replay.run import Run
    from slimsched.replay.trace import Trace

OWN = "of the cluster"
"""The name of the policy that the file of a cluster has."""

FORMATS = ("swf", "events", "sacct", "csv")

EXAMPLES = """\
\b
Examples:
  sim replay KTH-SP2.swf.gz --procs 100 --policy easy
  sim replay trace.swf --nodes 64 --cpus 16 --policy conservative --out run1
  sim replay week.events.gz --cluster slurm.conf --pace slurm --jobs 5000
  sim replay trace.swf --policy fcfs --starts starts.csv --estimates exact
"""


@click.command(name="replay", epilog=EXAMPLES)
@click.argument("trace")
@click.option("--procs", type=click.IntRange(1), metavar="N", help="A pool of N processors.  [default: the header's]")
@click.option("--nodes", type=click.IntRange(1), metavar="N", help="N nodes, which jobs get whole.")
@click.option("--cpus", type=click.IntRange(1), metavar="C", help="Processors of each node.  [default: 1]")
@click.option(
    "--cluster", metavar="PLACE",
    help="The cluster of a slurm.conf or cluster.toml, or of a state directory with its accounts.",
)  # fmt: skip
@click.option(
    "--policy",
    metavar="POLICY",
    help="fcfs, easy, conservative, slurm-backfill, or NAME=PARAMETER,... of your own.  "
    "[default: easy, with --cluster the file's]",
)
@click.option("--from", "start", type=int, metavar="JOB", help="Begin with the job of this number.")
@click.option("--jobs", type=click.IntRange(1), metavar="N", help="Replay so many jobs.")
@click.option(
    "--scale-load", type=FACTOR, default=1.0, metavar="F",
    help="Let jobs arrive F times as fast.",
)  # fmt: skip
@click.option(
    "--estimates", default="user", metavar="WHICH",
    help="Plan with the user's estimates, exact run times, or xF: F times the run times.  [default: user]",
)  # fmt: skip
@click.option("--kill", is_flag=True, help="End jobs at their users' estimates, though they ran longer.")
@click.option(
    "--pace", type=click.Choice(["fast", "slurm"]), default="fast",
    help="Pass at every change, or in slurmctld's rhythm.  [default: fast]",
)  # fmt: skip
@click.option("--plans", is_flag=True, help="Keep the start that each job was first promised; slower.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="The format of the trace.  [default: as it looks]")
@click.option("--events", metavar="FILE", help="Change the cluster on the way: lines SECONDS scontrol update ...")
@click.option("--starts", metavar="FILE", help="Write job,start to FILE, in the trace's own seconds; - for the screen.")
@click.option("--out", metavar="DIR", help="Write jobs.csv, summary.json and run.json to DIR.")
@click.option("--parquet", is_flag=True, help="Write Parquet files beside the CSV of --out DIR (needs pyarrow).")
@click.option("--resume", is_flag=True, help="Go on with the run in --out DIR that was interrupted.")
@click.pass_obj
def command(
    app: Application,
    /,
    trace: str,
    *,
    policy: str | None,
    start: int | None,
    jobs: int | None,
    scale_load: float,
    estimates: str,
    kill: bool,
    pace: str,
    plans: bool,
    form: str | None,
    events: str | None,
    starts: str | None,
    out: str | None,
    parquet: bool,
    resume: bool,
    **shape: Any,
) -> int:
    """Replay TRACE, a workload that was recorded (- for standard input), and print how long jobs waited.

    TRACE is in the Standard Workload Format, an event file of the UB-HPC simulator, what sacct --parsable2 prints, or
    CSV; packed by gzip or not. Jobs that ask for more than the machine are refused and counted. At one instant jobs end
    first, then all submissions come, then one scheduling pass.
    """
    from slimsched.cli.replay.words import changer, parser
    from slimsched.replay import changes, formats, frames, policies, requests
    from slimsched.replay.run import Plan, Run
    from slimsched.replay.trace import Choice, Trace, notes

    if resume and not out:
        raise UserError("--resume needs the --out DIR of the run that was interrupted")
    if parquet:
        if not out:
            raise UserError("--parquet goes with --out DIR")
        frames.check()
    planned = requests.estimates(estimates, kill=kill)
    with _readable(trace) as path:
        read = Trace(path, formats.find(path, form), Choice(start, jobs, scale_load))
        for note in notes(read.survey):
            app.note(note)
        machine = _machine(read, **shape)
        chosen = None if policy is None and machine.file else policies.find(policy or "easy")
        options = {
            "trace": os.path.basename(trace), "policy": chosen.name if chosen else OWN,
            "settings": chosen.settings if chosen else {}, "machine": machine._asdict(), "from": start, "jobs": jobs,
            "load": scale_load, "estimates": estimates, "kill": kill, "pace": pace, "plans": plans,
            "events": changes.fingerprint(events),
        }  # fmt: skip
        altered = changes.Changes(events, changer()) if events else None
        plan = Plan(read, machine, chosen, planned, pace, plans, altered, parser(app), out or "", options)
        run = Run(plan, keep=starts is not None)
        if resume:
            run.resume()
        with watching(lambda: _bar(read.survey.jobs)) as watch:
            finished = run.go(watch)
    if parquet and finished:
        for name, kind in run.tables:
            frames.write(os.path.join(run.plan.out, name), kind)
    _report(app, run, starts)
    return 0 if finished else INTERRUPTED


def _machine(trace: Trace, *, procs: int | None, nodes: int | None, cpus: int | None, cluster: str | None) -> Machine:
    """Return the machine that the options describe, without any that of the trace's header."""
    from slimsched.replay.machine import Machine

    if sum(value is not None for value in (procs, nodes, cluster)) > 1:
        raise UserError("give one of --procs, --nodes and --cluster")
    if cpus is not None and nodes is None:
        raise UserError("--cpus goes with --nodes")
    if cluster is not None:
        return Machine(file=cluster)
    if nodes is not None:
        return Machine(cpus or 1, nodes)
    header = trace.survey.header
    told = next((header[key] for key in ("MaxProcs", "MaxNodes") if header.get(key, "").isdecimal()), None)
    if procs is None and told is None:
        raise UserError(
            f"{trace.path}: the trace does not say how large its machine was; give --procs, --nodes or --cluster",
            notes=(f"the largest job has {trace.survey.largest} processors",),
        )
    return Machine(1, procs or int(told or 0), pool=True)


@contextmanager
def _readable(trace: str) -> Iterator[str]:
    """Yield the path of a trace; standard input is copied, since it is read twice."""
    if trace != "-":
        yield trace
        return
    import tempfile

    with tempfile.NamedTemporaryFile("w", suffix=".trace", encoding="utf-8") as copy:
        copy.writelines(sys.stdin)
        copy.flush()
        yield copy.name


def _report(app: Application, run: Run, starts: str | None) -> None:
    """Print the metrics, and write the starts."""
    from slimsched.render.replay import metrics

    if starts is not None:
        text = "job,start\n" + "".join(f"{job},{start}\n" for job, start in sorted(run.starts))
        if starts == "-":
            app.out(text, end="")
        else:
            with open(starts, "w", encoding="ascii") as out:
                out.write(text)
    if starts != "-":
        app.out("\n".join(metrics.table(run.summary)))
    for why, count in sorted(run.replay.refusals.items()):
        app.note(f"{count} jobs refused: {why}")
    if run.replay.cut:
        app.note(f"{run.replay.cut} runs were cut short, and began anew")
    if not run.finished:
        left = run.plan.trace.survey.jobs - run.replay.submitted
        app.note(f"interrupted: {left} jobs were not submitted yet, {len(run.replay.here)} were waiting or running")
        if run.plan.out:
            app.note("--resume goes on")


def _bar(jobs: int) -> Bar:
    from slimsched.render.progress import JobsBar

    return JobsBar(jobs)
