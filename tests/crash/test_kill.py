"""A writer that is killed, at whatever system call, leaves a state that the next command opens, with all in it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

DRIVER = Path(__file__).parent / "kill_driver.py"


@pytest.mark.parametrize(("scenario", "calls"), [("submissions", 120), ("replacement", 25), ("repair", 40)])
def test_killed_at_every_call(scenario: str, calls: int) -> None:
    done = subprocess.run([sys.executable, DRIVER, scenario], capture_output=True, text=True, check=True)
    runs = [json.loads(line) for line in done.stdout.splitlines()]

    assert done.stderr == ""
    assert [run for run in runs if run["wrong"]] == []
    assert len(runs) > calls
    assert any(run["halfway"] for run in runs)
