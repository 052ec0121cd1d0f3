"""``sim sacctmgr`` against what the real one printed, its grammar, and a file of commands."""

from __future__ import annotations

import io

import pytest
import scene
import world

from slimsched.cli.sacctmgr import command
from slimsched.model.account import BUILTIN, Book
from slimsched.model.cluster import Cluster


@pytest.fixture
def cluster() -> Cluster:
    made = Cluster(world.recorded(), scene.at("08:00:00"))
    made.config.slurm["SlurmctldPort"] = "46817"
    return made


@pytest.fixture
def sacctmgr(cluster, capsys):
    def run(line: str, *more: str):
        return scene.call(cluster, command, [*line.split(), *more], capsys)

    return run


def test_as_recorded(sacctmgr):
    """Scenario sacct_accounting, in its order."""
    assert sacctmgr("show cluster -P")[1] == (
        "Cluster|ControlHost|ControlPort|RPC|Share|GrpJobs|GrpTRES|GrpSubmit|MaxJobs|MaxTRES|MaxSubmit|MaxWall|QOS|"
        "Def QOS\noracle|127.0.0.1|46817|11776|1||||||||normal|\n"
    )
    assert sacctmgr("show user -P")[1] == "User|Def Acct|Admin\nroot|root|Administrator\n"
    assert sacctmgr("show assoc -P")[1] == (
        "Cluster|Account|User|Partition|Share|Priority|GrpJobs|GrpTRES|GrpSubmit|GrpWall|GrpTRESMins|MaxJobs|MaxTRES|"
        "MaxTRESPerNode|MaxSubmit|MaxWall|MaxTRESMins|QOS|Def QOS|GrpTRESRunMins\n"
        "oracle|root|||1|||||||||||||normal||\noracle|root|root||1|||||||||||||normal||\n"
    )
    assert sacctmgr("show qos -P format=name,priority")[1] == "Name|Priority\nnormal|0\n"
    assert sacctmgr("show qos -P format='name,priority'")[1] == "Name|Priority\nnormal|0\n"
    assert sacctmgr("-i add account acct") == (
        0,
        " Adding Account(s)\n  acct\n Settings\n  Description     = Account Name\n"
        "  Organization    = Parent/Account Name\n Associations =\n  C = oracle     A = acct                \n",
        "",
    )
    assert sacctmgr("-i add user root account=acct")[1] == (
        " Associations =\n  C = oracle     A = acct                 U = root     \n"
    )
    assert sacctmgr("show assoc -P format=cluster,account,user")[1] == (
        "Cluster|Account|User\noracle|root|\noracle|root|root\noracle|acct|\noracle|acct|root\n"
    )


def test_an_account_that_was_taken_from_the_cluster_comes_back(sacctmgr):
    sacctmgr("-i add account one,two")
    sacctmgr("-i delete account one cluster=oracle")
    assert sacctmgr("show account -nP format=account")[1] == "one\nroot\ntwo\n"

    assert sacctmgr("-i add user ann account=one")[1].startswith("No account one on cluster oracle, skipping.\n")
    assert sacctmgr("-i add account one,two fairshare=3")[:2] == (
        0,
        " Already existing account two on cluster oracle\n Associations =\n  C = oracle     A = one                 \n"
        " Settings\n  Fairshare     = 3\n",
    )
    assert "one||3\n" in sacctmgr("show assoc -nP format=account,user,fairshare")[1]


def test_one_of_several_associations_with_the_default_account_may_go(sacctmgr):
    """As Slurm's own test suite has it (test_102_6)."""
    sacctmgr("-i add account one")
    sacctmgr("-i add user ann defaultaccount=one")
    sacctmgr("-i add user ann defaultaccount=one partition=debug")

    assert sacctmgr("-i delete user ann account=one partition=debug")[0] == 0
    assert sacctmgr("show assoc -nP where user=ann format=account,partition")[1] == "one|\n"


def test_nothing_is_stored_until_something_changes(sacctmgr, cluster):
    sacctmgr("show assoc")
    assert not cluster.accounting

    sacctmgr("-i add qos high priority=10")

    assert cluster.accounting == BUILTIN | {"qos high": {"ID": "2", "Description": "high", "Priority": "10"}}
    assert cluster.dirty_accounting == set(cluster.accounting)


def test_users_and_their_limits(sacctmgr, cluster):
    sacctmgr("-i add account lab parent=root fairshare=10 GrpTRES=cpu=100,mem=2G GrpSubmit=50")
    said = sacctmgr("-i add user alice,bob account=lab partition=debug,batch MaxJobs=5 MaxWall=1-0 MaxTRES=node=2")[1]

    assert said.startswith(" Adding User(s)\n  alice\n  bob\n Settings\n Associations =\n")
    assert said.count(" P = debug\n") == 2
    assert said.endswith(
        " Non Default Settings\n  MaxJobs       = 5\n  MaxTRES       = node=2\n  MaxWall       = 1-00:00:00\n"
    )
    assert cluster.accounting["assoc lab bob batch"] == {
        "ID": "7", "ParentName": "lab", "MaxJobs": "5", "MaxWallDurationPerJob": "1440", "MaxTRESPerJob": "node=2",
    }  # fmt: skip
    wanted = "format=account,user%5,grptres%20,maxwall,maxcpus,maxnodes,share tree"
    assert sacctmgr(f"-n list associations where account=lab user=bob partition=batch {wanted}")[1] == (
        "  lab                  bob                       1-00:00:00                 2         1 \n"
    )
    assert sacctmgr("-nP list account withassoc format=account,org,user,grptres,grpsubmit lab")[1] == (
        "lab|lab||cpu=100,mem=2G|50\nlab|lab|alice||\nlab|lab|alice||\nlab|lab|bob||\nlab|lab|bob||\n"
    )
    assert sacctmgr("-n -s list user bob format=account%8")[1] == "     lab \n     lab \n"


def test_modify(sacctmgr, cluster):
    for line in ("add account lab", "add account sub parent=lab", "add user bob account=lab", "add qos high,low"):
        sacctmgr(f"-i {line}")

    assert sacctmgr("-i modify user bob set MaxJobs=3 qos+=high DefaultQOS=high")[1] == (
        " Modified user associations...\n  C = oracle     A = lab                  U = bob      \n"
    )
    sacctmgr("-i modify user where name=bob account=lab set qos+=low MaxJobs=-1 GrpTRES=cpu=4,node=2")
    sacctmgr("-i modify user name=bob set qos-=high GrpTRES=node=-1 GrpCPUs=8 DefaultQOS=low")
    assert cluster.accounting["assoc lab bob"] == {
        **{"ID": "5", "ParentName": "lab", "QosLevel": "+low,-high", "DefaultQOS": "low", "GrpTRES": "cpu=8"},
    }
    assert sacctmgr("-i modify account sub set Description=x parent=root")[1] == (
        " Modified accounts...\n  sub\n Modified account associations...\n  C = oracle     A = sub of lab\n"
    )
    assert Book(cluster).parent("sub") == "root"
    assert sacctmgr("-i modify qos low set Priority=7 Flags=denyonl GraceTime=90 MaxWall=10")[1] == (
        " Modified qos...\n  low\n"
    )
    assert sacctmgr("-nP show qos low format=name,priority,gracetime,flags,maxwall")[1] == (
        "low|7|00:01:30|DenyOnLimit|00:10:00\n"
    )
    assert sacctmgr("-i modify user nobody set MaxJobs=1") == (
        1,
        " Modified user associations...\n  Nothing modified\n",
        "",
    )
    assert sacctmgr("-i modify user bob set AdminLevel=admin")[1] == " Modified users...\n  bob\n"
    assert sacctmgr("-nP show user bob")[1] == "bob|lab|Administrator\n"


def test_delete(sacctmgr, cluster):
    for line in (
        "add account lab,other",
        "add user bob account=lab,other",
        "add qos high",
        "modify user bob set qos=high",
    ):
        sacctmgr(f"-i {line}")

    assert sacctmgr("-i delete qos high")[1] == " Deleting QOS(s)...\n  high\n"
    assert "QosLevel" not in cluster.accounting["assoc lab bob"]
    assert sacctmgr("-i remove user bob account=other")[1] == (
        " Deleting user associations...\n  C = oracle     A = other      U = bob      \n"
    )
    assert sacctmgr("-i delete account other")[1] == " Deleting accounts...\n  other\n"
    assert sacctmgr("-i delete user where name=bob")[1] == " Deleting users...\n  bob\n"
    assert sacctmgr("-i delete user bob") == (1, " Nothing deleted\n", "")
    assert sorted(cluster.accounting) == sorted([*BUILTIN, "account lab", "assoc lab"])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("bogus user", "invalid keyword: bogus\n"),
        ("l user", "invalid keyword: l\n"),
        ("show bogus", 'No valid entity in list command\nInput line must include "Account", "Association",'),
        ("show", "No valid entity in list command\n"),
        ("modify cl a set maxjobs=1", 'No valid entity in modify command\nInput line must include "Account", '),
        ("-i delete assoc 1", "No valid entity in delete command\n"),
        ("-i add nothing", "No valid entity in add command\n"),
        ("archive it", 'No valid entity in archive command\nInput line must include, "Dump", or "load"\n'),
        ("clear it", 'No valid entity in list command\nInput line must include "Stats"\n'),
        ("-i add federation f clusters=no", " The cluster no doesn't exist. Please add first.\n"),
        ("help me", "too many arguments for keyword:help\n"),
        ("-i add user bob", " Need name of account or wckey to add.\n"),
        ("-i add user bob account=root bogus=1", " Unknown option: bogus=1\n"),
        ("-i add account a parent=nosuch", " Parent account 'nosuch' doesn't exist on cluster oracle\n"),
        ("-i add account", " Need name of account to add.\n"),
        ("-i add account a cluster=other", " This cluster 'other' doesn't exist.\n        Contact your admin to add "),
        ("-i add account a bogus=1", " Unknown option: bogus=1\n Use keyword 'where' to modify condition\n"),
        (
            "-i add account a fairshare=x",
            "sacctmgr: error: Invalid value for FairShare (x)\n Unknown option: fairshare",
        ),
        ("-i add account a maxwall=x", " Bad MaxWall time format: maxwall=x\n"),
        (
            "-i add account a qos=nosuch",
            "sacctmgr: error: You gave a bad qos 'nosuch'. Valid QOS's are normal\nYou gave",
        ),
        ("-i add account a defaultqos=nosuch", "You gave a bad default qos 'nosuch'.  Use 'list qos' to get complete"),
        ("-i add qos a preemptmode=nosuch", " Bad Preempt Mode given: preemptmode=nosuch\n"),
        ("-i add qos a preempt=nosuch", "sacctmgr: error: You gave a bad qos 'nosuch'. Valid QOS's are normal\n"),
        ("-i add coordinator root", " You need to specify a account list here.\n"),
        ("-i add coordinator nobody account=root", " You specified a non-existent user 'nobody'.\n"),
        (
            "-i modify qos normal set priority=5x",
            "sacctmgr: error: Invalid value for Priority (5x)\n You didn't give me",
        ),
        (
            "-i modify qos normal set gracetime=1:0",
            "sacctmgr: error: Invalid value for GraceTime (1:0)\n You didn't give",
        ),
        (
            "-i modify user root set qos=-1",
            "sacctmgr: error: You gave a bad qos '1'. Valid QOS's are normal\nYou gave a",
        ),
        ("show coordinator", "No valid entity in list command\n"),
        ("show user format=", "Unknown field ''\n"),
        ("show event nosuch=1", " Unknown condition: nosuch=1\n"),
        ("-i modify user bob", " You didn't give me anything to set\n"),
        ("-i modify user bob set maxjobs", " Bad format on maxjobs: End your option with an '=' sign\n"),
        ("-i modify user root set rawusage=5", "sacctmgr: error: Raw usage can only be set to 0 (zero)\n"),
        ("-i modify account root set name=x", " Can't modify the name of an account\n"),
        ("-i modify account root set cluster=x", " Can't modify the cluster of an account\n"),
        ("-i modify account nosuch=1 set maxjobs=1", " Unknown condition: nosuch=1\n Use keyword 'set' to"),
        ("show assoc nosuch=1", " Unknown condition: nosuch=1\n"),
        ("show qos nosuch=1", " Unknown condition: nosuch=1\n Use keyword 'set' to modify SLURM_PRINT_VALUE\n"),
        ("-i delete user", " No conditions given to remove, not executing.\n"),
        ("-i delete account root", " You are not allowed to remove the root account.\n Use remove cluster instead.\n"),
        ("-i modify account root set parent=root", " Account 'root' can not be the parent of 'root'.\n"),
        ("-r -i delete user root", "Can't run this command in readonly mode.\n"),
        ("show user format=nosuch", "Unknown field 'nosuch'\n"),
        ("show qos format=Nam%x,N", "Unknown field 'N'\n"),
        ("dump", " We need a cluster to dump.\n"),
        ("dump other", " Cluster other doesn't exist.\n"),
        ("dump oracle file=a file=b", " File name already set to a\n"),
        ("load", " No filename given, specify one with file=''\n"),
        ("load /proc/nonexistent", ' Unable to read "/proc/nonexistent": No such file or directory\n'),
    ],
)
def test_refusals(line, said, sacctmgr, cluster):
    code, out, err = sacctmgr(line)

    assert (code, out) == (1, "")
    assert err.startswith(said)
    assert not cluster.accounting


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        (
            "-i add qos a flags=nosuch",
            1,
            " Unknown QOS flag used in:\n  'nosuch'\n Valid QOS flags are\n  'DenyOnLimit,",
        ),
        ("-i add qos a nosuch=1", 1, " Unknown option: nosuch=1\n Use keyword 'where' to modify condition\n"),
        ("-i modify qos normal set maxsubmitpu=1", 1, " Unknown option: maxsubmitpu=1\n"),
        (
            "-i add user bob account=nosuch",
            1,
            "No account nosuch on cluster oracle, skipping.\nNothing added.\nMake sure",
        ),
        ("-i add user root account=root", 1, "Request didn't affect anything\nNothing added.\nMake sure"),
        ("-i add account root", 1, " Already existing account root on cluster oracle\n"),
        ("-i add cluster oracle", 1, " This cluster oracle already exists.  Not adding.\n"),
        (
            "-i modify user root set defaultaccount=x",
            1,
            " Modified users...\n Can't modify because these users aren't ass",
        ),
        ("-i delete resource nosuch", 1, " Nothing deleted\n"),
    ],
)
def test_refusals_on_standard_output(line, code, said, sacctmgr, cluster):
    answer = sacctmgr(line)

    assert (answer[0], answer[2]) == (code, "")
    assert answer[1].startswith(said)
    assert not cluster.accounting


def test_bad_values_are_left_out(sacctmgr, cluster):
    """Slurm says what is wrong with a resource, or with a number of a QOS, and does the rest."""
    assert sacctmgr("-i add account a GrpTRES=cpu=abc MaxJobs=3")[2] == (
        "sacctmgr: error: no TRES known by type cpu=abc\n"
    )
    assert cluster.accounting["assoc a"] == {"ID": "3", "ParentName": "root", "MaxJobs": "3"}
    assert sacctmgr("-i add qos q priority=abc grpjobs=2")[::2] == (
        0,
        "sacctmgr: error: Invalid value for Priority (abc)\n",
    )
    assert cluster.accounting["qos q"]["GrpJobs"] == "2"


def test_running_jobs_keep_what_they_use(sacctmgr, cluster):
    sacctmgr("-i add qos high")
    scene.add(cluster, 1, "07:00:00", qos="high")

    assert sacctmgr("-i delete qos high")[2] == (
        " Error with request: Job(s) active, cancel job(s) before remove\n"
        "  JobID = 1          C = oracle     A =            U = root      Q = high     \n"
    )


def test_asks_before_changes(sacctmgr, cluster, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert sacctmgr("add account lab")[1].endswith("(N/y): \n Changes Discarded\n")
    assert not cluster.accounting

    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert sacctmgr("add account lab")[1].startswith(" Adding Account(s)\n")
    assert "account lab" in cluster.accounting


SCRIPT = """
# comment
add account name=a Description="two words" Fairshare=3
add user name=u DefaultAccount=nosuch
add user name=u DefaultAccount=a   # later ones are still done
quit
add account name=never
"""


def test_file_of_commands(sacctmgr, cluster, tmp_path, monkeypatch):
    path = tmp_path / "script"
    path.write_text(SCRIPT)

    code, out, _ = sacctmgr("-i", str(path))

    assert code == 1
    assert "No account nosuch on cluster oracle, skipping.\n" in out
    assert set(cluster.accounting) - set(BUILTIN) == {"account a", "assoc a", "user u", "assoc a u"}
    assert cluster.accounting["account a"]["Description"] == "two words"
    monkeypatch.setattr("sys.stdin", io.StringIO("list account format=account\n"))
    assert sacctmgr("-nP")[1] == "sacctmgr: list account format=account\na\nroot\nsacctmgr: \n"


TYPED = """add account lab
y
list account format=account
!!
add account other
n
# a comment
nosuch
list account format="account
exit now
list account
"""


def test_a_session_answers_its_questions_line_by_line(sacctmgr, cluster, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(TYPED))

    code, out, err = sacctmgr("-nP")

    assert (code, err) == (1, "invalid keyword: nosuch\ntoo many arguments for keyword:exit\n")
    assert {"account lab", "account other"} & set(cluster.accounting) == {"account lab"}
    said = [line for line in out.splitlines() if line.startswith("sacctmgr: ")]
    left_out = {"y", "n", "list account"}
    assert said == [f"sacctmgr: {line}" for line in TYPED.splitlines() if line not in left_out]
    assert out.count("\nlab\nroot\n") == 3
    assert out.count("Changes Discarded") == 1


@pytest.mark.parametrize(
    ("typed", "code", "err"),
    [
        ("version\n", 0, ""),
        ("version\n\n", 1, ""),
        ("# a comment\nquit\n", 1, ""),
        ("!!\n", 1, ""),
        ("\\q\nnosuch\n", 0, ""),
        ("verbose now\n", 1, "too many arguments for verbose keyword\n"),
        ("quiet now\n", 1, "too many arguments for keyword:quiet\n"),
        ("readonly\nadd account a\n", 1, "Can't run this command in readonly mode.\n"),
        ("list tres" + " x" * 127 + "\nnosuch\n", 1, "sacctmgr: can not process over 128 words\n"),
    ],
)
def test_what_counts_as_an_error_in_a_session(sacctmgr, monkeypatch, typed, code, err):
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))

    assert sacctmgr("")[::2] == (code, err)


def test_words_of_a_session_keep_what_quotes_and_signs_hold(sacctmgr, cluster, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("add account a description=\"c# \"2 organization='x y'\n"))

    assert sacctmgr("-i")[0] == 0
    assert cluster.accounting["account a"]["Description"] == "c# 2"
    assert cluster.accounting["account a"]["Organization"] == "x y"


ASKED = " (You have 30 seconds to decide)\n(N/y): "


@pytest.mark.parametrize(
    ("answer", "said", "made"),
    [
        ("y\n", "\n", True),
        ("Yes\n", "\n", True),
        ("No\n", "\n Changes Discarded\n", False),
        ("\n", "\n Changes Discarded\n", False),
        ("oy\n", "\nY or N please\n(N/y): \n", True),
        ("x\n", "\nY or N please\n(N/y): \n Changes Discarded\n", False),
        ("", "\nerror: Inappropriate ioctl for device\n Changes Discarded\n", False),
    ],
)
def test_the_first_letter_that_is_an_answer_decides(sacctmgr, cluster, monkeypatch, answer, said, made):
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))

    assert sacctmgr("add account a")[1].partition(ASKED)[2] == said
    assert ("account a" in cluster.accounting) is made


def test_other_entities(sacctmgr):
    assert sacctmgr("-nP show tres")[1].startswith("cpu||1\nmem||2\nenergy||3\nnode||4\nbilling||5\nfs|disk|6\n")
    assert sacctmgr("show runawayjobs")[1] == "Runaway Jobs: No runaway jobs found on cluster oracle\n"
    known = sacctmgr("show configuration")[1].splitlines()
    assert known[0] == "Configuration data as of 2026-11-21T08:00:00"
    assert known[15:18] == ["TrackWCKey             = No", "", "SlurmDBD configuration:"]


def test_events_are_what_lasts(sacctmgr, cluster):
    why = {"reason_time": scene.at("07:30:00"), "reason_uid": 0, "reason_user": "root"}
    cluster.nodes[6].change(flags=["DRAIN"], reason="disk", **why)
    cluster.nodes[7].change(state="DOWN", reason="psu", **why)
    cluster.now += 1  # what begins at this second is not shown yet

    assert sacctmgr("-P show event")[1] == (
        "Cluster|NodeName|TimeStart|TimeEnd|State|Reason|User\n"
        "oracle||2026-11-21T08:00:00|Unknown||Cluster Registered TRES|\n"
        "oracle|node7|2026-11-21T07:30:00|Unknown|DRAIN|disk|root(0)\n"
        "oracle|node8|2026-11-21T07:30:00|Unknown|DOWN|psu|root(0)\n"
    )


def test_without_accounting(sacctmgr, cluster):
    cluster.config.slurm["AccountingStorageType"] = "accounting_storage/none"

    assert sacctmgr("-i show user") == (
        1,
        "",
        "You are not running a supported accounting_storage plugin\nOnly 'accounting_storage/slurmdbd' is supported.\n",
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("-nP show user format=user,maxsubmitjobsperuser", "root|\n"),
        ("-nP show account format=account,coordinators", "root|\n"),
        ("-P show assoc format=user,descr", "User|Descr\n|\nroot|\n"),
    ],
)
def test_fields_of_other_records_are_empty(line, said, sacctmgr):
    assert sacctmgr(line) == (0, said, "")


def test_ping(sacctmgr, cluster):
    assert sacctmgr("ping") == (0, "slurmdbd(primary) at localhost is UP\n", "")
    cluster.config.slurm["AccountingStorageHost"] = "db1"
    assert sacctmgr("ping")[1] == "slurmdbd(primary) at db1 is UP\n"


@pytest.mark.parametrize(
    ("before", "change", "after"),
    [
        ("", "billing-=3,cpu-=1,mem-=500", "billing=0,cpu=0,mem=0"),
        ("billing=0,cpu=0,mem=0", "billing=3000,cpu+=50000000000,mem+=2000", "billing=3000,cpu=50000000000,mem=2000M"),
        ("billing=3000,cpu=5,mem=2000", "billing-=500", "billing=2500,cpu=5,mem=2000M"),
        ("billing=2500,cpu=50,mem=2000", "billing+=500,cpu-=10,mem=2500", "billing=3000,cpu=40,mem=2500M"),
        ("billing=3000,cpu=4", "billing-=4000", "billing=0,cpu=4"),
        ("cpu=4,mem=2500", "cpu+=99999999999999999999999", "cpu=18446744073709551600,mem=2500M"),
        ("billing=0,cpu=18446744073709551600,mem=2500", "cpu=-1,mem=-1", "billing=0"),
        ("gres/gpu-test=5", "gres/gpu-test+=3", "gres/gpu-test=8"),
        ("gres/gpu-test=5", "gres/gpu-test-=2", "gres/gpu-test=3"),
    ],
)
@pytest.mark.parametrize("limit", ["MaxTRES", "GrpTRESMins"])
def test_amounts_are_raised_and_lowered(sacctmgr, before, change, after, limit):
    sacctmgr("-Q -i add qos q")
    if before:
        sacctmgr(f"-Q -i mod qos q set {limit}={before}")

    assert sacctmgr(f"-Q -i mod qos q set {limit}={change}")[0] == 0
    assert sacctmgr(f"-nP show qos q format={limit}")[1] == f"{after}\n"


def test_an_account_goes_with_all_below_it(sacctmgr):
    sacctmgr("-Q -i add account top,other")
    sacctmgr("-Q -i add account mid parent=top")
    sacctmgr("-Q -i add account low parent=mid")
    sacctmgr("-Q -i add user ann defaultaccount=other account=other,mid,low")

    said = sacctmgr("-i remove account mid parent=top")

    assert said == (0, " Deleting account associations...\n  C = oracle     A = mid of top\n", "")
    left = sacctmgr("-nP show assoc format=account,user")[1].splitlines()
    assert left == ["root|", "root|root", "other|", "other|ann", "top|"]


def test_the_partition_of_an_account_means_its_users(sacctmgr):
    sacctmgr("-Q -i add account lab,other")
    sacctmgr("-Q -i add user ann defaultaccount=other account=other,lab")
    sacctmgr("-Q -i add user ann account=lab partition=debug")

    assert sacctmgr("-i remove account lab partition=debug")[0] == 0
    assert sacctmgr("-nP show assoc format=account,user,partition account=lab")[1] == "lab||\nlab|ann|\n"


def test_an_account_whose_users_have_jobs_stays(sacctmgr, cluster):
    sacctmgr("-Q -i add account lab")
    sacctmgr("-Q -i add account sub parent=lab")
    sacctmgr("-Q -i add user ann account=sub")
    scene.add(cluster, 7, "08:00:00", account="sub").user_name = "ann"

    answer = sacctmgr("-i remove account lab")

    said = " Error with request: Job(s) active, cancel job(s) before remove\n"
    said += "  JobID = 7          C = oracle     A = sub        U = ann       Q =          \n"
    assert answer == (1, "", said)


@pytest.mark.parametrize("condition", ["organization=nosuch", "description=nosuch", "name=nosuch"])
def test_an_account_that_no_record_describes_takes_no_associations_with_it(sacctmgr, condition):
    sacctmgr("-i add account acct organization=org description=text")
    before = sacctmgr("show assoc -P")
    assert sacctmgr(f"-i delete account where {condition}")[:2] == (1, " Nothing deleted\n")
    assert sacctmgr("show assoc -P") == before
    assert sacctmgr("-i delete account where organization=org")[:2] == (0, " Deleting accounts...\n  acct\n")
    assert "acct" not in sacctmgr("show assoc -P")[1]


def test_users_of_an_account_with_the_flag_lead_it(sacctmgr, cluster):
    sacctmgr("-i add account lab flags=userSareCoords")
    sacctmgr("-i add account sub parent=lab")
    sacctmgr("-i add user ann account=lab")
    sacctmgr("-i add user ben account=sub")
    shown = "-nP show account format=account,flags,coord withcoord"

    assert sacctmgr(shown)[1] == "lab|UsersAreCoords|ann\nroot||\nsub||ann\n"
    assert sacctmgr("-i modify account lab set flags=NoUsersAreCoords")[0] == 0
    assert sacctmgr(shown)[1] == "lab||\nroot||\nsub||\n"
    assert sacctmgr("-i add account other flags=bogus")[0] == 1
