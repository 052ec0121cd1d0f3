"""The fields of ``sacct``, in the order of ``--helpformat``; a field without a value is empty."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from slimsched.model.account import NORMAL
from slimsched.render.columns import Field, Format, Table
from slimsched.render.jobs import facts
from slimsched.render.jobs.file_names import expand
from slimsched.render.jobs.sacct_rows import AccountingRow
from slimsched.render.units import stamp
from slimsched.text.times import elapsed, limit

if TYPE_CHECKING:
    from slimsched.model.job import Ended
    from slimsched.render.jobs.job_view import View

Text = Callable[[AccountingRow], str]
ZERO = "00:00:00"


def _job(name: str, width: int, text: Text, *, whole: bool = False) -> Field:
    """Return a field that only jobs have."""
    return Field.named(name, width, lambda row: "" if row.step else text(row), whole=whole)


def _late(name: str, width: int, text: Text) -> Field:
    """Return a field that accounting gets when a job has ended."""
    return _job(name, width, lambda row: text(row) if row.job.finished else "")


def _step(name: str, width: int, text: str) -> Field:
    """Return a field that only steps have: nothing is measured, so it is the same for all."""
    return Field.named(name, width, lambda row: text if row.step else "")


def _none(name: str, width: int) -> Field:
    """Return a field of what is never measured here."""
    return Field.named(name, width, lambda _: "")


def _measured(name: str, width: int, text: Callable[[AccountingRow, Ended], str]) -> Field:
    """Return a field of what was measured of a step's processes, where they really ran."""
    return Field.named(name, width, lambda row: text(row, row.script) if row.step and row.script else "")


def _processor(row: AccountingRow, *kinds: str) -> str:
    """Return the processor time of some kinds that was measured: ``00:00.025``."""
    seconds = sum(getattr(row.script, kind) for kind in kinds) if row.script else 0.0
    if seconds < 3600:
        return f"{int(seconds // 60):02}:{seconds % 60:06.3f}" if row.script else ZERO
    return elapsed(int(seconds), full=True)


def _count(name: str, width: int, number: Callable[[AccountingRow], int]) -> Field:
    return Field.named(name, width, lambda row: str(number(row)), whole=True)


def _span(name: str, width: int, seconds: Callable[[AccountingRow], int]) -> Field:
    return Field.named(name, width, lambda row: elapsed(seconds(row), full=True), whole=True)


def _when(name: str, seconds: Callable[[AccountingRow], int], unset: Text = lambda _: "Unknown") -> Field:
    return Field.named(name, 19, lambda row: stamp(seconds(row), row.view.now, unset(row)), dated=True)


def write_out_patterns(wanted: Format) -> None:
    """Let the columns of files show their names written out (``--expand-patterns``)."""
    for column in wanted.columns:
        if column.field and column.field.names in ("StdErr", "StdIn", "StdOut"):
            column.field = Field.named(column.field.names, column.width, _written_out(column.field))


def _written_out(field: Field) -> Text:
    return lambda row: expand(field.text(row), row.view)


def _time_limit(row: AccountingRow) -> str:
    return row.limit if isinstance(row.limit, str) else limit(row.limit, full=True)


def _frequencies() -> list[Field]:
    names = (("ReqCPUFreq", 10), ("ReqCPUFreqGov", 13), ("ReqCPUFreqMax", 13), ("ReqCPUFreqMin", 13))
    return [
        Field.named(name, width, lambda row: "0" if row.step and row.run is None else "Unknown")
        for name, width in names
    ]


def _usage(direction: str, width: int, order: str, known: tuple[str, ...]) -> list[Field]:
    """Return the fields of what a step used: energy is known, and it is none."""
    wider = {"MaxNode", "MaxTask", "MinNode", "MinTask"}
    made = []
    for kind in order.split():
        size = width + 4 if kind in wider else width
        name = f"TRESUsage{direction}{kind}"
        made.append(_step(name, size, "energy=0") if kind in known else _none(name, size))
    return made


OWN: Sequence[Field | str] = (
    Field.named("Account", 10, lambda row: row.account),
    "AdminComment",
    _count("AllocCPUS", 10, lambda row: row.cpus),
    Field.named("AllocNodes", 10, lambda row: str(row.node_count if row.job.nodes else 0)),
    Field.named("AllocTRES", 10, lambda row: row.tres(allocated=True)),
    _count("AssocID", 7, lambda row: row.association),
    _measured("AveCPU", 10, lambda row, ended: elapsed(int(ended.user + ended.system), full=True)),
    _step("AveCPUFreq", 10, "0"),
    _none("AveDiskRead", 14),
    _none("AveDiskWrite", 14),
    _none("AvePages", 10),
    _measured("AveRSS", 10, lambda row, ended: f"{ended.rss}K"),
    _none("AveVMSize", 10),
    _none("BlockID", 16),
    Field.named("Cluster", 10, lambda row: row.view.cluster_name),
    "Comment Constraints",
    _step("ConsumedEnergy", 14, "0"),
    _step("ConsumedEnergyRaw", 17, "0"),
    "Container",
    _span("CPUTime", 10, lambda row: row.elapsed * row.cpus),
    _count("CPUTimeRAW", 10, lambda row: row.elapsed * row.cpus),
    _count("DBIndex", 10, lambda row: row.job.submit_time << 24 | row.job.job_id),
    _job("DerivedExitCode", 15, lambda row: "{}:{}".format(*row.derived)),
    _span("Elapsed", 10, lambda row: row.elapsed),
    _count("ElapsedRaw", 10, lambda row: row.elapsed),
    _when("Eligible", lambda row: row.start if row.step else row.job.resize_time or row.job.eligible_time),
    _when("End", lambda row: row.end),
    "Exclusive",
    Field.named("ExitCode", 8, lambda row: row.exit),
    _late("Extra", 19, lambda row: row.asked.extra or ""),
    _job("FailedNode", 15, lambda row: row.job.failed_node),
    _job("Flags", 19, lambda row: ",".join(row.flags)),
    "GID Group",
    Field.named("JobID", -12, lambda row: row.name),
    Field.named("JobIDRaw", -12, lambda row: row.raw),
    Field.named("JobName", 10, lambda row: row.title),
    Field.named("Layout", 9, lambda row: row.layout or ("Unknown" if row.step else "")),
    "Licenses",
    _none("MaxDiskRead", 12),
    _none("MaxDiskReadNode", 15),
    _none("MaxDiskReadTask", 15),
    _none("MaxDiskWrite", 12),
    _none("MaxDiskWriteNode", 16),
    _none("MaxDiskWriteTask", 16),
    _none("MaxPages", 8),
    _none("MaxPagesNode", 12),
    _none("MaxPagesTask", 14),
    _measured("MaxRSS", 10, lambda row, ended: f"{ended.rss}K"),
    _measured("MaxRSSNode", 10, lambda row, ended: row.largest_node),
    _measured("MaxRSSTask", 10, lambda row, ended: str(row.run.largest if row.run else 0)),
    _none("MaxVMSize", 10),
    _none("MaxVMSizeNode", 14),
    _none("MaxVMSizeTask", 14),
    "McsLabel",
    _measured("MinCPU", 10, lambda row, ended: elapsed(int(ended.user + ended.system), full=True)),
    _measured("MinCPUNode", 10, lambda row, ended: row.nodes),
    _measured("MinCPUTask", 10, lambda row, ended: "0"),
    _count("NCPUS", 10, lambda row: row.cpus),
    _count("NNodes", 8, lambda row: row.node_count),
    Field.named("NodeList", 15, lambda row: row.nodes),
    Field.named("NTasks", 8, lambda row: str(row.tasks) if row.step else "", whole=True),
    _job("OriginalSLUID", 14, lambda row: row.view.sluid),
    "OverSubscribe Partition",
    _job("Planned", 10, lambda row: elapsed(row.planned, full=True), whole=True),
    _job("PlannedCPU", 10, lambda row: elapsed(row.planned * row.view.requested_cpus, full=True), whole=True),
    _job("PlannedCPURAW", 13, lambda row: str(row.planned * row.view.requested_cpus), whole=True),
    "Priority",
    _job("QOS", 10, lambda row: row.qos),
    _job("QOSRAW", 6, lambda row: row.qos_id),
    _job("QOSREQ", 10, lambda row: row.asked.qos if row.asked.qos != NORMAL else ""),
    _job("Reason", 22, lambda row: row.reason),
    *_frequencies(),
    Field.named("ReqCPUS", 8, lambda row: str(row.cpus if row.step else row.view.requested_cpus), whole=True),
    _job("ReqMem", 10, lambda row: row.memory(row.requested_memory)),
    Field.named("ReqNodes", 8, lambda row: str(row.node_count if row.step else row.view.min_nodes)),
    _job("ReqTRES", 10, lambda row: row.tres(allocated=False)),
    _job("Reservation", 20, lambda row: row.job.resv_name),
    _none("ReservationId", 8),
    "ReqReservation Restarts",
    _none("SegmentSize", 11),
    Field.named("SLUID", 14, lambda row: row.view.sluid),
    _when("Start", lambda row: row.start, lambda row: "None" if row.never_ran else "Unknown"),
    Field.named("State", 10, lambda row: row.state),
    "StdErr StdIn StdOut",
    _when("Submit", lambda row: row.start if row.step else row.job.resize_time or row.job.submit_time),
    Field.named("SubmitLine", 20, lambda row: row.submit_line),
    _span("Suspended", 10, lambda row: row.suspended),
    "SystemComment",
    Field.named("SystemCPU", 10, lambda row: _processor(row, "system")),
    _job("Timelimit", 10, _time_limit),
    _job("TimelimitRaw", 12, lambda row: str(row.limit)),
    Field.named("TotalCPU", 10, lambda row: _processor(row, "user", "system")),
    *_usage("In", 14, "Ave Max MaxNode MaxTask Min MinNode MinTask Tot", ("Ave", "Tot")),
    *_usage("Out", 15, "Ave Max MaxNode MaxTask Min MinNode MinTask Tot", ("Ave", "Tot")),
    "UID User",
    Field.named("UserCPU", 10, lambda row: _processor(row, "user")),
    "WCKey",
    _job("WCKeyID", 10, lambda _: "0"),
    "WorkDir",
)
"""The fields in their order. A text names those that rows of ``squeue``'s table describe, the others are its own."""


def _fact(words: list[str], value: Callable[[View], object]) -> Field:
    """Return a field that only jobs have; ``number`` is not cut, ``late`` is known of a job that has ended."""

    def text(row: AccountingRow) -> str:
        found = value(row.view)
        return "" if found is None or ("late" in words and not row.job.finished) else str(found)

    name, width, *_ = words
    return _job(name, int(width), text, whole="number" in words)


FIELDS = facts.placed(OWN, facts.rows(lambda field: field.sacct, _fact))
ROWS = Table(FIELDS, shortened=True)

DEFAULT = "jobid,jobname,partition,account,alloccpus,state,exitcode"
BRIEF = "jobid,state,exitcode"
LONG = (
    "jobid,jobidraw,jobname,partition,maxvmsize,maxvmsizenode,maxvmsizetask,avevmsize,maxrss,maxrssnode,maxrsstask,"
    "averss,maxpages,maxpagesnode,maxpagestask,avepages,mincpu,mincpunode,mincputask,avecpu,ntasks,alloccpus,elapsed,"
    "state,exitcode,avecpufreq,reqcpufreqmin,reqcpufreqmax,reqcpufreqgov,reqmem,consumedenergy,maxdiskread,"
    "maxdiskreadnode,maxdiskreadtask,avediskread,maxdiskwrite,maxdiskwritenode,maxdiskwritetask,avediskwrite,reqtres,"
    "alloctres,tresusageinave,tresusageinmax,tresusageinmaxnode,tresusageinmaxtask,tresusageinmin,tresusageinminnode,"
    "tresusageinmintask,tresusageintot,tresusageoutmax,tresusageoutmaxnode,tresusageoutmaxtask,tresusageoutave,"
    "tresusageouttot"
)
"""The formats without ``--format``: the usual one, that of ``--brief``, that of ``--long``."""
