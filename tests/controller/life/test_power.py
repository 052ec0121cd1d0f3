"""Nodes that are switched on and off: of the cloud, by orders, and because they are idle."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

CONF = """
SuspendProgram=/sbin/suspend
ResumeProgram=/sbin/resume
SuspendTime=600
SuspendTimeout=60
ResumeTimeout=300
SuspendExcNodes=on[0-1]
NodeName=DEFAULT CPUs=4 RealMemory=8000
NodeName=on[0-1] Weight=9
NodeName=ec[0-3] Weight=1 Feature=cloud State=CLOUD
PartitionName=all Nodes=ALL Default=YES DefMemPerCPU=100 MaxTime=60
"""
Make = Callable[[str, Sequence[str]], Any]
STATES = "sinfo -h -N -o '%N %T'"


@pytest.fixture
def cloud(configured: Make) -> Any:
    sim = configured(CONF, ())
    toml = sim.state / "cluster.toml"
    toml.write_text(toml.read_text().replace("[simulation]\n", '[simulation]\nnode_boot = "90s"\n'))
    return sim


def states(sim: Any) -> dict[str, str]:
    return dict(line.split() for line in sim(STATES).splitlines())


def test_nodes_of_the_cloud_are_off_until_a_job_wants_them(cloud: Any) -> None:
    assert cloud("sinfo -h -o '%D %T %N'") == "4 idle~ ec[0-3]\n2 idle on[0-1]\n"
    cloud("sbatch -C cloud -N2 --sim-runtime 100 --wrap x")

    assert cloud("squeue -h -o '%t %N %r'") == "CF ec[0-1] None\n"
    assert "JobState=CONFIGURING " in cloud("scontrol show job 1")
    assert cloud("sinfo -h -o '%D %T %N'") == "2 mixed# ec[0-1]\n2 idle~ ec[2-3]\n2 idle on[0-1]\n"
    shown = cloud("scontrol show node ec0")
    assert "State=MIXED+CLOUD+NOT_RESPONDING+POWERING_UP " in shown
    assert "BootTime=None SlurmdStartTime=None\n   LastBusyTime=Unknown ResumeAfterTime=None SuspendTime=600\n" in shown
    cloud("advance 89s")
    assert cloud("squeue -h -o %t") == "CF\n"
    cloud("advance 1s")
    assert cloud("squeue -h -o '%t %S %e'") == "R 2026-01-01T00:01:30 2026-01-01T01:01:30\n"
    assert "BootTime=2026-01-01T00:01:30 " in cloud("scontrol show node ec0")


def test_an_idle_node_is_switched_off_in_two_steps(cloud: Any) -> None:
    cloud("sbatch -C cloud --sim-runtime 100 --wrap x")
    cloud("advance 190s")
    for span, state in (("600s", "idle"), ("1s", "idle%"), ("60s", "idle%"), ("1s", "idle~")):
        cloud("advance", span)
        assert states(cloud)["ec0"] == state
    assert states(cloud)["on0"] == "idle"  # SuspendExcNodes
    assert "State=IDLE+CLOUD+POWERED_DOWN " in cloud("scontrol show node ec0")
    assert cloud("scontrol show part all").endswith(
        "   ResumeTimeout=GLOBAL SuspendTimeout=GLOBAL SuspendTime=GLOBAL PowerDownOnIdle=NO\n\n"
    )


def test_nodes_that_are_on_come_first_then_those_that_come_up_whatever_their_weight(cloud: Any) -> None:
    for _ in range(3):
        cloud("sbatch -N1 -n4 --sim-runtime 1000 --wrap x")
    assert cloud("squeue -h -S i -o '%t %N'") == "R on0\nR on1\nCF ec0\n"
    cloud("scontrol power up ec2")
    cloud("sbatch -N1 -n4 --sim-runtime 1000 --wrap x")
    assert cloud("squeue -h -j 4 -o '%t %N'") == "CF ec2\n"


def test_a_batch_job_begins_on_its_first_node_unless_it_waits_for_all(cloud: Any) -> None:
    for option in ("", "--wait-all-nodes=1"):
        cloud(f"sbatch {option} -N3 -n3 --sim-runtime 1000 --mincpus 2 --wrap x")
    assert cloud("squeue -h -S i -o '%t %N'") == "R on[0-1],ec0\nCF on[0-1],ec0\n"
    cloud("advance 90s")
    assert cloud("squeue -h -S i -o '%t %N'") == "R on[0-1],ec0\nR on[0-1],ec0\n"


@pytest.mark.parametrize(("option", "after"), [("--requeue", "PD (BeginTime)"), ("--no-requeue", "NF ec0")])
def test_a_node_that_is_not_up_in_time_is_given_up(cloud: Any, option: str, after: str) -> None:
    toml = cloud.state / "cluster.toml"
    toml.write_text(toml.read_text().replace('"90s"', '"10m"'))
    cloud(f"sbatch -C cloud {option} --sim-runtime 100 --wrap x")
    cloud("advance 300s")
    assert cloud("squeue -h -o %t") == "CF\n"
    cloud("advance 1s")
    assert cloud("squeue -h -t all -o '%t %R'") == f"{after}\n"
    assert "State=DOWN+CLOUD+POWERED_DOWN " in cloud("scontrol show node ec0")
    assert "Reason=ResumeTimeout reached [root@2026-01-01T00:05:01]" in cloud("scontrol show node ec0")
    assert states(cloud)["ec0"] == "down~"
    cloud("scontrol update nodename=ec0 state=resume")
    assert states(cloud)["ec0"] == "idle~"


@pytest.mark.parametrize(
    ("node", "words", "now", "later"),
    [
        ("on0", "power_down", "idle%", "idle~"),
        ("on0", "power_down_asap", "idle%", "idle~"),
        ("on0", "power_down_force", "idle%", "idle~"),
        ("on0", "power_up", "idle", "idle"),
        ("ec0", "power_up", "idle#", "idle"),
        ("ec0", "power_down", "idle%", "idle~"),
        ("busy", "power_down", "mixed!", "mixed!"),
        ("busy", "power_down_asap", "draining!", "draining!"),
        ("busy", "power_down_force", "idle%", "idle~"),
        ("busy", "power_up", "mixed", "mixed"),
    ],
)
def test_orders(cloud: Any, node: str, words: str, now: str, later: str) -> None:
    if node == "busy":
        node = "on1"
        cloud("sbatch -w on1 --requeue --sim-runtime 3000 --wrap x")
    cloud(f"scontrol update nodename={node} state={words}")
    assert states(cloud)[node] == now
    cloud("advance 91s")
    assert states(cloud)[node] == later


def test_an_order_waits_for_the_end_of_the_last_job(cloud: Any) -> None:
    cloud("sbatch -w on1 --sim-runtime 100 --wrap x")
    cloud("scontrol power down asap on1")
    assert "Reason=POWER_DOWN_ASAP [root@" in cloud("scontrol show node on1")
    assert cloud.run("scontrol update nodename=on1 state=power_down").code == 0
    cloud("advance 100s")
    assert states(cloud)["on1"] == "idle%"
    cloud("advance 61s")
    assert states(cloud)["on1"] == "idle~"


def test_resume_ends_the_wait_for_a_node_that_goes_down(cloud: Any) -> None:
    cloud("scontrol power down on[0-1]")
    cloud("sbatch -w on1 --wrap 'sleep 9'")
    assert cloud("squeue -h -o %R") == "(ReqNodeNotAvail, May be reserved for other job)\n"
    said = cloud("explain 1")
    assert "    1. wait until on1 can be switched on again, at 2026-01-01T00:01:01\n" in said
    assert "Expected start: 2026-01-01T00:01:01" in said
    cloud("scontrol update nodename=on1 state=resume")
    assert cloud("squeue -h -o '%t %R'") == "CF on1\n"
    assert "It waits for on1 to power up, and runs from 2026-01-01T00:01:30 on" in cloud("explain 1")
    assert states(cloud)["on1"] == "mixed#"


def test_a_drain_of_a_node_that_comes_up_requeues_its_jobs(cloud: Any) -> None:
    cloud("sbatch -w ec0 --requeue --wrap 'sleep 9'")
    cloud("scontrol update nodename=ec0 state=drain reason=no")
    assert cloud("squeue -h -o '%t %r'") == "PD BeginTime\n"
    assert states(cloud)["ec0"] == "drained#"


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("SuspendExcNodes=n[0-3]:2", "idle idle idle% idle%"),
        ("SuspendExcNodes=n0,n3", "idle idle% idle% idle"),
        ("SuspendExcParts=b", "idle% idle% idle idle"),
        ("SuspendExcStates=DRAIN", "drained idle% idle% idle%"),
        ("SlurmctldParameters=idle_on_node_suspend", "idle% idle% idle% idle%"),
        ("", "drained% idle% idle% idle%"),
        ("SuspendTime=-1", "drained idle idle idle"),
        ("ResumeProgram=", "drained idle idle idle"),
    ],
)
def test_who_is_switched_off(configured: Make, keys: str, expected: str) -> None:
    text = f"SuspendProgram=/s\nResumeProgram=/r\nSuspendTime=60\n{keys}\nNodeName=n[0-3] CPUs=2\n"
    sim = configured(f"{text}PartitionName=a Nodes=ALL Default=YES\nPartitionName=b Nodes=n[2-3]\n", ())
    if expected.startswith(("drained", "idle% idle% idle% idle%")):
        sim("scontrol update nodename=n0 state=drain reason=x")
    sim("advance 61s")
    assert " ".join(states(sim).values()) == expected


def test_partitions_have_their_own_times(configured: Make) -> None:
    text = "SuspendProgram=/s\nResumeProgram=/r\nResumeTimeout=30\nNodeName=n[0-3] CPUs=2\n"
    parts = (
        "PartitionName=a Nodes=n[0-2] Default=YES SuspendTime=60 SuspendTimeout=20\n"
        "PartitionName=b Nodes=n[2-3] SuspendTime=100 ResumeTimeout=50 PowerDownOnIdle=YES\n"
        "PartitionName=c Nodes=n1 SuspendTime=INFINITE\n"
    )
    sim = configured(text + parts, ())
    sim("advance 61s")
    assert " ".join(states(sim).values()) == "idle% idle idle idle"
    sim("advance 40s")
    assert " ".join(states(sim).values()) == "idle~ idle idle% idle%"
    sim("advance 40s")
    sim("sbatch -p b -w n3 --sim-runtime 5 --wrap x")
    sim("advance 49s")
    assert states(sim)["n3"] == "mixed#"
    sim("advance 6s")
    assert states(sim)["n3"] == "idle%"
    assert "SuspendTime=INFINITE" in sim("scontrol show node n1")
    assert "ResumeTimeout=50 SuspendTimeout=GLOBAL SuspendTime=100 PowerDownOnIdle=YES" in sim("scontrol show part b")


def test_without_programs_orders_are_obeyed_all_the_same(sim: Any) -> None:
    sim("scontrol power down node01")
    sim("advance 31s")
    assert states(sim)["node01"] == "idle~"
    sim("srun -w node01 true")
    assert sim("sacct -n -X -P -o state,start") == "COMPLETED|2026-01-01T00:01:31\n"


RATES = """
SuspendProgram=/s
ResumeProgram=/r
SuspendTime=600
SuspendTimeout=60
ResumeTimeout=30
{}
NodeName=n[0-5] CPUs=1{}
NodeSet=every Nodes=ALL
PartitionName=a Nodes=every Default=YES
"""


def count(sim: Any, state: str) -> int:
    return sum(each == state for each in states(sim).values())


def test_nodes_that_jobs_want_are_switched_on_at_the_resume_rate(configured: Make) -> None:
    sim = configured(RATES.format("ResumeRate=2", " State=CLOUD"), ())
    sim("sbatch -N5 --wait-all-nodes=1 --sim-runtime 60 --wrap x")
    assert (count(sim, "allocated#"), count(sim, "allocated~")) == (2, 3)
    sim("advance 60s")
    assert (count(sim, "allocated"), count(sim, "allocated#"), count(sim, "allocated~")) == (2, 2, 1)
    sim("advance 60s")
    assert (count(sim, "allocated"), count(sim, "allocated#")) == (4, 1)
    assert sim("squeue -h -o '%t %S'") == "CF 2026-01-01T00:00:00\n"
    sim("advance 30s")
    assert sim("squeue -h -o '%t %S'") == "R 2026-01-01T00:02:30\n"


def test_a_node_whose_job_is_cancelled_stays_off(configured: Make) -> None:
    sim = configured(RATES.format("ResumeRate=2", " State=CLOUD"), ())
    sim("sbatch -N4 --wrap x")
    sim("scancel 1")
    sim("advance 2m")
    assert (count(sim, "idle"), count(sim, "idle~")) == (2, 4)
    sim("scontrol update nodename=n[2-4] state=power_up")
    assert (count(sim, "idle#"), count(sim, "idle~")) == (2, 2)
    sim("advance 1m")
    assert (count(sim, "idle"), count(sim, "idle#")) == (4, 1)


def test_idle_nodes_are_switched_off_at_the_suspend_rate(configured: Make) -> None:
    sim = configured(RATES.format("SuspendRate=2", ""), ())
    seen = []
    for span in ("601s", "59s", "1s", "60s", "61s"):
        sim("advance", span)
        seen.append((count(sim, "idle"), count(sim, "idle%"), count(sim, "idle~")))
    assert seen == [(4, 2, 0), (4, 2, 0), (2, 4, 0), (0, 4, 2), (0, 0, 6)]


def test_what_power_saving_leaves_alone_can_be_changed(configured: Make) -> None:
    sim = configured(RATES.format("SuspendExcNodes=n0", ""), ())
    shown = "scontrol show config"
    sim("scontrol update SuspendExcNodes+=n[2-3]")
    assert "SuspendExcNodes         = n[0,2-3]\n" in sim(shown)
    sim("scontrol update suspendexcnodes-=n0,n2")
    assert "SuspendExcNodes         = n3\n" in sim(shown)
    sim("scontrol update suspendexcstates=DRAIN,DOWN")
    sim("scontrol update suspendexcstates-=DRAIN")
    assert "SuspendExcStates        = DOWN\n" in sim(shown)
    sim("advance 601s")
    assert states(sim)["n3"] == "idle"
    assert count(sim, "idle%") == 5
    sim("scontrol update SuspendExcNodes=")
    assert states(sim)["n3"] == "idle%"

    for line in ("SuspendExcNodes+=n9", "SuspendExcNodes=n[0-9]:2"):
        answer = sim.run("scontrol", "update", line)
        assert (answer.code, answer.err) == (1, "slurm_update error: Invalid node name specified\n")
    sim("scontrol update SuspendExcNodes=n[0-3]:2")
    assert sim.run("scontrol", "update", "SuspendExcNodes+=n1").code == 1
    sim("scontrol reconfigure")
    assert "SuspendExcNodes         = n0\n" in sim(shown)
