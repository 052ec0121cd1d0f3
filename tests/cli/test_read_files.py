"""Wherever a command reads a file that its user names: FIFOs and devices are refused, and nothing waits for them."""

from __future__ import annotations

import os
from typing import Any

import pytest

ODD = "Not a regular file"
WIKI = '[slurm]\nSchedulerType = "sched/wiki"\n[[nodes]]\nNodeName = "n1"\n'
WIKI += '[[partitions]]\nPartitionName = "p"\nNodes = "ALL"\nDefault = true\n'
READERS = {
    "sbatch {}": "sbatch: error: Unable to open file {}",
    "sbatch --wrap true -w {}": f"sbatch: error: slurm_allocate_resources error opening file {{}}, {ODD}",
    "sbatch --wrap true -F {}": f"sbatch: error: slurm_allocate_resources error opening file {{}}, {ODD}",
    "sbatch --wrap true --flux-constraint @{}": f"sbatch: error: --flux-constraint: {{}}: {ODD}",
    "scancel -w {}": f"scancel: error: {{}}: {ODD}",
    "scontrol show hostlist {}": "Error reading {}",
    "sacctmgr -i load file={}": f' Unable to read "{{}}": {ODD}',
    "qconf -Mc {}": f"{{}}: {ODD}",
    "constraint check --dialect flux-json @{}": f"sim: error: {{}}: [Errno 22] {ODD}: '{{}}'",
    "init --force --from {}": f"sim: error: {{}}: {ODD}",
    "wiki serve --conf {}": f"sim: error: {{}}: {ODD}",
}
"""Command line with a file -> the first line that it prints about one that is none."""


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("kind", ["fifo", "link to a fifo", "device"])
def test_what_is_no_regular_file(sim: Any, kind: str, command: str) -> None:
    fifo, link = sim.cwd / "fifo", sim.cwd / "link"
    os.mkfifo(fifo)
    link.symlink_to(fifo)
    path = {"fifo": fifo, "link to a fifo": link, "device": "/dev/zero"}[kind]
    sim.init(WIKI)
    answer = sim.run(*command.format(path).split())

    assert answer.code != 0
    assert (answer.err + answer.out).splitlines()[0] == READERS[command].format(*[path] * 2)


def test_a_file_that_is_too_long(sim: Any) -> None:
    with open(sim.cwd / "long", "wb") as file:
        file.truncate(1 << 27)
    assert sim.run("qconf -Mc long").err == "long: File too large\n"
