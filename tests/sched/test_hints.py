"""Bounds of starts: those of jobs that run no longer hold for longer ones, and nothing holds once the books change."""

from __future__ import annotations

import pytest

from slimsched.sched.hints import Hints, best


@pytest.mark.parametrize(
    ("seconds", "bounds"), [(30, (0, 0)), (60, (10, 20)), (90, (10, 20)), (120, (15, 18)), (600, (15, 20))]
)
def test_bounds_of_shorter_jobs_hold(seconds, bounds):
    assert best({60: (10, 20), 120: (15, 18)}, seconds) == bounds


def test_a_change_of_the_books_makes_bounds_void():
    hints = Hints()
    hints.of(1, "a")[60] = 10, 20

    assert hints.of(1, "a") == {60: (10, 20)}
    assert hints.of(1, "b") == {}
    assert hints.of(2, "a") == {}
