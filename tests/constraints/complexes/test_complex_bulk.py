"""The JSON-lines interfaces, against the records of Grid Engine 8.1.9."""

from __future__ import annotations

import json
from typing import Any

import pytest
from complex_cases import attribute, cases, instance, row, soft_setup, values

from slimsched.constraints.complexes.bulk import define_lines, match_lines
from slimsched.constraints.json_line import answer


def ask(respond: Any, line: dict[str, Any]) -> Any:
    return json.loads(answer(json.dumps(line).encode(), respond))


def match(case: dict[str, Any], **more: Any) -> Any:
    given = row(case["attribute"])
    queue = instance(case, str(given["name"]))
    return ask(match_lines, {"complexes": [given], "request": case.get("request"), "queues": [queue], **more})


@pytest.mark.parametrize("name", ["match", "load", "limits"])
def test_one_queue_instance_matches_as_recorded(name: str) -> None:
    for case in cases(name):
        found = match(case)

        if "error" in case:
            assert (found["valid"], found["error"]) == (False, case["error"]), case
        else:
            assert found == {
                "valid": True,
                "matched": ["q@h"] if case["matches"] else [],
                "violations": {"q@h": 0} if case["matches"] else {},
            }, case


QUEUES = {
    "u1": (["h1", "h2"], {"h_rt": "1:0:0", "h_cpu": "0:30:0", "seq_no": "7", "rerun": "TRUE"}),
    "u2": (["h2", "h3"], {"s_rt": "2:0:0", "seq_no": "3"}),
    "U2": (["h3"], {}),
}


def test_requests_of_built_in_attributes() -> None:
    queues = [
        {"name": f"{name}@{host}", "queue_limit": limits} for name, (hosts, limits) in QUEUES.items() for host in hosts
    ]
    for case in cases("builtin"):
        found = ask(match_lines, {"request": case["request"], "queues": queues})

        assert found.get("error") == case.get("error"), case
        assert sorted(found.get("matched", ())) == case.get("matched", []), case


def test_soft_requests_rank_the_queues_as_recorded() -> None:
    setup = soft_setup()
    queues = [
        {
            "name": f"{name}@{host}",
            "global": values(setup["global"]),
            "host": values(setup["hosts"][host]),
            "queue": values(texts),
        }
        for name, host, texts in setup["queues"]
    ]
    attributes = [row(columns) for columns in setup["attributes"]]
    for case in cases("soft"):
        texts = {"request": ",".join(case["hard"]), "soft": ",".join(case["soft"])}
        found = ask(match_lines, {"complexes": attributes, "queues": queues, **texts})

        assert found.get("error") == case.get("error"), case
        if found["valid"]:
            counts = found["violations"]
            assert sorted(found["matched"], key=lambda name: (counts[name], name)) == case["ranking"], case


def test_soft_violations_by_level() -> None:
    for case in cases("violations"):
        found = match({k: v for k, v in case.items() if k != "request"}, soft=case["request"])

        assert found["violations"] == {"q@h": case["violations"]}, case


def test_definitions_as_recorded() -> None:
    foo = row("foo foo INT <= YES NO 0 0")
    for case in cases("definitions"):
        existing = [case["previous"]] if "previous" in case else [foo] if case["case"].startswith("duplicate") else []
        line = {"definition": case["definition"], "op": case.get("op"), "existing": existing}

        expected = {"accepted": True} if case["accepted"] else {"accepted": False, "error": case["message"]}

        assert ask(define_lines, line) == expected, case


def test_values_as_recorded() -> None:
    for case in cases("values"):
        found = ask(
            define_lines, {"definition": row(case["attribute"]), "value": case["value"], "where": case["where"]}
        )

        expected = {key: case[key] for key in ("stored", "shown", "error") if key in case}

        assert found == {"accepted": "error" not in case, **expected}, case


A = "aa aa INT <= YES NO 0 0"


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ({"queues": {}}, '"queues" must be a list'),
        ({"queues": [5]}, "queues[0] is not an object"),
        ({"queues": [{}]}, '"queues[0].name" is missing'),
        ({"queues": [{"name": "q", "host": []}]}, '"queues[0].host" must be an object'),
        ({"queues": [{"name": "q", "host": {"aa": 5}}]}, '"queues[0].host.aa" must be text'),
        ({"queues": [{"name": "q", "host": {"aa": "x"}}]}, 'attribute "aa" is not a integer value'),
        ({"queues": [{"name": "q", "host": {"b": "x"}}]}, 'denied: attribute "b" is not a complex attribute'),
        ({"complexes": [{"name": "b"}]}, "Complex urgency definition is missing"),
        ({"complexes": [{"name": 5}]}, '"complexes[].name" must be text'),
        ({"complex_semantics": "7"}, '"complex_semantics" must be 8.1 or 6.0, not "7"'),
        ({"request": "aa=1,zz=2"}, 'unknown resource "zz"'),
        ({"request": 5}, '"request" must be text'),
    ],
)
def test_match_lines_that_cannot_be_answered(line: dict[str, Any], error: str) -> None:
    found = ask(match_lines, {"complexes": [row(A)], **line})

    assert (found["valid"], found["error"]) == (False, error)


def test_shortcuts_nulls_and_left_out_levels() -> None:
    line = {
        "complexes": [row("memory mem MEMORY <= YES NO 0 0")],
        "request": "mem=2G",
        "queues": [
            {"name": "q@big", "host": {"mem": "4G"}, "queue": {"memory": None}},
            {"name": "q@small", "host": {"memory": "1G"}},
            {"name": "q@none"},
        ],
    }

    assert ask(match_lines, line)["matched"] == ["q@big"]


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ({"definition": row(A), "op": "change"}, {"accepted": False, "error": 'Complex attribute "aa" does not exist'}),
        ({"definition": row(A), "op": "change", "existing": [row(A)]}, {"accepted": True}),
        ({"definition": {"name": "aa"}, "op": "delete", "existing": [row(A)]}, {"accepted": True}),
        ({"definition": row(A), "op": "x"}, {"valid": False, "error": '"op" must be add, change or delete, not "x"'}),
        ({}, {"valid": False, "error": '"definition" is missing'}),
        (
            {"definition": row(A), "value": "1", "where": "moon"},
            {"valid": False, "error": '"where" must be complex_values or request, not "moon"'},
        ),
    ],
)
def test_define_lines(line: dict[str, Any], answer: dict[str, Any]) -> None:
    assert ask(define_lines, line) == answer


def test_a_definition_has_its_keywords_spelled_out() -> None:
    assert attribute("a a int <= y j 0 0") == attribute("a a INT <= YES JOB 0 0")
