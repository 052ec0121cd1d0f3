"""Check sums, framing, signatures and the words of Wiki messages."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slimsched.errors import UserError
from slimsched.sched.wiki import message, tasklist
from slimsched.sched.wiki.message import (
    Refused,
    Settings,
    checksum,
    frame,
    key_of,
    plain,
    seal,
    size_of,
    unframe,
    unseal,
    words,
)

VECTORS = Path(__file__).parent.parent / "data" / "wiki_checksums.jsonl"
NOW = 1400000000
KEYED = Settings(2, 42)


def test_the_check_sums_of_the_old_function():
    for line in VECTORS.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        assert checksum(case["key"], case["message"].encode()) == case["checksum"]


@pytest.mark.parametrize(
    ("text", "key"),
    [("42", 42), ("0x2a", 42), ("052", 42), ("4294967338", 42), ("12ab", 12), ("abc", 0), ("", 0), ("-1", 4294967295)],
)
def test_keys_are_read_as_c_reads_them(text, key):
    assert key_of(text) == key


@pytest.mark.parametrize(
    ("head", "size"),
    [
        (b"00000070\n", 70),
        (b"      7\n\n", 7),
        (b"12xxxxxxx", 12),
        (b"hello wor", None),
        (b"0000001\n", None),
        (b"99999999\n", None),
        (b"", None),
    ],
)
def test_heads(head, size):
    assert size_of(head) == size


def test_a_frame_counts_its_nul():
    assert frame("SC=0") == b"00000005\nSC=0\0"
    assert unframe(b"CMD=GETJOBS\0rest") == "CMD=GETJOBS"


def test_an_answer_is_signed():
    """Examples 8 and 30 of the oracle."""
    assert seal("SC=0 ARG=0#", KEYED, NOW) == "CK=115142a80f807571 TS=1400000000 AUTH=slurm DT=SC=0 ARG=0#"
    assert seal("SC=0 ARG=0#", Settings(1, None), NOW).startswith("CK=ae17b6cb58d8ca2f ")


GOOD = "CK=833196aea8becb31 TS=1400000000 AUTH=root DT=CMD=GETJOBS ARG=0:ALL"


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(
    ("body", "code", "text"),
    [
        (GOOD.replace("AUTH", "XUTH"), -300, "request lacks AUTH"),
        (GOOD.replace("DT=", "XT="), -300, "request lacks DT"),
        (GOOD.replace("TS=", "XS="), -300, "request lacks TS"),
        (GOOD.replace("1400000000", "1400000301"), -350, "TS value too far from NOW"),
        (GOOD.replace("TS=1400000000", "TS=soon"), -350, "TS value too far from NOW"),
        (GOOD.replace("CK=8", "CK=9"), -422, "bad checksum"),
        (GOOD.upper(), -422, "bad checksum"),
        (GOOD[20:], -422, "bad checksum"),
        (GOOD.replace("TS=", "DT=CMD=CANCELJOB ARG=3 TS="), -422, "bad checksum"),
        (f"DT=CMD=CANCELJOB ARG=3 {GOOD}", -422, "bad checksum"),
        (f"{GOOD[:19]} AUTH=root DT=CMD=CANCELJOB ARG=3 TS=1400000000", -300, "request lacks AUTH"),
        ("", -300, "request lacks AUTH"),
        ("CK=a5a0ffa8a0a2f5a1 TS=1400000000 AUTH=root DT=", -422, "bad checksum"),
    ],
)
def test_requests_that_are_refused(version, body, code, text):
    with pytest.raises(Refused) as refusal:
        unseal(body, Settings(version, 42), NOW)
    assert (refusal.value.code, refusal.value.text) == (code, text)


def test_requests_that_are_taken():
    assert unseal(GOOD, KEYED, NOW) == "CMD=GETJOBS ARG=0:ALL"
    assert unseal(GOOD, KEYED, NOW + 300) == "CMD=GETJOBS ARG=0:ALL"
    assert unseal("CMD=GETJOBS ARG=0:ALL", Settings(1, None), NOW) == "CMD=GETJOBS ARG=0:ALL"
    empty = "TS=1400000000 AUTH=root DT=nothing"
    with pytest.raises(Refused, match="request lacks CMD"):
        unseal(f"CK={checksum(42, empty.encode())} {empty}", KEYED, NOW)


@pytest.mark.parametrize(
    ("payload", "options"),
    [
        ("CMD=STARTJOB ARG=17 TASKLIST=a:b", {"CMD": "STARTJOB", "ARG": "17", "TASKLIST": "a:b"}),
        ("CMD=X COMMENT='by moab NODES=1' A=\"b c\"", {"CMD": "X", "COMMENT": "by moab NODES=1", "A": "b c"}),
        ("CMD=X ARG= TASKLIST=", {"CMD": "X", "ARG": "", "TASKLIST": ""}),
        ("CMD=X A=1 A=2 junk\t\nB=3", {"CMD": "X", "A": "1", "B": "3"}),
        ("CMD=X A='open", {"CMD": "X", "A": "'open"}),
        ("CMD=X VARIABLELIST=A=1,B=2", {"CMD": "X", "VARIABLELIST": "A=1,B=2"}),
    ],
)
def test_words(payload, options):
    assert words(payload).options == options


def test_the_rest_of_a_message():
    assert words("CMD=NOTIFYJOB ARG=16 MSG=maintenance at noon").rest("MSG") == "maintenance at noon"
    assert words("CMD=NOTIFYJOB ARG=16").rest("MSG") is None


def test_values_cannot_end_their_record():
    assert plain('a;b#c"d\n\x1be') == "a b c d  e"


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("tux0:tux0:tux1", {"tux0": 2, "tux1": 1}),
        (":tux0::tux0", {"tux0": 2}),
        ("tux0,tux1", {"tux0": 1, "tux1": 1}),
        ("tux[0-1]*2:tux2", {"tux0": 2, "tux1": 2, "tux2": 1}),
        ("tux[0,2-3]*4", {"tux0": 4, "tux2": 4, "tux3": 4}),
        ("", {}),
        ("tux[0-", None),
        ("tux*x", None),
        ("tux*0", None),
        ("tux*-1", None),
        ("tux[0-999999999]*2", None),
        ("tux*99999999999999999999", None),
    ],
)
def test_task_lists(text, counts):
    assert tasklist.read(text) == counts


@pytest.mark.parametrize(
    ("version", "form", "text"),
    [
        (1, 0, ":tux0:tux0:tux1:tux1:a"),
        (1, 2, ":tux0:tux0:tux1:tux1:a"),
        (2, 0, "tux0:tux0:tux1:tux1:a"),
        (2, 1, "tux[0-1]*2:a*1"),
    ],
)
def test_task_lists_are_written(version, form, text):
    counts = [("tux0", 2), ("tux1", 2), ("a", 1)]
    assert tasklist.write(counts, version, form) == text
    assert tasklist.write([("alpha", 2), ("beta", 2)], 2, 1) == "alpha*2:beta*2"


def test_the_configuration():
    text = "# the key\nauthkey = 0x2a  # shared\nHostFormat=2\nEPort=15017\nVersion=2\n"
    assert message.read_conf(text) == Settings(2, 42, "slurm", 2)
    assert message.read_conf("") == Settings(1, None, "slurm", 0)
    with pytest.raises(UserError, match="version=3 should be one of 1, 2"):
        message.read_conf("Version=3")


@given(st.text(max_size=200))
def test_any_text_is_refused_or_read(text):
    for settings in (KEYED, Settings(1, None)):
        with suppress(Refused):
            words(unseal(text, settings, NOW))


@given(st.text(alphabet="tux[0-9],:*3", max_size=30))
def test_any_task_list_is_read_or_refused(text):
    counts = tasklist.read(text)
    assert counts is None or all(count > 0 for count in counts.values())
