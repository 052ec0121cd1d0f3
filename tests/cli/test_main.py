"""The dispatcher: lazy imports, the place of --state, errors at the boundary."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import slimsched
from slimsched.cli import main as entry
from slimsched.cli.app import Application
from slimsched.cli.program import Given, Program
from slimsched.errors import NotNow, SimError, SlurmError, StateError, SyntaxFault, UserError
from slimsched.slurm.errno import Errno
from slimsched.slurm.getopt import HONOURED, LIVE, OURS, RECORDED, REFUSED, Option

COMMAND = "import sys\nfrom slimsched.cli.start import prepare\nprepare()\nfrom slimsched.cli.main import main\n"
HEAVY = (
    *("rich", "tomllib", "dataclasses", "subprocess", "click", "importlib.metadata", "platformdirs", "tomli_w"),
    *("inspect", "platform", "typing_extensions", "textwrap", "datetime"),  # which msgspec alone would import
)


def python(code: str, state: Path) -> str:
    env = {**os.environ, "SLIMSCHED_STATE": str(state), "PYTHONPATH": str(Path(slimsched.__file__).parent.parent)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


def test_every_command_of_the_table_exists() -> None:
    for name, row in entry.COMMANDS.items():
        assert isinstance(entry.load(name), Program) == (row.kind in entry.WITHOUT_CLICK), name
        assert row.help.endswith(".")


@pytest.mark.parametrize("name", entry.COMMANDS)
def test_a_keyword_is_listed_once(name: str) -> None:
    command = entry.load(name)
    listed = command.keywords() if getattr(command, "keywords", None) else []

    assert len(listed) == len(dict(listed))


def test_help_lists_the_commands_without_importing_them(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom slimsched.cli.main import main\nmain(['--help'])\n"
        "print([m for m in sys.modules if m in ('slimsched.cli.squeue.squeue', 'slimsched.model.job', 'msgspec')])"
    )
    out = python(code, tmp_path)

    assert "\n  squeue      List jobs.\n" in out
    assert out.endswith("\n[]\n")


@pytest.mark.parametrize(
    ("argv", "spared", "most"),
    [
        (["squeue"], (*HEAVY, "slimsched.sched", "slimsched.select", "slimsched.constraints"), 61),
        (["sbatch", "--wrap", "true"], (*HEAVY, "copy", "signal", "weakref"), 144),
    ],
)
def test_frequent_commands_import_little(argv: list[str], spared: tuple[str, ...], most: int, tmp_path: Path) -> None:
    """A second command on an existing cluster: the first one makes it. ``most``: modules of our own, no more."""
    run = f"{COMMAND}assert main({argv!r}) == 0\n"
    (tmp_path / "state").mkdir()
    python(run, tmp_path / "state")
    count = "sum(m.partition('.')[0] == 'slimsched' for m in sys.modules)"
    out = python(run + f"print([m for m in {spared!r} if m in sys.modules], {count} <= {most})", tmp_path / "state")

    assert out.splitlines()[-1] == "[] True"


@pytest.mark.parametrize("argv", [["squeue"], ["sbatch", "--wrap", "true"], ["sbatch", "--wrap", "sleep 600"]])
def test_frequent_commands_compile_no_text(argv: list[str], tmp_path: Path) -> None:
    """The first text that is compiled, such as a field's type, takes as long as a third of the interpreter's start.

    A second command on an existing cluster, as above.
    """
    run = f"""
{COMMAND}
compiled = []
def hear(event, args):
    if event == "compile" and args[1] == "<string>":
        compiled.append(args[0])
sys.addaudithook(hear)
assert main({argv!r}) == 0
print([text for text in compiled if not text.startswith(b"lambda _cls")])  # the standard library's own, by eval
"""
    (tmp_path / "state").mkdir()
    python(run, tmp_path / "state")

    assert python(run, tmp_path / "state").splitlines()[-1] == "[]"


@pytest.mark.parametrize("words", [["--state", "{}", "squeue"], ["--state={}", "squeue"]])
def test_state_ahead_of_a_command(words: list[str], sim: Any, tmp_path: Path) -> None:
    other = tmp_path / "other"
    sim(*[word.format(other) for word in words], "-h")

    assert other.is_dir()
    assert not sim.state.exists()


def test_state_behind_a_command_that_has_no_such_option(sim: Any, tmp_path: Path) -> None:
    other = tmp_path / "other"
    assert sim("sbatch", "--state", str(other), "--wrap", "true") == "Submitted batch job 1\n"

    assert not sim.state.exists()


def test_state_behind_squeue_is_its_own_option(sim: Any) -> None:
    sim("sbatch", "--hold", "--wrap", "true")

    assert sim("squeue", "-h", "-o", "%i", "--state=PD") == "1\n"
    assert sim("squeue", "-h", "-o", "%i", "--state=R") == ""


def test_unknown_command(sim: Any) -> None:
    answer = sim.run("nosuch")

    assert (answer.code, answer.out) == (2, "")
    assert "No such command 'nosuch'" in answer.err


@pytest.mark.parametrize("word", ["-V", "--version"])
def test_version(word: str, sim: Any) -> None:
    assert sim(word) == f"slimsched {slimsched.__version__} (Slurm {slimsched.SLURM_VERSION})\n"


def test_windows_gets_a_clear_message(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "platform", "win32")

    assert entry.main(["squeue"]) == 1
    assert "WSL" in capsys.readouterr().err


# the boundary


def report(error: SimError, capsys: pytest.CaptureFixture[str], refusal: str = "") -> tuple[int, str, str]:
    app = Application(command="tool")
    app.refusal = refusal

    def fail() -> int:
        raise error

    code = app.guard(fail)
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (UserError("a\nb"), 1, "tool: error: a\ntool: error: b\n"),
        (UserError("a", level="fatal"), 1, "tool: fatal: a\n"),
        (UserError("a", level="bare", exit_code=255), 255, "tool: a\n"),
        (UserError("a\nb", level="plain"), 1, "a\nb\n"),
        (UserError("a", notes=("n",), preface="p"), 1, "p\ntool: error: a\ntool: note: n\n"),
        (
            SlurmError(Errno.INVALID_JOB_ID, detail="why", notes=("n",)),
            1,
            "tool: error: why\ntool: error: Refused: Invalid job id specified\ntool: note: n\n",
        ),
        (StateError("/x/y", "is broken", "mend it"), 2, "tool: error: /x/y: is broken\ntool: note: mend it\n"),
        (SyntaxFault("bad", "a==1", (1, 3)), 1, "tool: error: a==1\ntool: error:  ^^\ntool: error: bad\n"),
        (NotNow("Resources"), 1, "tool: error: Resources\n"),
    ],
)
def test_errors_become_text(
    with_notes: None, error: SimError, code: int, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report(error, capsys, "Refused: ") == (code, "", text)


def test_an_answer_may_go_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(UserError("none", level="plain", stdout=True), capsys) == (1, "none\n", "")


def test_interrupt_is_130() -> None:
    def interrupted() -> int:
        raise KeyboardInterrupt

    assert Application().guard(interrupted) == 130


def test_closed_pipe_is_quiet(tmp_path: Path) -> None:
    code = "import sys\nfrom slimsched.cli.main import main\nsys.exit(main(['sbatch', '--help']))"
    env = {**os.environ, "SLIMSCHED_STATE": str(tmp_path), "PYTHONPATH": str(Path(slimsched.__file__).parent.parent)}
    read_end, write_end = os.pipe()
    os.close(read_end)
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=write_end, stderr=subprocess.PIPE, env=env, check=False, timeout=60
    )
    os.close(write_end)

    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_full_disk_under_standard_output(tmp_path: Path) -> None:
    code = "import sys\nfrom slimsched.cli.main import main\nsys.argv = ['sim', 'sbatch', '--help']\nmain()"
    env = {**os.environ, "SLIMSCHED_STATE": str(tmp_path), "PYTHONPATH": str(Path(slimsched.__file__).parent.parent)}
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", code], stdout=full, stderr=subprocess.PIPE, env=env, check=False, timeout=60
        )

    assert (done.returncode, done.stderr) == (1, b"sbatch: error: standard output: No space left on device\n")


@pytest.mark.parametrize(("closed", "code"), [("<&-", 1), (">&-", 0), ("2>&-", 0)])
def test_closed_streams(closed: str, code: int, tmp_path: Path) -> None:
    argv = {1: "sbatch", 0: "sbatch --wrap true"}[code]
    run = f"exec {shlex.quote(sys.executable)} -m slimsched.cli.main {argv} {closed}"
    env = {**os.environ, "SLIMSCHED_STATE": str(tmp_path), "PYTHONPATH": str(Path(slimsched.__file__).parent.parent)}
    done = subprocess.run(["sh", "-c", run], env=env, capture_output=True, text=True, check=False, timeout=60)

    assert (done.returncode, "Traceback" in done.stderr) == (code, False)


def test_control_characters_do_not_reach_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdout", Terminal())
    Application().out("a\x1b[31mb\u202e\té\n")

    assert sys.stdout.getvalue() == "a\\x1b[31mb\\u202e\té\n\n"  # type: ignore[attr-defined]


# the base of Slurm's commands


OPTIONS = (
    Option("fields", "o", "format", "fields to print"),
    Option("nice", "", "[value]", "lower the priority"),
    Option("bb", "", "spec", "burst buffer", RECORDED, "none here"),
    Option("power", "", "flags", "power", REFUSED, "no power"),
    Option("sim-runtime", "", "time", "how long it runs", OURS),
    Option("verbose", "v"),
    Option("help"),
    Option("usage"),
    Option("version", "V"),
)


def tool(seen: list[tuple[Given, list[str]]]) -> Program:
    return Program(
        "tool", OPTIONS, lambda _app, given, args: seen.append((given, args)), summary="Do it", arguments="[file]"
    )


def test_options_reach_the_function() -> None:
    seen: list[tuple[Given, list[str]]] = []
    app = Application()

    assert tool(seen).main(app, ["-vv", "-o", "x", "--fields=y", "--nice", "--state", "/s", "f"]) == 0
    given, args = seen[0]
    assert (given.count("verbose"), given.all("fields"), given.last("fields")) == (2, ["x", "y"], "y")
    assert (given.has("nice"), given.last("nice", "100"), given.has("bb")) == (True, "100", False)
    assert (args, app.state) == (["f"], "/s")
    assert given.line == "tool -vv -o x --fields=y --nice --state /s f"


def test_refused_option_says_why() -> None:
    with pytest.raises(UserError, match="--power is not supported: no power"):
        tool([]).main(Application(), ["--power=x"])


def test_statuses_have_notes() -> None:
    for name in entry.COMMANDS:
        command = entry.load(name)
        for option in getattr(command, "options", ()):
            assert option.status in (HONOURED, LIVE, RECORDED, REFUSED, OURS)
            assert option.note or option.status in (HONOURED, LIVE, OURS), f"{name} --{option.long}"
            assert option.help or option.name != option.long, f"{name} --{option.long}"


@pytest.mark.parametrize("module", ["slimsched.cli.main", "slimsched.cli.app", "slimsched.cli.squeue.squeue"])
def test_control_c_while_modules_are_imported(module: str, tmp_path: Path) -> None:
    code = f"""
import sys
class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
sys.argv = ["sim", "squeue"]
from slimsched.cli.start import main
sys.exit(main())
"""
    state = {**os.environ, "SLIMSCHED_STATE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=state, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_the_script_begins_where_nothing_is_imported() -> None:
    from slimsched.cli import start

    names = [name for name in vars(start) if not name.startswith(("__", "@"))]  # "@": what pytest adds to a module

    assert names == ["prepare", "main"]
