"""An explanation as text, line by line with the style that a terminal gives it, and as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from slimsched.model.record import Record
from slimsched.render.history import escaped
from slimsched.text import hostlist, times

if TYPE_CHECKING:
    from slimsched.controller.explain.answer import (
        Explanation,
        Hurdle,
        NodeReason,
        PartitionView,
        Rank,
        Remedy,
        Start,
        Wait,
    )

SHOWN = 20
"""Lines about nodes, unless all are asked for."""

LONGEST = 400
"""Characters of a line."""

STYLES = {"now": "green", "not now": "yellow", "never": "bold red"}


class StyledLine(NamedTuple):
    """One line, and its style on a terminal ("": none)."""

    text: str
    style: str = ""


def lines(found: Explanation, *, every_node: bool = False) -> list[StyledLine]:
    """Return an explanation as lines; ``every_node``: one for each node, however many there are."""
    name = f" ({found.name})" if found.name else ""
    reason = f", reason {found.reason}" if found.reason != "None" else ""
    who = f"Job {found.job}{name}" if found.job else f"Job{name}"
    said = [StyledLine(f"{who} of {found.user}: {found.state}{reason}", "bold")]
    said += [StyledLine(text, STYLES.get(found.verdict, "") if i == 0 else "") for i, text in enumerate(found.story)]
    for view in found.partitions:
        said += [StyledLine(""), *_partition(view, every_node)]
    if found.hurdles or any(view.hurdles for view in found.partitions):
        said += [StyledLine(""), *_hurdles(found)]
    if found.start is not None:
        said += [StyledLine(""), *_start(found.start)]
    return [StyledLine(escaped(_cut(line.text)), line.style) for line in said]


def _cut(text: str) -> str:
    """Return a line cut in its middle if a constraint or a value makes it longer than anybody reads."""
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:half]} [...] {text[-half:]}"


def _partition(view: PartitionView, every_node: bool) -> list[StyledLine]:
    wanted = f"{view.wanted} node{'s' * (view.wanted > 1)}"
    said = [StyledLine(f"Nodes left in partition {view.partition} after each step; {wanted} wanted:", "bold")]
    width = max(len(step.step) for step in view.steps)
    for step in view.steps:
        style = "red" if step.nodes_left < view.wanted else ""
        said.append(StyledLine(f"{step.nodes_left:>7}  {step.step:<{width}}  {step.asked}".rstrip(), style))
    if view.reasons:
        said += [StyledLine(""), StyledLine("Why each node is ruled out (first reason only):", "bold")]
        said += _reasons(view.reasons, every_node)
    return said + _ranks(view.ranks)


def _ranks(ranks: list[Rank]) -> list[StyledLine]:
    """Return the priorities of the jobs ahead and of this one, side by side, with the factors that count."""
    if not ranks:
        return []
    names = [name for name in ranks[-1].factors if any(rank.factors.get(name) for rank in ranks)]
    rows = [["job", "user", "priority", *names]]
    rows += [[r.job, r.user, str(r.priority), *(str(r.factors.get(name, "-")) for name in names)] for r in ranks]
    rows[-1][0] += " (this)"
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    told = (
        "  ".join(
            cell.ljust(w) if i < 2 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
    title = StyledLine("Jobs that come first, and their priorities:", "bold")
    return [StyledLine(""), title, *(StyledLine(f"  {line}".rstrip()) for line in told)]


def _reasons(reasons: list[NodeReason], every_node: bool) -> list[StyledLine]:
    if every_node:
        each = ((name, item.reason) for item in reasons for name in hostlist.expand(item.nodes, dialect="slurm"))
        return [StyledLine(f"  {name}: {reason}") for name, reason in each]
    if len(reasons) > SHOWN:
        reasons = sorted(reasons, key=lambda item: -item.count)
    said = [StyledLine(f"  {item.nodes}: {item.reason}") for item in reasons[:SHOWN]]
    more: dict[str, int] = {}
    for item in reasons[SHOWN:]:
        more[item.step] = more.get(item.step, 0) + item.count
    said += [StyledLine(f"  {count:,} more: {step}", "dim") for step, count in more.items()]
    if more:
        said.append(StyledLine("  (--nodes lists them all)", "dim"))
    return said


def _hurdles(found: Explanation) -> list[StyledLine]:
    """Return the hurdles: the job's own, and those of one of its partitions."""
    views = [view for view in found.partitions if view.hurdles]
    alternatives = len(found.partitions) > 1
    count = len(found.hurdles) + sum(len(view.hurdles) for view in views)
    what = "All of this" if count > 1 and not alternatives else "What"
    said = [StyledLine(f"{what} would have to change (cheapest change first):", "bold")]
    said += [line for hurdle in found.hurdles for line in _hurdle(hurdle, hurdle.what)]
    if alternatives and len(views) == len(found.partitions):
        said.append(StyledLine("  and in one of its partitions:" if found.hurdles else "  in one of its partitions:"))
    if len(views) == len(found.partitions):
        for view in views:
            where = f" of {view.partition}" if alternatives else ""
            said += [line for hurdle in view.hurdles for line in _hurdle(hurdle, hurdle.what + where)]
    return said


def _hurdle(hurdle: Hurdle, what: str) -> list[StyledLine]:
    said = [StyledLine(f"  {what}: {hurdle.text}", STYLES[hurdle.verdict])]
    return said + [line for i, change in enumerate(hurdle.changes, 1) for line in _change(i, change)]


def _change(number: int, change: Remedy) -> list[StyledLine]:
    said = [StyledLine(f"    {number}. {change.text}")]
    if change.command:
        said.append(StyledLine(f"         {change.command}", "cyan"))
    return said


def _start(start: Start) -> list[StyledLine]:
    when = times.instant(start.time) if start.time else ""
    where = f" on {start.nodes}" if start.nodes else ""
    joined = f"{when}{where}, {start.basis}" if when else start.basis
    return [
        StyledLine(f"Expected start: {joined}", "bold"),
        *(StyledLine(f"  {_wait(wait)}") for wait in start.waits_for),
    ]


def _wait(wait: Wait) -> str:
    if wait.state == "PENDING":
        return f"after job {wait.job}, which comes first and is planned on {wait.nodes} at {times.instant(wait.end)}"
    return f"after job {wait.job} on {wait.nodes}, which ends at {times.instant(wait.end)} at the latest"


def as_json(answers: list[Explanation]) -> str:
    """Return an explanation as one JSON object, several as a list; instants are seconds since 1970, 0 for unknown."""
    return json.dumps(_plain(answers[0] if len(answers) == 1 else answers), indent=2, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return {name: _plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value
