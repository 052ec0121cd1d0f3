"""scontrol show assoc_mgr: what sacctmgr defined, and the recorded text where nobody defined anything."""

from __future__ import annotations

EMPTY = """\
Current Association Manager state

No users currently cached in Slurm.


No associations currently cached in Slurm.


No QOS currently cached in Slurm.

"""


def test_nothing_defined(sim):
    assert sim("scontrol", "show", "assoc_mgr") == EMPTY


def test_what_sacctmgr_defined(sim):
    sim("sacctmgr", "-i", "add", "account", "physics", "maxjobs=5")
    sim("sacctmgr", "-i", "add", "user", "ben", "account=physics")

    lines = sim("scontrol", "show", "assoc_mgr").splitlines()

    assert "UserName=ben DefAccount=physics AdminLevel=None" in lines
    here = lines.index("ClusterName=cluster Account=physics UserName= Partition=")
    assert "MaxJobs=5" in lines[here + 1]
    assert "ClusterName=cluster Account=physics UserName=ben Partition=" in lines
    assert any(line.startswith("QOS=normal") for line in lines)
