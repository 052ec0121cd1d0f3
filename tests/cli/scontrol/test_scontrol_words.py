"""What ``scontrol update`` says to words before the controller is asked: keys cut short, wrong values, exit codes."""

from __future__ import annotations

import pytest

from slimsched.cli.prompted import split
from slimsched.controller.update import fields as engine
from slimsched.controller.update import job, node, partition, reservation

NO_CHANGES = "No changes specified\n"
ABORTED = "Request aborted\n"
STATES = (
    "Valid states are: NoResp DRAIN FAIL FUTURE RESUME POWER_DOWN POWER_UP UNDRAIN\n"
    "Not all states are valid given a node's prior state\n"
)


@pytest.fixture
def waiting(sim):
    """A cluster with a job that waits (1), one that runs (2), and an array that waits (3)."""
    sim("init", "--nodes", "node[1-8]", "--cpus", "4", "--memory", "1000")
    sim("sbatch -J one --begin now+2hours --wrap 'sleep 300'")
    sim("sbatch -J two --wrap 'sleep 300'")
    sim("sbatch -J many --hold --array 0-3 --wrap 'sleep 300'")
    return sim


@pytest.mark.parametrize(
    ("record", "tag", "name"),
    [
        (job, "a", "Account"),
        (job, "ar", None),
        (job, "arraytaskt", "ArrayTaskThrottle"),
        (job, "f", "Features"),
        (job, "w", "WCKey"),
        (job, "wo", "WorkDir"),
        (job, "d", "Dependency"),
        (job, "dea", "Deadline"),
        (job, "timel", "TimeLimit"),
        (job, "time", None),
        (job, "pr", "Priority"),
        (job, "pre", "Prefer"),
        (job, "pa", "Partition"),
        (job, "en", "EndTime"),
        (job, "el", "EligibleTime"),
        (job, "sh", "OverSubscribe"),
        (job, "st", "StartTime"),
        (job, "NODELIST", "ReqNodeList"),
        (job, "nodelis", None),
        (job, "mincpu", "MinCPUsNode"),
        (job, "minmemoryn", "MinMemoryNode"),
        (job, "minmemory", None),
        (job, "tasks", "TasksPerNode"),
        (job, "cpus/task", None),
        (job, "commentx", None),
        (node, "s", "State"),
        (node, "r", "Reason"),
        (node, "res", "ResumeAfter"),
        (node, "e", "Extra"),
        (node, "ava", "AvailableFeatures"),
        (node, "c", None),
        (partition, "maxt", "MaxTime"),
        (partition, "maxn", "MaxNodes"),
        (partition, "maxc", "MaxCPUsPerNode"),
        (partition, "default", "Default"),
        (partition, "def", None),
        (partition, "pri", "Priority"),
        (partition, "priorityt", "PriorityTier"),
        (partition, "shared", "OverSubscribe"),
        (reservation, "u", "Users"),
        (reservation, "d", "Duration"),
        (reservation, "cpucount", "CoreCnt"),
        (reservation, "node", None),
        (reservation, "p", "PartitionName"),
    ],
)
def test_fields_may_be_cut(record, tag, name):
    assert getattr(engine.find(record.FIELDS, tag), "name", None) == name


@pytest.mark.parametrize(
    ("words", "code", "err"),
    [
        ("priority=abc", 1, "scontrol: error: Invalid Priority value: abc\n"),
        ("priority=4294967295", 1, "scontrol: error: Invalid Priority value: 4294967295\n"),
        ("priority=-1", 1, "scontrol: error: Invalid Priority value: -1\n"),
        ("nice=99999999999", 1, "scontrol: error: Nice value out of range (+/- 2147483645). Value ignored\n"),
        ("timelimit=bogus", 1, "scontrol: error: Invalid TimeLimit value\n"),
        ("timelimit+=+5", 1, "scontrol: error: Invalid syntax, variations of +=- are not accepted.\n"),
        ("timelimit-=99", 0, ""),
        ("timemin=x", 1, "scontrol: error: Invalid TimeMin value\n"),
        ("numtasks=x", 1, "scontrol: error: Invalid NumTasks value: x\n"),
        ("reqprocs=x", 1, "scontrol: error: Invalid NumTasks value: x\n"),
        ("cpuspertask=70000", 1, "scontrol: error: Invalid CPUsPerTask value: 70000\n"),
        ("minmemorynode=1G", 1, "scontrol: error: Invalid MinMemoryNode value: 1G\n"),
        ("requeue=yes", 1, "scontrol: error: Invalid Requeue value: yes\n"),
        ("contiguous=maybe", 1, "scontrol: error: Invalid Contiguous value: maybe\n"),
        ("shared=maybe", 1, "scontrol: error: Invalid OverSubscribe value: maybe\n"),
        ("reboot=maybe", 1, "scontrol: error: Invalid reboot value: maybe\n"),
        ("arraytaskthrottle=-1", 1, "scontrol: error: Invalid ArrayTaskThrottle value\n"),
        ("delayboot=x", 1, "scontrol: error: Invalid DelayBoot value\n"),
        ("admincomment-=x", 1, "scontrol: error: Invalid syntax, AdminComment can not be subtracted from.\n"),
        ("name+=x", 1, "scontrol: error: Option name+=x does not accept [+|-]= syntax\n"),
        ("numnodes=x", 0, 'scontrol: error: Invalid numeric value "x" for requested node count.\n'),
        (
            "numcpus=x",
            1,
            'scontrol: error: Invalid numeric value "x" for NumCPUs.\nscontrol: error: Invalid NumCPUs value: x\n',
        ),
        ("numcpus=0", 1, "scontrol: error: Invalid NumCPUs value: 0\n"),
        ("mailtype=nothing", 1, "Invalid MailType: nothing\n"),
        ("starttime=bogus", 1, f"Invalid time specification (pos=0): bogus\n{NO_CHANGES}"),
        ("deadline=bogus", 1, f"Invalid time specification (pos=0): bogus\n{NO_CHANGES}"),
        ("endtime=bogus", 0, "Invalid time specification (pos=0): bogus\n"),
        ("userid=0", 1, NO_CHANGES),
        ("userid=nobodyatall comment=x", 1, f"Invalid UserID: nobodyatall\n{ABORTED}"),
        ("state=pending", 1, f"Update of this parameter is not supported: state=pending\n{ABORTED}"),
        ("foo", 1, f"Invalid input: foo\n{ABORTED}"),
        ("foo comment=x", 1, f"Update of this parameter is not supported: comment=x\n{ABORTED}"),
        ("comment hello", 0, ""),
        ("nice", 0, ""),
        ("ni", 0, ""),
        ("resetaccruetime", 0, ""),
        ("numtasks=", 1, "Task count specification invalid for job 1\n"),
    ],
)
def test_words_about_a_job(waiting, words, code, err):
    said = "" if words == "timelimit-=99" else err
    if words == "timelimit-=99":
        waiting("scontrol update jobid=1 timelimit=100")

    assert waiting.run(f"scontrol update jobid=1 {words}") == (code, "", said)


@pytest.mark.parametrize(
    ("line", "err"),
    [
        ("jobid=9999 priority=abc", "scontrol: error: Invalid Priority value: abc\n"),
        ("jobid=9999 priority=1", "Invalid job id specified for job 9999\n"),
        ("jobid=abc priority=1", "Invalid job id specified for job abc\n"),
        ("jobid=1,abc priority=1", "Invalid job id specified for job 1,abc\n"),
        (
            "jobid=9999 numnodes=2",
            "scontrol: error: Could not load state information for job 9999: Invalid job id specified\n",
        ),
        ("jobid=1,2 numnodes=2", "scontrol: error: Invalid job ID 1,2\n"),
        ("timelimit+=5 jobid=1", "scontrol: error: JobId must precede TimeLimit increment or decrement\n"),
        ("jobid=1 timelimit-=999", "scontrol: error: TimeLimit decrement larger than current time limit (999 > 30)\n"),
        ("jobname=nosuch comment=x", "scontrol: error: No jobs with name 'nosuch'\n"),
        ("jobname=one userid=12345 comment=x", "scontrol: error: No jobs with user ID 12345 and name 'one'\n"),
        ("comment=x", "No valid entity in update command\n"),
    ],
)
def test_lines_about_jobs(waiting, line, err):
    waiting("scontrol update jobid=1 timelimit=30")
    answer = waiting.run(f"scontrol update {line}")

    assert (answer.code, answer.out) == (1, "")
    assert answer.err.startswith(err)


def test_a_limit_without_end_cannot_be_moved(waiting):
    waiting("scontrol update jobid=1 timelimit=unlimited")

    assert waiting.run("scontrol update jobid=1 timelimit+=5").err == (
        "scontrol: error: Cannot increment/decrement TimeLimit when set to UNLIMITED.\n"
    )


def test_entity_and_id_may_be_two_words(waiting):
    waiting("scontrol update job 1 comment=a")
    waiting("scontrol update job 2 comment b timelimit 77")

    shown = waiting("scontrol show job 2")
    assert "Comment=b" in shown
    assert "TimeLimit=01:17:00" in shown


def test_parts_of_an_array_cannot_be_resized_together(waiting):
    waiting("scontrol update jobid=3_1 comment=apart")

    assert waiting.run("scontrol update jobid=3 numnodes=2").err == (
        "scontrol: error: Job resizing not supported for job arrays\n"
    )
    assert waiting.run("scontrol update jobid=3 timelimit+=2").err == (
        "scontrol: error: TimeLimit increment/decrement not supported for job arrays\n"
    )


@pytest.mark.parametrize(
    ("words", "err"),
    [
        ("weight=abc", f"scontrol: error: Weight value (abc) is not a valid number\n{NO_CHANGES}"),
        ("weight=-1", f"scontrol: error: Weight value (-1) is less than zero\n{NO_CHANGES}"),
        ("weight=99999999999", "scontrol: error: Weight value (99999999999) is greater than 4294967280\n" + NO_CHANGES),
        ("weight=0x10", ""),
        ("weight=1k", ""),
        ("state=bogus", f"Invalid input: state=bogus\n{ABORTED}{STATES}"),
        ("state=dr", f"Invalid input: state=dr\n{ABORTED}{STATES}"),
        ("state=dra", "You must specify a reason when DOWNING or DRAINING a node. Request denied\n"),
        ("state=dra reason=x", ""),
        ("s=power_d", ""),
        ("cpus=8", f"Update of this parameter is not supported: cpus=8\n{ABORTED}"),
        ("comment", "scontrol: error: Invalid input: comment  Request aborted\n"),
        ("", NO_CHANGES),
    ],
)
def test_words_about_a_node(waiting, words, err):
    answer = waiting.run(f"scontrol update nodename=node8 {words}")

    assert answer == (1 if err else 0, "", err)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("maxtime=bogus", ["Invalid input maxtime=bogus"]),
        ("default=maybe", ["Invalid input: default=maybe", "Acceptable Default values are YES and NO"]),
        ("hidden=2", ["Invalid input: hidden=2", "Acceptable Hidden values are YES and NO"]),
        (
            "state=bogus",
            ["Invalid input: state=bogus", "Acceptable State values are UP, DOWN, DRAIN and INACTIVE"],
        ),
        (
            "shared=perhaps",
            [
                "Invalid input: shared=perhaps",
                "Acceptable OverSubscribe values are NO, EXCLUSIVE, YES:#, and FORCE:#",
            ],
        ),
        ("maxnodes=x", ['Invalid numeric value "x" for MaxNodes.']),
        ("minnodes=x", ['"x" is not a valid node count']),
        ("gracetime=x", ["Invalid GraceTime value: x"]),
        ("prioritytier=70000", ["Invalid PriorityTier value: 70000"]),
        ("maxcpuspernode=x", ["Invalid MaxCPUsPerNode value: x"]),
        ("preemptmode=gang", ["PreemptMode=GANG is a cluster-wide option and cannot be set at partition level"]),
        ("nodes", ["Invalid input: nodes  Request aborted"]),
        ("", ["No changes specified"]),
    ],
)
def test_words_about_a_partition(waiting, words, said):
    answer = waiting.run(f"scontrol update partitionname=batch {words}")

    assert answer == (1, "", "".join(f"scontrol: error: {line}\n" for line in said))


def test_a_partition_takes_words_that_are_cut_short(waiting):
    part = waiting("sinfo -h -o %P").split()[0].rstrip("*")
    waiting(f"scontrol update partitionname={part} state=i hidden=y share=f:2 maxn=unlimited allowacc=a,b")
    waiting(f"scontrol update partitionname={part} allowaccounts-=a allowaccounts+=c")

    shown = waiting(f"scontrol show partition {part}")
    for text in ("State=INACTIVE", "Hidden=YES", "OverSubscribe=FORCE:2", "MaxNodes=UNLIMITED", "AllowAccounts=b,c"):
        assert text in shown


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("show job 1\n", ["show", "job", "1"]),
        ('update jobid=1 comment="a  b"\n', ["update", "jobid=1", 'comment="a  b"']),
        ("hold  name='x y' 2", ["hold", "name='x y'", "2"]),
        ("   \n", []),
        ("a\tb", ["a", "b"]),
    ],
)
def test_lines_of_the_interactive_mode(line, words):
    assert split(line) == words


def test_interactive_mode(waiting):
    answer = waiting.run("scontrol", stdin="oneliner\nshow job 1\n!!\n\nhide 1\n\\q\nshow job 9999\nexit now\n")

    assert answer.code == 1
    assert answer.out.count("JobId=1 JobName=one UserId=") == 2
    assert answer.err == "too many arguments for keyword:exit\n"


@pytest.mark.parametrize(
    ("line", "code", "out", "err"),
    [
        ("-Q show job 9999", 1, "", ""),
        ("-Q show node nosuch", 1, "", ""),
        ("-Q hold 9999", 1, "", ""),
        ("-Q update jobid=9999 comment=x", 1, "", ""),
        ("-Q update jobid=1 foo", 1, "", f"Invalid input: foo\n{ABORTED}"),
        ("-Q update jobid=1 priority=x", 1, "", "scontrol: error: Invalid Priority value: x\n"),
        ("-Q bogus", 1, "", "invalid keyword: bogus\n"),
        ("-Q update nodename=nosuch comment=x", 1, "", "slurm_update error: Invalid node name specified\n"),
        ("errnumstr 2000", 0, "Invalid partition name specified\n", ""),
        ("errnumstr 0", 0, "No error\n", ""),
        ("errnumstr 2", 0, "No such file or directory\n", ""),
        ("errnumstr 2128", 0, "Reservation given is not skipable, try deleting instead\n", ""),
        ("errnumstr 99999", 0, "Unknown error 99999\n", ""),
        ("errnumstr abc", 1, "", "numeric arguments required for keyword:errnumstr\n"),
        ("errnumstr", 1, "", "one arguments required for keyword:errnumstr\n"),
        ("callerid 1 2", 1, "", "too few arguments for keyword:callerid\n"),
        ("pidinfo", 1, "", "missing argument for keyword:pidinfo\n"),
        ("cancel_reboot", 1, "", "missing argument for keyword:cancel_reboot\n"),
        ("top 1 2", 1, "", "too many arguments for keyword:top\n"),
        ("version now", 1, "", "too many arguments for version keyword\n"),
        ("reboot", 1, "", "Missing node list. Specify ALL|<NodeList>\n"),
        ("reboot asap reason= node1", 1, "", "missing reason\n"),
        ("reboot nextstate=up node1", 1, "", "Invalid state: up\nValid states: DOWN, RESUME\n"),
        (
            "reboot asap nextstate=down reason=x node1",
            1,
            "",
            "scontrol: error: RebootProgram isn't defined\nscontrol_reboot_nodes error:Unspecified error\n",
        ),
        ("setdebug bogus", 1, "", "invalid debug level: bogus\n"),
        ("setdebug 3", 0, "", ""),
        ("setdebug info nodes=node1", 0, "", ""),
        ("setdebugflags +bogus", 1, "", "invalid debug flag: +bogus\n"),
        (
            "setdebugflags backfill",
            1,
            "",
            "invalid debug flag: backfill\nUsage: setdebugflags {+|-}NAME [{+|-}NAME] [nodes=<NODES>]\n",
        ),
        ("schedloglevel 2", 1, "", "invalid schedlog level: 2\n"),
        ("schedloglevel enable", 1, "", "slurm_set_schedlog_level error:Requested operation is presently disabled\n"),
        ("pidinfo 1", 1, "", "Failed to locate job for requested pid\n"),
        ("takeover 5", 1, "", "takeover: invalid backup controller index (5)\n"),
        ("fsdampeningfactor x", 0, "", "invalid dampening factor: x\n"),
        ("write foo", 1, "", "invalid write argument:foo\n"),
        ("write", 1, "", "too few arguments for keyword:write\n"),
        ("shutdown now", 1, "", "invalid shutdown argument:now\n"),
        ("getent", 0, "", ""),
        ("delete foo bar", 1, "", "Invalid deletion entity: foo\n"),
        ("create partition", 1, "", "scontrol: error: Invalid input: partition  Request aborted\n"),
        ("create partition=DEFAULT", 1, "", 'scontrol: error: PartitionName cannot be "DEFAULT".\n'),
        ("update slurmctlddebug=99", 1, "", "invalid debug level: 99\n"),
        ("update slurmctlddebug=3", 0, "", ""),
    ],
)
def test_keywords(waiting, line, code, out, err):
    assert waiting.run(f"scontrol {line}") == (code, out, err)
