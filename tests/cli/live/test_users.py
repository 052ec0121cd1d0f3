"""Whose job it is: root runs jobs as their users, everybody else only his own; nobody reads those of others."""

from __future__ import annotations

import grp
import json
import os
import pwd
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from slimsched.executor.local import executor

ROOT = os.geteuid() == 0
NOBODY = pwd.getpwnam("nobody")


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder in which everybody may write."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o777)
        yield Path(name)


@pytest.mark.skipif(not ROOT, reason="needs root")
@pytest.mark.parametrize("export", ["ALL", "NONE", "B=2"])
def test_root_runs_a_job_as_its_user(live: Any, place: Path, export: str) -> None:
    script = (
        "id -u; id -g; id -G; echo $HOME $USER $B; pwd; cat $0 > copy; touch ${0%/*}/more 2> /dev/null || echo mine"
    )
    words = (
        "--uid",
        "nobody",
        "--gid",
        str(NOBODY.pw_gid),
        "-D",
        str(place),
        "-o",
        f"{place}/a/out",
        f"--export={export}",
    )
    live("sbatch", *words, "--wrap", script)
    live.run("wait", "1")

    uid, gid, groups, names, folder, last = (place / "a/out").read_text().splitlines()
    assert (int(uid), int(gid)) == (NOBODY.pw_uid, NOBODY.pw_gid)
    assert set(map(int, groups.split())) <= set(os.getgrouplist("nobody", NOBODY.pw_gid))
    assert names == f"{NOBODY.pw_dir} nobody{' 2' * (export == 'B=2')}"
    assert (folder, last) == (str(place), "mine")
    assert {(place / name).stat().st_uid for name in ("a", "a/out", "copy")} == {NOBODY.pw_uid}


def test_the_folder_of_a_script_goes_with_its_run_and_no_other_folder(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    for number, folder in enumerate((executor._open_folder(), str(tmp_path / "kept"))):
        run = tmp_path / f"{number}.0"
        run.mkdir()
        (run / "spec.json").write_text(json.dumps({"script": f"{folder}/slurm_script"}))
        executor._remove(str(run))
        assert not run.exists()
        assert os.path.exists(folder) == (folder == str(tmp_path / "kept"))


@pytest.mark.skipif(not ROOT, reason="needs root")
def test_output_goes_where_the_user_may_write(live: Any, place: Path) -> None:
    os.chmod(place, 0o755)
    live("sbatch", "--uid", "nobody", "-D", str(place), "--wrap", "true")
    live.run("wait", "1")
    assert live("sacct -X -n -P -o State,ExitCode") == "FAILED|0:53\n"
    assert list(place.iterdir()) == []


@pytest.mark.skipif(not ROOT, reason="needs root")
def test_a_login_is_that_of_the_user(place: Path) -> None:
    """The files that a login reads run with the user's rights, never with ours."""
    from slimsched.executor.local import child
    from slimsched.executor.local.login import login_environment

    (place / ".profile").write_text("export WHO=$(id -u)\n")
    account = {"HOME": str(place), "USER": "nobody", "SHELL": "/bin/sh"}
    spec = {"uid": NOBODY.pw_uid, "gid": NOBODY.pw_gid, "user": "nobody"}
    assert login_environment(account, lambda: child.drop(spec))["WHO"] == str(NOBODY.pw_uid)


def test_nobody_else_reads_scripts_and_environments(live: Any) -> None:
    os.mkfifo(live.cwd / "on")
    live("sbatch", "--wrap", "echo up > told; read x < on")
    assert (live.cwd / "told").read_text() == "up\n"
    for folder, _, names in os.walk(live.state / "data-1"):
        modes = [os.lstat(os.path.join(folder, name)).st_mode for name in (".", *names)]
        assert not any(stat.S_IMODE(mode) & 0o077 for mode in modes), folder
    (live.cwd / "on").write_text("\n")
    live.run("wait", "1")


@pytest.mark.skipif(not ROOT, reason="needs root")
def test_the_job_of_another_user_sees_nothing_of_the_state(live: Any, place: Path) -> None:
    live("sbatch", "-J", "secret", "--wrap", "sleep 0")
    state = Path(live.state)
    for folder in state.parents[: len(state.parts) - len(Path(tempfile.gettempdir()).parts) - 1]:
        folder.chmod(0o755)  # the state guards itself
    script = f"cd {state} || ls {state} || cat {state}/*/*; echo mine >> {state}/cluster.toml; squeue; echo end"
    live("sbatch", "--uid", "nobody", "-D", str(place), "-o", f"{place}/out", "--wrap", script)
    live.run("wait", "1", "2")

    seen = (place / "out").read_text()
    assert seen.endswith("end\n")
    assert "Permission denied" in seen
    assert "secret" not in seen
    assert "mine" not in (state / "cluster.toml").read_text()


@pytest.mark.parametrize(("link", "words"), [("data-1/runs", ""), ("waiting", "-W")])
def test_folders_of_the_state_are_no_links(live: Any, place: Path, link: str, words: str) -> None:
    os.symlink(place, live.state / link)
    answer = live.run("sbatch", *words.split(), "--wrap", "true")
    assert answer.code == 2
    assert f"{live.state}/{link}" in answer.err
    assert list(place.iterdir()) == []


@pytest.mark.skipif(not ROOT, reason="needs root")
def test_root_runs_a_job_in_another_group(live: Any, place: Path) -> None:
    group = grp.getgrgid(os.getgid() + 1)
    live("sbatch", "--gid", group.gr_name, "-o", f"{place}/out", "--wrap", "id -u; id -g")
    live.run("wait", "1")

    assert (place / "out").read_text() == f"{os.getuid()}\n{group.gr_gid}\n"
    assert (place / "out").stat().st_gid == group.gr_gid
    assert live("squeue -h -t all -o %g") == f"{group.gr_name}\n"


@pytest.mark.parametrize(("flags", "kept"), [("job_comment,job_env", True), ("job_script", False)])
def test_the_environment_that_accounting_keeps(live: Any, flags: str, kept: bool) -> None:
    """Recorded: scenario step_accounting."""
    live("init", "--force", "--live", "--nodes", "n1", "--set", f"AccountingStoreFlags={flags}")
    live("sbatch", "-n1", "--export=MINE", "-o", "/dev/null", "--wrap", "true", env={"MINE": "x y"})
    live.run("wait", "1")

    title, rule, *lines = live("sacct", "-j", "1", "--env-vars").splitlines()
    assert (title, rule) == ("Environment used for 1 (must be batch to display)", "-" * 80)
    if not kept:
        assert lines == ["NONE", ""]
        return
    assert {"MINE=x y", "SLURM_NTASKS=1", "SLURM_PRIO_PROCESS=0", "HYDRA_BOOTSTRAP=slurm"} <= set(lines)
    assert any(line.startswith("SLURM_RLIMIT_NOFILE=") for line in lines)
    assert not any(line.startswith("PATH=") for line in lines)


def test_the_variables_of_launchers_and_of_a_login(live: Any) -> None:
    """Recorded: scenario env_export_user."""
    srun, count = f"{sys.executable} -m slimsched srun -n1", "/usr/bin/env | grep -c ^HYDRA"
    script = f"echo $SLURM_GET_USER_ENV; {srun} {count}; {srun} --export=NONE {count}"
    live("sbatch", "--get-user-env", "-o", "out", "--wrap", script)
    live.run("wait", "1")

    assert (live.cwd / "out").read_text() == "1\n2\n0\n"
