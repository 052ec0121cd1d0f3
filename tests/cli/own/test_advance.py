from __future__ import annotations

import io
import itertools
import os
import re
import signal
import subprocess
import sys

import pytest
from rich.console import Console

from slimsched.cli.watching import watching
from slimsched.controller import core
from slimsched.render import progress
from slimsched.render.progress import Bar
from slimsched.state.store import Store

NOON = "2026-01-01T"


@pytest.mark.parametrize(
    ("duration", "reached"),
    [
        ("90s", "00:01:30"),
        ("10m", "00:10:00"),
        ("5:30", "00:05:30"),
        ("7", "00:07:00"),
        ("2h30m", "02:30:00"),
        ("0", "00:00:00"),
    ],
)
def test_durations(sim, duration, reached):
    assert sim("advance", duration) == f"{NOON}{reached}\n"


def test_jobs_end_on_the_way(sim):
    sim("sbatch", "--parsable", "--wrap", "sleep 60; exit 3")
    sim("advance", "59s")
    assert sim("squeue", "-h", "-o", "%i %t %M") == "1 R 0:59\n"
    sim("advance", "10s")
    assert sim("squeue", "-h", "-t", "all", "-o", "%i %t %M") == "1 F 1:00\n"


def test_until_idle_and_until_job(sim):
    for seconds in (60, 600):
        sim("sbatch", "--wrap", f"sleep {seconds}")
    sim("sbatch", "-H", "--wrap", "sleep 1")

    assert sim("advance", "--until-job", "1") == f"{NOON}00:01:00\n"
    assert sim("advance", "--until-idle") == f"{NOON}00:10:00\n"
    assert sim("advance", "--until-idle") == f"{NOON}00:10:00\n"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ([], "give a duration (10m, 5:30, 1-0), or --until-idle, or --until-job ID"),
        (["5m", "--until-idle"], "give a duration (10m, 5:30, 1-0), or --until-idle, or --until-job ID"),
        (["--until-job", "9"], "Invalid job id specified: 9"),
    ],
)
def test_misuse(sim, words, error):
    assert sim.run("advance", *words) == (1, "", f"sim: error: {error}\n")


def test_a_bad_duration_is_shown(sim):
    answer = sim.run("advance", "soon")

    assert (answer.code, answer.out) == (1, "")
    assert "soon" in answer.err


def test_endless_jobs_are_named_and_the_way_there_is_kept(sim):
    sim("sbatch", "--wrap", "sleep 60")
    sim("sbatch", "--wrap", "sleep infinity")
    error = "job 2 runs forever: it has neither a run time nor a time limit"
    assert sim.run("advance", "--until-idle") == (1, "", f"sim: error: {error}\n")
    assert sim("squeue", "-h", "-t", "all", "-o", "%i %t") == "1 CD\n2 R\n"

    assert sim.run("advance", "--until-job", "2").code == 1
    assert sim.run("wait", "2").code == 1


def test_the_wall_clock_is_not_moved(sim):
    sim("init", "--clock", "wall")

    assert sim.run("advance", "1m").err.startswith("sim: error: the cluster uses the system's clock")


def test_wait_exits_with_the_highest_code(sim):
    for end in ("sleep 5", "sleep 60; exit 3", "sleep 20; exit 2"):
        sim("sbatch", "--wrap", end)

    assert sim.run("wait", "1") == (0, "", "")
    assert sim.run("wait", "1", "3") == (2, "", "")
    assert sim.run("wait", "2", "--timeout", "10s") == (124, "", "")
    assert sim.run("wait", "1", "2", "3") == (3, "", "")
    assert sim.run("wait", "9") == (1, "", "sim: error: Invalid job id specified: 9\n")


def test_an_interrupt_stops_between_two_instants():
    before = signal.getsignal(signal.SIGINT)
    with watching(lambda: Bar(0, 100)) as watch:
        assert watch(1)
        signal.raise_signal(signal.SIGINT)
        assert not watch(2)

    assert signal.getsignal(signal.SIGINT) is before


def test_a_bar_shows_the_instant_and_the_speed_of_the_clock(monkeypatch):
    clock, screen = itertools.count(), io.StringIO()
    console = Console(file=screen, force_terminal=True, width=120, get_time=lambda: float(next(clock)))
    monkeypatch.setattr(progress, "Console", lambda stderr: console)
    bar = Bar(0, None)
    for hours in (1, 2, 3):
        bar.show(3600 * hours)
    bar._progress.refresh()
    bar.close()

    assert "1970-01-01T03:00:00" in screen.getvalue()
    assert re.search(r"\d\d:\d\d(:\d\d)? a second", screen.getvalue())


def test_nobody_changes_the_schedule_by_looking(make_sim):
    def starts(name: str, *looks: str) -> str:
        sim = make_sim(name)
        sim("init", "--nodes", "n[1-6]", "--cpus", "2", "--start", "2026-01-01T00:00:00")
        for nodes, minutes, seconds, pause in (
            *((6, 9, 400, 7), (4, 20, 900, 11), (1, 5, 200, 40), (5, 30, 100, 3), (2, 8, 480, 60), (1, 3, 20, 31)),
            *((3, 12, 700, 5), (2, 50, 2000, 45), (6, 4, 60, 90), (1, 60, 1500, 2), (1, 4, 230, 300), (4, 9, 500, 8)),
        ):
            sim.run("sbatch", "-N", str(nodes), "--exclusive", "-t", str(minutes), "--wrap", f"sleep {seconds}")
            for look in looks:
                sim(look)
            sim("advance", f"{pause}s")
        sim("advance", "--until-idle")
        return sim("sacct -n -o jobid,start,end,nodelist -P -S 2026-01-01")

    looks = ("squeue --start", "scontrol show job")
    assert starts("seen", *looks) == starts("unseen")


def crowd(sim) -> None:
    sim("init", "--nodes", "n[1-6]", "--cpus", "2", "--start", "2026-01-01T00:00:00")
    for number in range(24):
        nodes, minutes = 1 + number * 7 % 5, 5 + number * 11 % 50
        seconds = 60 + number * 37 % 900
        sim("sbatch", "-N", str(nodes), "--exclusive", "-t", str(minutes), "--wrap", f"sleep {seconds}")


def outcome(sim) -> tuple[str, str, str]:
    ran = sim("sacct -n -o jobid,state,start,end,nodelist -P -S 2026-01-01")
    events = [line for line in sim("events", "--json").splitlines() if '"advance"' in line]
    return ran, "\n".join(re.sub(r'"seq": \d+', "", line) for line in events), sim("squeue", "-t", "all")


def test_a_long_advance_is_committed_as_it_goes(make_sim, monkeypatch):
    whole, piecewise = make_sim("whole"), make_sim("piecewise")
    for sim, much in ((whole, 1_000_000), (piecewise, 1)):
        crowd(sim)
        monkeypatch.setattr(core, "MUCH", much)
        sim("advance", "--until-idle")

    assert outcome(piecewise) == outcome(whole)
    with Store.open(whole.state) as one, Store.open(piecewise.state) as other:
        one.load(), other.load()
        assert sum(1 for _ in other.history()) > sum(1 for _ in one.history())


KILLED = """
import os, sys
from slimsched.controller import core
from slimsched.state.store import Store
core.MUCH, left, commit = 1, [int(sys.argv[1])], Store.commit

def killed(store, cluster):
    commit(store, cluster)
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), 9)

Store.commit = killed
from slimsched.cli.main import main
main(["advance", "--until-idle"])
"""


def test_a_killed_advance_goes_on_where_it_was(make_sim):
    whole, killed = make_sim("whole"), make_sim("killed")
    crowd(whole)
    crowd(killed)
    pending = killed("squeue", "-h", "-t", "PD").count("\n")
    whole("advance", "--until-idle")

    done = subprocess.run([sys.executable, "-c", KILLED, "1"], env={**os.environ, "SLIMSCHED_STATE": killed.state})
    assert done.returncode == -signal.SIGKILL
    assert 0 < killed("squeue", "-h", "-t", "PD").count("\n") < pending
    killed("advance", "--until-idle")
    assert outcome(killed)[0] == outcome(whole)[0]
    assert killed.run("doctor").code == 0
