"""``sim constraint`` for Grid Engine's requests and definitions."""

from __future__ import annotations

import json

import pytest
from complex_cases import row

A = row("aa aa INT <= YES NO 0 0")
QUEUE = {"name": "q@h", "global": {"aa": "9"}, "host": {"aa": "7"}, "queue": {"aa": "3"}}


def test_match_lines(sim) -> None:
    lines = [
        {"complexes": [A], "request": "aa=3", "queues": [QUEUE, {"name": "p@h"}], "soft": "aa=2"},
        {"complexes": [A], "request": "aa=x", "queues": [QUEUE]},
        5,
    ]

    out = sim("constraint", "match", "--dialect", "sge", "--jsonl", stdin="\n".join(map(json.dumps, lines)))

    assert [json.loads(line) for line in out.splitlines()] == [
        {"valid": True, "matched": ["q@h"], "violations": {"q@h": 0}},
        {"valid": False, "error": 'attribute "aa" is not a integer value', "offset": 0},
        {"valid": False, "error": "the line is not a JSON object"},
    ]


def test_define_lines(sim) -> None:
    lines = [{"definition": A}, {"definition": {**A, "relop": "EXCL"}}, {}]

    out = sim("constraint", "define", "--jsonl", stdin="\n".join(map(json.dumps, lines)))

    assert [json.loads(line) for line in out.splitlines()] == [
        {"accepted": True},
        {"accepted": False, "error": 'Complex "aa" must be BOOL to use EXCL as relational operator'},
        {"valid": False, "error": '"definition" is missing'},
    ]


def test_define_by_columns(sim) -> None:
    assert sim("constraint define aa aa INT <= YES NO 0 0") == "accepted\n"

    refused = sim.run("constraint define arch a INT <= YES NO 0 0")
    incomplete = sim.run("constraint define arch")

    assert (refused.code, refused.err) == (1, "complex with name arch or shortcut a already exists\n")
    assert incomplete.code == 2


@pytest.mark.parametrize(
    ("source", "target", "text", "expected"),
    [
        ("sge", "flux-query", "h=!h1&(h2|h3)", "-host:h1&(host:h2|host:h3)"),
        ("flux-query", "sge", "host:h[1-2] or not host:x", "hostname=(h1|h2)|!x"),
        ("sge", "sge", "license=5,h=a*", "license=5,h=a*"),
    ],
)
def test_convert(sim, source: str, target: str, text: str, expected: str) -> None:
    assert sim("constraint", "convert", "--from", source, "--to", target, text) == f"{expected}\n"


@pytest.mark.parametrize(
    ("source", "target", "text", "part"),
    [
        ("sge", "flux-json", "h=h1,mem_free=1G", '"mem_free=1G" has no equivalent in the other languages'),
        ("sge", "flux-json", "h=h?", '"hostname=h?" has no equivalent in the other languages'),
        ("slurm-features", "sge", "gpu", '"gpu" has no equivalent in sge'),
        ("slurm-extra", "sge", "load<5", '"load<5" has no equivalent in sge'),
    ],
)
def test_convert_names_what_has_no_equivalent(sim, source: str, target: str, text: str, part: str) -> None:
    assert sim.run("constraint", "convert", "--from", source, "--to", target, text).err == f"sim: error: {part}\n"
