"""``PrivateData``: what one user sees of others' jobs, shares, nodes, partitions and reservations.

Recorded from Slurm 26.11 (accounting, ``private_data``) as far as jobs and usage; the others by slurmctld's source.
"""

from __future__ import annotations

import pytest

CONF = "ClusterName=c\nNodeName=n[1-2] CPUs=4\nPartitionName=debug Nodes=n[1-2] Default=YES\n{}"
ACCOUNTS = (
    "add account phys",
    "add account chem",
    "add user alice account=phys",
    "add user bob account=chem",
    "add user carol account=chem",
    "add user dan account=chem adminlevel=operator",
    "add coordinator account=chem names=carol",
)
DENIED = "Access/permission denied\n"


@pytest.fixture
def private(configured):
    def make(kinds: str):
        sim = configured(CONF.format(f"PrivateData={kinds}\nPriorityType=priority/multifactor\n"), ACCOUNTS)
        for user in ("alice", "bob"):
            sim("sbatch", f"--uid={user}", "-t1", "--wrap", "sleep 50")
            sim("sbatch", f"--uid={user}", "-N2", "--exclusive", "-t1", "--wrap", "sleep 50")
        return sim

    return make


@pytest.mark.parametrize(
    ("user", "seen"), [("alice", "1\n2\n"), ("bob", "3\n4\n"), ("carol", "3\n4\n"), ("dan", "1\n2\n3\n4\n")]
)
def test_jobs(private, user, seen):
    sim = private("jobs")
    assert sim(f"--as {user} squeue -h -S i -o %i") == seen
    assert sim("squeue -h -S i -o %i") == "1\n2\n3\n4\n"
    assert sim(f"--as {user} sacct -a -X -n -P -o jobid") == "1\n2\n3\n4\n"  # slurmdbd has a PrivateData of its own
    assert sim(f"--as {user} sprio -h -o %i") == "".join(f"{n}\n" for n in seen.split() if n in "234")
    for other in "13":
        answer = sim.run(f"--as {user} scontrol show job {other}")
        expected = (0, "") if other in seen else (1, "slurm_load_jobs error: Invalid job id specified\n")
        assert (answer.code, answer.err) == expected
        answer = sim.run(f"--as {user} squeue -j {other}")
        assert (answer.code, answer.err) == expected


@pytest.mark.parametrize(
    ("user", "seen"),
    [
        ("alice", "phys|alice\n"),
        ("bob", "chem|bob\n"),
        ("carol", "chem|\n chem|bob\n chem|carol\n chem|dan\n"),
        ("root", "root|\n root|root\n chem|\n  chem|bob\n  chem|carol\n  chem|dan\n phys|\n  phys|alice\n"),
    ],
)
def test_usage(private, user, seen):
    assert private("usage,jobs")(f"--as {user} sshare -a -n -P -o account,user") == seen


REFUSED = [
    ("nodes", "sinfo", f"slurm_load_node: {DENIED}"),
    ("nodes", "scontrol show nodes", f"slurm_load_node error: {DENIED}"),
    ("partitions", "sinfo", f"slurm_load_partitions: {DENIED}"),
    ("partitions", "scontrol show partition debug", f"slurm_load_partitions error: {DENIED}"),
]


@pytest.mark.parametrize(("kinds", "line", "said"), REFUSED)
def test_lists_that_are_refused_whole(private, kinds, line, said):
    sim = private(kinds)
    assert sim.run(f"--as alice {line}") == (1, "", said)
    assert sim.run(f"--as dan {line}") == sim.run(line)
    assert sim.run(line).code == 0


def test_reservations(private):
    sim = private("reservations")
    for name, who in (("one", "users=alice"), ("two", "accounts=chem")):
        assert sim.run(f"scontrol create reservation={name} {who} starttime=now+1hour duration=10 nodes=n1").code == 0
        sim("scontrol update reservation=one starttime=now+3hours") if name == "one" else None
    assert "two" not in sim("--as alice scontrol show reservation")
    assert "one" not in sim("--as bob sinfo -T")
    assert all(name in sim("sinfo -T") for name in ("one", "two"))
