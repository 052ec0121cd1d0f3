"""The fields of ``sprio``: the factors of a pending job's priority, weighted, or between 0 and 1 (small letters)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from slimsched.model.account import NORMAL
from slimsched.render.columns import Field, Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from slimsched.model.config import PartitionConf
    from slimsched.model.job import Job
    from slimsched.priority.multifactor import Multifactor
    from slimsched.render.job_view import View

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


class Line:
    """One row: a job in a partition; without a job it shows the weights (``--weights``)."""

    def __init__(self, plugin: Multifactor, view: View | None = None, part: PartitionConf | None = None) -> None:
        self.plugin, self.view, self.part = plugin, view, part
        self.weighted: dict[str, float] = {}
        if view is not None and part is not None:
            self.weighted = plugin.factors(view.job, part)

    @property
    def job(self) -> Job | None:
        """The job, None in the row of the weights."""
        return self.view.job if self.view is not None else None

    @property
    def priority(self) -> int:
        """The priority that the job has in the partition."""
        assert self.job is not None
        assert self.part is not None
        return self.plugin.in_partition(self.job, self.part)


def resources(line: Line) -> str:
    """Return the weighted resources: ``CPU=10,Mem=5``."""
    plugin = line.plugin
    if line.job is None or line.part is None:
        return ",".join(f"{_spelled(name)}={int(weight)}" for name, weight in plugin.tres_weights.items())
    parts = plugin.tres(line.job, line.part)
    return ",".join(f"{name}={int(amount + 0.5)}" for name, amount in parts.items() if amount)


def _spelled(name: str) -> str:
    return {"cpu": "CPU", "mem": "Mem", "node": "Node"}.get(name, name)


def _of_job(letter: str, header: str, text: Callable[[Line], str], weights: str = "") -> Field:
    return Field(letter, "", header, lambda line: weights if line.job is None else text(line))


def _weighted(letter: str, name: str) -> Field:
    if name == "TRES":
        return Field(letter, "", name, resources)
    return Field(letter, "", name, lambda line: _amount(line, name))


def _amount(line: Line, name: str) -> str:
    if line.job is None:
        return str(line.plugin.weights[name])
    return str(int(line.weighted[name] + 0.5))


def _plain(letter: str, name: str) -> Field:
    """Return a factor between 0 and 1."""

    def text(line: Line) -> str:
        weight = line.plugin.weights[name]
        if line.job is None:
            return str(weight)
        return f"{line.weighted[name] / weight if weight else 0.0:.7f}"

    return Field(letter, "", name, resources if name == "TRES" else text)


FIELDS = (
    _of_job("i", "JOBID", lambda line: line.view.name if line.view else "", "Weights"),
    _of_job("c", "CLUSTER", lambda line: line.view.cluster.config.get("ClusterName") if line.view else ""),
    _of_job("r", "PARTITION", lambda line: line.part.partition_name if line.part else ""),
    _of_job("u", "USER", lambda line: line.view.job.user_name if line.view else ""),
    _of_job("o", "ACCOUNT", lambda line: line.view.request.account if line.view else ""),
    _of_job("n", "QOS", lambda line: (line.view.request.qos or NORMAL) if line.view else ""),
    _of_job("Y", "PRIORITY", lambda line: str(line.priority)),
    _of_job("y", "PRIORITY", lambda line: f"{line.priority / SCALE:.14f}"),
    _of_job("S", "SITE", lambda _: "0", "1"),
    _of_job("N", "NICE", lambda line: str(line.view.request.nice) if line.view else ""),
    *(_weighted(letter, name) for letter, name in LETTERS.items()),
    *(_plain(letter.lower(), name) for letter, name in LETTERS.items()),
)
LINES = Table(FIELDS)


def usual(plugin: Multifactor, *, normal: bool, long: bool) -> str:
    """Return the format that is used without ``--format``: a column for each factor that has a weight."""
    letters = [letter for letter, name in LETTERS.items() if long or plugin.weights[name]]
    columns = [f"%.{20 if letter == 'T' else 10}{letter}" for letter in letters]
    if normal:
        return " ".join(["%.15i %9r", *(["%.8u"] if long else []), "%.10y", *map(str.lower, columns)])
    if not long:
        return " ".join(["%.15i %9r %.10Y %.10S", *columns])
    columns.insert(len(columns) - 1, "%.11N")
    return " ".join(["%.15i %9r %.8u %.10Y %.10S", *columns])
