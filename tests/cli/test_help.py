"""What ``--help``, ``--usage`` and wrong command lines tell a person who has never seen the program."""

from __future__ import annotations

from typing import Any

import pytest

from slimsched.cli.help_text import help_text, usage_text
from slimsched.cli.program import Program
from slimsched.cli.subcommands import COMMANDS, load
from slimsched.slurm.getopt import OURS, RECORDED, REFUSED, Option

OPTIONS = (
    Option("fields", "o", "format", "fields to print"),
    Option("columns", "", "format", alias_of="fields"),
    Option("nice", "", "[value]", "lower the priority, by a hundred if nothing is said about how much"),
    Option("kill-on-invalid-dependency", "", "yes|no", "end it"),
    Option("", "N", "node", "its name"),
    Option("bb", "", "spec", "burst buffer", RECORDED, "none here"),
    Option("power", "", "flags", "power", REFUSED, "no power"),
    Option("sim-runtime", "", "time", "how long it runs", OURS),
    Option("verbose", "v", help="say more"),
    Option("long", "l", help="longer lines"),
    Option("help", help="show this help"),
)

TOOL = Program(
    "tool",
    OPTIONS,
    lambda _app, _given, _args: 0,
    summary="Do it",
    arguments="[file]",
    keywords=lambda: {"Commands": [("show ENTITY", "print records")], "Reports": [("jobs", "print jobs")]},
)

HELP = """\
Usage: tool [OPTIONS...] [file]

Do it.

This program's own:
      --sim-runtime=time           how long it runs
      --state=dir                  state directory (default: SLIMSCHED_STATE or
                                   your own)

Options:
  -o, --fields=format              fields to print; also --columns
      --nice[=value]               lower the priority, by a hundred if nothing
                                   is said about how much
      --kill-on-invalid-dependency=yes|no
                                   end it
  -N node                          its name
  -v, --verbose                    say more
  -l, --long                       longer lines
      --help                       show this help

Accepted, without effect here:
      --bb=spec                    burst buffer (none here)

Refused:
      --power=flags                power (no power)

Commands:
  show ENTITY                      print records

Reports:
  jobs                             print jobs

Manual page: man sim-tool"""

USAGE = """\
Usage: tool [-lv] [-o format] [--nice[=value]]
            [--kill-on-invalid-dependency=yes|no] [-N node] [--bb=spec]
            [--power=flags] [--sim-runtime=time] [--help] [--state=dir] [file]"""


def test_help_is_made_from_the_table() -> None:
    assert help_text(TOOL) == HELP


def test_usage_names_every_option() -> None:
    assert usage_text(TOOL) == USAGE


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_a_terminal(name: str, sim: Any) -> None:
    """Also, no mark-up of the library that formats it is left in the text."""
    text = sim(name, "--help")

    assert text.startswith("Usage: ")
    assert max(map(len, text.splitlines())) <= 80
    assert "\\b" not in text
    assert "\b" not in text
    assert "None" not in text


@pytest.mark.parametrize("name", [name for name in COMMANDS if isinstance(load(name), Program)])
def test_usage_fits_a_terminal(name: str, sim: Any) -> None:
    text = sim(name, "--usage")

    assert text.startswith(f"Usage: {name} ")
    assert max(map(len, text.splitlines())) <= 80


def test_summaries_of_groups_are_whole(sim: Any) -> None:
    assert "..." not in sim("constraint", "--help").partition("Commands:")[2]


def test_the_list_of_commands_has_every_one_once(sim: Any) -> None:
    text = sim("--help").partition("Slurm's commands:")[2].partition("Examples:")[0]

    assert sorted(line.split()[0] for line in text.splitlines() if line.startswith("  ") and line.strip()) == sorted(
        COMMANDS
    )


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("sbacth", "No such command 'sbacth'. Did you mean: sbatch"),
        ("sqeue", "No such command 'sqeue'. Did you mean: squeue"),
        ("xyzzy", "No such command 'xyzzy'.\n"),
    ],
)
def test_unknown_commands_are_answered_with_those_alike(word: str, text: str, sim: Any) -> None:
    answer = sim.run(word)

    assert (answer.code, answer.out) == (2, "")
    assert text in answer.err
    assert "Try 'sim --help' for help." in answer.err


def test_a_wrong_option_of_our_own_commands(sim: Any) -> None:
    answer = sim.run("advance", "--xyzzy")

    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith(
        "Usage: sim advance [OPTIONS] [DURATION]\nTry 'sim advance --help' for help.\n\nsim: error: No such option"
    )


def test_sim_alone_shows_the_help(sim: Any) -> None:
    answer = sim.run("--state", "/x")

    assert "Slurm's commands:" in answer.out + answer.err


def test_a_slurm_command_behind_a_double_dash(sim: Any) -> None:
    assert sim("--", "squeue", "-h") == ""


def test_every_keyword_of_scontrol_is_explained() -> None:
    from slimsched.cli.scontrol.dispatch import KEYWORDS
    from slimsched.cli.scontrol.keyword_help import HELP

    assert sorted(HELP) == sorted(keyword.name for keyword in KEYWORDS)


def test_a_wrong_duration_is_answered_with_right_ones(sim: Any) -> None:
    answer = sim.run("advance", "soon")

    assert (answer.code, answer.out) == (1, "")
    assert answer.err == (
        "sim: error: soon\n"
        "sim: error: ^^^^\n"
        "sim: error: Invalid time\n"
        "sim: error: write 90s, 10m, 2h or 1d, or a Slurm time: 5:30, 1-0\n"
    )


@pytest.mark.usefixtures("with_notes")
def test_a_wrong_run_time_is_answered_with_right_ones(sim: Any) -> None:
    answer = sim.run("sbatch", "--sim-runtime", "long", "--wrap", "true")

    assert (answer.code, answer.out) == (255, "")
    assert answer.err == (
        "sbatch: error: Invalid --sim-runtime specification\n"
        "sbatch: note: write seconds, a length of time (10m, 1h30m, 1-00:00:00), or -1 for no end\n"
    )
