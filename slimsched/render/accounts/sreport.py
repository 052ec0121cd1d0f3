"""The tables of ``sreport``: the use of the cluster in a period, from the accounting of its jobs.

Usage is counted in seconds of a resource (`sreport_sums`) and shown in the unit that is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from slimsched.render.columns import Field, Format, NamedColumn, Style, Table
from slimsched.render.units import stamp
from slimsched.text.times import instant

if TYPE_CHECKING:
    from slimsched.model.cluster import Cluster
    from slimsched.model.job import Job

RULE = "-" * 80
HOUR = 3600
INDIVIDUAL = "individual"
"""The flag of a report on sizes that has a column for each size of a job."""


class Unit(NamedTuple):
    """The unit of usage: the divisor of seconds (0: not shown), and whether the part of the whole is shown."""

    name: str
    title: str
    seconds: int
    part: bool = False

    def text(self, seconds: float, whole: float) -> str:
        """Return an amount of usage."""
        percent = f"{_percent(seconds, whole)}%"
        if not self.seconds:
            return percent
        amount = str(int(seconds / self.seconds))
        return f"{amount}({percent})" if self.part else amount


def _percent(part: float, whole: float) -> str:
    return f"{100 * part / whole if whole else 0:.2f}"


UNITS = (
    Unit("SecPer", "Seconds/Percentage of Total", 1, True),
    Unit("MinPer", "Minutes/Percentage of Total", 60, True),
    Unit("HourPer", "Hours/Percentage of Total", HOUR, True),
    Unit("Seconds", "Seconds", 1),
    Unit("Minutes", "Minutes", 60),
    Unit("Hours", "Hours", HOUR),
    Unit("Percent", "Percentage of Total", 0),
)
MINUTES = UNITS[4]


class Asked(NamedTuple):
    """The subject of a report: the period, the unit, the resources, and whose jobs count (empty: all)."""

    start: int
    end: int
    unit: Unit = MINUTES
    resources: tuple[str, ...] = ("cpu",)
    accounts: frozenset[str] = frozenset()
    users: frozenset[str] = frozenset()
    partitions: frozenset[str] = frozenset()
    wckeys: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    jobs: frozenset[int] = frozenset()
    nodes: int = 0  # bitmap
    reservations: frozenset[str] = frozenset()
    flags: frozenset[str] = frozenset()
    top: int = 10
    by_name: bool = False  # users in the order of their names, and not of what they used
    sizes: tuple[int, ...] = (50, 250, 500, 1000)

    def hours(self, cluster: Cluster) -> Asked:
        """Return the same for those hours of the period that have passed since the cluster was made."""
        return self._replace(
            start=max(self.start, cluster.boot_time), end=min(self.end, cluster.now - cluster.now % HOUR)
        )

    def covers(self, line: list[str]) -> bool:
        """Whether an account is asked for, or one above it; ``line``: the account and those above."""
        return not self.accounts or not self.accounts.isdisjoint(line)

    def counts(self, cluster: Cluster, job: Job, line: list[str]) -> bool:
        """Whether a job is one of those that are asked for; ``line``: its account and those above."""
        chosen: tuple[tuple[frozenset[Any], object], ...] = (
            (self.users, job.user_name),
            (self.partitions, job.partition),
            (self.wckeys, job.request.wckey),
            (self.groups, job.group_name),
            (self.jobs, job.array_job_id or job.job_id),
        )
        return (
            all(not names or value in names for names, value in chosen)
            and self.covers(line)
            and (not self.nodes or bool(self.nodes & cluster.bitmap_of(job.nodes)))
        )


class Use(NamedTuple):
    """Usage of a user on an account, of a QOS, of a reservation; of nobody: of the account, or of the cluster."""

    cluster: str
    account: str
    user: str
    resource: str
    seconds: float
    whole: float
    unit: Unit
    indent: int = 0
    parts: tuple[float, ...] = ()  # of a reservation: what jobs had of it; of job sizes: one for each size
    start: int = 0
    end: int = 0

    @property
    def used(self) -> str:
        """The usage, as it is shown."""
        return self.unit.text(self.seconds, self.whole)


class Whole(NamedTuple):
    """Usage of the whole cluster; ``period``: what it has in all the hours that are asked for."""

    cluster: str
    resource: str
    allocated: float
    down: float
    planned_down: float
    planned: float
    reported: float
    unit: Unit
    period: float

    @property
    def idle(self) -> float:
        """What nothing became of."""
        return self.reported - self.allocated - self.down - self.planned_down - self.planned

    def show(self, seconds: float) -> str:
        """Return an amount of usage."""
        return self.unit.text(seconds, self.reported)


AMOUNT, WITH_PART = 8, 17
"""Width of an amount, and with the part of the whole beside it."""
UTILIZATION = Table(
    [
        Field.named("Cluster", 9, lambda row: row.cluster),
        Field.named("TresName", 14, lambda row: row.resource, header="TRES Name"),
        Field.named("Allocated", AMOUNT, lambda row: row.show(row.allocated), whole=True),
        Field.named("Down", AMOUNT, lambda row: row.show(row.down), whole=True),
        Field.named("PlannedDown", AMOUNT, lambda row: row.show(row.planned_down), header="PLND Down", whole=True),
        Field.named("Idle", AMOUNT, lambda row: row.show(row.idle), whole=True),
        Field.named("Planned", AMOUNT, lambda row: row.show(row.planned), whole=True),
        Field.named("Reported", AMOUNT, lambda row: row.unit.text(row.reported, row.period), whole=True),
        Field.named("TresCount", 10, lambda row: "", header="TRES Count"),
    ],
    shortened=True,
)
USE = Table(
    [
        Field.named("Accounts", 15, lambda row: " " * row.indent + row.account, header="Account"),
        Field.named("Cluster", 9, lambda row: row.cluster),
        Field.named("Energy", AMOUNT, lambda row: row.unit.text(0, row.whole), whole=True),
        Field.named("Login", 9, lambda row: row.user),
        Field.named("Proper", 15, lambda row: proper_name(row.user), header="Proper Name"),
        Field.named("QOS", 12, lambda row: row.user),
        Field.named("TresCount", 10, lambda row: "", header="TRES Count"),
        Field.named("TresName", 14, lambda row: row.resource, header="TRES Name"),
        Field.named("Used", AMOUNT, lambda row: row.used, whole=True),
        Field.named("WCKey", 15, lambda row: row.account),
    ],
    shortened=True,
)
RESERVATION = Table(
    [
        Field.named("Cluster", 9, lambda row: row.cluster),
        Field.named("Name", 9, lambda row: row.account),
        Field.named("TresName", 14, lambda row: row.resource, header="TRES Name"),
        Field.named("Start", 19, lambda row: instant(row.start)),
        Field.named("End", 19, lambda row: instant(row.end)),
        Field.named("Allocated", 20, lambda row: row.unit.text(row.parts[0], row.whole), whole=True),
        Field.named("Idle", 20, lambda row: row.unit.text(row.whole - row.parts[0], row.whole), whole=True),
    ],
    shortened=True,
)


def sizes(asked: Asked, label: str) -> Table:
    """Return the fields of the job sizes: one for each group. ``label``: the heading of what they are grouped by."""
    bounds = [0, *asked.sizes]
    names = [f"{low}-{high - 1}" for low, high in pairwise(bounds)] + [f">= {bounds[-1]}"]
    first = 0
    if INDIVIDUAL in asked.flags:
        names, first = [str(size) for size in asked.sizes], 1  # none is smaller than the first
    groups = [
        Field.named(name.replace(" ", ""), 13, _size(number, asked), header=f"{name} CPUs", whole=True)
        for number, name in enumerate(names, first)
    ]
    heading, _, width = label.partition("%")
    account = Field.named(heading, int(width or 9), lambda row: row.account)
    total = Field.named("Total", 11, _total(asked), header="Total Count", whole=True)
    percent = Field.named("%", 12, lambda row: f"{_percent(row.seconds, row.whole)}%", header="% of cluster")
    return Table([Field.named("Cluster", 9, lambda row: row.cluster), account, *groups, total, percent], shortened=True)


def _total(asked: Asked) -> Callable[[Use], str]:
    return lambda row: _amount(row.seconds, row, asked)


def _amount(amount: float, row: Use, asked: Asked) -> str:
    return str(int(amount)) if "printjobcount" in asked.flags else asked.unit.text(amount, row.whole)


def _size(number: int, asked: Asked) -> Callable[[Use], str]:
    return lambda row: _amount(row.parts[number], row, asked)


def chosen(known: Table, names: str, unit: Unit) -> Format:
    """Return the columns of a report, all if no names are given, with room for parts of the whole if they are shown."""
    wanted = known.named(names) if names else Format([NamedColumn(field) for field in known.all()])
    for column in wanted.columns:
        if unit.part and column.field and column.field.whole:
            column.width = WITH_PART if column.width == AMOUNT else column.width
    return wanted


def proper_name(user: str) -> str:
    """Return the real name of a user, as this system knows it, else ""."""
    if not user:
        return ""
    import pwd

    try:
        return pwd.getpwnam(user).pw_gecos.partition(",")[0]
    except (KeyError, ValueError):
        return ""


def title(text: str, asked: Asked, style: Style, now: int, *, seconds: bool, usage: str) -> list[str]:
    """Return the title of a table; ``seconds``: with the length of the period; ``usage``: the reported quantity."""
    if not style.header:
        return []
    length = f" ({asked.end - asked.start} secs)" if seconds else ""
    line = f"{text} {stamp(asked.start, now)} - {stamp(asked.end - 1, now)}{length}"
    return [RULE, line, usage, RULE]


def usage_line(asked: Asked, *, tres: bool) -> str:
    """Return the line that says in which unit usage is reported."""
    if not asked.unit.seconds:
        return f"Usage reported in {asked.unit.title}"
    return f"Usage reported in {'TRES' if tres else 'CPU'} {asked.unit.title}"
