"""The checkpoint of a replay that was interrupted: the cluster as a state directory, and the replay's own records."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from slimsched.controller.core import Controller
from slimsched.errors import UserError
from slimsched.replay.trace import TraceJob
from slimsched.state import exchange, files, setup
from slimsched.state.store import Store

if TYPE_CHECKING:
    from slimsched.replay.driver import Replay

STATE, PROGRESS = "state", "replay.json"


def write(folder: str, replay: Replay, options: Mapping[str, Any], sizes: Mapping[str, int]) -> None:
    """Write a checkpoint over an older one; ``sizes``: file -> the bytes of it that belong to the checkpoint."""
    cluster, state = replay.ctl.cluster, os.path.join(folder, STATE)
    files.make_folder(folder)
    setup.create(state, cluster.config, force=True)
    replay.ctl.shut_down()
    with Store.open(state, write=True) as store:
        store.load()
        exchange.mark_all(cluster)
        store.commit(cluster)
    progress = {
        "options": options,
        "sizes": sizes,
        "changed": replay.changes.done if replay.changes else 0,
        "submitted": replay.submitted,
        "cut": replay.cut,
        "refusals": replay.refusals,
        "here": replay.here,
        "refused": list(replay.refused),
        "promised": replay.promised,
    }
    files.replace(os.path.join(folder, PROGRESS), json.dumps(progress).encode())


def restore(folder: str, replay: Replay, options: Mapping[str, Any]) -> dict[str, int]:
    """Put a replay where a checkpoint was written; return the bytes of each file that belong to it."""
    data = files.read(os.path.join(folder, PROGRESS))
    if data is None:
        raise UserError(f"{folder}: no checkpoint to resume")
    try:
        progress = json.loads(data)
        other = [name for name, value in options.items() if progress["options"].get(name) != value]
        if other:
            raise UserError(f"{folder}: the checkpoint is of another replay: {other[0]} differs")
        here = {int(key): _job(values) for key, values in progress["here"].items()}
        refused = [_job(values) for values in progress["refused"]]
        promised = {int(key): int(value) for key, value in progress["promised"].items()}
        refusals = {str(key): int(value) for key, value in progress["refusals"].items()}
        sizes = {str(key): int(value) for key, value in progress["sizes"].items()}
        submitted, cut, changed = (int(progress[name]) for name in ("submitted", "cut", "changed"))
    except (ValueError, TypeError, KeyError, AttributeError):
        raise UserError(f"{folder}: the checkpoint is damaged") from None
    with Store.open(os.path.join(folder, STATE)) as store:
        cluster = store.load()
    replay.take_over(Controller(cluster))
    replay.here, replay.promised, replay.refusals = here, promised, refusals
    replay.refused.extend(refused)
    replay.submitted, replay.cut = submitted, cut
    replay.nodes.clear()
    if replay.changes:
        replay.changes.done = changed
    return sizes


def _job(values: list[Any]) -> TraceJob:
    *fields, words = values
    if not all(isinstance(value, int | str) for value in fields) or not all(isinstance(word, str) for word in words):
        raise ValueError
    return TraceJob._make([*fields, tuple(words)])
