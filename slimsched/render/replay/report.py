"""The report of a schedule as one page of HTML, which needs nothing else: no network, no library."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from importlib import resources
from typing import NamedTuple

from slimsched.render.replay import metrics
from slimsched.replay import summary
from slimsched.replay.rows import Row
from slimsched.replay.summary import Summary
from slimsched.text import hostlist


class Page(NamedTuple):
    """What a report shows. ``nodes``: the names of the nodes in their order, from the top."""

    title: str
    subtitle: str
    nodes: Sequence[str]
    processors: int
    rows: Sequence[Row]


def page(shown: Page) -> str:
    """Return the page."""
    found = summary.of(shown.rows, shown.processors)
    parts = {
        "TITLE": html.escape(shown.title),
        "SUBTITLE": html.escape(shown.subtitle),
        "TABLES": "".join(_tables(found)),
        "DATA": json.dumps(_data(shown), separators=(",", ":")).replace("<", "\\u003c"),
    }
    text = resources.files(__package__).joinpath("report.html").read_text(encoding="utf-8")
    return re.sub(f"@({'|'.join(parts)})@", lambda match: parts[match[1]], text)


def _tables(found: Summary) -> Iterator[str]:
    """Yield the tables of the metrics."""
    yield _table([(line.name, summary.shown(line)) for line in found.lines() if line.value is not None])
    groups = (("by run time", found.by_length()), ("by size", found.by_size()))
    tables = [_table(list(summary.rows_of(rows)), (title, *metrics.CLASSES)) for title, rows in groups if rows]
    yield f"<div>{'<br>'.join(tables)}</div>"


def _table(rows: Iterable[Sequence[str]], heads: Sequence[str] = ()) -> str:
    head = "".join(f"<th>{html.escape(text)}</th>" for text in heads)
    body = "".join("<tr>" + "".join(f"<td>{html.escape(text)}</td>" for text in row) + "</tr>" for row in rows)
    return f"<table>{f'<thead><tr>{head}</tr></thead>' if heads else ''}<tbody>{body}</tbody></table>"


def _data(shown: Page) -> dict[str, object]:
    """Return what the page draws."""
    index = {name: place for place, name in enumerate(shown.nodes)}
    users: dict[str, int] = {}
    states: dict[str, int] = {}
    known: dict[str, list[int]] = {}
    jobs = []
    for row in shown.rows:
        if row.nodes not in known:
            known[row.nodes] = ranges(index[name] for name in hostlist.expand(row.nodes) if name in index)
        user = users.setdefault(row.user, len(users))
        state = states.setdefault(row.state, len(states))
        jobs.append([row.job, user, row.procs, row.submit, row.start, row.end, state, known[row.nodes]])
    return {
        "nodes": len(shown.nodes),
        "first": shown.nodes[0] if shown.nodes else "",
        "last": shown.nodes[-1] if shown.nodes else "",
        "processors": shown.processors,
        "users": list(users),
        "states": list(states),
        "jobs": jobs,
    }


def ranges(places: Iterable[int]) -> list[int]:
    """Return numbers as their ranges, first and last of each: 0 1 2 7 is 0 2 7 7."""
    found: list[int] = []
    for place in sorted(places):
        if found and found[-1] == place - 1:
            found[-1] = place
        else:
            found += [place, place]
    return found
