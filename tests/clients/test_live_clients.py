"""Real programs, unmodified, on live clusters: ``python -m pytest -m clients [-k submitit]``.

Each file of ``live`` is one program. It is installed from the package index into a virtual environment of its own,
kept in the folder SLIMSCHED_CLIENTS (default: the user's cache), and run as its documentation says:

    client = "name version"
    requires = ["name==version"]     what pip installs
    init = "--partition dev"         options of ``sim init --live``, which go before those of everybody
    env = {NAME = "value"}           variables, above PATH and USER
    [documented]                     file = the words of the example that its description on the index holds
    [files]                          file = text: a program of ours, where it ships none
    [[ask]]                          a line of the shell and what is to be seen, as in ``test_clients``

A program that cannot be installed fails, unless the index cannot be reached at all.
"""

from __future__ import annotations

import os
import pwd
import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from environments import CLUSTER, installed, leave_nothing
from talk import Talk

PAGE = Path(__file__).parents[2] / "docs" / "clients.md"
LIVE = sorted((Path(__file__).parent / "live").glob("*.toml"))
SECONDS = 300  # for one line of a program
DESCRIPTION = "import importlib.metadata as m, sys; print(m.metadata(sys.argv[1]).get_payload())"


class Answer(NamedTuple):
    """What a line of the shell did."""

    code: int
    out: str
    err: str


class Shell:
    """Runs lines of a shell with a client's programs and Slurm's names on PATH."""

    def __init__(self, cwd: Path, variables: dict[str, str]) -> None:
        self.cwd, self.variables = cwd, variables

    def run(self, *words: str, stdin: str = "", env: dict[str, str] | None = None) -> Answer:
        done = subprocess.run(
            words,
            cwd=self.cwd,
            env={**self.variables, **(env or {})},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        return Answer(done.returncode, done.stdout, done.stderr)


def documented(folder: Path, package: str, words: str) -> str:
    """Return the block of code that holds ``words``, out of the installed package's own description."""
    command = [str(folder / "bin" / "python"), "-c", DESCRIPTION, package]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    blocks = [code for code in re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL) if words in code]
    assert blocks, f"no example with {words!r}"
    return str(blocks[0])


@pytest.fixture
def cluster(sim: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    """The live cluster of a client; none of its processes is left."""
    own = request.getfixturevalue("data").get("init", "").split()
    usual = [word for pair in zip(CLUSTER[2::2], CLUSTER[3::2], strict=True) if pair[0] not in own for word in pair]
    sim(*CLUSTER[:2], *usual, *own)
    yield sim
    leave_nothing(sim)


@pytest.fixture
def data(request: pytest.FixtureRequest) -> dict[str, Any]:
    return tomllib.loads(request.param.read_text(encoding="utf-8"))


@pytest.mark.clients
@pytest.mark.parametrize("data", LIVE, ids=lambda path: path.stem, indirect=True)
def test_a_client_runs_its_own_example(data: dict[str, Any], cluster: Any) -> None:
    name = data["client"].split()[0]
    folder = installed(name, data["requires"])
    shims = cluster.cwd.parent / "shims"
    cluster("shims", str(shims))
    for file, words in data.get("documented", {}).items():
        (cluster.cwd / file).write_text(documented(folder, name, words), encoding="utf-8")
    for file, text in data.get("files", {}).items():
        (cluster.cwd / file).parent.mkdir(parents=True, exist_ok=True)
        (cluster.cwd / file).write_text(text, encoding="utf-8")

    user = pwd.getpwuid(os.getuid()).pw_name
    variables = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "SLIMSCHED_STATE")}
    variables |= {"USER": user, "VIRTUAL_ENV": str(folder), "SLIMSCHED_STATE": str(cluster.state)}
    variables["PATH"] = os.pathsep.join([str(shims), str(folder / "bin"), os.environ["PATH"]])
    talk = Talk(Shell(cluster.cwd, variables | data.get("env", {})), chatty=True)
    for line in data["ask"]:
        talk.ask({**line, "run": f"sh -c {shlex.quote(line['run'])}"})


@pytest.mark.parametrize("path", LIVE, ids=lambda path: path.stem)
def test_each_live_client_is_checked_and_on_the_page(path: Path) -> None:
    data = tomllib.loads(path.read_text(encoding="utf-8"))

    assert set(data) <= {"client", "requires", "init", "env", "documented", "files", "ask"}
    assert all(set(line) & {"stdout", "find", "finds"} for line in data["ask"])
    assert f"| {data['client']} |" in PAGE.read_text(encoding="utf-8")
