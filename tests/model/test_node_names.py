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
