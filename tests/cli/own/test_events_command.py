"""``sim events``: the history as lines and as JSON, of everything or of a job, and as it grows."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading

from slimsched.render import history
from slimsched.render.history import Entry, Tasks


def told(sim, *words):
    """Return the lines without the instant and the user."""
    lines = sim("events", *words).splitlines()
    return [" ".join(line.split()[1:]).partition(":")[2] for line in lines]


def test_the_life_of_a_job(sim):
    sim("sbatch -J one --uid=root --wrap 'sleep 60'")
    sim("scontrol update jobid=1 timelimit=5 comment=new")
    sim("advance 2m")
    sim("scontrol requeue 1")

    assert told(sim) == [
        "sbatch submit job 1 name=one user=root",
        "sbatch start job 1 nodes=node01 scheduler=Main",
        "scontrol update job 1 TimeLimit=5 Comment=new",
        "advance end job 1 state=COMPLETED",
        "scontrol requeue job 1",
    ]
    assert sim("events").splitlines()[3].startswith("2026-01-01T00:01:00  ")


def test_holding_releasing_cancelling(sim):
    sim("sbatch -H --uid=root --wrap 'sleep 60'")
    sim("scontrol release 1")
    sim("scancel 1")
    sim("sbatch -J two -b now+1hour --uid=root --wrap 'sleep 60'")
    sim("scontrol uhold 2")

    assert told(sim)[1:] == [
        "scontrol release job 1",
        "scontrol start job 1 nodes=node01 scheduler=Main",
        "scancel end job 1 state=CANCELLED signal=15",
        "sbatch submit job 2 name=two user=root",
        "scontrol hold job 2 reason=JobHeldUser",
    ]


def test_nodes_reservations_partitions(sim):
    sim("scontrol update nodename=node02 state=drain reason=disk")
    sim("scontrol create reservation reservationname=r starttime=now+60 duration=1 users=root nodes=node03")
    sim("scontrol update partitionname=debug maxtime=60")
    sim("slurmd", "-N", "node01", "--extra", '{"load": 0.2}')
    sim("advance 1h")

    assert told(sim) == [
        "scontrol node-update node node02 reason=disk",
        "scontrol node node node02 state=IDLE+DRAIN reason=disk",
        "scontrol reservation-create reservation r nodes=node03"
        " start=2026-01-01T00:01:00 end=2026-01-01T00:02:00 for=root",
        "scontrol partition-update partition debug MaxTime=60",
        'slurmd register node node01 extra={"load": 0.2}',
        "advance reservation-start reservation r nodes=node03",
        "advance reservation-end reservation r",
    ]


def test_one_job_or_task(sim):
    sim("sbatch --uid=root --wrap 'sleep 60'")
    sim("sbatch --uid=root --array 0-1%1 --wrap 'sleep 60'")
    sim("advance 10m")
    whole, task = told(sim, "2"), told(sim, "2_0")

    assert whole[0] == "sbatch submit job 2 name=wrap user=root array=0-1"
    assert [line for line in whole if "start" in line and "(2_" in line] == [line for line in whole if "start" in line]
    assert sum("(2_0)" in line for line in task) == sum("(2_0)" in line for line in whole)
    assert not any("(2_1)" in line for line in task)
    assert all("job 1" in line for line in told(sim, "1"))


def test_json_lines(sim):
    sim("sbatch -J one --uid=root --wrap 'sleep 60'")
    first = json.loads(sim("events --json").splitlines()[0])
    by = first.pop("by")

    assert by
    assert first == {
        "seq": 1,
        "command": "sbatch",
        "event": "submit",
        "time": 1767225600,
        "job": 1,
        "name": "one",
        "user": "root",
        "array": "",
    }


def test_long_texts_are_cut(sim):
    sim("scontrol", "update", "nodename=node01", f'extra={{"a": "{"x" * 5000}"}}')

    assert len(sim("events")) < 500


def test_control_characters_are_spelled_out():
    entry = Entry(1, "sbatch", "me", {"event": "submit", "time": 0, "job": 5, "name": "a\x1b[2J\nb"})

    assert history.line(entry, Tasks()) == (
        "1970-01-01T00:00:00  me:sbatch        submit             job 5            name=a\\x1b[2J\\nb"
    )


def test_events_of_older_states():
    entry = Entry(1, "", "", {"event": "submit", "job": 5})

    assert history.line(entry, Tasks()).split() == ["-:-", "submit", "job", "5"]


def test_follow(sim):
    sim("sbatch --wrap 'sleep 60'")
    command = [sys.executable, "-m", "slimsched.cli.main", "--state", str(sim.state), "events", "--follow"]
    heard = signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever runs the tests may have it ignored
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    signal.signal(signal.SIGINT, heard)
    guard = threading.Timer(30, process.kill)  # a reader that waits for ever would hold up all tests
    guard.start()
    try:
        assert process.stdout
        first = [process.stdout.readline() for _ in range(2)]
        sim("scancel 1")
        later = process.stdout.readline()
        process.send_signal(signal.SIGINT)
        code = process.wait(timeout=30)
    finally:
        guard.cancel()
        process.kill()
        process.communicate()

    assert [line.split()[2] for line in [*first, later]] == ["submit", "start", "end"]
    assert code == 130


def test_a_job_that_nobody_knows(sim):
    sim("sbatch --uid=root --wrap 'sleep 60'")
    for words in (("5",), ("5_2",), ("5", "--json")):
        assert sim.run("events", *words) == (1, "", f"sim: error: Invalid job id specified: {words[0]}\n")
    assert sim.run("events", "x").code == 1
    assert len(told(sim, "1")) == 2
