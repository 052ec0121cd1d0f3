from __future__ import annotations

import pytest

from slimsched.sched.timeline import Slot, Timeline

ALL = 0b1111


@pytest.fixture
def busy() -> Timeline:
    """Nodes 0 and 1 are promised from 100 to 200, node 2 from 150 to 300."""
    line = Timeline(0, ALL)
    line.promise(100, 200, 0b0011)
    line.promise(150, 300, 0b0100)
    return line


def test_segments(busy):
    assert list(zip(busy.times, busy.nodes, busy.counts, strict=True)) == [
        (0, 0b1111, 4),
        (100, 0b1100, 2),
        (150, 0b1000, 1),
        (200, 0b1011, 3),
        (300, 0b1111, 4),
    ]


@pytest.mark.parametrize(
    ("start", "seconds", "usable", "count", "required", "expected"),
    [
        (0, 100, ALL, 4, 0, Slot(0, ALL)),  # ends as the first promise begins
        (0, 101, ALL, 4, 0, Slot(300, ALL)),
        (0, 101, ALL, 2, 0, Slot(0, 0b1100)),
        (0, 1000, ALL, 1, 0, Slot(0, 0b1000)),
        (0, 1000, 0b0111, 1, 0, Slot(200, 0b0011)),
        (0, 10, ALL, 1, 0b0001, Slot(0, ALL)),
        (0, 1000, ALL, 1, 0b0001, Slot(200, 0b1011)),
        (120, 10, ALL, 2, 0, Slot(120, 0b1100)),
        (120, 10, ALL, 3, 0, Slot(200, 0b1011)),
        (500, 10, ALL, 4, 0, Slot(500, ALL)),
        (0, 10, ALL, 5, 0, None),
        (0, 10, 0b0001, 1, 0b0010, None),
    ],
)
def test_earliest(busy, start, seconds, usable, count, required, expected):
    assert busy.earliest(start, seconds, usable, count, required) == expected


def test_earliest_before_an_instant(busy):
    assert busy.earliest(0, 101, ALL, 4, before=300) is None


def test_what_begins_in_the_past_counts_from_the_present():
    line = Timeline(100, ALL)
    line.promise(40, 160, 0b1)
    line.promise(0, 100, 0b10)

    assert (line.times, line.nodes) == ([100, 160], [0b1110, ALL])


def test_questions(busy):
    assert busy.free(120, 160) == 0b1000
    assert busy.free(0, 100) == ALL
    assert [busy.free_until(0, nodes) for nodes in (0b1, 0b100, 0b1000)] == [100, 150, None]


@pytest.mark.parametrize(
    ("start", "end", "usable", "free", "later"),
    [
        (0, 99, ALL, ALL, 200),  # nothing more is to be had: the segment from 150 is over
        (0, 100, ALL, 0b1100, 200),
        (0, 160, ALL, 0b1000, 200),  # nodes 0 and 1 are free again
        (0, 160, 0b1100, 0b1000, 300),
        (120, 130, ALL, 0b1100, 200),
        (200, 250, ALL, 0b1011, 300),
        (300, 350, ALL, ALL, 0),
        (500, 550, ALL, ALL, 0),
    ],
)
def test_slot(busy, start, end, usable, free, later):
    assert busy.slot(start, end, usable) == (free, later)


def test_nodes_that_are_promised_soonest_come_first(busy):
    assert busy.soonest_promised(ALL, 1, 0, 50) == 0b0001
    assert busy.soonest_promised(ALL, 3, 0, 50) == 0b0111
    assert busy.soonest_promised(0b1100, 1, 0b1000, 50) == 0b1000
    assert busy.soonest_promised(ALL, 4, 0, 50) == ALL
