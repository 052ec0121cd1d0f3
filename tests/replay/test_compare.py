"""`sim compare`: columns of metrics, repetitions with an interval, and what is no run."""

from __future__ import annotations

import pytest

from slimsched.replay.compare import half_width


def run(sim, name, policy, trace="a.swf", *jobs):
    lines = [f"{n + 1} {n} -1 {seconds} {procs}" for n, (seconds, procs) in enumerate(jobs)]
    (sim.cwd / trace).write_text("\n".join(lines) + "\n", encoding="ascii")
    sim("replay", trace, "--procs", "4", "--policy", policy, "--out", name)


def test_policies_side_by_side(sim):
    for policy in ("fcfs", "easy"):
        run(sim, policy, policy, "a.swf", (100, 3), (50, 4), (20, 1))

    rows = [line.split() for line in sim("compare", "fcfs", "easy").splitlines()]

    assert rows[0] == ["fcfs", "easy"]
    assert ["jobs", "3", "3"] in rows
    assert ["mean", "wait", "82.333", "33"] in rows
    assert ["backfilled", "jobs", "0", "33.333"] in rows


def test_repetitions_are_one_column_with_an_interval(sim):
    for n, seconds in enumerate((100, 110, 120)):
        run(sim, f"easy{n}", "easy", f"{n}.swf", (seconds, 4), (50, 4))
    run(sim, "fcfs", "fcfs", "0.swf", (100, 4), (50, 4))

    lines = sim("compare", "easy0", "easy1", "fcfs", "easy2").splitlines()

    assert lines[0].split() == ["easy", "x3", "fcfs"]
    assert next(line for line in lines if line.startswith("mean wait")).split() == (
        ["mean", "wait", "54.500", "±", "12.422", "49.500"]
    )


def test_the_interval_is_students():
    assert half_width([1.0, 3.0]) == pytest.approx(12.706)
    assert half_width([float(n % 2) for n in range(100)]) == pytest.approx(1.96 * 0.0502519, rel=1e-4)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "run/run.json: no such file; sim replay --out makes it"),
        ("{", "run/run.json: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        ("[]", "run/run.json: is not what sim replay writes"),
        ("{}", "run/summary.json: is not a summary of a replay"),
    ],
)
def test_what_is_no_run(sim, text, said):
    (sim.cwd / "run").mkdir()
    if text is not None:
        for name in ("run.json", "summary.json"):
            (sim.cwd / "run" / name).write_text(text, encoding="ascii")

    answer = sim.run("compare", "run")

    assert (answer.code, answer.err) == (1, f"sim: error: {said}\n")
