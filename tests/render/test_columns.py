"""Formats: how they are read, and how a column fits its text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slimsched.render.columns import (
    MAX_WIDTH,
    Column,
    Field,
    Style,
    Table,
    begins,
    parse_long,
    parse_short,
    sort,
)

NAME = Field("n", "name title", "NAME", lambda record: record["name"], lambda record: record["name"])
SIZE = Field("s", "size", "SIZE", lambda record: str(record["size"]), lambda record: record["size"], whole=True)
RANK = Field("#n", "", "NAME", lambda record: record["name"], lambda record: record["rank"])
WIDE = Field("w", "wide", "WIDE", lambda record: record["name"], whole=True, wide=True)
MORE = Field("", "more", "MORE", lambda record: "more")
TABLE = Table([NAME, SIZE, RANK, WIDE], lambda: [MORE], unsorted="x")
ROW = {"name": "alpha", "size": 1234567, "rank": 2}


def short(text, record=ROW):
    return parse_short(text, TABLE.by_letter).lines([record], Style(header=False))[0]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        ("%", ""),
        ("plain", "plain"),
        ("%n", "alpha"),
        ("%n %", "alpha "),
        ("<%n>", "<alpha>"),
        ("%3n|", "alp|"),
        ("%8n|", "alpha   |"),
        ("%.8n|", "   alpha|"),
        ("%.3n|", "alp|"),
        ("%3s|", "123|"),
        ("%.3s|", "1234567|"),  # a number of this kind is not cut where it stands to the right
        ("%.9s|", "  1234567|"),
        ("%n%s", "alpha1234567"),
        ("%%n", "alpha"),
        ("%x|%n", "%x|alpha"),
        ("%5x|%n", "%5x|alpha"),
        ("%.", "%."),
        ("%7", "%7"),
        ("%0n", "alpha"),
    ],
)
def test_short(text, line):
    assert short(text) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", ""),
        ("name", "alpha" + " " * 15),
        ("NAME", "alpha" + " " * 15),
        ("title:8", "alpha   "),
        ("name:.8", "   alpha"),
        ("name:.8;", "   alpha;"),
        ("name:3,size:.3", "alp1234567"),
        ("name:3,size:3", "alp123"),
        ("name:-3,size:-3|", "alpha 1234567 |"),  # a blank behind the text, whatever the number
        ("name:+7|", "alpha  |"),
        ("name: 7|", "alpha  |"),
        ("name:.-3|", "alpha |"),
        ("name:-x", "alpha-x"),
        ("name:", "alpha"),
        ("name:|,size:|", "alpha|1234567|"),
        ("name::", "alpha:"),
        ("more:5", "more "),
        ("nosuch,name:6", "alpha "),
        ("nosuch:5|,name:6", "|alpha "),  # what follows the width is shown all the same
        (",,", ""),
    ],
)
def test_long(text, line):
    assert parse_long(text, TABLE.by_name).lines([ROW], Style(header=False)) == [line]


def test_wrong_names_are_kept_for_the_message():
    assert parse_short("%x %n %y", TABLE.by_letter).invalid == ["x", "y"]
    assert parse_short("% n", TABLE.by_letter).invalid == [" "]
    assert parse_long("nosuch, name,name", TABLE.by_name).invalid == ["nosuch", " name"]


def test_header():
    assert parse_short("%.6n|%.2s|", TABLE.by_letter).lines([ROW]) == ["  NAME|SI|", " alpha|1234567|"]
    assert parse_short("%.2w|%2w|", TABLE.by_letter).lines([ROW]) == ["WIDE|WI|", "alpha|al|"]


def test_some_records_are_not_cut():
    picky = Table([Field("p", "", "PICK", lambda record: record["name"], whole=lambda record: record["size"] > 1)])

    assert picky.short("%.2p").lines([ROW, {**ROW, "size": 0}], Style(header=False)) == ["alpha", "al"]


def test_no_lines():
    assert parse_short("%n", TABLE.by_letter).lines([], Style(header=False)) == []


@given(st.text(max_size=40), st.text(max_size=20))
def test_any_format_gives_a_line_for_each_record(text, name):
    for parsed in (parse_short(text, TABLE.by_letter), parse_long(text, TABLE.by_name)):
        assert len(parsed.lines([ROW, {**ROW, "name": name}])) == 3


@given(st.text(max_size=30), st.integers(0, 60), st.booleans())
def test_a_column_has_its_width(text, width, right):
    fitted = Column(NAME, width, right, suffix="|").fit(text)

    assert len(fitted) == (width or len(text)) + 1
    shown = text[:width] if width else text
    assert fitted == (shown.rjust(width) if right else shown.ljust(width)) + "|"


def test_all_letters():
    upper = Field("N", "upper", "UPPER", lambda record: "u")

    assert Table([upper, SIZE, NAME, RANK]).short("%all").lines([ROW]) == ["NAME|SIZE|UPPER ", "alpha|1234567|u "]

    found = Table([upper, SIZE, NAME, RANK], every="ALL").long("nosuch,all,name")
    assert found.invalid == ["nosuch", "all"]
    assert found.lines([ROW])[0].startswith("NAME|SIZE|UPPER NAME ")


def test_width_is_bounded():
    assert len(short(f"%{'9' * 30}n")) == MAX_WIDTH


def rows(*names):
    return [{"name": name, "size": len(name), "rank": place} for place, name in enumerate(names)]


def names(records):
    return [record["name"] for record in records]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("", ["bb", "a", "dd", "c"]),
        ("n", ["a", "bb", "c", "dd"]),
        ("+n", ["a", "bb", "c", "dd"]),
        ("-n", ["dd", "c", "bb", "a"]),
        ("s", ["a", "c", "bb", "dd"]),
        ("-s", ["bb", "dd", "a", "c"]),
        ("-s,-n", ["dd", "bb", "c", "a"]),
        ("sn", ["a", "c", "bb", "dd"]),
        ("#n", ["bb", "a", "dd", "c"]),
        ("-#n", ["bb", "a", "dd", "c"]),  # only the sign right ahead of the letter counts
        ("#-n", ["dd", "c", "bb", "a"]),
        ("x,n", ["a", "bb", "c", "dd"]),
    ],
)
def test_sort(order, expected):
    assert names(sort(rows("bb", "a", "dd", "c"), order, TABLE)) == expected


def test_sort_by_nothing():
    with pytest.raises(KeyError, match="q"):
        sort(rows("a"), "z,q,n", TABLE)
    with pytest.raises(KeyError, match="w"):
        sort(rows("a"), "w", TABLE)
    assert names(sort(rows("b", "a"), "q,n", Table([NAME], unsorted=None))) == ["a", "b"]


ACCOUNT = Field.named("Account", -20, lambda record: record["name"])
ID = Field.named("ID", 6, lambda record: str(record["size"]), header="Id", whole=True)
PLANNED = Table([Field.named("PlannedDown:8", 6, str), Field.named("Planned", 6, str)], shortened=True)
NAMED = Table([ACCOUNT, ID, Field.named("Start", 6, lambda record: record["start"], dated=True)], shortened=True)
EVERY = Table([ACCOUNT, ID], shortened=True, every="ALL")


@pytest.mark.parametrize(
    ("text", "widths"),
    [
        ("account,id", [(20, False), (6, True)]),
        ("ALL", [(20, False), (6, True)]),
        ("acc%30,id%-8", [(30, True), (8, False)]),
        ("id%0,id%,id%x", [(6, True)] * 3),
        (" id%12x,,", [(12, True)]),
        ("id%999999,id%-999999", [(MAX_WIDTH, True), (MAX_WIDTH, False)]),
        ("id%" + "9" * 5000, [(MAX_WIDTH, True)]),
    ],
)
def test_widths_of_a_named_format(text, widths):
    assert [(column.width, column.right) for column in EVERY.named(text).columns] == widths


@pytest.mark.parametrize(
    ("text", "style", "lines"),
    [
        ("acc%8,id", Style(), [" Account     Id ", "   alpha 1234567 "]),
        ("acc%-8,id", Style(dashes=True), ["Account      Id ", "-------- ------ ", "alpha    1234567 "]),
        ("acc%4,id%2", Style(), ["Acco Id ", "alp+ 1234567 "]),  # a number is never cut
        ("start,start%12", Style(header=False), ["######   2026-01-01 "]),
        ("acc%1,id", Style(delimiter="|"), ["Account|Id", "alpha|1234567"]),
        ("acc,id", Style(delimiter="||", closing=True, header=False), ["alpha||1234567||"]),
        ("", Style(delimiter="|"), ["", ""]),
    ],
)
def test_named_lines(text, style, lines):
    assert NAMED.named(text).lines([{**ROW, "start": "2026-01-01"}], style) == lines


@pytest.mark.parametrize(
    ("name", "found"),
    [("planned", "Planned"), ("p", "Planned"), ("planneddo", "PlannedDown:8"), ("PLANNEDDOWN", "PlannedDown:8")],
)
def test_a_whole_name_goes_before_one_cut_short(name, found):
    assert PLANNED.by_name(name).names == found


def test_no_such_name():
    assert NAMED.named("nosuch,id,accountx,%5").invalid == ["nosuch", "accountx", ""]
    assert TABLE.by_name("titl") is None  # these names are not shortened


@pytest.mark.parametrize(
    ("spelled", "word", "answer"),
    [
        ("MaxJobs:4", "maxj", True),
        ("MaxJobs:4", "MAXJOBS", True),
        ("MaxJobs:4", "max", False),
        ("MaxJobs:4", "maxjobsx", False),
        ("MaxJobs:4", "jobs", False),
        ("MaxJobs", "m", True),
        ("User:1", "", False),
    ],
)
def test_begins(spelled, word, answer):
    assert begins(spelled, word) is answer
