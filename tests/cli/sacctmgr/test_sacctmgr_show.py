"""``sacctmgr show``: formats and fields, conditions, what goes with associations, and the smaller kinds of records."""

from __future__ import annotations

import io

import pytest
import scene
import world

from slimsched.cli.sacctmgr import command
from slimsched.cli.sacctmgr.grammar import ENTITIES, entity
from slimsched.model.cluster import Cluster
from slimsched.render.accounts import sacctmgr_fields
from slimsched.render.accounts.events import Event
from slimsched.render.accounts.sacctmgr import KINDS
from slimsched.slurm.limits import LIMITS
from slimsched.text.zone import DAY

SETUP = (
    "add qos high,low Priority=5",
    "modify qos high set MaxTRESPU=cpu=4,mem=2G MaxJobsPU=3 Preempt=low,normal PreemptMode=cancel UsageFactor=2",
    "add account lab Description=Physics Organization=sci GrpTRES=cpu=8,node=2 Fairshare=3 QOS=high,low DefaultQOS=low",
    "add account sub parent=lab MaxWall=90",
    "add user ann account=lab,sub MaxTRES=cpu=2,node=1 AdminLevel=op",
    "add user bob account=sub partition=debug",
    "add coordinator ann account=lab",
)


@pytest.fixture
def cluster() -> Cluster:
    return Cluster(world.recorded(), scene.at("08:00:00"))


@pytest.fixture
def sacctmgr(cluster, capsys):
    def run(line: str):
        return scene.call(cluster, command, line.split(), capsys)

    for line in SETUP:
        assert run(f"-i -Q {line}")[0] == 0
    return run


def test_columns_as_slurm_has_them(sacctmgr):
    assert sacctmgr("show user") == (
        0,
        "      User   Def Acct     Admin \n---------- ---------- --------- \n"
        "       ann        lab  Operator \n       bob        sub      None \n      root       root Administ+ \n",
        "",
    )
    assert sacctmgr("show account")[1] == (
        "   Account                Descr                  Org \n"
        "---------- -------------------- -------------------- \n"
        "       lab              physics                  sci \n"
        "      root default root account                 root \n"
        "       sub                  sub                  lab \n"
    )


QOS_HEAD = (
    "Name|Priority|GraceTime|Preempt|PreemptExemptTime|PreemptMode|Flags|UsageThres|UsageFactor|GrpTRES|GrpTRESMins|"
    "GrpTRESRunMins|GrpJobs|GrpSubmit|GrpWall|MaxTRES|MaxTRESPerNode|MaxTRESMins|MaxWall|MaxTRESPU|MaxJobsPU|"
    "MaxSubmitPU|MaxTRESPA|MaxTRESRunMinsPA|MaxTRESRunMinsPU|MaxJobsPA|MaxSubmitPA|MinTRES"
)


def test_qos(sacctmgr):
    assert sacctmgr("show qos -P")[1].splitlines() == [
        QOS_HEAD,
        "normal|0|00:00:00|||cluster|||1.000000|||||||||||||||||||",
        "high|5|00:00:00|low,normal||cancel|||2.000000|||||||||||cpu=4,mem=2G|3|||||||",
        "low|5|00:00:00|||cluster|||1.000000|||||||||||||||||||",
    ]
    assert sacctmgr("show qos")[1].splitlines()[1] == (
        "---------- ---------- ---------- ---------- ------------------- ----------- "
        "---------------------------------------- ---------- ----------- ------------- ------------- ------------- "
        "------- --------- ----------- ------------- -------------- ------------- ----------- ------------- --------- "
        "----------- ------------- ---------------------- ---------------------- --------- ----------- ------------- "
    )


WITH_ASSOCIATIONS = [
    (
        "show user ann withassoc -P",
        "User|Def Acct|Admin|Cluster|Account|Partition|Share|Priority|MaxJobs|MaxNodes|MaxCPUs|MaxSubmit|MaxWall|"
        "MaxCPUMins|QOS|Def QOS\n"
        "ann|lab|Operator|oracle|lab||1|||1|2||||high,low|low\n"
        "ann|lab|Operator|oracle|sub||1|||1|2||01:30:00||high,low|low\n",
    ),
    (
        "show account sub -s -P",
        "Account|Descr|Org|Cluster|ParentName|User|Share|Priority|GrpJobs|GrpNodes|GrpCPUs|GrpMem|GrpSubmit|GrpWall|"
        "GrpCPUMins|MaxJobs|MaxNodes|MaxCPUs|MaxSubmit|MaxWall|MaxCPUMins|QOS|Def QOS\n"
        "sub|sub|lab|oracle|lab||1|||||||||||||01:30:00||high,low|low\n"
        "sub|sub|lab|oracle||ann|1||||||||||1|2||01:30:00||high,low|low\n"
        "sub|sub|lab|oracle||bob|1|||||||||||||01:30:00||high,low|low\n",
    ),
    ("-n -s list user ann format=account%6", "   lab \n   sub \n"),
    ("-nP list user ann withassoc account=sub format=user,account", "ann|sub\n"),
    ("-nP show account withassoc user=bob format=account,user", "sub|bob\n"),
    ("-nP show user withcoord format=user,coord", "ann|lab,sub\nbob|\nroot|\n"),
    ("-nP show account lab withcoord", "lab|physics|sci|ann\n"),
    ("-nP show account sub withcoord", "sub|sub|lab|ann\n"),
    ("-nP show assoc woplimits user=bob format=user,maxwall,defaultqos", "bob||\n"),
    ("-nP list user withassoc account=sub format=user,defaultaccount", "ann|\nbob|sub\nroot|\n"),
    ("-nP show assoc withrawqoslevel account=lab format=user,qos", "|high,low\nann|\n"),
    ("-nP show assoc tree format=account,user account=lab,sub", " lab|\n  lab|ann\n  sub|\n   sub|ann\n   sub|bob\n"),
    ("-P show assoc woplimits user=bob", "Cluster|Account|User|Partition\noracle|sub|bob|debug\n"),
    ("-nP show assoc onlydefaults format=account,user", "root|root\nlab|ann\nsub|bob\n"),
    ("-nP show assoc account=lab withsub format=account,user", "lab|\nlab|ann\nsub|\nsub|ann\nsub|bob\n"),
    ("-nP show assoc parents=lab format=account,parentn,parentid,lineage", "sub|lab|3|/lab/sub/\n"),
    ("-nP show assoc user=bob format=lineage,partition,id", "/lab/sub/0-bob/debug/|debug|7\n"),
    ("-nP show assoc ids=3,7 format=id,account", "3|lab\n7|sub\n"),
    ("-nP show assoc 3 format=id", "3\n"),
    ("-nP show assoc qos=low user=ann format=account", "lab\nsub\n"),
    ("-nP show assoc defaultqos=low format=account,defaultqos,grpcpus,grpn", "lab|low|8|2\n"),
    ("-nP show assoc cluster=other", ""),
]


@pytest.mark.parametrize(("line", "said"), WITH_ASSOCIATIONS)
def test_associations(line, said, sacctmgr):
    assert sacctmgr(line) == (0, said, "")


CONDITIONS = [
    ("account des=physics", "lab"),
    ("account org=LAB", "sub"),
    ("acct where names=sub,lab", "lab sub"),
    ("user admin=oper", "ann"),
    ("user defaultaccount=sub", "bob"),
    ("user where name=bob,root", "bob root"),
    ("qos ids=1,3", "normal low"),
    ("qos preemptmode=cancel", "high"),
    ("qos des=high", "high"),
    ("cluster", "oracle"),
    ("cluster other", ""),
]


@pytest.mark.parametrize(("line", "names"), CONDITIONS)
def test_conditions(line, names, sacctmgr):
    assert sacctmgr(f"-nP show {line} format=name")[1].split() == names.split()


def test_conditions_of_associations_ask_whether_they_are_meant(sacctmgr, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    question = (
        "You requested options that are only valid when querying with the withassoc option.\n"
        "Are you sure you want to continue? (You have 30 seconds to decide)\n(N/y): \n"
    )
    assert sacctmgr("show user account=sub")[1] == f"{question}Aborted\n"
    assert sacctmgr("-i -nP show user account=sub format=user")[1] == "ann\nbob\n"


FORMATS = [
    ("name%20,prio%-4", [("Name", 20), ("Priority", -4)]),
    ("name%0,name%x", [("Name", 10), ("Name", 10)]),
    ("MaxT,", None),
    ("MaxTRES", [("MaxTRES", 13)]),
    ("MaxTRESPerJ", [("MaxTRES", 13)]),
    ("maxtresp", None),
    ("maxtrespu,maxtresperuser", [("MaxTRESPU", 13)] * 2),
    ("maxj,maxjobs,maxjobsp,maxjobspa", [("MaxJobs", 7), ("MaxJobs", 7), ("MaxJobsPU", 9), ("MaxJobsPA", 9)]),
    ("s,sh,st,start", [("Share", 9), ("Share", 9), ("State", 6), ("TimeStart", 19)]),
    ("preempt,preemptm,preempte", [("Preempt", 10), ("PreemptMode", 11), ("PreemptExemptTime", 19)]),
    ("id,i", None),
    ("descr,o,coord", [("Descr", 20), ("Org", 20), ("Coord Accounts", 20)]),
]


@pytest.mark.parametrize(("text", "fields"), FORMATS)
def test_names_and_widths(text, fields):
    if fields is None:
        with pytest.raises(Exception, match="Unknown field"):
            sacctmgr_fields.choose(text, {})
    else:
        columns = sacctmgr_fields.choose(text, {}).columns
        assert [(c.field.header, c.width if c.right else -c.width) for c in columns] == fields


@pytest.mark.parametrize("kind", KINDS)
def test_every_value_has_a_field_and_every_format_can_be_read(kind):
    known = {line.split("|")[0] for line in sacctmgr_fields.LINES.split("\n")} | {limit.shown_as for limit in LIMITS}

    assert set(KINDS[kind].values) <= known
    assert sacctmgr_fields.choose(KINDS[kind].format, KINDS[kind].values)


@pytest.mark.parametrize("verb", ["show", "add", "modify", "delete"])
def test_entities_by_as_few_letters_as_slurm_takes(verb):
    for line in ENTITIES[verb].split(" "):
        name, least, kind = line.split(":")
        assert entity(verb, name.lower()) == kind
        assert entity(verb, name.upper()[: int(least)]) in {part.split(":")[2] for part in ENTITIES[verb].split(" ")}


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        *(("t", "txn"), ("tr", "txn"), ("tre", "tres"), ("r", None), ("ru", "runaway"), ("res", None)),
        *(("rese", "reservation"), ("reso", "resource"), ("co", "configuration"), ("cl", "cluster")),
        *(("a", None), ("ac", "account"), ("as", "assoc")),
    ],
)
def test_entities_that_begin_alike(words, kind):
    if kind is None:
        with pytest.raises(Exception, match="No valid entity"):
            entity("show", words)
    else:
        assert entity("show", words) == kind


SMALL = [
    ("-P show problems", "Cluster|Account|User|Problem\n"),
    ("-P show wckey", "WCKey|Cluster|User\n"),
    ("-P list resource", "Name|Server|Type|Count|LastConsumed|Allocated|ServerType|Flags\n"),
    ("-P show reservation", "Cluster|Name|TRES|TimeStart|TimeEnd|UnusedWall\n"),
    ("-P show federation", "Federation|Cluster|ID|Features|FedState\n"),
    ("-P show instance", "Cluster|NodeName|TimeStart|TimeEnd|InstanceId|InstanceType|Extra\n"),
    ("-nP show tres type=gres", "gres|gpu|1001\ngres|gpumem|1002\ngres|gpuutil|1003\n"),
    ("-nP show tres id=1,4", "cpu||1\nnode||4\n"),
    ("show lostjobs", "Runaway Jobs: No runaway jobs found on cluster oracle\n"),
    ("version", "slurm 26.11.0-0rc1\n"),
    ("clear stats", ""),
    ("reconfigure", ""),
    ("-P show event format=cluster,event,eventraw,cpu,tres,clusternodes", None),
]


@pytest.mark.parametrize(("line", "said"), SMALL)
def test_smaller_kinds(line, said, sacctmgr, cluster):
    cluster.config.slurm["AccountingStorageTRES"] = "gres/gpu"
    cluster.now += 1
    code, out, err = sacctmgr(line)
    assert (code, err) == (0, "")
    if said is not None:
        assert out == said
    else:
        assert out.splitlines()[1] == (
            "oracle|Cluster|1|32|billing=32,cpu=32,energy=0,fs/disk=0,gres/gpu=4,gres/gpumem=0,gres/gpuutil=0,mem=8000M,"
            "node=8,pages=0,vmem=0|node[1-8]"
        )


EMPTY, LOST = "oracle|empty||Account has no users\n", "||eve|User has no Associations\n"


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("", EMPTY + LOST),
        ("accounts=empty", EMPTY + LOST),  # a condition on accounts does not choose users
        ("acct=other", LOST),
        ("users=eve", LOST),
        ("where user=ann part=x", ""),
        ("cluster=oracle", EMPTY + LOST),
        ("cluster=mars", ""),
    ],
)
def test_problems(where, said, sacctmgr):
    sacctmgr("-i add account empty")
    sacctmgr("-i add account full")
    sacctmgr("-i add user ann account=full")
    sacctmgr("-i add user eve wckey=w")

    assert sacctmgr(f"-nP show problem {where}") == (0, said, "")


def test_a_condition_that_problems_do_not_have(sacctmgr):
    assert sacctmgr("show problem nosuch=1") == (1, "", " Unknown condition: nosuch=1\n")


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("mars", (0, "Runaway Jobs: No runaway jobs found on cluster mars\n", "")),
        ("cluster=a,b", (1, "", "sacctmgr: error: You can only fix runaway jobs on one cluster at a time.\n")),
        ("user=ann", (1, "", " Unknown condition: user=ann\n")),
    ],
)
def test_runaway_jobs_of_clusters(words, answer, sacctmgr):
    assert sacctmgr(f"show runawayjobs {words}") == answer


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("", ["", "node7"]),
        ("node", ["node7"]),  # a word alone is a kind of event
        ("events=clus", [""]),
        ("events=cluster,node", ["", "node7"]),
        ("events=cluster user=root", ["node7"]),  # users are those of nodes
        ("mincpus=4", ["node7"]),
        ("min=5 max=99", [""]),
        ("max=4", ["", "node7"]),  # the most alone selects nothing, as in Slurm
        ("all_time", ["", "node7", "node8"]),
        ("start=2026-11-01", ["", "node7", "node8"]),
    ],
)
def test_the_choice_of_events(words, names, sacctmgr, cluster, monkeypatch):
    def of(name, start, end):
        return Event("oracle", name, start, end, cluster.now, "DOWN" if name else "", "", "root(0)", "", cpus[name])

    cpus = {"": "billing=32,cpu=32", "node7": "billing=4,cpu=4", "node8": "billing=4,cpu=4"}
    early, yesterday = scene.at("08:00:00") - 3 * DAY, scene.at("00:00:00") - DAY
    told = [of("", early, 0), of("node7", early, yesterday), of("node8", early, yesterday - 1)]
    monkeypatch.setattr("slimsched.render.accounts.events.events", lambda *_: told)

    assert sacctmgr(f"-nP show event format=nodename {words}") == (0, "".join(f"{name}\n" for name in names), "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("bogus", " Unknown event type: 'bogus'  Valid events are Cluster and Node.\n"),
        ("user=nosuch", "Invalid user id: nosuch\n"),
    ],
)
def test_events_that_cannot_be_chosen(words, said, sacctmgr):
    assert sacctmgr(f"show event {words}") == (1, "", said)


def test_statistics_of_a_daemon_that_is_not_there(sacctmgr):
    assert sacctmgr("show stats")[1].splitlines()[:2] == [
        "Rollup statistics for cluster oracle",
        "\tHour  count:0 ave_time:0 max_time:0 total_time:0",
    ]


def test_transactions(sim):
    sim("sacctmgr", "-i", "add", "qos", "high")
    sim("sacctmgr", "-i", "add", "account", "lab")
    sim("sacctmgr", "-i", "delete", "qos", "high")

    lines = sim("sacctmgr", "-nP", "show", "transactions", "format=time,action,where").splitlines()

    assert [line.split("|", 1)[1] for line in lines] == [
        "Add QOS|high",
        "Add Accounts|lab",
        "Remove QOS|high",
    ]
    assert sim("sacctmgr", "-nP", "list", "txn", "actor=nobody") == ""
    assert sim("sacctmgr", "-nP", "list", "txn", "start=2030-01-01") == ""
    assert sim("sacctmgr", "-nP", "list", "txn", "action=remove qos", "format=action,where") == "Remove QOS|high\n"
    assert sim.run("sacctmgr", "list", "txn", "action=adduser").err == (
        "sacctmgr: error: You gave a bad action 'adduser'.\n"
    )


def test_transactions_begin_with_the_registration_of_the_cluster(sim, tmp_path):
    """As recorded in sacctmgr_empty, on a cluster whose configuration names slurmdbd."""
    conf = tmp_path / "slurm.conf"
    conf.write_text(
        "ClusterName=oracle\nSlurmctldPort=46817\nAccountingStorageType=accounting_storage/slurmdbd\n"
        "AccountingStorageTRES=gres/gpu\nGresTypes=gpu\nNodeName=n1\nPartitionName=p Nodes=n1 Default=YES\n"
    )
    sim("init", "--force", "--start", "2026-11-22T09:00:00", "--from", str(conf))

    lines = sim("sacctmgr", "-n", "show", "transaction", "format=action,actor,where%20,info%30").splitlines()

    assert [" ".join(line.split()) for line in lines] == [
        "Add Clusters root oracle mod_time=1795338000, shares=1+",
        "Add Associations root id_assoc=2 mod_time=1795338000, acct='ro+",
        "Add Associations root id_assoc=2 mod_time=1795338000, acct='ro+",
        "Modify Clusters root name='oracle' control_host='127.0.0.1', con+",
        "Add TRES root id=1001 type='gres', name='gpu'",
        "Add TRES root id=1002 type='gres', name='gpumem'",
        "Add TRES root id=1003 type='gres', name='gpuutil'",
    ]
    of_root = sim("sacctmgr", "-nP", "list", "transactions", "user=root", "format=action,info").splitlines()
    unset = "grp_jobs=NULL, grp_jobs_accrue=NULL, grp_submit_jobs=NULL, grp_wall=NULL, is_def=1, max_jobs=NULL, "
    unset += "max_jobs_accrue=NULL, min_prio_thresh=NULL, max_submit_jobs=NULL, max_wall_pj=NULL, priority=NULL, "
    info = (
        "mod_time=1795338000, acct='root', user='root', `partition`='', id_parent='1', lineage='/0-root/', shares=1, "
    )
    assert of_root == [f"Add Associations|{info}{unset}def_qos_id=NULL, flags=131072, qos='', delta_qos=''"] * 2


def test_events_stay_in_the_history(sim):
    """What a node was, from when to when and by whom, as recorded in events_history."""
    node = sim("sinfo", "-h", "-N", "-o", "%N").split()[0]
    for change in ("state=drain reason=disk", "reason=changed", "state=resume"):
        sim("scontrol", "update", f"nodename={node}", *change.split())
        sim("advance", "2s")

    listed = sim("sacctmgr", "-nP", "show", "event", "format=nodename,state,reason,duration")
    assert listed.splitlines() == ["||Cluster Registered TRES|00:00:06", f"{node}|DRAIN|disk|00:00:04"]
    assert sim("sacctmgr", "-nP", "show", "event", "state=drain") == ""
    assert sim("sacctmgr", "-nP", "show", "event", "user=nobody") == ""
    answer = sim.run("sacctmgr", "show", "event", "state=nosuch")
    assert answer.code == 1
    assert answer.err.endswith("FUTURE \nsacctmgr: fatal: unrecognized job state value\n")


@pytest.mark.parametrize("tracks", [False, True])
def test_a_wckey_of_a_job_is_changed_only_where_they_are_kept(sim, tmp_path, tracks):
    conf = tmp_path / "slurm.conf"
    conf.write_text(f"NodeName=n1\nPartitionName=p Nodes=n1 Default=YES\nTrackWCKey={'yes' if tracks else 'no'}\n")
    sim("init", "--from", str(conf), "--force")
    job = sim("sbatch", "--parsable", "--wrap", "true").strip()

    answer = sim.run("sacctmgr", "-i", "modify", "job", job, "set", "newwckey=w")

    if tracks:
        assert (answer.code, answer.err, answer.out.count("submitted at")) == (0, "", 1)
        assert sim("sacct", "-nPXj", job, "-o", "wckey") == "w\n"
        assert sim("sacctmgr", "-nP", "show", "wckey", "format=wckey").splitlines()[-1] == "w"
    else:
        assert (answer.code, answer.out) == (1, " Modified jobs...\n  Nothing modified\n")
        assert answer.err == "sacctmgr: No error\n"


def test_a_comment_of_a_job_is_changed_later(sim):
    job = sim("sbatch", "--parsable", "--wrap", "true").strip()

    said = sim("sacctmgr", "-i", "modify", "job", f"jobid={job}", "set", "comment=late", "derivedexitcode=2")
    assert said.startswith(f" Modified jobs...\n  {job} submitted at ")
    assert sim("sacct", "-nPX", "-j", job, "-o", "comment,derivedexitcode") == "late|0:2\n"
    answer = sim.run("sacctmgr", "-i", "modify", "job", "99", "set", "comment=x")
    assert (answer.code, answer.out) == (1, " Modified jobs...\n")
    assert answer.err == " Error with request: Data has not changed since time specified\n"


def test_an_undefined_qos_of_a_job_is_an_empty_text_once_there_are_accounts(sim):
    sim("sbatch", "-q", "fast", "--wrap", "sleep 60")
    seen = [sim("squeue", "-h", "-o", "%i|%q|")]

    sim("sacctmgr", "-i", "add", "account", "lab")
    seen += [sim("squeue", "-h", "-o", "%i|%q|"), sim("sacct", "-nPXj1", "-o", "qos,qosreq")]

    assert seen == ["1|fast|\n", "1||\n", "Unknown|fast\n"]
    assert "Account=(null) QOS=\n" in sim("scontrol", "show", "job", "1")
