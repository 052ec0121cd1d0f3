"""scontrol show assoc_mgr: users, associations and QOS in Slurm's layout, and the recorded text without accounting."""

from __future__ import annotations

import pytest
import scene
import world

from slimsched.model.account import Book
from slimsched.model.cluster import Cluster
from slimsched.render.accounts import assoc_mgr

EMPTY = """\
Current Association Manager state

No users currently cached in Slurm.


No associations currently cached in Slurm.


No QOS currently cached in Slurm.

"""
ZERO = "cpu=N(0),mem=N(0),energy=N(0),node=N(0),billing=N(0),fs/disk=N(0),vmem=N(0),pages=N(0)"
HELD = "cpu=8(2),mem=N(200),energy=N(0),node=N(1),billing=N(2),fs/disk=N(0),vmem=N(0),pages=N(0)"
PLEDGED = "cpu=N(120),mem=N(12000),energy=N(0),node=N(60),billing=N(120),fs/disk=N(0),vmem=N(0),pages=N(0)"


@pytest.fixture
def busy(sim):
    """Run a command on a cluster where a job of root runs, and one waits, on the account physics."""
    for line in (
        "sacctmgr -i add qos high MaxJobsPU=3 MaxTRESPA=cpu=16 Priority=5 MaxWall=90 Preempt=normal",
        "sacctmgr -i add account physics MaxJobs=5 GrpTRES=cpu=8 Fairshare=3",
        "sacctmgr -i add user root account=physics MaxTRES=node=2",
        "sacctmgr -i modify user root set DefaultAccount=physics",
        "sacctmgr -i modify user root where account=physics set qos=high",
    ):
        sim(*line.split())
    sim("sbatch", "-n2", "--mem=200", "-t60", "--wrap", "sleep 300")
    return sim


def test_no_accounting(sim):
    sim("init", "--force", "--set", "AccountingStorageType=accounting_storage/none")
    assert sim("scontrol", "show", "assoc_mgr") == EMPTY


def test_what_is_there_before_anybody_defined_anything(sim):
    assert sim("scontrol", "-o", "show", "assoc_mgr", "flags=qos").endswith("No QOS currently cached in Slurm.\n")
    sim("init", "--set", "AccountingStorageType=accounting_storage/slurmdbd", "--force")
    lines = sim("scontrol", "-o", "show", "assoc_mgr").splitlines()

    assert lines[:4] == [
        "Current Association Manager state",
        "User Records",
        "UserName=root(0) DefAccount=root DefWckey= AdminLevel=Administrator",
        "Association Records",
    ]
    assert [line.split(" SharesRaw")[0] for line in lines[4:6]] == [
        "ClusterName=cluster Account=root UserName= Partition= Priority=0 ID=1",
        "ClusterName=cluster Account=root UserName=root(0) Partition= Priority=0 ID=2",
    ]
    assert lines[6] == "QOS Records"
    assert lines[7].startswith("QOS=normal(1) UsageRaw=0.000000 GrpJobs=N(0) GrpJobsAccrue=N(0) GrpSubmitJobs=N(0) ")
    assert lines[7].endswith(" PreemptMode=OFF Priority=0 Account Limits=No Accounts User Limits=No Users")


def test_associations(busy):
    assert (
        busy("scontrol", "show", "assoc_mgr", "flags=assoc", "accounts=physics")
        == f"""\
Current Association Manager state

Association Records

ClusterName=cluster Account=physics UserName= Partition= Priority=0 ID=3
    SharesRaw/Norm/Level/Factor=3/18446744073709551616.00/1/0.00
    UsageRaw/Norm/Efctv=0.00/1.00/0.00
    ParentAccount=root(1) Lineage=/physics/ DefAssoc=No
    GrpJobs=N(1) GrpJobsAccrue=N(0)
    GrpSubmitJobs=N(1) GrpWall=N(0.00)
    GrpTRES={HELD}
    GrpTRESMins={ZERO}
    GrpTRESRunMins={PLEDGED}
    MaxJobs=5(1) MaxJobsAccrue= MaxSubmitJobs= MaxWallPJ=
    MaxTRESPJ=
    MaxTRESPN=
    MaxTRESMinsPJ=
    MinPrioThresh=
    Comment=(null)
ClusterName=cluster Account=physics UserName=root(0) Partition= Priority=0 ID=4
    SharesRaw/Norm/Level/Factor=1/18446744073709551616.00/1/0.00
    UsageRaw/Norm/Efctv=0.00/1.00/0.00
    ParentAccount= Lineage=/physics/0-root/ DefAssoc=Yes
    GrpJobs=N(1) GrpJobsAccrue=N(0)
    GrpSubmitJobs=N(1) GrpWall=N(0.00)
    GrpTRES={HELD.replace("=8", "=N")}
    GrpTRESMins={ZERO}
    GrpTRESRunMins={PLEDGED}
    MaxJobs= MaxJobsAccrue= MaxSubmitJobs= MaxWallPJ=
    MaxTRESPJ=node=2
    MaxTRESPN=
    MaxTRESMinsPJ=
    MinPrioThresh=
    Comment=(null)
"""
    )


def test_qos(busy):
    members = HELD.replace("=8", "=16")
    assert (
        busy("scontrol", "show", "assoc_mgr", "qos=high", "f=QOS")
        == f"""\
Current Association Manager state

QOS Records

QOS=high(2)
    UsageRaw=0.000000
    GrpJobs=N(1) GrpJobsAccrue=N(0) GrpSubmitJobs=N(1) GrpWall=N(0.00)
    GrpTRES={HELD.replace("=8", "=N")}
    GrpTRESMins={ZERO}
    GrpTRESRunMins={PLEDGED}
    MaxWallPJ=90
    MaxTRESPJ=
    MaxTRESPN=
    MaxTRESMinsPJ=
    MinPrioThresh=\x20
    MinTRESPJ=
    PreemptMode=OFF
    Priority=5
    Account Limits
      physics
        MaxJobsPA=N(1) MaxJobsAccruePA=N(0) MaxSubmitJobsPA=N(1)
        MaxTRESPA={members}
        MaxTRESRunMinsPA={PLEDGED}
    User Limits
      root(0)
        MaxJobsPU=3(1) MaxJobsAccruePU=N(0) MaxSubmitJobsPU=N(1)
        MaxTRESPU={HELD.replace("=8", "=N")}
        MaxTRESRunMinsPU={PLEDGED}
"""
    )


def test_users_only(busy):
    busy("sacctmgr", "-i", "add", "user", "nobody2", "account=physics")

    assert busy("scontrol", "show", "assoc_mgr", "users=nobody2", "flags=users") == (
        "Current Association Manager state\n\nUser Records\n\n"
        "UserName=nobody2(4294967294) DefAccount=physics DefWckey= AdminLevel=None\n"
    )


def test_one_line_for_each_record(busy):
    line = busy("scontrol", "-o", "show", "assoc_mgr", "qos=high", "flags=qos").splitlines()[-1]

    counts = "MaxJobsPA=N(1) MaxJobsAccruePA=N(0) MaxSubmitJobsPA=N(1)"
    assert f" Account Limits= physics={{{counts} MaxTRESPA=cpu=16(2)," in line
    assert line.endswith("pages=N(0)}")


def test_users_leave_out_other_users_and_no_accounts(busy):
    busy("sacctmgr", "-i", "add", "user", "ann", "account=physics")
    listed = busy("scontrol", "-o", "show", "assoc_mgr", "flags=assoc", "users=ann")

    found = [tuple(line.split(" ")[1:3]) for line in listed.splitlines() if line.startswith("ClusterName=")]
    assert [account for account, _ in found] == ["Account=root", "Account=physics", "Account=physics"]
    assert [user.partition("(")[0] for _, user in found] == ["UserName=", "UserName=", "UserName=ann"]


def test_shares_where_usage_is_counted():
    cluster = Cluster(world.recorded(), scene.at("08:00:00"))
    cluster.config.slurm["PriorityType"] = "priority/multifactor"
    Book(cluster).put("account lab", {})
    Book(cluster).put("assoc lab", {"ID": "3", "ParentName": "root", "Fairshare": "3"})

    listed = assoc_mgr.text(cluster, assoc_mgr.Wanted(), known=True)

    shares = [line.strip() for line in listed.splitlines() if "SharesRaw" in line or "UsageRaw/Norm" in line]
    assert "SharesRaw/Norm/Level/Factor=3/0.75/4/0.00" in shares
    assert shares[1::2] == ["UsageRaw/Norm/Efctv=0.00/0.00/0.00"] * 3
