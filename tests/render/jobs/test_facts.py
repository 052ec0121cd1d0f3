"""One row of squeue's table is a field in every output that it names."""

from __future__ import annotations

from operator import attrgetter

import pytest
import scene

from slimsched.render.columns import Field
from slimsched.render.jobs import facts, job_list, long_fields, sacct_fields
from slimsched.render.jobs.sacct_rows import AccountingRow
from slimsched.render.json import jobs as json_jobs
from slimsched.render.json import types
from slimsched.slurm.states import COMPLETED

SHARED = [field for field in job_list.JOBS.all() if field.json]


@pytest.mark.parametrize(
    ("own", "known", "rows"),
    [
        ([], {}, []),
        ([1, "b a", 2], {"a": 8, "b": 9}, [1, 9, 8, 2]),
        ([1, "a"], {"c": 7, "a": 8, "b": 9}, [1, 8, 7, 9]),
    ],
)
def test_facts_stand_where_they_are_named_and_otherwise_last(own, known, rows):
    assert facts.placed(own, known) == rows


@pytest.mark.parametrize("own", [["a"], ["b b"]])
def test_a_name_without_a_fact_or_named_twice(own):
    with pytest.raises(KeyError):
        facts.placed(own, {"b": 1})


@pytest.mark.parametrize("field", SHARED, ids=[field.names for field in SHARED])
def test_the_key_of_json_has_the_value_of_the_row(field):
    key, kind = field.json.split()
    for view in job_list.views(scene.formats()):
        assert json_jobs.JOB.of(view)[key] == getattr(types, kind)(attrgetter(field.path)(view))


def test_no_other_row_of_json_or_sacct_has_the_name_of_a_fact():
    assert len(set(json_jobs.JOB.paths())) == len(json_jobs.JOB.paths())
    names = [field.names.lower() for field in sacct_fields.FIELDS]
    assert len(set(names)) == len(names)


def test_a_new_row_is_in_every_output(monkeypatch):
    row = Field.at(
        "", "Extra", "EXTRA", "request.extra", sorts=True, json="more text", sacct="More 9 late", show="More"
    )
    monkeypatch.setattr(long_fields, "FIELDS", (*long_fields.FIELDS, row))
    cluster = scene.formats()
    view = job_list.views(cluster)[0]
    view.request.extra, view.job.state = "ssd", COMPLETED

    assert job_list.JOBS.long("extra:5").lines([view]) == ["EXTRA", "ssd  "]
    assert job_list.JOBS.by_name("extra").key(view) == "ssd"
    key, kind, value = facts.placed(json_jobs.OWN, facts.rows(lambda field: field.json, json_jobs._fact))[-1]
    assert (key, kind(value(view))) == ("more", "ssd")
    column = facts.placed(sacct_fields.OWN, facts.rows(lambda field: field.sacct, sacct_fields._fact))[-1]
    assert (column.names, column.width, column.text(AccountingRow(view))) == ("More", 9, "ssd")
    assert facts.rows(lambda field: field.show, lambda words, value: value(view))["More"] == "ssd"
