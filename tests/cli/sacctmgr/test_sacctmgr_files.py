"""``sacctmgr dump`` and ``load``, coordinators, names that change, usage that is cleared, and the trace's script."""

from __future__ import annotations

from pathlib import Path

import pytest
import scene
import world

from slimsched.cli.sacctmgr import command
from slimsched.controller.accounts import dump_file
from slimsched.errors import UserError
from slimsched.model.account import BUILTIN, Book
from slimsched.model.cluster import Cluster
from slimsched.slurm.limits import ASSOC, LIMITS

FILE = """\
# a comment
Cluster - 'oracle':Fairshare=2:QOS='normal,high'
Parent - 'root'
Account - 'lab':Description='a: b':Organization='sci':Fairshare=3:GrpTRES=cpu=8,mem=2048
Parent - 'lab'
User - 'ann':DefaultAccount='lab':AdminLevel='Operator':MaxJobs=5:\\
MaxWallDurationPerJob=90:DefaultQOS='high'
User - 'bob':Partition='debug':Coordinator='lab'
Account - sub:FairShare=parent
"""
DUMPED = """\
QOS - 'high':Description='high'
QOS - 'normal':Description='Normal QOS default'
Cluster - 'oracle':Fairshare=2:QOS='high,normal'
Parent - 'root'
User - 'root':DefaultAccount='root':AdminLevel='Administrator':Fairshare=1
Account - 'lab':Description='a: b':Organization='sci':Fairshare=3:GrpTRES=cpu=8,mem=2048
Parent - 'lab'
User - 'ann':DefaultAccount='lab':AdminLevel='Operator':DefaultQOS='high':Fairshare=1:MaxJobs=5:MaxWallDurationPerJob=90
User - 'bob':Partition='debug':DefaultAccount='lab':Coordinator='lab':Fairshare=1
Account - 'sub':Description='sub':Organization='lab':Fairshare=parent
"""


@pytest.fixture
def cluster() -> Cluster:
    return Cluster(world.recorded(), scene.at("08:00:00"))


@pytest.fixture
def sacctmgr(cluster, capsys):
    def run(line: str, *more: str):
        return scene.call(cluster, command, [*line.split(), *more], capsys)

    run("-i -Q add qos high")
    return run


@pytest.fixture
def path(tmp_path) -> str:
    (tmp_path / "in.cfg").write_text(FILE)
    return str(tmp_path / "in.cfg")


def test_load_says_what_is_new(sacctmgr, path):
    code, out, err = sacctmgr("-i -P load", path)

    assert (code, err) == (0, "sacctmgr: Done adding cluster in usec=0\n")
    head = (
        "|Share|GrpTRESMins|GrpTRESRunMins|GrpTRES|GrpJobs|GrpJobsAccrue|GrpMem|GrpNodes|GrpSubmit|GrpWall|MaxTRESMins|"
        "MaxTRES|MaxTRESPerNode|MaxJobs|MaxSubmit|MaxNodes|MaxWall|QOS|Def QOS"
    )
    assert out.splitlines() == [
        "For cluster oracle",
        " Changed fairshare             for Cluster oracle            1 -> 2",
        " Changed QOS                   for Cluster oracle       normal -> high,normal",
        "Accounts",
        "Name|Descr|Org|QOS",
        "lab|a: b|sci|",
        "sub|sub|lab|",
        "-" * 51,
        "",
        "Account Associations",
        f"Account|ParentName{head}",
        "lab|root|3|||cpu=8,mem=2G|||2048||||||||||||",
        "sub|lab|parent||||||||||||||||||",
        "-" * 62,
        "",
        "Users",
        "Name|Def Acct|Def WCKey|QOS|Admin|Coord Accounts",
        "ann|lab|||Operator|",
        "bob|lab|||Not Set|lab,sub",
        "-" * 51,
        "",
        "User Associations",
        f"User|Account{head}",
        "ann|lab||||||||||||||5|||01:30:00||high",
        "bob|lab|||||||||||||||||||",
        "-" * 62,
        "",
    ]


def test_what_is_dumped_can_be_loaded(sacctmgr, path, cluster, tmp_path):
    sacctmgr("-i -Q load", path)
    out = tmp_path / "out.cfg"

    code, said, told = sacctmgr(f"dump oracle file={out}")
    text = out.read_text()
    assert (code, said, told.replace("sacctmgr: ", "")) == (0, "", "".join(text.partition("QOS -")[1:]))
    assert told.splitlines()[1].startswith("QOS - 'normal'")
    assert text.startswith("# Cluster - 'NAME'")
    assert "".join(line for line in text.splitlines(keepends=True) if line[0] != "#") == DUMPED
    before = {name: dict(record) for name, record in cluster.accounting.items()}
    assert sacctmgr(f"-i load file={out}") == (0, "For cluster oracle\n Nothing new added.\n", "")
    assert cluster.accounting == before

    sacctmgr("-i modify user ann set MaxJobs=9 AdminLevel=none")
    sacctmgr("-i modify account sub set parent=root")
    assert sacctmgr(f"-i load {out} cluster=oracle")[1] == (
        "For cluster oracle\n"
        " Changed Admin Level           for User    ann            None -> Operator\n"
        " Changed MaxJobs               for User    ann               9 -> 5\n"
        " Changed Parent                for Account sub            root -> lab\n"
    )
    assert cluster.accounting == before


def test_a_file_of_its_own_name(sacctmgr, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)

    assert sacctmgr("dump cluster=oracle")[1] == " No filename given, using ./oracle.cfg.\n"
    assert Path("oracle.cfg").exists()
    said = sacctmgr("dump oracle file=/proc/nonexistent/x")[2]
    assert said == "Can't open file /proc/nonexistent/x, No such file or directory\n"


def test_clean_forgets_what_was_there(sacctmgr, path, cluster):
    sacctmgr("-i -Q add account old")
    sacctmgr("-i -Q add user eve account=old")

    sacctmgr("-i -Q load clean", path)

    book = Book(cluster)
    assert book.names("account") == ["lab", "root", "sub"]
    assert book.names("user") == ["ann", "bob", "root"]
    assert book.names("qos") == ["high", "normal"]


def test_nobody_agrees(sacctmgr, path, cluster, monkeypatch):
    import io

    before = dict(cluster.accounting)
    monkeypatch.setattr("sys.stdin", io.StringIO("no\n"))

    assert sacctmgr("load", path)[1].endswith("(N/y): \n Changes Discarded\n")
    assert cluster.accounting == before


BAD = [
    ("Account - 'a'", " You need to specify a cluster name first with 'Cluster - $NAME' in your file"),
    ("Cluster - oracle\nCluster - oracle", " You can only add one cluster at a time."),
    ("Cluster - other", " Cluster 'other' is not the one of this directory: load with cluster=oracle"),
    ("Cluster - oracle\nParent - 'nosuch'", " line(2) You need to add this parent (nosuch) as a child before you can"),
    ("Cluster - oracle\nThing - 'x'", " Misformatted line(2): Thing - 'x'"),
    ("Cluster oracle", " Misformatted line(1): Cluster oracle"),
    ("Cluster - oracle:fairshare", " Bad format on fairshare: End your option with an '=' sign\n Problem with line(1)"),
    ("Cluster - oracle:nosuch=1", " Unknown option: nosuch=1\n Problem with line(1)"),
    ("Cluster - :fairshare=1", " No name given\n Problem with line(1)"),
    ("Cluster - oracle:maxjobs=x", "Invalid value for MaxJobs (x)"),
]


@pytest.mark.parametrize(("text", "said"), BAD)
def test_bad_files_change_nothing(text, said, sacctmgr, cluster, tmp_path):
    path = tmp_path / "bad.cfg"
    path.write_text(text)
    before = dict(cluster.accounting)

    code, _, err = sacctmgr("-i load", str(path))

    assert code == 1
    assert err.removeprefix("sacctmgr: error: ").startswith(said)
    assert cluster.accounting == before


def test_accounts_without_a_parent_are_below_the_root(sacctmgr, tmp_path):
    path = tmp_path / "a.cfg"
    path.write_text("Cluster - oracle\nAccount - a:Description=  \n")

    said = sacctmgr("-i load", str(path))[1]
    assert " No parent given creating off root, If incorrect specify 'Parent - name' before" in said


@pytest.mark.parametrize(
    ("text", "items"),
    [("a:b=1", ["a", "b=1"]), ("'a:b':c='d:e'", ["a:b", "c=d:e"]), ('"it\'s":x=1', ["it's", "x=1"]), ("", [""])],
)
def test_items(text, items):
    assert dump_file._items(text) == items


def test_the_worst_of_lines_is_answered():
    assert len(list(dump_file.parse("Cluster - " + "'" * 100_001 + ":" * 100_000 + "x"))) == 1
    with pytest.raises(UserError):
        list(dump_file.parse("Cluster - a" + ":x" * 100_000))


# coordinators, names, usage


def test_coordinators(sacctmgr, cluster):
    for line in ("add account lab,sub", "add user ann,bob account=lab"):
        sacctmgr(f"-i -Q {line}")

    assert sacctmgr("-i add coordinator names=ann,bob accounts=lab,sub")[1] == (
        " Adding Coordinator User(s)\n  ann\n  bob\n To Account(s) and all sub-accounts\n  lab\n  sub\n"
    )
    assert sacctmgr("-nP show user ann,bob withcoord format=user,coord")[1] == "ann|lab,sub\nbob|lab,sub\n"
    said = " Removing Coordinators with user name\n  ann\n From Account(s)\n  sub\n"
    gone = " Removed Coordinators (sub accounts not listed)...\n  U = ann       A = sub       \n"
    assert sacctmgr("-i delete coordinator ann account=sub") == (0, said + gone, "")
    assert sacctmgr("-i delete coordinator ann account=sub") == (1, said + " Nothing removed\n", "")
    assert cluster.accounting["user ann"]["Coordinators"] == "lab"


def test_a_user_gets_another_name(sacctmgr, cluster):
    for line in ("add account lab", "add user ann account=lab MaxJobs=3"):
        sacctmgr(f"-i -Q {line}")

    assert sacctmgr("-i modify user ann set newname=anna")[0] == 0
    assert cluster.accounting["assoc lab anna"]["MaxJobs"] == "3"
    assert "user ann" not in cluster.accounting
    said = sacctmgr("-i modify user set newname=x")[2]
    assert said.startswith(" Error with request: Can only change one at a time\n")


def test_usage_is_cleared_of_an_account_and_all_below_it(sacctmgr, cluster):
    for line in ("account lab", "account sub parent=lab", "user ann account=sub", "user bob account=root"):
        sacctmgr(f"-i -Q add {line}")
    cluster.usage = {name: {"At": "0", "cpu": "60.0"} for name in ("assoc sub ann", "assoc root bob", "qos high")}

    assert sacctmgr("-i modify account lab set RawUsage=0")[1] == (
        "No cluster specified, resetting on local cluster oracle\n"
    )
    assert {name: "cpu" in record for name, record in cluster.usage.items()} == {
        **{"assoc sub ann": False, "assoc root bob": True, "qos high": True, "assoc lab": False, "assoc sub": False}
    }
    sacctmgr("-i modify qos high set rawusage=0")
    assert "cpu" not in cluster.usage["qos high"]
    assert "usage qos high" in cluster.dirty_accounting


def test_what_others_have_as_their_default_is_not_deleted(sacctmgr):
    for line in ("add account lab,sub", "add user ann account=lab,sub", "modify user ann set qos=high defaultqos=high"):
        sacctmgr(f"-i -Q {line}")

    assert sacctmgr("-i delete account lab") == (
        1,
        "",
        " Error with request: You can not remove the default account of a user\n"
        "  C = oracle          A = lab        U = ann      \n"
        " Please either remove the accounts listed above from list and resubmit,\n"
        " or change these users' default accounts to remove the account(s).\n Changes Discarded\n",
    )
    assert sacctmgr("-i delete qos high")[2].splitlines()[:2] == [
        " Associations listed below have these as their Default QOS.",
        "  DefQOS = high       C = oracle     A = lab                  U = ann      ",
    ]


def test_qos_settings_as_they_are_told(sacctmgr):
    assert sacctmgr(
        "-i add qos big flags=nodecay,DenyOnLimit gracetime=90 maxjobspu=3 maxtresrunminspu=cpu=9 maxwall=90 "
        "preempt=high preemptmode=requeue usagefactor=0.5"
    )[1].splitlines() == [
        " Adding QOS(s)",
        "  big",
        " Settings",
        "  Description    = big",
        "  Flags                    = DenyOnLimit,NoDecay",
        "  GraceTime                = 90",
        "  MaxJobsPerUser = 3",
        "  MaxTRESRUNMinsPerUser    = cpu=9",
        "  MaxWall                  = 01:30:00",
        "  Preempt                  = high",
        "  PreemptMode              = REQUEUE",
        "  UsageFactor              = 0.5000",
    ]


def test_clusters(sacctmgr, cluster):
    assert sacctmgr("-i add cluster micro Fairshare=1 MaxJobs=5")[1] == (
        " Adding Cluster(s)\n  Name           = micro\n Setting\n  Default Limits:\n  Fairshare     = 1\n"
        "  MaxJobs       = 5\n"
    )
    assert sacctmgr("-i modify cluster micro set GrpJobs=9")[1] == (
        " Setting\n  Default Limits:\n  GrpJobs       = 9\n"
        " Modified cluster defaults for associations...\n  C = micro      A = root\n"
    )
    assert sacctmgr("-nP show cluster format=cluster,maxj,grpj,controlh")[1] == "oracle|||127.0.0.1\nmicro|5|9|\n"
    assert sacctmgr("-i delete cluster micro")[1] == " Deleting clusters...\n  micro\n"


def test_switches_hold_from_their_line_on(sacctmgr, monkeypatch):
    import io

    lines = "ass\nshow user root format=user,account\nreadonly\ndelete user root\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))

    code, out, err = sacctmgr("-nP")

    assert (code, err) == (1, "Can't run this command in readonly mode.\n")
    assert [line for line in out.splitlines() if not line.startswith("sacctmgr: ")] == ["root|root"]


TRACES = Path(__file__).parents[4] / "shared" / "traces" / "ub-hpc"


@pytest.mark.skipif(not TRACES.exists(), reason="the traces are not here")
@pytest.mark.parametrize(
    ("name", "user", "qos"),
    [
        ("micro_cluster", "assoc account1 user1", "normal,supporters"),
        ("medium_cluster", "assoc account061 user092", "debug,"),
    ],
)
def test_the_script_of_a_trace(name, user, qos, cluster, capsys):
    code, out, err = scene.call(cluster, command, ["-i", str(TRACES / name / "sacctmgr.script")], capsys)

    assert (code, err) == (0, "")
    assert user.split(" ")[1] in out
    assert cluster.accounting[user]["QosLevel"].startswith(qos)
    assert len(cluster.accounting) > len(BUILTIN) + 10


@pytest.mark.parametrize("limit", [row.names()[0][0] for row in LIMITS if ASSOC in row.where and not row.resource])
def test_every_limit_of_an_association_is_dumped_and_loaded(limit, sacctmgr, path, tmp_path):
    value = "cpu=5" if "TRES" in limit else "5"
    Path(path).write_text(FILE + f"Account - 'kept':{limit}={value}\n")
    sacctmgr(f"-i load {path}")
    sacctmgr(f"-i dump oracle file={tmp_path / 'out.cfg'}")

    line = next(line for line in (tmp_path / "out.cfg").read_text().splitlines() if "'kept'" in line)
    assert line.endswith(f":Fairshare=1:{limit}={value}")
