"""``sim --as USER``: whose jobs, and what one may do to those of others."""

from __future__ import annotations

import os

import pytest

from slimsched.cli import main
from slimsched.controller.requests import users

DENIED = "Access/permission denied"
OTHERS = [
    ("scancel 2", 210, f"scancel: error: Kill job error on job id 2: {DENIED}\n"),
    ("scancel -u bob", 210, f"scancel: error: Kill job error on job id 2: {DENIED}\n"),
    (
        "scancel -v -u bob",
        210,
        f"scancel: Terminating job 2\nscancel: error: Kill job error on job id 2: {DENIED}\n",
    ),
    ("scontrol update jobid=2 comment=x", 1, "Invalid user id for job 2\n"),
    ("scontrol hold 2", 1, "Invalid user id for job 2\nslurm_suspend error:Invalid user id\n"),
    ("scontrol requeue 2", 1, f"{DENIED} for job 2\n"),
    ("scontrol suspend 1", 1, "Job is pending execution for job 1\n"),
    ("scontrol suspend 2", 1, f"{DENIED} for job 2\n"),
    ("scontrol notify 2 hello", 1, f"job notify failure: {DENIED}\n"),
    ("scontrol write batch_script 2 -", 0, "job script retrieval failed: Invalid user id\n"),
    ("scontrol top 1", 1, f"{DENIED} for job 1\n"),
    ("srun --jobid=2 hostname", 1, f"srun: error: Unable to create step for job 2: {DENIED}\n"),
]
ADMINISTRATION = [
    ("scontrol update nodename=node01 state=drain reason=x", "slurm_update error: Invalid user id\n"),
    ("scontrol update partitionname=debug state=down", "slurm_update error: Invalid user id\n"),
    ("scontrol create partitionname=new", "Error creating the partition: Invalid user id\n"),
    ("scontrol delete partitionname=debug", "delete_partition partitionname=debug: Invalid user id\n"),
    (
        "scontrol create reservation user=alice starttime=now duration=10 nodes=node01",
        "Error creating the reservation: Invalid user id\n",
    ),
    ("scontrol reconfigure", "slurm_reconfigure error:Invalid user id\n"),
    ("scontrol shutdown", "slurm_shutdown error:Invalid user id\n"),
    ("sdiag -r", f"slurm_reset_statistics: {DENIED}\n"),
]
OWN = [
    ("scontrol update jobid=1 timelimit=60", 0, ""),
    ("scontrol update jobid=1 nice=5", 0, ""),
    ("scontrol update jobid=1 nice=-5", 1, f"{DENIED} for job 1\n"),
    ("scontrol update jobid=1 admincomment=x", 1, f"{DENIED} for job 1\n"),
    ("sbatch --nice=-5 --wrap true", 1, "sbatch: error: Batch job submission failed: Invalid --nice value\n"),
    ("sbatch --gid=daemon --wrap true", 255, "sbatch: error: --gid only permitted by root user\n"),
    ("sbatch --uid=bob --wrap true", 255, "sbatch: error: --uid only permitted by root user\n"),
]


@pytest.fixture
def jobs(sim):
    """Job 1 is alice's and waits, job 2 is bob's and runs."""
    sim("sbatch --uid=alice --begin now+1hour --wrap 'sleep 5'")
    sim("sbatch --uid=bob -J his --wrap 'sleep 500'")
    return sim


@pytest.mark.parametrize(("line", "code", "said"), OTHERS)
def test_the_jobs_of_others(jobs, line, code, said):
    before = jobs("scontrol show job 2")

    answer = jobs.run(f"--as alice {line}")

    assert (answer.code, answer.err) == (code, said)
    assert jobs("scontrol show job 2") == before


@pytest.mark.parametrize(("line", "said"), ADMINISTRATION)
def test_what_administrators_do(jobs, line, said):
    assert jobs.run(f"--as alice {line}") == (1, "", said)
    assert jobs.run(f"--as root {line}").err != said


@pytest.mark.parametrize(("line", "code", "said"), OWN)
def test_ones_own_jobs(jobs, line, code, said):
    answer = jobs.run(f"--as alice {line}")

    assert (answer.code, answer.err) == (code, said)


def test_a_users_own_list(jobs):
    listed = ("squeue", "-h", "-o", "%i %u")

    assert jobs("--as", "alice", *listed, "--me") == "1 alice\n"
    assert jobs(*listed, "--me", env={users.ASKER: "bob"}) == "2 bob\n"
    assert jobs("--as", "nobody-knows", *listed, "--me") == ""
    assert jobs("--as", "bob", "sacct", "-n", "-X", "-P", "-o", "JobID,User") == "2|bob\n"
    assert jobs("--as=alice", "scancel", "--me") == ""
    assert jobs(*listed) == "2 bob\n"


def test_a_submission_is_the_users(sim):
    assert sim("--as alice sbatch --parsable --hold --wrap true") == "1\n"

    assert sim("squeue -h -o '%u %r'") == "alice JobHeldUser\n"


def test_a_hold_of_an_operator_is_not_released_by_the_user(jobs):
    jobs("scontrol hold 1")

    answer = jobs.run("--as alice scontrol release 1")

    assert answer == (1, "", f"{DENIED} for job 1\nslurm_suspend error:{DENIED}\n")
    jobs("scontrol release 1")
    jobs("--as alice scontrol hold 1")
    assert jobs("squeue -h -j 1 -o %r") == "JobHeldUser\n"
    assert jobs("--as alice scontrol release 1") == ""


def test_the_priority_of_a_user_is_not_persistent(jobs):
    priority = int(jobs("squeue -h -j 1 -o %Q"))
    said = "Changes to job priority are not persistent, change nice instead for job 1\n"

    assert jobs.run("--as alice scontrol update jobid=1 priority=5") == (1, "", said)
    assert jobs.run(f"--as alice scontrol update jobid=1 priority={priority + 1}").err == f"{DENIED} for job 1\n"


def test_operators_and_coordinators(jobs):
    jobs("sacctmgr -i add account lab")
    jobs("sacctmgr -i add user bob account=lab")
    jobs("sacctmgr -i add user olga account=lab adminlevel=operator")
    jobs("sacctmgr -i add user cora account=lab")
    jobs("sacctmgr -i add coordinator account=lab names=cora")
    first, second = (jobs("--as bob sbatch --parsable --wrap 'sleep 500'").strip() for _ in range(2))

    assert jobs.run(f"--as alice scancel {first}").code == 210
    assert jobs(f"--as cora scancel {first}") == ""
    assert jobs(f"--as olga scancel {second}") == ""
    assert jobs.run("--as olga scontrol update nodename=node01 state=drain reason=x").code == 1


def test_the_user_is_named_for_one_command_only(jobs):
    assert main.ASKER == users.ASKER
    assert jobs("--as alice squeue -h -u alice -o %i") == "1\n"
    assert users.ASKER not in os.environ
    assert jobs("scancel 2") == ""


def test_scontrol_uid(jobs):
    assert jobs.run("scontrol -u alice update jobid=2 comment=x").err == "Invalid user id for job 2\n"
    assert jobs("scontrol -u bob update jobid=2 comment=x") == ""


def test_the_group_of_a_job(sim):
    assert sim.run("sbatch --gid nosuch --wrap true") == (255, "", "sbatch: error: Invalid --gid specification\n")
    sim("sbatch --gid daemon --hold --wrap true")

    assert sim("squeue -h -o %g") == "daemon\n"


def test_triggers_of_users(jobs):
    words = "--as alice strigger --set --jobid=1 --fini --program=/bin/true"
    assert jobs.run(words) == (1, "", f"slurm_set_trigger: {DENIED}\n")

    jobs("init --force --set SlurmctldParameters=allow_user_triggers")
    jobs("--as alice sbatch --wrap 'sleep 50'")
    assert jobs(words) == ""
    assert jobs.run("--as bob strigger --clear --id=1").err == "slurm_clear_trigger: No such process\n"
    assert jobs("--as alice strigger --clear --id=1") == ""
