"""Idsets, times and sizes: what is printed can be read, and any text gets an answer."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from strategies import HOSTLIST_NOISE, IDS, INSTANTS

from slimsched.errors import SyntaxFault
from slimsched.text import idset, sizes, times
from slimsched.text.moments import MAX_MOMENT, moment

MOMENT_NOISE = st.lists(
    st.sampled_from(["now", "+", "-", "1", "23", ":", "2027-", "/", " ", "T", "noon", "hour", "pm", "x", "uts"]),
    max_size=10,
).map("".join)


def answer(read, *given):
    """Return what ``read`` gives, or its fault, which must point into the text."""
    try:
        return read(*given)
    except SyntaxFault as fault:
        start, end = fault.span
        return fault if 0 <= start <= end <= len(given[0]) else None


@given(IDS)
def test_idsets_are_read_back(ids):
    text = idset.encode(ids)
    assert idset.decode(text) == sorted(ids)
    assert idset.encode_ranges(idset.ranges(f"[{text}]")) == text


@given(HOSTLIST_NOISE)
def test_any_text_is_an_idset_or_an_error(text):
    found = answer(idset.ranges, text)
    if not isinstance(found, SyntaxFault):
        assert all(a <= b for a, b in found)
        assert all(b + 1 < c for (_, b), (c, _) in pairwise(found))


@given(st.integers(1, 2**31 - 1))
def test_limits_are_read_back(minutes):
    assert times.time_limit(times.limit(minutes)) == minutes
    assert times.time_limit(times.limit(minutes, full=True)) == minutes


@given(st.text("0123-:+ mshdINFinite", max_size=14))
def test_any_text_is_a_time_or_an_error(text):
    for read in (times.minutes, times.duration):
        found = answer(read, text)
        assert isinstance(found, SyntaxFault) or found >= 0


@given(INSTANTS, INSTANTS)
def test_instants_are_read_back(instant, now):
    assert moment(times.instant(instant), now) == instant


@given(MOMENT_NOISE, INSTANTS)
def test_any_text_is_a_moment_or_an_error(text, now):
    found = answer(moment, text, now)
    assert isinstance(found, SyntaxFault) or 0 <= found <= MAX_MOMENT


@given(st.integers(0, 2**40))
def test_sizes_are_read_back(mb):
    shown = sizes.megabytes(mb)
    if "." in shown:  # cut to hundredths of its unit
        unit = 1 << 10 * ("MGTP".index(shown[-1]))
        assert abs(float(shown[:-1]) * unit - mb) <= 0.005 * unit
    else:
        assert sizes.memory(shown) == mb
