"""Frames: what is written is read, what a crash leaves is told from damage."""

from __future__ import annotations

import pytest

from slimsched.state import frames

WHOLE = frames.pack(b'{"a":1}') + frames.pack(b'{"b":2}')


def test_a_frame_is_a_line_of_text() -> None:
    assert frames.pack(b'{"a":1}') == b'00000007 89251dea {"a":1}\n'


def test_split_returns_the_bodies_and_the_end() -> None:
    assert frames.split(WHOLE) == ([b'{"a":1}', b'{"b":2}'], len(WHOLE))
    assert frames.split(b"") == ([], 0)


@pytest.mark.parametrize("length", range(len(WHOLE)))
def test_every_cut_is_torn_and_keeps_the_whole_frames(length: int) -> None:
    data = WHOLE[:length]
    bodies, end = frames.split(data)

    assert len(bodies) == (length >= len(WHOLE) // 2)
    assert frames.torn(data, end)


@pytest.mark.parametrize("at", range(len(WHOLE)))
def test_a_flipped_bit_is_damage(at: int) -> None:
    data = bytearray(WHOLE)
    data[at] ^= 0x10
    bodies, end = frames.split(bytes(data))

    assert len(bodies) < 2
    assert not frames.torn(bytes(data), end)


@pytest.mark.parametrize("blank", [1, 10, len(WHOLE) // 2])
def test_blocks_that_never_reached_the_disk_are_torn(blank: int) -> None:
    data = WHOLE + frames.pack(b'{"c":3}')[:-blank] + b"\0" * blank + b"\n"
    bodies, end = frames.split(data)

    assert len(bodies) == 2
    assert frames.torn(data, end)


def test_nul_bytes_ahead_of_a_sound_frame_are_damage() -> None:
    data = b"\0" * 9 + b"\n" + WHOLE

    assert not frames.torn(data, 0)


def test_salvage_finds_the_sound_frames() -> None:
    assert frames.salvage(WHOLE + b"00000007 89251deb garbage\n" + frames.pack(b"3")) == (
        [b'{"a":1}', b'{"b":2}', b"3"],
        1,
    )
