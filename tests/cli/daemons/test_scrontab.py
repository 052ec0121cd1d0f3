"""``scrontab``: crontabs whose entries are jobs. Source: scenario scrontab."""

from __future__ import annotations

import getpass
import os
import pwd
from typing import Any

import pytest

TEXT = "# comment\n#SCRON -J cronjob\n#SCRON -t 2\n0 3 * * * echo hi\n@hourly true\n"
WRONG = "There are errors in your crontab.\n"


@pytest.fixture
def cron(sim: Any) -> Any:
    sim("init", "--nodes", "n1", "--cpus", "4", "--set", "ScronParameters=enable")
    return sim


def install(sim: Any, text: str) -> Any:
    (sim.cwd / "table").write_text(text)
    return sim.run("scrontab", "table")


def test_entries_are_jobs_that_wait_for_their_times(cron: Any) -> None:
    nobody = (1, f"no crontab for {getpass.getuser()}\n", "")
    assert cron.run("scrontab", "-l") == nobody
    assert install(cron, TEXT) == (0, "", "")

    assert cron("scrontab", "-l") == TEXT
    assert cron("squeue", "-h", "-o", "%i %t %j %r %S %l") == (
        "1 PD cronjob BeginTime 2026-01-01T03:00:00 2:00\n2 PD true BeginTime 2026-01-01T01:00:00 UNLIMITED\n"
    )
    shown = cron("scontrol", "show", "job", "1")
    assert 'CronJob=Yes CrontabSpec="0 3 * * *"' in shown
    assert "AllocNode:Sid=localhost:4294967294" in shown
    assert f"SubmitLine=(null)\n   WorkDir={pwd.getpwuid(os.getuid()).pw_dir}\n" in shown
    assert cron.run("scrontab", "-r") == (0, "", "")
    assert (cron("squeue", "-h"), cron.run("scrontab", "-l")) == ("", nobody)


def test_a_job_comes_back_when_it_has_run(cron: Any) -> None:
    install(cron, "*/10 * * * * sleep 5\n")
    cron("advance", "25m")

    assert cron("squeue", "-h", "-o", "%i %t %r %S") == "1 PD BeginTime N/A\n"
    listed = cron("sacct", "-n", "-X", "-D", "-P", "-o", "jobid,jobname,state,start,elapsed,restarts")
    assert listed.splitlines() == [
        "1|sleep|REQUEUED|2026-01-01T00:10:00|00:00:05|0",
        "1|sleep|REQUEUED|2026-01-01T00:20:00|00:00:05|1",
        "1|sleep|PENDING|Unknown|00:00:00|2",
    ]


def test_scancel_comments_an_entry_out(cron: Any) -> None:
    install(cron, TEXT)
    cron("scancel", "1")
    cron("scancel", "--cron", "1")
    off = "#DISABLED: "

    rest = f"# comment\n{off}#SCRON -J cronjob\n{off}#SCRON -t 2\n{off}0 3 * * * echo hi\n@hourly true\n"
    assert cron("scrontab", "-l") == rest
    assert cron("squeue", "-h", "-o", "%i") == "2\n"
    cron("scrontab", "-", stdin="* * * * * true\n")
    assert cron("squeue", "-h", "-t", "all", "-o", "%i %t") == "1 CA\n2 CA\n3 PD\n"


def test_scancel_must_say_that_it_means_a_crontab(sim: Any) -> None:
    sim("init", "--nodes", "n1", "--set", "ScronParameters=enable,explicit_scancel")
    install(sim, TEXT)
    said = "scancel: error: Kill job error on job id 1: Cannot cancel scrontab jobs without --cron flag.\n"

    assert sim.run("scancel 1") == (2098 & 0xFF, "", said)
    assert sim.run("scancel -n cronjob") == (2098 & 0xFF, "", said)
    assert sim("squeue -h -o %i") == "1\n2\n"
    assert sim("scancel -c 1") == ""
    assert sim("squeue -h -o %i") == "2\n"


def test_the_jobs_of_a_crontab_are_not_updated(cron: Any) -> None:
    install(cron, TEXT)

    answer = cron.run("scontrol update jobid=1 timelimit=5")
    assert answer == (1, "", "Cannot modify scrontab jobs through scontrol for job 1\n")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("99 * * * * true\n", "something is broken"),
        ("* * * * *\n", "something is broken"),
        ("@often true\n", "something is broken"),
        ("FOO=bar\n", "something is broken"),
        ("#SCRON --nosuch\n* * * * * true\n", "Invalid option found in #SCRON line: --nosuch"),
        ("#SCRON -a 1-3\n* * * * * true\n", "Invalid option found in #SCRON line: -a 1-3"),
        ("#SCRON job.sh\n* * * * * true\n", "Invalid option found in #SCRON line: job.sh"),
    ],
)
def test_a_table_with_errors_changes_nothing(cron: Any, text: str, error: str) -> None:
    install(cron, TEXT)
    code, out, err = install(cron, "@daily first\n" + text)

    assert (code, out, err.splitlines()[0]) == (1, WRONG, f"scrontab: error: {error}")
    assert cron("scrontab", "-l") == TEXT
    assert cron("squeue", "-h", "-o", "%i %j") == "1 cronjob\n2 true\n"


def test_an_entry_that_is_refused_changes_nothing(cron: Any) -> None:
    install(cron, TEXT)
    code, out, err = install(cron, "@daily first\n#SCRON -p nosuch\n@daily second\n")

    assert (code, out) == (1, WRONG)
    assert "Invalid partition name specified" in err
    assert cron("scrontab", "-l") == TEXT
    assert cron("squeue", "-h", "-o", "%i %j") == "1 cronjob\n2 true\n"


def test_an_editor(cron: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    editor = cron.cwd / "editor"
    editor.write_text('#!/bin/sh\necho "$1 * * * * true" > "$2"\n')
    editor.chmod(0o755)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", f"{editor} 5")
    assert cron.run("scrontab", "-e") == (0, "", "")
    assert cron("scrontab", "-l") == "5 * * * * true\n"
    assert cron("scrontab", "-e") == "No changes to crontab.\n"

    monkeypatch.setenv("EDITOR", f"{editor} 99")
    code, out, err = cron.run("scrontab", "-e", stdin="y\nn\n")
    assert (code, err) == (1, "scrontab: error: something is broken\n" * 2)
    assert out == f"{WRONG}Do you want to retry the edit? (y/n) " * 2
    monkeypatch.setenv("EDITOR", "false")
    assert cron.run("scrontab", "-e")[0] == 1
    assert cron("scrontab", "-l") == "5 * * * * true\n"


def test_other_users_and_files(cron: Any) -> None:
    assert cron.run("scrontab", "nosuch")[0] == 1
    assert cron.run("scrontab", "-u", "no-such-user", "-l")[0] == 1
    assert cron.run("scrontab", "-u", getpass.getuser(), "-l")[0] == 1
