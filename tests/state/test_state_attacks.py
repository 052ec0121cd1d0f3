"""A state directory that somebody tampered with, or that cannot be used: an error that names file and way out."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from slimsched.errors import StateError
from slimsched.model.job import Job
from slimsched.state import default, files, frames, layout, salvage, setup
from slimsched.state.store import Store

Submit = Callable[..., Job]
STATE_FILES = ["lock", "cluster.toml", "snapshot.json", "data-1/journal/000001", "data-1/scripts/000000/1"]
FOLDERS = ["data-1", "data-1/journal", "data-1/archive", "data-1/scripts"]


def use(folder: str) -> None:
    """Do what a submission does."""
    with Store.open(folder, write=True) as store:
        cluster = store.load()
        store.save_script(1, "#!/bin/sh\n")
        cluster.now += 1
        store.commit(cluster)


@pytest.fixture
def state(folder: str) -> Path:
    use(folder)
    return Path(folder)


@pytest.mark.parametrize("name", STATE_FILES)
@pytest.mark.parametrize("kind", ["link", "dangling link", "fifo", "folder", "socket"])
def test_only_regular_files_are_opened(state: Path, tmp_path: Path, name: str, kind: str) -> None:
    path, outside = state / name, tmp_path / "outside"
    outside.write_bytes(path.read_bytes())
    path.unlink()
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        here = os.getcwd()
        os.chdir(path.parent)  # a socket's path may have no more than 107 characters
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
        os.chdir(here)
    else:
        path.symlink_to(outside if kind == "link" else tmp_path / "nowhere")
    before = outside.read_bytes()
    with pytest.raises(StateError) as caught:
        use(str(state))

    assert caught.value.path == str(path)
    assert caught.value.repair
    assert outside.read_bytes() == before
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.parametrize("name", [*FOLDERS, "data-1/scripts/000000"])
def test_folders_that_are_links_are_not_followed(state: Path, tmp_path: Path, name: str) -> None:
    (state / name).rename(tmp_path / "outside")
    (state / name).symlink_to(tmp_path / "outside")
    with pytest.raises(StateError, match="is a symbolic link, which is not followed"):
        use(str(state))


def test_the_directory_itself_may_be_a_link(state: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(state)

    use(str(tmp_path / "link"))


def test_temporary_files_that_are_links_are_not_followed(state: Path, tmp_path: Path) -> None:
    (state / "snapshot.json.new").symlink_to(tmp_path / "outside")
    with Store.open(str(state), write=True) as store:
        store.load()
        with pytest.raises(StateError, match="symbolic link"):
            store.checkpoint()

    assert not (tmp_path / "outside").exists()


@pytest.mark.parametrize("name", ["cluster.toml", "snapshot.json", "data-1/journal/000001"])
def test_files_without_end_are_refused(state: Path, name: str) -> None:
    os.truncate(state / name, files.LIMIT + 1)
    with pytest.raises(StateError, match="too large for a state file"):
        use(str(state))


@pytest.mark.parametrize("name", ["a b", "a\nb", "-x", "ü", "'\"$(x)"])
def test_strange_paths_work(tmp_path: Path, name: str) -> None:
    use(str(tmp_path / name / "state"))

    assert (tmp_path / name / "state" / "snapshot.json").exists()


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("file", "a part of the path is not a directory"),
        ("file/state", "a part of the path is not a directory"),
        ("x" * 300, "the path is too long"),
        ("/".join(["x" * 200] * 30), "the path is too long"),
        ("nul\0", "the path contains a NUL character"),
    ],
)
def test_impossible_paths(tmp_path: Path, path: str, problem: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StateError) as caught:
        use(f"{tmp_path}/{path}")

    assert problem in str(caught.value)
    assert "--state" in caught.value.repair


def test_a_directory_of_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_text("")
    with pytest.raises(StateError, match=r"is not a state directory: it holds 'photo\.jpg'"):
        use(str(tmp_path))

    assert os.listdir(tmp_path) == ["photo.jpg"]


def test_nothing_of_others_is_ever_removed(tmp_path: Path) -> None:
    """Not by force either, and not if it has a name that we use."""
    mine = ["data-1/results", "data-2/journal/000001", "data-7/x", "lock", "x.new"]
    for name in mine:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("mine")
    with pytest.raises(StateError, match="is not a state directory: it holds 'data-1'"):
        setup.create(str(tmp_path), default.cluster(), force=True)
    (tmp_path / "cluster.toml").write_text("")
    setup.create(str(tmp_path), default.cluster(), force=True)
    salvage.rebuild(str(tmp_path))

    kept = [name for name in mine if (tmp_path / name).exists() and (tmp_path / name).read_text() == "mine"]
    assert kept == ["data-1/results", "data-7/x", "lock", "x.new"]
    assert (tmp_path / "data-8").is_dir()


FOREIGN = [b"", b"{}", b"[]\n", b"\x89PNG\r\n\x1a\n\0\0", b"00000002 bf1de2cb {}\n", b"x" * 100_000, b"[" * 100_000]


@pytest.mark.parametrize("content", FOREIGN)
@pytest.mark.parametrize("name", ["snapshot.json", "data-1/journal/000001"])
def test_foreign_files(state: Path, name: str, content: bytes) -> None:
    (state / name).write_bytes(content)
    with pytest.raises(StateError) as caught:
        use(str(state))

    assert caught.value.path == str(state / name)
    assert caught.value.repair == "run: sim doctor --rebuild"


@pytest.mark.parametrize("content", [b"\xff", b"x", b"a = [" + b"[" * 100_000, b"\0", b"nodes = 1", b"1" * 10_000_000])
def test_foreign_configurations(state: Path, content: bytes) -> None:
    (state / "cluster.toml").write_bytes(content)
    with pytest.raises(StateError) as caught:
        use(str(state))

    assert caught.value.path == str(state / "cluster.toml")
    assert len(str(caught.value)) < 1000


def test_a_damaged_cache_does_no_harm(state: Path) -> None:
    cache = state / "cluster.cache"
    for content in (b"", b"x", cache.read_bytes()[:-1], cache.read_bytes() + b"x"):
        cache.write_bytes(content)
        use(str(state))


@pytest.mark.parametrize("name", ["snapshot.json", "data-1/journal/000001"])
def test_a_lost_file_is_not_taken_for_a_new_cluster(state: Path, name: str) -> None:
    (state / name).unlink()
    with pytest.raises(StateError, match="is missing"):
        use(str(state))


@pytest.mark.parametrize("error", [errno.EACCES, errno.EROFS, errno.EPERM])
def test_a_directory_that_may_only_be_read_can_be_read(state: Path, failing: Any, error: int) -> None:
    (state / "lock").unlink()
    (state / "cluster.cache").unlink()
    real = os.open

    def read_only(path: str, flags: int, mode: int = 0o777) -> int:
        if flags & (os.O_CREAT | os.O_WRONLY | os.O_RDWR):
            raise OSError(error, os.strerror(error))
        return real(path, flags, mode)

    with failing(error=error):
        files.os.open = read_only  # type: ignore[method-assign]
        with Store.open(str(state)) as store:
            assert store.load().now
        with pytest.raises(StateError) as caught, Store.open(str(state), write=True):
            pass
    assert caught.value.path == str(state / "lock")


def test_every_file_is_private(state: Path) -> None:
    os.umask(0)
    try:
        use(str(state))
        with Store.open(str(state), write=True) as store:
            store.load()
            store.checkpoint()
    finally:
        os.umask(0o022)

    assert {path.stat().st_mode & 0o077 for path in state.rglob("*")} == {0}


def test_scripts_lie_a_thousand_to_a_folder() -> None:
    assert layout.script("data", 1_234_567) == "data/scripts/001234/1234567"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_what_root_makes_in_a_users_directory_is_the_users(sim: Any) -> None:
    sim.state.mkdir()
    os.chown(sim.state, 65534, 65534)
    sim("sbatch --wrap true")
    for path in (sim.state, *sim.state.rglob("*")):
        assert (path.stat().st_uid, path.stat().st_gid) == (65534, 65534), path


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_root_gives_no_file_away_that_was_there(sim: Any) -> None:
    """It could be a second name of a file of somebody else."""
    sim.state.mkdir()
    (sim.state / "lock").touch()
    os.chown(sim.state, 65534, 65534)
    sim("sbatch --wrap true")
    assert (sim.state / "lock").stat().st_uid == 0


DEEP = b'{"seq":1,"meta":' + b'{"plugins":{"x":' + b"[" * 5000 + b"]" * 5000 + b"}}}"


@pytest.mark.parametrize("name", ["journal/000001", "snapshot.json", "cluster.cache", "archive/index.json"])
def test_json_that_is_nested_a_thousand_deep(sim: Any, name: str) -> None:
    """With the right check sums: somebody meant it so."""
    sim("sbatch --wrap true")
    path = sim.state / ("data-1" if "/" in name else "") / name
    whole = path.read_bytes() if path.exists() else b""
    path.write_bytes(
        {"journal/000001": whole + frames.pack(DEEP), "archive/index.json": DEEP}.get(name, frames.pack(DEEP))
    )
    for command in ("squeue", "sbatch --wrap true", "sacct", "doctor", "doctor --rebuild", "squeue"):
        answer = sim.run(command)
        assert answer.code in (0, 1, 2), command
    assert answer.code == 0
