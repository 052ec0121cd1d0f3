"""The report of a schedule as one page of HTML, which needs nothing else: no network, no library."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import resources

from slimsched.render.replay import bars, metrics
from slimsched.render.replay.bars import Bar, Drawing, span
from slimsched.replay import extra, summary
from slimsched.replay.extra import Blocked
from slimsched.replay.schedule import Schedule
from slimsched.replay.summary import Summary


def page(title: str, shown: Schedule) -> str:
    """Return the page."""
    found, blocked = summary.of(shown.rows, shown.processors), extra.blocked(shown)
    subtitle = f"{len(shown.rows):,} jobs, {len(shown.nodes):,} nodes, {shown.processors:,} processors"
    parts = {
        "TITLE": html.escape(title),
        "SUBTITLE": html.escape(subtitle),
        "TABLES": "".join(_tables(found)),
        "BLOCKED": _blocked(blocked),
        "DATA": json.dumps(_data(shown, blocked), separators=(",", ":")).replace("<", "\\u003c"),
    }
    text = resources.files(__package__).joinpath("report.html").read_text(encoding="utf-8")
    return re.sub(f"@({'|'.join(parts)})@", lambda match: parts[match[1]], text)


def _tables(found: Summary) -> Iterator[str]:
    """Yield the tables of the metrics."""
    yield _table([(line.name, summary.shown(line)) for line in found.lines() if line.value is not None])
    groups = (("by run time", found.by_length()), ("by size", found.by_size()))
    tables = [_table(list(summary.rows_of(rows)), (title, *metrics.CLASSES)) for title, rows in groups if rows]
    yield f"<div>{'<br>'.join(tables)}</div>"


def _blocked(found: list[Blocked]) -> str:
    """Return the table of constraints, "" if no job has any."""
    if not found:
        return ""
    lines = [
        (one.constraint, f"{one.jobs:,}", span(one.waited // one.jobs), span(one.blocked // one.jobs)) for one in found
    ]
    return _table(lines, ("constraint", "jobs", "mean wait", "of it with too few nodes that match"))


def _table(rows: Iterable[Sequence[str]], heads: Sequence[str] = ()) -> str:
    head = "".join(f"<th>{html.escape(text)}</th>" for text in heads)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row) + "</tr>" for row in rows)
    return f"<table>{f'<thead><tr>{head}</tr></thead>' if heads else ''}<tbody>{body}</tbody></table>"


def _data(shown: Schedule, blocked: list[Blocked]) -> dict[str, object]:
    """Return what the page draws."""
    drawing = Drawing(shown)
    constraints = [found.constraint for found in blocked]
    return {
        "nodes": len(shown.nodes),
        "first": shown.nodes[0] if shown.nodes else "",
        "last": shown.nodes[-1] if shown.nodes else "",
        "processors": shown.processors,
        "users": drawing.users,
        "states": drawing.states,
        "classes": bars.CLASSES,
        "scale": bars.SCALE,
        "jobs": [_job(bar, constraints) for bar in drawing.all],
        "extra": extra.values(shown),
        "constraints": [(found.constraint, found.matching) for found in blocked],
    }


def _job(bar: Bar, constraints: list[str]) -> list[object]:
    row = bar.row
    asked = constraints.index(row.extra) if row.extra in constraints else -1
    return [row.job, bar.user, row.procs, row.submit, row.start, row.end, bar.state, bar.places, asked]
