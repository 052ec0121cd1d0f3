"""``sleep`` and ``date`` in `sim run` and `sim env`: the same bytes in each run, and no time of ours."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

SCRIPT = """\
#!/bin/sh
date
sbatch --wrap 'sleep 900'
sleep 10m
date +%T
squeue -o '%i %t %M'
sleep 4m 59.5s
squeue -h -o '%i %t %M'
sleep x
sleep
date -u -d 'tomorrow' +%F
"""
SAID = """\
Thu Jan  1 00:00:00 UTC 2026
Submitted batch job 1
00:10:00
JOBID ST TIME
1 R 10:00
sleep: invalid time interval \u2018x\u2019
Try 'sleep --help' for more information.
sleep: missing operand
Try 'sleep --help' for more information.
2026-01-02
"""


def test_a_script_that_sleeps(sim: Any) -> None:
    path = sim.cwd / "script.sh"
    path.write_text(SCRIPT, encoding="utf-8")
    path.chmod(0o755)
    env = {**os.environ, "LC_ALL": "C.UTF-8"}
    env.pop("SLIMSCHED_STATE", None)
    words = [sys.executable, "-m", "slimsched.cli.main", "run", "--", str(path)]
    done = subprocess.run(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)

    assert (done.returncode, done.stdout.decode()) == (0, SAID)


def test_the_clock_moves_by_what_is_said_alone(sim: Any) -> None:
    sim("init --step 1m --start 2026-03-01T12:00:00")
    sim("sleep 1.2 1m")
    assert "2026-03-01T12:01:02" in sim("advance 0s")


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_what_is_evaluated_puts_the_names_on_the_path(sim: Any, shell: str) -> None:
    env = {**os.environ, "SLIMSCHED_STATE": str(sim.state)}
    main = f"{sys.executable} -m slimsched.cli.main"
    script = f'eval "$({main} shims "a bin")"; command -v sbatch; eval "$({main} env)"; command -v sleep squeue'
    done = subprocess.run([shell, "-c", script], env=env, cwd=sim.cwd, capture_output=True, text=True, timeout=60)

    found = [f"{sim.cwd}/a bin/sbatch", f"{sim.state}/bin/sleep"]
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[:2] == found


def test_no_such_names_where_jobs_run(sim: Any) -> None:
    sim("init --live")
    sim("env")

    assert not {"sleep", "date"} & set(os.listdir(sim.state / "bin"))
