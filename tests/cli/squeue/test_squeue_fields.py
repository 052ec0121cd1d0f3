"""What ``squeue`` prints of a job, field by field, for every kind of job."""

from __future__ import annotations

import pytest
import scene
import world

from slimsched.cli.squeue.squeue import command

UNLIMITED = 0xFFFFFFFF


def kinds():
    """A job of every kind: running, suspended, interactive, ended, cancelled before it ran."""
    cluster = scene.Cluster(world.recorded(), scene.at("08:00:00"))
    run = {"name": "run", "comment": "a comment", "nodelist": "node[1-2]", "exclude": "node8", "nice": -5}
    scene.run(cluster, scene.add(cluster, 1, "07:00:00", **run), "node[1-2]", [1, 1], [100, 100], "07:10:00")
    job = scene.add(cluster, 2, "07:00:00", name="asleep", time_limit=UNLIMITED, partition="batch")
    scene.run(cluster, job, "node5", [1], [100], "07:10:00")
    job.state, job.pre_sus_time, job.suspend_time, job.end_time = "SUSPENDED", 65, scene.at("07:20:00"), 4102444800
    scene.run(cluster, scene.add(cluster, 3, "07:00:00", batch=False), "node3", [1], [100], "07:59:00")
    job = scene.add(cluster, 4, "07:00:00", name="over")
    scene.run(cluster, job, "node4", [1], [100], "07:10:00")
    job.state, job.end_time, job.reason, job.exit_code = "TIMEOUT", scene.at("07:40:00"), "TimeLimit", 0
    job = scene.add(cluster, 5, "07:00:00", name="gone", priority=0)
    job.state, job.start_time, job.end_time = "CANCELLED", scene.at("07:05:00"), scene.at("07:05:00")
    scene.add(cluster, 6, "07:00:00", name="year", time_limit=366 * 1440, reason="Priority", core_spec=2)
    scene.add(cluster, 7, "07:00:00", name="later", start_time=scene.at("09:00:00"), thread_spec=3, time_min=90)
    return cluster


def column(spec, ids="1,2,3,4,5,6,7"):
    def read(capsys):
        option = "-O" if spec[:1].isalpha() else "-o"
        code, out, err = scene.call(kinds(), command, ["-t", "all", "-S", "i", "-j", ids, option, spec], capsys)
        assert (code, err) == (0, "")
        return out.splitlines()

    return read


FIELDS = {
    "%t": ["ST", "R", "S", "R", "TO", "CA", "PD", "PD"],
    "%T": ["STATE", "RUNNING", "SUSPENDED", "RUNNING", "TIMEOUT", "CANCELLED", "PENDING", "PENDING"],
    "%M": ["TIME", "50:00", "1:05", "1:00", "30:00", "0:00", "0:00", "0:00"],
    "%l": ["TIME_LIMIT", "30:00", "UNLIMITED", "30:00", "30:00", "30:00", "INVALID", "30:00"],
    "%L": ["TIME_LEFT", "INVALID", "UNLIMITED", "29:00", "0:00", "30:00", "INVALID", "30:00"],
    "%B": ["EXEC_HOST", "node1", "node5", "localhost", "node4", "n/a", "n/a", "n/a"],
    "%R": ["NODELIST(REASON)", "node[1-2]", "node5", "node3", "(TimeLimit)", "", "(Priority)", "(None)"],
    "%r": ["REASON", "None", "None", "None", "TimeLimit", "None", "Priority", "None"],
    "%N": ["NODELIST", "node[1-2]", "node5", "node3", "node4", "", "", ""],
    "%n": ["REQ_NODES", "node[1-2]", "", "", "", "", "", ""],
    "%x": ["EXC_NODES", "node8", "", "", "", "", "", ""],
    "%X": ["CORE_SPEC", "N/A", "N/A", "N/A", "N/A", "N/A", "2", "3 Threads"],
    "%y": ["NICE", "-5", "0", "0", "0", "0", "0", "0"],
    "%k": ["COMMENT", "a comment", *["(null)"] * 6],
    "%Q": ["PRIORITY", *(str(scene.TOP - n) for n in range(4)), "0", str(scene.TOP - 5), str(scene.TOP - 6)],
    "PendingTime:": ["PENDING_TIME", "600", "600", "3540", "600", "300", "3600", "3600"],
    "MaxNodes:": ["MAX_NODES", "2", "1", "1", "1", "1", "1", "1"],
    "MinTime:": ["TIME_MIN", *["0:00"] * 6, "1:30:00"],
    "ArrayTaskId:": ["ARRAY_TASK_ID", *["N/A"] * 7],
    "SiblingsViableRaw:": ["VIALBLE_SIBLINGS_RAW", *["NA"] * 7],
    "CronJob:": ["CRON_JOB", *["No"] * 7],
}


@pytest.mark.parametrize("spec", FIELDS)
def test_field(spec, capsys):
    assert column(spec)(capsys) == FIELDS[spec]


@pytest.mark.parametrize(
    ("spec", "lines"),
    [
        ("%.4N|", ["NODELIST|", "node[1-2]|", "node5|", "    |"]),  # neither header nor nodes are cut ...
        ("%4N|", ["NODE|", "node|", "node|", "    |"]),  # ... to the right
        ("%.4R|", ["NODELIST(REASON)|", "node[1-2]|", "node5|", "(Pri|"]),  # a reason is
        ("%.4n|", ["REQ_|", "node[1-2]|", "    |", "    |"]),
        ("%.3Y|", ["SCHEDNODES|", "(null)|", "(null)|", "(null)|"]),
        ("%.3M|", ["TIM|", "50:00|", "1:05|", "0:00|"]),
        ("%3M|", ["TIM|", "50:|", "1:0|", "0:0|"]),
        ("%.4l|", ["TIME|", "30:00|", "UNLI|", "INVALID|"]),
        ("%.4L|", ["TIME|", "INVALID|", "UNLI|", "INVALID|"]),
        ("%.3r|", ["REA|", "Non|", "Non|", "Pri|"]),
    ],
)
def test_what_is_cut(spec, lines, capsys):
    assert column(spec, "1,2,6")(capsys) == lines


def test_amounts_without_conversion(capsys):
    cluster = kinds()
    cluster.jobs[6].request.mem_per_cpu, cluster.jobs[6].request.min_tmp_disk = 2048, 1024
    asked = ["-hj6", "-o", "%m %d"]

    assert scene.call(cluster, command, asked, capsys)[1] == "2G 1G\n"
    assert scene.call(cluster, command, [*asked, "--noconvert"], capsys)[1] == "2048M 1024M\n"


def test_paths_of_files(capsys):
    cluster = kinds()
    cluster.jobs[6].request.work_dir, cluster.jobs[6].request.error = "/home/ann", "/tmp/%x.%j"
    asked = ["-hj6", "-O", "JobID:3,StdOut:25,StdErr:12,StdIn"]

    assert scene.call(cluster, command, asked, capsys)[1].split() == ["6", "slurm-%j.out", "/tmp/%x.%j", "/dev/null"]
    shown = scene.call(cluster, command, [*asked, "--expand-patterns"], capsys)[1].split()
    assert shown == ["6", "/home/ann/slurm-6.out", "/tmp/year.6", "/dev/null"]


def test_since_when_a_job_gains_priority(capsys):
    cluster = kinds()
    cluster.jobs[6].accrue_time = scene.at("07:05:00")
    cluster.jobs[7].eligible_time = scene.at("09:00:00")
    _, out, _ = scene.call(cluster, command, ["-h", "-j", "6,7", "-S", "i", "-O", "AccrueTime:19"], capsys)

    assert out.split() == ["2026-11-21T07:05:00", "2026-11-21T09:00:00"]


def test_end_time(capsys):
    lines = column("%e")(capsys)

    assert lines[:3] == ["END_TIME", "2026-11-21T07:40:00", "NONE"]
    assert lines[4:6] == ["2026-11-21T07:40:00", "2026-11-21T07:05:00"]
    assert lines[7] == "2026-11-21T09:30:00"


@pytest.mark.parametrize(
    ("order", "ids"),
    [
        ("i", "1 2 3 4 5 6 7"),
        ("-i", "7 6 5 4 3 2 1"),
        ("M,i", "6 7 5 3 2 4 1"),
        ("-M,i", "1 4 2 3 5 6 7"),
        ("l,i", "1 3 4 5 7 6 2"),
        ("L,i", "1 4 3 5 7 6 2"),
        ("S,i", "5 1 2 4 3 7 6"),
        ("N,i", "1 3 4 2 5 6 7"),
        ("t,i", "5 6 7 1 3 2 4"),
        ("T,i", "5 6 7 1 3 2 4"),
        ("P,i", "2 1 3 4 5 6 7"),
        ("Q", "5 7 6 4 3 2 1"),
        ("-p", "1 2 3 4 6 7 5"),
        ("B,i", "5 6 7 1 3 4 2"),
        ("j,i", "2 5 7 4 1 6"),
        ("cluster,i", "1 2 3 4 5 6 7"),
        ("-Cluster,-i", "7 6 5 4 3 2 1"),
        ("b,c,f,h,n,O,i", "1 2 3 4 5 6 7"),
        ("+i", "1 2 3 4 5 6 7"),
        ("z,H,I,J,i", "1 2 3 4 5 6 7"),
        ("m,d,C,D,V,u,U,g,G,v,i", "1 3 2 4 5 6 7"),
    ],
)
def test_sort(order, ids, capsys):
    cluster = kinds()
    cluster.jobs[3].request.name = ""
    if order.startswith("j"):
        cluster.jobs[3].state = "REVOKED"
    if order.startswith("m"):
        cluster.jobs[2].submit_time += 1
        for number in (4, 5, 6, 7):
            cluster.jobs[number].submit_time += 2
        cluster.jobs[1].cpus, cluster.jobs[1].nodes = [1], "node1"
    states = "all" if not order.startswith("j") else "R,S,TO,CA,PD"

    code, out, err = scene.call(cluster, command, ["-h", "-t", states, "-S", order, "-o", "%i"], capsys)

    assert (code, out.split(), err) == (0, ids.split(), "")


@pytest.mark.parametrize("letter", list("aAEFkKoqrRsswWxXyYZ?"))
def test_sort_by_nothing(letter, capsys):
    code, out, err = scene.call(kinds(), command, ["-o", "%i", "-S", f"i,{letter},P"], capsys)

    assert (code, out, err) == (1, "JOBID\n", f"squeue: error: Invalid sort specification: {letter}\n")


def test_long_list_of_tasks(capsys, monkeypatch):
    cluster = kinds()
    odd = ",".join(str(n) for n in (1, 3, 5, 9, *range(11, 60, 2)))
    scene.add(cluster, 8, "07:00:00", array_job_id=8, array_tasks=odd, array_max_tasks=2)

    def line(*argv):
        return scene.call(cluster, command, ["-h", "-j", "8", *argv], capsys)[1].rstrip("\n")

    cut = "1,3,5,9,11,13,15,17,19,21,23,25,27,29,31,33,35,37,39,41,43,4...%2"
    assert line("-o", "%i|%K") == f"8_[1,3,5,9,11,13,15,17,19,21,23|{cut}"
    assert line("-O", "jobarrayid:.12,arraytaskid:12|") == "8_[1,3,5,9,11,3,5,9,11,1|"
    monkeypatch.setenv("SLURM_BITSTR_LEN", "0")
    assert line("-o", "%.5i|%K") == f"8_[{odd}%2]|{odd}%2"
    assert line("-r", "-o", "%i").splitlines()[:2] == ["8_1", "8_3"]
