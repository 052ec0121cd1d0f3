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
        ("scontrol update cluster x=1", "a cluster has one field to update: complexes=attr=value,...\n"),
        ("scontrol update nodename=node01 complexes=zz=1", 'denied: attribute "zz" is not a complex attribute\n'),
        ("scontrol delete complex arch", 'The built-in complex "arch" cannot be deleted\n'),
        ("srun -l --resources zz true", 'srun: error: unknown resource "zz"\nsrun: note: zz\nsrun: note: ^^\n'),
    ],
)
def test_refusals(sim, command: str, message: str) -> None:
    answer = sim.run(command)

    assert (answer.code, answer.err) == (1, message)


def test_match_and_check_with_the_clusters_attributes(sim) -> None:
    sim("scontrol create complex scratch type=MEMORY relop=<=")
    sim("scontrol update nodename=node0[1-2] complexes=scratch=10G")

    assert sim("constraint match --dialect sge scratch=6G,h=!node01") == "node02\n"
    assert sim("constraint check --dialect sge scratch=6G").startswith("valid: ")
