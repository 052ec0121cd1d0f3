"""Heterogeneous jobs from the command line, as recorded in the scenarios het_batch, het_cancel and het_cmdline."""

from __future__ import annotations

from typing import Any

import pytest

SCRIPT = "#!/bin/bash\n#SBATCH -n1 -J het\n#SBATCH hetjob\n#SBATCH -n2 -N1 --mem=200\nsleep 3\n"
NOT_WHOLE = "Operation not permitted on individual component of heterogeneous job"
LIST = ("squeue", "-h", "-t", "all", "-S", "i", "-o")


@pytest.fixture(autouse=True)
def cluster(sim: Any) -> None:
    sim("init --nodes node[1-4] --cpus 4 --sockets 2 --cores 2 --memory 1000 --set DefMemPerCPU=100")


def test_a_script_of_two_components(sim: Any) -> None:
    assert sim("sbatch", stdin=SCRIPT) == "Submitted batch job 1\n"
    assert sim(*LIST, "%i %A %F %j %t %C %N") == "1+0 1 1 het R 1 node1\n1+1 2 2 het R 2 node2\n"
    assert sim("squeue -hs -o %i") == "1.batch\n"
    rows = sim("squeue -hO HetJobID:3,HetJobOffset:3,HetJobIDSet:5,JobID:3").splitlines()
    assert [row.split() for row in rows] == [["1", "0", "1-2", "1"], ["1", "1", "1-2", "2"]]

    sim("advance 3s")

    assert sim("sacct -nPo JobID,JobIDRaw,State,AllocCPUS") == (
        "1+0|1|COMPLETED|1\n1+0.batch|1.batch|COMPLETED|1\n1+1|2|COMPLETED|2\n"
    )


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ("-j 1+1", "1+1"),
        ("-j 2", "1+1"),
        ("-j 1", "1+0 1+0.batch 1+1"),
        ("-j 1+0", "1+0 1+0.batch"),
        ("-j 1+0.batch", "1+0.batch"),
        ("--whole-hetjob=yes -j 2", "1+0 1+0.batch 1+1"),
        ("--whole-hetjob=no -j 1", "1+0 1+0.batch"),
    ],
)
def test_what_sacct_is_asked_for(sim: Any, options: str, shown: str) -> None:
    sim("sbatch", stdin=SCRIPT)
    sim("advance 3s")

    assert sim(f"sacct -nPo JobID {options}").split() == shown.split()


@pytest.mark.parametrize(
    ("name", "ids"),
    [("1", "1 2"), ("1+0", "1"), ("1+1", "2"), ("2", "2")],
)
def test_what_scontrol_shows(sim: Any, name: str, ids: str) -> None:
    sim("sbatch", stdin=SCRIPT)
    shown = sim(f"scontrol show job {name}")

    assert [line.split()[0] for line in shown.splitlines() if line.startswith("JobId=")] == [
        f"JobId={number}" for number in ids.split()
    ]
    assert "   HetJobIdSet=1-2\n" in shown


def test_unknown_component(sim: Any) -> None:
    sim("sbatch", stdin=SCRIPT)

    assert sim.run("scontrol show job 1+7")[::2] == (1, "Job 1+7 not found\n")
    assert sim.run("scontrol hold 1+7")[::2] == (
        1,
        "Invalid job id specified for job 1+7\nslurm_suspend error:Invalid job id specified\n",
    )
    assert sim("squeue -hj 1+7 -o %i") == "1+0\n1+1\n"  # what follows the number does not count


def test_old_separator_and_both_kinds(sim: Any) -> None:
    answer = sim.run("sbatch", "-n2", ":", "-n3", stdin="#!/bin/sh\n#SBATCH -n1\n#SBATCH packjob\n#SBATCH -c2\n")

    assert answer == (
        0,
        "Submitted batch job 1\n",
        'sbatch: warning: The "packjob" component separator is deprecated. Please use "hetjob" instead.\n',
    )
    assert sim(*LIST, "%i %C") == "1+0 2\n1+1 6\n"


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ("-J a -t 5 --mem=50 -n2 -p debug : -n1", "1+0 a 5:00 50M 2 | 1+1 a 5:00 50M 1"),
        ("-J a : -J b", "1+0 b UNLIMITED 100M 1 | 1+1 b UNLIMITED 100M 1"),
        ("-c2 --mem-per-cpu=20 : -n1 : -N1", "1+0 x UNLIMITED 20M 2 | 1+1 x UNLIMITED 100M 1 | 1+2 x UNLIMITED 100M 1"),
    ],
)
def test_what_counts_for_the_components_behind(sim: Any, options: str, shown: str) -> None:
    sim(f"sbatch {'' if '-J' in options else '-J x'} {options} --wrap 'sleep 9'")

    assert sim(*LIST, "%i %j %l %m %C").splitlines() == shown.split(" | ")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("-a 1-2 -n1 : -n1", "error: Batch job submission failed: Invalid job array specification"),
        ("-n1 : -p nosuch", "error: Batch job submission failed: Invalid partition name specified"),
        ("--mem=9 : --mem-per-cpu=9", "fatal: --mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive."),
        ("-n1 : --nosuch", "sbatch: unrecognized option '--nosuch'"),
    ],
)
def test_refusals(sim: Any, options: str, message: str) -> None:
    answer = sim.run("sbatch", *options.split(), "--wrap", "true")

    assert (bool(answer.code), answer.out) == (True, "")
    assert message in answer.err
    assert sim("squeue -h") == ""


def test_a_component_is_not_cancelled_before_the_start(sim: Any) -> None:
    sim("sbatch -H -n1 : -n1 --wrap 'sleep 9'")
    for name in ("1+0", "1+1", "2"):
        answer = sim.run(f"scancel {name}")
        assert answer == (60, "", f"scancel: error: Kill job error on job id {name}: {NOT_WHOLE}\n")
    sim("scancel 1")

    assert sim(*LIST, "%i %t") == "1+0 CA\n1+1 CA\n"


def test_cancelling_while_it_runs(sim: Any) -> None:
    for _ in range(2):
        sim("sbatch -n1 : -n2 --wrap 'sleep 60'")
    sim("scancel 1+1")
    assert sim(*LIST, "%i %t") == "1+0 R\n1+1 CA\n3+0 R\n3+1 R\n"
    sim("scancel 2")  # it is over: no error
    sim("scancel 1")
    sim("scancel 3+0")

    assert sim(*LIST, "%i %t") == "1+0 CA\n1+1 CA\n3+0 CA\n3+1 CA\n"


def test_hold_and_release_by_component(sim: Any) -> None:
    sim("sbatch -H -n1 : -n1 --wrap 'sleep 30'")
    sim("scontrol hold 1+1")
    sim("scontrol release 1+0")
    assert sim(*LIST, "%i %t %r") == "1+0 PD None\n1+1 PD JobHeldAdmin\n"
    sim("scontrol release 1")

    assert sim(*LIST, "%i %t %r") == "1+0 R None\n1+1 R None\n"


@pytest.mark.parametrize("verb", ["requeue", "requeuehold", "suspend", "resume"])
def test_what_is_done_to_the_whole_only(sim: Any, verb: str) -> None:
    sim("sbatch -n1 : -n1 --wrap 'sleep 30'")
    if verb == "resume":
        sim("scontrol suspend 1")
    for name in ("1+1", "2", "1+0"):
        assert sim.run(f"scontrol {verb} {name}") == (1, "", f"{NOT_WHOLE} for job {name}\n")
    sim(f"scontrol {verb} 1")

    states = {"suspend": "S", "resume": "R"}
    assert sim(*LIST, "%i %t") == "1+0 {0}\n1+1 {0}\n".format(states.get(verb, "PD"))


def test_update_of_the_whole_and_of_a_component(sim: Any) -> None:
    sim("sbatch -H -n1 : -n1 --wrap 'sleep 30'")
    sim("scontrol update jobid=1 timelimit=5")
    sim("scontrol update jobid=1+1 timelimit=4")
    sim("scontrol update jobid=2 name=second")

    assert sim(*LIST, "%i %l %j") == "1+0 5:00 wrap\n1+1 4:00 second\n"


def test_a_requeued_job_starts_together_again(sim: Any) -> None:
    sim("sbatch -n1 : -n2 --wrap 'sleep 30'")
    sim("scontrol requeue 1")
    assert sim("sacct -nXPo JobID,State") == "1+0|REQUEUED\n1+1|REQUEUED\n"
    sim("advance 121s")

    assert sim(*LIST, "%i %t %M") == "1+0 R 0:00\n1+1 R 0:00\n"


def test_too_big_or_never_placed(sim: Any) -> None:
    sim("sbatch -n1 : -n999 --wrap true")
    sim("sbatch -n1 : -N4 --exclusive --wrap true")  # no two components share a node

    assert sim(*LIST, "%i %t %r") == "1+0 PD None\n1+1 PD PartitionConfig\n3+0 PD Resources\n3+1 PD Resources\n"
    assert sim("sacct -nXPo JobID") == "1\n2\n3\n4\n"  # accounting hears of the whole when it starts


def test_the_end_of_the_first_is_the_end_of_all(sim: Any) -> None:
    sim("sbatch -n1 : -n2 : -n1 --wrap 'sleep 5; exit 3'")
    sim("advance 5s")

    assert sim("sacct -nXPo JobID,State,ExitCode") == "1+0|FAILED|3:0\n1+1|FAILED|3:0\n1+2|FAILED|3:0\n"


def test_the_planned_start(sim: Any) -> None:
    sim("sbatch -N4 --exclusive -t 10 --wrap 'sleep 300'")
    sim("sbatch -t 5 -n1 : -N2 --wrap 'sleep 60'")
    planned = sim("squeue --start -h -S i -o '%i %r %Y %S'").splitlines()
    assert [line.split()[:3] for line in planned] == [
        ["2+0", "Resources", "node1"],
        ["2+1", "Resources", "node[2-3]"],
    ]
    assert len({line.split()[3] for line in planned}) == 1
    sim("sbatch -n1 --wrap 'sleep 9'")
    assert sim("squeue -hj 4 -o '%t %r'") == "PD Priority\n"
    sim("advance 300s")

    assert sim("squeue -h -S i -o '%i %t %N'") == "2+0 R node1\n2+1 R node[2-3]\n4 R node1\n"


def test_a_job_that_waits_for_it(sim: Any) -> None:
    sim("sbatch -n1 : -n1 --wrap 'sleep 30'")
    sim("sbatch -d afterok:1 -n1 : -n1 --wrap 'sleep 1'")
    assert sim("squeue -hj 3 -o '%i %r'") == "3+0 Dependency\n3+1 Dependency\n"
    sim("advance 31s")

    assert sim(*LIST, "%i %t") == "1+0 CD\n1+1 CD\n3+0 CD\n3+1 CD\n"


def test_only_one_of_a_name_at_a_time(sim: Any) -> None:
    for _ in range(2):
        sim("sbatch -J one -d singleton -n1 : -n1 --wrap 'sleep 30'")

    assert sim(*LIST, "%i %t") == "1+0 R\n1+1 R\n3+0 PD\n3+1 PD\n"


def test_filters_cancel_all(sim: Any) -> None:
    sim("sbatch -n1 : -N4 --exclusive --wrap true")
    sim("scancel -n wrap")

    assert sim(*LIST, "%i %t") == "1+0 CA\n1+1 CA\n"


def test_only_a_forecast(sim: Any) -> None:
    answer = sim.run("sbatch --test-only -n1 : -n2 --wrap true")

    assert answer.code == 0
    assert "using 3 processors on nodes node[1-2] in partition debug" in answer.err
    assert sim("squeue -h") == ""


def test_an_allocation_of_two_components(sim: Any, capfd: Any) -> None:
    answer = sim.run("salloc", "-n1", ":", "-n2", "sh", "-c", "env | grep ^SLURM | sort; exit 2")

    assert answer.code == 2
    assert answer.err == (
        "salloc: Pending job allocation 1\n"
        "salloc: job 1 queued and waiting for resources\n"
        "salloc: job 1 has been allocated resources\n"
        "salloc: Granted job allocation 1\n"
        "salloc: Nodes node1 are ready for job\n"
        "salloc: Nodes node2 are ready for job\n"
        "salloc: Relinquishing job allocation 1\n"
    )
    told = dict(line.split("=", 1) for line in capfd.readouterr().out.splitlines())
    assert {told[f"SLURM_{name}"] for name in ("JOB_ID", "JOB_ID_HET_GROUP_0", "JOBID_PACK_GROUP_0")} == {"1"}
    assert (told["SLURM_HET_SIZE"], told["SLURM_PACK_SIZE"], told["SLURM_NTASKS"]) == ("2", "2", "3")
    assert (told["SLURM_JOB_ID_HET_GROUP_1"], told["SLURM_NODELIST_HET_GROUP_1"]) == ("2", "node2")
    assert "SLURM_JOB_NODELIST" not in told
    assert sim("sacct -nXPo JobID,State,ExitCode") == "1+0|FAILED|2:0\n1+1|FAILED|2:0\n"


def test_an_allocation_at_once_or_not_at_all(sim: Any) -> None:
    answer = sim.run("salloc -I -N2 : -N4 true")

    assert answer == (1, "", "salloc: error: Unable to allocate resources: Requested nodes are busy\n")
    assert sim("squeue -h") == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--het-group=2", "Requested het-group offset exceeds highest hetjob index (2 > 1)"),
        ("--het-group=x", "_parse_single_range: Invalid range: `x'\nsrun: error: Invalid --het-group value: x"),
    ],
)
def test_steps_that_are_refused(sim: Any, options: str, message: str) -> None:
    sim("sbatch -n1 : -n1 --wrap 'sleep 60'")

    assert sim.run("srun", "--jobid=1", options, "true") == (1, "", f"srun: error: {message}\n")


@pytest.mark.parametrize(
    ("group", "message"),
    [
        ("0", "No directives to start application on any available hetjob components"),
        ("1", "Requested het-group offset exceeds highest hetjob index (1 > 0)"),
    ],
)
def test_a_plain_job_has_no_components(sim: Any, group: str, message: str) -> None:
    sim("sbatch --wrap 'sleep 60'")

    assert sim.run(f"srun --jobid=1 --het-group={group} true") == (1, "", f"srun: error: {message}\n")


def test_simulated_steps(sim: Any) -> None:
    sim("sbatch -n1 : -n1 --wrap 'sleep 60'")
    sim("srun --jobid=1 --het-group=0-1 hostname")
    sim("srun --jobid=1 date : uptime")

    assert sim("sacct -nPo JobID,JobName -j 1").split() == [
        *("1+0|wrap", "1+0.batch|batch", "1+0.0|hostname", "1+0.1|date"),
        *("1+1|wrap", "1+1.0|hostname", "1+1.1|uptime"),
    ]


def test_a_simulated_program_of_two_components(sim: Any) -> None:
    answer = sim.run("srun", "-n1", "sleep", "5", ":", "-n2", "true")

    assert answer.code == 0
    assert sim("sacct -nXPo JobID,State,Elapsed") == "1+0|COMPLETED|00:00:05\n1+1|COMPLETED|00:00:05\n"
