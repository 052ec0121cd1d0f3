"""Preemption by partition from end to end."""

from __future__ import annotations

SLURM_CONF = """\
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
NodeName=n[1-3] CPUs=1
PartitionName=normal Nodes=n[1-3] Default=YES PriorityTier=10 PreemptMode=OFF
PartitionName=low Nodes=n[1-3] PriorityTier=1
"""


def test_a_job_that_ends_elsewhere_is_taken_out_of_the_future_once(sim):
    """The preemptable job ends within the window of the first end, on a node that the waiting job may not use.

    So the window stays open, until another job that matters ends, as in Slurm.
    """
    (sim.cwd / "slurm.conf").write_text(SLURM_CONF)
    sim("init", "--from", "slurm.conf")
    sim("sbatch", "-w", "n1", "-t", "1", "--wrap", "sleep 50")
    sim("sbatch", "-w", "n2", "-t", "5", "--wrap", "sleep 250")
    sim("sbatch", "-p", "low", "-w", "n3", "-t", "2", "--wrap", "sleep 100")
    sim("sbatch", "-x", "n3", "-t", "1", "--wrap", "sleep 10")
    sim("advance", "10s")
    assert sim("squeue", "--start", "-h", "-o", "%i %S %Y") == "4 2026-01-01T00:05:00 n1\n"

    sim("advance", "45s")
    assert sim("squeue", "-h", "-o", "%i %t %N") == "3 R n3\n2 R n2\n4 R n1\n"


def test_the_job_tells_since_when_it_may_be_preempted_and_when_it_was(sim):
    (sim.cwd / "slurm.conf").write_text(SLURM_CONF.replace("REQUEUE", "CANCEL") + "PreemptExemptTime=00:00:30\n")
    sim("init", "--from", "slurm.conf")
    sim("sbatch", "-p", "low", "-w", "n3", "--wrap", "sleep 100")
    sim("advance", "40s")
    shown = [line.strip() for line in sim("scontrol show job 1").splitlines()]
    assert "PreemptEligibleTime=2026-01-01T00:00:30 PreemptTime=None" in shown

    sim("sbatch", "-w", "n3", "--wrap", "sleep 10")
    sim("advance", "1s")
    assert "PreemptEligibleTime=2026-01-01T00:00:30 PreemptTime=2026-01-01T00:00:40\n" in sim("scontrol show job 1")


def test_a_job_in_a_partition_of_shared_nodes_shows_no_memory_where_nobody_counts_it(sim):
    """As recorded in preempt_part_suspend_gang."""
    conf = SLURM_CONF.replace("PreemptMode=REQUEUE", "PreemptMode=SUSPEND,GANG\nDefMemPerCPU=100", 1)
    conf = conf.replace("CPUs=1", "CPUs=1 RealMemory=1000").replace("Tier=1\n", "Tier=1 OverSubscribe=FORCE:1\n")
    (sim.cwd / "slurm.conf").write_text(conf)
    sim("init", "--from", "slurm.conf")
    for partition, node in (("low", "n1"), ("normal", "n2")):
        sim("sbatch", "-p", partition, "-w", node, "--wrap", "sleep 100")

    shown = sim("scontrol", "show", "job", "1")
    assert "ReqTRES=cpu=1,mem=100M,node=1,billing=1\n   AllocTRES=cpu=1,node=1,billing=1\n" in shown
    assert sim("squeue", "-h", "-S", "i", "-o", "%i %h") == "1 OK\n2 NO\n"
