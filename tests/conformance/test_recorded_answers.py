"""Commands recorded on a real Slurm, replayed: what agrees must go on agreeing, what differs has a listed reason."""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable
from typing import Any

import pytest
import recordings

SCENARIOS = {f"{each.set} {each.name}": each for each in recordings.scenarios()}


@pytest.fixture(autouse=True)
def as_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recorded commands were root's."""
    root = pwd.getpwuid(0)
    for name, number in (("getuid", root.pw_uid), ("geteuid", root.pw_uid), ("getgid", root.pw_gid)):
        monkeypatch.setattr(os, name, lambda number=number: number)


@pytest.mark.parametrize("name", SCENARIOS)
def test_answers(name: str, make_sim: Callable[[str], Any]) -> None:
    scenario = SCENARIOS[name]
    known = recordings.known(scenario.set)
    now, later = make_sim("now"), make_sim("later")
    first = recordings.transcript(now, scenario, defer=False)
    second = recordings.transcript(later, scenario, defer=True)
    differing = {}
    for record, got, held in zip(scenario.commands, first, second, strict=True):
        want = record["rc"], record["stdout"], record["stderr"]
        if not recordings.same(got, want, str(now.cwd)) and not recordings.same(held, want, str(later.cwd)):
            differing[str(record["seq"])] = (" ".join(record["cmd"]), want, got)
    expected = {str(record["seq"]) for record in scenario.commands} & known.keys()
    assert {seq: differing[seq] for seq in differing.keys() - expected} == {}, "records that agreed before"
    assert sorted(expected - differing.keys(), key=int) == [], "they agree now: take them out of known.toml"


def test_every_known_difference_is_of_a_record() -> None:
    for name in {scenario.set for scenario in SCENARIOS.values()}:
        kept = {str(r["seq"]) for each in SCENARIOS.values() if each.set == name for r in each.commands}

        assert recordings.known(name).keys() <= kept, name


def test_a_record_that_cannot_be_replayed_is_an_error() -> None:
    with pytest.raises(AssertionError, match=r"no replay of .*read_file"):
        recordings.Scenario("a", "b", [{"scenario": "b", "read_file": "out"}])


@pytest.mark.parametrize("value", ["x", None])
def test_an_opening_changes_the_configuration(value: str | None) -> None:
    opening = {"scenario": "b", "conf_changes": {"SchedulerParameters": value}, "conf_added": ["MaxJobCount=5"]}
    lines = recordings.Scenario("a", "b", [opening]).conf(defer=True).splitlines()

    found = [line for line in lines if line.startswith("SchedulerParameters")]
    assert found == ["SchedulerParameters=defer,x" if value else "SchedulerParameters=defer"]
    assert "MaxJobCount=5" in lines
