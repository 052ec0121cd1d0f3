"""Schedules recorded on a real Slurm, replayed under the virtual clock: who runs where, who waits for what."""

from __future__ import annotations

from typing import Any

import pytest
import recordings

SCENARIOS = {f"{d['scenario']} {d['config']}": d for d in recordings.read(recordings.DATA / "scheduling.jsonl")}
KNOWN = recordings.known("snapshots")


@pytest.mark.parametrize("name", SCENARIOS)
def test_snapshots(name: str, sim: Any) -> None:
    differing = {}
    keys = []
    for step, ours in recordings.schedule(sim, SCENARIOS[name], "%i|%t|%r|%N"):
        theirs = [job[:4] for job in step["jobs"]]
        keys.append(f"{name} {step['t']}")
        if sorted(ours) != sorted(theirs):
            lost = [job for job in theirs if job not in ours]
            differing[keys[-1]] = (lost, [job for job in ours if job not in theirs])
    expected = set(keys) & KNOWN.keys()
    assert {key: differing[key] for key in differing.keys() - expected} == {}, "snapshots that agreed before"
    assert sorted(expected - differing.keys()) == [], "they agree now: take them out of known.toml"
