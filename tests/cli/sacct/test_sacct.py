"""``sim sacct`` against what the real one printed for the same jobs, some of them in the archive."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
import scene
import world

from slimsched.cli.sacct.sacct import command
from slimsched.model.cluster import Cluster
from slimsched.model.job import Step
from slimsched.slurm.states import CANCELLED, COMPLETED, FAILED, TIMEOUT
from slimsched.state.archive import Archive


def ran(cluster, job_id, nodes, start, end="", state=COMPLETED, code=0, signal=0, submitted="07:52:56", **fields):
    """Add a job that has run, or still runs if it has no end."""
    job = scene.add(cluster, job_id, submitted, **fields)
    tasks = fields.get("num_tasks", 1)
    scene.run(cluster, job, nodes, [tasks], [fields.get("mem_per_node", 100)], start)
    if end:
        job.state, job.end_time = state, scene.at(end)
        job.exit_code, job.exit_signal = code, signal
    return job


def cluster() -> Cluster:
    """Return the jobs of scenario sacct_accounting, as far as ``sacct`` has them, less the one with steps."""
    made = Cluster(world.recorded(), scene.at("07:53:07"))
    line = "sbatch -J {} --wrap {}".format
    t57, t58, t59 = "07:52:57", "07:52:58", "07:52:59"
    ran(made, 1, "node1", t57, t59, name="ok", submit_line=line("ok", "sleep 1; echo hi"))
    ran(made, 2, "node1", t57, t58, FAILED, 3, name="fail", submit_line=line("fail", "exit 3"))
    array = {"name": "arr", "array_job_id": 3, "rank": 2}
    array["submit_line"] = line("arr --array=1-3%2", "sleep 1; exit $((SLURM_ARRAY_TASK_ID-1))")
    ran(made, 12, "node1", t57, t59, array_task_id=1, **array)
    ran(made, 13, "node1", t57, t59, FAILED, 1, array_task_id=2, **array)
    ran(made, 3, "node1", "07:53:00", "07:53:01", FAILED, 2, array_task_id=3, **array)
    four = {"name": "long", "num_tasks": 2, "mem_per_node": 100, "rank": 3}
    four["submit_line"] = line("long -n 2 --mem=100", "sleep 300")
    ran(made, 4, "node2", t57, "07:53:04", CANCELLED, 0, 15, **four).requid = 0
    five = {"name": "ex", "extra": "a=1", "comment": "note", "rank": 4}
    five["submit_line"] = line("ex --extra a=1 --comment note", "sleep 2")
    ran(made, 5, "node2", t57, "07:53:00", **five)
    six = {"name": "exno", "extra": "a=9", "rank": 5, "submit_line": line("exno --extra a=9", "sleep 2")}
    scene.add(made, 6, "07:52:56", reason="Constraints", **six)
    scene.add(made, 7, "07:52:56", name="held", hold=True, reason="JobHeldUser", eligible_time=0, priority=0)
    ran(made, 8, "node2", t57, name="tl", time_limit=1, rank=6, submit_line=line("tl -t 0:02", "sleep 90"))
    waits = {"reason": "DependencyNeverSatisfied", "eligible_time": 0}
    scene.add(made, 10, "07:52:56", name="dep", dependency="afterok:2(failed)", **waits)
    sig = {"name": "sig", "rank": 9, "submit_line": line("sig", "kill -9 $$")}
    ran(made, 11, "node3", t57, t58, FAILED, 0, 9, **sig)
    return made


def sacct(capsys, monkeypatch, tmp_path, *argv, made=None, archived=(1, 13)):
    monkeypatch.setattr("os.getuid", lambda: 0)
    made = made or cluster()
    archive = Archive(str(tmp_path))
    archive.waiting = [made.jobs.pop(job_id) for job_id in archived if job_id in made.jobs]
    app = scene.Scene(made)
    app.store = SimpleNamespace(archive=archive, script=lambda _: None)
    code = app.guard(lambda: command.main(app, argv))
    return (code, *capsys.readouterr())


@pytest.mark.parametrize("record", scene.records("sacct.jsonl"), ids=lambda record: " ".join(record["argv"]))
def test_as_recorded(record, capsys, monkeypatch, tmp_path):
    answer = sacct(capsys, monkeypatch, tmp_path, *record["argv"])

    assert answer == (record["rc"], record["out"], record["err"])


def fields_of(capsys, monkeypatch, tmp_path, *argv, **more):
    out = sacct(capsys, monkeypatch, tmp_path, "-P", *argv, **more)[1].splitlines()
    return [dict(zip(out[0].split("|"), line.split("|"), strict=True)) for line in out[1:]]


def test_all_fields(capsys, monkeypatch, tmp_path):
    job = fields_of(capsys, monkeypatch, tmp_path, "-o", "ALL", "-j", "5", "-X")[0]

    assert len(job) == 123
    shown = {name: value for name, value in job.items() if value and not name.endswith(("SLUID", "DBIndex"))}
    assert shown == {
        **{"Account": "root", "AllocCPUS": "1", "AllocNodes": "1", "AllocTRES": "billing=1,cpu=1,mem=100M,node=1"},
        **{"AssocID": "2", "Cluster": "oracle", "Comment": "note", "CPUTime": "00:00:03", "CPUTimeRAW": "3"},
        **{"DerivedExitCode": "0:0", "Elapsed": "00:00:03", "ElapsedRaw": "3", "Eligible": "2026-11-21T07:52:56"},
        **{"End": "2026-11-21T07:53:00", "Exclusive": "NO", "ExitCode": "0:0", "Extra": "a=1"},
        **{"Flags": "SchedBackfill,StartReceived", "GID": "0", "Group": "root", "JobID": "5", "JobIDRaw": "5"},
        **{"JobName": "ex", "NCPUS": "1", "NNodes": "1", "NodeList": "node2", "OverSubscribe": "NO"},
        **{"Partition": "debug", "Planned": "00:00:01", "PlannedCPU": "00:00:01", "PlannedCPURAW": "1"},
        **{"Priority": "4294901755", "QOS": "normal", "QOSRAW": "1", "Reason": "None", "ReqCPUFreq": "Unknown"},
        **{"ReqCPUFreqGov": "Unknown", "ReqCPUFreqMax": "Unknown", "ReqCPUFreqMin": "Unknown", "ReqCPUS": "1"},
        **{"ReqMem": "100M", "ReqNodes": "1", "ReqTRES": "billing=1,cpu=1,mem=100M,node=1", "Restarts": "0"},
        **{"Start": "2026-11-21T07:52:57", "State": "COMPLETED", "StdIn": "/dev/null", "StdOut": "slurm-%j.out"},
        **{"Submit": "2026-11-21T07:52:56", "SubmitLine": "sbatch -J ex --extra a=1 --comment note --wrap sleep 2"},
        **{"Suspended": "00:00:00", "SystemCPU": "00:00:00", "Timelimit": "00:30:00", "TimelimitRaw": "30"},
        **{"TotalCPU": "00:00:00", "UID": "0", "User": "root", "UserCPU": "00:00:00", "WCKeyID": "0"},
        "WorkDir": "/scratch/work",
    }


@pytest.mark.parametrize(
    ("argv", "found"),
    [
        (("-j", "7"), ["7"]),  # accounting hears of held jobs, but they are in no period
        (("-j", "3", "-S", "2020-01-01"), ["3_1", "3_2", "3_3"]),
        (("-j", "1,8", "-S", "07:53:00"), ["8"]),
        (("-j", "1,8", "-E", "07:52:00"), []),
        (("-j", "7", "-S", "07:00"), ["7"]),
        (("-j", "1,8", "-S", "07:53:00", "-s", "CD"), ["1"]),
        (("-j", "13"), ["3_2"]),
        (("-j", "3_2"), ["3_2"]),
        (("-s", "R"), ["8"]),
        (("-s", "PENDING"), ["6"]),
        (("-s", "CA,F", "-S", "07:00"), []),  # without an end that very instant counts
        (("-s", "CA,F", "-S", "07:00", "-E", "now"), ["2", "4", "11", "3_2", "3_3"]),
        (("-s", "CD", "-S", "07:53:00"), ["5"]),
        (("-s", "CD", "-S", ""), []),
        (("-s", "R", "-S", "07:52:57", "-E", "07:52:57"), ["1", "2", "4", "5", "8", "11", "3_1", "3_2"]),
        (("-S", "07:53:01", "-E", "07:53:02"), ["4", "6", "8", "3_3"]),
        (("-N", "node3"), ["11"]),
        (("-I", "2"), ["4"]),
        (("-i", "1-2", "--name", "ok,ex"), ["1", "5"]),
        (("-k", "1"), ["8"]),
        (("-K", "1", "-r", "debug", "-j", "8"), ["8"]),  # alone it asks for nothing
        (("-F", "schedmain", "-C", "gpu"), []),
        (("-j", "", "-s", "R"), ["8"]),
        (("-q", "normal", "-A", "ROOT", "--name=tl"), ["8"]),
        (("-x", "2", "-R", "Constraints"), ["6"]),
        (("-u", "0", "-r", "debug", "-g", "root", "--name=sig"), ["11"]),
    ],
)
def test_choice(argv, found, capsys, monkeypatch, tmp_path):
    rows = fields_of(capsys, monkeypatch, tmp_path, "-X", "-o", "jobid", *argv)

    assert [row["JobID"] for row in rows] == found


def test_nodes_are_asked_for_once(capsys, monkeypatch, tmp_path):
    code, out, err = sacct(capsys, monkeypatch, tmp_path, "-nPXo", "jobid", "-N", "node3", "-N", "node1")
    assert (code, out, err) == (0, "11\n", "sacct: error: Already asked for nodes 'node3'\n")


@pytest.mark.parametrize("word", ["None", "prolog", "AssocGrpCpuLimit", "QOSGrpMemLimit", "QOSMaxGRESPerUser"])
def test_reasons_are_those_of_slurm(word, capsys, monkeypatch, tmp_path):
    assert sacct(capsys, monkeypatch, tmp_path, "-R", word)[0] == 0


def test_own_jobs_unless_all_are_wanted(capsys, monkeypatch, tmp_path):
    monkeypatch.setattr("os.getuid", lambda: 0)
    made = cluster()
    for job in made.jobs.values():
        job.user_id = 1000 if job.job_id == 5 else 0
    assert [r["JobID"] for r in fields_of(capsys, monkeypatch, tmp_path, "-X", "-u", "1000", made=made)] == ["5"]
    everybody = [r["JobID"] for r in fields_of(capsys, monkeypatch, tmp_path, "-X", "-a", made=made)]
    for user in ("-u", "-1"), ("-u", "1000", "-u", "-1"):
        assert [r["JobID"] for r in fields_of(capsys, monkeypatch, tmp_path, "-X", *user, made=made)] == everybody


def test_how_a_job_ended_and_its_step(capsys, monkeypatch, tmp_path):
    made = Cluster(world.recorded(), scene.at("08:00:00"))
    ran(made, 1, "node1", "07:00:00", "07:30:00", TIMEOUT, 0, 0, name="slow")
    job = ran(made, 2, "node1", "07:00:00", "07:30:00", CANCELLED, 0, 15, name="stopped")
    job.requid = 1000
    scene.add(made, 3, "07:52:57", state=CANCELLED, start_time=scene.at("07:10:00"), end_time=scene.at("07:10:00"))

    rows = fields_of(capsys, monkeypatch, tmp_path, "-o", "jobid,state,exitcode,nodelist,start", made=made, archived=())

    assert [tuple(row.values()) for row in rows] == [
        ("1", "TIMEOUT", "0:0", "node1", "2026-11-21T07:00:00"),
        ("1.batch", "CANCELLED", "0:15", "node1", "2026-11-21T07:00:00"),
        ("2", "CANCELLED by 1000", "0:0", "node1", "2026-11-21T07:00:00"),
        ("2.batch", "CANCELLED", "0:15", "node1", "2026-11-21T07:00:00"),
        ("3", "CANCELLED", "0:0", "None assigned", "None"),
    ]


def test_runs_of_a_requeued_job(sim):
    listed = "sacct", "-nP", "-j", "1", "-o", "jobid,state,exitcode,restarts,end", "-D"
    sim("sbatch", "--wrap", "sleep 300")
    sim("advance", "10s")
    sim("scontrol", "requeue", "1")
    stopped = sim("sacct", "-nPXj1", "-D", "-oend").split()[0]

    ended = [f"1|REQUEUED|0:0|0|{stopped}", f"1.batch|CANCELLED|0:15||{stopped}"]
    assert sim(*listed).splitlines() == [*ended, "1|PENDING|0:0|1|Unknown"]
    assert sim(*listed[:-1], "-X") == "1|PENDING|0:0|1|Unknown\n"
    assert sim("sacct", "-nPX", "-S00:00", "-o", "state") == "REQUEUED\n"  # the new run is in no period yet
    sim("advance", "500s")
    sim("scontrol", "requeuehold", "1")
    assert [line.split("|")[1] for line in sim(*listed, "-X").splitlines()] == ["REQUEUED", "COMPLETED", "PENDING"]


def test_a_script_that_asks_whether_it_was_requeued(sim):
    script = '#!/bin/sh\nsrun -J st true\n[ "${SLURM_RESTART_COUNT:-0}" = 0 ] && sleep 60\nexit 4\n'
    sim("sbatch", stdin=script)
    sim("advance", "3s")
    sim("scontrol", "requeue", "1")
    sim("scontrol", "update", "jobid=1", "starttime=now")
    sim("advance", "3s")

    assert sim("sacct", "-nPDj1", "-o", "jobid,state,exitcode,elapsed").splitlines() == [
        "1|REQUEUED|0:0|00:00:03",
        "1.batch|CANCELLED|0:15|00:00:03",
        "1.0|COMPLETED|0:0|00:00:00",
        "1|FAILED|4:0|00:00:00",
        "1.batch|FAILED|4:0|00:00:00",
        "1.0|COMPLETED|0:0|00:00:00",
    ]


@pytest.mark.parametrize(
    ("argv", "out"),
    [
        (
            ("-j1", "-o", "elapsed%3,start%6,allocnodes%-4"),
            "Ela  Start Allo \n--- ------ ---- \n00:00:02 ###### 1    \n",
        ),
        (("-j7", "-o", "start%4,reqmem%7"), "Star  ReqMem \n---- ------- \nUnkn    100M \n"),
        (("-nj1", "-o", "jobid%4", "-b"), "   1 1             COMPLETED      0:0 \n"),
        (("-nPj1", "--delimiter=", "-o", "jobid,state"), "1COMPLETED\n"),
        (("-j1", "-B"), f"Batch Script for 1\n{'-' * 80}\nNONE\n\n"),
        (("-j1", "--env-vars"), f"Environment used for 1 (must be batch to display)\n{'-' * 80}\nNONE\n\n"),
    ],
)
def test_layout(argv, out, capsys, monkeypatch, tmp_path):
    assert sacct(capsys, monkeypatch, tmp_path, "-X", *argv)[1] == out


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ((), "Eligible in the time window from 2026-11-21T00:00:00 to 2026-11-21T07:53:07"),
        (("-j1",), "Eligible in the time window from Epoch 0 to 2026-11-21T07:53:07"),
        (("-sR",), "RUNNING at the time instant 2026-11-21T07:53:07"),
    ],
)
def test_verbose(argv, said, capsys, monkeypatch, tmp_path):
    assert sacct(capsys, monkeypatch, tmp_path, "-v", *argv)[2] == f"sacct: Jobs {said}\n"


def test_extern_step_where_jobs_are_contained(capsys, monkeypatch, tmp_path):
    made = cluster()
    made.config.slurm["PrologFlags"] = "Alloc,Contain"
    asked = "-o", "jobid,jobname,state,exitcode,alloccpus,nodelist,ntasks,layout"

    found = sacct(capsys, monkeypatch, tmp_path, "-nP", "-j", "2", *asked, made=made)[1].splitlines()[1:]

    assert found == [
        "2.batch|batch|FAILED|3:0|1|node1|1|Unknown",
        "2.extern|extern|COMPLETED|0:0|1|node1|1|Unknown",
    ]


def test_pending_array(capsys, monkeypatch, tmp_path):
    made = Cluster(world.recorded(), scene.at("08:00:00"))
    scene.add(made, 1, "07:00:00", array_job_id=1, array_tasks="1-3", array_max_tasks=2)

    assert "1_[1-3%2]" in sacct(capsys, monkeypatch, tmp_path, "-X", made=made, archived=())[1]
    rows = fields_of(capsys, monkeypatch, tmp_path, "--array", "-o", "jobid", made=made, archived=())
    assert [row["JobID"] for row in rows] == ["1_1", "1_2", "1_3"]


def test_units_truncation_and_file_names(capsys, monkeypatch, tmp_path):
    asked = ("-X", "-j", "5", "-o", "reqmem,stdout,start,elapsed", "--units=K", "--expand-patterns", "-T")
    row = fields_of(capsys, monkeypatch, tmp_path, *asked, "-S", "07:52:59")[0]

    assert row == {
        "ReqMem": "102400K",
        "StdOut": "slurm-5.out",
        "Start": "2026-11-21T07:52:59",
        "Elapsed": "00:00:01",
    }


def test_time_format(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("SLURM_TIME_FORMAT", "%s")

    assert sacct(capsys, monkeypatch, tmp_path, "-nPX", "-j", "1", "-o", "end")[1] == "1795247579\n"


@pytest.mark.parametrize(
    ("argv", "err"),
    [
        (
            ("-S", "bogus"),
            "Invalid time specification (pos=0): bogus\n"
            "sacct: note: a time is 16:30, 2026-01-31, 2026-01-31T16:30, now-1hour, now-7days, midnight or noon\n",
        ),
        (
            ("-S", "2027-01-01", "-j", "1"),
            "sacct: error: Start time (2027-01-01T00:00:00) requested is after end time (2026-11-21T07:53:07).\n"
            "sacct: note: the cluster's clock is virtual; "
            "to begin it at the current time: sim init --force --start now\n",
        ),
        (
            ("-K", "x"),
            "sacct: fatal: Invalid time limit specification\n"
            "sacct: note: a time is MINUTES, MINUTES:SECONDS, HOURS:MINUTES:SECONDS, DAYS-HOURS or UNLIMITED\n",
        ),
        (("-i", "x"), 'sacct: error: Invalid numeric value "x" for requested node range.\n'),
        (("-I", "1-y"), 'sacct: error: Invalid numeric value "1-y" for requested cpu range.\n'),
        (
            ("--units=X",),
            "sacct: error: Invalid unit type 'X'. Possible options are 'KMGTP'\nsacct: fatal: Invalid unit type\n",
        ),
        (("1", "2"), "sacct: error: Unknown arguments:\nsacct: error:  1\nsacct: error:  2\n"),
        (
            ("-l", "-o", "jobid"),
            "sacct: fatal: Options -o(--format) and -l(--long) are mutually exclusive. Please remove one and retry.\n",
        ),
        (("-o", "reqgres"), "sacct: fatal: ReqGRES is deprecated, please use ReqTRES\n"),
        (("--whole-hetjob=x",), 'sacct: error: Invalid --whole-hetjob value "x". Valid values: [yes|no].\n'),
        (
            ("-B",),
            "sacct: fatal: When requesting job scripts you must also request specific jobs with the '-j' option.\n",
        ),
        (
            ("-B", "--env-vars", "-j1"),
            "sacct: fatal: Options --batch-script and --env-vars are mutually exclusive\n",
        ),
        (("-f", "/none"), "/none is not a valid file\n"),
        (("-k", "0"), "sacct: fatal: Invalid time limit specification\n"),
        (("-F", "SchedMain,bogus"), "sacct: error: str_2_job_flags: Invalid job flag bogus\n"),
        (("-s", "R,CG"), "sacct: fatal: job state CG is not supported / accounted\n"),
        (("-s", "RX,R"), "sacct: fatal: unrecognized job state value RX\n"),
        (
            ("-R", "Priorit"),
            "sacct: fatal: unrecognized job reason value 'Priorit'\n"
            "sacct: note: no reason 'Priorit'; did you mean Priority?\n",
        ),
        (("-j", "1."), "sacct: fatal: Bad job/step specified: 1.: StepID must not be an empty string\n"),
        (
            ("-j", "1.x"),
            "sacct: fatal: Bad job/step specified: 1.x: StepID includes unexpected non-numeric characters\n",
        ),
        (("-j", "1+"), "sacct: fatal: Bad job/step specified: 1+: HetJob component must not be an empty string\n"),
        (("-j", "abc"), "sacct: fatal: Bad job/step specified: abc\n"),
        (
            ("-q", "normal,nosuch"),
            "sacct: error: You gave a bad qos 'nosuch'. Valid QOS's are normal\n"
            "sacct: fatal: problem processing qos list\n",
        ),
        (("-j", "1x"), "sacct: fatal: Bad job/step specified: 1x: JobID includes unexpected non-numeric characters\n"),
    ],
)
def test_refusals(with_notes, argv, err, capsys, monkeypatch, tmp_path):
    assert sacct(capsys, monkeypatch, tmp_path, *argv) == (1, "", err)


def test_without_accounting(capsys, monkeypatch, tmp_path):
    made = cluster()
    made.config.slurm["AccountingStorageType"] = "accounting_storage/none"

    answer = sacct(capsys, monkeypatch, tmp_path, "-j", "1", made=made)

    assert answer == (1, "", "Slurm accounting storage is disabled\n")


def test_json(capsys, monkeypatch, tmp_path):
    out = sacct(capsys, monkeypatch, tmp_path, "--json", "-j", "4")[1]
    job = json.loads(out)["jobs"][0]

    assert job["state"] == {"current": ["CANCELLED"], "reason": "None"}
    assert job["tres"]["allocated"][:2] == [
        {"type": "cpu", "name": "", "id": 1, "count": 2},
        {"type": "mem", "name": "", "id": 2, "count": 100},
    ]
    assert [step["step"]["id"] for step in job["steps"]] == ["4.batch"]


def test_steps_of_the_script(capsys, monkeypatch, tmp_path):
    made = Cluster(world.recorded(), scene.at("08:00:00"))
    steps = [Step("prepare", 0, 10), Step("false", 10, 10, 1, 1), Step("app", 10, 60), Step("late", 60, 70)]
    job = ran(made, 1, "node[3-4]", "07:00:00", "07:00:30", TIMEOUT, num_tasks=2, min_nodes=2, steps=steps)
    job.cpus, job.memory = [1, 1], [100, 100]
    asked = ("-o", "jobid,jobname,state,exitcode,elapsed,alloccpus,nodelist,ntasks,end,derivedexitcode")

    rows = fields_of(capsys, monkeypatch, tmp_path, *asked, made=made, archived=())

    assert [tuple(row.values()) for row in rows[2:]] == [
        ("1.0", "prepare", "COMPLETED", "0:0", "00:00:10", "2", "node[3-4]", "2", "2026-11-21T07:00:10", ""),
        ("1.1", "false", "FAILED", "1:0", "00:00:00", "1", "node3", "1", "2026-11-21T07:00:10", ""),
        ("1.2", "app", "CANCELLED", "0:15", "00:00:20", "2", "node[3-4]", "2", "2026-11-21T07:00:30", ""),
    ]
    assert rows[0]["DerivedExitCode"] == "1:0"
    job.state, made.now = "RUNNING", scene.at("07:00:15")
    rows = fields_of(capsys, monkeypatch, tmp_path, "-j", "1.2", *asked, made=made, archived=())
    assert [(row["JobID"], row["State"], row["Elapsed"], row["End"]) for row in rows] == [
        ("1.2", "RUNNING", "00:00:05", "Unknown")
    ]


def test_the_last_parsable_form_counts(sim):
    sim("sbatch --wrap true")
    sim("advance 1s")

    assert sim("sacct -P -p -X -n -o jobid,state") == "1|COMPLETED|\n"
    assert sim("sacct -p -P -X -n -o jobid,state") == "1|COMPLETED\n"


def test_unknown_group(sim):
    assert sim.run("sacct -g nosuch,0") == (1, "", "sacct: error: Invalid group id: nosuch\n")
