"""Generic resources as text and as masks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slimsched.select.gres import Gres, clash, fold_ids, free_of, minus, parse, restore, show, take, unfold_ids

PARSED = {
    "": [],
    "(null)": [],
    "gpu": [("gpu", "", 1)],
    "gpu:2": [("gpu", "", 2)],
    "gpu:tesla:2": [("gpu", "tesla", 2)],
    "bandwidth:lustre:9999T": [("bandwidth", "lustre", 9999 << 40)],
    "gpu:tesla": [("gpu", "tesla", 1)],
    "gres/gpu:tesla=2": [("gpu", "tesla", 2)],
    "gpu:2(S:0-1),craynetwork:1": [("gpu", "", 2), ("craynetwork", "", 1)],
    "gpu:a100:2(IDX:0,3),mps:100": [("gpu", "a100", 2), ("mps", "", 100)],
    "bandwidth:lustre:4G": [("bandwidth", "lustre", 4 << 30)],
    "shard:no_consume:2k": [("shard", "", 2048)],
}


@pytest.mark.parametrize("text", PARSED)
def test_parse(text):
    assert [(g.name, g.type, g.amount) for g in parse(text)] == PARSED[text]


@pytest.mark.parametrize("text", ["gpu:2x", "gpu:1.5"])
def test_counts_must_be_numbers(text):
    with pytest.raises(ValueError, match="invalid literal"):
        parse(text)


def test_devices_of_a_name_are_numbered_through():
    slots = parse("gpu:a:2,nic:1,gpu:b:3")

    assert [slot.first for slot in slots] == [0, 0, 2]
    assert show(slots, (0b01, 0, 0b110)) == "gpu:a:1(IDX:0),gpu:b:2(IDX:3-4)"


def test_the_lowest_free_devices_are_taken():
    slots = parse("gpu:a:2,gpu:b:3")
    taken = take(slots, (0b01, 0b010), Gres("gpu", "", 3))

    assert taken == (0b10, 0b101)
    assert take(slots, (0, 0), Gres("gpu", "b", 1)) == (0, 0b1)
    assert free_of(slots, (0b01, 0b010), Gres("gpu", "", 1)) == 3
    assert free_of(slots, (0b01, 0b010), Gres("gpu", "b", 9)) == 2


def test_many_devices_are_counted_without_numbers():
    slots = parse("mps:2000")
    text = show(slots, take(slots, (0,), Gres("mps", "", 100)))

    assert text == "mps:100"
    assert restore(slots, text) == (100,)
    assert free_of(slots, (100,), Gres("mps", "", 1)) == 1900
    assert minus(slots, (100,), (40,)) == (60,)
    assert clash(slots, (1950,), (100,))
    assert take(slots, (1950,), Gres("mps", "", 100)) == (50,)


@given(st.sets(st.integers(0, 60)))
def test_device_numbers_round_trip(ids):
    mask = sum(1 << i for i in ids)

    assert unfold_ids(fold_ids(mask)) == mask


@given(st.text("0123456789-,x", max_size=20))
def test_any_text_of_device_numbers_is_read(text):
    assert unfold_ids(text) >= 0


@given(st.tuples(st.integers(0, 3), st.integers(0, 7)))
def test_allocations_round_trip(masks):
    slots = parse("gpu:a:2,gpu:b:3")

    assert restore(slots, show(slots, masks)) == masks
