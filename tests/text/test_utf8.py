"""Bytes that are no UTF-8 become U+FFFD before they are stored."""

from __future__ import annotations

from typing import Any

import pytest

from slimsched.text.utf8 import readable, readable_values

BYTE = "\udcff"  # what Python makes of the byte 0xFF in an argument


@pytest.mark.parametrize(
    ("text", "stored"),
    [("", ""), ("plain", "plain"), ("é☃", "é☃"), (BYTE, "\ufffd"), (f"a{BYTE}b", "a\ufffdb"), ("\udcc3\udca9", "é")],
)
def test_texts(text: str, stored: str) -> None:
    assert readable(text) == stored


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        (7, 7),
        (None, None),
        ({"a": [BYTE, {BYTE: 1.5}], 3: True}, {"a": ["\ufffd", {"\ufffd": 1.5}], 3: True}),
        (["x", (BYTE,)], ["x", ["\ufffd"]]),
    ],
)
def test_values(value: Any, stored: Any) -> None:
    assert readable_values(value) == stored


@pytest.mark.parametrize(
    ("words", "shown", "said"),
    [
        ("sbatch --comment=X --wrap true", "squeue -h -j 2 -t all -o %k", "a\ufffdb\n"),
        ("qsub -N X -b y true", "squeue -h -j 2 -t all -o %j", "a\ufffdb\n"),
        ("scontrol update jobid=1 comment=X", "squeue -h -j 1 -o %k", "a\ufffdb\n"),
        ("scontrol update nodename=node01 comment=X", "sinfo -h -n node01 -O comment:5", "a\ufffdb  \n"),
        ('slurmd -N node01 --extra {"k":"X"}', "sinfo -h -n node01 -O extra:11", '{"k":"a\ufffdb"}\n'),
        ("scancel --admin-comment X 1", "sacct -n -X -j 1 -o admincomment%3", "a\ufffdb \n"),
    ],
)
def test_every_command_stores_them(sim: Any, words: str, shown: str, said: str) -> None:
    sim("sbatch", "--hold", "--wrap", "true")
    assert sim.run(*(word.replace("X", f"a{BYTE}b") for word in words.split())).code == 0
    assert said in sim(*shown.split())


def test_a_configuration_takes_them(sim: Any) -> None:
    sim("init", "--partition", f"p{BYTE}")
    assert sim("sinfo", "-h", "-o", "%R") == "p\ufffd\n"
