"""Shell scripts as users write them, on live clusters; each one says behind ``# out:`` what it prints."""

from __future__ import annotations

import os
import pwd
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.sh"))


@pytest.mark.clients
@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_prints_what_it_says(path: Path, tmp_path: Path) -> None:
    (tmp_path / "cwd").mkdir()
    expected = re.findall(r"^# out: (.*\n)", path.read_text(), re.MULTILINE)
    command = [
        sys.executable,
        "-m",
        "slimsched.cli.main",
        "run",
        "--live",
        "--nodes",
        "n[1-4]",
        "--",
        "bash",
        str(path),
    ]
    done = subprocess.run(
        command,
        cwd=tmp_path / "cwd",
        env={**os.environ, "USER": pwd.getpwuid(os.getuid()).pw_name},
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert done.stdout == "".join(expected).format(uid=os.getuid()), done.stderr
    assert done.returncode == 0
