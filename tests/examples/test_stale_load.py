"""``examples/stale_load.py`` runs, and hourly data deceives some jobs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).parents[2] / "examples" / "stale_load.py"


def test_it_answers():
    words = ("--jobs", "60", "--seeds", "1", "--refresh", "3600")
    done = subprocess.run([sys.executable, EXAMPLE, *words], capture_output=True, text=True, timeout=120, check=True)

    head, *rows = [line.split() for line in done.stdout.splitlines()]
    assert head[-2:] == ["deceived,", "%"]
    assert [row[:2] for row in rows] == [["3600", "without"], ["3600", "with"]]
    assert all(0 < float(row[-1]) < 50 for row in rows)
