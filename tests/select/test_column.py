"""A column of numbers by node, compared with a plain list."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from slimsched.model import bitmap
from slimsched.select.column import Column

SIZE = 70
MOVES = st.lists(st.tuples(st.integers(0, 2**SIZE - 1), st.integers(0, 5), st.booleans()), max_size=20)


@given(MOVES, st.booleans())
def test_a_column_is_a_list(moves, listed):
    column, plain = Column({0: bitmap.full(SIZE)}, SIZE), [0] * SIZE
    if listed:
        column.values()
    for chosen, new, narrow in moves:
        nodes = chosen & -chosen if narrow else chosen
        if column.size and nodes & 1:  # a copy goes on by itself
            column = column.fork()
        for old, same in column.parts(nodes):
            assert {plain[i] for i in bitmap.iterate(same)} == {old}
            column.move(old, new, same)
        for i in bitmap.iterate(nodes):
            plain[i] = new
        assert [column.at(i) for i in range(0, SIZE, 7)] == plain[::7]
    assert [column.at(i) for i in range(SIZE)] == plain
    assert sum(column.sets.values()) == bitmap.full(SIZE)
    assert column.values() == plain
