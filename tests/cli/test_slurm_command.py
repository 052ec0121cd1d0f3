"""Slurm's commands as Click commands: real parameters, and the same answers by both lanes."""

from __future__ import annotations

import inspect
import shlex
import shutil
from collections.abc import Sequence
from typing import Any

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from slimsched.cli import main as entry
from slimsched.cli.group import group
from slimsched.cli.program import Option, Program
from slimsched.cli.slurm_command import SlurmCommand

RUNNER = CliRunner(
    **({"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {})
)  # < 8.2
PROGRAMS = [name for name, row in entry.COMMANDS.items() if row.kind in entry.WITHOUT_CLICK]

LINES = [
    "squeue",
    "squeue -h -o %i --part debug",
    "squeue --state=PD -ho %i",
    "squeue --state nosuch",
    "squeue --sta",
    "squeue --xyzzy",
    "squeue -Z",
    "squeue --jobs",
    "squeue --noheader=1",
    "squeue -j 99",
    "squeue --version",
    "squeue --usage",
    "sbatch --wrap 'sleep 5' -n2 --hold -J third",
    "sbatch -p nosuch --wrap true",
    "sbatch --nice --wrap true",
    "sbatch --power=x --wrap true",
    "sbatch nosuch.sh --hold",
    "sbatch",
    "sbatch --help",
    "srun --nodes",
    "srun -N1 sleep 60",
    "salloc -N1 true",
    "sinfo -N -l",
    "sinfo --json=list",
    "scancel 1",
    "scancel nosuch",
    "scancel --state=RUNNING",
    "scontrol",
    "scontrol show job 1",
    "scontrol -o show nodes",
    "scontrol hold 77",
    "scontrol update jobid=1 priority=5",
    "scontrol nosuch",
    "sacct -X -n -o jobid,state",
    "sacct --nosuch",
    "sacctmgr -n show qos format=name",
    "sprio -l",
    "sshare",
    "sreport cluster utilization",
    "sstat 1",
    "sattach 1.0",
    "sdiag",
    "slurmd -N node01 --extra '{\"a\": 1}'",
    "qsub -help",
    "qsub -b y -N grid true",
    "qstat",
    "qstat -nosuch",
    "qhost -F",
    "qselect -l",
    "qdel 99",
    "qconf -sc",
    "advance 5m",
    "advance nosuch",
    "advance --xyzzy",
    "wait 99",
    "explain 2",
    "constraint check 'a=='",
    "completion bash",
    "completion",
    "nosuch",
    "--help",
]


@pytest.fixture
def prepared(sim: Any) -> Any:
    sim("sbatch", "-J", "first", "--wrap", "sleep 60")
    sim("sbatch", "-J", "second", "-N3", "--exclusive", "--wrap", "sleep 60")
    shutil.copytree(sim.state, sim.cwd.parent / "kept")
    return sim


def left(sim: Any) -> tuple[str, str]:
    """Return what a command has made of the state, and put the state back."""
    jobs = sim("squeue", "-a", "-h", "-O", "jobid,name,state,reason,priority"), sim("scontrol", "show", "nodes")
    shutil.rmtree(sim.state)
    shutil.copytree(sim.cwd.parent / "kept", sim.state)
    return jobs


@pytest.mark.parametrize("line", LINES)
def test_both_lanes_give_the_same_answer(line: str, prepared: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lane without Click, Click within `sim`, and Click in the hands of another program."""
    words = shlex.split(line)
    monkeypatch.chdir(prepared.cwd)
    direct = (*prepared.run(*words), left(prepared))
    through = (*prepared.run("--", *words), left(prepared)) if words[0] in PROGRAMS else direct
    named = {"SLIMSCHED_STATE": str(prepared.state)}
    result = RUNNER.invoke(group, words, prog_name="sim", env=named, terminal_width=78)  # Click's own is 80 in tests
    foreign = (result.exit_code, result.stdout, result.stderr, left(prepared))

    assert through == direct
    assert foreign == direct


@pytest.mark.parametrize("name", entry.COMMANDS)
def test_every_subcommand_is_a_click_command(name: str) -> None:
    context = click.Context(group, info_name="sim", help_option_names=["-h", "--help"])
    command = group.get_command(context, name)

    assert isinstance(command, click.Command)
    assert (command.name, isinstance(command, SlurmCommand)) == (name, name in PROGRAMS)
    assert command.get_short_help_str(200)
    assert command.to_info_dict(click.Context(command, context, info_name=name))["params"]


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_option_of_a_table_is_a_parameter(name: str) -> None:
    program: Program = entry.load(name)
    command = SlurmCommand(program)
    spelled = [text for option in program.options for text in program.spellings(option)]
    options = [param for param in command.params if isinstance(param, click.Option)]

    assert sorted(text for param in options for text in param.opts) == sorted(set(spelled))
    assert all(param.help for param in options)


def test_a_parameter_says_what_its_row_says() -> None:
    rows = (
        Option("nodes", "N", "count", "how many nodes"),
        Option("nice", "", "[value]", "lower the priority"),
        Option("hold", "H", help="do not start"),
        Option("exclusive", "", "[user|mcs]", "share with nobody"),
        Option("exkl", "", "[user|mcs]", alias_of="exclusive"),
    )
    command = SlurmCommand(Program("tool", rows, lambda *_: 0, summary="Do it", arguments="[file]"))
    *options, words = command.params
    shown = [(p.name, p.opts, p.metavar, p.is_flag, p.help) for p in options if isinstance(p, click.Option)]

    assert shown == [
        ("nodes", ["-N", "--nodes"], "count", False, "how many nodes"),
        ("nice", ["--nice"], "[value]", False, "lower the priority"),
        ("hold", ["-H", "--hold"], None, True, "do not start"),
        ("exclusive", ["--exclusive", "--exkl"], "[user|mcs]", False, "share with nobody; also --exkl"),
        ("state", ["--state"], "dir", False, "state directory (default: SLIMSCHED_STATE or your own)"),
    ]
    assert (words.opts, words.metavar) == (["words"], "[file]")


def test_what_a_line_gives_lies_in_the_context() -> None:
    seen: list[dict[str, object]] = []
    rows = (
        Option("nodes", "N", "count", "n"),
        Option("nice", "", "[value]", "n"),
        Option("hold", "H", help="h"),
        Option("wrap", "", "command", "w"),
    )
    run = lambda *_: seen.append(dict(click.get_current_context().params))  # noqa: E731
    command = SlurmCommand(Program("tool", rows, run, summary="Do it", arguments="[file]"))
    result = RUNNER.invoke(command, ["-HN2", "--nic", "--nodes=4", "a", "b"])

    assert result.exit_code == 0
    assert seen == [{"nodes": "4", "nice": "", "hold": True, "wrap": None, "state": None, "words": ("a", "b")}]


def test_another_program_takes_the_commands_into_its_own_group(sim: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Alone, and the whole group; that program's own object is left alone."""

    @click.group()
    @click.pass_context
    def mine(context: click.Context) -> None:
        context.obj = "mine"

    mine.add_command(SlurmCommand(entry.load("sbatch")))
    mine.add_command(SlurmCommand(entry.load("squeue")), "list")
    mine.add_command(group, "slurm")
    environment = {"SLIMSCHED_STATE": str(sim.state)}

    def run(*words: str) -> tuple[int, str, str]:
        result = RUNNER.invoke(mine, words, env=environment)
        return result.exit_code, result.stdout, result.stderr

    assert run("sbatch", "--hold", "--wrap", "true") == (0, "Submitted batch job 1\n", "")
    assert run("list", "-ho", "%i %t") == (0, "1 PD\n", "")
    assert run("slurm", "scancel", "1") == (0, "", "")
    assert run("slurm", "advance", "1s")[0] == 0
    assert run("sbatch", "-p", "x", "--wrap", "true")[2].startswith("sbatch: error: invalid partition specified: x\n")
    assert run("list", "--xyzzy")[0] == 1


def click_completes(*words: str) -> list[str]:
    *before, current = words
    found = ShellComplete(group, {}, "sim", "_SIM_COMPLETE").get_completions(list(before), current)
    return [item.value for item in found]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("sq",), ["squeue"]),
        (("squeue", "--part"), ["--partition", "--partitions"]),
        (("squeue", "-p", "d"), ["debug"]),
        (("squeue", "--partition=d"), ["debug"]),
        (("squeue", "-j", ""), ["1", "2"]),
        (("sbatch", "--open-mode", ""), ["append", "truncate"]),
        (("scancel", ""), ["1", "2"]),
        (("scontrol", "show", "no"), ["nodes"]),
        (("scontrol", "update", "nodename=node0"), ["nodename=node01", "nodename=node02", "nodename=node03"]),
        (("sacctmgr", "show", "q"), ["qos"]),
        (("wait", ""), ["1", "2"]),
        (("squeue", "--nosuch", ""), []),
    ],
)
def test_click_completes_by_itself(
    words: Sequence[str], expected: list[str], prepared: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLIMSCHED_STATE", str(prepared.state))

    assert click_completes(*words) == expected
