"""``docs/first-replay.md``: its commands run, in order, and the policies differ as they must."""

from __future__ import annotations

import json
import re
from pathlib import Path

from examples_in_text import examples, run

PAGE = Path(__file__).parents[2] / "docs" / "first-replay.md"


def test_the_commands_run(sim, capfd):
    blocks = re.findall(r"^```console\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    shown = [example for block in blocks for example in examples(block.splitlines())]
    assert len(shown) > 10

    run(shown, sim, capfd)

    waits = {
        name: json.loads((sim.cwd / name / "summary.json").read_text())["metrics"]["mean wait"]
        for name in ("fcfs", "easy", "denser", "conservative")
    }
    assert waits["easy"] < waits["fcfs"]
    assert waits["conservative"] < waits["fcfs"]
    assert waits["easy"] < waits["denser"]
