"""``--flux-constraint`` and ``--requires``: which nodes they leave, how they are refused, never and not now."""

from __future__ import annotations

import pytest

HEAD = "sbatch: error: Batch job submission failed: "
BAD = f"{HEAD}Invalid feature specification\n"
NEVER = f"{HEAD}Requested node configuration is not available\n"
TOML = """
[slurm]
SchedulerParameters = "extra_constraints"
[[nodes]]
NodeName = "host[0-3]"
CPUs = 4
Features = "ssd"
[[nodes]]
NodeName = "host[4-5]"
CPUs = 4
Features = "ssd,huge"
[[partitions]]
PartitionName = "debug"
Nodes = "ALL"
Default = true
"""


@pytest.fixture
def flux(sim):
    sim.init(TOML)
    return sim


@pytest.mark.parametrize(
    ("options", "nodes"),
    [
        (["--flux-constraint", '{"properties": ["huge"]}', "-N2"], "host[4-5]"),
        (["--flux-constraint", '{"properties": ["^huge"]}', "-N4"], "host[0-3]"),
        (["--flux-constraint", '{"ranks": ["2-3"]}', "-N2"], "host[2-3]"),
        (["--flux-constraint", "{}", "-N6"], "host[0-5]"),
        (["--requires", "host:host[1,5]", "-N2"], "host[1,5]"),
        (["--requires", "huge|rank:0", "--requires", "ssd -host:host4", "-N2"], "host[0,5]"),
        (["--requires", "-huge", "--flux-constraint", '{"ranks": ["3-5"]}', "-N1"], "host3"),
        (["--requires", "huge", "-C", "ssd", "-x", "host4"], "host5"),
    ],
)
def test_a_job_runs_on_the_nodes_that_satisfy_it(flux, options, nodes):
    flux("sbatch", *options, "--exclusive", "--wrap", "sleep 60")

    assert flux("squeue", "-h", "-o", "%N") == f"{nodes}\n"


@pytest.mark.parametrize("command", ["srun", "salloc"])
def test_the_other_submissions_take_them(flux, command):
    flux.run(command, "--requires", "huge", "--flux-constraint", '{"ranks": ["5"]}', "-J", "x", "true")

    assert flux("sacct", "-X", "-n", "-P", "-o", "NodeList") == "host5\n"


def test_a_constraint_from_a_file(flux):
    (flux.cwd / "rule.json").write_text('{"hostlist": ["host3"]}')
    flux("sbatch --flux-constraint @rule.json --wrap 'sleep 60'")
    answer = flux.run("sbatch --flux-constraint @none.json --wrap true")

    assert flux("squeue", "-h", "-o", "%N") == "host3\n"
    assert (answer.code, answer.err) == (
        1,
        "sbatch: error: --flux-constraint: none.json: No such file or directory\n",
    )


def test_lines_of_the_script_count_too(flux):
    script = "#!/bin/sh\n#SBATCH --requires=huge\nsleep 60\n"
    flux("sbatch", "--requires", "rank:0-4", stdin=script)

    assert flux("squeue", "-h", "-o", "%N") == "host4\n"


@pytest.mark.parametrize(
    ("options", "notes"),
    [
        (
            ["--flux-constraint", '{"and": [{}, {"hostlist": ["h[1"]}]}'],
            ["and[1].hostlist[0]: '[' without its ']': \"[1\""],
        ),
        (["--flux-constraint", '{"gpus": []}'], ['unknown operator "gpus"']),
        (["--flux-constraint", '{"or": ['], None),
        (["--requires", "ssd &"], None),
        (["--requires", "ssd", "--requires", "huge)"], ["huge)", "    ^", '")" has no "(" before it', "remove it"]),
    ],
)
@pytest.mark.usefixtures("with_notes")
def test_a_wrong_one_is_refused_with_the_place(flux, options, notes):
    answer = flux.run("sbatch", *options, "--wrap", "true")
    first, *more = answer.err.splitlines()

    assert (answer.code, answer.out, f"{first}\n") == (1, "", BAD)
    assert more
    assert all(line.startswith("sbatch: note: ") for line in more)
    if notes:
        assert [line.removeprefix("sbatch: note: ") for line in more] == notes
    assert flux("squeue", "-h") == ""


@pytest.mark.parametrize(
    ("options", "note"),
    [
        (["--requires", "host:elsewhere"], "--requires: no node of debug satisfies it"),
        (["--requires", "huge", "-N3"], "--requires: only 2 nodes of debug satisfy it"),
        (["--flux-constraint", '{"not": [{}]}'], "--flux-constraint: no node of debug satisfies it"),
    ],
)
@pytest.mark.usefixtures("with_notes")
def test_one_that_no_node_can_satisfy_is_refused(flux, options, note):
    answer = flux.run("sbatch", *options, "--wrap", "true")

    assert (answer.code, answer.err) == (1, f"{NEVER}sbatch: note: {note}\n")


def test_one_whose_nodes_are_busy_waits(flux):
    flux("sbatch --requires huge -N2 --exclusive --wrap 'sleep 60'")
    flux("sbatch --requires huge --wrap 'sleep 60'")

    assert flux("squeue", "-h", "-o", "%i %t %r %N", "-S", "i") == "1 R None host[4-5]\n2 PD Resources \n"
