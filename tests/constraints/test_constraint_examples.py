from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("constraint-inventory/check.sh", '{"valid": true, "matched": ["node03"]}'),
        ("flux_constraints.sh", "host[2-3]"),
    ],
)
def test_the_scripts_run(script: str, expected: str, tmp_path: Path) -> None:
    env = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", str(EXAMPLES / script)], capture_output=True, text=True, cwd=tmp_path, env=env, timeout=60, check=False
    )

    assert done.returncode == 0, done.stderr
    assert expected in done.stdout
