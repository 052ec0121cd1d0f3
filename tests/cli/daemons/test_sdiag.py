"""``sim sdiag``, ``sstat`` and ``sreport``: what was counted, what is not measured, what was used."""

from __future__ import annotations

import json
from types import SimpleNamespace

import scene
import world

from slimsched.cli.daemons import sdiag
from slimsched.cli.sacct import sreport, sstat
from slimsched.model.cluster import Cluster
from slimsched.model.job import Step
from slimsched.state.archive import Archive


def counted() -> Cluster:
    made = Cluster(world.recorded(), scene.at("08:00:00"))
    made.boot_time = scene.at("07:58:00")
    made.statistics = {
        "jobs_submitted": 4, "jobs_started": 1, "schedule_cycle_total": 3, "schedule_cycle_depth": 9,
        "schedule_exit_end_job_queue": 3, "schedule_queue_length": 2, "bf_cycle_counter": 2, "bf_depth_sum": 8,
        "bf_depth_try_sum": 6, "bf_queue_len_sum": 4, "bf_table_size_sum": 10, "bf_table_size": 5, "bf_queue_len": 2,
        "bf_last_depth": 4, "bf_last_depth_try": 3, "bf_backfilled_jobs": 1, "bf_when_last_cycle": scene.at("07:59:00"),
        "constraint_evaluations": 12, "constraint_cache_hits": 340,
    }  # fmt: skip
    scene.add(made, 1, "07:58:00")
    return made


def test_report(with_notes, capsys):
    code, out, err = scene.call(counted(), sdiag.command, [], capsys)
    lines = out.splitlines()

    assert (code, err) == (0, "sdiag: note: constraints evaluated: 12, answered from the cache: 340\n")
    assert lines[1:3] == [
        "sdiag output at Sat Nov 21 08:00:00 2026 (1795248000)",
        "Data since      Sat Nov 21 07:58:00 2026 (1795247880)",
    ]
    start = lines.index("Main schedule statistics (microseconds):")
    assert lines[start : start + 10] == [
        "Main schedule statistics (microseconds):",
        "\tLast cycle:   0",
        "\tMax cycle:    0",
        "\tTotal cycles: 3",
        "\tMean cycle:   0",
        "\tMean depth cycle:  3",
        "\tCycles per minute: 1",
        "\tLast queue length: 2",
        "",
        "Main scheduler exit:",
    ]
    assert "Jobs pending:   1" in lines
    assert "\tDepth Mean (try depth): 3" in lines
    assert lines[-2:] == ["Pending RPC statistics", "\tNo pending RPCs"]


def test_reset_keeps_what_is_no_counter(capsys):
    made = counted()

    assert scene.call(made, sdiag.command, ["-r"], capsys) == (0, "Reset scheduling statistics\n", "")
    assert made.statistics == {
        "schedule_queue_length": 2,
        "bf_table_size": 5,
        "bf_when_last_cycle": scene.at("07:59:00"),
        "req_time_start": made.now,
    }
    assert "Mean" not in scene.call(made, sdiag.command, [], capsys)[1]


def test_json(capsys):
    found = json.loads(scene.call(counted(), sdiag.command, ["--json"], capsys)[1])["statistics"]

    assert found["bf_exit"]["end_job_queue"] == 0
    assert found["schedule_exit"]["end_job_queue"] == 3
    assert (found["bf_table_size_mean"], found["jobs_pending"], found["bf_active"]) == (5, 1, False)


def test_steps_without_measurements(capsys):
    made = scene.formats()

    def stat(*argv):
        return scene.call(made, sstat.command, ["-nP", "-o", "jobid,avecpu,maxrss", *argv], capsys)

    made.jobs[1].steps = [Step("first", 0, 0), Step("app", 0, None, 1), Step("other", 0, None, 1)]
    assert stat("1.batch,3_1.batch", "4.batch")[1] == (
        "1.batch|213503982334-14:25:51|\n3_1.batch|213503982334-14:25:51|\n"  # the second argument is not read
    )
    assert stat("-j", "1")[1:] == ("1.1|213503982334-14:25:51|\n", "")
    assert [line.split("|")[0] for line in stat("-aj1")[1].split()] == ["1.batch", "1.1", "1.2"]
    assert stat("-j3_1.0")[1:] == ("", "sstat: error: StepId=3_1.0 not found running.\n")
    assert stat("-j99")[1:] == ("", "sstat: error: No steps running for JobId=99\n")
    assert scene.call(made, sstat.command, ["-Pi", "1.batch"], capsys)[1] == "JobID|Nodelist|Pids\n1.batch|node1|\n"
    assert scene.call(made, sstat.command, [], capsys) == (
        1,
        "",
        "sstat: error: You didn't give me any jobs to stat.\n",
    )


def report(capsys, tmp_path, *argv):
    made = Cluster(world.recorded(), scene.at("09:00:00"))
    made.boot_time = scene.at("06:00:00")
    for job_id, user, account in ((1, "alice", "lab"), (2, "bob", "lab"), (3, "alice", "")):
        job = scene.add(made, job_id, "07:00:00", account=account)
        job.user_name = user
        scene.run(made, job, "node1", [job_id], [100], "08:00:00")
    made.jobs[2].state, made.jobs[2].end_time = "COMPLETED", scene.at("08:30:00")
    archive = Archive(str(tmp_path))
    archive.waiting = [made.jobs.pop(2)]
    app = scene.Scene(made)
    app.store = SimpleNamespace(archive=archive, history=list)
    code = app.guard(lambda: sreport.command.main(app, argv))
    return (code, *capsys.readouterr())


def test_utilization(capsys, tmp_path):
    rule = "-" * 80

    assert report(capsys, tmp_path, "-P", "cluster", "utilization") == (
        0,
        f"{rule}\nCluster Utilization 2026-11-20T00:00:00 - 2026-11-21T00:59:59\n"
        f"Usage reported in CPU Minutes\n{rule}\n"
        "Cluster|Allocated|Down|PLND Down|Idle|Planned|Reported\n",
        "",
    )
    answer = report(capsys, tmp_path, "-nP", "cluster", "utilization", "start=08:00", "end=09:00")
    assert answer[1] == "oracle|300|0|0|1620|0|1920\n"


def test_usage_by_account_and_user(capsys, tmp_path):
    period = ("start=08:00", "end=now")

    assert report(capsys, tmp_path, "-nP", "cluster", "AccountUtilizationByUser", *period)[1] == (
        "oracle|root|||300|0\noracle|root|alice||180|0\n"  # that of a job without an account
        "oracle|lab|||120|0\noracle|lab|alice||60|0\noracle|lab|bob||60|0\n"
    )
    assert report(capsys, tmp_path, "-nP", "user", "top", *period)[1].startswith("oracle|alice||root|180|0\n")
    assert report(capsys, tmp_path, "job", "size")[2] == ""
    assert report(capsys, tmp_path, "job", "x")[2].startswith("Not valid report x\n")


def test_there_is_no_step_to_attach_to(capsys):
    from slimsched.cli.submit.sattach import command

    said = "sattach: error: Could not get job step info: Invalid job id specified\n"
    assert scene.call(scene.formats(), command, ["1.0"], capsys) == (1, "", said)
    assert scene.call(scene.formats(), command, ["x"], capsys)[2] == "sattach: fatal: Bad job/step specification: x\n"
    assert scene.call(scene.formats(), command, [], capsys)[0] == 1


def test_h_is_help(sim):
    assert sim("sdiag -h") == sim("sdiag --help")
