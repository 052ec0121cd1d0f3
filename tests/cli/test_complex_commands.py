"""Complex attributes on the command line: scontrol, slurmd --load, and the options of sbatch, srun and salloc."""

from __future__ import annotations

import pytest


def test_define_offer_request_and_book(sim) -> None:
    sim("scontrol create complex name=lic type=INT relop=<= consumable=YES")
    sim("scontrol create complex name=kind shortcut=k type=STRING relop===")
    sim("scontrol update cluster complexes=lic=2")
    sim("scontrol update nodename=node02 complexes=kind=fast")
    sim("sbatch -l lic=1,k=f* --wrap 'sleep 60'")
    sim("sbatch --resources lic=1 --soft -l kind=fast --hard -l num_proc=4 --wrap 'sleep 60'")
    sim("sbatch -l lic=1 --wrap 'sleep 60'")

    listed = sim("squeue", "-h", "-S", "i", "-o", "%i %t %N %r")

    assert listed == "1 R node02 None\n2 PD  Constraints\n3 R node02 None\n"
    assert sim("scontrol show complexes lic").splitlines()[2].split() == [
        "lic",
        "lic",
        "INT",
        "<=",
        "YES",
        "YES",
        "0",
        "0",
    ]
    assert sim("scontrol show complexes").splitlines()[-1] == "global complex_values=lic=2"


def test_script_and_command_line_add_up(sim) -> None:
    (sim.cwd / "job.sh").write_text("#!/bin/sh\n#SBATCH -l num_proc=1\n#SBATCH --soft -l h=node03\nsleep 60\n")
    sim("scontrol update nodename=node01 complexes=num_proc=7")
    sim("sbatch -l num_proc=7 job.sh")

    assert sim("squeue", "-h", "-o", "%N") == "node01\n"


def test_load_values(sim) -> None:
    sim("sbatch -l mem_free=1G --wrap 'sleep 60'")

    assert sim("squeue", "-h", "-o", "%t %r") == "PD Constraints\n"

    sim("slurmd -N node03 --load mem_free=2G")

    assert sim("squeue", "-h", "-o", "%t %N") == "R node03\n"


def test_definitions_change_and_go(sim) -> None:
    sim("scontrol create complex lic type=INT relop=<=")
    sim("scontrol update complex name=lic consumable=JOB default=1")
    sim("scontrol update partitionname=debug complexes=lic=1")
    refused = sim.run("scontrol delete complex lic")

    assert refused.err == 'denied: Complex attribute "lic" is still referenced in queue "debug".\n'

    sim("scontrol update partitionname=debug complexes=NONE")
    sim("scontrol delete complex lic")

    assert sim.run("scontrol show complexes lic").code == 1


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("sbatch -l zz=1 --wrap true", 'sbatch: error: unknown resource "zz"\nsbatch: note: zz=1\nsbatch: note: ^^\n'),
        ("scontrol create complex type=INT", "a complex attribute needs a name: name=...\n"),
        ("scontrol create complex arch type=INT relop=<=", "complex with name arch or shortcut arch already exists\n"),
        ("scontrol update cluster x=1", "a cluster's fields to update: complexes=attr=value,... load=attr=value,...\n"),
        ("scontrol update nodename=node01 complexes=zz=1", 'denied: attribute "zz" is not a complex attribute\n'),
        ("scontrol delete complex arch", 'The built-in complex "arch" cannot be deleted\n'),
        ("srun -l --resources zz true", 'srun: error: unknown resource "zz"\nsrun: note: zz\nsrun: note: ^^\n'),
    ],
)
@pytest.mark.usefixtures("with_notes")
def test_refusals(sim, command: str, message: str) -> None:
    answer = sim.run(command)

    assert (answer.code, answer.err) == (1, message)


def test_match_and_check_with_the_clusters_attributes(sim) -> None:
    sim("scontrol create complex scratch type=MEMORY relop=<=")
    sim("scontrol update nodename=node0[1-2] complexes=scratch=10G")

    assert sim("constraint match --dialect sge scratch=6G,h=!node01") == "node02\n"
    assert sim("constraint check --dialect sge scratch=6G").startswith("valid: ")


@pytest.mark.parametrize(
    "command",
    [
        "slurmd -N global --load mem_free=2G",
        "scontrol update cluster load=mem_free=2G",
        "qconf -mattr exechost load_values mem_free=2G global",
    ],
)
def test_load_values_of_the_whole_cluster(sim, command: str) -> None:
    sim("sbatch -l mem_free=1G --wrap 'sleep 60'")
    sim("sbatch -l mem_free=3G --wrap 'sleep 60'")
    sim.run(command)

    assert sim("squeue", "-h", "-S", "i", "-o", "%i %t %r") == "1 R None\n2 PD Constraints\n"
    assert sim("qhost -F mem_free").splitlines()[3] == "    Host Resource(s):      gl:mem_free=2.000G"
    assert sim("qstat -F mem_free").splitlines()[3] == "\tgl:mem_free=2.000G"
    assert sim("scontrol show complexes").splitlines()[-1] == "global complex_values=NONE load_values=mem_free=2G"


@pytest.mark.parametrize(
    "command", ["scontrol update partitionname=debug h_vmem=2G", "qconf -mattr queue h_vmem 2G debug"]
)
def test_limits_of_a_queue(sim, command: str) -> None:
    sim(command)
    sim("sbatch -l h_vmem=2G --wrap 'sleep 60'")
    sim("sbatch -l h_vmem=3G --wrap 'sleep 60'")

    assert sim("squeue", "-h", "-S", "i", "-o", "%i %t %r") == "1 R None\n2 PD Constraints\n"
    assert sim("qconf -sq debug").splitlines()[-1].split() == ["h_vmem", "2G"]


def test_example_e2_of_the_document(sim) -> None:
    sim("scontrol create complex name=t02 type=INT relop=<= consumable=YES")
    sim("scontrol update partitionname=debug complexes=t02=40")
    for command in ("qsub -pe mpi 6 -l t02=20 -b y sleep 60", "sbatch -n 6 -l t02=20 --wrap 'sleep 60'"):
        sim(command)
        sim("advance 60")

    assert sim("sacct", "-n", "-X", "-P", "-o", "jobid,ncpus,nodelist,state") == (
        "1|6|node[01-03]|COMPLETED\n2|6|node[01-03]|COMPLETED\n"
    )
    said = sim("qsub -pe mpi 7 -l t02=20 -b y sleep 60") + sim("explain 3")
    assert "It can never start" in said
    assert "Expected start" not in said


@pytest.mark.usefixtures("with_notes")
def test_what_a_category_cannot_use_is_kept_between_commands(sim) -> None:
    def counted() -> tuple[int, ...]:
        return tuple(int(word) for word in sim.run("sdiag").err.replace(",", " ").split() if word.isdigit())

    sim("scontrol update nodename=node02 complexes=mem_free=2G")
    sim("sbatch -l mem_free=1G --wrap 'sleep 60'")
    evaluated, kept = counted()
    for _ in range(3):
        sim("sbatch -l mem_free=1G --wrap 'sleep 60'")

    assert (counted()[0], counted()[1] > kept) == (evaluated, True)
    for command in (
        "scontrol update nodename=node02 complexes=mem_free=500M",
        "slurmd -N node03 --load mem_free=1G",
        "scontrol update cluster load=mem_free=1M",
        "scontrol update cluster load=NONE",
        "scontrol update partitionname=debug complexes=mem_free=1M",
    ):
        before = counted()[0]
        sim(command)
        sim("sbatch -l mem_free=1G --wrap 'sleep 60'")
        assert counted()[0] > before, command
    listed = sim("squeue", "-h", "-S", "i", "-o", "%i %N %r").splitlines()
    assert [line.split(" ", 1)[1] for line in listed] == ["node02 None"] * 4 + ["node03 None"] * 4 + [" Constraints"]


ONE_NODE = """
[[nodes]]
NodeName = "n1"
CPUs = 2
[[partitions]]
PartitionName = "q"
Nodes = "ALL"
Default = true
"""


def test_what_is_kept_does_not_outlive_the_configuration(sim) -> None:
    path = sim.state / "cluster.toml"
    sim.init(ONE_NODE)
    for _ in range(2):
        sim("sbatch -l num_proc=4 --wrap 'sleep 60'")
    assert sim("squeue", "-h", "-o", "%t %r") == "PD Constraints\n" * 2
    path.write_text(path.read_text().replace("CPUs = 2", "CPUs = 4"))
    sim("advance 1")

    assert "R" in sim("squeue", "-h", "-o", "%t")
