"""A command that is killed, or that the system refuses a call, leaves the state as it was or as it should be.

Of all places at which that can happen a sample is tried; all of them with SLIMSCHED_ATTACK=long.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from faulty import Faulty, Killed
from interruptions import SCENARIOS, SLURM_CONF, Scenario

from slimsched.errors import StateError
from slimsched.state import doctor, files, store

LONG = os.environ.get("SLIMSCHED_ATTACK") == "long"
ERRORS = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EMFILE)


def content(state: Path) -> Any:
    """Return all that a cluster is, as the next command finds it, None if there is none that can be read."""
    if not state.joinpath("snapshot.json").exists():
        return None
    try:
        with store.Store.open(str(state)) as opened:
            cluster = opened.load()
            known = [*cluster.jobs.values(), *opened.archive.between()]
            numbers = [(job.job_id, job.restarts) for job in known]
            assert len(numbers) == len(set(numbers)), "a job is there twice"
            return (
                dict(cluster.jobs),
                [(job.job_id, job.state, job.request.name) for job in opened.archive.between()],
                {job.job_id: opened.script(job.job_id) for job in known},
                (cluster.next_job_id, cluster.now, cluster.reservations, cluster.accounting, cluster.complexes),
                [(node.name, node.cpus, node.saved) for node in cluster.nodes],
                (state / "cluster.toml").read_text(),
            )
    except StateError:
        return None


class Trial:
    """One scenario, at one place after the other. ``states``: the cluster after 0, 1 and 2 times the command."""

    def __init__(self, scenario: Scenario, make_sim: Callable[[str], Any], patch: pytest.MonkeyPatch) -> None:
        self.scenario, self.patch = scenario, patch
        never = store._SMALL
        if scenario.damage or scenario.checkpoint:
            patch.setattr(store, "_SMALL", 1500)
        self.sim = make_sim("trial")
        (self.sim.cwd / "slurm.conf").write_text(SLURM_CONF)
        self.template = self.sim.state.parent / "template"
        for line in scenario.before:
            if scenario.damage and line == scenario.before[-1]:
                patch.setattr(store, "_SMALL", never)  # the last commit stays in the journal
            self.sim(line)
        if scenario.damage:
            assert len(list(self.sim.state.glob("data-1/journal/*"))) >= 3, "no history to damage"
            self.good = content(self.sim.state)
            scenario.damage(self.sim.state)
        if self.sim.state.exists():
            self.sim.state.rename(self.template)
        self.states = [self.reset() and content(self.sim.state)]
        assert not scenario.damage or self.states == [None], "the damage did no harm"
        for _ in range(2):
            self.sim.run(scenario.command)
            self.states.append(content(self.sim.state))

    def reset(self) -> bool:
        shutil.rmtree(self.sim.state, ignore_errors=True)
        if self.template.exists():
            shutil.copytree(self.template, self.sim.state)
        return True

    def run(self, at: int, fault: str | int) -> tuple[int | None, str, Faulty]:
        """Run the command with one fault; return its exit code (None: killed), its errors, and the calls it made."""
        self.reset()
        made = Faulty(at, fault)
        with self.patch.context() as patch:
            patch.setattr(files, "os", made)
            try:
                answer = self.sim.run(self.scenario.command)
            except Killed:
                return None, "", made
        return answer.code, answer.err, made

    def step_after(self) -> int:
        """Return how many times the command has been carried out, by what the next one finds."""
        found = content(self.sim.state)
        assert found in self.states[:2], "neither as it was nor as it should be"
        return self.states.index(found)

    def repeat(self) -> None:
        """Give the command again: nothing may be in its way, and it does what it always does."""
        done = self.step_after()
        answer = self.sim.run(self.scenario.command)
        assert "Traceback" not in answer.err
        assert content(self.sim.state) == self.states[done + 1], answer
        assert [f for f in doctor.check(str(self.sim.state)) if f.status == doctor.DAMAGED] == []


@pytest.fixture(params=SCENARIOS)
def trial(request: Any, make_sim: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> Trial:
    return Trial(SCENARIOS[request.param], make_sim, monkeypatch)


def places(trial: Trial, fault: str | int, step: int) -> Iterator[int]:
    """Yield the numbers of the calls of an undisturbed run: all of them, or a sample that differs by scenario."""
    *_, made = trial.run(1 << 30, fault)
    count = len(made.calls)
    return iter(range(count) if LONG else range(sum(map(ord, trial.scenario.command)) % step, count, step))


@pytest.mark.parametrize(("fault", "step"), [("kill", 5), ("half", 3)])
def test_killed_at_every_call(trial: Trial, fault: str, step: int) -> None:
    for at in places(trial, fault, step):
        code, *_ = trial.run(at, fault)
        assert code is None
        trial.repeat()


def test_every_call_refused(trial: Trial) -> None:
    for at in places(trial, ERRORS[0], 23):
        for error in ERRORS if LONG else [ERRORS[at % 4]]:
            code, err, made = trial.run(at, error)
            what = made.calls[at], errno.errorcode[error], err
            done = trial.step_after()
            if code == 0:
                assert done == 1, what
            elif trial.states[0] is not None:
                assert (done, bool(err)) == (0, True), what
            trial.repeat()


def test_a_repair_brings_back_what_was_not_hit(trial: Trial) -> None:
    """The repaired cluster, which all repairs that were interrupted must come to, is the one before the damage."""
    if trial.scenario.damage:
        assert trial.states[1] is not None
        lost = set(trial.good[2]) - set(trial.states[1][2])
        assert len(lost) <= 1
        assert trial.states[1][3][0] == trial.good[3][0], "the next job id"
    else:
        assert trial.states[1] != trial.states[0]
