"""The steps that a script's plain ``srun`` commands make."""

from __future__ import annotations

import pytest
import world

from slimsched.executor.script import MOST, plan, srun_step
from slimsched.slurm.getopt import NONE, REQUIRED
from slimsched.slurm.options import options_of


@pytest.mark.parametrize(
    ("script", "found"),
    [
        (
            "srun true; srun -n1 false; srun hostname",
            [("true", 0, 0, 0, 0), ("false", 0, 0, 1, 1), ("hostname", 0, 0, 0, 0)],
        ),
        ("srun sleep 10\nsleep 5\nsrun -n 2 /usr/bin/app --n 3", [("sleep", 0, 10, 0, 0), ("app", 15, 15, 2, 0)]),
        ("srun --ntasks=4 --exclusive -J first app &\nwait", [("first", 0, 0, 4, 0)]),
        ("srun --cpu-bind none -l -N2 -c 4 app", [("app", 0, 0, 0, 0)]),
        ("# srun app\necho srun app\nexit 0\nsrun late", []),
        ("srun", []),
        ("srun -n", []),
        ("srun --bogus sleep 9", []),
        ("srun -ln2 --exclus app", [("app", 0, 0, 2, 0)]),
        ("srun --async sleep 9", [("sleep", 0, 9, 0, 0)]),
    ],
)
def test_read(script, found):
    assert [(s.name, s.begin, s.end, s.tasks, s.exit_code) for s in plan(f"#!/bin/sh\n{script}\n").steps] == found


@pytest.mark.parametrize(
    ("runtime", "asked", "ends"), [("sleep", 600, [0, None]), ("10m", None, [0, None]), ("sleep", None, [0, 0])]
)
def test_the_last_step_lasts_as_long_as_a_job_whose_time_is_given(runtime, asked, ends):
    ctl = world.uniform()
    ctl.cluster.config.runtime = runtime
    job = world.submit(ctl, "srun prepare\nsrun app\n", sim_runtime=asked)

    assert [step.end for step in job.steps] == ends


@pytest.mark.parametrize("option", options_of("s"), ids=repr)
def test_every_flag_of_the_table_is_a_flag_in_a_script(option):
    """An option without an argument of its own leaves the program alone, one with an argument takes it."""
    for spelling in filter(None, (option.long and f"--{option.long}", option.short and f"-{option.short}")):
        words = ["ARG", "prog"] if option.kind == REQUIRED else ["prog"]

        assert srun_step([spelling, *words])[1] == ["prog"]
    if option.long:
        assert srun_step([f"--{option.long}=9", "prog"])[1] == ([] if option.kind == NONE else ["prog"])


def test_what_an_srun_returns_that_cannot_read_its_line():
    assert (plan("srun --bogus sleep 9").exit_code, plan("srun --bogus true\ntrue").exit_code) == (255, 0)


def test_steps_side_by_side():
    read = plan("srun -n1 sleep 5 &\nsrun -n1 sleep 9 &\nwait\nsrun --export 'A=b c' last\n")

    assert [(s.name, s.begin, s.end) for s in read.steps] == [("sleep", 0, 5), ("sleep", 0, 9), ("last", 9, 9)]
    assert read.seconds == 9


def test_a_script_of_nothing_but_steps():
    assert len(plan("srun a\n" * 5000).steps) == MOST


def test_steps_are_kept(sim):
    sim("sbatch", "--wrap", "srun hostname; srun -J 'a b' ./x; srun sleep 9")

    assert sim("sacct", "-n", "-P", "-j", "1", "-o", "jobid,jobname,state").splitlines()[2:] == [
        "1.0|hostname|COMPLETED",
        "1.1|a b|COMPLETED",
        "1.2|sleep|RUNNING",
    ]


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("srun -t3 sleep 120", [(3, 0, 120, 0)]),
        ("srun --time=1 sleep 120; srun hostname", [(1, 0, 60, 15), (None, 60, 60, 0)]),
        ("srun -t 0:30 sleep 120", [(1, 0, 60, 15)]),
        ("srun -t 0 sleep 120; srun -t bogus sleep 1", [(None, 0, 120, 0), (None, 120, 121, 0)]),
    ],
)
def test_time_limits(script, found):
    assert [(s.time_limit, s.begin, s.end, s.signal) for s in plan(f"#!/bin/sh\n{script}\n").steps] == found
