"""``srun`` for components of a heterogeneous job: ``srun A : B``, ``srun --het-group=0,1 A``.

The tasks of all components run as one: their numbers go on from one component to the next.
Source: the guide Heterogeneous Job Support, Launching Applications; scenarios het_batch, het_cmdline.
"""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, NamedTuple

from slimsched.cli.program import STANDARD_H, Given
from slimsched.cli.submit import allocation, blocking, components, drafts, environment, step_jobs
from slimsched.cli.submit.options.request import Draft, Reading, read
from slimsched.errors import SyntaxFault, UserError
from slimsched.slurm.getopt import Scanner
from slimsched.slurm.options import options_of
from slimsched.text import hostlist, idset

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.cli.app import Application
    from slimsched.cli.submit.step import StepCall
    from slimsched.controller.core import Controller
    from slimsched.executor.local.files import Json
    from slimsched.executor.local.tasks import Plan
    from slimsched.model.job import Job

OPTIONS = options_of("s")
NONE_THERE = "No directives to start application on any available hetjob components"
BEYOND = "Requested het-group offset exceeds highest hetjob index ({} > {})"


class Part(NamedTuple):
    """What stands between two ``:``: options and a command."""

    line: list[Reading]
    words: list[str]


def run(app: Application, given: Given, args: list[str]) -> int:
    """Run each part of the command line in its components; return the highest exit code."""
    parts = _parts(given, args)
    text = Draft(environment.read("SLURM", OPTIONS), parts[0].line).other.get("jobid")
    if not text:
        return _outside(app, given, parts)
    with app.session() as ctl:
        job, job_id = step_jobs.allocation_of(app, ctl, text)
        app.refusal = f"Unable to create step for job {job_id}: "
        chosen = _chosen(app, ctl, job, parts)
        if not ctl.cluster.config.live:
            for one, made, words in chosen:
                step_jobs.simulate(ctl, one, made, os.path.basename(words[0]))
            app.tell_simulated()
            return 0
        calls = _begun(app, ctl, chosen)
        batch = job.has_script
    record = _launch(app, calls)
    if not batch:  # nobody else notices the end of the last step of an allocation that is to end
        with app.session():
            pass
    return int(record["status"])


def _parts(given: Given, args: list[str]) -> list[Part]:
    """Cut the command line at each ``:``; a part without a command has that of the next one."""
    lines, commands = [read(given.pairs)], []
    while components.SEPARATOR in args:
        place = args.index(components.SEPARATOR)
        commands.append(args[:place])
        scanner = Scanner("srun", (*OPTIONS, *STANDARD_H), args[place + 1 :], posix=True, exit_code=255)
        lines.append(read(scanner))
        args = scanner.rest
    commands.append(args)
    for place in reversed(range(len(commands) - 1)):
        commands[place] = commands[place] or commands[place + 1]
    if not commands[-1]:
        raise UserError("No command given to execute.", level="fatal")
    return [Part(line, words) for line, words in zip(lines, commands, strict=True)]


def _groups(app: Application, part: Part, place: int) -> list[int]:
    """Return the components that a part is for: those of ``--het-group``, else the one at its place."""
    text = next((r.text for r in reversed(part.line) if r.option.name == "het-group"), None)
    if text is None:
        return [place]
    try:
        return idset.decode(text)
    except SyntaxFault:
        app.err(f"srun: error: _parse_single_range: Invalid range: `{text}'")
        raise UserError(f"Invalid --het-group value: {text}") from None


def _chosen(app: Application, ctl: Controller, job: Job, parts: list[Part]) -> list[tuple[Job, Draft, list[str]]]:
    """Return each component that a step is to be made in, with the options and the command for it."""
    every = {one.het_job_offset: one for one in ctl.cluster.components(job)}
    most = max(job.het_size - 1, 0)
    found: dict[int, tuple[Job, Draft, list[str]]] = {}
    carried: list[Reading] = []
    for place, part in enumerate(parts):
        for group in _groups(app, part, place):
            if group > most:
                raise UserError(BEYOND.format(group, most))
            if not job.het_job_id or group not in every:
                raise UserError(NONE_THERE)
            made = drafts.draft(app, "SLURM", OPTIONS, part.line, carried, group)
            found[group] = every[group], made, part.words
        carried = [*carried, *(reading for reading in part.line if reading.option.name in components.PROPAGATED)]
    return [found[group] for group in sorted(found)]


def _outside(app: Application, given: Given, parts: list[Part]) -> int:
    """Run all parts in an allocation of their own."""
    every = components.merged(app, "SLURM", OPTIONS, [part.line for part in parts], [])
    words = parts[0].words
    fields = {"name": os.path.basename(words[0]), "command": words[0], "script_args": words[1:]}
    job = allocation.obtain(app, every[0], given, shlex.join(words), others=every[1:], **fields)
    if not app.live:
        app.tell_simulated()
        with allocation.cancelled_by_interrupt(app, job.job_id):
            return blocking.until(app, _over(app, job.job_id), lambda ctl: step_jobs.ended(app, ctl, job.job_id))
    with allocation.kept_for(app, job.job_id):
        with app.session() as ctl:
            app.refusal = f"Unable to create step for job {job.job_id}: "
            jobs = ctl.cluster.components(ctl.cluster.jobs[job.job_id])
            commands = [part.words for part in parts]
            calls = _begun(app, ctl, list(zip(jobs, every, commands, strict=True)))
        record = _launch(app, calls)
    allocation.give_back(app, job.job_id, *record["last"], cancelled=bool(record["why"]))
    return int(record["status"])


def _over(app: Application, job_id: int) -> Callable[[Controller], bool]:
    return lambda ctl: all(record.finished for record in blocking.records(app, ctl, job_id))


Begun = list[tuple["StepCall", "Job", bool]]  # with the job of each step, and whether it has begun


def _begun(app: Application, ctl: Controller, chosen: list[tuple[Job, Draft, list[str]]]) -> Begun:
    """Make the steps for which there is room now."""
    from slimsched.cli.submit.step import StepCall

    calls = [(StepCall(app, made, words), job) for job, made, words in chosen]
    return [(call, job, call.begin(ctl, job)) for call, job in calls]


def _launch(app: Application, calls: Begun) -> Json:
    """Wait for room where there was none, and run all steps as one; return the record of the end of the whole."""
    from slimsched.executor.local import afterwards, files, joint, tasks
    from slimsched.executor.local.step import StepRun

    for call, job, begun in calls:
        if not begun:
            call.wait(job.job_id)
    if len(calls) == 1:
        return calls[0][0].launch()
    plans = [call.plan for call, _, _ in calls if call.plan is not None]
    whole = joint.joined(plans, _shared(plans, calls[0][1].het_job_id))
    step = StepRun(whole, lambda say: joint.JointExits(plans, whole, say))
    tasks.flush()
    record = step.run()
    assert isinstance(step.exits, joint.JointExits)
    for plan, own in zip(plans, step.exits.records(), strict=True):
        files.write(plan.folder, "end.json", {**record, **own}, durable=False)
        files.let_go(plan.folder)
    afterwards.ring(app.store.folder)
    return record


def _shared(plans: list[Plan], job_id: int) -> dict[str, str]:
    """Return the variables by which the tasks of all steps know themselves as one application."""
    from slimsched.executor.environment import repeated

    nodes = [name for plan in plans for name in plan.nodes]
    tasks = str(sum(len(plan.words) for plan in plans))
    counts = repeated([len(here) for plan in plans for here in plan.ranks])
    listed = hostlist.fold(nodes, "slurm")
    return {
        **dict.fromkeys(("SLURM_NTASKS", "SLURM_NPROCS", "SLURM_STEP_NUM_TASKS"), tasks),
        **dict.fromkeys(("SLURM_NNODES", "SLURM_JOB_NUM_NODES", "SLURM_STEP_NUM_NODES"), str(len(nodes))),
        **dict.fromkeys(("SLURM_NODELIST", "SLURM_JOB_NODELIST", "SLURM_STEP_NODELIST"), listed),
        **dict.fromkeys(("SLURM_TASKS_PER_NODE", "SLURM_STEP_TASKS_PER_NODE"), counts),
        **dict.fromkeys(("SLURM_JOBID", "SLURM_JOB_ID"), str(job_id)),
    }
