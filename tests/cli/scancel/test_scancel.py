"""``sim scancel``: whom it ends, what it says, and its exit codes."""

from __future__ import annotations

import os

import pytest

NO_CLUSTER = (
    "scancel: error: Problem talking to database\n"
    "scancel: error: 'nosuch' can't be reached now, or it is an invalid entry for --cluster.  "
    "Use 'sacctmgr list clusters' to see available clusters.\n"
    "scancel: fatal: Could not get cluster information\n"
)


@pytest.fixture
def jobs(sim):
    """Three jobs: 1 runs, 2 is held, 3 an array of which two tasks run."""
    sim("sbatch -J a --wrap 'sleep 300'")
    sim("sbatch -J b --hold --wrap 'sleep 300'")
    sim("sbatch -J c --array 0-3%2 --wrap 'sleep 300'")
    return sim


def left(sim):
    return sorted(sim("squeue", "-h", "-o", "%i %t").split("\n")[:-1])


def test_by_id(jobs):
    jobs("scancel 1 3_0,3_[2]")

    assert left(jobs) == ["2 PD", "3_1 R", "3_3 R"]
    assert jobs("scancel 2 3") == ""
    assert left(jobs) == []


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ("-n a", ["2 PD", "3_0 R", "3_1 R", "3_[2-3%2] PD"]),
        ("-t PENDING", ["1 R", "3_0 R", "3_1 R"]),
        ("--state=pd -n b", ["1 R", "3_0 R", "3_1 R", "3_[2-3%2] PD"]),
        ("--me", []),
        ("-u daemon", ["1 R", "2 PD", "3_0 R", "3_1 R", "3_[2-3%2] PD"]),
        ("-p debug", []),
        ("-w node02", ["1 R", "2 PD", "3_0 R", "3_1 R", "3_[2-3%2] PD"]),
        ("-t RUNNING 1 2", ["2 PD", "3_0 R", "3_1 R", "3_[2-3%2] PD"]),
    ],
)
def test_by_filter(jobs, options, kept):
    jobs(f"scancel {options}")

    assert left(jobs) == kept


@pytest.mark.parametrize(
    ("words", "kept"),
    [
        ("-p one", ["1 PD", "2 PD"]),
        ("--ctld -p one", ["2 PD"]),
        ("--ctld -p two", []),
        ("--ctld -R early", ["2 PD"]),
        ("-R early", ["1 PD", "2 PD"]),
    ],
)
def test_what_waits_in_several_partitions_is_in_each_for_the_controller(sim, words, kept):
    for name in ("one", "two", "three"):
        sim(f"scontrol create partitionname={name} nodes=ALL")
    for name in ("early", "late", "last"):
        sim(f"scontrol create reservationname={name} starttime=now duration=5 users=root nodecnt=1 flags=overlap")
    sim("sbatch --hold -p one,two --reservation=early,late --wrap true")
    sim("sbatch --hold -p two,three --reservation=late,last --wrap true")

    sim(f"scancel {words}")

    assert left(sim) == kept


def test_what_the_controller_is_asked_to_do(jobs):
    """With --ctld one request does it all: what fails is told, is told alone, and changes no exit code."""
    late = "scancel: error: Kill job error on job id 2: Job can not be altered now, try again later\n"
    assert jobs.run("scancel --ctld -v -s USR1 1 2") == (0, "", f"{late}scancel: Signal 10 to job 1\n")
    assert jobs.run("scancel -M cluster -s USR1 9999 2") == (0, "", late)
    assert jobs.run("scancel --ctld -s USR1 9999") == (0, "", "")
    assert jobs.run("scancel --ctld -s USR1 2.0").code == 0  # steps of waiting jobs are passed over
    assert jobs.run("scancel --ctld -s USR1 1.7").code == 225


def test_steps_are_told_by_number(jobs):
    wrong = "scancel: error: Kill job error on job step id 4: Invalid job id specified\n"
    assert jobs.run("scancel 3_0.7") == (225, "", wrong * 2)  # the array's rest waits behind it in the list
    jobs("scancel -t PENDING --me")
    assert jobs.run("scancel -v -s KILL 3_0.7") == (225, "", f"scancel: Terminating step 4.7\n{wrong}")
    assert jobs.run("scancel -v -s INT 3_0.") == (225, "", f"scancel: Signal 2 to step 4.0\n{wrong}")


def test_empty_filters(jobs):
    """An empty name is that of no job; it is a filter all the same."""
    nothing = "scancel: error: No active jobs match ALL job filters, including: {} \n"
    assert jobs.run("scancel -v -n ''") == (0, "", nothing.format("job_name="))
    assert jobs.run("scancel -v --me -p debug,batch").err.endswith(
        nothing.format(f"partition=debug,batch user_name={os.getuid()}")
    )
    assert jobs.run("scancel -t ''").err.startswith("Invalid job state specified: \n")
    assert jobs.run("scancel -v -A ACCT").err == nothing.format("account=acct")


def test_names_of_what_is_found(jobs):
    """What is looked up is named as it is listed, lists of tasks one by one, a heterogeneous job by its first part."""
    jobs("sbatch -J het --wrap 'sleep 9' : -n1")
    unknown = "scancel: error: Kill job error on job id 3_{}: Invalid job id specified\n"
    assert jobs.run("scancel -v -s INT 3_[0,7-8]") == (
        1,
        "",
        f"{unknown.format(7)}{unknown.format(8)}scancel: Signal 2 to job 3_0\n",
    )
    assert jobs.run("scancel -v -n het").err == "scancel: Terminating job 4\n"
    assert jobs.run("scancel -v -n c").err.startswith(
        "scancel: Terminating job 3_[2-3%2]\nscancel: Terminating job 3_0\n"
    )


def test_order_of_quiet_and_verbose(jobs):
    assert jobs.run("scancel -v -Q 9999") == (0, "", "")
    assert jobs.run("scancel -Q -v -v 9999").err.startswith("scancel: Terminating job 9999\n")


def test_nodes_that_cannot_be_read(jobs):
    assert jobs.run("scancel -w node[1-2") == (0, "", "scancel: error: hostlist_pop: no hostlist given\n" * 5)
    assert left(jobs) == ["1 R", "2 PD", "3_0 R", "3_1 R", "3_[2-3%2] PD"]


def test_a_malformed_id_cancels_nothing(jobs):
    assert jobs.run("scancel 1 abc 2") == (1, "", "scancel: error: Invalid job id abc\n")
    assert "1 R" in left(jobs)


def test_unknown_and_finished_jobs_are_no_error(jobs):
    assert jobs.run("scancel 9999") == (0, "", "")
    jobs("scancel 1")
    assert jobs.run("scancel 1") == (0, "", "")
    assert jobs.run("scancel -v 9999 2") == (
        0,
        "",
        "scancel: Terminating job 9999\n"
        "scancel: error: Kill job error on job id 9999: Invalid job id specified\n"
        "scancel: Terminating job 2\n",
    )


def test_signals(jobs):
    assert jobs("scancel -s USR1 1") == ""
    assert jobs("scancel 1 --signal SIGTERM") == ""
    assert jobs.run("scancel -s USR1 9999") == (
        1,
        "",
        "scancel: error: Kill job error on job id 9999: Invalid job id specified\n",
    )
    assert jobs.run("scancel -s USR1 2").code == 2020 & 0xFF
    assert jobs.run("scancel -v -s 10 1").err == "scancel: Signal 10 to job 1\n"
    late = "scancel: error: Kill job error on job id 2: Job can not be altered now, try again later\n"
    assert jobs.run("scancel -Q -s USR1 2") == (2020 & 0xFF, "", late)
    assert jobs.run("scancel -s BOGUS 1") == (1, "", "Unknown job signal: BOGUS\n")
    assert "1 R" in left(jobs)
    jobs("scancel -s KILL 1")
    assert "1 R" not in left(jobs)


def test_asking_first(jobs):
    answer = jobs.run("scancel -i 1 2 9", stdin="x\nn\nyes\n")

    assert answer == (
        1,
        "Cancel job_id=2 name=b partition=debug [y/n]? " * 2 + "Cancel job_id=1 name=a partition=debug [y/n]? ",
        "scancel: error: Kill job error on job id 9: Invalid job id specified\n",
    )
    assert [line for line in left(jobs) if not line.startswith("3")] == ["2 PD"]
    assert jobs.run("scancel -i 2", stdin="").code == 0


def test_nothing_named(sim):
    assert sim.run("scancel") == (1, "", "scancel: error: No job identification provided\n")
    assert sim.run("scancel -t RUNNING,bogus") == (
        1,
        "",
        "Invalid job state specified: RUNNING,bogus\nValid job states are PENDING, RUNNING, and SUSPENDED\n",
    )
    assert sim.run("scancel", env={"SCANCEL_STATE": "x"}).err.startswith("Unrecognized SCANCEL_STATE value: x\n")


def test_variables_fill_in(jobs):
    jobs("scancel", "--quiet", env={"SCANCEL_NAME": "a"})

    assert "1 R" not in left(jobs)


def test_a_comment_stays_with_the_job(jobs):
    jobs("scancel --admin-comment why 1")

    assert "AdminComment=why" in jobs("scontrol show job 1")


def test_pending_jobs_go_first(jobs):
    assert jobs.run("scancel -v --me").err.splitlines() == [
        "scancel: Terminating job 2",
        "scancel: Terminating job 3_[2-3%2]",
        "scancel: Terminating job 1",
        "scancel: Terminating job 3_0",
        "scancel: Terminating job 3_1",
    ]


@pytest.mark.parametrize(
    ("line", "code", "err"),
    [
        ("-u root 9999", 1, "scancel: error: Kill job error on job id 9999: Invalid job id specified\n"),
        ("-Q -u root 9999", 1, ""),
        ("-n nosuch", 0, ""),
        (
            "-v -n nosuch -p debug",
            0,
            "scancel: error: No active jobs match ALL job filters, including: job_name=nosuch partition=debug \n",
        ),
        ("-n a,b", 0, ""),
        ("5+1", 0, ""),
        (
            "-v 1+1",
            0,
            "scancel: Terminating job 1+1\nscancel: error: Kill job error on job id 1+1: Invalid job id specified\n",
        ),
        ("1.7", 2017 & 0xFF, "scancel: error: Kill job error on job step id 1: Invalid job id specified\n" * 2),
        ("2.0", 0, ""),
        ("9.0", 1, "scancel: error: Kill job error on job step id 9.0: Invalid job id specified\n"),
        ("-v 3_*", 0, "scancel: Terminating job 3_*\n"),
        ("-v -b 1", 0, "scancel: Terminating batch job 1\n"),
        ("-v -f -s HUP 1", 0, "scancel: Signal 1 to full job 1\n"),
        ("-v -s 9 1", 0, "scancel: Signal 9 to job 1\n"),
        ("-v 1.batch", 1, "scancel: error: Invalid job id 1.batch\n"),
        ("-M nosuch 1", 1, NO_CLUSTER),
        ("-s 0 1", 1, "Unknown job signal: 0\n"),
        ("-s SIGPROF 1", 1, "Unknown job signal: SIGPROF\n"),
        ("-s 65536 1", 1, "Unknown job signal: 65536\n"),
        ("1.x", 1, "scancel: error: Invalid job id 1.x\n"),
        ("1_x", 1, "scancel: error: Invalid job id 1_x\n"),
    ],
)
def test_what_is_said(jobs, line, code, err):
    assert jobs.run(f"scancel {line}") == (code, "", err)


def test_a_script_that_is_killed_fails(jobs):
    jobs("scancel -b 1")

    assert "JobState=FAILED" in jobs("scontrol show job 1")
    assert "ExitCode=0:9" in jobs("scontrol show job 1")


@pytest.mark.parametrize(
    ("variables", "err", "gone"),
    [
        ({"SCANCEL_VERBOSE": "true"}, "scancel: Terminating job 1\n", True),
        ({"SCANCEL_VERBOSE": "f"}, "", True),
        ({"SCANCEL_FULL": "T", "SCANCEL_VERBOSE": "T"}, "scancel: Terminating full job 1\n", True),
        ({"SCANCEL_BATCH": "maybe"}, "scancel: error: Unrecognized SCANCEL_BATCH value: maybe\n", True),
        ({"SCANCEL_NAME": "b"}, "", False),
        ({"SCANCEL_STATE": "pd"}, "", False),
    ],
)
def test_variables(jobs, variables, err, gone):
    assert jobs.run("scancel 1", env=variables).err == err
    assert ("1 R" not in left(jobs)) is gone


def test_the_state_is_free_while_it_asks(jobs, monkeypatch):
    from slimsched.cli.app import Application

    def answer(app, question):
        assert app._held is None
        with app.session():
            return "y"

    monkeypatch.setattr(Application, "ask", answer)
    jobs("scancel -i 1")

    assert "1 R" not in left(jobs)


def test_accounting_says_who_ended_a_step(sim):
    sim("sbatch", "--wrap", "srun sleep 60; srun sleep 60")
    sim("advance", "70s")
    sim("scancel", "1.1")

    assert sim("sacct", "-n", "-P", "-j", "1", "-o", "jobid,state,exitcode,elapsed").splitlines() == [
        "1|RUNNING|0:0|00:01:10",
        "1.batch|RUNNING|0:0|00:01:10",
        "1.0|COMPLETED|0:0|00:01:00",
        f"1.1|CANCELLED by {os.getuid()}|0:9|00:00:10",
    ]


@pytest.mark.parametrize(
    ("nodes", "left"), [("nosuch", "1 2\n"), ("nosuch,node01", "2\n"), ("node[01-99]", "\n"), ("\udcff", "1 2\n")]
)
def test_nodes_that_there_are_not_have_no_jobs(sim, nodes, left):
    for node in ("node01", "node02"):
        sim("sbatch", "-w", node, "--sim-runtime", "1h", "--wrap", "true")
    sim.run("scancel", "--nodelist", nodes)
    assert " ".join(sorted(sim("squeue", "-h", "-o", "%i").split())) + "\n" == left


def test_events_of_a_node_that_there_is_not(sim):
    sim("scontrol", "update", "nodename=node01", "state=down", "reason=x")
    sim("advance", "1s")  # what began in this very second is not listed
    assert len(sim("sacctmgr", "-n", "show", "event", "nodes=node01,nosuch").splitlines()) == 1
    assert sim("sacctmgr", "-n", "show", "event", "nodes=nosuch") == ""


@pytest.mark.parametrize("words", ["-u nosuch-user", "-v -u root,daemon", "-u nosuch-user 1"])
def test_a_user_who_does_not_exist(jobs, words):
    name = words.split("-u ")[1].split()[0]
    assert jobs.run(f"scancel {words}") == (1, "", f"scancel: error: Invalid user name: {name}\n")


def test_what_is_said_once_with_the_first_job(jobs):
    assert jobs.run("scancel -vv 1 2").err == (
        "scancel: Terminating job 1\nscancel: debug:  _add_delay: target response time = 3000000\n"
        "scancel: Terminating job 2\n"
    )
