"""Dynamic nodes: made by a command or by a slurmd that registers, removed again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

CONF = """
SelectType=select/cons_tres
MaxNodeCount=5
GresTypes=gpu
NodeName=n[1-2] CPUs=4 Feature=f1
NodeSet=ns1 Feature=f1
NodeSet=ns2 Feature=f2 Nodes=n2
PartitionName=all Nodes=ALL Default=YES
PartitionName=one Nodes=ns1
PartitionName=both Nodes=ns1,ns2
PartitionName=some Nodes=ns2
"""
Make = Callable[[str, Sequence[str]], Any]
NODES = "sinfo -h -o '%R %N'"


@pytest.fixture
def dynamic(configured: Make) -> Any:
    return configured(CONF, ())


def test_a_node_joins_the_partitions_that_have_all_nodes_or_its_feature(dynamic: Any) -> None:
    assert dynamic(NODES) == "all n[1-2]\none n[1-2]\nboth n[1-2]\nsome n2\n"
    assert dynamic("scontrol create nodename=d[1-2] CPUs=8 RealMemory=500 Feature=f2 State=CLOUD") == ""
    assert dynamic("sinfo -h -o '%R %T %N'") == (
        "all idle~ d[1-2]\nall idle n[1-2]\none idle n[1-2]\nboth idle~ d[1-2]\nboth idle n[1-2]\n"
        "some idle~ d[1-2]\nsome idle n2\n"
    )
    assert "State=IDLE+CLOUD+DYNAMIC_NORM+POWERED_DOWN " in dynamic("scontrol show node d2")
    assert "   Nodes=n2,d[1-2]\n" in dynamic("scontrol show partition some")
    assert dynamic("scontrol delete nodename=d1") == ""
    assert dynamic(NODES) == "all n[1-2],d2\none n[1-2]\nboth n[1-2],d2\nsome n2,d2\n"


def test_a_slurmd_makes_its_node(dynamic: Any) -> None:
    dynamic("slurmd", "-Z", "-N", "w1", "--conf", "CPUs=2 RealMemory=900 Gres=gpu:2 Feature=f2")
    dynamic("slurmd -Z -N w1")  # it is there already
    shown = dynamic("scontrol show node w1")
    assert "State=IDLE+DYNAMIC_NORM " in shown
    assert "Gres=gpu:2\n" in shown
    dynamic("sbatch -w w1 --gpus=1 --sim-runtime 50 --wrap x")
    assert dynamic("squeue -h -o '%t %N'") == "R w1\n"
    dynamic("slurmd -Z -N here")
    assert "CPUTot=" in dynamic("scontrol show node here")


def test_jobs_run_on_a_new_node_and_outlive_it(dynamic: Any) -> None:
    dynamic("scontrol create nodename=d1 CPUs=4 State=FUTURE Feature=new")
    assert dynamic("sinfo -h -F -n d1 -p all -o %T") == "future\n"
    dynamic("sbatch -w d1 --sim-runtime 9 --wrap x")
    assert dynamic("squeue -h -o %t") == "PD\n"
    dynamic("slurmd -F -N d1")
    assert dynamic("squeue -h -o '%t %N'") == "R d1\n"
    assert dynamic.run("scontrol delete nodename=d1").err == (
        "scontrol: error: failed to delete nodes d1\ndelete_node nodename=d1: Requested nodes are busy\n"
    )
    dynamic("advance 9s")
    dynamic("scontrol delete nodename=d1")
    assert dynamic("squeue -h -t all -o '%t %N'") == "CD d1\n"
    assert dynamic("sacct -n -X -P -o nodelist") == "d1\n"
    dynamic("advance 1h")
    assert dynamic("sacct -n -X -P -o nodelist") == "d1\n"
    assert dynamic.run("doctor").code == 0


@pytest.mark.parametrize(
    ("line", "said", "note"),
    [
        ("nodename=d1", "Invalid node state specified", ""),
        ("nodename=d1 state=idle", "Invalid node state specified", ""),
        ("nodename=n1 state=cloud", "Node already exists in the node table", ""),
        (
            "nodename=d[1-4] state=cloud",
            "Unable to add node, node table is full",
            "the cluster has 2 nodes; MaxNodeCount",
        ),
        ("nodename=d1 state=cloud Memry=3", "Unspecified error", "Parsing error at unrecognized key: Memry"),
        ("nodename=d1 state=cloud CPUs=x", "Unspecified error", "CPUs: should be a whole number, not 'x'"),
        ("nodename=d[1 state=cloud", "Unspecified error", "d[1"),
    ],
)
def test_nodes_that_are_not_made(dynamic: Any, with_notes: None, line: str, said: str, note: str) -> None:
    answer = dynamic.run(f"scontrol create {line}")
    assert answer.code == 1
    assert f"Error creating node(s): {said}\n" in answer.err
    assert ("note: " in answer.err) is bool(note)
    assert note in answer.err
    assert dynamic("sinfo -h -p all -o %D") == "2\n"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("n1", "Requested operation not supported on this system"),
        ("x", "Invalid node name specified"),
        ("d1", "Requested nodes are busy"),
        ("d2", "Requested nodes are busy"),
        ("d3", ""),
    ],
)
def test_nodes_that_stay(dynamic: Any, name: str, said: str) -> None:
    dynamic("scontrol create nodename=d[1-3] CPUs=1 state=cloud")
    dynamic("sbatch --hold -w d1 --wrap x")
    dynamic("scontrol create reservation=r nodes=d2 users=root starttime=now duration=60 flags=ignore_jobs")
    dynamic("scontrol create partition=p nodes=d[1-3]")
    answer = dynamic.run(f"scontrol delete nodename={name}")
    assert answer.code == bool(said)
    if said:
        assert answer.err.endswith(f"delete_node nodename={name}: {said}\n")
    else:
        assert dynamic("scontrol show partition p").count("Nodes=d[1-2]\n") == 1


def test_only_cons_tres_has_dynamic_nodes(configured: Make) -> None:
    sim = configured("SelectType=select/linear\nMaxNodeCount=9\nNodeName=n1\nPartitionName=p Nodes=ALL\n", ())
    for words in ("create nodename=d1 state=cloud", "delete nodename=d1"):
        answer = sim.run(f"scontrol {words}")
        assert answer.code == 1
        assert "only compatible with select/cons_tres\n" in answer.err
        assert answer.err.endswith(": Access/permission denied\n")


def test_a_cluster_may_begin_without_nodes(configured: Make) -> None:
    sim = configured("MaxNodeCount=3\nNodeSet=s Feature=f\nPartitionName=p Nodes=s Default=YES\n", ())
    assert sim("sinfo -h -o '%R %D %T'") == "p 0 n/a\n"
    sim("sbatch --sim-runtime 5 --wrap x")
    assert sim("squeue -h -o %t") == "PD\n"
    sim("slurmd -Z -N a --conf Feature=f")
    assert sim("squeue -h -o '%t %N'") == "R a\n"
    sim("scontrol write config x")
    written = next(path for path in (*sim.cwd.glob("x*"), *sim.state.glob("x*"))).read_text()
    assert "NodeSet=s Feature=f\n" in written
