"""Instants in the time zone of a cluster."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from slimsched.text import zone
from slimsched.text.moments import moment
from slimsched.text.times import instant, styled_instant

SPRING = 1774746000  # 2026-03-29 01:00 UTC: clocks of Paris go from 2:00 to 3:00
AUTUMN = 1792890000  # 2026-10-25 01:00 UTC: from 3:00 back to 2:00
HOUR = 3600


@pytest.fixture(autouse=True)
def utc_afterwards() -> Iterator[None]:
    yield
    zone.use(zone.UTC)


@pytest.fixture
def local(sim: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The machine is in Paris."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Europe/Paris")
        time.tzset()
        zone.use(zone.LOCAL)
        yield
    time.tzset()


SHOWN = [
    (SPRING - 1, "2026-03-29T01:59:59", "CET +0100"),
    (SPRING, "2026-03-29T03:00:00", "CEST +0200"),
    (AUTUMN - 1, "2026-10-25T02:59:59", "CEST +0200"),
    (AUTUMN, "2026-10-25T02:00:00", "CET +0100"),
]


@pytest.mark.parametrize(("seconds", "text", "name"), SHOWN)
def test_shown_in_a_named_zone(seconds: int, text: str, name: str) -> None:
    zone.use("Europe/Paris")
    assert (instant(seconds), styled_instant(seconds, "%Z %z", seconds)) == (text, name)


@pytest.mark.usefixtures("local")
@pytest.mark.parametrize(("seconds", "text", "name"), SHOWN)
def test_shown_in_the_machines_zone(seconds: int, text: str, name: str) -> None:
    assert (instant(seconds), styled_instant(seconds, "%Z %z", seconds)) == (text, name)


@pytest.mark.parametrize(
    ("text", "now", "found"),
    [
        ("2026-03-29T01:59:59", 0, SPRING - 1),
        ("2026-03-29T02:30", 0, SPRING + HOUR // 2),  # there is no such time: as long after the gap
        ("2026-03-29T03:00", 0, SPRING),
        ("2026-10-25T02:30", 0, AUTUMN - HOUR // 2),  # there are two: the first
        ("2026-10-25T03:00", 0, AUTUMN + HOUR),
        ("now+2hours", SPRING - HOUR, SPRING + HOUR),
        ("now", AUTUMN + 60, AUTUMN + 60),
        ("now+1minute", AUTUMN, AUTUMN + 60),
        ("midnight", SPRING, 1774821600),  # of the 30th, in summer time
        ("today", SPRING, 1774738800),
        ("tomorrow", SPRING, 1774821600),
        ("04:00", SPRING - 60, SPRING + HOUR),
        ("uts1774746000", 0, SPRING),
    ],
)
def test_read(text: str, now: int, found: int) -> None:
    zone.use("Europe/Paris")
    assert moment(text, now) == found


def test_a_day_begins_at_midnight() -> None:
    zone.use("America/New_York")
    assert instant(zone.midnight(SPRING)) == "2026-03-28T00:00:00"


@pytest.mark.parametrize("name", ["Europe/Nowhere", "../etc/passwd", "Europe", "\0"])
def test_unknown_zones_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="is not a time zone"):
        zone.use(name)


def test_a_cluster_chooses(sim: Any) -> None:
    sim("init", "--timezone", "Europe/Paris", "--start", "2026-03-29T01:59:00")
    sim("sbatch", "--begin", "03:30", "--wrap", "true")
    assert sim("squeue", "-h", "-o", "%S") == "2026-03-29T03:30:00\n"
    sim("advance", "1m")
    assert "SubmitTime=2026-03-29T01:59:00" in sim("scontrol", "show", "job", "1")
    assert "sdiag output at Sun Mar 29 03:00:00 2026" in sim("sdiag")

    refused = sim.run("init", "--force", "--timezone", "Europe/Nowhere")
    assert (refused.code, refused.err) == (
        1,
        "sim: error: [clock] timezone: 'Europe/Nowhere' is not a time zone\n",
    )


@pytest.mark.usefixtures("local")
def test_the_wall_clock_is_local(sim: Any) -> None:
    sim("init", "--clock", "wall")
    sim("sbatch", "--begin", "2100-01-01T01:00", "--wrap", "true")
    assert sim("squeue", "-h", "-o", "%S", env={"SLURM_TIME_FORMAT": "%s %Z"}) == "4102444800 CET\n"
