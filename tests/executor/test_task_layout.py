"""Which task runs on which node, as recorded from a real Slurm."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slimsched.executor import task_layout


@pytest.mark.parametrize(
    ("kind", "room", "tasks", "plane", "found"),
    [
        ("block", [4, 1], 5, 1, [[0, 1, 2, 3], [4]]),
        ("block", [3, 1, 1], 5, 1, [[0, 1, 2], [3], [4]]),
        ("block", [3, 1], 2, 1, [[0], [1]]),
        ("block", [1], 6, 1, [[0, 1, 2, 3, 4, 5]]),
        ("cyclic", [4, 2], 6, 1, [[0, 2, 4, 5], [1, 3]]),
        ("cyclic", [4, 1], 5, 1, [[0, 2, 3, 4], [1]]),
        ("plane", [4, 4], 8, 2, [[0, 1, 4, 5], [2, 3, 6, 7]]),
        ("plane", [4, 2, 1], 7, 2, [[0, 1, 5, 6], [2, 3], [4]]),
        ("plane", [3, 1], 4, 2, [[0, 1, 3], [2]]),
    ],
)
def test_recorded_layouts(kind: str, room: list[int], tasks: int, plane: int, found: list[list[int]]) -> None:
    assert task_layout.lay_out(kind, room, tasks, plane) == found


def test_tasks_follow_a_list_of_nodes() -> None:
    assert task_layout.arbitrary(["n1", "n2"], ["n2", "n1", "n1"]) == [[1, 2], [0]]


@given(
    st.sampled_from(["block", "cyclic", "plane"]),
    st.lists(st.integers(1, 6), min_size=1, max_size=6),
    st.integers(1, 40),
    st.integers(1, 4),
)
def test_every_task_has_one_node(kind: str, room: list[int], tasks: int, plane: int) -> None:
    found = task_layout.lay_out(kind, room, tasks, plane)
    assert sorted(rank for here in found for rank in here) == list(range(tasks))
    assert all(here == sorted(here) for here in found)
    if tasks <= sum(room):
        assert all(len(here) <= most for here, most in zip(found, room, strict=True))
