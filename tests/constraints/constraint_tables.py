"""Node tables and data files for the tests of this room."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from slimsched.constraints.columns import ExtraData, NodeTable, column

DATA = Path(__file__).parent.parent / "data"


def rows(name: str) -> list[Any]:
    lines = (DATA / name).read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def table(extras: Sequence[str | None] = (), features: Sequence[Sequence[str]] = ()) -> NodeTable:
    count = max(len(extras), len(features))
    held = column((name, i) for i, names in enumerate(features) for name in names)
    hosts = column((f"n{i}", i) for i in range(count))
    ranks = column((i, i) for i in range(count))
    sources = {
        "extra": ExtraData(extras).column,
        "features": lambda _: held,
        "nodes": lambda key: hosts if key == "host" else ranks,
    }
    return NodeTable(count, sources)


def flux_table(nodes: Sequence[tuple[int, str, list[str]]]) -> NodeTable:
    data = {
        "rank": column((rank, i) for i, (rank, _, _) in enumerate(nodes)),
        "host": column((host, i) for i, (_, host, _) in enumerate(nodes)),
        "": column((name, i) for i, (_, _, held) in enumerate(nodes) for name in held),
    }
    return NodeTable(len(nodes), {"features": data.__getitem__, "nodes": data.__getitem__})
