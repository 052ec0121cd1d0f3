"""The priorities that commands show are those of the instant at which they look."""

from __future__ import annotations

TOML = """
[slurm]
PriorityType = "priority/multifactor"
PriorityWeightAge = "1000"
PriorityMaxAge = "1-00:00:00"
PriorityWeightJobSize = "100"
[[nodes]]
NodeName = "node1"
CPUs = 4
RealMemory = 1000
[[partitions]]
PartitionName = "debug"
Nodes = "ALL"
Default = true
MaxTime = 6000
"""


def files(sim) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in sim.state.rglob("*") if p.is_file() and p.name != "lock"}


def test_age_is_shown_while_nothing_can_start(sim):
    sim.init(TOML)
    sim("sbatch -n4 -t 6000 --wrap 'sleep 360000'")
    sim("sbatch -n4 -t 600 --wrap true")
    sim("sbatch -n4 -t 600 --hold --wrap true")
    sim("advance 6h")
    before = files(sim)

    assert sim("sprio -h -o '%i %Y %A'") == "2 350 250\n"
    assert sim("squeue -h -t PD -S i -o '%i %Q'") == "2 350\n3 0\n"
    assert " Priority=350 " in sim("scontrol show job 2")
    assert files(sim) == before

    sim("scontrol update jobid=2 comment=x")
    assert sim("squeue -h -j 2 -o %Q") == "350\n"


def test_what_was_set_by_hand_stays(sim):
    sim.init(TOML)
    sim("sbatch -n4 -t 6000 --wrap 'sleep 360000'")
    sim("sbatch -n4 -t 600 --priority 7 --wrap true")
    sim("advance 6h")
    assert sim("squeue -h -t PD -o %Q") == "7\n"
