"""``sim slurmd``: nodes that register, and this machine described."""

from __future__ import annotations

import re


def test_the_documents_way_to_give_a_node_its_data(sim):
    sim("slurmd", "-N", "node[01-02]", "--extra", '{"load": 0.3}')

    shown = sim("scontrol show node")
    assert shown.count('Extra={"load": 0.3}\n') == 2
    sim("sbatch", "--extra", "load<0.5", "--wrap", "sleep 60")
    assert sim("squeue", "-h", "-o", "%t %N") == "R node01\n"


def test_undecodable_data_is_kept_and_never_matches(sim):
    sim("slurmd", "-N", "node01", "--extra", "not json")

    assert "Extra=not json\n" in sim("scontrol show node node01")
    sim("sbatch", "--extra", "a=1", "--wrap", "true")
    assert sim("squeue", "-h", "-o", "%t %r") == "PD Constraints\n"


def test_unknown_nodes(sim):
    assert sim.run("slurmd -N nosuch") == (1, "", "slurmd: fatal: Unable to determine this slurmd's NodeName: nosuch\n")


def test_describing_this_machine(sim):
    out = sim("slurmd -C")

    assert re.fullmatch(
        r"NodeName=\S+ CPUs=\d+ Boards=1 SocketsPerBoard=1 CoresPerSocket=\d+ ThreadsPerCore=1 RealMemory=\d+\n"
        r"UpTime=\d+-\d\d:\d\d:\d\d\n",
        out,
    )


def test_load_values(sim):
    sim("slurmd -N node01 --load np_load_avg=0.5,arch=lx -b -vv -D")

    assert sim.run("slurmd -N node01 --load bad").err == "slurmd: error: Invalid --load specification: bad\n"


def test_help_lists_options_without_a_long_name(sim):
    assert "  -N nodes " in sim("slurmd --help")
