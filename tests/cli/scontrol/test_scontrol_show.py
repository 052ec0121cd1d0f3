"""``sim scontrol show`` against what the real one printed; readings of the machine (load, boot, OS) are ours."""

from __future__ import annotations

import io

import pytest
import scene
import world

from slimsched.cli.scontrol import command
from slimsched.model.config import SwitchConf
from slimsched.model.reservation import Reservation


@pytest.mark.parametrize("record", scene.records("scontrol_show.jsonl"), ids=lambda record: " ".join(record["argv"]))
def test_as_recorded(record, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(record.get("stdin", "")))

    answer = scene.call(scene.shown(), command, record["argv"], capsys)

    assert answer == (record.get("rc", 0), record["out"], record.get("err", ""))


def show(capsys, *argv, cluster=None):
    return scene.call(cluster or scene.shown(), command, ["show", *argv], capsys)


@pytest.mark.parametrize("words", [["job=1"], ["jobid=1"], ["jobid", "1"], ["j", "1"], ["JOBS", "1"]])
def test_spellings(capsys, words):
    assert show(capsys, *words)[1].startswith("JobId=1 JobName=j1\n")


def test_too_many_words(capsys):
    assert show(capsys) == (1, "", "too few arguments for keyword:show\n")
    assert show(capsys, "job", "1", "2") == (1, "", "too many arguments for keyword:show\n")


def test_nothing_there(capsys):
    empty = scene.Cluster(world.recorded(), scene.at("08:00:00"))

    assert show(capsys, "job", cluster=empty) == (0, "No jobs in the system\n", "")
    assert show(capsys, "steps", cluster=empty) == (0, "No job steps in the system\n", "")
    assert show(capsys, "licenses", cluster=empty) == (0, "No licenses configured in Slurm.\n", "")


def test_some_nodes_exist(capsys):
    code, out, err = show(capsys, "node", "node[8-9]", "-o")

    assert (code, err) == (1, "")
    assert [line.split()[0] for line in out.splitlines()] == ["NodeName=node8", "Node"]
    assert out.endswith("\nNode node9 not found\n")


def test_node_remarks(capsys):
    cluster = scene.nodes_busy()
    cluster.nodes[6].change(comment="new disk ordered", extra='{"a":1}', resume_after=cluster.now + 60)

    out = show(capsys, "node", "node7", cluster=cluster)[1]

    assert out == (
        "NodeName=node7 Arch=x86_64 CoresPerSocket=1 \n"
        "   CPUAlloc=0 CPUEfctv=4 CPUTot=4 CPULoad=0.00\n"
        "   AvailableFeatures=rack2,amd,big\n"
        "   ActiveFeatures=rack2,amd,big\n"
        "   Gres=gpu:2\n"
        "   NodeAddr=127.0.0.1 NodeHostName=vm Port=47007 Version=26.11.0-0rc1\n"
        "   OS=Linux \n"
        "   RealMemory=1000 AllocMem=0 FreeMem=1000 Sockets=4 Boards=1\n"
        "   State=IDLE+DRAIN ThreadsPerCore=1 TmpDisk=0 Weight=10 Owner=N/A MCS_label=N/A\n"
        "   Partitions=debug,batch \n"
        "   BootTime=2026-11-21T07:32:46 SlurmdStartTime=2026-11-21T07:32:46\n"
        "   LastBusyTime=2026-11-21T07:32:46 ResumeAfterTime=2026-11-21T07:33:46 SuspendTime=INFINITE\n"
        "   CfgTRES=cpu=4,mem=1000M,billing=4\n"
        "   AllocTRES=\n"
        "   CurrentWatts=0 AveWatts=0\n"
        "   Reason=disk [root@2026-11-21T07:32:46]\n"
        "   Comment=new disk ordered\n"
        '   Extra={"a":1}\n'
        "\n"
    )


def test_job_that_asks_for_everything(capsys):
    cluster = scene.Cluster(world.recorded(), scene.at("08:00:00"))
    job = scene.add(
        cluster,
        7,
        "07:00:00",
        name="all",
        account="acct",
        qos="high",
        num_tasks=4,
        cpus_per_task=2,
        ntasks_per_node=2,
        min_nodes=2,
        max_nodes=4,
        min_cpus_per_node=4,
        mem_per_node=1024,
        min_tmp_disk=10,
        time_limit=90,
        time_min=30,
        deadline=scene.at("12:00:00"),
        nodelist="node3,node4",
        exclude="node8",
        features="rack1",
        prefer="intel",
        licenses="lic:2",
        contiguous=True,
        oversubscribe=True,
        switches=1,
        wait_for_switches=600,
        gpus_per_task="1",
        comment="say why",
        admin_comment="noted",
        extra="a=1",
        output="%x-%4j-%u.txt",
        error="/tmp/%A.err",
        mail_type="END",
        mail_user="me@example.org",
        kill_on_invalid_dep=True,
        spread_job=True,
        command="/scratch/work/run.sh",
        submit_line="sbatch run.sh",
    )
    job.request.gres = "gpu:2"
    job.request.reservation = "r1"
    job.dependency, job.reason = "afterok:1(unfulfilled)", "Dependency"
    job.state_desc = "Nodes required for job are DOWN"

    assert show(capsys, "job", "7", cluster=cluster)[1] == (
        "JobId=7 JobName=all\n"
        "   UserId=root(0) GroupId=root(0) MCS_label=N/A\n"
        "   Priority=4294901753 Nice=0 Account=acct QOS=high\n"
        "   JobState=PENDING Reason=Nodes_required_for_job_are_DOWN Dependency=afterok:1(unfulfilled)\n"
        "   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0\n"
        "   RunTime=00:00:00 TimeLimit=01:30:00 TimeMin=00:30:00\n"
        "   SubmitTime=2026-11-21T07:00:00 EligibleTime=2026-11-21T07:00:00\n"
        "   AccrueTime=Unknown\n"
        "   StartTime=Unknown EndTime=Unknown Deadline=2026-11-21T12:00:00\n"
        "   SuspendTime=None SecsPreSuspend=0 LastSchedEval=Unknown Scheduler=Main\n"
        "   Partition=debug AllocNode:Sid=localhost:2689\n"
        "   ReqNodeList=node[3-4] ExcNodeList=node8\n"
        "   NodeList=\n"
        "   NumNodes=2-4 NumCPUs=8 NumTasks=4 CPUs/Task=2 ReqB:S:C:T=0:0:*:*\n"
        "   ReqTRES=cpu=8,mem=2G,node=2,billing=8\n"
        "   AllocTRES=(null)\n"
        "   Socks/Node=* NtasksPerN:B:S:C=2:0:*:* CoreSpec=*\n"
        "   MinCPUsNode=4 MinMemoryNode=1G MinTmpDiskNode=10M\n"
        "   Features=rack1 DelayBoot=00:00:00\n"
        "   Prefer=intel\n"
        "   Reservation=r1\n"
        "   OverSubscribe=YES Exclusive=NO Contiguous=1 Licenses=lic:2 LicensesAlloc=(null) Network=(null)\n"
        "   Command=/scratch/work/run.sh\n"
        "   SubmitLine=sbatch run.sh\n"
        "   WorkDir=/scratch/work\n"
        "   AdminComment=noted\n"
        "   Comment=say why\n"
        "   Extra=a=1\n"
        "   StdErr=/tmp/7.err\n"
        "   StdIn=/dev/null\n"
        "   StdOut=/scratch/work/all-0007-root.txt\n"
        "   Switches=1@00:10:00\n"
        "   TresPerNode=gres/gpu:2\n"
        "   TresPerTask=cpu=2,gres/gpu=1\n"
        "   MailUser=me@example.org MailType=END\n"
        "   KillOnInvalidDependent=Yes\n"
        "   SpreadJob=Yes\n"
        "\n"
    )


def test_reservation(capsys):
    cluster = scene.nodes_busy()
    start = cluster.now
    cluster.reservations["r6"] = Reservation(
        name="r6",
        start_time=start + 60,
        end_time=start + 60 + 86400,
        nodes="node[5-8]",
        partition="batch",
        flags=["SPEC_NODES", "PART_NODES"],
        users="root",
    )

    assert show(capsys, "res", cluster=cluster)[1] == (
        "ReservationName=r6 StartTime=2026-11-21T07:33:46 EndTime=2026-11-22T07:33:46 Duration=1-00:00:00\n"
        "   Nodes=node[5-8] NodeCnt=4 CoreCnt=16 Features=(null) PartitionName=batch Flags=SPEC_NODES,PART_NODES\n"
        "   TRES=cpu=16\n"
        "   AllowedPartitions=(null) QOS=(null)\n"
        "   Users=root Groups=(null) Accounts=(null) Licenses=(null) State=INACTIVE BurstBuffer=(null)\n"
        "   MaxStartDelay=(null)\n"
        "\n"
    )


def test_partition_with_limits(capsys):
    cluster = scene.shown()
    part = cluster.partitions["batch"]
    part.deny_accounts, part.max_nodes, part.over_subscribe, part.def_mem_per_cpu = "lab", 3, "EXCLUSIVE", 50

    out = show(capsys, "partition", "batch", "-o", cluster=cluster)[1]

    assert out.count("\n") == 1
    for word in ("DenyAccounts=lab", "MaxNodes=3", "OverSubscribe=EXCLUSIVE", "Exclusive=NODE", "DefMemPerCPU=50"):
        assert f" {word} " in out


def test_configuration(capsys):
    code, out, err = show(capsys, "config")
    lines = out.splitlines()

    assert (code, err) == (0, "")
    assert lines[0] == "Configuration data as of 2026-11-21T07:30:51"
    assert "ClusterName             = oracle" in lines
    assert "DefMemPerCPU            = 100" in lines
    assert "MinJobAge               = 300 sec" in lines
    assert "MaxArraySize            = 1001" in lines
    assert "SchedulerParameters     = extra_constraints" in lines
    assert lines[-1] == "Slurmctld(primary) at localhost is UP"


def test_licenses(capsys):
    cluster = scene.shown()
    cluster.config.slurm["Licenses"] = "matlab:10,abaqus"
    cluster.jobs[1].request.licenses = "matlab:4"

    assert show(capsys, "lic", cluster=cluster)[1] == (
        "LicenseName=abaqus\n    Total=1 Used=0 Free=1 Reserved=0 Remote=no\n"
        "LicenseName=matlab\n    Total=10 Used=4 Free=6 Reserved=0 Remote=no\n"
    )


def test_topology(capsys):
    cluster = scene.shown()
    cluster.config.switches = [
        SwitchConf(switch_name="top", switches="s[1-2]"),
        SwitchConf(switch_name="s1", nodes="node[1-4]"),
        SwitchConf(switch_name="s2", nodes="node[5-8]"),
    ]

    assert show(capsys, "topology", cluster=cluster)[1] == (
        "SwitchName=top Level=1 LinkSpeed=1 Nodes=node[1-8] Switches=s[1-2]\n"
        "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=node[1-4]\n"
        "SwitchName=s2 Level=0 LinkSpeed=1 Nodes=node[5-8]\n"
    )


def test_switches_in_a_circle(capsys):
    cluster = scene.shown()
    cluster.config.switches = [SwitchConf(switch_name="a", switches="b"), SwitchConf(switch_name="b", switches="a")]

    assert show(capsys, "topology", cluster=cluster)[0] == 0


def test_hostnames_of_the_job(capsys, monkeypatch):
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[3-4]")
    assert show(capsys, "hostnames") == (0, "", "scontrol: error: host list is empty\n")
    monkeypatch.setenv("SLURM_NODELIST", "n[1-2]")
    assert show(capsys, "hostnames") == (0, "n1\nn2\n", "")


def test_quiet(capsys):
    assert scene.call(scene.shown(), command, ["-Q", "show", "job", "99"], capsys) == (1, "", "")
    assert scene.call(scene.shown(), command, ["-Q", "show", "node", "no"], capsys) == (1, "", "")


def test_what_a_job_shares_where_its_partition_decides(sim):
    sim("init", "--nodes", "n1", "--cpus", "4", "--set", "SelectTypeParameters=CR_Core")
    sim("scontrol", "update", "partition=debug", "oversubscribe=force:1")
    sim("sbatch", "-n4", "--mem=100", "--sim-runtime=60", "--wrap", "true")
    shown = sim("scontrol", "show", "job", "1")

    assert "OverSubscribe=OK Exclusive=NO " in shown
    assert "ReqTRES=cpu=4,mem=100M,node=1,billing=4" in shown
    assert "AllocTRES=cpu=4,node=1,billing=4" in shown
