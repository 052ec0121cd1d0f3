"""Hostlists made from the runs of a node set, compared with those made name by name."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slimsched.model import bitmap
from slimsched.model.node_names import NodeNames
from slimsched.text import hostlist

TABLES = (
    "n[1-12]", "n[001-120]", "n[08-12]", "n[98-105]", "node", "a[1-3],b[1-3]", "n[0-9]", "n[099-1101]", "n[9-11],n13",
    "n[0995-1005]", "r1c[1-20]", "n[01-02],n3",
)  # fmt: skip


@pytest.mark.parametrize("table", TABLES)
@given(data=st.data())
def test_hostlists_are_those_of_the_names(table, data):
    names = hostlist.expand(table, dialect="slurm")
    mask = data.draw(st.integers(0, 2 ** len(names) - 1))
    folded = hostlist.fold([names[i] for i in bitmap.indices(mask)], "slurm")
    assert NodeNames(names).hostlist_of(mask) == folded
    runs = [(first, end - 1) for first, end in bitmap.runs(mask)]
    assert NodeNames(names).runs_of(folded) == runs
    shuffled = data.draw(st.permutations([names[i] for i in bitmap.indices(mask)]))
    assert NodeNames(names).runs_of(",".join([*shuffled, "other7"])) == runs


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("", []), ("n7", [(6, 6)]), ("n[1,2]", [(0, 0), (1, 1)]), ("n[2,1]", [(0, 1)]), ("n[11-14]", [(10, 11)]),
        ("n13", []), ("n01", []), ("n0", []), ("n[3-3]", [(2, 2)]), ("n", []), ("m[1-2]", []), ("n1-2", []),
        ("n[1-2]x", []),
    ],
)  # fmt: skip
def test_lists_that_others_wrote(text, runs):
    assert NodeNames(hostlist.expand("n[1-12]")).runs_of(text) == runs
