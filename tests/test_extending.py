"""The newcomer's guide names files that there are, and what it says of one row holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from slimsched.cli.submit.options.readers import MODULES, find
from slimsched.slurm.options import options_of

ROOT = Path(__file__).parent.parent
GUIDE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(r"`((?:slimsched|docs)/[\w/.]+)`", GUIDE)) - {"slimsched/slurm/"})
)
def test_every_file_that_is_named_exists(path):
    assert (ROOT / path).is_file() or "NAME" in path


def test_no_step_list_is_longer_than_three():
    lists = re.split(r"^## ", GUIDE, flags=re.M)[1:]

    assert len(lists) == 7
    assert max(len(re.findall(r"^\d\. ", text, flags=re.M)) for text in lists) == 3


@pytest.mark.parametrize("name", MODULES)
def test_every_reader_of_the_list_is_there(name):
    assert callable(find(name))


@pytest.mark.parametrize("letter", ["b", "s", "a"])
def test_every_row_names_a_reader(letter):
    assert {option.reader for option in options_of(letter)} <= set(MODULES)
