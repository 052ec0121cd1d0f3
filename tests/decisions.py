"""Decision by decision: what `sim` would have started in each scheduling pass of a recorded workload.

    python tests/decisions.py FOLDER [--run A|B] [--show N] [--set KEY=VALUE]

One decision that differs moves many later starts, so that these say little about how often two schedulers decide
differently. Here the recorded history is forced upon a cluster in memory: submissions and other commands, ends, starts
with their nodes. At each recorded main pass and backfill cycle a copy of the cluster runs a pass of its own, and what
this starts is held against what the real one started. Nothing that `sim` decides is kept.

FOLDER holds the record of a workload: slurm.conf with gres.conf, origin.json, submissions.jsonl, and of each run
real_RUN.jsonl (the jobs) and passes_RUN.jsonl (the passes, with milliseconds). The last line is::

    main: P of N passes the same, S of N starts too, M of S on the same nodes; backfill: ...; alone: K

A pass is the same if exactly the same jobs start. Passes without pending jobs are left out. ``alone``: starts that the
real pass did not make. ``--show N`` prints the first N passes that differ: job, real nodes, our nodes or why it waits.
"""

from __future__ import annotations

import argparse
import copy
import gzip
import io
import json
import re
import sys
from calendar import timegm
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from time import strptime
from types import SimpleNamespace
from typing import Any, NamedTuple

from slimsched.cli.app import Application
from slimsched.cli.subcommands import load
from slimsched.controller.core import Controller
from slimsched.controller.life import arrays, transitions
from slimsched.controller.schedule import handlers, main_pass
from slimsched.controller.schedule.event_queue import EventKind, EventQueue
from slimsched.errors import PluginError
from slimsched.model.cluster import Cluster
from slimsched.model.job import Job
from slimsched.select import gres
from slimsched.select.records import Selection
from slimsched.slurm import states
from slimsched.state import default, slurm_conf
from slimsched.text import hostlist

Row = dict[str, Any]
Key = tuple[str, str | None]  # name of a job, and its task of an array
TOLD = frozenset({EventKind.END, EventKind.CYCLE, EventKind.MAIN, EventKind.BACKFILL})
"""Events that do not come by themselves, because the record tells of them."""

WHOLE = 60
"""Seconds between two passes of the whole queue, the default of ``sched_interval``."""

MOMENT = 0.0015  # the log's order of a pass and of what it starts is not that of its milliseconds
REQUEUED_AFTER = 0.02  # a preempted job's end, after the pass that says so
ORDER = ("end", "command", "pass", "requeue")  # at one instant


class Item(NamedTuple):
    """Something of the record: seconds since the origin, its kind, and the row or the line that it concerns."""

    time: float
    kind: str
    what: Row
    starts: list[tuple[Row, str]]  # of a pass: the jobs that it started, and their nodes


def read(path: Path) -> list[Row]:
    """Return the objects of a file, one on a line; the file may be compressed (``.gz``)."""
    packed = path.with_name(path.name + ".gz")
    text = gzip.decompress(packed.read_bytes()).decode() if packed.exists() else path.read_text()
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def key(row: Row) -> Key:
    """Return what tells a row of the record apart."""
    return row["job"], row["task"]


def hosts(text: str) -> frozenset[str]:
    """Return the nodes of a hostlist."""
    return frozenset(hostlist.expand(text, dialect="slurm"))


# the record


def timeline(folder: Path, run: str) -> list[Item]:
    """Return what happened in a run, in order."""
    rows, log = read(folder / f"real_{run}.jsonl"), read(folder / f"passes_{run}.jsonl")
    by_id = {row["jobid"]: row for row in rows}
    found = [Item(line[run]["t"] + line[run]["wall_s"] / 2, "command", line, []) for line in _lines(folder)]
    passes = [Item(line["t"], "pass", line, []) for line in log if "pass" in line]
    ended = set()
    by_main = {(_job_id(line["start"]), int(line["t"])) for line in log if "start" in line}
    for line in log:
        row = by_id.get(_job_id(line.get("start") or line.get("complete") or ""))
        if row is None:
            continue
        if "start" in line:
            mains = [one for one in passes if one.time <= line["t"] + MOMENT and one.what["pass"] == "main"]
            if mains:
                mains[-1].starts.append((row, line["nodes"]))
        elif not (row.get("runs") and line["t"] < row["runs"][-1][0]):
            found.append(Item(line["t"], "end", row, []))
            ended.add(key(row))
    for row in rows:
        found += [Item(run[1] + REQUEUED_AFTER, "requeue", row, []) for run in (row.get("runs") or [])[:-1]]
        if row["start"] is None:
            continue
        for start, _, nodes in _runs(row):
            if (row["jobid"], start) not in by_main and (row.get("runs") or row["by"] == "Backfill"):
                _backfilled(row, start, nodes, passes)
        if key(row) not in ended and row["end"] is not None and row["state"] != states.RUNNING:
            found.append(Item(row["end"] + 0.5, "end", row, []))
    return sorted([*found, *passes], key=lambda item: (item.time, ORDER.index(item.kind)))


def _lines(folder: Path) -> list[Row]:
    return read(folder / "submissions.jsonl")


def _job_id(text: str) -> int:
    """Return the job id of ``12`` and of ``7_3(12)``."""
    named = re.match(r"(?:\d+_\d+\()?(\d+)", text)
    return int(named[1]) if named else 0


def _runs(row: Row) -> list[tuple[int, int | None, str]]:
    """Return the runs of a job that has started: start, end and nodes (of the last, if no others are told)."""
    return [
        (*run[:2], run[2] if len(run) > 2 else row["nodes"]) for run in row.get("runs") or [(row["start"], row["end"])]
    ]


def _backfilled(row: Row, start: int, nodes: str, passes: list[Item]) -> None:
    """Give a run to the cycle that started it, which the record tells from the second of its start only."""
    near = [one for one in passes if one.what["pass"] == "backfill" and int(one.time) <= start <= int(one.time) + 1]
    near = [one for one in near if int(one.time) == start] or [one for one in near if start <= one.time + 0.9]
    if near:
        near[-1].starts.append((row, nodes))


# the cluster that it is forced upon


class InMemory(Application):
    """An application whose state is the cluster of a controller; scripts are not kept."""

    store: Any = SimpleNamespace(save_script=lambda job_id, text: None)

    def __init__(self, ctl: Controller) -> None:
        super().__init__()
        self.ctl = ctl

    @contextmanager
    def session(self, *, write: bool = True, gathering: bool = False) -> Iterator[Controller]:
        """Yield the controller; the record tells of the pass that follows a job that is killed."""
        yield self.ctl
        self.ctl.killed = False
        self.ctl.settle()


class History:
    """A cluster to which happens what the record says, and nothing else.

    Its pace is Slurm's, so that no command starts anything. ``ids``: label of a submission -> its job id here.
    ``odd``: what could not be applied as recorded.
    """

    def __init__(self, folder: Path, run: str, settings: list[str]) -> None:
        origin = json.loads((folder / "origin.json").read_text())[run]
        self.origin = timegm(strptime(origin, "%Y-%m-%dT%H:%M:%S"))
        config = slurm_conf.load(str(folder / "slurm.conf")).config
        default.adjust(config, settings, {"pace": "slurm"})
        self.cluster = Cluster(config, self.origin)
        self.cluster.boot_time = self.origin + self._phase(folder, run)
        self.ctl = Controller(self.cluster)
        self.run = run
        self.rows = read(folder / f"real_{run}.jsonl")
        self.ids: dict[str, str] = {}
        self.odd: list[str] = []

    def _phase(self, folder: Path, run: str) -> int:
        """Return where periods begin, from the first pass of the whole queue: slurmctld counts them from its start."""
        log = read(folder / f"passes_{run}.jsonl")
        return next(int(line["t"]) for line in log if line.get("depth") == "full queue") - WHOLE

    def move(self, time: float) -> None:
        """Move the clock; what a cluster does by itself happens, except what the record tells."""
        queue = self.ctl.agenda = EventQueue(self.ctl)
        instant = self.origin + int(time)
        while (event := queue.peek()) is not None and event.time <= instant:
            queue.pop()
            if event.kind not in TOLD:
                self.cluster.now = max(self.cluster.now, event.time)
                handlers.HANDLERS[event.kind](self.ctl, event)
        self.cluster.now = max(self.cluster.now, instant)

    def command(self, line: Row) -> None:
        """Run a command, whose ``{label}`` stands for a job id."""
        words = [re.sub(r"\{(\w+)\}", lambda label: self.ids.get(label[1], label[0]), word) for word in line["argv"]]
        if words[0] == "sbatch":
            words[1:1] = ["--sim-runtime", "-1"]
        app, out, err = InMemory(self.ctl), io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = app.guard(lambda: int(load(words[0]).main(app, words[1:])))
        if code != line[self.run]["rc"]:
            self.odd.append(f"{' '.join(words)}: {code} {err.getvalue().strip()}")
        made = re.match(r"Submitted batch job (\d+)", out.getvalue())
        if made and line.get("label"):
            self.ids[line["label"]] = made[1]

    def end(self, row: Row) -> None:
        """End a job as it ended, if it has not been cancelled by a command."""
        job = self._find(row, active=True)
        if job is not None:
            transitions.end_job(self.ctl, job, row["state"] if row["state"] in states.FINISHED else states.COMPLETED)

    def requeue(self, row: Row) -> None:
        """Requeue a job that was preempted."""
        job = self._find(row, active=True)
        if job is not None:
            transitions.requeue_job(self.ctl, job)

    def start(self, row: Row, nodes: str) -> None:
        """Start a job where it was started."""
        job = self._find(row, active=False)
        if job is None:
            self.odd.append(f"{row['job']} {row['task'] or ''}: started, but is not pending here")
            return
        one = arrays.split(self.ctl, job, int(row["task"]) if row["task"] else None) if job.array_tasks else job
        part = self.cluster.partitions[row["partition"]]
        try:
            transitions.start_job(self.ctl, one, part, self._selection(row, nodes), row["by"])
        except PluginError:
            self._end_early(hosts(nodes))
            try:
                transitions.start_job(self.ctl, one, part, self._selection(row, nodes), row["by"])
            except PluginError as fault:
                self.odd.append(f"{row['job']} {row['task'] or ''}: {fault}")
                transitions.end_job(self.ctl, one, states.CANCELLED)

    def _find(self, row: Row, *, active: bool) -> Job | None:
        """Return the job of a row that runs, or that waits: for a task also the record of all that are left."""
        for job in self.cluster.jobs.values():
            if job.request.name == row["job"] and (job.active if active else job.pending):
                mine = row["task"] is None or str(job.array_task_id) == row["task"]
                if mine or (job.array_tasks and arrays.contains(job.array_tasks, int(row["task"]))):
                    return job
        return None

    def _selection(self, row: Row, nodes: str) -> Selection:
        """Return what the record says that a job got of its nodes."""
        each: dict[str, tuple[int, int, str]] = {}
        for group, cpus, memory, devices in row["cpus_on"]:
            for name in hosts(group):
                each[name] = (cpus, memory, self._devices(name, f"gpu:{row['gpus']}") if row.get("gpus") else devices)
        if set(each) != hosts(nodes):
            each = self._spread(row, nodes)  # an earlier run
        names = self._order(nodes)
        cpus, memory, devices = (list(column) for column in zip(*(each[name] for name in names), strict=True))
        return Selection(self.cluster.bitmap_of(nodes), cpus, memory, devices)

    def _devices(self, name: str, asked: str) -> str:
        """Return free devices of a node, the lowest first: the record does not say which a job had."""
        slots = gres.parse(self.cluster.nodes[self.cluster.node_index[name]].gres)
        used: tuple[int, ...] = (0,) * len(slots)
        for job in self.cluster.jobs.values():
            if job.active and job.gres and name in hosts(job.nodes):
                used = gres.plus(slots, used, gres.restore(slots, job.gres[self._order(job.nodes).index(name)]))
        return gres.show(slots, gres.take(slots, used, gres.parse(asked)[0]))

    def _order(self, nodes: str) -> list[str]:
        """Return the names of nodes in the order of the table."""
        return sorted(hosts(nodes), key=self.cluster.node_index.__getitem__)

    def _spread(self, row: Row, nodes: str) -> dict[str, tuple[int, int, str]]:
        """Return a likely share of each node in a run whose shares are not in the record."""
        left, found = row["cpus"], {}
        per_cpu = row["cpus_on"][0][2] // max(1, row["cpus_on"][0][1])
        names = self._order(nodes)
        for place, name in enumerate(names, start=1):
            node = self.cluster.nodes[self.cluster.node_index[name]]
            behind = len(names) - place
            count = max(1, min(node.cpus, left - behind)) if behind else left
            found[name] = (count, count * per_cpu, "")
            left -= count
        return found

    def _end_early(self, names: frozenset[str]) -> None:
        """End what had ended by this second on some nodes, though the message of its end came later."""
        now = self.cluster.now - self.origin
        over = {key(row) for row in self.rows if row["end"] is not None and row["end"] <= now}
        for job in [job for job in self.cluster.jobs.values() if job.active]:
            if key_of(job) in over and hosts(job.nodes) & names:
                transitions.end_job(self.ctl, job, states.COMPLETED)

    def ask(self, kind: str) -> tuple[dict[Key, str], dict[str, str]]:
        """Return what a pass starts on a copy of the cluster, with the nodes, and why each other job waits."""
        shared = {id(job): job for job in self.cluster.jobs.values() if job.finished}
        shared[id(self.cluster.config)] = self.cluster.config  # type: ignore[assignment]
        trial = copy.deepcopy(self.cluster, shared)  # type: ignore[arg-type]
        before = {job.job_id for job in trial.jobs.values() if not job.pending}
        main_pass.run_once(Controller(trial), main=kind == "main", backfill=kind == "backfill")
        mine = [job for job in trial.jobs.values() if job.job_id not in before and job.state == states.RUNNING]
        waits = {job.request.name: f"{job.state_desc or job.reason} {job.priority}" for job in trial.jobs.values()}
        return {key_of(job): job.nodes for job in mine}, waits


def key_of(job: Job) -> Key:
    """Return what tells a job apart in the record."""
    return job.request.name, str(job.array_task_id) if job.array_job_id and job.array_task_id is not None else None


# the comparison


class Answer(NamedTuple):
    """What came out: counts for each kind of pass, the passes that differ, and what could not be applied."""

    counts: dict[str, Counter[str]]
    differing: list[str]
    odd: list[str]

    def __str__(self) -> str:
        """Return the last line."""
        parts = [f"{kind}: {_told(count)}" for kind, count in self.counts.items()]
        return "; ".join([*parts, f"alone: {sum(count['alone'] for count in self.counts.values())}"])


def _told(count: Counter[str]) -> str:
    return (
        f"{count['same']} of {count['passes']} passes the same, {count['too']} of {count['starts']} starts too, "
        f"{count['placed']} of {count['too']} on the same nodes"
    )


def compare(folder: Path, run: str = "A", settings: list[str] | None = None, until: float = float("inf")) -> Answer:
    """Go through the record of a run, or its beginning, and ask at each pass."""
    history = History(folder, run, settings or [])
    answer = Answer({"main": Counter(), "backfill": Counter()}, [], history.odd)
    for item in timeline(folder, run):
        if item.time > until:
            break
        history.move(item.time)
        if item.kind == "pass":
            if any(job.pending for job in history.cluster.jobs.values()):
                _judge(history, item, answer)
            for row, nodes in item.starts:
                history.start(row, nodes)
        else:
            getattr(history, item.kind)(item.what)
    return answer


def _judge(history: History, item: Item, answer: Answer) -> None:
    """Hold our pass against the real one."""
    kind = item.what["pass"]
    ours, waits = history.ask(kind)
    real = {key(row): nodes for row, nodes in item.starts}
    both = ours.keys() & real.keys()
    placed = {one for one in both if hosts(ours[one]) == hosts(real[one])}
    answer.counts[kind].update(
        passes=1, same=ours.keys() == real.keys(), starts=len(real), too=len(both), placed=len(placed),
        alone=len(ours.keys() - both),
    )  # fmt: skip
    lines = [
        f"  {'_'.join(filter(None, one))}: {real.get(one, '-')} {ours.get(one) or '- ' + waits.get(one[0], '')}"
        for one in sorted((ours.keys() | real.keys()) - placed, key=str)
    ]
    if lines:
        answer.differing.append("\n".join([f"{kind} {item.time}", *lines]))


def main() -> int:
    """Compare, and print what differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--run", default="A", choices=["A", "B"])
    parser.add_argument("--show", type=int, default=0, metavar="N", help="how many passes that differ to print")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a key of slurm.conf")
    given = parser.parse_args()
    with suppress(BrokenPipeError):
        answer = compare(given.folder, given.run, given.set)
        for text in answer.differing[: given.show]:
            print(text)
        for text in answer.odd:
            print(f"not as recorded: {text}")
        print(answer)
    return 0


if __name__ == "__main__":
    sys.exit(main())
