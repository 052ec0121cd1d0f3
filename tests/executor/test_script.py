"""How long scripts would run, and how they would end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slimsched.executor import arithmetic
from slimsched.executor.script import plan

SH = "#!/bin/sh\n"


@pytest.mark.parametrize(
    ("script", "seconds", "code"),
    [
        ("", 0, 0),
        ("sleep 600", 600, 0),
        (SH + "sleep 1\nsleep 2m\nsleep 1h 1d", 1 + 120 + 3600 + 86400, 0),
        ("sleep 0.4; sleep .3", 1, 0),
        ("srun sleep 30", 30, 0),
        ("srun -n1 -J st1 bash -c 'sleep 2; exit 7'", 2, 7),
        ("bash -c 'sleep infinity'", None, 0),
        ("srun -n 4 --label sleep 30 && echo done", 30, 0),
        ("srun --export 'ALL,A=b c' /bin/sleep 30", 30, 0),
        ("sleep infinity", None, 0),
        ("sleep inf", None, 0),
        ("sleep $TIME", 0, 0),
        ("sleep 10x", 0, 0),
        ("# sleep 100", 0, 0),
        ("#SBATCH -J sleep 100\nsleep 5 # sleep 50", 5, 0),
        ("echo sleep 100", 0, 0),
        ("sleeper 100", 0, 0),
        ("sleep 99999999999999999999999", None, 0),
        ("sleep " + "9" * 100_000, None, 0),
        ("sleep \u0663", 0, 0),  # a digit, but not one of sleep's
        # what counts as a command
        ("exec sleep 100", 100, 0),
        ("A=1 B='2 3' nohup /usr/bin/sleep 100 > 50 2>&1", 100, 0),
        ("time sleep 7 &> log", 7, 0),
        ("> log sleep 5; exec &>> log\nsleep 7", 7, 0),
        ("ls | while read N; do echo $N; done > list; sleep 7", 7, 0),
        ("echo 'sleep 5\nsleep 6'; sleep 7", 7, 0),
        ('echo "a \\" b"; sleep 7', 7, 0),
        ("sleep \\\n 7", 7, 0),
        ("cat <<EOF\nsleep 5\nEOF\nsleep 7", 7, 0),
        ("cat <<-'EOF' > x; sleep 3\nsleep 5\n\tEOF\nsleep 7", 10, 0),
        ('x=$(sleep 5; echo ")") y=`sleep 6` sleep 7', 7, 0),
        ("a=(sleep 5) ; sleep 7", 7, 0),
        # in the background
        ("sleep 5 & sleep 7 & wait", 7, 0),
        ("sleep 9 & sleep 3; wait; sleep 1", 10, 0),
        ("sleep 100 &", 0, 0),
        # lists, groups and compound commands
        ("sleep 4 && sleep 5 || sleep 6", 9, 0),
        ("false && sleep 5 || sleep 6", 6, 0),
        ("true ||\n sleep 5 && sleep 6", 6, 0),
        ("{ sleep 4; } || { sleep 5; sleep 6; }; sleep 7", 11, 0),
        ("(touch a && sleep 4 && touch b) || (touch c; sleep 5; exit 1)", 4, 0),
        ("true | sleep 5 | sleep 6", 11, 0),
        ("if [ -f x ]; then sleep 5; else sleep 6; fi; sleep 7", 7, 0),
        ("[ -f x ] && sleep 5 || sleep 6; [[ a || b ]] && sleep 8; sleep 7", 7, 0),
        ("case $x in\n a) sleep 5;;\n (b|c) sleep 6;; esac\nsleep 7", 7, 0),
        ("for i in 1 2; do sleep 5; done; sleep 7", 12, 0),
        ("while true\ndo\n if x; then sleep 1; fi\n sleep 5\ndone\nsleep 7", 12, 0),
        ("f() {\n sleep 5\n}\nsleep 7", 7, 0),
        ("f () (sleep 5)\nfunction g { sleep 6; }\nfunction h() { sleep 6; }\nsleep 7", 7, 0),
    ],
)
def test_seconds(script: str, seconds: int | None, code: int) -> None:
    made = plan(script)

    assert (made.seconds, made.exit_code) == (seconds, code)


@pytest.mark.parametrize(
    ("script", "seconds", "code"),
    [
        ("sleep 4; exit 1", 4, 1),
        ("sleep 4 && exit 3 || exit 4", 4, 3),
        ("exit 3\nsleep 100", 0, 3),
        ("exit", 0, 0),
        ("exit 256", 0, 0),
        ("exit 300", 0, 44),
        ("exit $code", 0, 0),
        ("exit " + "9" * 100_000, 0, 0),
        ("false", 0, 1),
        ("/bin/false; true", 0, 0),
        ("srun false", 0, 1),
        ("false; exit", 0, 1),
        ("false || exit 4", 0, 4),
        ("cd here || exit 1; sleep 5", 5, 0),
        ("[ -d here ] || exit 1\nsleep 5", 5, 0),
        ("if ! test -d here\nthen\n  exit 99\nfi\nsleep 5", 5, 0),
        ("while read line; do exit 1; done; sleep 5", 5, 0),
        ("(exit 3); sleep 5", 5, 0),
        ("trap 'exit 1' TERM; sleep 5", 5, 0),
        ("die() { exit 1; }\nsleep 5", 5, 0),
    ],
)
def test_exit_codes(script: str, seconds: int | None, code: int) -> None:
    made = plan(script)

    assert (made.seconds, made.exit_code) == (seconds, code)


@pytest.mark.parametrize(
    "script",
    [
        "sleep 5; ' unfinished",
        'sleep 5; " unfinished \\',
        "sleep 5; $( unfinished",
        "sleep 5; ` unfinished",
        "sleep 5; cat <<EOF\nsleep 6",
        "sleep 5; (((((",
        "sleep 5; )))) done fi esac }",
        "sleep 5; if if if while for case",
        "sleep 5; " + "(" * 100_000,
        "sleep 5; " + "{ " * 100_000,
        "sleep 5; " + "$(" * 100_000,
        "sleep 5; " + "&&" * 100_000,
        "sleep 5 &&& || ;; | \\",
    ],
)
def test_what_no_shell_would_take_does_no_harm(script: str) -> None:
    assert plan(script).seconds in {0, 5}


PIECES = (
    *("sleep 3", "srun", "exit 2", "if", "then", "fi", "for i in a", "while", "do", "done", "case x in", "esac", "f()"),
    *("function", "{", "}", "(", ")", ";", ";;", "&", "&&", "|", "||", "\n", " ", "'", '"', "`", "$(", "${", "\\", "#"),
    *("<<EOF", "EOF", ">", "2>&1", "&>", "<", "a=", "a=(", "!", "wait", "-n", "é"),
)


@given(st.lists(st.sampled_from(PIECES)).map("".join) | st.text())
def test_any_text_has_a_plan(script: str) -> None:
    read = plan(script + "\nsrun sleep 1")

    assert read.seconds is None or read.seconds >= 0
    assert 0 <= read.exit_code < 256
    assert all(type(step.name) is str and step.name for step in read.steps)


@pytest.mark.parametrize(
    ("word", "codes"),
    [
        ("$((SLURM_ARRAY_TASK_ID-1))", [-1, 0, 1]),
        ("$(( ($SLURM_ARRAY_TASK_ID * 7 + 3) % 4 ))", [3, 2, 1]),
        ("$((-${SLURM_ARRAY_TASK_ID}/2))", [0, 0, -1]),
        ("$SLURM_ARRAY_TASK_ID", [0, 1, 2]),
    ],
)
def test_exit_codes_of_tasks(word, codes):
    rule = plan(f"exit {word}").exit_rule

    assert [arithmetic.value(rule, task) for task in range(3)] == codes


@pytest.mark.parametrize(
    "word", ["$((SLURM_ARRAY_TASK_ID**9))", "$((1/0))", "$((X))", "7", "$((SLURM_ARRAY_TASK_ID/0))"]
)
def test_what_cannot_be_told(word):
    assert plan(f"exit {word}").exit_rule == ""
