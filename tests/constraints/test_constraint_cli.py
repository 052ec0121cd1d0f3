from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from typing import Any

import pytest


def answers(out: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in out.splitlines()]


def lines(*requests: object) -> str:
    return "".join(f"{json.dumps(request)}\n" for request in requests)


N1 = {"name": "n1", "extra": '{"load": 0.3}'}


def test_match_lines(sim) -> None:
    stdin = lines(
        {"constraint": "load<0.5", "nodes": [N1]},
        {"constraint": "load<0.2", "nodes": [N1]},
        {"constraint": "load!=7", "nodes": [N1, {"name": "n2", "extra": None}, {"name": "n3"}]},
        {"constraint": "load<0.5", "nodes": [{"name": "b", "extra": "not json"}, {**N1, "name": "a"}]},
        {"constraint": "gpu&load==1", "nodes": []},
        {"constraint": "load<0.5"},
    )

    assert answers(sim("constraint", "match", "--dialect", "slurm-extra", "--jsonl", stdin=stdin)) == [
        {"valid": True, "matched": ["n1"]},
        {"valid": True, "matched": []},
        {"valid": True, "matched": ["n1"]},
        {"valid": True, "matched": ["a"]},
        {
            "valid": False,
            "error": '"gpu" has no operator and no value; write key, operator and value, for example: load<0.5',
            "offset": 0,
        },
        {"valid": True, "matched": []},
    ]


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (b"", "the line cannot be read: Expecting value: line 1 column 1 (char 0)"),
        (b"nonsense", "the line cannot be read: Expecting value: line 1 column 1 (char 0)"),
        (b"[1]", "the line is not a JSON object"),
        (b"{}", '"constraint" is missing'),
        (b'{"constraint": 5}', '"constraint" must be text'),
        (b'{"constraint": "a=1", "nodes": {}}', '"nodes" must be a list'),
        (b'{"constraint": "a=1", "nodes": [5]}', "nodes[0] is not an object"),
        (b'{"constraint": "a=1", "nodes": [{"extra": null}]}', '"nodes[0].name" is missing'),
        (b'{"constraint": "a=1", "nodes": [{"name": "n", "extra": {}}]}', '"nodes[0].extra" must be text'),
        (b"[" * 200_000, "the line cannot be read: nested more than 2049 levels deep"),
    ],
    ids=lambda value: value[:40] if isinstance(value, bytes) else "",
)
def test_a_bad_line_is_answered_and_the_run_goes_on(sim, line: bytes, error: str) -> None:
    good = lines({"constraint": "load<0.5", "nodes": [N1]}).encode()
    answer = sim.run("constraint", "match", "--jsonl", stdin=line + b"\n" + good)

    assert answer.code == 0
    assert answers(answer.out) == [{"valid": False, "error": error}, {"valid": True, "matched": ["n1"]}]


def test_bytes_that_are_no_utf8(sim) -> None:
    first, second = answers(sim.run("constraint", "match", "--jsonl", stdin=b'{"constraint": "\xff"}\n{}').out)

    assert first["error"].startswith("the line cannot be read: 'utf-8' codec can't decode")
    assert second["error"] == '"constraint" is missing'


def test_offsets_count_characters(sim) -> None:
    answer = answers(sim("constraint", "match", "--jsonl", stdin=lines({"constraint": "größe=1&é==2", "nodes": []})))

    assert answer[0]["offset"] == 9


def test_match_feature_lines(sim) -> None:
    nodes = [{"name": "n1", "features": ["gpu", "fast"]}, {"name": "n2", "features": []}, {"name": "n3"}]
    stdin = lines({"constraint": "gpu&fast", "nodes": nodes})

    assert answers(sim("constraint", "match", "--dialect", "slurm-features", "--jsonl", stdin=stdin)) == [
        {"valid": True, "matched": ["n1"]}
    ]


FLUX_NODES = [
    {"rank": 7, "hostname": "n1", "properties": ["gpu"]},
    {"rank": 3, "hostname": "n2", "properties": ["gpu", "slow"]},
    {"rank": 5},
]


def test_match_flux_lines(sim) -> None:
    requests: list[dict[str, Any]] = [
        {"constraint": {"properties": ["gpu"]}},
        {"constraint_text": '{"not": [{"hostlist": ["n[1-9]"]}]}'},
        {"constraint": {"and": [{"ranks": ["9"]}, {"foo": []}]}},
        {"constraint_text": '{"properties": [}'},
        {"constraint": {}, "nodes": [{"rank": "0"}]},
    ]
    stdin = lines(*({"nodes": FLUX_NODES, **request} for request in requests))

    assert answers(sim("constraint", "match", "--dialect", "flux-json", "--jsonl", stdin=stdin)) == [
        {"valid": True, "ranks": [3, 7]},
        {"valid": True, "ranks": [5]},
        {"valid": False, "error": 'and[1]: unknown operator "foo"'},
        {"valid": False, "error": "ill-formed JSON: Expecting value", "offset": 16},
        {"valid": False, "error": '"nodes[0].rank" must be a whole number'},
    ]


def test_match_flux_queries(sim) -> None:
    stdin = lines({"constraint": "gpu&-slow|rank:5", "nodes": FLUX_NODES}, {"constraint": "-(a)", "nodes": []})

    assert answers(sim("constraint", "match", "--dialect", "flux-query", "--jsonl", stdin=stdin)) == [
        {"valid": True, "ranks": [5, 7]},
        {
            "valid": False,
            "error": '"-" is allowed only before a single term; use "not" before a group',
            "offset": 1,
        },
    ]


def test_convert_lines(sim) -> None:
    to_json = ("constraint", "convert", "--from", "flux-query", "--to", "flux-json", "--jsonl")
    to_query = ("constraint", "convert", "--from", "flux-json", "--to", "flux-query", "--jsonl")

    assert answers(sim(*to_json, stdin=lines({"constraint": "a|b"}, {"constraint": "a|"}))) == [
        {"valid": True, "constraint": {"or": [{"properties": ["a"]}, {"properties": ["b"]}]}},
        {
            "valid": False,
            "error": "the query ends where a term is expected; for example: gpu&-debug|host:node[1-4]",
            "offset": 2,
        },
    ]
    assert answers(
        sim(*to_query, stdin=lines({"constraint": {"properties": ["^a"]}}, {"constraint_text": '{"not": []}'}))
    ) == [{"valid": True, "constraint": "-a"}, {"valid": False, "error": '"never" has no equivalent in flux-query'}]


def test_deep_objects_come_through(sim) -> None:
    deep = "not " * 999 + "a"
    answer = sim(
        "constraint",
        "convert",
        "--from",
        "flux-query",
        "--to",
        "flux-json",
        "--jsonl",
        stdin=lines({"constraint": deep}),
    )
    back = sim("constraint", "convert", "--from", "flux-json", "--to", "flux-query", "--jsonl", stdin=answer)

    assert answers(back) == [{"valid": True, "constraint": "not " * 998 + "-a"}]


def test_a_constraint_object_from_a_file(sim) -> None:
    (sim.cwd / "c.json").write_text('{"properties": ["gpu", "^slow"]}')

    assert sim("constraint", "check", "--dialect", "flux-json", "@c.json").startswith("valid: gpu&not slow\n")
    assert sim.run("constraint", "check", "--dialect", "flux-json", "@nosuch").code == 1


def test_an_answer_comes_before_more_input() -> None:
    command = [sys.executable, "-m", "slimsched.cli.main", "constraint", "match", "--jsonl"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(b'{"constraint": "load<0.5", "nodes": []}\n{"constraint"')
        process.stdin.flush()
        guard = threading.Timer(30, process.kill)
        guard.start()
        first = process.stdout.readline()
        process.stdin.write(b': "a=1"}')
        process.stdin.close()
        rest = process.stdout.read()
        guard.cancel()

    assert (first, rest, process.returncode) == (b'{"valid": true, "matched": []}\n',) * 2 + (0,)


def test_a_reader_that_leaves_early_is_no_crash() -> None:
    request = b'{"constraint": "load<0.5", "nodes": []}\n' * 50_000
    read_end, write_end = os.pipe()
    os.close(read_end)
    command = [sys.executable, "-m", "slimsched.cli.main", "constraint", "match", "--jsonl"]
    done = subprocess.run(command, input=request, stdout=write_end, stderr=subprocess.PIPE, check=False, timeout=60)
    os.close(write_end)

    assert done.stderr == b""


def test_match_on_the_cluster(sim) -> None:
    sim.init(
        '[[nodes]]\nNodeName = "n[01-03]"\nExtra = \'{"load": 0.3}\'\nFeatures = "gpu"\n[[nodes]]\nNodeName = "n04"\n'
    )

    assert sim("constraint", "match", "load<0.5") == "n[01-03]\n"
    assert sim("constraint", "match", "-e", "load<0.5") == "n01\nn02\nn03\n"
    assert sim("constraint", "match", "--dialect", "slurm-features", "gpu") == "n[01-03]\n"
    assert sim("constraint", "match", "load>0.5") == ""


def test_check(sim) -> None:
    assert sim("constraint", "check", "(a=1),((b=2)|(c=3))").startswith("valid: a=1&(b=2|c=3)\n")
    assert sim.run("constraint", "check", "a=1&load==0.5") == (
        1,
        "",
        "sim: error: a=1&load==0.5\n"
        "sim: error:         ^^\n"
        'sim: error: "==" is not an operator\n'
        'sim: error: write "=": load=0.5\n',
    )


def test_convert(sim) -> None:
    to_features = ("constraint", "convert", "--from", "slurm-features", "--to", "slurm-features")
    to_extra = ("constraint", "convert", "--from", "slurm-features", "--to", "slurm-extra")

    assert sim(*to_features, "b|a&c") == "(b|a)&c\n"
    assert sim.run(*to_extra, "a&b") == (1, "", 'sim: error: "a" has no equivalent in slurm-extra\n')
    assert answers(sim(*to_features, "--jsonl", stdin=lines({"constraint": "b|a&c"}, {"constraint": "gpu*4"}))) == [
        {"valid": True, "constraint": "(b|a)&c"},
        {"valid": False, "error": '"gpu*4" has no equivalent in a language that speaks of single nodes'},
    ]


@pytest.mark.parametrize("words", [("match",), ("match", "a=1", "--jsonl"), ("check",)])
def test_usage_errors_exit_2(sim, words: tuple[str, ...]) -> None:
    assert sim.run("constraint", *words).code == 2
