"""Completion: the candidates for a command line, and the scripts that ask for them."""

from __future__ import annotations

import fcntl
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import slimsched
from slimsched.cli.completion.command import SCRIPTS
from slimsched.cli.subcommands import COMMANDS

BASH = "/bin/bash"


def complete(sim: Any, *words: str) -> list[str]:
    """Return the candidates without what they are."""
    return [line.partition("\t")[0] for line in sim("completion", "words", *words).splitlines()]


@pytest.fixture
def cluster(sim: Any) -> Any:
    sim("sbatch", "--hold", "-J", "first", "--wrap", "true")
    sim("sbatch", "--hold", "-J", "second", "-a", "0-3", "--wrap", "true")
    sim("scontrol create reservation reservationname=night starttime=now+1day nodes=node01 users=root duration=60")
    sim("scontrol", "create", "partitionname=batch", "nodes=ALL")
    return sim


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("sq",), ["squeue"]),
        (("nosuch", ""), []),
        (("-",), ["--as=", "-V", "--version", "--state=", "-h", "--help"]),
        (("--state", "/x", "sq"), ["squeue"]),
        (("--state=/x", "sq"), ["squeue"]),
        (("squeue", "--part"), ["--partition=", "--partitions="]),
        (("squeue", "--noh"), ["--noheader"]),
        (("squeue", "-p", ""), ["debug", "batch"]),
        (("squeue", "-hp", "d"), ["debug"]),
        (("squeue", "--partition=b"), ["--partition=batch"]),
        (("squeue", "--partition=debug,"), ["--partition=debug,batch"]),
        (("squeue", "-pb"), ["-pbatch"]),
        (("squeue", "-j", ""), ["1", "2"]),
        (("squeue", "-j", "1,"), ["1,2"]),
        (("squeue", "-j", "--me"), ["--me"]),
        (("squeue", "-t", "CO"), ["COMPLETED", "COMPLETING", "CONFIGURING"]),
        (("squeue", "-w", "node02,"), ["node02,node01", "node02,node03"]),
        (("squeue", "-R", ""), ["night"]),
        (("squeue", "--qos", "n"), ["normal"]),
        (("sinfo", "-n", "node0"), ["node01", "node02", "node03"]),
        (("sinfo", "-t", "drai"), ["drain", "drained", "draining"]),
        (("scontrol", "update", "nodename=node01", "state=res"), ["state=resume"]),
        (("sbatch", "--nodes", ""), []),
        (("sbatch", "--open-mode="), ["--open-mode=append", "--open-mode=truncate"]),
        (("sbatch", "--exclusive="), ["--exclusive=user", "--exclusive=mcs", "--exclusive=topo"]),
        (("sbatch", "script.sh", "--part"), []),
        (("sbatch", "--", "--part"), []),
        (("sbatch", ""), []),
        (("scancel", ""), ["1", "2"]),
        (("wait", "2"), ["2"]),
        (("slurmd", "-N", "node01"), ["node01"]),
        (("scontrol", "sho"), ["show"]),
        (("scontrol", "-o", "sho"), ["show"]),
        (("scontrol", "show", "part"), ["partitions", "partitionname"]),
        (("scontrol", "show", "node", "node03"), ["node03"]),
        (("scontrol", "show", "res", ""), ["night"]),
        (("scontrol", "hold", "1,"), ["1,2"]),
        (("scontrol", "update", ""), ["jobid=", "nodename=", "partitionname=", "reservationname="]),
        (("scontrol", "update", "PartitionName=b"), ["PartitionName=batch"]),
        (("scontrol", "update", "jobid=1", "prio"), ["priority="]),
        (("scontrol", "delete", "reservationname="), ["reservationname=night"]),
        (("scontrol", "nosuch", ""), []),
        (("init", "--clock", ""), ["virtual", "wall"]),
        (("advance", "--until-job="), ["--until-job=1", "--until-job=2"]),
        (("constraint", "m"), ["match"]),
        (("constraint", "match", "--dialect=flux"), ["--dialect=flux-json", "--dialect=flux-query"]),
        (("constraint", "convert", "--to", "sg"), ["sge"]),
        (("completion", ""), ["bash", "zsh", "fish"]),
        (("qsub", "-ha"), ["-hard"]),
        (("sacctmgr", "-i", "a"), ["associations", "add", "archive"]),
        (("sacctmgr", "show", "a"), ["accounts", "acct", "associations"]),
        (("sacctmgr", "show", "user", ""), []),
    ],
)
def test_candidates(words: tuple[str, ...], expected: list[str], cluster: Any) -> None:
    assert complete(cluster, *words) == expected


def test_every_command_and_what_it_is(sim: Any) -> None:
    assert sim("completion", "words", "") == "".join(f"{name}\t{entry.help}\n" for name, entry in COMMANDS.items())


def test_jobs_are_described(cluster: Any) -> None:
    user = cluster("squeue", "-h", "-j", "1", "-o", "%u").strip()

    assert cluster("completion", "words", "scancel", "1") == f"1\tfirst, PENDING of {user}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_options_of_every_command(name: str, sim: Any) -> None:
    assert {"--help", "-help"} & {*complete(sim, name, "--h"), *complete(sim, name, "-h")}


def test_the_state_that_the_line_names(cluster: Any, make_sim: Any) -> None:
    other = make_sim("other")

    assert complete(other, "scancel", "") == []
    assert complete(other, "--state", str(cluster.state), "scancel", "") == ["1", "2"]
    assert complete(other, "scontrol", "--state", str(cluster.state), "release", "") == ["1", "2"]
    assert complete(other, "wait", "--state", str(cluster.state), "") == ["1", "2"]


# whatever the state is like, a prompt sees nothing of it


def test_nothing_is_made_where_there_is_no_state(sim: Any) -> None:
    assert complete(sim, "scancel", "") == []
    assert not sim.state.exists()


@pytest.mark.parametrize("content", [b"", b"rubbish\n", b"\x00" * 100])
def test_a_damaged_state(content: bytes, cluster: Any) -> None:
    (cluster.state / "snapshot.json").write_bytes(content)

    assert cluster.run("completion", "words", "scancel", "") == (0, "", "")


def test_a_command_at_work_is_not_waited_for(cluster: Any) -> None:
    with (cluster.state / "lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

        assert complete(cluster, "scancel", "") == []
        assert complete(cluster, "scont") == ["scontrol"]


@pytest.mark.parametrize("words", [["squeue", "-"], ["squeue", "--="], ["constraint", "x", "y"], ["\udcff"], []])
def test_lines_that_make_no_sense(words: list[str], cluster: Any) -> None:
    answer = cluster.run("completion", "words", *words)

    assert (answer.code, answer.err) == (0, "")


# the scripts


@pytest.mark.parametrize("shell", SCRIPTS)
def test_scripts(shell: str, sim: Any) -> None:
    assert sim("completion", shell) == SCRIPTS[shell].replace("{names}", "sim")


@pytest.mark.parametrize("words", [(), ("tcsh",), ("bash", "zsh")])
def test_a_shell_must_be_named(words: tuple[str, ...], sim: Any) -> None:
    assert sim.run("completion", *words) == (1, "", "sim: error: name a shell: bash, zsh, fish\n")


@pytest.mark.parametrize("shell", SCRIPTS)
def test_shells_accept_their_scripts(shell: str, sim: Any, tmp_path: Path) -> None:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"no {shell}")
    script = tmp_path / "script"
    script.write_text(sim("completion", shell))

    done = subprocess.run([found, "-n", str(script)], capture_output=True, text=True, check=False, timeout=60)

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


ASK = """
eval "$(sim completion bash)"
ask() { COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _sim_complete; echo "${COMPREPLY[*]}"; }
ask sim scont
ask sim squeue --partition = de
ask sim squeue --partition =
ask sim squeue --noheader -j ''
ask sim scontrol update nodename = node0
ask sim scontrol update nodename = node01 Wei
ask sim sbatch ''
"""


@pytest.mark.skipif(not Path(BASH).exists(), reason="no bash")
def test_bash_completes(cluster: Any, tmp_path: Path) -> None:
    """bash hands over words that are split at ``=``, and wants the last part alone."""
    stub = tmp_path / "bin" / "sim"
    stub.parent.mkdir()
    stub.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m slimsched.cli.main "$@"\n')
    stub.chmod(0o755)
    env = {
        **os.environ,
        "PATH": f"{stub.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(Path(slimsched.__file__).parent.parent),
        "SLIMSCHED_STATE": str(cluster.state),
    }
    done = subprocess.run([BASH, "--norc", "-c", ASK], env=env, capture_output=True, text=True, check=False, timeout=60)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "scontrol",
        "debug",
        "debug batch",
        "1 2",
        "node01 node02 node03",
        "Weight=",
        "",
    ]
