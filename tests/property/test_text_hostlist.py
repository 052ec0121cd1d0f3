from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import HOSTLIST_NOISE, NAME_LISTS, hostlists

from slimsched.text.hostlist import HostlistError, expand, fold, fold_sorted


@given(NAME_LISTS)
def test_fold_is_read_back_in_both_dialects(names):
    folded = fold(names)
    assert expand(folded) == names
    assert expand(folded, dialect="flux") == names
    assert expand(fold(names, "slurm")) == names


@given(NAME_LISTS)
def test_fold_sorted_keeps_every_name(names):
    assert sorted(expand(fold_sorted(names))) == sorted(names)


@given(NAME_LISTS)
def test_fold_is_settled(names):
    assert fold(expand(fold(names))) == fold(names)


@given(hostlists())
def test_slurm_hostlists_mean_what_they_were_made_of(pair):
    text, names = pair
    assert expand(text) == names


@given(hostlists(most=1))
def test_the_dialects_differ_only_in_leading_zeros(pair):
    text, names = pair
    assert [int("".join(c for c in n if c.isdigit()) or 0) for n in expand(text, dialect="flux")] == [
        int("".join(c for c in n if c.isdigit()) or 0) for n in names
    ]


@given(HOSTLIST_NOISE, st.sampled_from(["slurm", "flux"]))
def test_any_text_is_a_list_or_an_error_that_points_into_it(text, dialect):
    try:
        names = expand(text, dialect=dialect)
    except HostlistError as fault:
        start, end = fault.span
        assert 0 <= start <= end <= len(text)
    else:
        assert all(names)
        assert expand(fold(names)) == names or "]" in text


@given(hostlists(most=2, plain=True))
def test_agrees_with_clustershell_as_a_set(pair):
    """NodeSet is a set, so order and repeats are not compared."""
    nodeset = pytest.importorskip("ClusterShell.NodeSet")
    text, names = pair
    assert set(nodeset.NodeSet(text)) == set(names) == set(expand(text))
