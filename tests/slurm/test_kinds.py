"""Kinds of values: every yes/no takes the same words, whoever reads it."""

from __future__ import annotations

import pytest

from slimsched.model.config import PartitionConf
from slimsched.slurm import kinds
from slimsched.state import fields

YES, NO = ("YES", "yes", "True", "UP", "1"), ("NO", "no", "False", "down", "0")
SPEC = """
[slurm]
AllowSpecResourcesUsage = "{}"
[[nodes]]
NodeName = "n1"
CPUs = 4
[[partitions]]
PartitionName = "debug"
Nodes = "ALL"
Default = "YES"
"""


@pytest.mark.parametrize("word", [*YES, *NO, "", "maybe"])
def test_all_who_ask_for_a_key_of_slurm_conf_hear_the_same(sim, word):
    sim.init(SPEC.format(word))
    allowed = word in YES

    submitted = sim.run("sbatch", "-HS2", "--wrap", "sleep 60")
    assert submitted.code == 0
    assert ("Ignoring -S" in submitted.err) != allowed
    assert ("CoreSpec=2" in sim("scontrol", "show", "job", "1")) == allowed
    assert (sim.run("scontrol", "update", "job=1", "corespec=1").code == 0) == allowed


@pytest.mark.parametrize("key", [key for key in fields.keys(PartitionConf).values() if key.kind == "flag"])
@pytest.mark.parametrize("word", [*YES, *NO])
def test_every_switch_of_a_partition_line(key, word):
    made = fields.build(PartitionConf, {"PartitionName": "p", key.name: word})

    assert getattr(made, key.attribute) == (word in YES)


@pytest.mark.parametrize(("text", "part", "whole"), [
    ("yes", True, True), ("NO", False, False), ("y", True, None), ("n", False, None), ("Ye", True, None),
    ("", None, None), ("yess", None, None), ("1", None, None), ("true", None, None),
])  # fmt: skip
def test_yes_or_no_of_a_command(text, part, whole):
    assert (kinds.yes_no(text), kinds.yes_no(text, whole=True)) == (part, whole)
