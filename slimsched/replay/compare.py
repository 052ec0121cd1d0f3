"""Runs side by side; runs that differ in their traces only, as by seeds, count as one with an interval.

The interval is that of Student's t at 95 %: mean ± t · s / √n.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from slimsched.errors import UserError
from slimsched.replay.run import RUN, SUMMARY
from slimsched.replay.summary import plain
from slimsched.state import files

STUDENT = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131),
    *(2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
"""The quantiles of Student's distribution at 97.5 %, from one degree of freedom on."""

NORMAL = 1.96


class Result(NamedTuple):
    """What a finished run left: its folder, how it was made, and its metrics."""

    folder: str
    options: dict[str, Any]
    metrics: dict[str, float | None]


def read(folder: str) -> Result:
    """Return the result in a folder. Raises `UserError` if there is none."""
    found = [_object(os.path.join(folder, name)) for name in (RUN, SUMMARY)]
    metrics = found[1].get("metrics")
    if not isinstance(metrics, dict) or not all(v is None or isinstance(v, int | float) for v in metrics.values()):
        raise UserError(f"{os.path.join(folder, SUMMARY)}: is not a summary of a replay")
    return Result(folder, found[0], metrics)


def _object(path: str) -> dict[str, Any]:
    data = files.read(path)
    if data is None:
        raise UserError(f"{path}: no such file; sim replay --out makes it")
    try:
        value = json.loads(data)
    except ValueError as fault:
        raise UserError(f"{path}: {fault}") from None
    if not isinstance(value, dict):
        raise UserError(f"{path}: is not what sim replay writes")
    return value


def grouped(results: Iterable[Result]) -> list[list[Result]]:
    """Return the runs, those that differ in their traces only together, in the order in which they were named.

    Another trace may have other changes of the cluster; with the same one they make another group.
    """
    found: list[tuple[str, list[Result]]] = []
    for result in results:
        same = {name: value for name, value in result.options.items() if name not in ("trace", "events")}
        key = json.dumps([same, bool(result.options.get("events"))], sort_keys=True)
        for other, group in found:
            if other == key and all(_goes_with(result, one) for one in group):
                group.append(result)
                break
        else:
            found.append((key, [result]))
    return [group for _, group in found]


def _goes_with(result: Result, other: Result) -> bool:
    trace, events = ([one.options.get(name) for one in (result, other)] for name in ("trace", "events"))
    return trace[0] != trace[1] or events[0] == events[1]


SHOWN = ("policy", "procs", "load", "estimates", "kill", "pace", "jobs", "from")
"""Options that may tell runs apart, in the order in which a heading names them."""


def labels(groups: list[list[Result]]) -> list[str]:
    """Return the headings of columns: the options by which they differ, else the folders."""
    different = [name for name in SHOWN if len({str(one[0].options.get(name)) for one in groups}) > 1]
    names = [_named(one[0].options, different or ["policy"]) for one in groups]
    if len(set(names)) < len(names):
        names = [os.path.basename(os.path.normpath(one[0].folder)) for one in groups]
    return [name if len(one) == 1 else f"{name} x{len(one)}" for name, one in zip(names, groups, strict=True)]


def _named(options: dict[str, Any], names: list[str]) -> str:
    return ", ".join(str(options.get(name)) if name == "policy" else f"{name} {options.get(name)}" for name in names)


def table(results: Iterable[Result]) -> Iterator[tuple[str, ...]]:
    """Yield the rows of the comparison, the heading first; metrics that no run has are left out."""
    groups = grouped(results)
    yield ("", *labels(groups))
    for name in groups[0][0].metrics:
        cells = [_cell([value for one in group if (value := one.metrics.get(name)) is not None]) for group in groups]
        if any(cell != "-" for cell in cells):
            yield (name, *cells)


def _cell(values: list[float]) -> str:
    if not values:
        return "-"
    mean = sum(values) / len(values)
    return plain(mean) if len(values) == 1 else f"{plain(mean)} ± {plain(round(half_width(values), 3))}"


def half_width(values: list[float]) -> float:
    """Return half of the 95 % interval of the mean of several values."""
    n, mean = len(values), sum(values) / len(values)
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / (n - 1))
    return (STUDENT[n - 2] if n - 2 < len(STUDENT) else NORMAL) * spread / math.sqrt(n)
