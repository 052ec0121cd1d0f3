"""The command ``sim sstat``: the use of running steps, which is empty because nothing is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.cli.listing import print_table, words
from slimsched.cli.program import PLAIN, RECORDED, STANDARD_H, Given, Option, Program
from slimsched.cli.sacct.accounting import columns, style_of
from slimsched.errors import UserError
from slimsched.render.columns import Field, Table

if TYPE_CHECKING:
    from slimsched.cli.app import Application
    from slimsched.model.cluster import Cluster
    from slimsched.render.columns import Getter
    from slimsched.render.jobs.step_list import RunningStep

UNMEASURED = "213503982334-14:25:51"
"""What Slurm prints for a CPU time that it could not measure: all bits set, read as milliseconds."""

SHOWN = {"AveCPU": UNMEASURED, "NTasks": "0", "ConsumedEnergy": "0", "ConsumedEnergyRaw": "0", "AveCPUFreq": "0"}
SHOWN |= dict.fromkeys(("ReqCPUFreqMin", "ReqCPUFreqMax", "ReqCPUFreqGov"), "0")
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
    Option("noconvert", "", "", "no conversion of units", RECORDED, "nothing is measured"),
    Option("noheader", "n", help="no header"),
    Option("parsable", "p", help="print | after each value"),
    Option("parsable2", "P", help="print | between values"),
    Option("pidformat", "i", help="fields of processes (steps have none)"),
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
        rows = [row for text in texts for row in _rows(app, ctl.cluster, text, every=given.has("allsteps"))]
        print_table(app, chosen, rows, style_of(given))
    return 0


def _fields() -> list[Field]:
    """Return the fields: those of ``sacct`` that speak of a step's usage, with nothing in them."""
    from slimsched.render.jobs.sacct_fields import FIELDS

    names = {name for name in DEFAULT.split(",") if name != "jobid"} | {"consumedenergyraw"}
    shown = [field for field in FIELDS if field.names.lower() in names]
    made = [Field.named(field.names, NARROW.get(field.names, field.width), _shown(field.names)) for field in shown]
    own = [
        Field.named("JobID", -12, lambda step: step.name),
        Field.named("Nodelist", 20, lambda step: step.nodes),
        Field.named("Pids", 20, lambda _: ""),
    ]
    return sorted([*made, *own], key=lambda field: field.names.lower())


def _shown(name: str) -> Getter:
    return lambda _: SHOWN.get(name, "")


def _rows(app: Application, cluster: Cluster, text: str, *, every: bool) -> list[RunningStep]:
    """Return the steps that a text names; a job alone stands for its first numbered step, or all of them."""
    from slimsched.cli.job_ids import job_key
    from slimsched.render.jobs.step_list import steps

    wanted = text.partition(".")[2].lower()
    number, task = job_key(text)
    of_job = [step for step in steps(cluster) if number in (step.job.job_id, step.view.array_id)]
    of_job = [step for step in of_job if task is None or task == step.view.task]
    found = [step for step in of_job if wanted in ("", step.step)]
    if not found:
        name = text if wanted else f"No steps running for job {number}"
        app.err(f"sstat: error: {f'StepId={name} not found running.' if wanted else name}")
    if every:
        return of_job if found else []
    return found if wanted else [step for step in found if step.run is not None][:1]


command = Program("sstat", OPTIONS, run, summary="Show what running steps use", arguments="[job[.step],...]")
