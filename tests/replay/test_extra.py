"""What nodes said over time, and the constraints that it blocked."""

from __future__ import annotations

from slimsched.replay import extra
from slimsched.replay.rows import NodeRow, Row
from slimsched.replay.schedule import Schedule

SAID = [
    NodeRow(0, "n1", "IDLE", '{"load": 0.9, "os": "a"}'),
    NodeRow(0, "n2", "IDLE", '{"load": 0.8}'),
    NodeRow(100, "n1", "IDLE", '{"load": 0.2}'),
    NodeRow(250, "n2", "DOWN", '{"load": 0.2}'),
    NodeRow(300, "n9", "IDLE", '{"load": 0.2}'),
    NodeRow(400, "n1", "IDLE", "not JSON"),
]


def row(number, submit, start, nodes, constraint):
    return Row(number, "ann", 1, submit, start, start + 10 if nodes else -1, 10, 60, "X", "Main", -1, nodes, constraint)


def shown(*rows):
    return Schedule(rows, ["n1", "n2"], 2, SAID)


def test_values_change():
    assert extra.values(shown()) == [
        (0, 0, "load", 0.9), (0, 0, "os", "a"), (0, 1, "load", 0.8),
        (100, 0, "load", 0.2), (100, 0, "os", None), (250, 1, "load", 0.2), (400, 0, "load", None),
    ]  # fmt: skip


def test_what_a_constraint_waited_for():
    found = extra.blocked(
        shown(
            row(1, 50, 300, "n[1-2]", "load<0.5"),  # two nodes match from 250 on
            row(2, 120, 130, "n1", "load<0.5"),  # one matches already: it waits for something else
            row(3, 20, -1, "", "load>5"),
            row(4, 0, 310, "n1", ""),
        )
    )
    assert [one._replace(matching=one.matching[1:]) for one in found] == [
        ("load<0.5", 2, [(100, 1), (250, 2), (300, 3), (400, 2)], 260, 200),
        ("load>5", 1, [], 300, 300),
    ]
