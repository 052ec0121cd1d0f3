"""`sim replay --parquet`: the same tables, with types."""

from __future__ import annotations

import csv
import sys

import pytest

WORDS = ("replay", "t.swf", "--procs", "4", "--out", "out", "--parquet")


@pytest.fixture
def traced(sim):
    (sim.cwd / "t.swf").write_text("1 0 -1 100 3\n2 1 -1 50 4\n3 2 -1 20 9\n", encoding="ascii")
    return sim


def test_the_tables_are_those_of_the_csv(traced):
    parquet = pytest.importorskip("pyarrow.parquet")
    (traced.cwd / "changes").write_text("5 scontrol update nodename=n1 comment=x\n", encoding="ascii")
    traced(*WORDS, "--events", "changes")

    for name in ("jobs", "nodes"):
        with open(traced.cwd / "out" / f"{name}.csv", encoding="ascii", newline="") as lines:
            wanted = list(csv.DictReader(lines))
        found = parquet.read_table(traced.cwd / "out" / f"{name}.parquet")
        assert [{key: str(value) for key, value in row.items()} for row in found.to_pylist()] == wanted
        assert len(wanted) > 0
    assert str(parquet.read_schema(traced.cwd / "out" / "jobs.parquet").field("start").type) == "int64"


def test_without_pyarrow(traced, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    said = "sim: error: --parquet needs pyarrow: pip install 'slimsched[frames]'; --out DIR alone writes CSV\n"
    assert traced.run(*WORDS) == (1, "", said)
    assert not (traced.cwd / "out").exists()


def test_without_a_folder(traced):
    assert traced.run("replay", "t.swf", "--procs", "4", "--parquet") == (
        1, "", "sim: error: --parquet goes with --out DIR\n"
    )  # fmt: skip
