"""``-M`` of the commands that show accounting: the own cluster, and one that nobody knows."""

from __future__ import annotations

import pytest

UNKNOWN = (
    "{0}: error: Problem talking to database\n"
    "{0}: error: 'nosuch' can't be reached now, or it is an invalid entry for --cluster.  "
    "Use 'sacctmgr list clusters' to see available clusters.\n"
    "{0}: fatal: Could not get cluster information\n"
)


@pytest.mark.parametrize("line", ["sprio", "sshare", "sdiag"])
def test_an_unknown_cluster_is_refused(configured, line):
    sim = configured("ClusterName=own\nNodeName=n1\nPartitionName=p Nodes=n1\nPriorityType=priority/multifactor\n", ())
    assert sim.run(f"{line} -M nosuch") == (1, "", UNKNOWN.format(line))
    ahead = "CLUSTER: own\n" if line == "sshare" else ""
    assert sim(f"{line} -M own") == ahead + sim(line)


def test_sacct_lists_no_jobs_of_another_cluster(configured):
    sim = configured("ClusterName=own\nNodeName=n1\nPartitionName=p Nodes=n1 Default=YES\n", ())
    sim("sbatch --wrap true")
    assert sim("sacct -X -n -P -o jobid -M nosuch") == ""
    for clusters in ("own", "nosuch,own", "all"):
        assert sim(f"sacct -X -n -P -o jobid -M {clusters}") == "1\n"
