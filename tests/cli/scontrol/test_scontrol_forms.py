"""The forms of ``scontrol show`` and of the keywords about jobs: words that are cut short, lists, names, prefixes."""

from __future__ import annotations

import pytest

TREE = """
[[switches]]
SwitchName = "s0"
Nodes = "node[1-4]"

[[switches]]
SwitchName = "s1"
Nodes = "node[5-8]"

[[switches]]
SwitchName = "top"
Switches = "s[0-1]"
"""
S0 = "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=node[1-4]\n"
TOP = "SwitchName=top Level=1 LinkSpeed=1 Nodes=node[1-8] Switches=s[0-1]\n"


@pytest.fixture
def eight(sim):
    """Eight nodes; a job that runs (1), one that waits (2), an array that is held (3)."""
    sim("init", "--nodes", "node[1-8]", "--cpus", "4", "--memory", "1000")
    sim("sbatch -J one --wrap 'sleep 300'")
    sim("sbatch -J two --begin now+1hour --wrap 'sleep 300'")
    sim("sbatch -J many --hold --array 0-3 --wrap 'sleep 300'")
    return sim


def held(sim):
    return sorted(sim("squeue", "-h", "-r", "-o", "%i %r").splitlines())


@pytest.mark.parametrize(
    ("words", "code", "out", "err"),
    [
        ("", 1, "", "too few arguments for keyword:show\n"),
        ("p", 1, "", "invalid entity:p for keyword:show\n"),
        ("job 1 2", 1, "", "too many arguments for keyword:show\n"),
        ("daemons x", 1, "", "too many arguments for keyword:show\n"),
        ("job=9999", 1, "", "slurm_load_jobs error: Invalid job id specified\n"),
        ("job 1+1", 1, "", "Job 1+1 not found\n"),
        ("node=nosuch", 1, "Node nosuch not found\n", ""),
        ("NODE nosuch", 1, "Node nosuch not found\n", ""),
        ("reservationname=x", 1, "Reservation x not found\n", ""),
        ("hostlist", 1, "", "invalid encode argument\n"),
        ("hostlists", 1, "", "invalid encode argument\n"),
        ("hostlist a1,a2", 0, "a[1-2]\n", ""),
        ("hostlistsorted a2,a1", 0, "a[1-2]\n", ""),
        ("bbstat -a b", 0, "", ""),
        ("dwstat", 0, "", ""),
        ("burst", 0, "", ""),
        ("fed", 0, "", ""),
        ("topology", 0, "", ""),
        ("licenses nosuch", 0, "No licenses configured in Slurm.\n", ""),
        ("hostnames", 0, "", "scontrol: error: host list is empty\n"),
        ("aliases nosuch", 0, "", ""),
        ("front", 1, "", "invalid entity:front for keyword:show\n"),
    ],
)
def test_show(eight, words, code, out, err):
    assert eight.run(f"scontrol show {words}") == (code, out, err)


@pytest.mark.parametrize(
    ("words", "out"),
    [
        ("", S0 + "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=node[5-8]\n" + TOP),
        ("node3", S0 + TOP),
        ("node=node3", S0 + TOP),
        ("s0", S0),
        ("unit=top node=node7", TOP),
    ],
)
def test_topology(eight, words, out):
    with (eight.state / "cluster.toml").open("a", encoding="utf-8") as stream:
        stream.write(TREE)

    assert eight(f"scontrol show topology {words}") == out
    assert eight.run("scontrol show topology nosuch").err == (
        "scontrol: error: Topology information contains no switch or node named nosuch\n"
    )


@pytest.mark.parametrize(
    ("line", "err"),
    [
        ("hold 2", ""),
        ("hold jobid=2", ""),
        ("hold JOB=2", ""),
        ("hold 2,9999", "Invalid job id specified for job 9999\nslurm_suspend error:Invalid job id specified\n"),
        ("hold 2,x", "Invalid job id specified for job 2,x\nslurm_suspend error:Invalid job id specified\n"),
        ("hold name=two", ""),
        ("hold name=nosuch", ""),
        ("hold jobname=one", "slurm_suspend error:Job is no longer pending execution\n"),
        ("suspend 9999", "Unexpected message received for job 9999\n"),
        ("suspend jobid=2", "Job is pending execution for job 2\n"),
        ("suspend name=two", "Invalid job id specified for job name=two\n"),
        ("suspend a,1", "Invalid job id specified for job a,1\n"),
        ("requeue 2", "Job is pending execution for job 2\n"),
        ("requeue inc 2", ""),
        ("requeue state=se 2", "Job is pending execution for job 2\n"),
        ("requeue jobname=two", "Invalid job id specified for job jobname=two\n"),
        ("requeuehold incomplete state=specialexit 3_0", ""),
        ("requeue 3_[0-1]", "3_[0-1]: Job is pending execution\n"),
        ("top 1", "Job is no longer pending execution for job 1\n"),
        ("top 2,1", "Job is no longer pending execution for job 2,1\n"),
        ("top jobid=2", ""),
        ("notify 1 hello there", ""),
        ("notify 2 hello", "job notify failure: Requested operation is presently disabled\n"),
        ("notify 1", "too few arguments for keyword:notify\n"),
    ],
)
def test_keywords_about_jobs(eight, line, err):
    answer = eight.run(f"scontrol {line}")

    assert answer == (1 if err else 0, "", err)


def test_tasks_of_which_some_fail_are_all_spoken_of(eight):
    eight("scontrol release 3_1")

    assert eight.run("scontrol requeue 3").err.splitlines() == [
        "3_[0,2-3]: Job is pending execution",
        "3_[1]: No error",
    ]


def test_hold_by_name_holds_what_runs_as_well(eight):
    eight.run("scontrol hold name=one")

    assert "1 JobHeldAdmin" in held(eight)
    eight("scontrol uhold 1")
    assert "1 JobHeldUser" in held(eight)


def test_settings_from_the_environment(eight):
    eight("scontrol update nodename=node8 state=future")

    assert "NodeName=node8" not in eight("scontrol show node")
    assert "NodeName=node8" in eight("scontrol", "show", "node", env={"SCONTROL_FUTURE": "1"})
    assert "NodeName=node8" in eight("scontrol -F show node")


def test_files(eight):
    assert eight("scontrol write batch 1") == "batch script for job 1 written to slurm-1.sh\n"
    assert "sleep 300" in (eight.cwd / "slurm-1.sh").read_text()
    assert "sleep 300" in eight("scontrol write batch_script 1 -")
    assert eight.run("scontrol write batch_script 1 a b").err == "too many arguments for keyword:write\n"
    assert eight.run("scontrol write batch_script 9999").err == (
        "job script retrieval failed: Invalid job id specified\n"
    )
    assert eight("scontrol write config out") == "Slurm config saved to out\n"
    assert eight.run("scontrol write conf").err == "invalid write argument:conf\n"


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        ("delayboot=5", "Features=(null) DelayBoot=00:05:00"),
        ("mailtype=end,fail", "MailUser=root MailType=END,FAIL"),
        ("mailtype=ALL mailuser=me", "MailUser=me MailType=INVALID_DEPEND,BEGIN,END,FAIL,REQUEUE,STAGE_OUT"),
        ("mincpusnode=2", "NumNodes=1 NumCPUs=2 NumTasks=1 CPUs/Task=1"),
        ("numcpus=3", "NumNodes=1 NumCPUs=3 NumTasks=1 CPUs/Task=1"),
        ("numtasks=3", "NumCPUs=3 NumTasks=3 CPUs/Task=1"),
        ("numnodes=2-3", "NumNodes=2-3 NumCPUs=2 NumTasks=2"),
        ("minmemorynode=100", "MinMemoryNode=100M"),
        ("minmemorycpu=50", "MinMemoryCPU=50M"),
        ("mintmpdisknode=5", "MinTmpDiskNode=5M"),
        ("account=acct", "Account=(null)"),
        ("qos=q", "QOS=(null)"),
        ("shared=yes contiguous=y", "OverSubscribe=YES Exclusive=NO Contiguous=1"),
        ("requeue=0", "Requeue=0"),
        ("reboot=yes", "Reboot=1"),
        ("reqnodelist=node[2-3] excnodelist=node4", "ReqNodeList=node[2-3] ExcNodeList=node4"),
        ("switches=2@10", "Switches=2@00:10:00"),
        ("admincomment=a", "AdminComment=a"),
        ("priority=7", "Priority=7 Nice=0"),
        ("nice=5", "Nice=5"),
        ("timemin=10", "TimeMin=00:10:00"),
        ("wckey=w", "WCKey=w"),
        ("workdir=/w stdout=/o stdin=/i", "StdIn=/i\n   StdOut=/o"),
        ("tasks=2", "NtasksPerN:B:S:C=2:0:*:*"),
        ("deadline=now+1day", "Deadline=2026-01-02T00:00:00"),
    ],
)
def test_what_an_update_shows(eight, change, shown):
    assert eight.run(f"scontrol update jobid=2 {change}") == (0, "", "")
    assert shown in eight("scontrol show job 2")
