"""`sim doctor`: every damage is found, and repaired from what is left."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from world import add_job, retire

from slimsched.errors import StateError
from slimsched.slurm.states import COMPLETED, RUNNING
from slimsched.state import doctor, documents, salvage
from slimsched.state.store import Store

FILES = [
    *("lock", "cluster.toml", "snapshot.json", "data-1/journal/000001", "data-1/journal/000002"),
    *("data-1/journal/000003", "data-1/archive/000000", "data-1/archive/index.json"),
]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of three segments: jobs 1 and 2 are archived, 3 is in the journal as gone, 4 and 5 are live."""
    folder = tmp_path_factory.mktemp("doctor") / "state"
    with Store.open(str(folder), write=True) as store:
        cluster = store.load()
        for number in range(1, 6):
            store.save_script(number, "#!/bin/sh\n")
            job = add_job(cluster, user_name="zoe", state=RUNNING, nodes="node01")
            store.commit(cluster)
            job.state = COMPLETED if number < 4 else job.state
            cluster.touch_job(job)
            if number < 4:
                retire(cluster, job)
            cluster.nodes[0].change(extra=f'{{"jobs": {number}}}')
            cluster.touch_node(cluster.nodes[0])
            store.commit(cluster)
            if number < 3:
                store.checkpoint()
    return folder


@pytest.fixture
def state(template: Path, folder: str) -> Path:
    return Path(shutil.copytree(template, folder))


def content(state: Path) -> Any:
    with Store.open(str(state)) as store:
        cluster = store.load()
        archived = list(store.archive.between())
        events = [commit.events for commit in store.history()]
    return list(cluster.jobs.items()), cluster.next_job_id, cluster.nodes[0].extra, archived, events


def damages(state: Path) -> list[str]:
    return [f.path.removeprefix(f"{state}/") for f in doctor.check(str(state)) if f.status == doctor.DAMAGED]


def test_a_sound_directory_needs_no_repair(state: Path) -> None:
    before = content(state)

    assert [(f.status, Path(f.path).name, f.text) for f in doctor.check(str(state))] == [
        ("ok", "cluster.toml", "tables of nodes: 1, partitions: 1, virtual clock"),
        ("ok", "snapshot.json", "format 2, jobs: 0"),
        ("ok", "journal", "commits: 10"),
        ("ok", "archive", "finished jobs: 2"),
    ]
    assert salvage.rebuild(str(state)) == []
    assert content(state) == before


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("kind", ["lost", "empty", "cut", "flipped", "folder", "garbage"])
def test_damage_of_one_file_loses_little(template: Path, state: Path, name: str, kind: str) -> None:
    path = state / name
    data = path.read_bytes()
    new = {"empty": b"", "cut": data[: len(data) // 2], "garbage": b"\0garbage\n" * 9}.get(kind)
    path.unlink()
    if kind == "folder":
        path.mkdir()
    elif kind == "flipped" and data:
        middle = len(data) // 2
        path.write_bytes(data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :])
    elif kind != "lost":
        path.write_bytes(new or b"")
    salvage.rebuild(str(state))
    jobs, next_job_id, _, archived, _ = content(state)
    expected = content(template)

    assert damages(state) == []
    assert salvage.rebuild(str(state)) == []
    if (name, kind) != ("data-1/journal/000003", "cut"):  # which looks like a crash
        assert next_job_id == expected[1]
    if "journal" not in name:  # all of it is in the journal
        assert (jobs, archived) == (expected[0], expected[3])
    elif "000003" not in name:  # history only
        assert jobs == expected[0]
    elif kind == "flipped":
        assert [job_id for job_id, _ in jobs] in ([4, 5], [4], [5], [3, 4, 5], [3, 4])


@pytest.mark.parametrize("at", range(0, 100, 7))
@pytest.mark.parametrize("name", ["snapshot.json", "data-1/journal/000003", "data-1/archive/000000"])
def test_a_flipped_bit_is_found_and_mended(template: Path, state: Path, name: str, at: int) -> None:
    path = state / name
    data = bytearray(path.read_bytes())
    data[len(data) * at // 100] ^= 4
    path.write_bytes(data)

    assert damages(state)
    assert salvage.rebuild(str(state))
    assert damages(state) == []
    assert list(state.glob("**/*.damaged-1"))
    if "journal" not in name:
        assert content(state)[0] == content(template)[0]
        assert content(state)[3] == content(template)[3]


def test_both_snapshot_and_journal_damaged(state: Path) -> None:
    for name in ("snapshot.json", "data-1/journal/000002"):
        data = bytearray((state / name).read_bytes())
        data[120] ^= 1
        (state / name).write_bytes(data)
    done = "\n".join(salvage.rebuild(str(state)))
    jobs, next_job_id, *_ = content(state)

    assert "000002 is damaged at byte 34, after 0 records: 1 sound records, 1 lost" in done
    assert [job_id for job_id, _ in jobs] == [4, 5]
    assert next_job_id == 6


def test_the_last_good_configuration_comes_back(state: Path) -> None:
    path = state / "cluster.toml"
    good = path.read_text()
    path.write_text(good.replace("64000", "6400O"))

    assert damages(state) == ["cluster.toml", "cluster.toml"]
    assert salvage.rebuild(str(state))[1] == f"{path}: put back the last good one"
    assert path.read_text() == good
    assert "6400O" in (state / "cluster.toml.damaged-1").read_text()


def test_a_newer_format_is_not_repaired(state: Path) -> None:
    path = state / "snapshot.json"
    path.write_bytes(documents.pack(documents.Head(slimsched=99), {}) + b"\n")
    before = {path: path.stat().st_mtime_ns for path in state.rglob("*")}
    with pytest.raises(StateError, match="has state format 99; this slimsched reads formats up to 2"):
        salvage.rebuild(str(state))
    assert {path: path.stat().st_mtime_ns for path in state.rglob("*")} == before


def test_leftovers_are_removed(state: Path) -> None:
    left = [state / "snapshot.json.new", state / "cluster.cache.77", state / "data-9", state / "data-1/archive/x.new"]
    for path in left:
        path.mkdir() if path.name == "data-9" else path.write_text("")
    notes = [f.path for f in doctor.check(str(state)) if f.status == doctor.NOTE]
    salvage.rebuild(str(state))

    assert notes == sorted(map(str, left), key=notes.index)
    assert not any(path.exists() for path in left)


def test_a_lost_snapshot_is_not_looked_for_in_an_empty_generation(template: Path, state: Path) -> None:
    """As `sim init --force` leaves one that was killed."""
    shutil.copytree(state / "data-1", state / "data-2")
    for name in ("000001", "000002", "000003"):
        (state / "data-2" / "journal" / name).unlink()
    (state / "snapshot.json").unlink()
    salvage.rebuild(str(state))

    assert content(state)[0] == content(template)[0]
    assert [path.name for path in sorted(state.glob("data-*"))] == ["data-1.damaged-1", "data-3"]


def test_no_directory_and_a_foreign_one(tmp_path: Path) -> None:
    assert [f.text for f in doctor.check(str(tmp_path / "none"))] == ["no cluster yet; the first command creates one"]
    assert salvage.rebuild(str(tmp_path / "none")) == []
    (tmp_path / "photo.jpg").write_text("")

    assert [f.status for f in doctor.check(str(tmp_path))] == [doctor.DAMAGED]
    with pytest.raises(StateError, match="is not a state directory"):
        salvage.rebuild(str(tmp_path))


def test_others_may_write(state: Path) -> None:
    state.chmod(0o777)

    assert (
        doctor.check(str(state))[0].text
        == "other users can write to it, and can therefore act as operators (mode 0777)"
    )
