"""The best fit among sets of nodes: what is found by bitmaps is what is found by looking at every set."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slimsched.model import bitmap
from slimsched.select import best_fit, best_fit_uniform
from slimsched.select.best_fit import Ask
from slimsched.select.category import NodeCpus

SIZE = 60
NODES = st.integers(0, (1 << SIZE) - 1)
ASKS = st.builds(
    lambda least, more, wished, cpus, each, required: Ask(
        (least, least + more, least + min(more, wished)), max(cpus, least * each), each, required
    ),
    *(st.integers(1, 8), st.integers(0, 8), st.integers(0, 8), st.integers(1, 60), st.integers(1, 4)),
    st.sampled_from([0, 0, 0, 1 << 5, 3 << 20]),
)


@given(ASKS, NODES, NODES, st.sampled_from([[4], [4, 8], [1, 2, 4]]))
def test_one_set_is_found_without_a_look_at_all(ask, mask, heavy, cpus):
    room = NodeCpus.of([cpus[index % len(cpus)] for index in range(SIZE)])
    mask = (mask | ask.required) & room.at_least(ask.node_cpus)
    groups = [bitmap.full(SIZE) & ~heavy, heavy]
    found = best_fit.best_fit(ask, room, mask, groups)
    quick = best_fit._one_set
    best_fit._one_set = lambda *_: None
    try:
        assert found == best_fit.best_fit(ask, room, mask, groups)
    finally:
        best_fit._one_set = quick


@given(NODES, st.integers(1, 20), NODES)
def test_equal_nodes(mask, count, heavy):
    groups = [bitmap.full(SIZE) & ~heavy, heavy]
    chosen, missing = 0, count
    for group in groups:  # as `best_fit` says: the smallest set that is large enough, else the largest
        sets = bitmap.runs(mask & group)
        while missing and sets:
            enough = [each for each in sets if each[1] - each[0] >= missing]
            best = min(enough or sets, key=lambda each: (each[1] - each[0]) * (1 if enough else -1))
            sets.remove(best)
            taken = min(missing, best[1] - best[0])
            chosen |= bitmap.full(taken) << best[0]
            missing -= taken

    assert best_fit_uniform.alike(mask, count, groups) == chosen


@pytest.mark.parametrize(
    ("cpus", "groups", "ask", "expected"),
    [
        # from the set of the required node, upwards from it and then downwards
        ([4, 4, 4, 4], [0b1111], Ask((3, 9, 3), 3, 1, 0b0100), {2, 3, 1}),
        # a tighter set of the same weight that comes later is better than that of the required node
        ([4, 4, 4, 0, 4], [0b11111], Ask((2, 9, 2), 2, 1, 0b00100), {2, 4}),
        # a required node at the end of its set is not part of it once a node follows that cannot be used
        ([4, 0, 4, 4, 4], [0b11111], Ask((2, 9, 2), 2, 1, 0b00001), {0, 2}),
        # one of a higher weight is part of the nodes that follow
        ([4, 4, 4, 4], [0b0110, 0b1001], Ask((2, 9, 2), 2, 1, 0b0001), {0, 1}),
        # nodes that must follow each other may have any weight
        ([4, 4, 4, 4], [0b0101, 0b1010], Ask((3, 9, 3), 3, 1, 0, contiguous=True), {0, 1, 2}),
        ([4, 4, 0, 4], [0b0101, 0b1010], Ask((3, 9, 3), 3, 1, 0, contiguous=True), None),
        # too few nodes with more CPUs, after a set that is large enough, keep it from being taken first
        ([1, 1, 1, 0, 8, 8], [0b111111], Ask((3, 9, 3), 3, 1), {4, 5, 0}),
    ],
)
def test_sets_as_slurm_compares_them(cpus, groups, ask, expected):
    room = NodeCpus.of(cpus)
    found = best_fit.best_fit(ask, room, room.at_least(1), groups)
    assert (set(found) if found else None) == expected
