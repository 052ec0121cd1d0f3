"""``strigger``: triggers of jobs, nodes and the configuration, on clusters of both kinds; and ``scrontab``'s answer."""

from __future__ import annotations

import getpass
import json
import os
from typing import Any

import pytest

from slimsched.cli.live import place

HEADER = "TRIG_ID RES_TYPE   RES_ID TYPE                                OFFSET USER     FLAGS PROGRAM\n"


def fired(sim: Any) -> list[tuple[int, str, int]]:
    """Return which triggers fired, with what, and how long after the cluster was made."""
    events = [json.loads(line) for line in sim("events --json").splitlines()]
    first = events[0]["time"]
    return [(e["trigger"], e["argument"], e["time"] - first) for e in events if e["event"] == "trigger"]


def test_the_list(sim: Any) -> None:
    sim("sbatch --wrap 'sleep 4'")
    sim("strigger --set --jobid=1 --fini --program=/bin/true")
    sim("strigger --set --node --down --offset -5 --flags=perm --program='/bin/true a'")
    user = f"{getpass.getuser():<8}"

    job = f"      1 job             1 fini                                     0 {user}       /bin/true\n"
    node = f"      2 node            * down                                    -5 {user} PERM  /bin/true a\n"
    assert sim("strigger --get") == HEADER + job + node
    assert sim("strigger --get -N --down") == node
    assert sim("strigger --get --noheader -j 1") == job
    assert sim("strigger --get -N --node=n1") == node
    sim("strigger --clear --id=2")
    assert sim("strigger --get -N") == job
    assert sim.run("strigger --clear --id=2") == (1, "", "slurm_clear_trigger: No such process\n")
    sim("strigger -Q --clear --id=2")
    sim("strigger --set --node --up --program=/bin/true")
    assert sim("strigger --get -N").splitlines()[-1].startswith("      3 node ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("", "strigger: error: You must use exactly one of the following options: --set, --get or --clear"),
        ("--get --set", "strigger: error: You must use exactly one of the following options: --set, --get or --clear"),
        ("--clear", "strigger: error: You must specify a --id, --jobid, or --user to clear"),
        ("--set --program=/x", "strigger: error: You must specify a trigger"),
        ("--set --down", "strigger: error: You must specify a --program value"),
        ("--set --fini --program=/x", "strigger: error: You must specify a --jobid value"),
        ("--set --down --program=x", 'strigger: error: The --program value must start with "/"'),
        ("--set --jobid=99 --fini --program=/x", "strigger: error: Invalid --program value, file not found"),
        ("--set --down --program=/", "strigger: error: Invalid --program value, not regular file"),
        ("--set --down -p /bin/true -o 32001", "strigger: error: The --offset parameter must be between +/-32000"),
        ("--set --fini -j x -p /bin/true", "strigger: error: Invalid jobid x"),
        ("--get --flags=x", "strigger: error: Invalid flags x"),
        ("--set --fini -j 99 -p /bin/true", "slurm_set_trigger: Invalid job id specified"),
        ("--set --fini -j 1 -p /bin/true", "slurm_set_trigger: Job/step already completing or completed"),
        ("--set --node=nosuch --up -p /bin/true", "slurm_set_trigger: Invalid node name specified"),
        ("--set --node --up -p /bin/true", "slurm_set_trigger: Duplicate event trigger"),
    ],
)
def test_refusals(words: str, said: str, sim: Any) -> None:
    sim("sbatch --wrap true")
    sim("advance 1s")
    sim("strigger --set --up -p /bin/true")

    assert sim.run(f"strigger {words}") == (1, "", said + "\n")


def test_the_user_of_the_cluster_alone_sets_triggers(sim: Any) -> None:
    sim("init --set SlurmUser=somebody")
    words = "strigger --set --up -p /bin/true"

    assert sim.run(f"--as daemon {words}") == (1, "", "slurm_set_trigger: Access/permission denied\n")
    assert sim(f"--as somebody {words}") == ""


def test_jobs(sim: Any) -> None:
    sim("init --nodes n1")
    sim("sbatch --wrap 'sleep 40'")
    sim("sbatch -t 10 --wrap 'sleep 36000'")
    for words in ("-j1 --fini", "-j1 --fini -o 5", "-j1 --fini -o -5", "-j2 --time -o -60", "-j2 --time", "-j1 --time"):
        sim(f"strigger --set {words} -p /bin/true")
    sim("advance 1h")

    assert fired(sim) == [(1, "1", 40), (3, "1", 40), (2, "1", 45), (4, "2", 540), (5, "2", 600)]
    assert sim("strigger --get") == ""


def test_nodes(sim: Any) -> None:
    sim("init --nodes n[1-3]")
    sim("sbatch -w n1 --wrap 'sleep 40'")
    for words in ("down", "up", "drained", "draining", "resume", "idle"):
        sim(f"strigger --set --{words} -p /bin/true")
    sim("strigger --set --node=n3 --down --flags=perm -p /bin/true")
    sim("scontrol update nodename=n[2-3] state=down reason=x")
    assert fired(sim) == [(1, "n[2-3]", 0), (7, "n3", 0)]
    sim("scontrol update nodename=n2 state=resume")
    assert fired(sim)[2:] == [(2, "n2", 0), (6, "n2", 0)]
    sim("scontrol update nodename=n1 state=drain reason=y")
    assert fired(sim)[4:] == [(4, "n1", 0)]
    sim("advance 1m")
    assert fired(sim)[5:] == [(3, "n1", 40)]
    sim("scontrol update nodename=n[1,3] state=resume")
    sim("scontrol update nodename=n[2-3] state=down reason=x")
    assert fired(sim)[6:] == [(5, "n1", 60), (7, "n3", 60)]
    assert [line.split()[0] for line in sim("strigger --get -N").splitlines()] == ["7"]


def test_reconfigure(sim: Any) -> None:
    sim("init --nodes n1")
    sim("strigger --set --reconfig -p /bin/true")
    sim("scontrol reconfigure")
    sim("scontrol reconfigure")

    assert fired(sim) == [(1, "reconfig", 0)]


def test_a_program_runs(sim: Any) -> None:
    os.mkfifo(sim.cwd / "told")
    program = sim.cwd / "program"
    program.write_text(f"#!/bin/sh\necho $* > {sim.cwd}/told\n")
    program.chmod(0o755)
    sim("init --live --nodes n1 --set KillWait=1")
    try:
        sim("sbatch -o /dev/null --wrap 'sleep 60'")
        sim(f"strigger --set --jobid=1 --fini -p '{program} job'")
        sim("scancel 1")
        assert (sim.cwd / "told").read_text() == "job 1\n"
        sim(f"strigger --set --down -p {program}")
        sim("scontrol update nodename=n1 state=down reason=x")
        assert (sim.cwd / "told").read_text() == "n1\n"
    finally:
        place.remove(str(sim.state))


@pytest.mark.parametrize("words", ["-l", "-r", "file"])
def test_there_are_no_cron_jobs(words: str, sim: Any) -> None:
    assert sim.run(f"scrontab {words}") == (1, "", "scrontab: fatal: scrontab is disabled on this cluster\n")


def test_more_words(sim: Any) -> None:
    sim("sbatch --wrap 'sleep 4'")
    said = [
        ("--set --node --down --program=/bin/true", "trigger set"),
        ("--set --jobid=1 --fini --program=/bin/true", "trigger set"),
        ("--get -N -j 2", "Read 2 trigger records"),
        ("--clear --id=1", "trigger 1 cleared"),
        ("--clear --jobid=1", "triggers for job 1 cleared"),
    ]
    for words, line in said:
        assert sim.run(f"strigger -v {words}") == (0, "", f"strigger: {line}\n")
