"""The record of a workload on a real Slurm, as `decisions` goes through it: what happened when.

A folder holds slurm.conf with gres.conf, origin.json, submissions.jsonl, and of each run real_RUN.jsonl (the jobs) and
passes_RUN.jsonl (the passes, with milliseconds). What a line lacks is taken as unknown; a line that tells nothing of
the run is left out.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from slimsched.errors import SyntaxFault
from slimsched.slurm import states
from slimsched.text import hostlist

Row = dict[str, Any]
Key = tuple[str, str | None]  # name of a job, and its task of an array
Run = tuple[int, int | None, str]  # start, end, nodes

MOMENT = 0.0015  # the log's order of a pass and of what it starts is not that of its milliseconds
REQUEUED_AFTER = 0.02  # a preempted job's end, after the pass that says so
ENDED_AFTER = 0.5  # an end that is known by its second
LONGEST = 10**9  # seconds of a record, some thirty years
ORDER = ("end", "command", "pass", "requeue")  # at one instant
UNKNOWN: Row = {
    "task": None, "jobid": 0, "start": None, "end": None, "nodes": "", "cpus": 0, "cpus_on": [], "gpus": 0,
    "state": states.COMPLETED, "partition": "", "by": "Main", "runs": [], "priority": 0,
}  # fmt: skip
INSTANTS = ("start", "end")


class Item(NamedTuple):
    """Something of the record: seconds since the origin, its kind, and the row or the line that it concerns."""

    time: float
    kind: str
    what: Row
    starts: list[tuple[Row, str]]  # of a pass: the jobs that it started, and their nodes


def read(path: Path) -> list[Row]:
    """Return the objects of a file, one on a line, which may be compressed (``.gz``); others than objects are left out.

    Raises OSError, ValueError.
    """
    packed = path.with_name(path.name + ".gz")
    text = gzip.decompress(packed.read_bytes()).decode() if packed.exists() else path.read_text()
    return [row for line in text.splitlines() if line.strip() and isinstance(row := json.loads(line), dict)]


def jobs(folder: Path, run: str) -> list[Row]:
    """Return the jobs of a run; what is not told of one, or makes no sense, is as in `UNKNOWN`."""
    return [_row(row) for row in read(folder / f"real_{run}.jsonl") if isinstance(row.get("job"), str)]


def _row(told: Row) -> Row:
    row = UNKNOWN | {name: value for name, value in told.items() if type(value) is type(UNKNOWN.get(name))}
    row["job"] = told["job"]
    row.update((name, told[name]) for name in INSTANTS if _is_time(told.get(name)))
    row["task"] = str(told["task"]) if str(told.get("task")).isdigit() else None
    row["runs"] = [_run(row, run) for run in row["runs"] if isinstance(run, list) and run and _is_time(run[0])]
    row["cpus_on"] = [
        group for group in row["cpus_on"] if isinstance(group, list) and list(map(type, group)) == [str, int, int, str]
    ]
    return row


def _run(row: Row, told: list[Any]) -> Run:
    """Return a run as start, end and nodes; the last nodes, if no others are told."""
    end = told[1] if len(told) > 1 and _is_time(told[1]) else None
    return told[0], end, told[2] if len(told) > 2 and isinstance(told[2], str) else row["nodes"]


def _is_time(value: object) -> bool:
    return type(value) in (int, float) and abs(value) < LONGEST  # type: ignore[operator]  # no NaN


def passes(folder: Path, run: str) -> list[Row]:
    """Return the lines of the log of a run."""
    return [line for line in read(folder / f"passes_{run}.jsonl") if _is_time(line.get("t"))]


def commands(folder: Path, run: str) -> list[Row]:
    """Return the commands of a run."""
    lines = [line for line in read(folder / "submissions.jsonl") if isinstance(line.get("argv"), list) and line["argv"]]
    return [line for line in lines if isinstance(line.get(run), dict) and _is_time(line[run].get("t"))]


def key(row: Row) -> Key:
    """Return what tells a row of the record apart."""
    return row["job"], row["task"]


def hosts(text: str) -> frozenset[str]:
    """Return the nodes of a hostlist, none of what is no hostlist."""
    try:
        return frozenset(hostlist.expand(text or "", dialect="slurm"))
    except SyntaxFault:
        return frozenset()


def timeline(folder: Path, run: str) -> list[Item]:
    """Return what happened in a run, in order."""
    rows, log = jobs(folder, run), passes(folder, run)
    told = [Item(_sent(line[run]), "command", line, []) for line in commands(folder, run)]
    cycles = [Item(line["t"], "pass", line, []) for line in log if line.get("pass") in ("main", "backfill")]
    ends, by_main = _follow(log, {row["jobid"]: row for row in rows}, cycles)
    for row in rows:
        for start, _, nodes in runs(row):
            if (row["jobid"], start) not in by_main and (row["runs"] or row["by"] == "Backfill"):
                _backfilled(row, start, nodes, cycles)
    ended = {key(item.what) for item in ends}
    for row in rows:
        every = runs(row)
        for (_, end, nodes), (start, *_) in pairwise(every):
            if end is not None:
                over = any(end + 1 <= item.time < start and _requeues(item.what["argv"], row["job"]) for item in told)
                after = ENDED_AFTER if over else REQUEUED_AFTER
                when = _when(row, end, nodes, told, cycles, after)
                ends.append(Item(when, "end" if over else "requeue", row, []))
        if key(row) not in ended and every and row["end"] is not None and row["state"] != states.RUNNING:
            again = row["state"] in (states.PENDING, states.REQUEUED)
            after = REQUEUED_AFTER if again or row["state"] == states.PREEMPTED else ENDED_AFTER
            when = _when(row, row["end"], row["nodes"], told, cycles, after)
            ends.append(Item(when, "requeue" if again else "end", row, []))
    return sorted([*told, *cycles, *ends], key=_order)


def _order(item: Item) -> tuple[float, int, int]:
    """Return what orders items; of jobs that are requeued at one instant the first has the best priority then."""
    behind = -item.what.get("priority", 0) if item.kind == "requeue" else 0
    return item.time, ORDER.index(item.kind), behind


def runs(row: Row) -> list[Run]:
    """Return the runs of a job that has started."""
    return row["runs"] or ([] if row["start"] is None else [(row["start"], row["end"], row["nodes"])])


def _sent(answer: Row) -> float:
    """Return when a command took effect: halfway between its call and its answer."""
    took = answer.get("wall_s")
    return float(answer["t"]) + (float(took or 0) / 2 if _is_time(took) else 0)


def _follow(log: Iterable[Row], by_id: dict[int, Row], cycles: list[Item]) -> tuple[list[Item], set[tuple[int, int]]]:
    """Give the starts of the log to their main passes; return the ends of the log, and job id and second of starts."""
    ends, by_main = [], set()
    for line in log:
        number = _job_id(line.get("start") or line.get("complete") or "")
        row = by_id.get(number)
        if row is None:
            continue
        if "start" in line:
            by_main.add((number, int(line["t"])))
            mains = [one for one in cycles if one.time <= line["t"] + MOMENT and one.what["pass"] == "main"]
            if mains:
                mains[-1].starts.append((row, str(line.get("nodes") or row["nodes"])))
        elif not (row["runs"] and line["t"] < row["runs"][-1][0]):
            ends.append(Item(line["t"], "end", row, []))
    return ends, by_main


def _job_id(text: str) -> int:
    """Return the job id of ``12`` and of ``7_3(12)``."""
    named = re.match(r"(?:\d+_\d+\()?(\d+)", str(text))
    return int(named[1]) if named else 0


def _backfilled(row: Row, start: int, nodes: str, cycles: list[Item]) -> None:
    """Give a run to the cycle that started it, which the record tells from the second of its start only."""
    near = [one for one in cycles if one.what["pass"] == "backfill" and int(one.time) <= start <= int(one.time) + 1]
    near = [one for one in near if int(one.time) == start] or [one for one in near if start <= one.time + 0.9]
    if near:
        near[-1].starts.append((row, nodes))


def _when(row: Row, end: int, nodes: str, told: list[Item], cycles: list[Item], after: float) -> float:
    """Return when in its second a run ended that did not end by itself.

    With the command that stopped it; else before the last pass of the second that used its nodes for others; else
    ``after`` the second began.
    """
    within = [item for item in told if end <= item.time < end + 1 and _stops(item.what["argv"], row["job"])]
    if within:
        return within[-1].time + MOMENT
    freed = hosts(nodes)
    used = [one for one in cycles if end <= one.time < end + 1 and any(freed & hosts(on) for _, on in one.starts)]
    return used[-1].time - MOMENT / 2 if used else end + after


def _stops(argv: list[str], label: str) -> bool:
    """Whether a command may stop a job: it names the job, or sets nodes down."""
    text = " ".join(argv).lower()
    return f"{{{label.lower()}}}" in text or ("nodename=" in text and "state=" in text) or argv[:1] == ["scancel"]


def _requeues(argv: list[str], label: str) -> bool:
    """Whether a command requeues a job, which may have ended before."""
    return "requeue" in " ".join(argv[:2]) and f"{{{label}}}" in " ".join(argv)
