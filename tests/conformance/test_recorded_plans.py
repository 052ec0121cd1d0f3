"""What the recorded schedules promise to those that wait: the order of priority, expected starts and planned nodes.

Starts are compared from the scenario's beginning, which is at the recorded second of a minute, since backfill plans in
whole minutes (bf_resolution). The real daemon's passes came up to a few seconds after the command that made them
possible.
"""

from __future__ import annotations

from typing import Any

import pytest
import recordings

SCENARIOS = {f"{d['scenario']} {d['config']}": d for d in recordings.read(recordings.DATA / "scheduling.jsonl")}
KNOWN_ORDER = recordings.known("order")
KNOWN_PLANS = recordings.known("plans")
BEGIN = 1767225600  # 2026-01-01T00:00:00
RESOLUTION, LATENCY = 60, 10


@pytest.mark.parametrize("name", SCENARIOS)
def test_order_and_plans(name: str, sim: Any) -> None:
    orders: dict[str, Any] = {}
    plans: dict[str, Any] = {}
    seen = set()
    second = SCENARIOS[name]["second"]
    for step, ours in recordings.schedule(sim, SCENARIOS[name], "%i|%t|%Q|%S|%Y", second):
        mine = {job[0]: job for job in ours if job[1] == "PD"}
        pending = [job for job in step["jobs"] if job[1] == "PD" and job[0] in mine]
        key = f"{name} {step['t']}"
        seen.add(key)
        want = _order({job[0]: job[4] for job in pending})
        got = _order({job[0]: int(mine[job[0]][2]) for job in pending})
        if want != got:
            orders[key] = (want, got)
        for job in pending:
            seen.add(f"{key} {job[0]}")
            planned = _plan(mine[job[0]], BEGIN + second)
            if not _agree((job[5], job[6]), planned):
                plans[f"{key} {job[0]}"] = ((job[5], job[6]), planned)
    _compare(orders, KNOWN_ORDER, seen)
    _compare(plans, KNOWN_PLANS, seen)


def _order(priorities: dict[str, int]) -> list[str]:
    return sorted(priorities, key=lambda job: (-priorities[job], job))


def _plan(fields: list[str], begin: int) -> tuple[int | None, str]:
    """Return a job's expected start in seconds from the beginning, and its planned nodes."""
    start = None if fields[3] == "N/A" else recordings.seconds(fields[3]) - begin
    return start, fields[4].replace("(null)", "")


def _agree(want: tuple[int | None, str], got: tuple[int | None, str]) -> bool:
    if want[1] != got[1] or (want[0] is None) is not (got[0] is None):
        return False
    return want[0] is None or got[0] is None or abs(want[0] - got[0]) <= RESOLUTION + LATENCY


def _compare(differing: dict[str, Any], known: dict[str, str], seen: set[str]) -> None:
    expected = seen & known.keys()
    assert {key: differing[key] for key in differing.keys() - expected} == {}, "they agreed before"
    assert sorted(expected - differing.keys()) == [], "they agree now: take them out of known.toml"
