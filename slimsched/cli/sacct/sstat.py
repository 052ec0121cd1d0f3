"""The command ``sim sstat``: what running steps use; nothing is measured of simulated ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.cli.listing import print_table, words
from slimsched.cli.program import PLAIN, RECORDED, STANDARD_H, Given, Option, Program
from slimsched.cli.sacct.accounting import columns, style_of
from slimsched.errors import UserError
from slimsched.render.columns import Field, Table
from slimsched.slurm.errno import Errno
from slimsched.text.hostlist import expand

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.executor.local.usage import Task
    from slimsched.model.cluster import Cluster
    from slimsched.render.jobs.step_list import RunningStep
    from slimsched.render.jobs.step_usage import UsageRow

PIDS = "jobid,nodelist,pids"
NARROW = {"AveDiskRead": 12, "AveDiskWrite": 12}  # than in sacct

DEFAULT = (
    "jobid,alloctres,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,maxrssnode,maxrsstask,averss,maxpages,"
    "maxpagesnode,maxpagestask,avepages,mincpu,mincpunode,mincputask,avecpu,ntasks,avecpufreq,reqcpufreqmin,"
    "reqcpufreqmax,reqcpufreqgov,consumedenergy,maxdiskread,maxdiskreadnode,maxdiskreadtask,avediskread,maxdiskwrite,"
    "maxdiskwritenode,maxdiskwritetask,avediskwrite,tresusageinave,tresusageinmax,tresusageinmaxnode,"
    "tresusageinmaxtask,tresusageinmin,tresusageinminnode,tresusageinmintask,tresusageintot,tresusageoutave,"
    "tresusageoutmax,tresusageoutmaxnode,tresusageoutmaxtask,tresusageoutmin,tresusageoutminnode,tresusageoutmintask,"
    "tresusageouttot"
)

OPTIONS = (
    Option("allsteps", "a", help="all steps of the jobs"),
    Option("format", "o", "format", "fields: JobID,MaxRSS%20"),
    Option("fields", "", "format", alias_of="format"),
    Option("helpformat", "e", help="list the fields"),
    Option("jobs", "j", "jobs", "these jobs or steps"),
    Option("noconvert", "", "", "no conversion of units", RECORDED, "the units are always the same"),
    Option("noheader", "n", help="no header"),
    Option("parsable", "p", help="print | after each value"),
    Option("parsable2", "P", help="print | between values"),
    Option("pidformat", "i", help="the processes of the steps on each node"),
    Option("verbose", "v", "", "say more", RECORDED, "there are no further messages"),
    PLAIN,
    *STANDARD_H,
)


def run(app: Application, given: Given, args: list[str]) -> int | None:
    """List the running steps that were named."""
    table = Table(_fields(), shortened=True, every="ALL")
    if given.has("helpformat"):
        app.out(table.names())
        return 0
    texts = list(dict.fromkeys(word for text in [*given.all("jobs"), *args[:1]] for word in words(text)))
    if not texts:
        raise UserError("You didn't give me any jobs to stat.")
    wanted = [PIDS] if given.has("pidformat") else []
    chosen = columns(table, ",".join([*wanted, *given.all("format")]) or DEFAULT)
    with app.session(write=False) as ctl:
        steps = [step for text in texts for step in _steps(app, ctl.cluster, text, every=given.has("allsteps"))]
        place = app.store.data if ctl.cluster.config.live else ""
        steps = [step for step in steps if not _refused(app, ctl.cluster, step)]
        rows = [row for step in steps for row in _rows(step, place, by_node=given.has("pidformat"))]
        print_table(app, chosen, rows, style_of(given))
    return 0


def _refused(app: Application, cluster: Cluster, step: RunningStep) -> bool:
    """Whether the user who asks may not look at the processes of a step: each of its nodes says so."""
    from slimsched.controller.requests import rights

    if rights.owns(cluster, step.job) or rights.trusted(cluster):
        return False
    denied = Errno.USER_ID_MISSING.text
    for node in expand(step.nodes):
        app.err(f"sstat: error: slurm_job_step_stat: there was an error with the request to {node} rc = {denied}")
    app.err(f"sstat: error: problem getting step_layout for StepId={step.name}: {denied}")
    return True


def _fields() -> list[Field]:
    """Return the fields: those of ``sacct`` that speak of a step's usage, and a few of their own."""
    from slimsched.render.jobs.sacct_fields import FIELDS
    from slimsched.render.jobs.step_usage import OWN, shown

    names = {name for name in DEFAULT.split(",") if name != "jobid"} | {"consumedenergyraw"}
    found = [field for field in FIELDS if field.names.lower() in names]
    made = [Field.named(field.names, NARROW.get(field.names, field.width), shown(field.names)) for field in found]
    return sorted([*made, *OWN], key=lambda field: field.names.lower())


def _rows(step: RunningStep, place: str, *, by_node: bool) -> list[UsageRow]:
    """Return the line of a step, or one for each node that has processes; ``place``: that of runs, "" for none."""
    from slimsched.render.jobs.step_usage import Measured, UsageRow

    tasks = tasks_of(step, place) if place else []
    if not by_node or not tasks:
        return [UsageRow(step, [Measured(task.rank, task.node, task.used()) for task in tasks])]
    pids: dict[str, list[int]] = {}
    for task in tasks:
        pids.setdefault(task.node, []).extend(task.pids)
    return [UsageRow(step, (), node, found) for node, found in pids.items()]


def tasks_of(step: RunningStep, place: str) -> list[Task]:
    """Return the tasks of a step that run here; ``place``: that of the runs."""
    from slimsched.executor.local import owners, usage

    if step.run is not None:
        return usage.of_step(owners.step_folder(place, step.job, int(step.step)))
    return usage.of_script(owners.folder_of(place, step.job), step.view.batch_host)


def _steps(app: Application, cluster: Cluster, text: str, *, every: bool) -> list[RunningStep]:
    """Return the steps that a text names; a job alone stands for its first numbered step, or all of them."""
    from slimsched.cli.job_ids import job_key
    from slimsched.controller.requests import strangers
    from slimsched.render.jobs.step_list import steps

    wanted = text.partition(".")[2].lower()
    number, task = job_key(text)
    of_job = [step for step in steps(cluster) if number in (step.job.job_id, step.view.array_id)]
    of_job = [step for step in of_job if task is None or task == step.view.task]
    found = [step for step in of_job if wanted in ("", step.step)]
    if not found:
        name = text if wanted else f"No steps running for JobId={number}"
        app.err(f"sstat: error: {f'StepId={name} not found running.' if wanted else name}")
        app.remarks += strangers.jobs(cluster, [number])
    if every:
        return of_job if found else []
    return found if wanted else [step for step in found if step.run is not None][:1]


command = Program("sstat", OPTIONS, run, summary="Show what running steps use", arguments="[job[.step],...]")
