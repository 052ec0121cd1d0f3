"""Whatever commands change, the directory gives it back: snapshot plus journal is the cluster in memory."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import example, given, settings
from state_model import Model, content, steps

from slimsched.state import salvage
from slimsched.state.store import Store


@given(steps)
@example([("partition", "a", 1), ("commit", "", 0), ("reset partitions", "", 0)])
@example([("partition", "a", 1), ("reset partitions", "", 0), ("drop partition", "", 0), ("reopen", "", 0)])
@settings(max_examples=150, deadline=None)
def test_what_was_committed_is_what_is_loaded(given_steps: list[tuple[str, str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        with Store.open(folder, write=True) as store:
            model = Model(store.load())
            todo = _until_reopened(model, store, given_steps)
        while todo:
            with Store.open(folder, write=True) as store:
                loaded = store.load()
                assert content(loaded) == content(model.cluster)
                model.cluster = loaded
                todo = _until_reopened(model, store, todo)
        with Store.open(folder) as store:
            loaded = store.load()

            assert content(loaded) == content(model.cluster)
            assert {(job.job_id, job.restarts): job for job in store.archive.between()} == model.archived
            assert [event for commit in store.history() for event in commit.events] == model.events
        Path(folder, "snapshot.json").unlink()
        salvage.rebuild(folder)
        with Store.open(folder) as store:
            assert content(store.load())[0] == content(model.cluster)[0]
            assert {(job.job_id, job.restarts): job for job in store.archive.between()} == model.archived


def _until_reopened(model: Model, store: Store, todo: list[tuple[str, str, int]]) -> list[tuple[str, str, int]]:
    for place, (name, text, number) in enumerate(todo):
        if name in ("reopen", "commit"):
            store.commit(model.cluster)
        if name == "reopen":
            return todo[place + 1 :]
        if name == "checkpoint":
            store.commit(model.cluster)
            store.checkpoint()
        elif name != "commit":
            model.do(name, text, number)
    store.commit(model.cluster)
    return []
