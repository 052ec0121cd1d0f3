"""Jobs whose records are read when they are asked for are the jobs that reading all at once gives."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from world import add_job

from slimsched.errors import StateError
from slimsched.model.cluster import Cluster
from slimsched.model.job import Job
from slimsched.slurm.states import PENDING, RUNNING
from slimsched.state import doctor, frames, journal, layout, snapshot
from slimsched.state.store import Store

CHANGES = ["submit", "array", "component", "start", "end", "rename", "plan", "drop", "checkpoint"]
changes = st.lists(st.tuples(st.sampled_from(CHANGES), st.integers(0, 9)), min_size=3, max_size=25)
looks = st.lists(
    st.tuples(st.sampled_from(["one", "begun", "planned", "related", "all", "copy"]), st.integers(1, 20)), max_size=8
)


def change(store: Store, cluster: Cluster, what: str, number: int) -> None:
    """Do one thing to a cluster and commit it."""
    ids = list(cluster.jobs)
    if what == "submit" or not ids:
        add_job(cluster, state_desc='a"\n\u2028,"state":"' * number)
    elif what in ("array", "component"):
        job = add_job(cluster, state_desc=what)
        job.array_job_id, job.array_tasks = (ids[-1], "0-3") if what == "array" else (0, "")
        job.het_job_id, job.het_size = (ids[0], 2) if what == "component" else (0, 0)
    elif what == "drop":
        cluster.gone_jobs.append(cluster.jobs.pop(ids[number % len(ids)]))
    elif what != "checkpoint":
        job = cluster.jobs[ids[number % len(ids)]]
        if what == "rename":
            job.request.name = f"job {number}"
        elif what == "plan":
            job.planned = number > 4
        else:
            job.state = RUNNING if what == "start" else PENDING
        cluster.touch_job(job)
    store.commit(cluster)
    if what == "checkpoint":
        store.checkpoint()


def whole(folder: str) -> dict[int, Job]:
    """Return the jobs of a directory, every record of the snapshot and of the journal read at once."""
    path = layout.snapshot(folder)
    image = snapshot.unpack(path, Path(path).read_bytes())
    for commit in journal.Segment(layout.journal(layout.data(folder, 1), image.segment)).read():
        journal.apply(image, commit)
    return dict(image.jobs)


def look(cluster: Cluster, how: str, number: int) -> Any:
    if how == "one":
        return cluster.jobs.get(number), number in cluster.jobs, len(cluster.jobs), list(cluster.jobs)
    if how in ("begun", "planned"):
        return cluster.begun() if how == "begun" else cluster.planned()
    if how == "related":
        return cluster.related({number, number + 3})
    return list(cluster.jobs.items()) if how == "all" else dict(cluster.jobs)


@given(changes, looks)
@settings(max_examples=120, deadline=None)
def test_what_is_read_when_it_is_asked_for_is_what_was_written(
    done: list[tuple[str, int]], asked: list[tuple[str, int]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with Store.open(folder, write=True) as store:
            cluster = store.load()
            for what, number in done[: len(done) // 2]:
                change(store, cluster, what, number)
        with Store.open(folder, write=True) as store:  # what follows changes jobs that nobody has read
            cluster = store.load()
            for what, number in done[len(done) // 2 :]:
                change(store, cluster, what, number)
        with Store.open(folder) as store:
            unread, known = store.load(), Cluster(cluster.config)
            known.jobs = whole(folder)

            for how, number in asked:
                assert look(unread, how, number) == look(known, how, number)
            assert snapshot.unpack("again", snapshot.pack(store._image)).jobs == known.jobs
            assert unread.jobs == known.jobs == dict(unread.jobs)


def test_a_job_that_waits_stays_unread_until_it_is_asked_for(tmp_path: Path) -> None:
    folder = str(tmp_path / "state")
    with Store.open(folder, write=True) as store:
        cluster = store.load()
        for state in (PENDING, RUNNING, PENDING, PENDING):
            add_job(cluster).state = state
        store.commit(cluster)
        store.checkpoint()
        add_job(cluster)
        store.commit(cluster)
    with Store.open(folder) as store:
        jobs = store.load().jobs

        def unread() -> list[int]:
            return [job_id for job_id, record in dict.items(jobs) if not isinstance(record, Job)]

        assert unread() == [1, 3, 4, 5]
        assert jobs[4] is jobs.get(4) is jobs[4]
        assert unread() == [1, 3, 5]
        assert jobs.pop(3).job_id == 3
        assert [job.job_id for job in jobs.values()] == [1, 2, 4, 5]
        assert unread() == []


BAD = {
    "another type": b'{"job_id":1,"request":{},"priority":"much"}',
    "no request": b'{"job_id":1}',
    "broken": b'{"job_id":1,"request":{}',
}


def spoilt(folder: str, record: bytes, place: str) -> None:
    """Make a directory with two jobs, the record of the first being ``record``, with right check sums all over."""
    with Store.open(folder, write=True) as store:
        cluster = store.load()
        add_job(cluster)
        add_job(cluster)
        store.commit(cluster)
        if place == "snapshot":
            store._image.jobs[1] = msgspec.Raw(record)  # type: ignore[assignment]
            store.checkpoint()
        else:
            commit = b'{"seq":%d,"meta":{"next_job_id":3},"jobs":[%s]}' % (store._image.seq + 1, record)
            with open(store._segment.path, "ab") as file:
                file.write(frames.pack(commit))


def ask(folder: str) -> None:
    """Look for a job whose record is sound, then for the other one."""
    with Store.open(folder) as store:
        jobs = store.load().jobs
        assert jobs[2].job_id == 2
        jobs.get(1)


@pytest.mark.parametrize("record", BAD.values(), ids=BAD)
@pytest.mark.parametrize("place", ["snapshot", "journal"])
def test_a_record_that_cannot_be_read_is_reported_as_if_all_were_read(
    place: str, record: bytes, tmp_path: Path
) -> None:
    folder = str(tmp_path / "state")
    spoilt(folder, record, place)

    with pytest.raises(StateError) as expected:
        whole(folder)
    with pytest.raises(StateError) as found:
        ask(folder)

    assert str(found.value) == str(expected.value)
    assert doctor.DAMAGED in [finding.status for finding in doctor.check(folder)]


@pytest.mark.parametrize("index", [[2, 0], [1], [-1, -1, 1, 1], [1, 10**9, 2, 5], [7, 5, 0, 3], []], ids=str)
def test_an_index_that_does_not_fit_is_not_used(index: list[int], tmp_path: Path) -> None:
    folder = str(tmp_path / "state")
    with Store.open(folder, write=True) as store:
        cluster = store.load()
        add_job(cluster, state_desc="one")
        add_job(cluster, state_desc="two")
        store.commit(cluster)
        store.checkpoint()
    path = Path(layout.snapshot(folder))
    head, parts, _ = snapshot.documents.unpack(str(path), path.read_bytes(), snapshot.Head)
    head.jobs = index
    path.write_bytes(snapshot.documents.pack(head, {name: bytes(part) for name, part in parts.items()}))

    with Store.open(folder) as store:
        assert [job.state_desc for job in store.load().jobs.values()] == ["one", "two"]


def test_an_index_that_names_other_jobs_is_damage(tmp_path: Path) -> None:
    folder = str(tmp_path / "state")
    with Store.open(folder, write=True) as store:
        cluster = store.load()
        add_job(cluster)
        store.commit(cluster)
        store.checkpoint()
    path = Path(layout.snapshot(folder))
    head, parts, _ = snapshot.documents.unpack(str(path), path.read_bytes(), snapshot.Head)
    head.jobs[0] = 5
    path.write_bytes(snapshot.documents.pack(head, {name: bytes(part) for name, part in parts.items()}))

    with Store.open(folder) as store, pytest.raises(StateError, match="its head does not say where the jobs are"):
        store.load().jobs.get(5)
