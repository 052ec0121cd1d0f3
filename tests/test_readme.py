"""``README.md``: its commands run, block by block, and print what it says."""

from __future__ import annotations

import getpass
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from examples_in_text import examples

PAGE = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = [
    block
    for block in re.findall(r"^```console\n(\$ sim .*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    if "$ ./" not in block
]


def test_the_first_screen_shows_what_everybody_knows() -> None:
    first = PAGE[: PAGE.index("\n## ")]

    assert {"sbatch", "squeue", "sacct", "explain", "init"} <= set(re.findall(r"^\$ sim (\w+)", first, re.MULTILINE))
    assert len(BLOCKS) >= 3


@pytest.mark.usefixtures("with_notes")
def test_the_commands_run_and_print_this(sim: Any) -> None:
    me = getpass.getuser()
    for block in BLOCKS:
        mine = block.replace("     ben", f"{me:>8.8}").replace("of ben", f"of {me}")
        for line, out in examples(mine.splitlines()):
            answer = sim.run(*shlex.split(line)[1:])
            printed = [text.rstrip() for text in (answer.out + answer.err).splitlines()]
            wanted = [text for text in out if text]
            told = [text for text in printed if text]
            if "..." in wanted:
                assert told[: wanted.index("...")] == wanted[: wanted.index("...")], line
            elif wanted:
                assert told == wanted, line
