from __future__ import annotations

import json
from pathlib import Path

import pytest

from slimsched.text import hostlist
from slimsched.text.hostlist import HostlistError, expand, fold, fold_sorted

DATA = Path(__file__).parent.parent / "data"
FLUX = [json.loads(line) for line in (DATA / "hostlist_flux.jsonl").read_text(encoding="utf-8").splitlines()]
FIND = [json.loads(line) for line in (DATA / "hostlist_find.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("row", FLUX, ids=lambda row: row["input"][:30])
def test_flux_agrees_with_the_records(row):
    if row["names"] is None:
        with pytest.raises(HostlistError):
            expand(row["input"], dialect="flux")
    else:
        assert expand(row["input"], dialect="flux") == row["names"]


def test_membership_agrees_with_the_records():
    for row in FIND:
        names = expand(row["hostlist"], dialect="flux")
        assert (names.index(row["host"]) if row["host"] in names else -1) == row["index"], row


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("foo[005,4,11-13]", ["foo005", "foo004", "foo011", "foo012", "foo013"]),
        ("foo[01,2,3]", ["foo01", "foo02", "foo03"]),
        ("foo[01-3,5]", ["foo01", "foo02", "foo03", "foo05"]),
        ("foo[005,0012]", ["foo005", "foo0012"]),
        ("foo[0,1]", ["foo0", "foo1"]),
        ("foo[99999999999999999999999]", ["foo99999999999999999999999"]),
        ("foo99999999999999999999999", ["foo99999999999999999999999"]),
        ("a,,b,", ["a", "b"]),
        (",", []),
    ],
)
def test_flux_follows_the_rfc_where_the_program_does_not(text, names):
    assert expand(text, dialect="flux") == names


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("foo[1-2][3-4]", (8, 13)),
        ("foo[1-2]bar]", (11, 12)),
        ("foo[1, 2]", (6, 8)),
        ("foo[+1]", (4, 6)),
        ("foo[2-]", (4, 6)),
        ("foo bar", (3, 4)),
        ("fooé", (3, 4)),
        ("a,foo\x7f", (5, 6)),
        ("a,b[1-2", (3, 7)),
        ("a[1],b[3,x]", (9, 10)),
        ("n[09i-99]", (2, 8)),
        ("n[٣]", (2, 3)),
    ],
)
def test_flux_refuses_what_the_rfc_does_not_allow(text, span):
    with pytest.raises(HostlistError) as caught:
        expand(text, dialect="flux")
    assert caught.value.span == span


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("node[1-3]", ["node1", "node2", "node3"]),
        ("a[1-2]b[3-4]", ["a1b3", "a1b4", "a2b3", "a2b4"]),
        ("a[1-2]b[3-4]c", ["a1b3c", "a1b4c", "a2b3c", "a2b4c"]),
        ("r[0-1]c[0-1]n[8-9]", [f"r{r}c{c}n{n}" for r in (0, 1) for c in (0, 1) for n in (8, 9)]),
        ("node[08-11]", ["node08", "node09", "node10", "node11"]),
        ("n[001-3]", ["n001", "n002", "n003"]),
        ("n[005,4,11-13]", ["n005", "n4", "n11", "n12", "n13"]),
        ("node1-2]", ["node1-2]"]),
        ("n[7-]", ["n7"]),
        ("n[1-1]", ["n1"]),
        ("[1-2]", ["1", "2"]),
        ("node1\nnode2\n\nnode3\n", ["node1", "node2", "node3"]),
        ("a, b\tc", ["a", "b", "c"]),
        ("n[1-2],n[1-2]", ["n1", "n2", "n1", "n2"]),
        ("", []),
    ],
)
def test_slurm(text, names):
    assert expand(text) == names


@pytest.mark.parametrize(
    ("text", "detail", "span"),
    [
        ("node[01-03,7],x[1-2][a]", "_parse_single_range: Invalid range: `a'", (21, 22)),
        ("node[]", "_parse_single_range: Invalid range: `'", (5, 5)),
        ("node[a-b]", "_parse_single_range: Invalid range: `a-b'", (5, 8)),
        ("node[3-1]", "_parse_single_range: Invalid range: `3-1'", (5, 8)),
        ("node[1-2", "", (4, 8)),
        ("a\n[", "", (2, 3)),
    ],
)
def test_slurm_errors(text, detail, span):
    with pytest.raises(HostlistError) as caught:
        expand(text)
    fault = caught.value
    assert (fault.detail, fault.span, fault.verdict) == (detail, span, f"Invalid hostlist: {text}")


def test_an_error_is_a_value_error_and_points():
    with pytest.raises(ValueError, match="ascending range") as caught:
        expand("n[1-2,x]")
    assert caught.value.lines() == ("n[1-2,x]", "      ^", "not a number or an ascending range")


@pytest.mark.parametrize(
    ("names", "both", "slurm"),
    [
        ("node1,node2,node3", "node[1-3]", "node[1-3]"),
        ("node3,node1,node2,node1", "node[3,1-2,1]", "node[3,1-2,1]"),
        ("b,a,c1,c2", "b,a,c[1-2]", "b,a,c[1-2]"),
        ("node01,node02,node1", "node[01-02],node1", "node[01-02,1]"),
        ("node1,node02", "node[1,02]", "node[1,02]"),
        ("node1", "node1", "node1"),
        ("n9,n10,n11", "n[9-11]", "n[9-11]"),
        ("n09,n10,n011", "n[09-10,011]", "n[09-10,011]"),
        ("n98,n99,n100", "n[98-100]", "n[98-100]"),
        ("a1b1,a1b2,a2b1", "a1b[1-2],a2b1", "a1b[1-2],a2b1"),
        ("foo,foo0,foo1,foo,foo", "foo,foo[0-1],foo,foo", "foo,foo[0-1],foo,foo"),
        ("a1x,a2x", "a1x,a2x", "a1x,a2x"),
        ("7,8", "[7-8]", "[7-8]"),
        ("-1,-2,x-,x-1", "-[1-2],x-,x-1", "-[1-2],x-,x-1"),
        ("", "", ""),
    ],
)
def test_fold(names, both, slurm):
    listed = [name for name in names.split(",") if name]
    assert (fold(listed), fold(listed, "slurm")) == (both, slurm)


def test_a_number_of_many_digits_folds_by_its_end():
    names = ["n" + "9" * 30, "n" + "9" * 30, "n1" + "0" * 30]
    assert expand(fold(names)) == names


@pytest.mark.parametrize(
    ("names", "folded"),
    [
        ("node3,node1,node2,node1", "node[1,1-3]"),
        ("b2,a1,b1", "a1,b[1-2]"),
        ("foo,foo1,foo", "foo,foo,foo1"),
        ("n1,n02,n3", "n[1,3,02]"),
        ("n10,n9,n09", "n[9,09-10]"),
        ("", ""),
    ],
)
def test_fold_sorted(names, folded):
    assert fold_sorted(expand(names)) == folded


@pytest.mark.parametrize("dialect", ["slurm", "flux"])
@pytest.mark.parametrize(
    "text",
    [
        "a[0-1048576]",
        "a[0-4294967295]",
        "a[0-1048575],b",
        "a[0-" + "9" * 1000 + "]",
        "a[" + "0" * 2000 + "]",
        "x" * 1100 + "[1-2]",
        "x" * 500 + "[0-1000000]",
        "[" * 100_000,
        "a," * (1 << 20) + "b",
    ],
    ids=range(9),
)
def test_too_much_is_refused(text, dialect):
    with pytest.raises(HostlistError):
        expand(text, dialect=dialect)


def test_many_brackets_are_multiplied_only_within_the_limit():
    assert len(expand("a" + "[0-9]" * 6)) == 10**6
    with pytest.raises(HostlistError, match="more than 1,048,576 names"):
        expand("a" + "[0-9]" * 7)
    with pytest.raises(HostlistError, match="more than 1,023 characters"):
        expand("a" + "[1]" * 100_000)


def test_the_largest_list():
    names = expand("n[0-1048575]", dialect="flux")
    assert (len(names), names[-1]) == (hostlist.MAX_NAMES, "n1048575")


def test_a_long_list_folds():
    assert fold([f"node{i:06d}" for i in range(100_000)]) == "node[000000-099999]"
