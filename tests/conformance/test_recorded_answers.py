"""Commands recorded on a real Slurm, replayed: what agrees must go on agreeing, what differs has a listed reason."""

from __future__ import annotations

import os
import pwd
from collections.abc import Callable
from itertools import groupby
from typing import Any

import pytest
import recordings

SCENARIOS = {
    name: list(records) for name, records in groupby(recordings.read("transcripts.jsonl"), lambda r: r["scenario"])
}
KNOWN = recordings.known("transcripts")


@pytest.fixture(autouse=True)
def as_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """The recorded commands were root's."""
    root = pwd.getpwuid(0)
    for name, number in (("getuid", root.pw_uid), ("geteuid", root.pw_uid), ("getgid", root.pw_gid)):
        monkeypatch.setattr(os, name, lambda number=number: number)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_answers(scenario: str, make_sim: Callable[[str], Any]) -> None:
    records = SCENARIOS[scenario]
    now, later = make_sim("now"), make_sim("later")
    first = recordings.transcript(now, scenario, records, defer=False)
    second = recordings.transcript(later, scenario, records, defer=True)
    differing = {}
    for record, got, held in zip(records, first, second, strict=True):
        want = record["rc"], record["stdout"], record["stderr"]
        if not recordings.same(got, want, str(now.cwd)) and not recordings.same(held, want, str(later.cwd)):
            differing[str(record["seq"])] = (" ".join(record["cmd"]), want, got)
    expected = {str(record["seq"]) for record in records} & KNOWN.keys()
    assert {seq: differing[seq] for seq in differing.keys() - expected} == {}, "records that agreed before"
    assert sorted(expected - differing.keys(), key=int) == [], "they agree now: take them out of known.toml"
