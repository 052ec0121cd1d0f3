"""The archive: by id from one file, by time from few, each run of a job once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from world import add_job

from slimsched.errors import StateError
from slimsched.model.job import Job
from slimsched.model.request import JobRequest
from slimsched.slurm.states import COMPLETED
from slimsched.state import files
from slimsched.state.archive import Archive


def job(job_id: int, start: int = 0, end: int = 10, restarts: int = 0) -> Job:
    return Job(job_id=job_id, request=JobRequest(), submit_time=start, end_time=end, restarts=restarts, state=COMPLETED)


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    files.make_folder(str(tmp_path / "data" / "archive"))
    made = Archive(str(tmp_path / "data"))
    for number in range(4):
        made.waiting = [job(1000 * number + i, 100 * number + i, 100 * number + 50) for i in (1, 2)]
        made.store()
    return Archive(made.data)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are read, as they are read."""
    seen: list[str] = []
    real = files.open_file

    def open_file(path: str, *args: Any) -> int:
        seen.append(Path(path).name)
        return real(path, *args)

    monkeypatch.setattr(files, "open_file", open_file)
    return seen


def test_by_id_one_file_is_read(archive: Archive, opened: list[str]) -> None:
    assert archive.get(2001) == [job(2001, 201, 250)]
    assert archive.get(2003) == []
    assert opened == ["000002", "index.json", "000002"]
    assert [j.job_id for j in archive.some([1, 3002, 2, 77])] == [1, 2, 3002]
    assert opened[3:] == ["000000", "000003"]


@pytest.mark.parametrize(
    ("start", "end", "ids", "read"),
    [
        (0, 1000, [1, 2, 1001, 1002, 2001, 2002, 3001, 3002], 4),
        (160, 230, [2001, 2002], 1),
        (0, 101, [1, 2, 1001], 2),
        (350, 350, [3001, 3002], 1),
        (51, 100, [], 0),
        (400, 900, [], 0),
    ],
)
def test_by_time_other_files_are_skipped(
    archive: Archive, opened: list[str], start: int, end: int, ids: list[int], read: int
) -> None:
    assert [j.job_id for j in archive.between(start, end)] == ids
    assert len(opened) == read + 1  # and the index


def test_what_waits_counts(archive: Archive) -> None:
    archive.waiting = [job(3003, 500, 600), job(9001, 700, 800)]

    assert [j.job_id for j in archive.between(550, 750)] == [3003, 9001]
    assert archive.get(9001)
    assert archive.get(3003)


def test_what_a_crash_wrote_twice_counts_once_and_each_restart_by_itself(archive: Archive) -> None:
    archive.waiting = [job(1, 1, 50), job(1, 1, 70, restarts=1), job(2, 2, 50)]
    archive.store()

    assert [(j.job_id, j.restarts, j.end_time) for j in archive.between(0, 99)] == [(1, 0, 50), (1, 1, 70), (2, 0, 50)]
    assert [j.restarts for j in archive.get(1)] == [0, 1]


def test_without_an_index_all_files_are_read(archive: Archive) -> None:
    path = Path(archive.index_path)
    whole = path.read_bytes()
    for content in (b"nonsense", whole.replace(b"200", b"201"), whole[:-1], None):
        path.unlink() if content is None else path.write_bytes(content)
        archive = Archive(archive.data)
        assert [j.job_id for j in archive.between(160, 230)] == [2001, 2002]
        assert list(archive.faults) == ([str(path)] if content else [])


def test_the_index_is_json_and_that_of_format_1_is_still_read(archive: Archive) -> None:
    path = Path(archive.index_path)
    found = archive.index()
    assert json.loads(path.read_bytes())["files"] == {str(block): list(span) for block, span in found.items()}
    path.write_text(json.dumps({block: span[:2] for block, span in found.items()}))
    old = Archive(archive.data)
    assert old.index() == {block: (first, last, 0) for block, (first, last, _) in found.items()}
    assert old.faults == {}


@pytest.mark.parametrize("left", [0, 30, -1, None])
def test_a_file_that_was_cut_short_is_said(archive: Archive, left: int | None) -> None:
    path = Path(archive.data, "archive", "000001")
    path.unlink() if left is None else path.write_bytes(path.read_bytes()[:left])
    archive.waiting = [job(1003)]

    assert len(archive.get(1001)) <= 1
    problem = f"{path}: is {'missing' if left is None else 'shorter than it was'}: finished jobs are missing"
    assert [str(fault) for fault in archive.faults.values()] == [problem]
    with pytest.raises(StateError):
        archive.store()  # what is missing would not be noticed afterwards
    again = Archive(archive.data)
    assert [j.job_id for j in again.between(100)][-1] == 3002
    assert list(again.faults) == [str(path)]


def test_a_torn_end_is_overwritten_and_damage_is_an_error(archive: Archive) -> None:
    path = Path(archive.data, "archive", "000001")
    whole = path.read_bytes()
    path.write_bytes(whole + b"00000")
    assert len(archive.get(1001)) == 1
    archive.waiting = [job(1003)]
    archive.store()
    assert path.read_bytes().startswith(whole)
    assert len(archive.block(1)) == 3
    path.write_bytes(whole.replace(b'"end_time":150', b'"end_time":151', 1))
    with pytest.raises(StateError, match="000001: is damaged at byte"):
        archive.get(1002)


def test_a_job_archived_by_a_commit_is_found_before_and_after_the_checkpoint(
    folder: str, submit: Callable[..., Job]
) -> None:
    from slimsched.state.store import Store

    submit(state=COMPLETED, end_time=5)
    with Store.open(folder, write=True) as store:
        cluster = store.load()
        cluster.gone_jobs.append(msgspec.structs.replace(cluster.jobs[1], end_time=9))  # a run that was requeued
        cluster.jobs[1].restarts = 1
        cluster.touch_job(cluster.jobs[1])
        add_job(cluster)
        store.commit(cluster)
        for _ in range(2):
            assert [(j.end_time, j.restarts) for j in store.archive.get(1)] == [(9, 0)]
            store.checkpoint()
    with Store.open(folder) as store:
        assert sorted(store.load().jobs) == [1, 2]
        assert len(store.archive.get(1)) == 1
