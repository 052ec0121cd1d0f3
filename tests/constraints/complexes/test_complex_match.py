"""Requests through the one predicate form, in both readings."""

from __future__ import annotations

import pytest
from complex_cases import attribute

from slimsched.constraints.complexes import match, request
from slimsched.constraints.complexes.bulk import Instance, table
from slimsched.constraints.complexes.catalog import Catalog
from slimsched.constraints.evaluate import evaluate
from slimsched.constraints.explain import Explainer
from slimsched.constraints.predicate import show

OWN = (
    "eq eq INT == YES NO 0 0",
    "le le INT <= YES NO 0 0",
    "plain pl STRING == YES NO NONE 0",
    "regular rg RESTRING == YES NO NONE 0",
    "caseless cl CSTRING == YES NO NONE 0",
    "forced fo INT <= FORCED NO 0 0",
    "counted co INT <= YES YES 2 0",
    "hidden hi INT <= NO YES 3 0",
)


def catalog(semantics="8.1", hosts=None) -> Catalog:
    return Catalog([attribute(columns) for columns in OWN], semantics, hosts)


def fits(text: str, semantics="8.1", **levels: dict[str, str]) -> bool:
    known = catalog(semantics)
    names = {"g": "everywhere", "h": "host", "q": "queue"}
    row = Instance("q@h", **{names.get(level, level): texts for level, texts in levels.items()})
    return bool(evaluate(match.hard(request.read([text], known), known), table([row], known)))


@pytest.mark.parametrize("semantics", ["8.1", "6.0"])
@pytest.mark.parametrize(
    ("levels", "expected"),
    [
        ({}, False),  # offered nowhere
        ({"g": {"le": "5"}}, True),
        ({"g": {"le": "2"}, "q": {"le": "9"}}, False),  # a level that does not match ends it
        ({"h": {"le": "9"}, "q": {"le": "2"}}, False),
        ({"g": {"le": "9"}, "h": {"le": "5"}, "q": {"le": "3"}}, True),
        ({"h": {"le": "9"}, "host_load": {"le": "2"}}, False),  # the document's mem_free: the smaller one counts
        ({"h": {"le": "2"}, "host_load": {"le": "9"}}, False),
        ({"host_load": {"le": "9"}}, True),
        ({"host_load": {"le": "broken"}}, False),
    ],
)
def test_ordered_values(semantics, levels, expected) -> None:
    assert fits("le=3", semantics, **levels) is expected


@pytest.mark.parametrize(
    ("levels", "running", "document"),
    [
        ({"h": {"eq": "3"}, "q": {"eq": "5"}}, False, True),  # the document: no override on a lower level
        ({"h": {"eq": "5"}, "q": {"eq": "3"}}, False, False),
        ({"g": {"eq": "5"}, "h": {"eq": "3"}, "q": {"eq": "3"}}, False, False),
        ({"q": {"eq": "3"}}, True, True),
        ({"h": {"eq": "3"}, "host_load": {"eq": "5"}}, True, True),  # but on the same level
    ],
)
def test_equality_is_overridden_on_the_same_level_only(levels, running, document) -> None:
    assert fits("eq=3", "8.1", **levels) is running
    assert fits("eq=3", "6.0", **levels) is document


@pytest.mark.parametrize(
    ("name", "wanted", "offered", "running", "document"),
    [
        ("plain", "a*", "abc", True, False),
        ("plain", "a*", "a*", True, True),
        ("plain", "a|b", "b", True, False),
        ("regular", "linux|solaris", "solaris", True, True),
        ("regular", "[linux|solaris]", "solaris", False, False),
        ("regular", "[linux|solaris]", "solaris]", None, True),
        ("regular", "a&b", "a&b", False, True),
        ("regular", "!a", "b", True, False),
        ("regular", "[^a]b", "cb", True, False),
        ("regular", "[a-c]?", "bx", True, True),
        ("regular", "a\\*c", "a*c", True, True),
        ("regular", "a\\\\c", "a\\c", False, True),
        ("regular", "a.c", "abc", False, False),
        ("regular", "a.c", "a.c", True, True),
        ("caseless", "ABC", "abc", True, True),
        ("caseless", "A*", "abc", True, False),
    ],
)
def test_strings(name, wanted, offered, running, document) -> None:
    known = {"8.1": running, "6.0": document}
    for semantics, expected in known.items():
        if expected is not None:
            levels = {"host_load": {name: offered}}  # what a load sensor says may hold any character
            assert fits(f"{name}={wanted}", semantics, **levels) is expected


def test_forced_attributes_close_what_offers_them_to_jobs_that_do_not_ask() -> None:
    assert not fits("", h={"forced": "5"})
    assert not fits("", g={"forced": "5"})
    assert fits("forced=0", h={"forced": "5"})
    assert not fits("forced=6", h={"forced": "5"})
    assert fits("")


def test_defaults_count_where_the_attribute_is_offered() -> None:
    assert fits("")
    assert fits("", q={"counted": "2"})
    assert not fits("", q={"counted": "1"})
    assert fits("counted=0", q={"counted": "1"})
    assert not fits("counted=0")
    assert not fits("", q={"hidden": "2"})


def test_the_last_request_of_an_attribute_wins() -> None:
    assert request.read(["le=3,eq=1", "le=9 pl=x,"], catalog()) == {"eq": "1", "le": "9", "plain": "x"}


@pytest.mark.parametrize(
    ("text", "message", "span"),
    [
        ("le=1,zz=2", 'unknown resource "zz"', (5, 7)),
        ("le=1,=2", 'unknown resource ""', (5, 5)),
        ("le>=3", 'unknown resource "le>"', (0, 3)),
        ("le==3", 'attribute "le" is not a integer value', (0, 2)),
        ("le=", 'denied: missing value for resource "le"', (0, 2)),
        ("hi=1", 'resource "hi" configured as non requestable', (0, 2)),
        ("s=1", '"job" denied: use parallel environments instead of requesting slots explicitly', (0, 1)),
        ("pl=a||b", 'Parse error on position 3 of the expression "a||b".', (0, 2)),
        ("h=nosuch", 'can\'t resolve hostname "nosuch"', (0, 1)),
        ("h=NONE", 'can\'t resolve hostname "NONE"', (0, 1)),
    ],
)
def test_requests_that_are_refused(text, message, span) -> None:
    from slimsched.errors import SyntaxFault

    with pytest.raises(SyntaxFault) as caught:
        request.read([text], catalog(hosts={"h1": "h1"}))

    assert (caught.value.message, caught.value.span) == (message, span)


def test_soft_requests_on_consumables_are_refused() -> None:
    from slimsched.errors import SyntaxFault

    with pytest.raises(SyntaxFault, match="soft requests on consumables like"):
        request.read(["co=1"], catalog(), soft=True)


def test_host_names_are_resolved_without_case() -> None:
    known = catalog(hosts={"h1": "h1", "10.0.0.1": "h1"})

    assert request.read(["h=H1"], known) == {"hostname": "h1"}
    assert request.read(["h=10.0.0.1"], known) == {"hostname": "h1"}
    assert request.read(["h=H1|nohost"], known) == {"hostname": "H1|nohost"}


def test_a_failure_names_level_and_values() -> None:
    known = catalog()
    rows = table([Instance("q@h", host={"le": "2"})], known)
    predicate = match.hard(request.read(["le=3"], known), known)

    assert str(Explainer(predicate, rows).failure(0)) == "le@host=2, wanted not le@host<3"
    assert "not le@queue<3" in show(predicate)


def test_violations_in_the_document_are_one_for_each_mismatch() -> None:
    known = catalog("6.0")
    rows = table([Instance("q@h", host={"le": "2"}), Instance("q@i", host={"le": "3"})], known)
    predicates = match.soft(request.read(["le=3"], known, soft=True), known)

    assert [evaluate(predicate, rows) for predicate in predicates] == [0b01]
