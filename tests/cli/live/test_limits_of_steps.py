"""Steps and scripts of live jobs that pass their limits, of memory and of time."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from live_calls import Live, two_nodes

HOG = f"{sys.executable} -ISc 'import time; x = bytearray(150 << 20); time.sleep(60)'"
STAMP = r"\[[\d:.T-]+\] "


@pytest.fixture
def live(sim: Any) -> Iterator[Live]:
    with two_nodes(sim, "--memory", "1000", "--set", "JobAcctGatherParams=OverMemoryKill") as found:
        yield found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
def test_a_step_beyond_its_memory_ends_and_its_script_goes_on(live: Live) -> None:
    said = live.job(f"srun {HOG}; echo then $?", "--mem=60")

    assert re.fullmatch(
        STAMP + r"error: StepId=1\.0 exceeded memory limit \(\d+ > 62914560\), being killed\n"
        r"srun: Job step aborted: Waiting up to 3 seconds for job step to finish\.\n"
        + STAMP
        + r"error: \*\*\* STEP 1\.0 ON n1 CANCELLED AT \S+ DUE to SIGNAL Killed \*\*\*\n"
        r"srun: error: n1: task 0: Killed\n"
        r"then 137\n",
        said,
    )
    me = os.getuid()
    assert live.sacct("JobID,State,ExitCode") == [
        "1|COMPLETED|0:0", "1.batch|COMPLETED|0:0", f"1.0|CANCELLED by {me}|0:9",
    ]  # fmt: skip


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
def test_memory_of_a_step_is_counted_by_node_and_by_its_own_limit(live: Live) -> None:
    """Two tasks of 150 MB on two nodes are within 250 MB a node, and beyond it on one."""
    short = HOG.replace("time.sleep(60)", "time.sleep(1.5)")
    assert live.job(f"srun -N2 -n2 {short}; echo then $?", "--mem=250", "-N2", "-n2") == "then 0\n"
    said = live.job(f"srun -n2 {HOG}; srun --mem=100 true; echo then $?", "--mem=250", "-n2")

    assert "error: StepId=2.0 exceeded memory limit (" in said
    assert said.endswith("then 0\n")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
def test_a_script_beyond_its_memory_ends_its_job(live: Live) -> None:
    said = live.job(f"{HOG}; echo then", "--mem=60")

    assert re.fullmatch(
        STAMP + r"error: StepId=1\.batch exceeded memory limit \(\d+ > 62914560\), being killed\n", said
    )
    assert live.sacct("JobID,State,ExitCode") == ["1|FAILED|0:9", f"1.batch|CANCELLED by {os.getuid()}|0:9"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
def test_an_srun_of_its_own_beyond_its_memory(live: Live) -> None:
    answer = live("srun", "--mem=60", "sh", "-c", HOG)

    assert (answer.code, answer.out) == (137, "")
    assert "error: StepId=1.0 exceeded memory limit (" in answer.err
    assert live.sacct("JobID,State,ExitCode") == ["1|FAILED|0:9", f"1.0|CANCELLED by {os.getuid()}|0:9"]
