"""Whatever text a parser or a command is given: an answer, or one of the toolkit's own errors, and no second of work.

The constraint languages have a test of their own (`test_dialect_fuzz`). The texts come from samples that are cut,
doubled, mixed and spoilt; ``SLIMSCHED_FUZZ=100000`` tries so many for each target instead of a few, with a limit of
one second of CPU time for each (`tests/attack.sh`).
"""

from __future__ import annotations

import os
import random
import shlex
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from slimsched.cli import job_ids
from slimsched.cli.subcommands import COMMANDS
from slimsched.cli.submit import script
from slimsched.cli.submit.options.request import Draft, read
from slimsched.controller.accounts import dump_file
from slimsched.controller.life import arrays, dependency, selectors
from slimsched.errors import SimError
from slimsched.executor import script as scripts
from slimsched.sched.wiki import message, tasklist
from slimsched.slurm.getopt import Scanner
from slimsched.slurm.options import options_of
from slimsched.state import config_tables, slurm_conf
from slimsched.text import hostlist, idset, moments, signals, sizes, times

COUNT = int(os.environ.get("SLIMSCHED_FUZZ", "120"))
SECONDS = 1.0 if COUNT > 1000 else 10.0
"""CPU time for one text; the short run only keeps a loop from having no end."""

SPOILS = (
    *(
        "\0",
        "\ud800",
        "\ufeff",
        "\x1b[31m",
        "\r",
        "\n",
        "\t",
        "\x7f",
        "\u0663",
        "\xb2",
        "\u0130",
        "\U0001f600",
        "%s",
        "%",
        "$(x)",
        "\\",
    ),
    *(
        "0x" + "f" * 300,
        "9" * 400,
        "9" * 5000,
        "-1",
        "-0",
        "+",
        "1e999",
        "nan",
        "inf",
        "0" * 60,
        "4294967296",
        "1.5",
        "1/0",
    ),
    *(
        "[" * 3000,
        "(" * 3000,
        "[1-",
        "]",
        "[0-999999999]",
        ",",
        ",,",
        "-",
        ":",
        "=",
        "==",
        "'",
        '"',
        "`",
        "#",
        "*",
        "?",
        "|",
        "@/dev/zero",
        "",
    ),
    *("a" * 70000, " " * 5000, "{", "}", "~", "^", ";", "&", "!", "<", ">"),
)
OPTIONS = options_of("b")
KEYED = message.Settings(1, 42)


def conf_file(folder: Path) -> Callable[[str], object]:
    def load(text: str) -> object:
        path = folder / "slurm.conf"
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        return slurm_conf.load(str(path))

    return load


def toml(text: str) -> object:
    with suppress(config_tables.Fault):
        return config_tables.parse(text.encode("utf-8", "surrogatepass"))
    return None


def option(text: str) -> object:
    """Give a text to every option of sbatch that takes one."""
    for each in OPTIONS:
        with suppress(SimError):
            Draft(read([(each, text)]))
    return None


def wiki(text: str) -> object:
    """Read a request with a right signature, and without."""
    with suppress(SimError):
        message.unseal(text, KEYED, 5)
    body = f"TS=5 AUTH=x DT=CMD={text}"
    sealed = f"CK={message.checksum(42, body.encode('utf-8', 'surrogatepass'))} {body}"
    found = message.words(message.unseal(sealed, KEYED, 5)) if "\ud800" not in text else message.words(text)
    tasklist.read(text)
    return found.argument, found.job_id


def words(text: str) -> object:
    scanner = Scanner("sbatch", OPTIONS, text.split(" "))
    return list(scanner), scanner.rest


SLURM_CONF = "ClusterName=x\nNodeName=n[1-3] CPUs=4 RealMemory=100 Gres=gpu:2\nPartitionName=p Nodes=ALL MaxTime=1-0\n"
TOML = '[slurm]\nMinJobAge = "5"\n[[nodes]]\nNodeName = "n[1-2]"\nCPUs = 2\n[[partitions]]\nPartitionName = "p"\n'
ACCOUNTS = "Cluster - 'x':Fairshare=1\nParent - 'root'\nUser - 'a':DefaultAccount='b':MaxTRES=cpu=4,mem=5\n"
JOB = "#!/bin/sh\n#SBATCH -n 4 --comment='a b'\nfor i in 1 2; do sleep 5 & done; wait\n"
JOB += "srun -n2 sleep 1m | cat <<E\nx\nE\nexit 3\n"
TARGETS: dict[str, tuple[Callable[[str], object], tuple[str, ...]]] = {
    "hostlist": (hostlist.expand, ("n[1-3,07-09]x[2],m", "node01")),
    "hostlist flux": (partial(hostlist.expand, dialect="flux"), ("n[1-3,07-09]", "n[0]m[1]")),
    "fold": (lambda text: hostlist.fold(text.split(",")), ("n1,n2,n03", "a")),
    "idset": (idset.decode, ("1-3,7", "0")),
    "moment": (
        partial(moments.moment, now=1_800_000_000),
        ("now+1hour", "2026-01-02T03:04:05", "noon", "12/31/26-5:00pm"),
    ),
    "span": (times.span, ("1-2:3:4", "UNLIMITED", "90")),
    "time limit": (times.time_limit, ("1-2:3:4", "5:30", "90")),
    "duration": (times.duration, ("10m", "1-0", "2h30m", "5:30")),
    "memory": (sizes.memory, ("16G", "100", "1.5T")),
    "count": (sizes.count, ("16k", "100")),
    "strtol": (sizes.strtol, (" +12abc", "-5")),
    "C number": (sizes.c_number, ("0x1f", "017", "-5")),
    "signal": (signals.number, ("SIGTERM", "9", "usr1")),
    "job ids": (selectors.parse, ("7", "7_3", "7_[1-5:2]", "7_*")),
    "job lists": (lambda text: selectors.lists(text.split(" ")), ("1,2,3_[4-5],6",)),
    "job keys": (job_ids.job_key, ("12", "12_3", "5.0")),
    "step key": (job_ids.step_key, ("12.0", "12_3.batch")),
    "array": (partial(arrays.parse, max_size=1001), ("0-15:4%2", "1,3,5-7")),
    "dependency": (dependency.parse, ("afterok:1:2_3,after:4+5", "singleton", "afterany:1_[1-3]?2")),
    "accounts": (lambda text: list(dump_file.parse(text)), (ACCOUNTS,)),
    "slurm.conf": (lambda text: None, (SLURM_CONF, SLURM_CONF + "Include a.conf\n", "NodeName=DEFAULT CPUs=2\n")),
    "cluster.toml": (toml, (TOML, "[slurm]\nx = [[1], {a = 2}]\n")),
    "wiki.conf": (message.read_conf, ("AuthKey=42\nVersion=2 # x\n",)),
    "wiki request": (
        wiki,
        ("STARTJOB ARG=1 TASKLIST=n1:n2", "JOBWILLRUN ARG=JOBID=1@5,n[1-2]*2", 'MODIFYJOB ARG=1 BANK="x y"'),
    ),
    "directives": (lambda text: script.directives(text, "x"), (JOB, "#SBATCH a 'b c' # d\n")),
    "run time of a script": (scripts.plan, (JOB, "#!/bin/bash\nif true; then sleep $((1+1)); fi\n")),
    "sleep": (scripts.seconds, ("5m", "1.5", "inf")),
    "option values": (option, ("4", "1-2:3:4", "gpu:2,x", "a=b,c", "begin", "16G", "USR1@5")),
    "words": (words, ("-n4 --mem=5 -J x --exclusive a b", "-abc --no -- x")),
}
"""Name -> the parser, and samples of what it reads."""


def texts(name: str, samples: tuple[str, ...], count: int) -> Iterator[str]:
    """Yield spoilt samples, the same ones in every run."""
    dice = random.Random(name)
    yield from (*samples, *SPOILS)
    for _ in range(count):
        text = dice.choice(samples)
        for _ in range(dice.randint(1, 4)):
            start, end = sorted((dice.randint(0, len(text)), dice.randint(0, len(text))))
            spoil = dice.choice(SPOILS) if dice.random() < 0.6 else dice.choice(samples)
            middle = dice.choice(("", text[start:end] * 2, spoil, text[start:end] + spoil, text[start:end][::-1]))
            text = (text[:start] + middle + text[end:])[:100_000]
        yield text


@contextmanager
def limited() -> Iterator[None]:
    """End what takes too much CPU time."""

    def late(*_: object) -> None:
        raise TimeoutError(f"more than {SECONDS} s")

    before = signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize("name", TARGETS)
def test_a_parser_answers(name: str, tmp_path: Path) -> None:
    parse, samples = TARGETS[name]
    if name == "slurm.conf":
        parse = conf_file(tmp_path)
    slow = 10 if name in {"option values", "slurm.conf"} else 1
    for text in texts(name, samples, COUNT // slow):
        with limited(), suppress(SimError):
            parse(text)


LINES = (
    *(
        "sbatch -n 2 --array=1-3 -J x --wrap true",
        "sbatch -d afterok:1 -t 1-0 --begin=now+1 --wrap true",
        "sbatch job.sh a",
    ),
    *("squeue -o %i%j -t PD -u x", "squeue -O jobid:5,name -S -i --json", "sinfo -o %n%c -N -t idle -p debug"),
    *(
        "scontrol update jobid=1 name=x comment=y",
        "scontrol show job 1_2",
        "scontrol create reservation start=now duration=5 nodes=ALL users=root",
    ),
    *(
        "scontrol update nodename=node01 state=drain reason=x extra={}",
        "sacct -S now-1 -o jobid%5 -j 1",
        "scancel -n x 1_[1-3] -t PD",
    ),
    *(
        "sacctmgr -i add user x account=y fairshare=3",
        "sacctmgr show assoc format=user%5 where user=x",
        "sreport cluster utilization start=now-1",
    ),
    *("srun -n 2 --mem=5G true", "salloc -t 5 true", "sprio -l -j 1", "sdiag", "sshare -a -o user", "sstat -j 1.0"),
    *("explain 1", "advance 10m", "advance --until-job 1", "events", "doctor", "plugins", "wait 1 --timeout 5"),
    *(
        "constraint match --dialect sge mem_free=1G",
        "constraint convert --to sge a=1",
        "qsub -l a=1 -pe smp 4 -b y true",
        "qstat -F -q all",
        "qconf -sc",
    ),
    *(
        "qconf -mattr exechost complex_values a=5 node01",
        "init --force --nodes n[1-2] --cpus 4 --set MinJobAge=5",
        "wiki serve --stdin",
        "completion bash",
    ),
)


def test_a_command_line_answers(sim: Any) -> None:
    """Hostile words at every command; the state is as sound behind it as before."""
    assert {shlex.split(line)[0] for line in LINES} <= set(COMMANDS)
    dice = random.Random("lines")
    for _ in range(max(60, COUNT // 2)):
        line = shlex.split(dice.choice(LINES))
        for _ in range(dice.randint(1, 2)):
            place = dice.randrange(1, len(line) + 1)
            word = line[place] if place < len(line) else ""
            at = dice.randint(0, len(word))
            spoil = dice.choice([one for one in SPOILS if not {"\0", "\ud800"}.intersection(one)])
            line[place:] = [word[:at] + spoil + dice.choice(("", word[at:])), *line[place + 1 :]]
        with limited():
            answer = sim.run(*line, stdin="no\n")
        assert answer.code in range(256), line
        assert "Traceback" not in answer.err, line
    assert sim.run("doctor").code == 0
