"""The keywords of ``sim scontrol`` that change things, their words and their exit codes."""

from __future__ import annotations

import pytest
from recorded import recorded

from slimsched.cli.scontrol.dispatch import KEYWORDS, find


@pytest.fixture
def busy(sim):
    """A cluster of the records' names with a running job (1) and one that is held (2)."""
    sim("init", "--nodes", "node[1-8]", "--cpus", "4", "--memory", "1000")
    sim("sbatch --wrap 'sleep 300'")
    sim("sbatch --hold --array 0-3 --wrap 'sleep 300'")
    return sim


def test_as_recorded(busy):
    expected, actual = [], []
    for record in recorded("scontrol_changes.jsonl"):
        answer = busy.run("scontrol", *record["args"])
        expected.append((record["args"], record.get("rc", 0), record.get("out", ""), record.get("err", "")))
        actual.append((record["args"], *answer))

    assert actual == expected


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("rele", "release"),
        ("up", "update"),
        ("u", "update"),
        ("holdx", "hold"),
        ("holdu", "holdu"),
        ("requeueh", None),
        ("requeueholdx", "requeuehold"),
        ("d", "details"),
        ("de", "details"),
        ("del", "delete"),
        ("sh", None),
        ("sho", "show"),
        ("al", "all"),
        ("e", None),
        ("er", "errnumstr"),
        ("l", "listpids"),
        ("\\q", "quiet"),
        ("req", "requeue"),
        ("SHOW", "show"),
        ("q", None),
        ("hol", None),
        ("crontab", None),
    ],
)
def test_keywords_may_be_cut(word, name):
    keyword = find(word)

    assert (keyword.name if keyword else None) == name


def test_every_keyword_has_its_function():
    from importlib import import_module

    for keyword in KEYWORDS:
        module, _, name = keyword.target.partition(":")
        assert callable(getattr(import_module(f"slimsched.cli.scontrol.{module}"), name))


def test_hold_and_release_by_id_list_and_name(busy):
    busy("scontrol release 2_1,2_2")
    busy("sbatch --hold -J late --wrap 'sleep 300'")
    busy("scontrol release jobname=late")
    busy("scontrol uhold 2_0")

    assert sorted(busy("squeue", "-h", "-r", "-o", "%i %r").splitlines()) == [
        *("1 None", "2_0 JobHeldUser", "2_1 None", "2_2 None", "2_3 JobHeldUser", "5 None"),
    ]


def test_failures_do_not_undo_the_rest(busy):
    answer = busy.run("scontrol hold 9999 1 abc")

    assert answer == (
        1,
        "",
        "Invalid job id specified for job 9999\nslurm_suspend error:Invalid job id specified\n"
        "Invalid job id specified for job abc\nslurm_suspend error:Invalid job id specified\n",
    )
    assert busy("squeue", "-h", "-j", "1", "-o", "%r") == "JobHeldAdmin\n"


def test_requeue_suspend_resume(busy):
    busy("scontrol suspend 1")
    assert busy("squeue", "-h", "-j", "1", "-o", "%t") == "S\n"
    busy("scontrol resume 1")
    busy("scontrol requeuehold state=specialexit 1")
    assert busy("squeue", "-h", "-j", "1", "-o", "%r") == "job requeued in held state\n"
    assert busy.run("scontrol requeue 2_0").err == "2_[0]: Job is pending execution\n"
    assert busy("scontrol requeue incomplete 1") == ""


def test_update_job(busy):
    busy("scontrol update jobid=1 timelimit=20 comment='hello world' nice name=new")
    busy("scontrol update jobid=1 timelimit+=5")

    shown = busy("scontrol show job 1")
    assert all(text in shown for text in ("TimeLimit=00:25:00", "JobName=new", "Nice=100", "Comment=hello world"))
    assert busy.run("scontrol update JobId=1 arraytaskthrottle=3") == (
        1,
        "",
        "scontrol: error: Update of ArrayTaskThrottle is only allowed on ArrayJobId\n"
        "Requested operation not supported on this system for job 1\n",
    )
    assert busy.run("scontrol update JobId=1 state=pending").err == (
        "Update of this parameter is not supported: state=pending\nRequest aborted\n"
    )
    assert busy.run("scontrol update JobId=1 foo").err == "Invalid input: foo\nRequest aborted\n"
    assert busy.run("scontrol update JobId=1 userid=1000").err == "No changes specified\n"
    assert busy.run("scontrol update JobId=1 name+=x").code == 1


def test_update_job_by_name_and_list(busy):
    busy("sbatch -J twin --wrap 'sleep 300'")
    busy("sbatch -J twin --wrap 'sleep 300'")
    busy("scontrol update jobname=twin comment=byname")
    busy("scontrol update jobid=1,3 comment=bylist")

    assert busy("squeue", "-h", "-t", "R", "-S", "i", "-o", "%i %k") == "1 bylist\n3 bylist\n4 byname\n"


@pytest.mark.usefixtures("with_notes")
def test_bad_extra_comes_with_a_diagnosis(busy):
    answer = busy.run("scontrol", "update", "jobid=1", "extra=a==1")

    assert (answer.code, answer.out) == (1, "")
    assert answer.err.splitlines()[:3] == [
        "Invalid extra constraints specification for job 1",
        "scontrol: note: a==1",
        "scontrol: note:  ^^",
    ]


def test_update_node(busy):
    busy("scontrol", "update", "NODENAME=node[1-2]", 'EXTRA={"g":3}', "comment=abc def")
    answer = busy.run("scontrol", "update", "nodename=node1", 'extra={"bad"', "comment=changed?")

    assert (answer.code, answer.err.splitlines()[0]) == (
        1,
        "slurm_update error: Invalid extra constraints specification",
    )
    assert 'Comment=abc def\n   Extra={"g":3}\n' in busy("scontrol show node node1")
    assert (
        busy.run("scontrol update nodename=node3 extra").err
        == "scontrol: error: Invalid input: extra  Request aborted\n"
    )
    assert busy.run("scontrol", "update", "nodename=node3", 'extra+={"x":2}').err == (
        'Update of this parameter is not supported: extra+={"x":2}\nRequest aborted\n'
    )
    assert busy.run("scontrol update nodename=node3 state=maint reason=m").err.startswith(
        "Invalid input: state=maint\nRequest aborted\nValid states are: NoResp"
    )
    busy("scontrol power down node3 reason=cold")
    assert "State=IDLE+POWERING_DOWN " in busy("scontrol show node node3")
    busy("advance 31s")
    assert "State=IDLE+POWERED_DOWN " in busy("scontrol show node node3")
    busy("scontrol power up node3")
    assert "State=IDLE+NOT_RESPONDING+POWERING_UP " in busy("scontrol show node node3")


def test_partitions(busy):
    busy("scontrol create partition=newp nodes=node1")
    busy("scontrol update partitionname=newp maxtime=10 state=drain")
    assert busy.run("sbatch -p newp --wrap true").code == 1
    busy("scontrol delete partitionname=newp")
    assert busy.run("scontrol delete partition nosuch").err == (
        "delete_partition partition: Invalid partition name specified\n"
    )
    assert busy.run("scontrol update partitionname=debug bogus=1").err == (
        "scontrol: error: Update of this parameter is not supported: bogus=1\n\nscontrol: error: Request aborted\n"
    )
    assert busy.run("scontrol create partition").code == 1


def test_reconfigure_puts_partitions_back(busy):
    busy("scontrol update partitionname=debug maxtime=10")
    busy("scontrol reconfigure")

    assert "MaxTime=UNLIMITED" in busy("scontrol show partition debug")


def test_reconfigure_puts_features_back(busy):
    before = busy("scontrol show node node3")
    busy("scontrol update nodename=node3 availablefeatures=new activefeatures=new")
    assert busy.run("sbatch -C new --wrap true").code == 0
    busy("scontrol reconfigure")

    assert busy("scontrol show node node3") == before
    assert "Invalid feature specification" in busy.run("sbatch -C new --wrap true").err


def test_reservations(busy):
    made = busy("scontrol create reservation starttime=now duration=60 users=root nodes=node7")
    assert made == "Reservation created: root_1\n"
    assert busy("scontrol update reservationname=root_1 users+=ann") == "Reservation updated.\n"
    assert busy.run("scontrol update reservationname=root_1 bogus=1").err == (
        "scontrol: error: Unknown parameter bogus=1.  No reservation update.\n"
    )
    answer = busy.run(
        "scontrol create reservation reservationname=r4 starttime=bogus duration=30 users=root nodes=node3"
    )
    assert answer.err == (
        "Invalid time specification (pos=0): bogus\n"
        "scontrol: error: Invalid start time starttime=bogus.  No reservation created.\n"
    )
    answer = busy.run("scontrol create reservation reservationname=r7 starttime=now duration=30 users=root nodecnt=99")
    assert (answer.code, answer.err) == (1, "Error creating the reservation: Requested nodes are busy\n")
    assert answer.out.startswith("Note, unless nodes are directly requested")
    busy("scontrol delete reservationname=root_1")
    assert busy.run("scontrol delete reservation=root_1").err == (
        "delete_reservation reservation=root_1: Requested reservation is invalid\n"
    )


def test_commands_on_standard_input(sim):
    answer = sim.run("scontrol", stdin="ping\nbogus\n\nshow job 9999\nquit\nnever\n")

    assert answer == (
        1,
        "scontrol: ping\nSlurmctld(primary) at localhost is UP\nscontrol: bogus\nscontrol: \nscontrol: show job 9999\n"
        "scontrol: quit\n",
        "invalid keyword: bogus\nslurm_load_jobs error: Invalid job id specified\n",
    )
    assert sim.run("scontrol", stdin="version").out == "scontrol: version\nslurm 26.11.0-0rc1\nscontrol: \n"


def test_quiet_keeps_to_the_exit_code(sim):
    assert sim.run("scontrol -Q hold 9999") == (1, "", "")


def test_wait_job_moves_the_clock(sim):
    sim("sbatch --begin=now+60 --wrap 'sleep 300'")
    answer = sim.run("scontrol wait_job 1")

    assert answer == (0, "", "scontrol: Nodes are ready for job 1\n")
    sim("scontrol requeue 1")
    assert sim.run("scontrol wait_job 1") == (1, "", "scontrol: Job 1 no longer running\n")
    assert sim.run("scontrol wait_job 9") == (1, "", "scontrol: Problem running job 9\n")


def test_writing_files(sim):
    sim("sbatch --wrap 'sleep 300'")
    assert sim("scontrol write batch_script 1") == "batch script for job 1 written to slurm-1.sh\n"
    assert (sim.cwd / "slurm-1.sh").read_text() == sim("scontrol write batch_script 1 -")
    assert sim("scontrol write config my.conf") == "Slurm config saved to my.conf\n"
    assert "NodeName=node[01-03]" in (sim.cwd / "my.conf").read_text()
    assert sim.run("scontrol write batch_script 9").err == "job script retrieval failed: Invalid job id specified\n"
    assert sim.run("scontrol write config /nosuch/dir/x").err == (
        "scontrol: error: cannot write /nosuch/dir/x: No such file or directory\n"
    )
    assert sim.run("scontrol write x").code == 1


def test_a_written_config_can_be_read_again(busy, make_sim):
    busy("scontrol write config my.conf")
    other = make_sim("again")
    other("init", "--from", str(busy.cwd / "my.conf"))

    assert other("sinfo", "-h", "-o", "%P %N") == busy("sinfo", "-h", "-o", "%P %N")


def test_notify(busy):
    assert busy("scontrol notify 1 hello there") == ""
    assert busy.run("scontrol notify 2 hi").err == "job notify failure: Requested operation is presently disabled\n"
    assert busy.run("scontrol notify 9 hi").err == "job notify failure: Invalid job id specified\n"


@pytest.mark.usefixtures("with_notes")
def test_daemon_keywords_say_that_there_is_none(sim):
    answer = sim.run("scontrol shutdown")

    assert answer == (0, "", "scontrol: note: there is no daemon: each command works on the state directory itself\n")


def test_a_reservation_that_contradicts_itself(sim):
    create = "scontrol create reservation=r users=root starttime=now duration=10 nodecnt=1 flags="

    answer = sim.run(create + "maint,replace")

    said = "REPLACE and REPLACE_DOWN flags cannot be used with STATIC_ALLOC or MAINT flags"
    unsupported = "Requested operation not supported on this system"
    assert answer == (1, "", f"scontrol: error: {said}\nError creating the reservation: {unsupported}\n")
    assert sim(create + "replace") == "Reservation created: r\n"
    answer = sim.run("scontrol update reservation=r flags=static")
    assert answer == (1, "", f"scontrol: error: {said}\nslurm_update error: {unsupported}\n")


def test_a_node_of_a_reservation_goes_down(sim):
    sim("scontrol create reservation=r users=root starttime=now duration=10 nodecnt=1")

    sim("scontrol update nodename=node01 state=down reason=broken")

    assert " Nodes=node02 " in sim("scontrol show reservation r")
    assert sim("sinfo", "-h", "-N", "-o", "%N %T") == "node01 down\nnode02 reserved\nnode03 idle\n"
