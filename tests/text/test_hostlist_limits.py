"""Hostlists at the limits on names and characters, and what an error points at behind commas and brackets."""

from __future__ import annotations

import pytest

from slimsched.text import hostlist, idset
from slimsched.text.hostlist import HostlistError, expand, fold, sort_key, split_number


@pytest.fixture
def few(monkeypatch):
    """Four names and twenty characters of bracketed names are all that one text may stand for."""
    monkeypatch.setattr(hostlist, "MAX_NAMES", 4)
    monkeypatch.setattr(hostlist, "MAX_CHARACTERS", 20)


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("dialect", ["slurm", "flux"])
@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("a[1-4]", 4),
        ("a,b,c,d", 4),
        ("a[1-3],b", 4),
        ("a,b[1-3]", 4),
        ("a[1,2],b[1-2]", 4),
        ("aaaa[1-4]", 4),
        ("a[0001-0004]", 4),
        (",,,,,a", 1),
    ],
)
def test_within_the_limits(text, count, dialect):
    assert len(expand(text, dialect)) == count


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("dialect", ["slurm", "flux"])
@pytest.mark.parametrize(
    ("text", "what", "span"),
    [
        ("a[1-5]", "more than 4 names", (0, 6)),
        ("a[1-5],b", "more than 4 names", (0, 6)),
        ("a,b,c,d,e", "more than 4 names", (8, 9)),
        ("a,b[1-4]", "more than 4 names", (2, 8)),
        ("a[1-3],b,c", "more than 4 names", (9, 10)),
        ("a[1-3],b[7-8]c,d", "more than 4 names", (7, 14)),
        ("aaaaa[1-4]", "more than 20 characters of names", (0, 10)),
        ("aaaaaa[1-2],bbbb[10-11]", "more than 20 characters of names", (12, 23)),
        ("a[1-2]aaaaaaaaa", "more than 20 characters of names", (0, 15)),
        ("a[00001-00004]", "more than 20 characters of names", (0, 14)),
    ],
)
def test_beyond_the_limits(text, what, span, dialect):
    with pytest.raises(HostlistError, match=what) as caught:
        expand(text, dialect)
    assert caught.value.span == span


@pytest.mark.usefixtures("few")
def test_brackets_multiply_before_names_are_made():
    assert expand("a[1-2][3-4]") == ["a13", "a14", "a23", "a24"]
    with pytest.raises(HostlistError, match="more than 4 names"):
        expand("a[1-2][3-5]")


@pytest.mark.parametrize(
    ("length", "fits"), [(1020, True), (1021, True), (1022, True), (1023, False)], ids=["1021", "1022", "1023", "1024"]
)
def test_the_longest_bracketed_name(length, fits):
    text = "x" * length + "[7]"
    if fits:
        assert expand(text) == ["x" * length + "7"]
    else:
        with pytest.raises(HostlistError, match="more than 1,023 characters"):
            expand(text)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("node7", ("node", "7")),
        ("node", ("node", "")),
        ("007", ("", "007")),
        ("", ("", "")),
        ("a1b", ("a1b", "")),
        ("n" + "1" * 18, ("n", "1" * 18)),
        ("n" + "1" * 19, ("n1", "1" * 18)),
        ("9" * 40, ("9" * 22, "9" * 18)),
        ("n٣", ("n٣", "")),
    ],
)
def test_split_number(name, parts):
    assert split_number(name) == parts


def test_sort_key_puts_short_numbers_before_long_ones_and_bare_names_first():
    names = ["b1", "a10", "a2", "a", "a02", "a1x", "a1", "a010"]

    assert sorted(names, key=sort_key) == ["a", "a1", "a2", "a02", "a10", "a010", "a1x", "b1"]


@pytest.mark.parametrize(
    ("names", "both"),
    [
        (["n0", "n1"], "n[0-1]"),
        (["n00", "n01"], "n[00-01]"),
        (["n01", "n2"], "n01,n2"),
        (["n1", "n02", "n3"], "n[1,02,3]"),
        (["n099", "n100", "n101"], "n[099-101]"),
        (["n99", "n0100"], "n[99,0100]"),
        (["n1", "n1"], "n[1,1]"),
        (["n2", "n1"], "n[2,1]"),
        (["n", "n1", "n"], "n,n1,n"),
        (["n" + "9" * 18, "n1" + "0" * 18], "n" + "9" * 18 + ",n1" + "0" * 18),
    ],
)
def test_fold_joins_only_what_reads_back(names, both):
    assert fold(names) == both
    assert expand(both) == expand(both, "flux") == names


@pytest.mark.parametrize(("text", "fits"), [("0-3", True), ("0-1,5-6", True), ("0-4", False), ("0-1,5-6,9", False)])
def test_idsets_are_not_written_out_past_the_limit(text, fits, monkeypatch):
    monkeypatch.setattr(idset, "MAX_IDS", 4)
    if fits:
        assert len(idset.decode(text)) == 4
    else:
        with pytest.raises(idset.IdsetError, match="more than 4 ids") as caught:
            idset.decode(text)
        assert caught.value.span == (0, len(text))
