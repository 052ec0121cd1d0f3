"""Bitmaps are sets of node indices."""

from __future__ import annotations

from itertools import accumulate, pairwise

import pytest
import world
from hypothesis import given
from hypothesis import strategies as st

from slimsched.model import bitmap
from slimsched.model.cluster import Cluster
from slimsched.text import hostlist

SETS = st.sets(st.integers(0, 300))


def in_stretches(lengths: list[int]) -> set[int]:
    """Return the members of sets and gaps of so many numbers by turns."""
    ends = list(accumulate(lengths))
    return {i for first, end in zip(ends[::2], ends[1::2], strict=False) for i in range(first, end)}


CLUSTER = Cluster(world.uniform_config(nodes=40), world.START)


@given(SETS)
def test_bits_are_members(members):
    mask = bitmap.of(members)

    assert list(bitmap.iterate(mask)) == sorted(members)
    assert mask.bit_count() == len(members)


@given(SETS, SETS)
def test_the_algebra_of_sets(a, b):
    x, y = bitmap.of(a), bitmap.of(b)

    assert (x | y, x & y, x & ~y, x ^ y) == tuple(map(bitmap.of, (a | b, a & b, a - b, a ^ b)))


@given(SETS, st.integers(0, 40))
def test_lowest_takes_the_first(members, count):
    assert list(bitmap.iterate(bitmap.lowest(bitmap.of(members), count))) == sorted(members)[:count]


@given(SETS | st.lists(st.integers(1, 40), max_size=12).map(in_stretches))
def test_runs_are_what_lies_between_gaps(members):
    found = bitmap.runs(bitmap.of(members))

    assert [i for first, end in found for i in range(first, end)] == sorted(members)
    assert all(end < first for (_, end), (first, _) in pairwise(found))


@given(SETS | st.lists(st.integers(1, 40), max_size=12).map(in_stretches), st.integers(1, 40))
def test_the_tightest_run(members, count):
    mask = bitmap.of(members)
    enough = [(end - first, first, end) for first, end in bitmap.runs(mask) if end - first >= count]

    assert bitmap.tightest_run(mask, count) == (min(enough)[1:] if enough else None)


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 64])
def test_full(count):
    assert list(bitmap.iterate(bitmap.full(count))) == list(range(count))


@given(st.sets(st.integers(0, 39)))
def test_a_clusters_hostlists_and_bitmaps_are_each_others_inverse(members):
    mask = bitmap.of(members)
    text = CLUSTER.hostlist_of(mask)

    assert CLUSTER.bitmap_of(text) == mask
    assert hostlist.expand(text) == [CLUSTER.nodes[i].name for i in sorted(members)]


@given(st.lists(st.integers(1, 40), max_size=12), st.randoms(use_true_random=False))
def test_the_order_and_repeats_of_a_hostlist_do_not_matter_to_its_set(numbers, chance):
    names = [f"n{i}" for i in numbers]
    mixed = names * 2
    chance.shuffle(mixed)

    assert CLUSTER.bitmap_of(hostlist.fold(mixed)) == CLUSTER.bitmap_of(",".join(names))


@pytest.mark.parametrize("nodes", [[], [0], [7], [8], [65_532], [3, 65_532], [9, 10, 17, 64, 200]])
def test_nodes_anywhere_in_the_table(nodes: list[int]) -> None:
    assert list(bitmap.iterate(bitmap.of(nodes))) == nodes
