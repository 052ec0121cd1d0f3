"""Replays in this process what was recorded on a real Slurm, and compares the answers.

A record agrees if exit code, standard output and standard error are equal once everything is replaced that belongs to
the machine or to the moment: dates, seconds, directories, host names, load and free memory. The real daemon started a
job up to two seconds after sbatch had returned; so a scenario is played a second time with
``SchedulerParameters=defer``, where nothing starts, and either answer may be the recorded one, states and nodes apart.
"""

from __future__ import annotations

import calendar
import gzip
import json
import os
import re
import time
import tomllib
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
ANSWERS = DATA / "answers"
SURROUNDINGS = {"COLUMNS": "200", "TERM": "dumb", "USER": "root", "LANG": "C.UTF-8"}
NUMBER = re.compile(r"(?<![\w.:])\d+(?![\w.:])")
SUBMITTED = re.compile(r"(Submitted batch job )?(\d+)\n")

OF_THE_MACHINE = (
    r"CPULoad|FreeMem|BootTime|SlurmdStartTime|LastBusyTime|ResumeAfterTime|Version|SubmitLine|Scheduler|LastSchedEval"
    r"|SiteFactor|Host|AllocNode:Sid|EndTime|StartTime|AccrueTime|EligibleTime|SubmitTime|SuspendTime|RunTime"
    r"|SecsPreSuspend|PreSusTime|SLUID|SlurmctldPort|SlurmctldHost\S*|NodeAddr|NodeHostName|Port"
)
OF_THE_PLACE = (
    (re.compile(rf"({OF_THE_MACHINE})=\S*"), r"\1=<>"),
    (re.compile(r"\bOS=.*"), "OS=<>"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"), "<T>"),
    (re.compile(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d \d{4}"), "<T>"),
    (re.compile(r"\b1[79]\d{8}\b"), "<T>"),
    (re.compile(r"(?<![\w.])/(?:[\w.+@%-]+/)+"), "<P>/"),
    (re.compile(r"\b(vm|localhost)\b"), "<H>"),
    (re.compile(r"(?<![\d:])0:[0-5]\d(?![\d:])"), "<E>"),
)
OF_THE_MOMENT = (
    (
        re.compile(
            r"\b(PD|R|CG|CF|PENDING|RUNNING|COMPLETING|CONFIGURING|idle|mix-?|alloc|mixed|allocated|plnd|planned"
            r"|IDLE|MIXED|ALLOCATED|PLANNED|IDLE\+PLANNED|MIXED\+PLANNED)\b"
        ),
        "<S>",
    ),
    (re.compile(r"\(?\b(None|Priority|Resources)\b\)?"), "<R>"),
    (re.compile(r"\bnode(?:\d\b|\[[\d,-]+\])"), "<N>"),
    (
        re.compile(r" ?\b(CPUAlloc|AllocMem|AllocTRES|NodeList|BatchHost|SchedNodeList|NumNodes|NumCPUs|ReqTRES)=\S*"),
        "",
    ),
)

OPENING = {"scenario", "seq", "note", "fresh_cluster", "conf_changes", "conf_added", "setup"}
"""Keys of a record that opens a scenario."""

Answer = tuple[int, str, str]


def read(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file, which may be compressed."""
    unpack: Any = gzip.open if path.suffix == ".gz" else open
    with unpack(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Scenario:
    """Commands recorded on one new cluster, and how that was made ready.

    A file in data/answers is a set of them, and its name that of its list in known.toml. Each line is a record:
    ``scenario``, ``seq``, ``cmd``, ``rc``, ``stdout``, ``stderr``, and perhaps ``stdin``, ``env`` (null: not set) and
    ``files`` (written first) and ``before`` (commands ahead of it, of which no answer was kept).
    A line without ``cmd`` opens a scenario: ``conf_changes`` of slurm.conf (null: the key is taken out), ``conf_added``
    (lines), ``setup`` (commands that are run before the first).
    """

    def __init__(self, belongs_to: str, name: str, records: list[dict[str, Any]]) -> None:
        self.set, self.name = belongs_to, name
        self.commands = [record for record in records if "cmd" in record]
        opening = [record for record in records if "cmd" not in record]
        unknown = {key for record in opening for key in record} - OPENING
        assert not unknown, f"{belongs_to} {name}: no replay of {unknown}"
        self.opening = opening[0] if opening else {}

    def conf(self, *, defer: bool) -> str:
        """Return the slurm.conf of the scenario; ``defer``: nothing starts at once."""
        lines = (DATA / "cluster.conf").read_text(encoding="utf-8").splitlines()
        changes = self.opening.get("conf_changes") or {}
        lines = [line for line in lines if line.partition("=")[0] not in changes]
        lines += [f"{key}={value}" for key, value in changes.items() if value is not None]
        lines += self.opening.get("conf_added") or []
        if defer:
            given = next((line for line in lines if line.startswith("SchedulerParameters=")), "SchedulerParameters=")
            lines = [line for line in lines if line != given]
            lines.append(given.replace("=", "=defer,", 1).rstrip(","))
        return "\n".join(lines) + "\n"


def scenarios() -> list[Scenario]:
    """Return the scenarios of every set."""
    return [
        Scenario(path.name.partition(".")[0], name, list(records))
        for path in sorted(ANSWERS.glob("*.jsonl*"))
        for name, records in groupby(read(path), lambda record: record["scenario"])
    ]


def known(part: str) -> dict[str, str]:
    """Return the known differences of a part of known.toml: what differs -> why."""
    listed = tomllib.loads((Path(__file__).parent / "known.toml").read_text(encoding="utf-8")).get(part, [])
    return {key: entry["reason"] for entry in listed for key in entry["records"]}


def seconds(stamp: str) -> int:
    """Return an instant as seconds since 1970."""
    return calendar.timegm(time.strptime(stamp, "%Y-%m-%dT%H:%M:%S"))


def plain(text: str, cwd: str, *, moment: bool = False) -> str:
    """Return an answer without what belongs to the place, and with ``moment`` without what belongs to the moment."""
    found = []
    for line in text.replace(os.path.realpath(cwd), "/x/work").replace(cwd, "/x/work").splitlines():
        if re.match(r"\w+: note: ", line):
            continue
        new = line
        for pattern, word in OF_THE_PLACE + (OF_THE_MOMENT if moment else ()):
            new = pattern.sub(word, new)
        new = re.sub(r"\s+", " ", new).strip() if new != line else new.rstrip()
        if new or not moment:
            found.append(new)
    return "\n".join(found).rstrip()


def same(got: Answer, want: Answer, cwd: str) -> bool:
    """Whether two answers are equal but for place and moment."""
    return got[0] == want[0] and all(
        plain(g, cwd) == plain(w, cwd) or plain(g, cwd, moment=True) == plain(w, cwd, moment=True)
        for g, w in zip(got[1:], want[1:], strict=True)
    )


class Numbers:
    """Which of our job ids stands for which recorded one, where they differ."""

    def __init__(self) -> None:
        self.ours: dict[str, str] = {}
        self.last = 0

    def there(self, word: str) -> str:
        """Return an argument with our ids for the recorded ones."""
        return re.sub(r"(?<![\w.])\d+(?![\w.])", lambda m: self.ours.get(m[0], m[0]), word) if self.ours else word

    def back(self, text: str) -> str:
        """Return an answer with the recorded ids for ours."""
        theirs = {mine: recorded for recorded, mine in self.ours.items()}
        return NUMBER.sub(lambda m: theirs.get(m[0], m[0]), text) if theirs else text

    def learn(self, got: str, want: str) -> str:
        """Take note of a submission; returns its answer with the recorded id."""
        mine, recorded = SUBMITTED.fullmatch(got), SUBMITTED.fullmatch(want)
        if mine and recorded and mine[1] == recorded[1] and int(mine[2]) > self.last:
            self.last = int(mine[2])
            if mine[2] != recorded[2]:
                self.ours[recorded[2]] = mine[2]
                return want
        return got


def transcript(sim: Any, scenario: Scenario, *, defer: bool) -> Iterator[Answer]:
    """Run the commands of a scenario on a new cluster; yields what each answers."""
    new_cluster(sim, scenario.conf(defer=defer), (DATA / "gres.conf").read_text(encoding="utf-8"))
    for words in scenario.opening.get("setup") or []:
        sim(*words)
    numbers = Numbers()
    for record in scenario.commands:
        for name, text in (record.get("files") or {}).items():
            if "/" not in name:
                (sim.cwd / name).write_bytes(text.encode("utf-8", "surrogateescape"))
        for unrecorded in record.get("before") or []:
            sim.run(*unrecorded, env=SURROUNDINGS)
        words = [numbers.there(word) for word in record["cmd"]]
        given = (record.get("stdin") or "").encode("utf-8", "surrogateescape")
        env = {key: value for key, value in (record.get("env") or {}).items() if value is not None}
        code, out, err = sim.run(*words, stdin=given, env={**SURROUNDINGS, **env})
        out, err = numbers.back(out), numbers.back(err)
        if words[0] == "sbatch" and code == record["rc"] == 0:
            out = numbers.learn(out, record["stdout"])
        yield code, out, err


def new_cluster(sim: Any, conf: str, gres: str = "") -> None:
    """Make a cluster of a slurm.conf."""
    folder = sim.state.parent / "conf"
    folder.mkdir(exist_ok=True)
    (folder / "slurm.conf").write_text(conf, encoding="utf-8")
    if gres:
        (folder / "gres.conf").write_text(gres, encoding="utf-8")
    answer = sim.run("init", "--from", str(folder / "slurm.conf"))
    assert answer.code == 0, answer


def schedule(
    sim: Any, scenario: dict[str, Any], fields: str, second: int = 0
) -> Iterator[tuple[dict[str, Any], list[list[str]]]]:
    """Replay a scheduling scenario at its instants; yields each snapshot with our jobs' ``fields`` (squeue -o).

    ``second`` of the clock's first minute: when it begins.
    """
    new_cluster(sim, "\n".join(scenario["conf"]) + "\n")
    sim("advance", f"{second}s")
    now = 0
    for step in scenario["steps"]:
        instant = int(step["t"] + 0.5)
        if instant > now:
            sim("advance", f"{instant - now}s")
            now = instant
        if "cmd" in step:
            sim.run(*step["cmd"], env=SURROUNDINGS)
            continue
        listed = sim("squeue", "-a", "-r", "-h", "-t", "all", "-o", fields)
        yield step, [line.split("|") for line in listed.splitlines()]
