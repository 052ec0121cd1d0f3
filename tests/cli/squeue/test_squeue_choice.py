"""Which jobs ``squeue`` lists, by its options, its variables and the order of both; what it says to wrong ones."""

from __future__ import annotations

import pytest
import scene

from slimsched.cli.squeue.squeue import command

START_HEADER = (
    "             JOBID PARTITION     NAME     USER ST          START_TIME  NODES SCHEDNODES           NODELIST(REASON)"
)
ALL = "1 2 3_0 3_1 3_[2-5%2] 4 5 6 7 8 9 12"


def cluster():
    found = scene.formats()
    found.jobs[9].request.account = "Phys"
    found.jobs[9].request.licenses = "lic:2,Mat"
    found.jobs[9].request.qos = "High"
    found.jobs[9].request.reservation = "Res"
    found.jobs[9].user_id, found.jobs[9].user_name = 4321, "ann"
    found.jobs[12].request.partition = "debug,batch"
    found.jobs[8].request.partition = "debug,batch"
    return found


def ids(capsys, *argv):
    code, out, err = scene.call(cluster(), command, ["-h", "-S", "i", "-o", "%i", *argv], capsys)
    assert (code, err) == (0, "")
    return " ".join(out.split())


@pytest.fixture(autouse=True)
def root(monkeypatch):
    monkeypatch.setattr("os.getuid", lambda: 0)


@pytest.mark.parametrize(
    ("argv", "listed"),
    [
        ("", ALL),
        ("-A phys", "9"),
        ("-A nosuch,PHYS", "9"),
        ("--account=phys --accounts nosuch", ""),
        ("-q high", "9"),
        ("-L lic", "9"),
        ("-L Mat,other", "9"),
        ("-L mat", ""),  # licenses and reservations are compared letter by letter
        ("-R Res", "9"),
        ("-R res", ""),
        ("-R Res,Other", "9"),
        ("-n RUN1,Held", "1 4"),
        ("-p batch", "2 8"),
        ("-p Batch", ""),
        ("-p batch,debug -n noextra", "8"),
        ("-u ann", "9"),
        ("-u 4321,0 -n extra,run1", "1 9"),
        ("-u ann --me -n extra,run1", "1"),  # the last list of users counts
        ("--me -u ann -n extra,run1", "9"),
        ("--notme", "9"),
        ("-w node1", "1 3_0 3_1"),
        ("-w node[5-8]", "2 12"),
        ("-w node1 -t PD", ""),
        ("-t S,CG", ""),
        ("-t pd -p batch", "8"),
        ("-t all -n done,failed", "10 11"),
        ("-t CD,failed", "10 11"),
        ("-r -n arr", "3_0 3_1 3_2 3_3 3_4 3_5"),
        ("-a --hide", ALL),
        ("--federation --sibling --local", ALL),
        ("--running-over=0:04", "1 2 3_0 3_1 9 12"),
        ("--running-under=0:04", ""),
    ],
)
def test_options(argv, listed, capsys):
    assert ids(capsys, *argv.split()) == listed


@pytest.mark.parametrize(
    ("variables", "argv", "listed"),
    [
        ({"SQUEUE_ACCOUNT": "phys"}, "", "9"),
        ({"SQUEUE_ACCOUNT": "phys"}, "-A other", ""),
        ({"SQUEUE_NAMES": "run1,run2"}, "", "1 2"),
        ({"SQUEUE_PARTITION": "batch"}, "", "2 8"),
        ({"SQUEUE_QOS": "high"}, "", "9"),
        ({"SQUEUE_LICENSES": "lic"}, "", "9"),
        ({"SQUEUE_STATES": "CD"}, "", "10"),
        ({"SQUEUE_STATES": "CD"}, "-t F", "11"),
        ({"SQUEUE_USERS": "ann"}, "", "9"),
        ({"SQUEUE_USERS": "ann"}, "--me -n run1", "1"),
        ({"SQUEUE_ARRAY": ""}, "-j 3_2,3_3", "3_2 3_3"),
        ({"SQUEUE_RESERVATION": "Res"}, "-j 1", "1"),  # there is no such variable
    ],
)
def test_variables(variables, argv, listed, capsys, monkeypatch):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert ids(capsys, *argv.split()) == listed


@pytest.mark.parametrize(
    ("argv", "listed"), [("", "1"), ("-a", "1 2"), ("-p batch", "2"), ("--hide -p batch", ""), ("-j 2,1", "1 2")]
)
def test_hidden_partitions(argv, listed, capsys):
    hidden = scene.formats()
    hidden.partitions["batch"].hidden = True

    found = scene.call(hidden, command, ["-h", "-S", "i", "-o", "%i", "-n", "run1,run2", *argv.split()], capsys)

    assert found == (0, "".join(f"{name}\n" for name in listed.split()), "")


@pytest.mark.parametrize("switch", ["-P", "--priority", "SQUEUE_PRIORITY"])
def test_each_partition(switch, capsys, monkeypatch):
    argv = ["-h", "-j", "8,1,6", "-o", "%i %P %Q", "-S", "-p"]
    if switch.startswith("S"):
        monkeypatch.setenv(switch, "1")
    else:
        argv.append(switch)
    busy = cluster()
    busy.partitions["batch"].priority_tier = 5

    lines = scene.call(busy, command, argv, capsys)[1].splitlines()

    tops = [scene.TOP - 6, scene.TOP, scene.TOP - 4, scene.TOP - 6]
    assert lines == [
        f"{line} {top}" for line, top in zip(["8 batch", "1 debug", "6 debug", "8 debug"], tops, strict=True)
    ]


@pytest.mark.parametrize(
    ("argv", "out", "err"),
    [
        ("-o %i -O jobid", "", "error: -O (--Format) is incompatible with -o (--format)"),
        ("-O jobid -o %i", "", "error: -o (--format) is incompatible with -O (--Format)"),
        (
            "-l -o %i",
            "",
            "fatal: Options -o(--format) and -l(--long) are mutually exclusive. Please remove one and retry.",
        ),
        ("-j -s", "", "error: Incompatible options --jobs and --steps"),
        ("-s1", "", "error: Invalid job_step id: 1.??"),
        ("-sabc.0", "", "error: Invalid job_step id: abc.0"),
        ("-s1.x", "", "error: Invalid job_step id: 1.x"),
        ("-i x", "", "error: --iterate=x\n"),
        ("-w nosuch", "", "error: Invalid node name nosuch"),
        ("--running-over=x", "", "error: Invalid time specification x"),
    ],
)
def test_refused(argv, out, err, capsys):
    assert scene.call(cluster(), command, argv.split(), capsys) == (1, out, f"squeue: {err}\n")


@pytest.mark.parametrize(
    ("variables", "argv", "header"),
    [
        ({"SQUEUE_FORMAT": "%i"}, "", "JOBID"),
        ({"SQUEUE_FORMAT": "%i"}, "-o %j", "NAME"),
        ({"SQUEUE_FORMAT": "%i"}, "-O name:", "NAME"),
        ({"SQUEUE_FORMAT2": "name:"}, "", "NAME"),
        ({"SQUEUE_FORMAT2": "name:", "SQUEUE_FORMAT": "%i"}, "", "JOBID"),
        ({"SQUEUE_FORMAT2": "name:"}, "-o %i", "JOBID"),
        ({"SQUEUE_FORMAT": "%i"}, "-s", "         STEPID     NAME PARTITION     USER      TIME NODELIST"),
        (
            {"SQUEUE_FORMAT": "%i"},
            "--start",
            START_HEADER,
        ),
        (
            {},
            "--start -O name",
            START_HEADER,
        ),
        ({}, "--start -o %j", "NAME"),
        ({}, "--start -s -o %j", "NAME"),
    ],
)
def test_which_format(variables, argv, header, capsys, monkeypatch):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert scene.call(cluster(), command, argv.split(), capsys)[1].splitlines()[0] == header


def test_a_variable_does_not_shorten_the_long_list(capsys, monkeypatch):
    monkeypatch.setenv("SQUEUE_FORMAT", "%i")

    lines = scene.call(cluster(), command, ["-l", "-j", "1"], capsys)[1].splitlines()

    assert lines[0] == "Sat Nov 21 07:26:20 2026"
    assert lines[1].split()[4:7] == ["STATE", "TIME", "TIME_LIMI"]


def test_long_names_under_the_date(capsys):
    out = scene.call(cluster(), command, ["-l", "-j", "1", "-O", "jobid:3,name:"], capsys)[1]

    assert out == "Sat Nov 21 07:26:20 2026\nJOBNAME\n1  run1\n"


@pytest.mark.parametrize(
    ("argv", "out", "err"),
    [
        ("-O nosuch:4|,jobid:", "|JOBID\n|1\n", "nosuch"),
        ("-o %_", "%_\n%_\n", "_"),
        ("-o <%5_>%i", "<%5_>JOBID\n<%5_>1\n", "_"),
    ],
)
def test_unknown_fields(argv, out, err, capsys):
    found = scene.call(cluster(), command, ["-j1", *argv.split()], capsys)

    assert found == (0, out, f"squeue: error: Invalid job format specification: {err}\n")


VERBOSE = """\
-----------------------------
all         = {all}
array       = {array}
federation  = false
format      = {format}
iterate     = 0
job_flag    = {job_flag}
jobs        = {jobs}
licenses    = {licenses}
local       = false
names       = {names}
nodes       = {nodes}
only_job_state = false
partitions  = {partitions}
priority    = false
reservation = {reservation}
sibling      = false
sort        = {sort}
start_flag  = {start_flag}
states      = {states}
step_flag   = 0
steps       = (null)
users       = {users}
verbose     = {verbose}
{lists}-----------------------------


"""
NULL = ("format", "jobs", "licenses", "names", "partitions", "reservation", "sort", "states", "users")
UNSET = dict.fromkeys(NULL, "(null)") | dict.fromkeys(("all", "array"), "false")
UNSET |= {"job_flag": "0", "start_flag": "0", "nodes": "", "verbose": "1", "lists": ""}


@pytest.mark.parametrize(
    ("argv", "changed"),
    [
        ("-v", {}),
        ("-v -j 1,3_2", {"job_flag": "1", "jobs": "1,3_2"}),
        ("-v -j1 -r", {"job_flag": "1", "jobs": "1", "array": "true"}),
        ("-v -p batch -n a,b", {"all": "true", "partitions": "batch", "names": "a,b"}),
        ("-v -w node[1-2],node4", {"nodes": "node[1-2,4]"}),
        ("-v --me -t R -S i", {"users": "0", "states": "R", "sort": "i"}),
        ("-v -L x -R y -o %j", {"licenses": "x", "reservation": "y", "format": "%j"}),
        (
            "-v --start",
            {
                "start_flag": "1",
                "sort": "S",
                "states": "PD",
                "format": "%.18i %.9P %.8j %.8u %.2t %.19S %.6D %20Y %R",
            },
        ),
        (
            "-vv -j 1,3_2 -p batch,debug -t R -L a",
            {
                "verbose": "2",
                "all": "true",
                "job_flag": "1",
                "jobs": "1,3_2",
                "partitions": "batch,debug",
                "states": "R",
                "licenses": "a",
                "lists": "job_list[0] = 1\njob_list[1] = 3_2\nlicenses_list[0] = a\npart_list[0] = batch\n"
                "part_list[1] = debug\nstate_list[0] = RUNNING\n",
            },
        ),
    ],
)
def test_verbose(argv, changed, capsys):
    code, out, err = scene.call(cluster(), command, argv.split(), capsys)

    assert (code, err) == (0, "")
    table = VERBOSE.format(**(UNSET | changed))
    assert out.startswith(table + "Sat Nov 21 07:26:20 2026\nlast_update_time=1795245980 records=14\n")
    assert out.count("Sat Nov 21") == 1


def test_verbose_without_header(capsys):
    out = scene.call(cluster(), command, ["-v", "-h", "-j", "1", "-o", "%i"], capsys)[1]

    assert out.endswith("-----------------------------\n\n\nlast_update_time=1795245980 records=14\n1\n")


def test_the_sluid_has_a_letter(capsys):
    found = scene.call(cluster(), command, ["-h", "-j1", "-o", "%.3i %.15s %s"], capsys)[1].split()
    assert found[0] == "1"
    assert found[1] == found[2] == scene.call(cluster(), command, ["-h", "-j1", "-O", "sluid"], capsys)[1].strip()
