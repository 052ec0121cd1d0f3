"""Limits of associations and QOS: a row is all that an option, a column, a place in JSON and a reason need."""

from __future__ import annotations

from functools import reduce

import pytest
import world

from slimsched.controller.accounts import options
from slimsched.model.account import Book
from slimsched.render.accounts import sacctmgr, sacctmgr_fields
from slimsched.render.json.accounts import KINDS
from slimsched.slurm import limits, words
from slimsched.slurm.limits import LIMITS

ROWS = [(each, where) for each in LIMITS for where in (limits.ASSOC, limits.QOS) if where in each.where]
VALUES = {"tres": "cpu=1,mem=2,node=3", "float": "0.5"}


def named(row):
    limit, where = row
    return f"{where} {limit.name} {limit.resource}".rstrip()


def names(spelled):
    """Return names in lower case, without their fewest letters."""
    return [text.partition(":")[0].lower() for text in spelled.split(" ")]


def shown(limit, where):
    """Return a row of a listing whose record sets the limit."""
    row = sacctmgr.RecordRow(Book(world.controller().cluster), "x", {})
    record = {limit.name: VALUES.get("tres" if limit.resource else limit.kind, "7")}
    row.record, row.limits = (record, {}) if where == limits.QOS else ({}, record)
    return row


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_every_name_of_a_limit_is_an_option(row):
    limit, where = row
    for name in names(limit.spelled):
        option = words.find(options.TABLES[where], name)
        assert option is not None
        assert (option.key, option.resource) == (limit.name, limit.resource)


@pytest.mark.parametrize("row", [row for row in ROWS if row[0].width], ids=named)
def test_every_column_of_a_limit_shows_it(row):
    limit, where = row
    values = sacctmgr.KINDS[where].values
    texts = {"cpu": "1", "mem": "2", "node": "3", "tres": "cpu=1,mem=2M,node=3", "minutes": "00:07:00"}
    texts["float"] = "0.500000"
    for name in names(limit.columns or limit.spelled):
        field = sacctmgr_fields.choose(name, values).fields[0]
        assert field.header == limit.header
        assert field.text(shown(limit, where)) == texts.get(limit.kind, "7")


@pytest.mark.parametrize("row", [row for row in ROWS if row[0].json], ids=named)
def test_every_place_of_a_limit_in_json_holds_it(row):
    limit, where = row
    made = reduce(lambda found, key: found[key], limit.place(where).split("/"), KINDS[where][1].of(shown(limit, where)))

    if limit.kind == "tres":
        assert [(each["type"], each["count"]) for each in made] == [("cpu", 1), ("mem", 2), ("node", 3)]
    else:
        assert made == {"set": True, "infinite": False, "number": 7}


@pytest.mark.parametrize("row", [row for row in ROWS if row[0].reason], ids=named)
def test_every_word_of_a_limit_is_a_limit(row):
    limit, where = row
    prefix = "QOS" if where == limits.QOS else "Assoc"

    assert limits.is_limit(limits.word(prefix, limit.name, limit.resource or ("cpu" if limit.kind == "tres" else "")))
