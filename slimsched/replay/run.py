"""One run: a trace, a machine and a policy, and the folder that its results go to.

The folder holds ``jobs.csv`` (`rows.Row`), ``nodes.csv`` (`rows.NodeRow`) if the cluster was changed on the way,
``summary.json``, ``run.json`` (what was replayed, and how), and after an interrupt ``checkpoint``: a state directory
with the cluster as it stands, and beside its records those of the replay.
"""

from __future__ import annotations

import io
import json
import os
from array import array
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from itertools import islice
from typing import IO, Any, NamedTuple

from slimsched.errors import UserError
from slimsched.replay import rows, summary
from slimsched.replay.changes import Changes
from slimsched.replay.driver import Replay, Watch
from slimsched.replay.machine import Machine, start
from slimsched.replay.policies import Policy
from slimsched.replay.requests import Estimates, Maker, Parser
from slimsched.replay.rows import NodeRow, Row
from slimsched.replay.summary import Summary
from slimsched.replay.trace import Trace, TraceJob
from slimsched.state import files

KEPT = 1000
"""Rows that wait before they are written together."""

JOBS, NODES, SUMMARY, RUN, CHECKPOINT = "jobs.csv", "nodes.csv", "summary.json", "run.json", "checkpoint"


class Plan(NamedTuple):
    """What is to be replayed. ``policy`` None: as the cluster's file says; ``plans``: keep expected starts.

    ``changes``: of the cluster on the way; ``out``: the folder, "" for none; ``options``: the words that describe it
    all, for ``run.json``.
    """

    trace: Trace
    machine: Machine
    policy: Policy | None
    planned: Estimates
    pace: str
    plans: bool
    changes: Changes | None
    parser: Parser | None
    out: str
    options: Mapping[str, Any]

    @property
    def second(self) -> int:
        """How many of the cluster's seconds one of the trace lasts: the clock of a real cluster is its own."""
        if self.machine.file or self.pace != "fast" or self.policy is None:
            return 1
        return self.policy.second


class Run:
    """A replay with its results.

    ``summary``: the metrics so far; ``starts``: job numbers and starts; ``finished``: whether it came to its end.
    """

    def __init__(self, plan: Plan, *, keep: bool = False) -> None:
        """Begin at the beginning; ``keep``: gather the ``starts``."""
        self.plan, self.finished = plan, False
        maker = Maker(plan.machine, plan.second, plan.planned, plan.parser)
        self.replay = Replay(
            start(plan.machine.cluster(plan.policy, plan.pace), plans=plan.plans),
            maker,
            first=plan.trace.survey.first,
            changes=plan.changes,
        )
        self.summary = Summary(sum(node.cpus for node in self.replay.ctl.cluster.nodes))
        self._keep = keep
        self._numbers, self._starts = array("q"), array("q")
        self._kept: dict[str, int] = {}  # file -> bytes of it from before an interrupt
        if plan.out:
            self._claim()

    def _claim(self) -> None:
        """Make the folder, or refuse one with the results of something else."""
        out = self.plan.out
        path = os.path.join(out, RUN)
        if files.kind(out) == "file":
            raise UserError(f"{out}: is a file; --out names a folder")
        if files.kind(out) and not files.kind(path) and files.names(out):
            raise UserError(f"{out}: is not empty, and holds no replay")
        files.make_folder(os.path.abspath(out))
        files.replace(path, _json({**self.plan.options, "processors": self.summary.processors}))

    def resume(self) -> None:
        """Go on where an interrupt stopped the same run. Raises `UserError` if there is nothing to go on with."""
        from slimsched.replay import checkpoint

        folder = os.path.join(self.plan.out, CHECKPOINT)
        self._kept = checkpoint.restore(folder, self.replay, self.plan.options)
        for name, size in self._kept.items():
            with open(os.path.join(self.plan.out, name), "r+b") as out:
                out.truncate(size)
        for row in rows.read(os.path.join(self.plan.out, JOBS), Row):
            self._add(row)

    @property
    def tables(self) -> list[tuple[str, type[Row] | type[NodeRow]]]:
        """The tables that the folder holds: their names, and what a line is."""
        return [(JOBS, Row), *([(NODES, NodeRow)] if self.plan.changes else [])]

    @property
    def starts(self) -> Iterator[tuple[int, int]]:
        """The number and the start of each job that ran."""
        return zip(self._numbers, self._starts, strict=True)

    def _add(self, row: Row) -> None:
        self.summary.add(row)
        if self._keep and row.ran:
            self._numbers.append(row.job)
            self._starts.append(row.start)

    def go(self, watch: Watch) -> bool:
        """Replay to the end; false if the watcher stopped it, with a checkpoint then."""
        with ExitStack() as stack:
            jobs = self._opened(stack, JOBS, Row)
            nodes = self._opened(stack, NODES, NodeRow) if self.plan.changes else io.StringIO()

            def watching(submitted: int) -> bool:
                if len(self.replay.rows) + len(self.replay.nodes) >= KEPT:
                    self._take(jobs, nodes)
                return watch(submitted)

            self.finished = self.replay.run(self._jobs(), watching)
            self._take(jobs, nodes)
            self._kept = {JOBS: jobs.tell()} | ({NODES: nodes.tell()} if self.plan.changes else {})
        if self.plan.out:
            files.replace(os.path.join(self.plan.out, SUMMARY), _json(summary.as_json(self.summary)))
            self._leave_checkpoint()
        return self.finished

    def _jobs(self) -> Iterator[TraceJob]:
        """Yield the jobs that are not submitted yet."""
        return islice(iter(self.plan.trace), self.replay.submitted, None)

    def _opened(self, stack: ExitStack, name: str, kind: type[Row] | type[NodeRow]) -> IO[str]:
        """Open a table for its next lines."""
        if not self.plan.out:
            return io.StringIO()
        path = os.path.join(self.plan.out, name)
        mode = "a" if self._kept else "w"
        named = open(path, mode, encoding="utf-8", errors="backslashreplace", newline="")  # noqa: SIM115
        out = stack.enter_context(named)
        if not self._kept:
            out.write(rows.header(kind))
        return out

    def _take(self, jobs: IO[str], nodes: IO[str]) -> None:
        """Write and count the rows of the jobs that have left the system, and write what nodes said."""
        found = self.replay.rows
        for row in found:
            self._add(row)
        if self.plan.out:
            rows.write(jobs, found)
            rows.write(nodes, self.replay.nodes)
        found.clear()
        self.replay.nodes.clear()

    def _leave_checkpoint(self) -> None:
        from slimsched.replay import checkpoint

        folder = os.path.join(self.plan.out, CHECKPOINT)
        if not self.finished:
            checkpoint.write(folder, self.replay, self.plan.options, self._kept)
        elif files.kind(folder):
            files.remove_tree(folder)


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=1) + "\n").encode()
