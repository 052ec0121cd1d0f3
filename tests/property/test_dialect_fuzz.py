"""Whatever text a constraint language, a value or a node set is given: an answer, or one of the toolkit's own errors.

``SLIMSCHED_FUZZ=100000`` tries so many texts for each target instead of a few.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from slimsched.constraints import bulk, dialects, flux_json, json_line
from slimsched.constraints.complexes import bulk as complex_bulk
from slimsched.constraints.complexes import definition, entries, offers, request, values
from slimsched.constraints.complexes.catalog import Catalog
from slimsched.errors import SimError
from slimsched.text import hostlist, idset

EXAMPLES = int(os.environ.get("SLIMSCHED_FUZZ", "60"))
MANY = settings(
    max_examples=EXAMPLES,
    deadline=None if EXAMPLES > 1000 else 1000,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
VOCABULARY = (
    "a gpu load node1 n[1-3] n[ ] [0]] ]-b host: hosts: rank: properties: node: not and or & && | || - ! ( ) ' ` ^ :",
    "= == != <= >= < > , ; * ? \\ . 0 1 01 1-3 3-1 1.5 1e400 -0 nan NaN inf INFINITY TRUE 0x 0xfff 0777 1K 5T 1:2:3",
    '::: lic=2 mem_free=1G {"and":[ ]} {"hostlist":["foo]"]} {"not":[]} {"ranks":["4294967296"]} null true " \x7f é ٣',
)
WORDS = st.sampled_from([*" ".join(VOCABULARY).split(), "\x00", "\ud800"])
LONG = st.builds(
    lambda head, digit, count: head + digit * count,
    st.sampled_from(["", "0x", "0", "-", "1e", "h_rt=", "lic=0x", "n[", "[", "(", "not ", "a[0-"]),
    st.sampled_from(["f", "7", "9", "(", "[", "-", "&"]),
    st.sampled_from([1, 18, 256, 400, 5000]),
)
TEXTS = st.one_of(st.lists(st.one_of(WORDS, LONG, st.text(max_size=3)), max_size=12).map("".join), st.text(max_size=30))
TYPES = sorted(values.NUMERIC | values.STRINGS)
CATALOG = Catalog(
    definition.read(dict(zip(definition.builtin.FIELDS, row.split(), strict=True)))
    for row in ("lic lic INT <= YES YES 0 0", "tt tt TIME <= YES YES 0 0", "kind kind RESTRING == YES NO NONE 0")
)


def value(kind: str) -> Callable[[str], object]:
    found = next((one for one in CATALOG.attributes.values() if one.type == kind and one.relop != "EXCL"), None)

    def read(text: str) -> object:
        assert found is not None
        shown = values.show(found, values.parse(found, text))
        values.offer(found, text)
        with suppress(values.ValueFault):
            offers.configured(found, text)
        offers.offer(found, None, text)
        return shown

    return read


TARGETS: dict[str, Callable[[str], object]] = {
    **{name: lambda text, name=name: dialects.parse(text, name) for name in dialects.DIALECTS},
    **{
        f"{source} to {target}": lambda text, source=source, target=target: dialects.convert(text, source, target)
        for source, target in (("flux-query", "flux-json"), ("flux-json", "flux-query"), ("slurm-extra", "sge"))
    },
    **{f"value {kind}": value(kind) for kind in TYPES if kind not in {"CSTRING"}},
    "request 8.1": lambda text: request.read([text], CATALOG),
    "request 6.0": lambda text: request.read([text], Catalog((), "6.0")),
    "complex_values": lambda text: entries.read(text, CATALOG),
    "slurm hostlist": hostlist.expand,
    "flux hostlist": lambda text: hostlist.expand(text, dialect="flux"),
    "hosts operand": flux_json.hosts,
    "ranks operand": flux_json.rank_ranges,
    "idset": idset.ranges,
}


@pytest.mark.parametrize("target", TARGETS)
def test_any_text_gets_an_answer_or_an_error_of_ours(target: str) -> None:
    @MANY
    @example("0x" + "f" * 300)
    @example("0" + "7" * 400)
    @example("tt=nan,lic=0x" + "f" * 300)
    @given(TEXTS)
    def check(text: str) -> None:
        with suppress(SimError):
            TARGETS[target](text)

    check()


@settings(MANY)
@example(["0x" + "f" * 300, "lic=inf"])
@given(st.lists(TEXTS, min_size=1, max_size=3))
def test_one_bad_line_never_ends_a_stream(texts: list[str]) -> None:
    for text in texts:
        queue = {"name": "q@h", "host": {"mem_free": text}, "host_load": {"h_rt": text}}
        lines = {
            complex_bulk.match_lines: {"request": text, "queues": [queue]},
            complex_bulk.define_lines: {"definition": {"name": text, "type": "TIME"}, "value": text},
            **{bulk.matcher(name): {"constraint": text, "nodes": []} for name in dialects.DIALECTS},
            bulk.converter("flux-query", "flux-json"): {"constraint": text},
        }
        for respond, line in lines.items():
            assert isinstance(json.loads(json_line.answer(json.dumps(line).encode(), respond)), dict)


@MANY
@given(st.lists(st.sampled_from(["a", "b1", "]", "[", "[0]", "[1-2]", ",", " ", "-"]), max_size=8).map("".join))
def test_a_flux_host_without_its_bracket_is_refused(text: str) -> None:
    """A name is read only if no "]" stands in it without a "[" before, and each "[" has a "]" after it."""
    try:
        flux_json.hosts(text)
    except SimError:
        return
    for name in flux_json._tokens(text):
        assert ("[" in name) or ("]" not in name)
        assert "[" not in name or "]" in name.partition("[")[2]
