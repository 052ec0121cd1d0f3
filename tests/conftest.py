"""Fixtures for everybody.

``sim`` runs one command line in this process, on a state directory of the test's own, with COLUMNS=80 and
NO_COLOR and no terminal::

    def test_hold(sim):
        sim("sbatch --hold --wrap 'sleep 60'")          # one string, split as a shell does, or several words
        assert sim("squeue", "-h", "-o", "%i %t %r") == "1 PD JobHeldUser\\n"
        answer = sim.run("sbatch", "-p", "nosuch", "--wrap", "true")
        assert (answer.code, answer.out, answer.err) == (1, "", "sbatch: error: ...\\n")

``sim(...)`` returns standard output and asserts exit code 0 and nothing on standard error; ``sim.run(...)``
returns code, out and err whatever they are. Keyword ``stdin=`` gives standard input, ``env=`` extra variables.
``sim.state`` is the state directory, ``sim.cwd`` the (empty) working directory. The default cluster is made by
the first command unless the test runs ``sim init`` itself; ``sim.init(TOML)`` writes a cluster.toml.
"""

from __future__ import annotations

import io
import os
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import settings

from slimsched.cli.main import main
from slimsched.state import setup

settings.register_profile("slimsched", derandomize=True, deadline=None)
settings.load_profile("slimsched")

REFUSE_MISSING = setup.refuse_missing
setup.refuse_missing = lambda folder: None  # the first command of a test makes its state directory


class Answer(NamedTuple):
    """What a command did: exit code, standard output, standard error."""

    code: int
    out: str
    err: str


class Sim:
    """Runs ``sim`` in this process."""

    def __init__(self, state: Path, cwd: Path, patch: pytest.MonkeyPatch) -> None:
        self.state, self.cwd, self._patch = state, cwd, patch

    def __call__(self, *words: str, stdin: str = "", env: dict[str, str] | None = None) -> str:
        answer = self.run(*words, stdin=stdin, env=env)
        assert (answer.code, answer.err) == (0, ""), answer
        return answer.out

    def run(self, *words: str, stdin: str | bytes = "", env: dict[str, str] | None = None) -> Answer:
        argv = shlex.split(words[0]) if len(words) == 1 else list(words)
        given = stdin.encode() if isinstance(stdin, str) else stdin
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        with self._patch.context() as patch:
            patch.chdir(self.cwd)
            patch.setenv("SLIMSCHED_STATE", str(self.state))
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            for key, value in (env or {}).items():
                patch.setenv(key, value)
            try:
                code = main(argv)
            except SystemExit as stop:
                code = stop.code if isinstance(stop.code, int) else 1
        return Answer(code, *(stream.buffer.getvalue().decode("utf-8", "replace") for stream in (out, err)))

    def init(self, toml: str) -> None:
        self.state.mkdir(parents=True, exist_ok=True)
        (self.state / "cluster.toml").write_text(toml, encoding="utf-8")


@pytest.fixture(autouse=True)
def silenced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out notes of our own, but for tests that ask for them (`with_notes`)."""
    monkeypatch.setenv("SLIMSCHED_NOTES", "0")


@pytest.fixture
def sim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sim:
    for key in list(os.environ):
        if key.startswith(("SLURM", "SBATCH", "SQUEUE", "SINFO", "SALLOC", "SACCT", "SRUN", "SCANCEL", "SPRIO")):
            monkeypatch.delenv(key)
    cwd, state = tmp_path / "cwd", tmp_path / "state"
    cwd.mkdir()
    for key, value in {"COLUMNS": "80", "NO_COLOR": "1", "TZ": "UTC", "SLIMSCHED_NOTES": "0"}.items():
        monkeypatch.setenv(key, value)
    return Sim(state, cwd, monkeypatch)


@pytest.fixture
def configured(sim: Sim) -> Callable[[str, Sequence[str]], Sim]:
    """A cluster from the text of a slurm.conf, and lines for ``sacctmgr``: ``configured(SLURM_CONF, ACCOUNTS)``."""

    def make(text: str, accounts: Sequence[str]) -> Sim:
        conf = sim.cwd.parent / "slurm.conf"
        conf.write_text(text, encoding="utf-8")
        assert sim.run("init", "--from", str(conf)).code == 0
        for line in accounts:
            sim.run(f"sacctmgr -i {line}")
        return sim

    return make


@pytest.fixture
def with_notes(sim: Sim, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let commands print notes of our own, which tests of Slurm's words are spared."""
    monkeypatch.setenv("SLIMSCHED_NOTES", "1")


@pytest.fixture
def missing_states_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo what these tests do to named state directories."""
    monkeypatch.setattr(setup, "refuse_missing", REFUSE_MISSING)


@pytest.fixture
def make_sim(sim: Sim, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Sim]:
    """A second, third, ... cluster inside one test: ``other = make_sim("other")``."""

    def make(name: str) -> Sim:
        (tmp_path / name / "cwd").mkdir(parents=True)
        return Sim(tmp_path / name / "state", tmp_path / name / "cwd", monkeypatch)

    return make
