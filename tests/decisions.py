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

from workload_record import Item, Key, Row, hosts, jobs, key, passes, runs, timeline

from slimsched.cli.app import Application
from slimsched.cli.subcommands import load
from slimsched.controller.core import Controller
from slimsched.controller.life import arrays, transitions
from slimsched.controller.schedule import handlers, main_pass
from slimsched.controller.schedule.event_queue import EventKind, EventQueue
from slimsched.errors import PluginError, SimError
from slimsched.model.cluster import Cluster
from slimsched.model.job import Job
from slimsched.select import gres
from slimsched.select.questions import answer
from slimsched.select.records import JobTest, Mode, Selection
from slimsched.slurm import states
from slimsched.state import default, slurm_conf

TOLD = frozenset({EventKind.END, EventKind.CYCLE, EventKind.MAIN, EventKind.BACKFILL})
"""Events that do not come by themselves, because the record tells of them."""

CHANGING = ("sbatch", "scancel", "scontrol", "sacctmgr")
"""Commands that are run; others change nothing, or run programs."""

WHOLE = 60
"""Seconds between two passes of the whole queue, the default of ``sched_interval``."""


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
        self.rows = jobs(folder, run)
        self.ids: dict[str, str] = {}
        self.odd: list[str] = []

    def _phase(self, folder: Path, run: str) -> int:
        """Return where periods begin, from the first pass of the whole queue: slurmctld counts them from its start."""
        log = passes(folder, run)
        return next((int(line["t"]) for line in log if line.get("depth") == "full queue"), 0) - WHOLE

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
        words = [
            re.sub(r"\{(\w+)\}", lambda label: self.ids.get(label[1], label[0]), str(word)) for word in line["argv"]
        ]
        if words[0] not in CHANGING:
            self.odd.append(f"{' '.join(words)}: left out")
            return
        if words[0] == "sbatch":
            words[1:1] = ["--sim-runtime", "-1"]
        app, out, err = InMemory(self.ctl), io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = app.guard(lambda: int(load(words[0]).main(app, words[1:])))
        if code != line[self.run].get("rc", code):
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
        part = self.cluster.partitions.get(row["partition"] or (job.partition if job else ""))
        missing = hosts(nodes) - self.cluster.node_index.keys()
        if job is None or part is None or missing or not hosts(nodes):
            why = (
                "is not pending here"
                if job is None
                else "no such partition"
                if part is None
                else f"on {nodes or 'nothing'}"
            )
            self.odd.append(f"{row['job']} {row['task'] or ''}: started, but {why}")
            return
        one = arrays.split(self.ctl, job, int(row["task"]) if row["task"] else None) if job.array_tasks else job
        try:
            transitions.start_job(self.ctl, one, part, self._selection(one, row, nodes), row["by"])
        except PluginError:
            self._end_early(hosts(nodes))
            try:
                transitions.start_job(self.ctl, one, part, self._selection(one, row, nodes), row["by"])
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

    def _selection(self, job: Job, row: Row, nodes: str) -> Selection:
        """Return what the record says that a job got of its nodes; of an earlier run what it may have got."""
        each: dict[str, tuple[int, int, str]] = {}
        for group, cpus, memory, devices in row["cpus_on"]:
            for name in hosts(group):
                each[name] = (cpus, memory, self._devices(name, f"gpu:{row['gpus']}") if row["gpus"] else devices)
        if set(each) != hosts(nodes):
            found = self._given(job, row, nodes)
            if found is not None:
                return found
            each = self._spread(row, nodes)
        names = self._order(nodes)
        cpus, memory, devices = (list(column) for column in zip(*(each[name] for name in names), strict=True))
        return Selection(self.cluster.bitmap_of(nodes), cpus, memory, devices)

    def _given(self, job: Job, row: Row, nodes: str) -> Selection | None:
        """Return what the select plugin would give a job of just these nodes, if it would."""
        mask = self.cluster.bitmap_of(nodes)
        count = mask.bit_count()
        found = answer(self.ctl.select, JobTest.of(job, row["partition"], mask, count, count, mask), Mode.RUN_NOW)
        return found if found is not None and found.bitmap == mask else None

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
        per_cpu = row["cpus_on"][0][2] // max(1, row["cpus_on"][0][1]) if row["cpus_on"] else 0
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
        for row in self.rows:
            job = self._find(row, active=True)
            if job is None or not hosts(job.nodes) & names:
                continue
            began = job.start_time - self.origin
            ended = next((end for start, end, _ in runs(row) if start == began), row["end"])
            if ended is not None and ended <= now:
                (self.end if ended == row["end"] else self.requeue)(row)

    def ask(self, kind: str) -> tuple[dict[Key, str], dict[str, str]]:
        """Return what a pass starts on a copy of the cluster, with the nodes, and why each other job waits."""
        main_pass.run_once(self.ctl, main=False, backfill=False)  # reservations move away from nodes that are down
        shared = {id(job): job for job in self.cluster.jobs.values() if job.finished}
        shared[id(self.cluster.config)] = self.cluster.config  # type: ignore[assignment]
        trial = copy.deepcopy(self.cluster, shared)
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
    told = Answer({"main": Counter(), "backfill": Counter()}, [], history.odd)
    for item in timeline(folder, run):
        if item.time > until:
            break
        history.move(item.time)
        if item.kind == "pass":
            if any(job.pending for job in history.cluster.jobs.values()):
                _judge(history, item, told)
            for row, nodes in item.starts:
                history.start(row, nodes)
        else:
            getattr(history, item.kind)(item.what)
    return told


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
    try:
        found = compare(given.folder, given.run, given.set)
    except (OSError, ValueError, LookupError, TypeError, SimError) as fault:
        print(
            f"decisions: {given.folder}: no record of run {given.run}: {type(fault).__name__} {fault}", file=sys.stderr
        )
        return 1
    with suppress(BrokenPipeError):
        for text in found.differing[: given.show]:
            print(text)
        for text in found.odd:
            print(f"not as recorded: {text}")
        print(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
