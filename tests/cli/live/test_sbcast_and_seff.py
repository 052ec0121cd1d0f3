"""``sbcast`` and ``seff``, on clusters of both kinds."""

from __future__ import annotations

import getpass
import grp
import os
from typing import Any

import pytest

from slimsched.cli.live import place


def test_a_file_for_a_job(sim: Any) -> None:
    sim("init --live --nodes n[1-2] --set KillWait=1")
    try:
        sim("sbatch --wrap 'sleep 60'")
        (sim.cwd / "a").write_text("text")
        (sim.cwd / "a").chmod(0o750)
        os.utime(sim.cwd / "a", (5, 5))
        (sim.cwd / "to").mkdir()
        sim("sbcast -j 1 -p a to/a")
        assert (sim.cwd / "to" / "a").read_text() == "text"
        found = (sim.cwd / "to" / "a").stat()
        assert (found.st_mode & 0o777, found.st_mtime) == (0o750, 5)
        again = sim.run("sbcast a to/a", env={"SLURM_JOB_ID": "1"})
        assert again == (1, "", "sbcast: error: REQUEST_FILE_BCAST(n1): File exists\n")
        (sim.cwd / "a").write_text("new")
        sim("sbcast -f --jobid=1 a to/a")
        assert (sim.cwd / "to" / "a").read_text() == "new"
        assert sorted(os.listdir(sim.cwd / "to")) == ["a"]
    finally:
        place.remove(str(sim.state))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("sbcast -j 1 a b/", "Target filename cannot be a directory."),
        (
            "sbcast nosuch b/",
            "Need a job id to run this command.  Run from within a Slurm job or use the --jobid option.",
        ),
        ("sbcast -j 1 nosuch b", "Can't open `nosuch': No such file or directory"),
        ("sbcast -j 9 nosuch b/", "Failed to load JobId=9: 'Invalid job id specified'"),
        ("sbcast -j 1 a b", "Slurm jobid 1 lookup error: Job/step already completing or completed"),
    ],
)
def test_refusals(words: str, said: str, sim: Any) -> None:
    (sim.cwd / "a").write_text("")
    sim("sbatch --wrap true")
    sim("advance 1s")

    assert sim.run(words) == (1, "", f"sbcast: error: {said}\n")


def test_the_account_of_a_job(sim: Any) -> None:
    sim("sbatch -n4 --mem 400 --wrap 'sleep 100; exit 3'")
    sim("advance 10s")
    lines = sim("seff 1").splitlines()
    group = grp.getgrgid(os.getgid()).gr_name

    assert lines == [
        *("Job ID: 1", "Cluster: cluster", f"User/Group: {getpass.getuser()}/{group}", "State: RUNNING"),
        *("Nodes: 1", "Cores per node: 4", "CPU Utilized: 00:00:00"),
        *("CPU Efficiency: 0.00% of 00:00:40 core-walltime", "Job Wall-clock time: 00:00:10"),
        *("Memory Utilized: 0.00 KB", "Memory Efficiency: 0.00% of 400.00 MB"),
        "WARNING: Efficiency statistics may be misleading for RUNNING jobs.",
    ]
    sim("advance 1d")
    assert sim("seff 1").splitlines()[3] == "State: FAILED (exit code 3)"
    sim("sbatch --hold --wrap true")
    assert sim("seff 2").splitlines()[-2:] == [
        "Cores: 1",
        "Efficiency not available for jobs in the PENDING state.",
    ]
    assert sim.run("seff 99") == (2, "", "Job not found.\n")
    assert sim.run("seff").code == 1


def test_what_a_job_used(sim: Any) -> None:
    sim("init --live --set KillWait=1")
    sim.run("sbatch", "-W", "--wrap", "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done")
    lines = dict(line.split(": ", 1) for line in sim("seff 1").splitlines())

    assert lines["State"] == "COMPLETED (exit code 0)"
    assert lines["Memory Utilized"].split()[1] == "MB"


def test_the_number_of_files(sim: Any) -> None:
    said = 'Need two file names, have 1 names\nTry "sbcast --help" for more information\n'

    assert sim.run("sbcast a") == (1, "", said)


def test_what_sbcast_understands(sim: Any) -> None:
    (sim.cwd / "a").write_text("")
    sim("init --nodes n1 --set BcastParameters=Compression=lz4,DestDir=/there")
    words = "sbcast -v -s 2k --force -C -F off -t 3 --send-libs=maybe a b"
    answer = sim.run(words, env={"SBCAST_PRESERVE": "", "SBCAST_EXCLUDE": "/lib", "SLURM_JOB_ID": "9"})

    assert answer.err.splitlines()[:-1] == [
        "sbcast: error: Ignoring unrecognized --send-libs value 'maybe'",
        f"sbcast: {'-' * 29}",
        "sbcast: block_size = 2048",
        "sbcast: compress   = 2",
        "sbcast: exclude    = /lib",
        "sbcast: force      = true",
        "sbcast: treewidth     = 65533",
        "sbcast: preserve   = true",
        "sbcast: send_libs  = false",
        "sbcast: timeout    = 3000",
        "sbcast: verbose    = 1",
        "sbcast: source     = a",
        "sbcast: dest       = /there/b",
        f"sbcast: {'-' * 29}",
    ]
    assert sim.run("sbcast -s x a b").err.startswith("size specification is invalid, ignored\n")
