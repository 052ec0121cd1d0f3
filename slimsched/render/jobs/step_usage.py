"""The fields of ``sstat``: what the tasks of a running step use, the most, the least, and on average."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from slimsched.render.columns import Field
from slimsched.text.times import elapsed

if TYPE_CHECKING:
    from slimsched.executor.local.usage import Used
    from slimsched.render.columns import Getter
    from slimsched.render.jobs.step_list import RunningStep

UNMEASURED = "213503982334-14:25:51"
"""What Slurm prints for a CPU time that it could not measure: all bits set, read as milliseconds."""

SILENT = {"AveCPU": UNMEASURED, "NTasks": "0", "ConsumedEnergy": "0", "ConsumedEnergyRaw": "0", "AveCPUFreq": "0"}
SILENT |= dict.fromkeys(("ReqCPUFreqMin", "ReqCPUFreqMax", "ReqCPUFreqGov"), "0")
"""What the fields show of a step that nobody measures, as far as they show anything."""


class Measured(NamedTuple):
    """What a task uses, and where it runs."""

    rank: int
    node: str
    used: Used


class UsageRow(NamedTuple):
    """One line: a step, what its tasks use (none: nobody has measured it), and its processes on a node."""

    step: RunningStep
    tasks: Sequence[Measured]
    node: str = ""
    pids: Sequence[int] = ()


class Kind(NamedTuple):
    """One thing that is measured: its name among the resources, its place in a measure, its text."""

    name: str
    of: Callable[[Used], float]
    text: Callable[[float], str]


def _kilobytes(amount: float) -> str:
    return f"{int(amount)}K"


def _megabytes(amount: float) -> str:
    return f"{amount / (1 << 20):.2f}M"


def _number(amount: float) -> str:
    return str(int(amount))


def _span(seconds: float) -> str:
    return elapsed(int(seconds), full=True)


CPU = Kind("cpu", lambda used: used.cpu, _span)
READ = Kind("fs/disk", lambda used: used.read, _number)
WRITTEN = Kind("fs/disk", lambda used: used.written, _number)
MEMORY = Kind("mem", lambda used: used.rss, _kilobytes)
PAGES = Kind("pages", lambda used: used.pages, _number)
VIRTUAL = Kind("vmem", lambda used: used.vmem, _kilobytes)
DIRECTIONS = {"In": (CPU, READ, MEMORY, PAGES, VIRTUAL), "Out": (WRITTEN,)}

Amount = Callable[[Sequence[Measured], Kind], float]


def _most(tasks: Sequence[Measured], kind: Kind) -> Measured:
    return max(tasks, key=lambda task: (kind.of(task.used), -task.rank))


def _least(tasks: Sequence[Measured], kind: Kind) -> Measured:
    return min(tasks, key=lambda task: (kind.of(task.used), task.rank))


def _total(tasks: Sequence[Measured], kind: Kind) -> float:
    return sum(kind.of(task.used) for task in tasks)


def _average(tasks: Sequence[Measured], kind: Kind) -> float:
    return _total(tasks, kind) / len(tasks)


PICKED = {"Max": _most, "Min": _least}
AMOUNTS: dict[str, Amount] = {
    "Ave": _average,
    "Max": lambda tasks, kind: kind.of(_most(tasks, kind).used),
    "Min": lambda tasks, kind: kind.of(_least(tasks, kind).used),
    "Tot": _total,
}

Text = Callable[[Sequence[Measured]], str]


def _fields_of(name: str, kind: Kind, text: Callable[[float], str], picked: str = "Max") -> dict[str, Text]:
    """Return the fields of one measure: ``MaxRSS``, ``MaxRSSNode``, ``MaxRSSTask``, ``AveRSS``."""
    pick = PICKED[picked]
    return {
        f"{picked}{name}": lambda tasks: text(kind.of(pick(tasks, kind).used)),
        f"{picked}{name}Node": lambda tasks: pick(tasks, kind).node,
        f"{picked}{name}Task": lambda tasks: str(pick(tasks, kind).rank),
        f"Ave{name}": lambda tasks: text(_average(tasks, kind)),
    }


def _list_of(kinds: Sequence[Kind], way: str) -> Text:
    """Return the text of all measures of a direction; energy is none."""

    def text(tasks: Sequence[Measured]) -> str:
        found = {kind.name: kind.text(AMOUNTS[way](tasks, kind)) for kind in kinds} | {"energy": "0"}
        return ",".join(f"{name}={found[name]}" for name in sorted(found))

    return text


def _places_of(kinds: Sequence[Kind], way: str, what: str) -> Text:
    """Return in which node or task each measure was found."""
    pick = PICKED[way]

    def text(tasks: Sequence[Measured]) -> str:
        found = {kind.name: str(getattr(pick(tasks, kind), what)) for kind in kinds}
        if what == "node":
            found["energy"] = tasks[0].node
        return ",".join(f"{name}={found[name]}" for name in sorted(found))

    return text


def _texts() -> dict[str, Text]:
    """Return what each field shows of tasks that were measured."""
    found: dict[str, Text] = {"NTasks": lambda tasks: str(len(tasks))}
    for name, kind, text in (
        ("VMSize", VIRTUAL, _kilobytes),
        ("RSS", MEMORY, _kilobytes),
        ("Pages", PAGES, _number),
        ("DiskRead", READ, _megabytes),
        ("DiskWrite", WRITTEN, _megabytes),
    ):
        found |= _fields_of(name, kind, text)
    found |= _fields_of("CPU", CPU, _span, "Min")
    for direction, kinds in DIRECTIONS.items():
        for way in AMOUNTS:
            found[f"TRESUsage{direction}{way}"] = _list_of(kinds, way)
        for way in PICKED:
            found[f"TRESUsage{direction}{way}Node"] = _places_of(kinds, way, "node")
            found[f"TRESUsage{direction}{way}Task"] = _places_of(kinds, way, "rank")
    return found


TEXTS = _texts()


def shown(name: str) -> Getter:
    """Return what gives the text of a field of a `UsageRow`."""
    text, silent = TEXTS.get(name), SILENT.get(name, "")
    return lambda row: text(row.tasks) if text is not None and row.tasks else silent


OWN = (
    Field.named("JobID", -12, lambda row: row.step.name),
    Field.named("Nodelist", 20, lambda row: row.node or row.step.nodes),
    Field.named("Pids", 20, lambda row: ",".join(map(str, row.pids))),
)
