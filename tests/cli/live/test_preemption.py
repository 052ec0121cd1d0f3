"""Preemption on a live cluster: the processes of the one who goes keep the nodes until they have ended."""

from __future__ import annotations

from typing import Any

import pytest

LOW = "[ $SLURM_RESTART_COUNT = 1 ] && exit 0; trap 'echo low has gone >> order; exit' TERM; echo up > told; "


@pytest.mark.parametrize(
    ("mode", "grace", "ends"),
    [
        ("REQUEUE", 0, ["PREEMPTED|0:0", "COMPLETED|0:0"]),
        ("CANCEL", 0, ["PREEMPTED|0:0"]),
        ("CANCEL", 1, ["PREEMPTED|0:0"]),
    ],
)
def test_the_nodes_are_free_before_the_next_job_starts(live: Any, mode: str, grace: int, ends: list[str]) -> None:
    live(
        *("init", "--force", "--live", "--nodes", "n1", "--cpus", "4", "--partition", "low", "--partition", "high"),
        *("--set", "KillWait=1", "--set", "PreemptType=preempt/partition_prio", "--set", f"PreemptMode={mode}"),
    )
    live("scontrol update partitionname=high priorityjobfactor=2 prioritytier=2")
    live(f"scontrol update partitionname=low gracetime={grace}")
    live("sbatch", "-p", "low", "-n4", "--requeue", "-o", "low", "--wrap", LOW + "sleep 60 & wait")
    assert (live.cwd / "told").read_text() == "up\n"
    live("sbatch", "-p", "high", "-n4", "--wrap", "echo high >> order")
    live.run("wait", "1", "2")

    assert (live.cwd / "order").read_text() == "low has gone\nhigh\n"
    assert live("sacct -D -X -n -P -j 1 -o State,ExitCode").splitlines() == ends
    if mode == "CANCEL":
        assert "DUE TO PREEMPTION ***" in (live.cwd / "low").read_text()
