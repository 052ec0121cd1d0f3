"""``docs/usage.md``: its commands run, in order, and print what it says."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from examples_in_text import examples, run

PAGE = Path(__file__).parent.parent / "docs" / "usage.md"


def test_the_commands_run(sim: Any, capfd: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"^```console\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    shown = [example for block in blocks for example in examples(block.splitlines())]
    assert len(shown) > 20

    run(shown, sim, capfd)
