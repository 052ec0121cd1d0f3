"""Wherever a crash cuts the journal, what is loaded is the cluster as of the last commit that was whole.

The journal is rewritten by hand to each of its prefixes: a snapshot, some whole commits, a part of the next one.
"""

from __future__ import annotations

import copy
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from state_model import Model, content, steps

from slimsched.errors import StateError
from slimsched.state import doctor, frames, journal, layout, snapshot
from slimsched.state.store import Store

COMMANDS = [
    ("submit", "a", 2),
    ("node", '"\n', 1),
    ("submit", "\0é\u2028", 0),
    ("change", "a", 1),
    ("partition", "a", 2),
    ("reserve", "", 0),
    ("requeue", "", 0),
    ("account", "a", 1),
    ("use", "a", 3),
    ("purge", "a", 1),
    ("drop partition", "", 0),
    ("unreserve", "", 0),
    ("complex", "a", 3),
    ("plugin", "a", 3),
    ("count", "a", 3),
]


class Recording:
    """A directory, its live segment, and the cluster's content after each commit: ``ends`` are their offsets."""

    def __init__(self, folder: str, commands: list[tuple[str, str, int]]) -> None:
        self.folder = folder
        with Store.open(folder, write=True) as store:
            model = Model(store.load())
            segment = Path(layout.journal(layout.data(folder, 1), 1))
            self.ends, self.contents = [segment.stat().st_size], [copy.deepcopy(content(model.cluster))]
            for name, text, number in commands:
                if name not in ("commit", "checkpoint", "reopen"):
                    model.do(name, text, number)
                    store.commit(model.cluster)
                    self.ends.append(segment.stat().st_size)
                    self.contents.append(copy.deepcopy(content(model.cluster)))
        self.segment, self.data = segment, segment.read_bytes()

    def whole(self, length: int) -> int:
        """Return how many commits lie within the first ``length`` bytes."""
        return sum(end <= length for end in self.ends) - 1

    def cut(self, length: int, rubbish: bytes = b"") -> None:
        self.segment.write_bytes(self.data[:length] + rubbish)

    def load(self) -> Any:
        with Store.open(self.folder) as store:
            return content(store.load())


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    return Recording(str(tmp_path_factory.mktemp("prefixes") / "state"), COMMANDS)


@pytest.mark.parametrize("count", range(len(COMMANDS) + 1))
@pytest.mark.parametrize("torn", [0, 1, 17, 40])
def test_the_cluster_is_that_of_the_last_whole_commit(recording: Recording, count: int, torn: int) -> None:
    following = recording.ends[count + 1] if count < len(COMMANDS) else recording.ends[count] + 1
    recording.cut(min(recording.ends[count] + torn, following - 1))

    assert recording.load() == recording.contents[count]


def test_only_whole_commits_count(recording: Recording) -> None:
    close = {end + i for end in recording.ends for i in (-2, -1, 0, 1)}
    for length in sorted(close.union(range(recording.ends[0], len(recording.data) + 1, 7))):
        if not recording.ends[0] <= length <= len(recording.data):
            continue
        recording.cut(length)
        commits = journal.Segment(str(recording.segment)).read()
        assert [commit.seq for commit in commits] == list(range(1, recording.whole(length) + 1))


@pytest.mark.parametrize("count", [0, 1, 7, len(COMMANDS) - 1])
@pytest.mark.parametrize("rubbish", [b"", b"\0" * 50, b"00000fff 12345678 {"], ids=["cut", "blank", "announced"])
def test_the_next_command_overwrites_what_was_torn(recording: Recording, count: int, rubbish: bytes) -> None:
    recording.cut(recording.ends[count] + (0 if rubbish else 20), rubbish)
    with Store.open(recording.folder, write=True) as store:
        model = Model(store.load())
        model.do("submit", "new", 3)
        store.commit(model.cluster)
        expected = content(model.cluster)

    assert recording.load() == expected
    assert [job.request.name for _, job in expected[0]][-1] == "new"
    assert [f.text for f in doctor.check(recording.folder) if f.status != doctor.OK] == []


def test_a_torn_write_is_a_note_and_no_damage(recording: Recording) -> None:
    recording.cut(recording.ends[3] + 25)

    assert [(f.status, f.text) for f in doctor.check(recording.folder) if f.status != doctor.OK] == [
        ("note", "ends in a record that a crash cut short; that record is ignored and will be overwritten")
    ]


@pytest.mark.parametrize("count", range(1, len(COMMANDS)))
def test_a_commit_that_is_missing_in_the_middle_is_damage(recording: Recording, count: int) -> None:
    first, last = recording.ends[count - 1 : count + 1]
    recording.segment.write_bytes(recording.data[:first] + recording.data[last:])

    assert [f.text for f in doctor.check(recording.folder) if f.status == doctor.DAMAGED] == [
        f"has commit {count + 1} where {count} should be"
    ]


@pytest.mark.parametrize("at", [0, 5, 9, 20])
def test_a_changed_byte_before_a_whole_commit_is_damage(recording: Recording, at: int) -> None:
    place = recording.ends[2] + at
    data = bytearray(recording.data)
    data[place] ^= 1
    recording.segment.write_bytes(data)

    with pytest.raises(StateError, match=f"is damaged at byte {recording.ends[2]}, after 2 records"):
        recording.load()


def test_a_snapshot_of_every_prefix_is_the_replay_of_that_prefix(recording: Recording) -> None:
    """Write the image as a snapshot after each commit and read it back: it is what replaying gives."""
    path = layout.snapshot(recording.folder)
    image = snapshot.unpack(path, Path(path).read_bytes())
    recording.cut(len(recording.data))
    for commit in journal.Segment(str(recording.segment)).read():
        journal.apply(image, commit)
        again = snapshot.unpack(path, snapshot.pack(image))
        assert vars(again) == vars(image)


@given(steps, st.floats(0, 1))
@settings(max_examples=40)
def test_any_history_cut_anywhere(commands: list[tuple[str, str, int]], share: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        made = Recording(folder, commands)
        length = made.ends[0] + int(share * (len(made.data) - made.ends[0]))
        made.cut(length)

        assert made.load() == made.contents[made.whole(length)]


@given(st.lists(st.binary(max_size=30).filter(lambda body: b"\n" not in body and b"\0" not in body), max_size=6))
def test_frames_are_read_back_and_every_prefix_is_a_prefix(bodies: list[bytes]) -> None:
    data = b"".join(map(frames.pack, bodies))

    assert frames.split(data) == (bodies, len(data))
    assert frames.salvage(data) == (bodies, 0)
    for length in range(len(data)):
        found, end = frames.split(data[:length])
        assert found == bodies[: len(found)]
        assert frames.torn(data[:length], end)


@given(st.lists(st.binary(min_size=1, max_size=12).filter(lambda b: b"\n" not in b), min_size=2, max_size=5), st.data())
def test_a_lost_line_is_found_and_the_others_are_salvaged(bodies: list[bytes], data: st.DataObject) -> None:
    lines = [frames.pack(body) for body in bodies]
    lost = data.draw(st.integers(0, len(lines) - 1))
    lines[lost] = b"x" + lines[lost][1:]

    assert frames.salvage(b"".join(lines)) == (bodies[:lost] + bodies[lost + 1 :], 1)
