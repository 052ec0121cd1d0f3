"""Records of a real Slurm, copied from the oracle into ``tests/data``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent / "data"


def recorded(name: str) -> list[dict[str, Any]]:
    """Return the records of a data file."""
    with (DATA / name).open(encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]
