"""Stored formats: version 1 can be read for ever, a newer one is refused, an older one is brought up to date."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

from slimsched.errors import StateError
from slimsched.model.config import Config
from slimsched.model.job import Job
from slimsched.state import doctor, documents, formats, frames
from slimsched.state.records import Head, Recorded
from slimsched.state.snapshot import PARTS
from slimsched.state.store import Store

OLD = Path(__file__).parent.parent / "data" / "state-v1"


@pytest.fixture
def state(folder: str) -> Path:
    return Path(shutil.copytree(OLD, folder))


def use(state: Path) -> None:
    with Store.open(str(state), write=True) as store:
        cluster = store.load()
        cluster.now += 1
        store.commit(cluster)


def test_version_1_loads(state: Path) -> None:
    with Store.open(str(state)) as store:
        cluster = store.load()
        archived = list(store.archive.between())
        events = [event for commit in store.history() for event in commit.events]
        scripts = [store.script(job_id) for job_id in (1, 2)]

    assert {i: (j.state, j.request.name, j.request.extra, j.nodes, j.cpus) for i, j in cluster.jobs.items()} == {
        2: ("RUNNING", "second", "load<0.5", "node02", [2]),
        3: ("PENDING", "third", None, "", []),
    }
    assert [(j.job_id, j.state, j.end_time) for j in archived] == [(1, "COMPLETED", 1767225660)]
    assert (cluster.now, cluster.next_job_id, cluster.users) == (1767226260, 4, {"zoe": 70001})
    assert (cluster.nodes[1].extra, cluster.nodes[2].state) == ('{"load": 0.3}', "DOWN")
    assert cluster.partitions["debug"].state == "DOWN"
    assert cluster.reservations["r1"].nodes == "node03"
    assert [event["event"] for event in events] == ["submit", "submit", "submit", "purge"]
    assert scripts == ["#!/bin/sh\nsleep 60\n", None]
    assert [f for f in doctor.check(str(state)) if f.status == doctor.DAMAGED] == []


def test_version_1_can_be_worked_with(state: Path) -> None:
    use(state)
    with Store.open(str(state), write=True) as store:
        store.load()
        store.checkpoint()
        store.load()

    assert [f for f in doctor.check(str(state)) if f.status == doctor.DAMAGED] == []


@pytest.mark.parametrize("name", ["snapshot.json", "data-1/journal/000002"])
def test_a_newer_format_is_refused(state: Path, name: str) -> None:
    newer = documents.pack(documents.Head(slimsched=3), {"new": b"[]"})
    (state / name).write_bytes(frames.pack(b'{"slimsched":3}') if "journal" in name else newer)
    with pytest.raises(StateError) as caught:
        use(state)

    assert str(caught.value) == f"{state / name}: has state format 3; this slimsched reads formats up to 2"
    assert caught.value.repair.startswith("install a newer slimsched")


def test_a_format_that_never_was(state: Path) -> None:
    (state / "snapshot.json").write_bytes(frames.pack(b'{"slimsched":0}'))
    with pytest.raises(StateError, match="state format 0, which never existed"):
        use(state)


def shouting(name: str, value: Any) -> Any:
    """A step to a format in which job names are in capitals."""
    jobs = {"jobs": [value], "job": [value], "commit": [*value.get("jobs", []), *value.get("gone", [])]}
    for job in jobs.get(name, []) if isinstance(value, dict) else []:
        job["request"]["name"] = job["request"]["name"].upper()
    return value


def names(jobs: list[Job]) -> list[str]:
    return [job.request.name for job in jobs]


def test_an_older_format_is_brought_up_to_date_at_the_first_write(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (state / "snapshot.json").read_bytes()
    monkeypatch.setattr(formats, "FORMAT", 3)
    monkeypatch.setattr(formats, "STEPS", {**formats.STEPS, 2: shouting})
    with Store.open(str(state)) as store:
        assert names(list(store.load().jobs.values())) == ["SECOND", "THIRD"]
        assert names(list(store.archive.between())) == ["FIRST"]
    assert (state / "snapshot.json").read_bytes() == before
    use(state)
    with Store.open(str(state), write=True) as store:
        cluster = store.load()
        assert names(list(cluster.jobs.values())) == ["SECOND", "THIRD"]
        cluster.gone_jobs.append(cluster.jobs.pop(2))
        store.commit(cluster)
        store.checkpoint()
        assert names(list(store.archive.between())) == ["FIRST", "SECOND"]
        assert len(list(store.history())) == 6

    assert (state / "snapshot.json.format-1").read_bytes() == before
    assert json.loads((state / "snapshot.json").read_bytes())["head"]["slimsched"] == 3
    assert (state / "data-1/archive/000000").read_bytes().count(b"FIRST") == 1


@pytest.mark.parametrize("kind", [Recorded, Head, Config, *PARTS.values()])
def test_types_of_stored_fields_are_no_text_that_msgspec_would_have_to_compile(kind: Any) -> None:
    met: set[type] = set()
    ahead = [kind]
    while ahead:
        part = ahead.pop()
        ahead += get_args(part)
        if isinstance(part, type) and issubclass(part, msgspec.Struct) and part not in met:
            met.add(part)
            fields = [value for base in part.__mro__ for value in vars(base).get("__annotations__", {}).values()]
            assert [value for value in fields if isinstance(value, str)] == [], part
            ahead += fields

    assert met or kind not in {Recorded, Head, Config}
