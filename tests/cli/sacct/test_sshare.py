"""``sim sshare``: the tree of shares and usage, by whole output."""

from __future__ import annotations

import pytest
import scene
import world

from slimsched.cli.sacct.sshare import command
from slimsched.model.account import Book
from slimsched.model.cluster import Cluster
from slimsched.model.job import Job
from slimsched.model.request import JobRequest


@pytest.fixture
def cluster() -> Cluster:
    """Return a cluster with users of two accounts, one below the other, a quarter of an hour after it was made."""
    made = Cluster(world.recorded(), scene.at("08:00:00"))
    made.config.slurm |= {"PriorityType": "priority/multifactor", "PriorityDecayHalfLife": "0"}
    book = Book(made)
    book.put("account lab", {})
    book.put("account sub", {})
    book.put("assoc lab", {"ID": "3", "ParentName": "root", "Fairshare": "3", "GrpTRESMins": "cpu=100"})
    book.put("assoc sub", {"ID": "4", "ParentName": "lab"})
    book.put("assoc lab bob", {"ID": "5", "ParentName": "lab"})
    book.put("assoc sub eve", {"ID": "6", "ParentName": "sub", "Fairshare": "parent"})
    book.put("assoc sub eve debug", {"ID": "7", "ParentName": "sub"})
    for number, (account, user, partition) in enumerate((("lab", "bob", "debug"), ("sub", "eve", "batch")), 1):
        request = JobRequest(account=account, partition=partition)
        job = Job(job_id=number, request=request, user_name=user, partition=partition, state="RUNNING")
        job.start_time, job.cpus, job.memory = made.now, [2 * number], [100]
        job.end_time = made.now + 3600
        made.jobs[number] = job
    made.now += 900
    return made


@pytest.fixture
def sshare(cluster, capsys):
    def run(*line: str):
        return scene.call(cluster, command, [*line], capsys)

    return run


HEADER = """\
Account                    User  RawShares  NormShares    RawUsage  EffectvUsage  FairShare 
-------------------- ---------- ---------- ----------- ----------- ------------- ---------- 
"""  # noqa: W291
ALL = (
    HEADER
    + """\
root                                          0.000000        5400      1.000000            
 root                      root          1    0.250000           0      0.000000   1.000000 
 lab                                     3    0.750000        5400      1.000000            
  lab                       bob          1    0.500000        1800      0.333333   0.750000 
  sub                                    1    0.500000        3600      0.666667            
   sub                      eve     parent    0.500000        3600      1.000000   0.250000 
   sub                      eve          1    0.500000           0      0.000000   0.500000 
"""  # noqa: W291
)


def test_all_users(sshare):
    assert sshare("-a") == (0, ALL, "")
    assert sshare("-u", "-1") == (0, ALL, "")


def test_accounts_and_ones_own_line(sshare):
    shown = ALL.splitlines()

    assert sshare()[1].splitlines() == [line for line in shown if " bob " not in line and " eve " not in line]
    assert sshare("-u", "bob,eve", "-n")[1].splitlines() == [line for line in shown[2:] if " root   " not in line[10:]]


def test_what_is_not_shown_above_does_not_move_a_line(sshare):
    assert sshare("-nPU", "-u", "eve,bob", "-o", "account,user,partition")[1] == ("lab|bob|\nsub|eve|\nsub|eve|debug\n")
    tree = "lab|\n lab|bob\n sub|\n  sub|eve\n  sub|eve\n"
    assert sshare("-nPa", "-A", "lab,SUB", "-o", "account%30,user")[1] == tree
    assert sshare("-nPU", "-a", "-o", "Account%256")[1] == "root\nlab\nsub\nsub\n"


def test_long(sshare):
    head, lab, bob = sshare("-l", "-P", "-A", "lab", "-u", "bob")[1].splitlines()

    assert head == (
        "Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS|GrpTRESMins|TRESRunMins"
    )
    rest = "energy=0,node={},billing={},fs/disk=0,vmem=0,pages=0"
    assert lab == f"lab||3|0.750000|5400|1.000000|1.000000||0.750000|cpu=100|cpu=270,mem=9000,{rest.format(90, 270)}"
    assert bob == f" lab|bob|1|0.500000|1800|0.333333|0.333333|0.750000|1.500000||cpu=90,mem=4500,{rest.format(45, 90)}"


def test_partitions_and_resources_used(sshare):
    assert sshare("-m", "-P", "-A", "sub", "-u", "eve")[1] == (
        "Account|User|Partition|RawShares|NormShares|RawUsage|EffectvUsage|FairShare\n"
        "sub|||1|0.500000|3600|0.666667|\n"
        " sub|eve||parent|0.500000|3600|1.000000|0.250000\n"
        " sub|eve|debug|1|0.500000|0|0.000000|0.500000\n"
    )
    assert sshare("-nP", "-A", "lab", "-u", "bob", "-o", "user,id,cluster,GrpTRESRaw")[1] == (
        "|3|oracle|cpu=90,mem=3000,energy=0,node=30,billing=90,fs/disk=0,vmem=0,pages=0\n"
        "bob|5|oracle|cpu=30,mem=1500,energy=0,node=15,billing=30,fs/disk=0,vmem=0,pages=0\n"
    )


def test_the_older_formula_has_no_levels(sshare, cluster):
    cluster.config.slurm["PriorityFlags"] = "NO_FAIR_TREE"

    lines = sshare("-lP", "-A", "lab")[1].splitlines()

    assert "LevelFS" not in lines[0]
    assert lines[1].startswith("lab||3|0.750000|5400|1.000000|1.000000||")
    assert sshare("-lPn")[1].splitlines()[0].startswith("root|||1.000000|5400||1.000000||")


def test_without_multifactor_nothing_is_weighed(sshare, cluster):
    cluster.config.slurm["PriorityType"] = "priority/basic"

    assert sshare("-P", "-A", "lab", "-u", "bob")[1] == (
        "Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare\n"
        "lab||3||0|0.000000|\n lab|bob|1||0|0.000000|0.000000\n"
    )


def test_a_field_that_is_not_there(sshare):
    assert sshare("-o", "nosuch") == (1, "", 'sshare: error: Invalid field requested: "nosuch"\n')


def test_the_list_of_fields(sshare):
    assert sshare("-e")[1] == (
        "Account      Cluster      EffectvUsage FairShare   \nGrpTRESMins  GrpTRESRaw   ID           LevelFS     \n"
        "NormShares   NormUsage    Partition    RawShares   \nRawUsage     TRESRunMins  User        \n"
    )


def test_fair_share_sees_usage_at_the_next_calculation(sim):
    """A job is charged when it ends; the factors follow at the end of the period (`PriorityCalcPeriod`)."""
    (sim.cwd / "slurm.conf").write_text(
        "AccountingStorageType=accounting_storage/slurmdbd\nPriorityType=priority/multifactor\nPriorityCalcPeriod=1\n"
        "NodeName=n[1-2] CPUs=4\nPartitionName=p Nodes=n[1-2] Default=YES\n"
    )
    sim("init", "--from", "slurm.conf")
    for name in ("ann", "ben"):
        sim("sacctmgr", "-i", "add", "account", f"lab{name}")
        sim("sacctmgr", "-i", "add", "user", name, f"account=lab{name}")
    sim("sacctmgr", "-i", "add", "qos", "half", "usagefactor=0.5")
    sim("sacctmgr", "-i", "modify", "user", "ben", "set", "qos=half")
    sim("sbatch", "--uid=ann", "-n4", "--wrap", "sleep 20")
    sim("sbatch", "--uid=ben", "-n4", "-q", "half", "--wrap", "sleep 20")

    seen = []
    for span in ("25s", "30s", "10s"):
        sim("advance", span)
        lines = sim("sshare", "-nPa", "-o", "user,rawusage,effectvusage,fairshare").split()
        seen.append([line for line in lines if line[:1] in {"a", "b"}])

    assert seen[0] == seen[1] == ["ann|79|0.000000|1.000000", "ben|39|0.000000|1.000000"]
    assert seen[2] == ["ann|79|1.000000|0.333333", "ben|39|1.000000|0.666667"]
