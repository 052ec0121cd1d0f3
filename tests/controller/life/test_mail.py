"""Mail about jobs: what is written in the history of a simulated cluster, and when."""

from __future__ import annotations

import json

import pytest


def sent(sim):
    """Return the mails of the history: after how many seconds, to whom, and the subject."""
    events = [json.loads(line) for line in sim("events --json").splitlines()]
    first = events[0]["time"]
    return [(e["time"] - first, e["to"], e["subject"]) for e in events if e["event"] == "mail"]


def subjects(sim):
    return [subject for _, _, subject in sent(sim)]


@pytest.mark.parametrize(
    ("asked", "outcome", "said"),
    [
        (
            "ALL",
            "--sim-runtime 60 --sim-exit 3",
            ["Began, Queued time 00:00:00", "Failed, Run time 00:01:00, FAILED, ExitCode 3"],
        ),
        (
            "ALL",
            "--sim-runtime 60",
            ["Began, Queued time 00:00:00", "Ended, Run time 00:01:00, COMPLETED, ExitCode 0"],
        ),
        ("END", "--sim-runtime 60 --sim-exit 3", ["Ended, Run time 00:01:00, FAILED, ExitCode 3"]),
        ("FAIL", "--sim-runtime 60", []),
        ("NONE", "--sim-runtime 60", []),
        (
            "TIME_LIMIT,FAIL",
            "-t 1 --sim-runtime 1h",
            ["Reached time limit, Run time 00:01:00", "Failed, Run time 00:01:00, TIMEOUT, ExitCode 0"],
        ),
        (
            "END",
            "--sim-runtime 60 --sim-state OUT_OF_MEMORY",
            ["Ended, Run time 00:01:00, OUT_OF_MEMORY"],
        ),
        (
            "TIME_LIMIT_50,TIME_LIMIT_80,TIME_LIMIT_90",
            "-t 10 --sim-runtime 550",
            [
                "Reached 50% of time limit, Run time 00:05:00",
                "Reached 80% of time limit, Run time 00:08:00",
                "Reached 90% of time limit, Run time 00:09:00",
            ],
        ),
    ],
)
def test_one_job(sim, asked, outcome, said):
    sim(f"sbatch --mail-type={asked} --mail-user=a@b -J mm {outcome} --wrap true")
    sim("advance 1h")

    assert subjects(sim) == [f"Slurm Job_id=1 Name=mm {each}" for each in said]
    assert {to for _, to, _ in sent(sim)} <= {"a@b"}


def test_parts_of_the_limit_are_told_once_and_in_time(sim):
    sim("sbatch --uid alice --mail-type=TIME_LIMIT_50,TIME_LIMIT_90 -t 10 --sim-runtime 1h --wrap true")
    for _ in range(4):
        sim("advance 3m")

    assert [(after, to) for after, to, _ in sent(sim)] == [(300, "alice"), (540, "alice")]
    assert "MailType" not in sim("scontrol show job 1")


def test_an_array_writes_once(sim):
    sim("sbatch --mail-type=ALL --mail-user=a -J arr -a 1-3%1 --sim-runtime 60 --wrap true")
    sim("advance 1h")

    began, ended = subjects(sim)
    assert began == "Slurm Array Summary Job_id=1_* (1) Name=arr Began"
    assert ended == "Slurm Array Summary Job_id=1_* (1) Name=arr Ended, COMPLETED, ExitCode [0-0]"
    assert sent(sim)[1][0] == 180


def test_the_tasks_of_an_array_write(sim):
    sim("sbatch --mail-type=END,ARRAY_TASKS --mail-user=a -J arr -a 1-2 --sim-runtime 60 --wrap true")
    sim("advance 1h")

    assert sorted(subject.partition(" (")[0] for subject in subjects(sim)) == [
        "Slurm Array Task Job_id=1_1",
        "Slurm Array Task Job_id=1_2",
    ]
    assert all(s.endswith("Name=arr Ended, Run time 00:01:00, COMPLETED, ExitCode 0") for s in subjects(sim))


def test_requeued_and_cancelled(sim):
    sim("sbatch --mail-type=FAIL,REQUEUE,END --mail-user=a -J w --sim-runtime 600 --wrap true")
    sim("advance 5m")
    sim("scontrol requeue 1")
    sim("scancel 1")

    assert subjects(sim) == [
        "Slurm Job_id=1 Name=w Requeued, Run time 00:05:00",
        "Slurm Job_id=1 Name=w Ended, Run time 00:00:00, CANCELLED, ExitCode 0",
    ]


def test_a_heterogeneous_job_writes_once(sim):
    sim("sbatch --mail-type=END --mail-user=a -J h -n1 --sim-runtime 60 : -n1 --sim-runtime 60 --wrap true")
    sim("advance 1h")

    assert len(subjects(sim)) == 1


@pytest.mark.parametrize("options", ["", "--kill-on-invalid-dep=yes"])
def test_a_dependency_that_can_never_be_satisfied_is_told_once(sim, options):
    sim("sbatch --sim-runtime 60 --sim-exit 1 --wrap true")
    sim(f"sbatch --mail-type=INVALID_DEPEND --mail-user=a -J w -d afterok:1 {options} --wrap true")
    sim("sbatch --mail-type=FAIL --mail-user=a -d afterok:1 --wrap true")
    sim("advance 2m")
    sim("sbatch --mail-type=ALL --mail-user=a -J late -d afterok:1 --wrap true")
    sim("advance 2m")

    said = [f"Slurm Job_id={job} Name={name} Invalid dependency" for job, name in ((2, "w"), (4, "late"))]
    assert subjects(sim) == said
