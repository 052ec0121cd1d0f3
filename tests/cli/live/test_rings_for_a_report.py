"""The command that brings a live cluster up to date: what it does when somebody rings for it after its work."""

from __future__ import annotations

import os
from typing import Any

import pytest

from slimsched.cli.live.report import Report
from slimsched.executor.local import files


@pytest.mark.parametrize(("ring", "again"), [(files.DUE, True), (files.ENDED, False), (files.ENDED + files.DUE, True)])
def test_an_event_that_is_due_is_looked_at_though_no_run_has_ended(live: Any, ring: bytes, again: bool) -> None:
    report = Report(str(live.state), files.take(str(live.state / files.NEXT_REPORT)))
    with report.session():
        pass

    assert files.nudge(str(live.state / files.REPORT), ring)
    assert report.again() is again
    os.close(report.fifo)
    os.close(report.turn)


def test_what_rang_before_the_session_is_seen_by_it(live: Any) -> None:
    report = Report(str(live.state), files.take(str(live.state / files.NEXT_REPORT)))
    files.nudge(str(live.state / files.REPORT), files.DUE)
    with report.session():
        pass

    assert not report.again()
    os.close(report.fifo)
    os.close(report.turn)
