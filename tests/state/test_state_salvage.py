"""`sim doctor --rebuild` where a part of the directory never was, is something else, or was lost for good."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from world import add_job, retire

from slimsched.errors import StateError
from slimsched.model.job import Job
from slimsched.slurm.states import COMPLETED
from slimsched.state import config, doctor, files, salvage
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

    assert salvage.rebuild(folder) == [f"{folder}: created a new cluster"]
    assert loaded(folder) == ([], 1)
    assert salvage.rebuild(folder) == []


@pytest.mark.parametrize("name", ["snapshot.json", "cluster.toml", "lock"])
def test_a_link_is_set_aside_and_not_followed(folder: str, submit: Submit, tmp_path: Path, name: str) -> None:
    submit()
    path, outside = Path(folder, name), tmp_path / "outside"
    outside.write_text("mine")
    path.unlink()
    path.symlink_to(outside)

    assert salvage.rebuild(folder)[0] == f"{path} is not a regular file; it was renamed to {path.name}.damaged-1"
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

    assert "the next job id is now 4; it was 2" in done
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

    assert any(line.endswith("snapshot.json: rebuilt, jobs: 0") for line in done)
    assert loaded(folder) == ([], 3)
    with Store.open(folder) as store:
        store.load()
        assert [job.job_id for job in store.archive.between()] == [1, 2]


def test_an_empty_folder_is_left_to_the_first_command(folder: str) -> None:
    os.mkdir(folder)

    assert salvage.rebuild(folder) == []
    assert os.listdir(folder) == []


REFUSALS = [errno.EACCES, errno.EIO, errno.EMFILE, errno.EPERM]


def tree(folder: str) -> dict[str, tuple[int, bytes]]:
    """Everything below a folder but the compiled configuration: inodes, and the content of files."""
    return {
        str(path.relative_to(folder)): (path.stat().st_ino, path.read_bytes() if path.is_file() else b"")
        for path in Path(folder).rglob("*")
        if not path.name.startswith("cluster.cache")
    }


@pytest.mark.parametrize("error", REFUSALS, ids=errno.errorcode.get)
@pytest.mark.parametrize("call", ["open", "read", "lstat", "listdir", "fstat"])
def test_what_the_system_refuses_is_no_damage(folder: str, submit: Submit, failing: Any, call: str, error: int) -> None:
    """F3: only what was read and found bad is damage. Each call of a repair fails once."""
    submit()
    before = tree(folder)
    for skip in range(200):
        with failing(call, error=error, skip=skip) as left, suppress(files.Refused):
            salvage.rebuild(folder)
        assert tree(folder) == before
        if left.skip:
            break
    assert skip > 2
    assert loaded(folder) == ([1], 2)


def damage_of_one_record(folder: str, submit: Submit) -> Path:
    """Four sound jobs, and a fifth whose record is damaged; all have scripts."""
    for number in range(1, 6):
        with Store.open(folder, write=True) as store:
            cluster = store.load()
            store.save_script(number, "#!/bin/sh\n")
            add_job(cluster)
            store.commit(cluster)
    journal = Path(folder, "data-1", "journal", "000001")
    data = bytearray(journal.read_bytes())
    data[-100] ^= 1
    journal.write_bytes(data)
    return journal


@pytest.mark.parametrize("call", ["open", "write", "replace", "fdatasync", "fsync", "mkdir", "link", "rename"])
def test_a_repair_that_the_disk_stops_loses_nothing(folder: str, submit: Submit, failing: Any, call: str) -> None:
    """F1 and F11: the same jobs, and no id twice, however often it was begun."""
    damaged = damage_of_one_record(folder, submit).read_bytes()
    shutil.copytree(folder, f"{folder}.kept")
    for skip in range(100):
        with failing(call, error=errno.ENOSPC, skip=skip) as left, suppress(StateError):
            salvage.rebuild(folder)
        salvage.rebuild(folder)
        assert loaded(folder) == ([1, 2, 3, 4], 6)
        kept = [path.read_bytes() for path in Path(folder).glob("data-*.damaged-*/journal/000001")]
        assert damaged in kept
        if left.skip:
            break
        shutil.rmtree(folder)
        shutil.copytree(f"{folder}.kept", folder)
    assert skip > 0


def test_a_lost_segment_between_others_is_said(folder: str, submit: Submit) -> None:
    for _ in range(3):
        submit()
        with Store.open(folder, write=True) as store:
            store.load()
            store.checkpoint()
    Path(folder, "snapshot.json").unlink()
    Path(folder, "data-1", "journal", "000002").unlink()

    assert f"{folder}/data-1/journal is missing what was written as commit 2" in salvage.rebuild(folder)


@pytest.mark.parametrize("kind", ["folder", "link", "fifo", "garbage"])
def test_a_bad_cache_is_only_a_cache(folder: str, submit: Submit, kind: str) -> None:
    """F3 and F12: it is never the reason why a command fails or a configuration is replaced."""
    os.mkdir(folder)
    Path(folder, "cluster.toml").write_text('[[nodes]]\nNodeName = "big[1-4]"\nCPUs = 8\n')
    submit()
    cache = Path(folder, "cluster.cache")
    cache.unlink()
    make = {"folder": cache.mkdir, "link": lambda: cache.symlink_to("/etc/passwd"), "fifo": lambda: os.mkfifo(cache)}
    make.get(kind, lambda: cache.write_text("x"))()
    submit()
    assert not list(Path(folder).glob("cluster.cache.*"))  # of one that could not be put in its place
    found = [f.path for f in doctor.check(folder) if f.status == doctor.DAMAGED]
    salvage.rebuild(folder)

    assert found in ([], [str(cache)])
    assert loaded(folder) == ([1, 2], 3)
    with Store.open(folder) as store:
        assert [node.name for node in store.load().nodes] == [f"big{number}" for number in range(1, 5)]


def test_no_bit_of_the_cache_changes_the_cluster(folder: str, submit: Submit) -> None:
    """F12"""
    submit()
    cache = Path(folder, "cluster.cache")
    good, conf = cache.read_bytes(), config.load(folder)[0]
    for at in range(0, len(good), 5):
        cache.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        assert config.load(folder)[0] == conf
        assert cache.read_bytes()[:-3] == good[:-3]  # what lies behind the last part says nothing


@pytest.mark.parametrize("name", ["000000", "000000/1"])
@pytest.mark.parametrize("kind", ["link", "fifo", "other"])
def test_what_is_no_place_for_scripts_is_found_and_set_aside(
    folder: str, submit: Submit, name: str, kind: str, tmp_path: Path
) -> None:
    """F13"""
    submit()
    with Store.open(folder, write=True) as store:
        store.load()
        store.save_script(1, "#!/bin/sh\n")
    path = Path(folder, "data-1", "scripts", name)
    path.rename(tmp_path / "moved")
    make = {"link": lambda: path.symlink_to(tmp_path / "moved"), "fifo": lambda: os.mkfifo(path)}
    make.get(kind, path.mkdir if name.endswith("/1") else path.touch)()

    assert [f.path for f in doctor.check(folder) if f.status == doctor.DAMAGED] == [str(path)]
    assert salvage.rebuild(folder) == [
        f"{path} is not a {'regular file' if name.endswith('/1') else 'directory'}; "
        f"it was renamed to {path.name}.damaged-1"
    ]
    assert loaded(folder) == ([1], 2)
    with Store.open(folder, write=True) as store:
        store.load()
        store.save_script(2, "#!/bin/sh\n")


@pytest.mark.parametrize("call", ["open", "read", "fstat", "lstat", "write", "replace", "link"])
def test_the_last_good_configuration_comes_back_or_the_bad_one_stays(
    folder: str, submit: Submit, failing: Any, call: str
) -> None:
    """A copy that may not be looked at is no reason for the default cluster."""
    os.mkdir(folder)
    path = Path(folder, "cluster.toml")
    good, bad = '[[nodes]]\nNodeName = "big[1-4]"\nCPUs = 8\n', "[[nodes"
    path.write_text(good)
    submit()
    for skip in range(100):
        path.write_text(bad)
        with failing(call, error=errno.EMFILE, skip=skip) as left, suppress(StateError):
            salvage.rebuild(folder)
        assert path.read_text() in (good, bad)
        if left.skip:
            break
    assert path.read_text() == good
    assert skip > 0
