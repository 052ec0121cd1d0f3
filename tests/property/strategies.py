"""Shared strategies. A strategy for a notation draws its text together with what it stands for."""

from __future__ import annotations

from hypothesis import strategies as st

PREFIXES = st.sampled_from(["node", "n", "n-", "rack1-n", "x0y", "n00", ""])
NUMBERS = st.builds(lambda number, width: str(number).zfill(width), st.integers(0, 120), st.integers(0, 4))
NAMES = st.one_of(
    st.builds(str.__add__, PREFIXES, NUMBERS),
    st.text("abz019-_.", min_size=1, max_size=8),
)
NAME_LISTS = st.lists(NAMES, max_size=30)

HOSTLIST_NOISE = st.text("an019-,[] \t", max_size=30)
"""Mostly wrong hostlists and idsets."""

IDS = st.sets(st.one_of(st.integers(0, 60), st.integers(0, 2**31 - 1)), max_size=40)

INSTANTS = st.integers(0, 253_402_300_799)
"""Seconds since 1970, to the end of the year 9999."""


@st.composite
def ranges(draw, plain=False):
    """One range of a bracket and its ids, each with the width of the first; ``plain``: the last is written so."""
    low = draw(st.integers(0, 300))
    high = low + draw(st.integers(0, 12))
    width = draw(st.sampled_from([0, 0, 2, 4]))
    ids = [str(i).zfill(width) for i in range(low, high + 1)]
    alone = len(ids) == 1 and draw(st.booleans())
    last = ids[-1] if plain or draw(st.booleans()) else high
    return (ids[0] if alone else f"{ids[0]}-{last}"), ids


@st.composite
def elements(draw, most=3, plain=False):
    """One element of a Slurm hostlist with up to ``most`` brackets, which ``plain`` keeps apart, and its names."""
    text = draw(st.sampled_from(["node", "r", "a-"]))
    names = [text]
    for _ in range(draw(st.integers(0, most))):
        parts = draw(st.lists(ranges(plain), min_size=1, max_size=3))
        literal = draw(st.sampled_from(["x", "-ib"] if plain else ["", "x", "-ib"]))
        text += f"[{','.join(part for part, _ in parts)}]{literal}"
        names = [f"{name}{i}{literal}" for name in names for _, ids in parts for i in ids]
    return text, names


@st.composite
def hostlists(draw, most=3, plain=False):
    """A Slurm hostlist and its names; ``plain``: without what other programs refuse."""
    parts = draw(st.lists(elements(most, plain), max_size=4))
    return ",".join(text for text, _ in parts), [name for _, names in parts for name in names]
