"""sbatch from the command line to the job: scripts, directives, what is printed, what waits."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded import recorded

from slimsched.cli.submit import script
from slimsched.errors import UserError


def show(sim: Any, job_id: int, field: str) -> str:
    return sim("squeue", "-h", "-t", "all", "-j", str(job_id), "-o", field).rstrip("\n")


@pytest.mark.parametrize("record", recorded("sbatch_scripts.jsonl"))
def test_recorded_scripts(record: dict[str, Any], sim: Any) -> None:
    for name, text in record["files"].items():
        (sim.cwd / name).write_bytes(text.encode())
    if record["args"][:1] == ["s1.sh"] and not record["files"]:
        (sim.cwd / "s1.sh").write_text("#!/bin/sh\n")
    answer = sim.run("sbatch", *record["args"], stdin=record["stdin"])

    assert (answer.code, answer.err) == (record["rc"], record["err"])


SCRIPT = """#!/bin/bash
#SBATCH --job-name=scripted
#SBATCH -n 2  --time=10 # two of them
#SBATCH --comment="two words" -N1
##SBATCH --nosuch
 #SBATCH --nosuch

echo hello
#SBATCH --partition=nosuch
sleep 60
"""


def test_script_file(sim: Any) -> None:
    (sim.cwd / "job.sh").write_text(SCRIPT)

    assert sim("sbatch", "job.sh", "one", "two") == "Submitted batch job 1\n"
    assert show(sim, 1, "%j %C %l %t") == "scripted 2 10:00 R"
    assert show(sim, 1, "%o").startswith(f"{sim.cwd}/job.sh")


def test_script_on_standard_input(sim: Any) -> None:
    assert sim("sbatch", "-J", "mine", stdin=SCRIPT) == "Submitted batch job 1\n"
    assert show(sim, 1, "%j %C %o") == "mine 2 (null)"


def test_names_when_none_is_given(sim: Any) -> None:
    (sim.cwd / "job.sh").write_text("#!/bin/sh\n")
    sim("sbatch", "job.sh")
    sim("sbatch", stdin="#!/bin/sh\n")
    sim("sbatch", "--wrap", "true")

    assert [show(sim, n, "%j") for n in (1, 2, 3)] == ["job.sh", "sbatch", "wrap"]


def test_script_from_path(sim: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tool").write_text("#!/bin/sh\n")
    monkeypatch.setenv("PATH", str(tmp_path))

    assert sim("sbatch", "tool") == "Submitted batch job 1\n"
    assert show(sim, 1, "%o") == f"{tmp_path}/tool"


def test_precedence(sim: Any) -> None:
    text = "#!/bin/sh\n#SBATCH -J script --comment script -t 3 -p nosuch --mem 20\n"
    env = {"SBATCH_JOB_NAME": "variable", "SBATCH_TIMELIMIT": "7", "SBATCH_PARTITION": "debug"}
    sim("sbatch", "--comment", "line", "-t", "9", stdin=text, env=env)

    assert show(sim, 1, "%j %k %l %P %m") == "variable line 9:00 debug 20M"


def test_what_is_printed(sim: Any) -> None:
    assert sim("sbatch", "--parsable", "--wrap", "true") == "1\n"
    assert sim("sbatch", "--parsable", "-M", "cluster", "--wrap", "true") == "2;cluster\n"
    assert sim("sbatch", "-M", "all", "--wrap", "true") == "Submitted batch job 3 on cluster cluster\n"
    assert sim("sbatch", "-Q", "--parsable", "--wrap", "true") == ""
    assert sim("sbatch", "--version") == "slurm 26.11.0-0rc1\n"


def test_verbose(sim: Any) -> None:
    answer = sim.run("sbatch", "-v", "--wrap", "true")

    assert answer.out == "Submitted batch job 1\n"
    assert answer.err == (
        "sbatch: defined options\n"
        "sbatch: -------------------- --------------------\n"
        "sbatch: verbose             : 1\n"
        "sbatch: wrap                : true\n"
        "sbatch: -------------------- --------------------\n"
        "sbatch: end of defined options\n"
    )


def test_unknown_cluster(sim: Any) -> None:
    answer = sim.run("sbatch", "-M", "nosuch", "--wrap", "true")

    assert (answer.code, answer.out) == (1, "")
    assert answer.err == (
        "sbatch: error: 'nosuch' can't be reached now, or it is an invalid entry for --cluster.  "
        "Use 'sacctmgr list clusters' to see available clusters.\n"
    )


@pytest.mark.parametrize(
    ("argv", "warning"),
    [
        (["-N", "2", "-n", "1"], "sbatch: warning: can't run 1 processes on 2 nodes, setting nnodes to 1\n"),
        (["-S", "1"], "sbatch: error: Ignoring -S since it's not allowed by configuration"),
        (["--thread-spec=1"], "sbatch: error: Ignoring --thread-spec since it's not allowed by configuration"),
    ],
)
def test_warnings(argv: list[str], warning: str, sim: Any) -> None:
    answer = sim.run("sbatch", *argv, "--wrap", "true")

    assert (answer.code, answer.out) == (0, "Submitted batch job 1\n")
    assert answer.err.startswith(warning)


def test_refused_submission(sim: Any) -> None:
    assert sim.run("sbatch", "-p", "nosuch", "--wrap", "true") == (
        1,
        "",
        "sbatch: error: invalid partition specified: nosuch\n"
        "sbatch: error: Batch job submission failed: Invalid partition name specified\n",
    )


@pytest.mark.usefixtures("with_notes")
def test_refused_constraint_uses_up_an_id_and_shows_the_fault(sim: Any) -> None:
    answer = sim.run("sbatch", "--extra", "a==1", "--wrap", "true")
    lines = answer.err.splitlines()

    assert lines[0] == "sbatch: error: Batch job submission failed: Invalid extra constraints specification"
    assert lines[1:3] == ["sbatch: note: a==1", "sbatch: note:  ^^"]
    assert sim("sbatch", "--wrap", "true") == "Submitted batch job 2\n"


def test_unknown_gres_is_refused_before_an_id_is_taken(sim: Any) -> None:
    answer = sim.run("sbatch", "--gres", "nosuch:1", "--wrap", "true")

    assert (answer.code, answer.err) == (1, "sbatch: error: Invalid generic resource (gres) specification\n")
    assert sim("sbatch", "--wrap", "true") == "Submitted batch job 1\n"


def test_test_only_uses_up_an_id(sim: Any) -> None:
    answer = sim.run("sbatch", "--test-only", "--wrap", "true")

    assert (answer.code, answer.out) == (0, "")
    assert answer.err == (
        "sbatch: Job 1 to start at 2026-01-01T00:00:00 a using 1 processors on nodes node01 in partition debug\n"
    )
    assert sim("sbatch", "--wrap", "true") == "Submitted batch job 2\n"


def test_test_only_refused(sim: Any) -> None:
    answer = sim.run("sbatch", "--test-only", "--extra", "a==1", "--wrap", "true")

    assert (answer.code, answer.out) == (1, "")
    assert answer.err.splitlines()[0] == "allocation failure: Invalid extra constraints specification"
    assert sim("sbatch", "--wrap", "true") == "Submitted batch job 2\n"


def test_wait_returns_the_exit_code_when_the_job_has_ended(sim: Any) -> None:
    assert sim.run("sbatch", "-W", "--wrap", "sleep 90; exit 3") == (3, "Submitted batch job 1\n", "")
    assert show(sim, 1, "%t %M") == "F 1:30"
    assert sim.run("sbatch", "-W", "--array=1-3", "--wrap", "sleep 5").code == 0


def test_wait_for_a_job_that_never_starts(sim: Any) -> None:
    answer = sim.run("sbatch", "--wait", "--hold", "--wrap", "true")

    assert (answer.code, answer.out) == (1, "Submitted batch job 1\n")
    assert answer.err == (
        "sbatch: error: job 1 will not end: it is pending (JobHeldUser), and no event is left that could start it\n"
    )


def test_other_users(sim: Any) -> None:
    sim("sbatch", "--uid", "somebody", "--wrap", "sleep 60")

    assert show(sim, 1, "%u") == "somebody"


def test_bytes_that_are_no_text(sim: Any) -> None:
    script = b"#!/bin/sh\n#SBATCH -J a\xff\necho \xff\xfe\n"

    assert sim("sbatch", "--comment", os.fsdecode(b"b\xfe"), stdin=script) == "Submitted batch job 1\n"
    assert show(sim, 1, "%j %k") == "a\ufffd b\ufffd"


# directives


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("#SBATCH -n 2", ["-n", "2"]),
        ('#SBATCH -J "a b"c', ["-J", "a bc"]),
        ("#SBATCH -J 'a \"b\"'", ["-J", 'a "b"']),
        ("#SBATCH -J a\\ b", ["-J", "a b"]),
        ('#SBATCH --comment=""', ["--comment="]),
        ('#SBATCH -J "" -n 2', ["-J"]),  # an empty word ends the line
        ('#SBATCH -J ""x', ["-J", "x"]),
        ("#SBATCH -J x # rest", ["-J", "x"]),
        ("#SBATCH -J x#rest", ["-J", "x"]),
        ("#SBATCH -J '#1'", ["-J", "#1"]),
        ("#SBATCH", []),
        ("# SBATCH -n 2", []),
        ("\t#SBATCH -n 2", []),
    ],
)
def test_words_of_a_directive(line: str, words: list[str]) -> None:
    assert script.directives(f"#!/bin/sh\n{line}\n", "x") == words


def test_directives_end_at_the_first_command() -> None:
    assert script.directives("#!/bin/sh\n\n# c\n#SBATCH -a\ntrue\n#SBATCH -b\n", "x") == ["-a"]


@pytest.mark.parametrize("line", ["-v", "-Q", "--wrap=true", "-h", "--help", "--usage", "-V", "--version"])
def test_options_that_a_script_cannot_set(line: str, sim: Any) -> None:
    (sim.cwd / "job.sh").write_text(f"#!/bin/sh\n#SBATCH {line}\n#SBATCH -J after\n")

    assert sim.run("sbatch", "job.sh") == (0, "Submitted batch job 1\n", "")
    assert sim("squeue", "-h", "-t", "all", "-o", "%j") == "after\n"


def test_a_script_of_the_path_comes_first(sim: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for folder in (tmp_path / "bin", sim.cwd):
        (folder / "job.sh").write_text(f"#!/bin/sh\n#SBATCH -H --comment={folder.name}\n")
    for name in ("job.sh", "./job.sh"):
        sim("sbatch", name)
    (tmp_path / "bin" / "job.sh").unlink()
    sim("sbatch", "job.sh")

    assert sorted(sim("squeue", "-h", "-o", "%i %k").splitlines()) == ["1 bin", "2 cwd", "3 cwd"]


def test_the_exit_code_of_errors(sim: Any) -> None:
    assert sim.run("sbatch", "nosuch.sh", env={"SLURM_EXIT_ERROR": "42"}).code == 42


def test_open_quote_is_named() -> None:
    with pytest.raises(UserError, match=r"job\.sh: line 2: Unmatched `\"` in \[ \"x\]"):
        script.directives('#!/bin/sh\n#SBATCH -J "x\n', "job.sh")


def test_stray_word_in_a_directive(sim: Any) -> None:
    answer = sim.run("sbatch", stdin="#!/bin/sh\n#SBATCH -n 2 stray\n")

    assert (answer.code, answer.err) == (255, "sbatch: error: Invalid directive found in batch script: stray\n")


@given(st.lists(st.text(st.characters(exclude_categories=("Cs", "Cc", "Zs")), min_size=1, max_size=8), max_size=5))
def test_protected_words_come_back(words: list[str]) -> None:
    line = " ".join("".join(f"\\{c}" for c in word) for word in words)

    assert script.directives(f"#!/bin/sh\n#SBATCH {line}", "x") == words


def test_a_quiet_preview_says_nothing(sim: Any) -> None:
    assert sim.run("sbatch", "-Q", "--test-only", "--wrap", "true") == (0, "", "")
    assert sim.run("sbatch", "-Q", "--test-only", "-N99", "--wrap", "true").err.startswith("allocation failure: ")


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        (["-Q", "-p", "nosuch"], 2),
        (["-QQ", "-p", "nosuch"], 0),
        (["-QQ", "--mem=1", "--mem-per-cpu=1"], 1),
        (["-QQQ", "--mem=1", "--mem-per-cpu=1"], 0),
    ],
)
def test_more_quiet(argv: list[str], text: int, sim: Any) -> None:
    answer = sim.run("sbatch", *argv, "--wrap", "true")

    assert (answer.code, answer.out, answer.err.count("\n")) == (1, "", text)


@pytest.mark.parametrize(
    ("parameters", "size", "code"),
    [("", 4 << 20, 0), ("", (4 << 20) + 1, 1), ("max_script_size=100", 100, 0), ("max_script_size=100", 101, 1)],
)
def test_the_longest_script(parameters: str, size: int, code: int, sim: Any) -> None:
    sim("init", "--set", f"SchedulerParameters={parameters}")
    (sim.cwd / "job.sh").write_text("#!/bin/sh\n".ljust(size, "\n"))
    answer = sim.run("sbatch", "job.sh")
    text = "Batch job submission failed: Pathname of a file, directory or other parameter too long"
    assert (answer.code, answer.err) == (code, f"sbatch: error: {text}\n" if code else "")
    assert sim("sbatch", "--wrap", "true") == f"Submitted batch job {2 - code}\n"


def test_a_script_that_a_shell_hands_over(sim: Any) -> None:
    """As ``sbatch <(command)`` does: a pipe, but one that is open already."""
    ours, theirs = os.pipe()
    os.write(theirs, b"#!/bin/sh\nsleep 5\n")
    os.close(theirs)
    assert sim("sbatch", f"/dev/fd/{ours}") == "Submitted batch job 1\n"
    os.close(ours)
    assert sim("scontrol", "write", "batch_script", "1", "-") == "#!/bin/sh\nsleep 5\n"
