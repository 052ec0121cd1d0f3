"""The store: what is committed is there again, and nothing else."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from world import add_job, retire

from slimsched.errors import StateError
from slimsched.model.config import PartitionConf
from slimsched.model.job import Job
from slimsched.model.reservation import Reservation
from slimsched.slurm.states import COMPLETED, RUNNING
from slimsched.state import files, layout
from slimsched.state.store import Store

Submit = Callable[..., Job]


def reload(folder: str) -> Any:
    with Store.open(folder) as store:
        return store.load()


def test_a_first_command_makes_the_default_cluster(folder: str) -> None:
    cluster = reload(folder)

    assert [(n.name, n.cpus, n.sockets, n.cores_per_socket, n.real_memory) for n in cluster.nodes] == [
        (f"node0{i}", 12, 2, 6, 64000) for i in (1, 2, 3)
    ]
    assert cluster.default_partition == "debug"
    assert cluster.partitions["debug"].max_time is None
    assert cluster.config.extra_constraints
    assert time.gmtime(cluster.now)[:6] == (2026, 1, 1, 0, 0, 0)
    assert os.stat(folder).st_mode & 0o777 == 0o700


def test_a_first_command_takes_a_configuration_that_is_there(folder: str) -> None:
    os.mkdir(folder)
    Path(folder, "cluster.toml").write_text('[[nodes]]\nNodeName = "a[1-2]"\n')

    assert [node.name for node in reload(folder).nodes] == ["a1", "a2"]


def test_a_committed_job_is_there_again(folder: str) -> None:
    with Store.open(folder, write=True) as store:
        cluster = store.load()
        store.save_script(1, "#!/bin/sh\n\udcff")
        add_job(cluster)
        store.commit(cluster)
        assert (cluster.dirty_jobs, cluster.events) == (set(), [])
    with Store.open(folder) as store:
        again = store.load()

        assert again.jobs == cluster.jobs
        assert again.next_job_id == 2
        assert store.script(1) == "#!/bin/sh\n\udcff"
        assert store.script(2) is None


def test_an_exception_leaves_the_state_as_it_was(folder: str, submit: Submit) -> None:
    submit()
    with pytest.raises(KeyError), Store.open(folder, write=True) as store:
        add_job(store.load()).request.recorded["nothing"]

    assert list(reload(folder).jobs) == [1]


def test_a_command_that_changes_nothing_writes_nothing(folder: str, submit: Submit) -> None:
    submit()
    before = {path: path.stat().st_mtime_ns for path in Path(folder).rglob("*") if path.is_file()}
    with Store.open(folder, write=True) as store:
        store.commit(store.load())

    assert {path: path.stat().st_mtime_ns for path in Path(folder).rglob("*") if path.is_file()} == before


def test_nodes_partitions_and_reservations_are_there_again(folder: str) -> None:
    with Store.open(folder, write=True) as store:
        cluster = store.load()
        cluster.nodes[1].change(extra='{"load": 0.5}', state="DOWN", reason="disk")
        cluster.touch_node(cluster.nodes[1])
        cluster.add_partition(msgspec.structs.replace(cluster.partitions["debug"], state="DOWN"))
        cluster.add_partition(PartitionConf(partition_name="new", nodes="node03"))
        cluster.dirty_partitions.update({"debug", "new"})
        cluster.reservations["r"] = Reservation(name="r", nodes="node01")
        cluster.dirty_reservations.add("r")
        cluster.users["zoe"] = 70001
        cluster.statistics["passes"] = 3
        cluster.now += 60
        store.commit(cluster)
    again = reload(folder)

    assert (again.nodes[1].extra, again.nodes[1].state, again.nodes[1].reason) == ('{"load": 0.5}', "DOWN", "disk")
    assert again.nodes[0].state == "IDLE"
    assert again.partitions == cluster.partitions
    assert again.nodes[2].partitions == ["debug", "new"]
    assert again.reservations == cluster.reservations
    assert (again.users, again.statistics, again.now) == ({"zoe": 70001}, {"passes": 3}, cluster.now)


def test_deleted_partitions_and_reservations_stay_deleted(folder: str) -> None:
    with Store.open(folder, write=True) as store:
        cluster = store.load()
        cluster.reservations["r"] = Reservation(name="r")
        cluster.dirty_reservations.add("r")
        store.commit(cluster)
        del cluster.reservations["r"]
        cluster.dirty_reservations.add("r")
        cluster.drop_partition("debug")
        cluster.dirty_partitions.add("debug")
        store.commit(cluster)
    again = reload(folder)

    assert not again.reservations
    assert not again.partitions
    assert again.nodes[0].partitions == []


def test_an_edited_configuration_holds_at_once_and_voids_changes_of_partitions(folder: str) -> None:
    with Store.open(folder, write=True) as store:
        cluster = store.load()
        cluster.add_partition(PartitionConf(partition_name="new", nodes="node03"))
        cluster.dirty_partitions.add("new")
        store.commit(cluster)
    path = Path(folder, "cluster.toml")
    path.write_text(path.read_text().replace("64000", "32000"))
    with Store.open(folder, write=True) as store:
        cluster = store.load()
        assert cluster.pass_due
        cluster.pass_due = False
        store.commit(cluster)
    again = reload(folder)

    assert again.nodes[0].real_memory == 32000
    assert list(again.partitions) == ["debug"]
    assert not again.pass_due


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"state": RUNNING, "nodes": "node[02-03]"}, "job 1 is on it"),
        ({"nodelist": "node03"}, "job 1 asks for it"),
        ({"exclude": "node[01-03]"}, "job 1 avoids it"),
    ],
)
def test_a_node_that_is_needed_may_not_vanish(folder: str, submit: Submit, fields: dict[str, str], said: str) -> None:
    with Store.open(folder, write=True) as store:
        cluster = store.load()
        job = add_job(cluster)
        for name, value in fields.items():
            setattr(job if hasattr(job, name) else job.request, name, value)
        store.commit(cluster)
    path = Path(folder, "cluster.toml")
    path.write_text(path.read_text().replace("node[01-03]", "node[01-02]"))
    with pytest.raises(StateError) as caught:
        reload(folder)

    assert str(caught.value) == f"{path}: node node03 is no longer in it, but {said}"


def test_a_checkpoint_changes_nothing_to_be_seen(folder: str, submit: Submit) -> None:
    submit()
    with Store.open(folder, write=True) as store:
        cluster = store.load()
        retire(cluster, add_job(cluster, state=COMPLETED))
        store.commit(cluster)
        store.checkpoint()
        add_job(cluster)
        store.commit(cluster)
    with Store.open(folder) as store:
        assert list(store.load().jobs) == [1, 3]
        assert [job.job_id for job in store.archive.between()] == [2]
        assert [len(commit.events) for commit in store.history()] == [1, 1, 1]
    assert sorted(os.listdir(Path(folder, "data-1", "journal"))) == ["000001", "000002"]


def test_the_journal_stays_in_proportion(folder: str) -> None:
    with Store.open(folder, write=True) as store:
        cluster = store.load()
        for _ in range(400):
            add_job(cluster, state_desc="y" * 1000)
            store.commit(cluster)
    sizes = [path.stat().st_size for path in sorted(Path(folder, "data-1", "journal").iterdir())]

    assert len(sizes) > 2
    assert sizes[-1] <= max(Path(folder, "snapshot.json").stat().st_size, 1 << 17)
    assert len(reload(folder).jobs) == 400


def test_under_the_wall_clock_the_present_is_the_systems(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkdir(folder)
    Path(folder, "cluster.toml").write_text('clock = "wall"\n[[nodes]]\nNodeName = "a"\n')
    monkeypatch.setattr(time, "time", lambda: 2_000_000_000.7)
    assert reload(folder).now == 2_000_000_000
    monkeypatch.setattr(time, "time", lambda: 2_000_000_060.0)
    assert reload(folder).now == 2_000_000_060
    monkeypatch.setattr(time, "time", lambda: 5.0)
    assert reload(folder).now == 2_000_000_000


@pytest.mark.parametrize("call", ["write", "fdatasync", "open", "ftruncate"])
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EROFS, errno.EACCES])
def test_a_commit_that_fails_leaves_no_trace(folder: str, submit: Submit, failing: Any, call: str, error: int) -> None:
    submit()
    journal = Path(layout.journal(layout.data(folder, 1), 1))
    journal.write_bytes(journal.read_bytes() + b"0000")  # torn: the next writer has to cut it off
    with Store.open(folder, write=True) as store:
        cluster = store.load()
        add_job(cluster)
        with failing(call, error=error), pytest.raises(StateError) as caught:
            store.commit(cluster)
        assert caught.value.path == str(journal)
        assert caught.value.repair
    assert list(reload(folder).jobs) == [1]
    assert submit().job_id == 2


def test_a_checkpoint_that_fails_is_not_the_commands_fault(folder: str, failing: Any) -> None:
    with Store.open(folder, write=True) as store:
        cluster = store.load()
        add_job(cluster, state_desc="y" * (1 << 18))
        with failing("replace", error=errno.ENOSPC):
            store.commit(cluster)
        add_job(cluster)
        store.commit(cluster)

    assert list(reload(folder).jobs) == [1, 2]


def deep(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


UNREADABLE: list[tuple[str, object]] = [  # attribute of a job or "state" (a plugin's), value that a plugin may give it
    ("reason", None),
    ("cpus", "4"),
    ("cpus", [object()]),
    ("nodes", 5),
    ("state", 5),
    ("state", {"magic": object()}),
    ("state", {1: {(1, 2): 3}}),
    ("state", {"deep": deep(100_000)}),
]


@pytest.mark.parametrize(("attribute", "value"), UNREADABLE, ids=[f"{i} {a}" for i, (a, _) in enumerate(UNREADABLE)])
def test_what_nobody_could_read_again_is_not_written(
    folder: str, submit: Submit, attribute: str, value: object
) -> None:
    submit()
    with Store.open(folder, write=True) as store:
        cluster = store.load()
        add_job(cluster)
        if attribute == "state":
            cluster.plugin_state["select/evil"] = value  # type: ignore[assignment]
        else:
            setattr(cluster.jobs[1], attribute, value)
            cluster.touch_job(cluster.jobs[1])
        with pytest.raises(StateError, match="would contain a record that cannot be read again"):
            store.commit(cluster)

    assert list(reload(folder).jobs) == [1]
    assert submit().job_id == 2


def test_a_text_that_no_encoding_has_is_stored_readably(folder: str) -> None:
    with Store.open(folder, write=True) as store:
        cluster = store.load()
        cluster.plugin_state["select/evil"] = {"magic": "\ud800"}
        store.commit(cluster)

    assert reload(folder).plugin_state == {"select/evil": {"magic": "?"}}


def test_a_script_and_its_entry_are_on_the_disk_before_the_commit_that_counts_on_them(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def logged(name: str) -> None:
        real = getattr(files, name)

        def call(path: str, *rest: Any, **options: Any) -> Any:
            done.append(f"{name} {os.path.relpath(path, folder)}")
            return real(path, *rest, **options)

        monkeypatch.setattr(files, name, call)

    with Store.open(folder, write=True) as store:
        cluster = store.load()
        for name in ("create", "sync", "append"):
            logged(name)
        for number in (1, 2):
            add_job(cluster)
            store.save_script(number, "#!/bin/sh\n")
        store.commit(cluster)
        add_job(cluster)
        store.commit(cluster)

    assert done == [
        *("create data-1/scripts/000000/1", "create data-1/scripts/000000/2", "sync data-1/scripts/000000"),
        *("append data-1/journal/000001", "append data-1/journal/000001"),
    ]
