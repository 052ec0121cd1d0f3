"""Records with a state that there is none of: damage, found when they are read and before they are written."""

from __future__ import annotations

import msgspec
import pytest
from world import add_job

from slimsched.errors import StateError
from slimsched.model.job import Job
from slimsched.model.node import NodeState
from slimsched.slurm.states import JOB, NODE
from slimsched.state import snapshot
from slimsched.state.store import Store


def damaged(part: str) -> snapshot.Image:
    """Return a snapshot of one record whose state no command has ever set."""
    image = snapshot.Image(1, 1, 1)
    if part == "jobs":
        image.jobs[1] = msgspec.convert({"job_id": 1, "request": {}}, Job)
        image.jobs[1].state = "MOON"  # type: ignore[assignment]
    elif part == "state":
        image.nodes = {"n1": NodeState(state="MOON")}
    else:
        image.nodes = {"n1": NodeState(flags=["MOON"])}
    return image


@pytest.mark.parametrize(("part", "name"), [("jobs", "jobs"), ("state", "nodes"), ("flags", "nodes")])
def test_a_snapshot_with_an_unknown_state_is_damaged(part: str, name: str) -> None:
    with pytest.raises(StateError, match=f"is damaged in its part '{name}': Invalid enum value 'MOON'"):
        snapshot.unpack("snapshot.json", snapshot.pack(damaged(part)))


def test_an_unknown_state_is_not_written(folder: str) -> None:
    with Store.open(folder, write=True) as store:
        cluster = store.load()
        store.save_script(1, "#!/bin/sh\n")
        add_job(cluster).state = "MOON"
        with pytest.raises(StateError, match="would contain a record that cannot be read again"):
            store.commit(cluster)
    with Store.open(folder) as store:
        assert store.load().jobs == {}


@pytest.mark.parametrize(("kind", "known", "field"), [(Job, JOB, "state"), (NodeState, NODE, "state")])
def test_every_state_can_be_stored(kind: type, known: dict[str, object], field: str) -> None:
    for state in known:
        record = {"job_id": 1, "request": {}, field: state} if kind is Job else {field: state, "flags": [state]}
        assert getattr(msgspec.convert(record, kind), field) == state
