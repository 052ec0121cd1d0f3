"""The fields of ``sprio``: the factors of a pending job's priority, weighted, or between 0 and 1 (small letters)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from slimsched.model.account import NORMAL
from slimsched.render.columns import Field, Table

if TYPE_CHECKING:
    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.priority.multifactor import Multifactor
    from slimsched.render.jobs.job_view import View

SCALE = 0xFFFFFFFF
LETTERS = {
    "A": "AGE",
    "B": "ASSOC",
    "F": "FAIRSHARE",
    "J": "JOBSIZE",
    "P": "PARTITION",
    "Q": "QOS",
    "T": "TRES",
}
"""Letters of the weighted factors; the small letter shows the factor without its weight."""


class PriorityRow:
    """One row: a job in a partition; without a job it shows the weights (``--weights``).

    A job whose priority was set by hand has no factors.
    """

    def __init__(self, plugin: Multifactor, view: View | None = None, part: PartitionConf | None = None) -> None:
        self.plugin, self.view, self.part = plugin, view, part
        self.weighted = dict.fromkeys(LETTERS.values(), 0.0)
        if view is not None and part is not None and not self.by_hand:
            self.weighted = plugin.factors(view.job, part)

    @property
    def job(self) -> Job:
        """The job; only for a row that has one."""
        assert self.view is not None
        return self.view.job

    @property
    def by_hand(self) -> bool:
        """Whether somebody gave the job its priority."""
        return self.view is not None and self.job.request.priority is not None

    @property
    def priority(self) -> int:
        """The priority that the job has in the partition."""
        assert self.part is not None
        return self.plugin.in_partition(self.job, self.part)

    @property
    def resources(self) -> dict[str, float]:
        """The weighted resources of the job."""
        if self.by_hand or self.part is None:
            return {}
        return {name: amount for name, amount in self.plugin.tres(self.job, self.part).items() if amount}


Value = Callable[[PriorityRow], Any]
COUNTED = "TRES"


def _of_job(letter: str, header: str, value: Value, weights: str = "", *, sorts: bool = True) -> Field:
    """Return a field of the job; the row of the weights shows ``weights``."""
    key = value if sorts else None
    return Field(letter, "", header, lambda line: weights if line.view is None else str(value(line)), key)


def _weighted(letter: str, name: str) -> Field:
    """Return a factor times its weight, or the weight."""

    def text(line: PriorityRow) -> str:
        return str(line.plugin.weights[name]) if line.view is None else str(int(line.weighted[name] + 0.5))

    def resources(line: PriorityRow) -> str:
        if line.view is None:
            return line.plugin.cluster.config.get("PriorityWeightTRES")
        return ",".join(f"{each}={int(amount + 0.5)}" for each, amount in line.resources.items())

    return Field(letter, "", name, resources if name == COUNTED else text, _key(name))


def _plain(letter: str, name: str) -> Field:
    """Return a factor between 0 and 1, or the weight; of resources no weights."""

    def text(line: PriorityRow) -> str:
        weight = line.plugin.weights[name]
        if line.view is None:
            return str(weight)
        if line.by_hand:
            return "0"
        return f"{line.weighted[name] / weight if weight else 0.0:.7f}"

    def resources(line: PriorityRow) -> str:
        weights = line.plugin.tres_weights
        return ",".join(f"{each}={amount / weights[each]:.2f}" for each, amount in line.resources.items())

    return Field(letter, "", name, resources if name == COUNTED else text, _key(name))


def _key(name: str) -> Value | None:
    """Return the sort key of a factor, its weighted value; the association's factor is not a sort key."""
    return None if name == "ASSOC" else lambda line: line.weighted[name]


def _share_of_all(line: PriorityRow) -> str:
    return f"{line.priority if line.by_hand else line.priority / SCALE:.14f}"


FIELDS = (
    _of_job("i", "JOBID", lambda line: line.job.job_id, "Weights"),
    _of_job("c", "CLUSTER", lambda line: line.plugin.cluster.config.get("ClusterName")),
    _of_job("r", "PARTITION", lambda line: line.part.partition_name if line.part else ""),
    _of_job("u", "USER", lambda line: line.job.user_name),
    _of_job("o", "ACCOUNT", lambda line: line.job.request.account),
    _of_job("n", "QOSNAME", lambda line: line.job.request.qos or NORMAL),
    _of_job("Y", "PRIORITY", lambda line: line.priority),
    Field("y", "", "PRIORITY", lambda line: _share_of_all(line) if line.view else "", lambda line: line.priority),
    _of_job("S", "SITE", lambda _: "0", "1", sorts=False),
    _of_job("N", "NICE", lambda line: 0 if line.by_hand else line.job.request.nice),
    *(_weighted(letter, name) for letter, name in LETTERS.items()),
    *(_plain(letter.lower(), name) for letter, name in LETTERS.items()),
)
LINES = Table(FIELDS)

HELP_ORDER = "aAbBcfFijJnNopPrSqQuyYtT"
"""The letters in the order of ``--helpformat``."""

LONG = "%.15i %9r %.8u %.8o %.10Y %.10S %.10A %.10B %.10F %.10J %.10P %.10n %.10Q %.11N %.20T"
LONG_PLAIN = "%.15i %9r %.8u %10y %10a %10b %10f %10j %10p %10q %20t"


def usual(plugin: Multifactor, *, normal: bool, long: bool, users: bool) -> str:
    """Return the format that is used without ``--format``: a column for each factor that has a weight."""
    if long:
        return LONG_PLAIN if normal else LONG
    letters = [letter for letter, name in LETTERS.items() if plugin.weights[name]]
    columns = [f"{20 if letter == 'T' else 10}{letter}" for letter in letters]
    first = "%.15i %9r %.8u" if users else "%.15i %9r"
    if normal:
        return " ".join([first, "%10y", *(f"%{column.lower()}" for column in columns)])
    return " ".join([first, "%.10Y %.10S", *(f"%.{column}" for column in columns)])


def letters_help() -> str:
    """Return the letters, eight a line, as ``--helpformat`` prints them."""
    from slimsched.render.format_help import in_columns

    return in_columns((f"%{letter}" for letter in HELP_ORDER), 6, 8)
