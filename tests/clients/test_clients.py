"""Programs that call Slurm by name: their command lines, and whether they could read the answers.

Each file of ``data`` is one program: what it runs, in its order, and how it reads what is printed, its own patterns
spelled as it spells them. The programs themselves are not needed; ``docs/clients.md`` says how they were tried.

    client = "name version"
    [files]                 written into the working directory first
    [[ask]]
    after = "10m"           let so much time pass first
    run = "squeue -j {id}"  words as a shell has them; {id} and the like were found before, {user} {uid} {cwd} are known
    stdin, env, code        what goes in; the exit code, 0 if it is not given
    stdout, stderr          all that is printed; nothing on standard error if it is not given
    find                    a pattern to be found in standard output; its named groups are kept
    finds                   patterns to be found, all of them
    lacks                   texts that must not be there
    rows                    the lines, from line ``skip``, each split at the pattern ``split`` (else white space)
    json                    [path, value]: what stands at a path of keys and places
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from talk import CHECKS, Talk

DATA = sorted((Path(__file__).parent / "data").glob("*.toml"))
PAGE = Path(__file__).parents[2] / "docs" / "clients.md"
CLUSTER = "init --nodes n[1-4] --cpus 8 --memory 32G --partition short --partition long --gres gpu:2"


@pytest.mark.parametrize("path", DATA, ids=lambda path: path.stem)
def test_what_a_client_asks_is_answered_as_it_reads(sim: Any, path: Path) -> None:
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    sim(CLUSTER)
    for name, text in data.get("files", {}).items():
        (sim.cwd / name).write_text(text, encoding="utf-8")
    talk = Talk(sim)

    for line in data["ask"]:
        talk.ask(line)


@pytest.mark.parametrize("path", DATA, ids=lambda path: path.stem)
def test_each_answer_is_checked(path: Path) -> None:
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    known = {"after", "run", "stdin", "env", "code", "stderr", "skip", "split"} | CHECKS

    assert set(data) <= {"client", "files", "ask"}
    assert not [line for line in data["ask"] if not CHECKS & set(line) or set(line) - known]


def test_the_page_lists_these_clients() -> None:
    page = PAGE.read_text(encoding="utf-8")
    clients = [tomllib.loads(path.read_text(encoding="utf-8"))["client"] for path in DATA]

    assert not [client for client in clients if f"| {client} |" not in page]
    assert len(set(clients)) == len(clients) > 30
