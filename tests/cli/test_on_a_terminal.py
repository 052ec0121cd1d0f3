"""Listings on a terminal, through a pseudo terminal: whole tables, and the text of a pipe for who asks for it."""

from __future__ import annotations

import json
import os
import pty
import re
import sys
import termios
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

from slimsched.cli.main import main


@pytest.fixture
def cluster(sim: Any) -> Any:
    sim("init", "--set", "PriorityType=priority/multifactor", "--set", "PriorityWeightAge=1000")
    sim("sbatch", "-J", "first", "-N1", "-t", "30", "--wrap", "sleep 600")
    sim("sbatch", "-J", "a-rather-long-name-for-a-job", "-N3", "--exclusive", "-t", "30", "--wrap", "sleep 60")
    sim("scontrol create reservation reservationname=night starttime=now+1day nodes=node01 users=root duration=60")
    sim("advance", "5s")
    return sim


def chunks(master: int) -> Iterator[bytes]:
    """Yield what a terminal shows, until nobody writes to it any more."""
    with os.fdopen(master, "rb", buffering=0) as file, suppress(OSError):
        while chunk := file.read(1 << 16):
            yield chunk


class Screen:
    """Runs command lines with standard output on a terminal of some width."""

    def __init__(self, sim: Any, patch: pytest.MonkeyPatch) -> None:
        self.sim, self.patch, self.colours, self.raw = sim, patch, list[str](), ""

    def __call__(self, *words: str, columns: int = 80, **environment: str) -> str:
        master, slave = pty.openpty()
        modes = termios.tcgetattr(slave)
        modes[1] &= ~termios.OPOST  # no carriage returns
        termios.tcsetattr(slave, termios.TCSANOW, modes)
        variables = {"SLIMSCHED_STATE": str(self.sim.state), "COLUMNS": str(columns), "TERM": "xterm", **environment}
        with (
            ThreadPoolExecutor(1) as reader,  # a terminal that nobody reads takes some kilobytes only
            os.fdopen(slave, "w", encoding="utf-8") as stream,
            self.patch.context() as patch,
        ):
            shown = reader.submit(lambda: b"".join(chunks(master)))
            for name, value in variables.items():
                patch.setenv(name, value)
            patch.setattr(sys, "stdout", stream)
            assert main(list(words)) == 0
        self.raw = text = shown.result().decode()
        self.colours = re.findall(r"\x1b\[([\d;]+)m", text)
        return "".join(line.rstrip() + "\n" for line in re.sub(r"\x1b\[[\d;]*m", "", text).splitlines())


@pytest.fixture
def screen(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> Screen:
    return Screen(cluster, monkeypatch)


JOBS = ("squeue", "-o", "%.18i %.9P %.8j %.2t %.10M %.6D %R")
TABLES = {
    (JOBS, 80): """\
JOBID PARTITION NAME                         ST TIME NODES NODELIST(REASON)
    2     debug a-rather-long-name-for-a-job PD 0:00     3 (Resources)
    1     debug first                         R 0:05     1 node01
""",
    (JOBS, 50): """\
JOBID PARTITION NAME     ST TIME NODES NODELIST(R…
    2     debug a-rathe… PD 0:00     3 (Resources)
    1     debug first     R 0:05     1 node01
""",
    (("sinfo",), 80): """\
PARTITION AVAIL TIMELIMIT NODES STATE NODELIST
debug*       up  infinite     1  mix- node01
debug*       up  infinite     2  plnd node[02-03]
""",
    (("sinfo", "-T"), 80): """\
RESV_NAME    STATE          START_TIME            END_TIME DURATION NODELIST
night     INACTIVE 2026-01-02T00:00:00 2026-01-02T01:00:00 01:00:00 node01
""",
    (("sacct", "-X"), 80): """\
JobID JobName                      Partition Account AllocCPUS   State ExitCode
1     first                            debug    root         1 RUNNING      0:0
2     a-rather-long-name-for-a-job     debug    root         0 PENDING      0:0
""",
    (("sacct", "-X"), 60): """\
JobID JobName   Partition Account AllocCPUS   State ExitCode
1     first         debug    root         1 RUNNING      0:0
2     a-rather…     debug    root         0 PENDING      0:0
""",
    (("sacct", "-X", "-n", "-o", "jobname,state"), 80): """\
first                        RUNNING
a-rather-long-name-for-a-job PENDING
""",
    (("sprio", "-o", "%.15i %.10Y %.10A"), 200): """\
JOBID PRIORITY AGE
    2        1   0
""",
    (("sshare", "-a", "-o", "account,rawshares,normshares"), 80): """\
Account RawShares NormShares
root                0.000000
 root           1   1.000000
""",
    (("sacctmgr", "list", "qos", "format=name,priority,flags"), 80): """\
Name   Priority Flags
normal        0
""",
    (("sreport", "user", "top", "start=2026-01-01", "format=login,used"), 200): """\
--------------------------------------------------------------------------------
Top 10 Users 2026-01-01T00:00:00 - 2026-01-01T00:59:59 (3600 secs)
Usage reported in CPU Minutes
--------------------------------------------------------------------------------
Login Used
""",
    (("plugins",), 80): """\
NAME                 ORIGIN   API STATUS
select/linear        built in 1.0 ok
select/cons_tres     built in 1.0 ok
select/cray_aries    built in 1.0 ok
select/processors    built in 1.0 ok
select/cons_res      built in 1.0 ok
sched/backfill       built in 0.0 ok
sched/builtin        built in 0.0 ok
sched/wiki           built in 0.0 ok
sched/wiki2          built in 0.0 ok
priority/basic       built in 1.0 ok
priority/multifactor built in 1.0 ok
""",
}


@pytest.mark.parametrize(("words", "columns"), TABLES)
def test_tables(words: tuple[str, ...], columns: int, screen: Screen) -> None:
    assert screen(*words, columns=columns) == TABLES[words, columns]


PLAIN = [words for words, _ in TABLES if words[0] != "sacctmgr"] + [("sacctmgr", "list", "qos"), ("sstat", "1.batch")]


@pytest.mark.parametrize("words", PLAIN, ids=" ".join)
def test_plain_text_is_that_of_a_pipe(words: tuple[str, ...], screen: Screen) -> None:
    name, *rest = words
    piped = "".join(line.rstrip() + "\n" for line in screen.sim(*words).splitlines())

    assert screen(name, "--plain", *rest) == piped
    assert screen(*words, SLIMSCHED_PLAIN="1") == piped


@pytest.mark.parametrize(
    "words",
    [("sacct", "-P"), ("sacct", "-p", "--delimiter=,"), ("squeue", "-o", "%i|%T"), ("sacct", "-l")],
    ids=" ".join,
)
def test_what_a_program_asks_for_is_not_drawn(words: tuple[str, ...], screen: Screen) -> None:
    """Values with a delimiter, and more columns than a terminal has room for."""
    assert screen(*words) == "".join(line.rstrip() + "\n" for line in screen.sim(*words).splitlines())


def test_lines_have_the_colour_of_their_state(screen: Screen) -> None:
    screen.patch.delenv("NO_COLOR")
    screen("sacct", "-X")

    assert {"32", "33"} <= set(screen.colours)  # running, pending


HOSTILE = "x\x1b[2J\x1b]0;owned\x07\x9b31m\x08\r\x1c\x85\u202e\x7f"
LISTINGS = (
    *("squeue", "squeue --plain", "squeue -o %j|%k", "squeue -O name:40,comment:40", "squeue --json", "squeue --yaml"),
    *(
        "scontrol show job",
        "scontrol -o show job",
        "scontrol show node",
        "scontrol show reservation",
        "scontrol show config",
    ),
    *("sinfo", "sinfo -R", "sinfo -o %E", "sinfo --json", "sacct", "sacct -P -o jobname,comment", "sacct -l"),
    *(
        "explain 3",
        "events",
        "sprio -l",
        "qstat",
        "qhost -F",
        "sacctmgr show account",
        "sacctmgr list user",
        "sshare -a",
    ),
)


@pytest.mark.parametrize("command", LISTINGS)
def test_what_users_write_never_reaches_a_terminal_raw(command: str, screen: Screen) -> None:
    sim = screen.sim
    sim("sbatch", "-J", HOSTILE, "--comment", HOSTILE, "-A", HOSTILE, "--wrap", HOSTILE)
    sim("scontrol", "update", "nodename=node02", "state=drain", f"reason={HOSTILE}", f"comment={HOSTILE}")
    sim("scontrol", "update", "nodename=node02", "extra=" + json.dumps({"x": HOSTILE}, ensure_ascii=False))
    sim("sacctmgr", "-i", "add", "account", "acct", f"description={HOSTILE}")
    screen.patch.delenv("NO_COLOR")
    screen(*command.split(), columns=200)

    assert [char for char in re.sub(r"\x1b\[[\d;]*m", "", screen.raw) if not char.isprintable() and char != "\n"] == []
