"""What ``sim doctor`` finds outside of the state's files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from slimsched.executor.local import files
from slimsched.select import registry

CONF = "ClusterName=c\nNodeName=n1\nPartitionName=p Nodes=n1\n"


def found(sim: Any, **env: str) -> tuple[int, list[str]]:
    """Return the exit code of ``sim doctor`` and its lines about other things than files."""
    answer = sim.run("doctor", env={"PATH": "", **env})
    assert answer.err == ""
    return answer.code, [line for line in answer.out.splitlines() if not line.startswith("ok        " + str(sim.state))]


def test_nothing_is_said_of_a_sound_cluster(sim: Any) -> None:
    sim("init")
    assert found(sim) == (0, [])


def edit(sim: Any, old: str, new: str) -> Path:
    path: Path = sim.state / "cluster.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    return path


def test_a_fault_is_told_once(sim: Any) -> None:
    sim("init")
    path = edit(sim, 'executor = "simulated"', 'executor = "local"')

    said = [line for line in sim.run("doctor").out.splitlines() if line.startswith("damaged")]
    assert said == [f"damaged   {path}: executor: jobs that really run need the system's clock, not a virtual one"]


def test_settings_that_name_what_is_not_there(sim: Any) -> None:
    sim("init --set SchedulerParameters=bf_windw=5 --force")
    path = edit(sim, "select/cons_tres", "select/mine")
    assert found(sim) == (
        2,
        [
            f"damaged   {path}: SelectType: Couldn't find the specified plugin name for select/mine (the built-in ones "
            f"are {', '.join(sorted(registry.BUILT_IN))})",
            "          install the plugin, or name another one under [slurm]",
            f"note      {path}: SchedulerParameters: 'bf_windw' is not a known parameter and is ignored; did you mean "
            "bf_window?",
        ],
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (CONF, []),
        (CONF + "# a remark\n", []),
        (CONF + "NodeName=n2\n", ["has changed since it was read; scontrol reconfigure reads it again"]),
        (
            CONF + "Foo=1\n",
            ["has changed, and cannot be read: {0}:4: Parsing error at unrecognized key: Foo; the old one"],
        ),
        (None, ["has gone; the cluster was read from it, and stays as it is"]),
    ],
)
def test_the_file_that_it_was_read_from(sim: Any, tmp_path: Path, text: str | None, said: list[str]) -> None:
    path = tmp_path / "slurm.conf"
    path.write_text(CONF)
    sim("init", "--from", str(path))
    if text is None:
        path.unlink()
    else:
        path.write_text(text)
    code, lines = found(sim)
    assert code == 0
    assert len(lines) == len(said)
    assert all(
        line.startswith(f"note      {path}: {each.format(path)}") for line, each in zip(lines, said, strict=True)
    )


def test_a_clock_that_was_put_back(sim: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sim("init --clock wall --timezone UTC")
    with monkeypatch.context() as patch:
        patch.setattr("time.time", lambda: 1_900_000_000.0)
        sim("sbatch --hold --wrap x")
    with monkeypatch.context() as patch:
        patch.setattr("time.time", lambda: 1_899_999_000.0)
        code, lines = found(sim)
    assert code == 0
    assert lines == [
        f"note      {sim.state}: the last command came at 2030-03-17T17:46:40, and the system's clock is 16:40 behind: "
        "time stands still here until it has caught up"
    ]


def test_runs_whose_supervisor_has_died_or_never_began(sim: Any) -> None:
    sim("init --live")
    for name, file in (("7.0", "started"), ("8.0", "spec.json"), ("9.0", "end.json")):
        folder = sim.state / "data-1" / "runs" / name
        folder.mkdir(parents=True)
        (folder / "lock").touch()
        files.write(str(folder), file, {"pid": 4711}, durable=False)
    code, lines = found(sim)
    assert code == 0
    assert sorted(line.partition("runs/")[2] for line in lines) == [
        "7.0: job 7: its supervisor (process 4711) has died; the next command notes that as NODE_FAIL",
        "8.0: job 8: its supervisor has not begun; the next command starts it",
    ]


def test_names_on_path(sim: Any, tmp_path: Path) -> None:
    place = sim.cwd / "bin"
    sim("init")
    sim("shims", "bin")
    program = (place / "sbatch").read_text().split("exec ")[1].split()[0]
    to_us = f"ok        {place}: Slurm's names on PATH lead to this cluster, by {program}"
    assert found(sim, PATH=str(place)) == (0, [to_us])

    real = tmp_path / "real"
    real.mkdir()
    (real / "sacct").write_text("#!/bin/sh\n")
    (real / "sacct").chmod(0o755)
    both = f"{real}{os.pathsep}{place}"
    other = f"note      {real}/sacct: is not made by sim shims; programs that call sacct reach another Slurm"
    assert found(sim, PATH=both) == (0, [other, to_us])
    assert found(sim, PATH=str(real)) == (0, [])

    sim("--state", str(tmp_path / "b"), "init")
    sim("--state", str(tmp_path / "b"), "shims", "bin")
    answer = sim.run("--state", str(sim.state), "doctor", env={"PATH": str(place), "SLIMSCHED_STATE": ""})
    assert answer.out.endswith(f"note      {place}: its commands use the cluster in {tmp_path / 'b'}\n")

    for name in ("sbatch", "squeue", "sacct", "scancel", "scontrol"):
        (place / name).write_text((place / name).read_text().replace(program, "/gone/sim"))
    assert found(sim, PATH=str(place)) == (
        2,
        [f"damaged   {place}: its commands call /gone/sim, which is not there", f"          run: sim shims {place}"],
    )
