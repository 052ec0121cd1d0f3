"""``man/``: a page for every command, with its sections, the options of the code, and examples that run."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from examples_in_text import Example, examples, run

from slimsched.cli.program import Program
from slimsched.cli.subcommands import COMMANDS, load

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "docs"))

import generate_man  # noqa: E402

NAMES = ("", *COMMANDS)
SECTIONS = (
    *("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "ENVIRONMENT", "EXIT STATUS", "EXAMPLES"),
    "SEE ALSO",
)


def text(name: str) -> str:
    return generate_man.page(name).read_text(encoding="utf-8")


def section(name: str, title: str) -> str:
    return text(name).partition(f".Sh {title}\n")[2].partition("\n.Sh ")[0]


@pytest.mark.parametrize("name", NAMES)
def test_the_lists_are_up_to_date(name: str) -> None:
    """``python docs/generate_man.py`` brings them up to date."""
    assert text(name) == generate_man.made(name)


def test_there_is_no_page_without_a_command() -> None:
    assert sorted(path.name for path in (ROOT / "man").iterdir()) == sorted(
        generate_man.page(name).name for name in NAMES
    )


@pytest.mark.parametrize("name", NAMES)
def test_sections(name: str) -> None:
    found = re.findall(r"^\.Sh (.+)$", text(name), re.MULTILINE)

    assert [title for title in found if title in SECTIONS] == list(SECTIONS)
    assert all(section(name, title).strip() for title in SECTIONS)


@pytest.mark.parametrize("name", COMMANDS)
def test_options_both_ways(name: str) -> None:
    """Read from the page itself, so that a fault in the generator shows, too."""
    listed = {
        flag.replace("\\-", "-")
        for line in section(name, "OPTIONS").splitlines()
        if line.startswith(".It Fl ")
        for flag in re.findall(r"Fl (\S+)", line)
    }

    assert listed == flags(load(name))


def flags(command: Any) -> set[str]:
    """Return the options of a command, and of those within it, less one dash."""
    if isinstance(command, Program):
        return {f"-{each.long}" if each.long else each.short for each in command.options} | {
            each.short for each in command.options if each.short
        }
    inner = [flags(sub) for sub in getattr(command, "commands", {}).values()]
    own = {name[1:] for param in command.params for name in param.opts if name.startswith("-")}
    return own.union({"-help", "h", "-state"}, *inner)


@pytest.mark.parametrize("name", NAMES)
def test_pages_refer_to_pages_that_exist(name: str) -> None:
    for other in re.findall(r"^\.Xr (sim\S*) 1", text(name), re.MULTILINE):
        assert (ROOT / "man" / f"{other}.1").exists(), other


def test_the_page_of_sim_lists_every_command() -> None:
    assert set(re.findall(r"^\.It Xr sim-(\S+) 1", text(""), re.MULTILINE)) == set(COMMANDS)


@pytest.mark.skipif(shutil.which("mandoc") is None, reason="no mandoc")
def test_mandoc_finds_nothing_wrong() -> None:
    pages = [str(generate_man.page(name)) for name in NAMES]
    done = subprocess.run(
        ["mandoc", "-Tlint", "-Wwarning", *pages], capture_output=True, text=True, check=False, timeout=60
    )

    assert done.stdout.splitlines() == []


# the examples


def shown(name: str) -> list[Example]:
    """Return the commands of a page with what stands below them."""
    blocks = re.findall(r"^\.Bd -literal -offset indent\n(.*?)^\.Ed$", section(name, "EXAMPLES"), re.M | re.S)
    lines = [line.removeprefix("\\&").replace("\\e", "\\") for block in blocks for line in block.splitlines()]
    return examples(lines)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "completion"])
def test_examples_run(name: str, sim: Any, capfd: pytest.CaptureFixture[str]) -> None:
    assert shown(name)
    run(shown(name), sim, capfd)
