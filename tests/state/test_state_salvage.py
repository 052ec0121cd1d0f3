"""`sim doctor --rebuild` where a part of the directory never was, is something else, or was lost for good."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from world import add_job, retire

from slimsched.model.job import Job
from slimsched.slurm.states import COMPLETED
from slimsched.state import doctor, salvage
from slimsched.state.store import Store

Submit = Callable[..., Job]


def loaded(folder: str) -> tuple[list[int], int]:
    """Return the live jobs and the next id, of a directory without damage."""
    assert [f.text for f in doctor.check(folder) if f.status == doctor.DAMAGED] == []
    with Store.open(folder) as store:
        cluster = store.load()
        return list(cluster.jobs), cluster.next_job_id


def test_a_configuration_alone_becomes_a_cluster(folder: str) -> None:
    os.mkdir(folder)
    Path(folder, "cluster.toml").write_text('[[nodes]]\nNodeName = "a[1-2]"\n')

    assert salvage.rebuild(folder) == [f"{folder}: made a new cluster"]
    assert loaded(folder) == ([], 1)
    assert salvage.rebuild(folder) == []


@pytest.mark.parametrize("name", ["snapshot.json", "cluster.toml", "lock"])
def test_a_link_is_set_aside_and_not_followed(folder: str, submit: Submit, tmp_path: Path, name: str) -> None:
    submit()
    path, outside = Path(folder, name), tmp_path / "outside"
    outside.write_text("mine")
    path.unlink()
    path.symlink_to(outside)

    assert salvage.rebuild(folder)[0] == f"{path} is no regular file; it is {path.name}.damaged-1 now"
    assert loaded(folder) == ([1], 2)
    assert outside.read_text() == "mine"


def test_an_id_whose_commit_was_lost_is_not_given_again(folder: str, submit: Submit) -> None:
    """The script of a job is written before its commit: it tells of the id."""
    submit()
    with Store.open(folder, write=True) as store:
        cluster = store.load()
        for number in (2, 3):
            store.save_script(number, "#!/bin/sh\n")
            add_job(cluster)
        store.commit(cluster)
    journal = Path(folder, "data-1", "journal", "000001")
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([*lines[:-1], b"x" + lines[-1][1:]]))
    done = salvage.rebuild(folder)

    assert "the next job id is 4 now, it was 2" in done
    assert loaded(folder) == ([1], 4)


def test_finished_jobs_are_kept_when_snapshot_and_archive_are_lost(folder: str) -> None:
    with Store.open(folder, write=True) as store:
        cluster = store.load()
        for _ in range(2):
            retire(cluster, add_job(cluster, state=COMPLETED, end_time=cluster.now))
            store.commit(cluster)
            store.checkpoint()
    Path(folder, "snapshot.json").unlink()
    Path(folder, "data-1", "archive", "000000").unlink()
    done = salvage.rebuild(folder)

    assert any(line.endswith("snapshot.json: made again, jobs: 0") for line in done)
    assert loaded(folder) == ([], 3)
    with Store.open(folder) as store:
        store.load()
        assert [job.job_id for job in store.archive.between()] == [1, 2]


def test_an_empty_folder_is_left_to_the_first_command(folder: str) -> None:
    os.mkdir(folder)

    assert salvage.rebuild(folder) == []
    assert os.listdir(folder) == []
