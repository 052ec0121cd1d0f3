"""`sim replay`: what is read, refused, killed, written, and resumed after an interrupt."""

from __future__ import annotations

import csv
import gzip
import json

import pytest

from slimsched.cli.replay import replay as command

SWF = """\
; Version: 2.2
; MaxProcs: 4
;  a remark
1 0 -1 100 4 -1 -1 4 200 -1 1 3 1 -1 1 1 -1 -1
2 10 -1 50 2 -1 -1 2 40 -1 1 4 1 -1 1 1 -1 -1
nonsense
3 10 -1 20 1
4 11 -1 20 nan -1 -1 1
4 11 -1 2o 1 -1 -1 1
5 12 -1 -1 1 -1 -1 1 20 -1 5 3 1 -1 1 1 -1 -1
6 13 -1 9.6 8 -1 -1 8 20 -1 1 3 1 -1 1 1 -1 -1
7 14 -1 30 2 -1 -1 2 60 -1 1 3 1 -1 1 1 -1 -1
"""


@pytest.fixture
def rows(sim):
    (sim.cwd / "t.swf").write_text(SWF, encoding="ascii")

    def replayed(*words):
        assert sim.run("replay", "t.swf", "--out", "out", *words).code == 0
        with open(sim.cwd / "out" / "jobs.csv", encoding="ascii", newline="") as lines:
            return {int(row["job"]): row for row in csv.DictReader(lines)}

    return replayed


def times(rows, *names):
    return {job: tuple(int(row[name]) for name in names) for job, row in rows.items()}


def test_what_cannot_be_used_is_counted_and_said(sim):
    (sim.cwd / "t.swf.gz").write_bytes(gzip.compress(SWF.encode()))

    answer = sim.run("replay", "t.swf.gz", env={"SLIMSCHED_NOTES": "1"})

    assert answer.code == 0
    assert answer.err.splitlines() == [
        "sim: note: 3 lines passed over: bad lines",
        "sim: note: 1 jobs passed over: without a run time",
        "sim: note: line 6: 1 columns, at least 5 are needed",
        "sim: note: line 8: 'nan' is not a number",
        "sim: note: line 9: '2o' is not a number",
        "sim: note: 1 jobs refused: Node count specification invalid",
    ]
    assert answer.out.splitlines()[1].split() == ["never", "started", "1"]


def test_rows_tell_what_became_of_each_job(rows, sim):
    found = rows()

    assert ",".join(next(iter(found.values()))) == (
        "job,user,procs,submit,start,end,run,limit,state,scheduler,planned,nodes,extra"
    )
    assert times(found, "start", "end", "limit") == {
        1: (0, 100, 200), 2: (100, 150, 50), 3: (100, 120, 20), 6: (-1, -1, 20), 7: (120, 150, 60),
    }  # fmt: skip
    assert (found[2]["user"], found[3]["user"], found[6]["state"]) == ("user4", "unknown", "REFUSED")
    assert json.loads((sim.cwd / "out" / "summary.json").read_text())["metrics"]["makespan"] == 150


@pytest.mark.parametrize(
    ("words", "job_2"),
    [
        ((), ("50", "50", "COMPLETED")),
        (("--kill",), ("40", "40", "TIMEOUT")),
        (("--estimates", "exact"), ("50", "50", "COMPLETED")),
        (("--estimates", "x3"), ("50", "150", "COMPLETED")),
        (("--estimates", "x0.5"), ("25", "25", "TIMEOUT")),
        (("--policy", "slurm-backfill"), ("50", "60", "COMPLETED")),
    ],
)
def test_estimates_and_kills(rows, words, job_2):
    row = rows(*words)[2]

    assert (row["run"], row["limit"], row["state"]) == job_2


def test_a_part_of_a_trace_and_denser_arrivals(rows):
    assert times(rows("--from", "2", "--jobs", "2"), "start") == {2: (10,), 3: (10,)}
    assert times(rows("--from", "2", "--jobs", "2", "--scale-load", "0.5", "--nodes", "1", "--cpus", "4"), "start") == {
        2: (10,), 3: (60,),
    }  # fmt: skip
    found = times(rows("--scale-load", "2"), "submit")
    assert [found[job] for job in (1, 2, 3, 6, 7)] == [(0,), (5,), (5,), (6,), (7,)]


def test_an_interrupted_run_is_resumed_to_the_same_bytes(rows, sim, interrupted):
    for policy in ("easy", "slurm-backfill"):
        rows("--policy", policy)
        whole = {path.name: path.read_bytes() for path in (sim.cwd / "out").iterdir()}
        for stop in range(1, 7):
            with interrupted(stop):
                answer = sim.run("replay", "t.swf", "--out", "out", "--policy", policy)
            assert answer.code == command.INTERRUPTED
            assert (sim.cwd / "out" / "checkpoint").exists()

            answer = sim.run("replay", "t.swf", "--out", "out", "--policy", policy, "--resume")

            assert answer.code == 0, answer
            assert {path.name: path.read_bytes() for path in (sim.cwd / "out").iterdir()} == whole


REFUSALS = {
    ("replay", "none.swf"): "sim: error: none.swf: No such file or directory",
    ("replay", "t.swf", "--policy", "sjf"): (
        "sim: error: no policy 'sjf'; there are fcfs, easy, conservative, slurm-backfill, and NAME=PARAMETER,..."
    ),
    ("replay", "t.swf", "--procs", "4", "--nodes", "4"): "sim: error: give one of --procs, --nodes and --cluster",
    ("replay", "t.swf", "--cpus", "4"): "sim: error: --cpus goes with --nodes",
    ("replay", "t.swf", "--estimates", "2"): (
        "sim: error: --estimates 2: give user, exact, or x and a factor of the run times, as x2.5"
    ),
    ("replay", "t.swf", "--resume"): "sim: error: --resume needs the --out DIR of the run that was interrupted",
    ("replay", "t.swf", "--resume", "--out", "new"): "sim: error: new/checkpoint: no checkpoint to resume",
    ("replay", "t.swf", "--out", "t.swf"): "sim: error: t.swf: is a file; --out names a folder",
    ("replay", "t.swf", "--out", "full"): "sim: error: full: is not empty, and holds no replay",
    ("replay", "bare.swf"): (
        "sim: error: bare.swf: the trace does not say how large its machine was; give --procs, --nodes or --cluster"
    ),
    ("replay", "t.swf", "--scale-load", "1e-300"): (
        "sim: error: --scale-load 1e-300: jobs would arrive more than 100 years after the first"
    ),
    ("replay", "t.swf", "--from", "99"): "sim: error: t.swf: no job to replay",
    ("replay", "cut.gz"): ("sim: error: cut.gz: Compressed file ended before the end-of-stream marker was reached"),
}


@pytest.mark.parametrize("words", REFUSALS, ids=" ".join)
def test_refusals(sim, words):
    (sim.cwd / "t.swf").write_text(SWF, encoding="ascii")
    (sim.cwd / "bare.swf").write_text("1 0 -1 100 4\n", encoding="ascii")
    (sim.cwd / "cut.gz").write_bytes(gzip.compress(SWF.encode())[:-20])
    (sim.cwd / "full").mkdir()
    (sim.cwd / "full" / "thesis.tex").touch()

    answer = sim.run(*words)

    assert (answer.code, answer.out, answer.err.splitlines()) == (1, "", [REFUSALS[words]])


def test_times_beyond_the_clock_are_passed_over(sim):
    lines = ["1 5 -1 10 1", "2 9999999999999 -1 10 1", "3 6 -1 9999999999999 1", "4 7 -1 10 1 -1 -1 1 9999999999999"]
    (sim.cwd / "t.swf").write_text("\n".join([*lines, "5 8 -1 10 1\n"]), encoding="ascii")

    answer = sim.run("replay", "t.swf", "--procs", "4", env={"SLIMSCHED_NOTES": "1"})

    assert answer.code == 0
    assert answer.err == "sim: note: 3 jobs passed over: with times of more than 100 years\n"
    assert answer.out.splitlines()[0].split() == ["jobs", "2"]


NOT_NUMBERS = [
    ("replay", "t.swf", "--scale-load", "nan"),
    ("replay", "t.swf", "--scale-load", "inf"),
    ("generate", "--procs", "8", "--load", "nan"),
    ("generate", "--procs", "8", "--load", "inf"),
    ("generate", "--procs", "8", "--extra", "nan"),
]


@pytest.mark.parametrize("words", NOT_NUMBERS, ids=" ".join)
def test_what_is_not_a_number_is_refused(sim, words):
    (sim.cwd / "t.swf").write_text(SWF, encoding="ascii")

    answer = sim.run(*words)

    assert (answer.code, answer.out) == (2, "")
    assert answer.err.splitlines()[-1] == (
        f"sim: error: Invalid value for '{words[-2]}': {words[-1]} is not a number to reckon with."
    )


def test_a_state_directory_lends_its_accounts(sim, interrupted):
    (sim.cwd / "t.swf").write_text(SWF, encoding="ascii")
    site = str(sim.cwd / "site")
    sim(f"--state {site} init --nodes n[1-4] --cpus 2 --set AccountingStorageType=accounting_storage/slurmdbd "
        "--set AccountingStorageEnforce=limits,qos")  # fmt: skip
    for words in ("add account a", "add user user3,user4 account=a", "modify qos normal set MaxJobsPerUser=1"):
        sim(f"--state {site} sacctmgr -i {words}")

    def replayed(*words, code=0):
        assert sim.run("replay", "t.swf", "--cluster", site, "--out", "out", *words).code == code
        return (sim.cwd / "out" / "jobs.csv").read_text()

    whole = replayed()
    told = {row["job"]: row for row in csv.DictReader(whole.splitlines())}
    assert (told["1"]["start"], told["6"]["start"], told["7"]["start"]) == ("0", "100", "110")  # one after the other
    for stop in range(1, 6):
        with interrupted(stop):
            replayed(code=command.INTERRUPTED)
        assert replayed("--resume") == whole
