"""Grid Engine's own commands: recorded answers of 8.1.9, and jobs from submission to their end."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

DATA = Path(__file__).parents[2] / "data"
RECORDED = [json.loads(line) for line in (DATA / "sge_cli.jsonl").read_text().splitlines()]
CLUSTER = """
[slurm]
ClusterName = "c"
[[nodes]]
NodeName = "h[1-3]"
CPUs = 10
Sockets = 10
[[partitions]]
PartitionName = "q1"
Nodes = "h[1-2]"
Default = true
[[partitions]]
PartitionName = "q2"
Nodes = "h[1-3]"
MaxTime = "30"
[[partitions]]
PartitionName = "q3"
Nodes = "h3"
"""
OFFERS = (
    "exechost complex_values ii=8,cj=6 global",
    "exechost complex_values ii=5,ss=abc,cy=7,mm=2G h1",
    "exechost complex_values ss=abd,ff=1 h2",
    "queue complex_values ii=3,bb=true,cy=4 q1",
    "queue complex_values tt=1:0:0,dd=2.5,ho=h2,rs=lx24-x86 q2",
    "queue complex_values fc=3,ex=true q3",
)


def normal(text: str) -> str:
    return re.sub(r"\w+@[\w-]+ (modified|added|removed)", r"USER@HOST \1", re.sub(r"Job \d+", "Job N", text))


@pytest.fixture
def grid(sim):
    """The recorded cluster: three hosts, three queues."""
    sim.init(CLUSTER)
    sim.run("qconf", "-Mc", str(DATA / "sge_cli_definitions.txt"))
    for offer in OFFERS:
        assert sim.run(f"qconf -mattr {offer}").code == 0
    return sim


def test_recorded_commands(grid) -> None:
    for case in RECORDED:
        answer = grid.run(case["cmd"])

        assert (answer.code, normal(answer.out), normal(answer.err)) == (case["rc"], case["out"], case["err"]), case


def test_definitions_are_listed_as_recorded(grid) -> None:
    recorded = (DATA / "sge_sc.txt").read_text()
    (grid.cwd / "defs").write_text(recorded)
    answer = grid.run("qconf -Mc defs")

    assert [line.split(maxsplit=1)[1] for line in answer.err.splitlines()] == [
        'modified "cy" in complex entry list',
        'modified "ii" in complex entry list',
    ]
    assert grid("qconf -sc") == recorded


def test_a_file_without_an_attribute_in_use_changes_the_others(grid) -> None:
    kept = [line for line in grid("qconf -sc").splitlines() if line[:3] not in ("ii ", "nn ")]
    (grid.cwd / "defs").write_text("\n".join(kept))
    answer = grid.run("qconf -Mc defs")

    assert answer.code == 1
    assert 'Complex attribute "ii" is still referenced' in answer.err
    assert 'removed "nn"' in answer.err


QUEUE = """\
queuename                      qtype resv/used/tot. load_avg arch          states
---------------------------------------------------------------------------------
q1@h1                          BIP   0/2/10         -NA-     lx-amd64      
	qc:cy=0
	qc:slots=8
      1 0.99998 one        {user:<12} r     01/01/2026 00:00:00     2        
---------------------------------------------------------------------------------
q1@h2                          BIP   0/0/10         -NA-     lx-amd64      
	qc:slots=10
	qc:cy=4

############################################################################
 - PENDING JOBS - PENDING JOBS - PENDING JOBS - PENDING JOBS - PENDING JOBS
############################################################################
      2 0.99998 two        {user:<12} qw    01/01/2026 00:00:00     1        
"""  # noqa: W291


def user_of(grid) -> str:
    return grid("squeue", "-h", "-o", "%u").split()[0]


def test_jobs_book_what_queues_show(grid) -> None:
    assert grid("qsub -N one -q q1 -pe smp 2 -l cy=2 -b y sleep 60") == 'Your job 1 ("one") has been submitted\n'
    assert grid("qsub -terse -N two -q q1@h1 -l cy=1 -b y sleep 60") == "2\n"
    assert grid("qstat -F cyS,slots -q q1") == QUEUE.format(user=user_of(grid))
    assert '(-l cy=1) cannot run in queue "q1@h1" because it offers only qc:cy=0.000000' in grid("qstat -j 2")
    assert grid("qhost -h h1 -F ii").splitlines()[-2:] == [
        "h1                      lx-amd64       10   10   10   10     -    1.0M       -       -       -",
        "    Host Resource(s):      hf:ii=5.000000",
    ]


def test_qstat_and_qdel(grid) -> None:
    assert grid("qstat") == ""
    grid("qsub -N run -b y sleep 60")
    grid("qsub -h -N held -b y sleep 60")
    user = user_of(grid)
    rows = grid("qstat").splitlines()[2:]

    assert [row.split()[2:5] for row in rows] == [["run", user, "r"], ["held", user, "hqw"]]
    assert grid("qstat -u nobody-else") == ""

    answer = grid.run("qdel 1 2 77")

    assert answer.code == 1
    assert answer.err == 'denied: job "77" does not exist\n'
    assert re.sub(r"^\w+", "U", answer.out, flags=re.M) == (
        "U has registered the job 1 for deletion\nU has deleted job 2\n"
    )
    assert grid.run("qdel").code == 1


def test_a_script_with_directives_until_its_end(grid) -> None:
    (grid.cwd / "job.sh").write_text("#!/bin/sh\n#$ -N inside -l h_rt=0:5:0\n#$ -soft -q q2\nsleep 7\nexit 3\n")
    answer = grid.run("qsub -sync y job.sh")

    assert (answer.code, answer.out) == (
        3,
        'Your job 1 ("inside") has been submitted\nJob 1 exited with exit code 3.\n',
    )


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("qsub -zz", "qsub: Unknown option -zz\n"),
        ("qsub -l", "qsub: ERROR! -l option must have argument\n"),
        (
            "qsub -q nosuch -b y true",
            'Unable to run job: Job was rejected because job requests unknown queue "nosuch".\nExiting.\n',
        ),
        ("qsub -l zz=1 -b y true", 'Unable to run job: unknown resource "zz"\nExiting.\n'),
        ("qsub nosuch.sh", "Unable to run job: Unable to open file nosuch.sh\nExiting.\n"),
        ("qconf", 'error: no option argument provided to "qconf"\n'),
        ("qconf -se nosuch", 'Host object "nosuch" does not exist\n'),
        ("qconf -sq nosuch", 'No cluster queue or queue instance matches "nosuch"\n'),
        ("qconf -mattr pe complex_values a=1 x", "denied: only attributes of queue and exechost can be changed\n"),
        ("qconf -dc arch", 'The built-in complex "arch" cannot be deleted\n'),
        ("qconf -Mc nosuch", "nosuch: No such file or directory\n"),
        ("qstat -l zz=1 -f", 'unknown resource "zz"\n'),
    ],
)
def test_refusals(grid, command: str, error: str) -> None:
    answer = grid.run(command)

    assert (answer.code, answer.err) == (1, error)


def test_qconf_shows_names_and_adds_and_deletes(grid) -> None:
    assert grid("qconf -sql").split() == ["q1", "q2", "q3"]
    assert grid("qconf -sel").split() == ["h1", "h2", "h3"]
    assert (
        grid.run(
            "qconf -ac",
        ).code
        == 1
    )
    assert grid.run("qconf", "-ac", "x1 x1 INT <= YES NO 0 0").code == 0
    assert grid.run("qconf -dc x1").code == 0
    assert "x1" not in grid("qconf -sc")


def test_help_lists_the_options(grid) -> None:
    assert "-pe name slots" in grid("qsub -help")
    assert grid("qstat --help").startswith("Usage: qstat")


PIPED = "#!/bin/sh\n#$ -N piped -l h_rt=0:5:0\nsleep 5\n"
HOSTS = """\
HOSTNAME                ARCH         NCPU NSOC NCOR NTHR  LOAD  MEMTOT  MEMUSE  SWAPTO  SWAPUS
----------------------------------------------------------------------------------------------
"""
GLOBAL = "global                  -               -    -    -    -     -       -       -       -       -\n"
HOST = "{}                      lx-amd64       10   10   10   10     -    1.0M       -       -       -\n"


def test_a_script_from_standard_input_has_directives_too(grid) -> None:
    assert grid("qsub", stdin=PIPED) == 'Your job 1 ("piped") has been submitted\n'
    assert grid("squeue -h -o %l") == "5:00\n"
    answer = grid.run("qsub", stdin="#!/bin/sh\n#$ -N 'x\n")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err.startswith('Unable to run job: error in the directive "#$ -N \'x":')


@pytest.mark.parametrize(
    ("command", "code", "out"),
    [
        ("qselect", 0, "q1@h1\nq1@h2\nq2@h1\nq2@h2\nq2@h3\nq3@h3\n"),
        ("qselect -q q*@h1", 0, "q1@h1\nq2@h1\n"),
        ("qselect -q q3,q1@h2", 0, "q1@h2\nq3@h3\n"),
        ("qselect -l ff=1", 0, "q1@h2\nq2@h2\n"),
        ("qselect -l cy=99", 1, ""),
        ("qselect -l zz=1", 1, ""),
        ("qhost", 0, HOSTS + GLOBAL + "".join(map(HOST.format, ("h1", "h2", "h3")))),
        ("qhost -l ff=1", 0, HOSTS + HOST.format("h2")),
        ("qhost -h nosuch", 0, ""),
        (
            "qhost -h h2 -F ii,cj",
            0,
            f"{HOSTS}{GLOBAL}    Host Resource(s):      gf:ii=8.000000\n   gc:cj=6.000000\n"
            f"{HOST.format('h2')}    Host Resource(s):      gf:ii=8.000000\n   gc:cj=6.000000\n",
        ),
    ],
)
def test_queues_and_hosts_are_selected(grid, command: str, code: int, out: str) -> None:
    assert grid.run(command) == (code, out, "")


@pytest.mark.parametrize(
    ("command", "lines"),
    [
        (
            "qconf -se global",
            ["hostname              global", "complex_values        ii=8,cj=6", "processors            0"],
        ),
        (
            "qconf -se h1",
            ["hostname              h1", "complex_values        ii=5,ss=abc,cy=7,mm=2G", "processors            10"],
        ),
        (
            "qconf -sq q1",
            [
                "qname                 q1",
                "hostlist              h1 h2",
                "processors            UNDEFINED",
                "slots                 10",
                "complex_values        ii=3,bb=true,cy=4",
            ],
        ),
    ],
)
def test_objects_are_shown(grid, command: str, lines: list[str]) -> None:
    wanted = tuple(line.split()[0] + " " for line in lines)

    assert [line for line in grid(command).splitlines() if line.startswith(wanted)] == lines


def test_all_jobs_of_a_user_are_deleted(grid) -> None:
    grid("qsub -N a -b y sleep 60")
    grid("qsub -h -N b -b y sleep 60")

    assert grid("qdel -u nobody-else") == ""
    user = user_of(grid)
    assert grid("qdel", "-u", "*") == f"{user} has registered the job 1 for deletion\n{user} has deleted job 2\n"
    assert grid("qstat") == ""
    assert grid.run("qdel 1.x") == (1, "", 'denied: job "1.x" does not exist\n')
