"""What a replay adds to the engine's work on a job, in calls of Python functions: a busy machine changes nothing."""

from __future__ import annotations

import sys

MOST = 42
"""Calls a job of functions in ``replay/``; lower it if it gets less."""


def calls(sim, jobs):
    lines = [
        f"{i} {i * 60} -1 {i % 7 * 50 + 9} {i % 5 + 1} -1 -1 {i % 5 + 1} 900 -1 1 {i % 3} 1 -1 1 1 -1 -1"
        for i in range(jobs)
    ]
    (sim.cwd / "t.swf").write_text("\n".join(lines), encoding="ascii")
    count = 0

    def counted(frame, event, arg):
        nonlocal count
        count += event == "call" and "/slimsched/replay/" in frame.f_code.co_filename

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        answer = sim.run("replay", "t.swf", "--procs", "8", "--out", f"out{jobs}")
    finally:
        sys.setprofile(before)
    assert answer.code == 0
    return count


def test_a_job_costs_a_bounded_number_of_calls(sim):
    calls(sim, 5)  # what is imported and kept is no part of it

    assert 10 < (calls(sim, 300) - calls(sim, 100)) / 200 < MOST
