"""``sim init --from`` on the shapes of published configurations, and the commands of the first minutes on each."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from slimsched.render.config.forms import FORMS
from slimsched.text.hostlist import expand

DATA = Path(__file__).parents[2] / "data" / "configurations"


class Shape(NamedTuple):
    """What a configuration becomes: the summary, the reported differences, ``sinfo``, and the first job's line."""

    summary: str
    differences: list[str]
    sinfo: list[str]
    job: str


SHAPES = {
    "gpu-lab": Shape(
        "Cluster compute-cluster: 1 node with 24 CPUs, partition P1*", [], ["P1* infinite 1 idle lab"], "R lab"
    ),
    "superpod": Shape(
        "Cluster superpod: 128 nodes with 28672 CPUs, partitions train*,interactive,long",
        ["Cores (gres.conf)", "HealthCheckProgram", "RebootProgram"],
        [
            "train* 4:00:00 128 idle dgx-h100-[001-128]",
            "interactive 4:00:00 16 idle dgx-h100-[001-016]",
            "long 7-00:00:00 64 idle dgx-h100-[065-128]",
        ],
        "R dgx-h100-001",
    ),
    "cloud-queues": Shape(
        "Cluster parallel: 16 nodes with 432 CPUs, partitions compute*,gpu",
        ["RebootProgram", "ResumeFailProgram"],
        [
            "compute* infinite 12 idle~ compute-st-small-[1-2],compute-dy-small-[1-10]",
            "gpu infinite 4 idle~ gpu-dy-large-[1-4]",
        ],
        "CF compute-st-small-1",
    ),
    "cloud-partitions": Shape(
        "Cluster ghpc: 24 nodes with 608 CPUs, partitions debug*,compute",
        ["ResumeFailProgram"],
        ["debug* infinite 4 idle~ ghpc-debugset-[0-3]", "compute infinite 20 idle~ ghpc-computeset-[0-19]"],
        "CF ghpc-debugset-0",
    ),
    "containers": Shape(
        "Cluster linux: 0 nodes with 0 CPUs, partitions cpu*,gpu",
        [],
        ["cpu* infinite 0 n/a", "gpu infinite 0 n/a"],
        "PD",
    ),
    "university": Shape(
        "Cluster university: 955 nodes with 49088 CPUs, partitions general*,interact,bigmem,gpu,serial_requeue,"
        f"unrestricted,{','.join(f'owner{number:02}' for number in range(1, 45))}",
        ["CompleteWait", "HealthCheckProgram", "InactiveLimit", "JobSubmitPlugins"],
        [],
        "R a201101",
    ),
    "openhpc": Shape(
        "Cluster cluster: 4 nodes with 128 CPUs, partition normal*",
        ["HealthCheckProgram"],
        ["normal* 1-00:00:00 4 idle c[1-4]"],
        "R c1",
    ),
    "old-cluster": Shape(
        "Cluster cluster: 21 nodes with 84 CPUs, partition std.q*",
        [],
        ["std.q* 1-00:00:00 11 idle c[11,13-22]", "std.q* 1-00:00:00 1 down c12"],
        "R c11",
    ),
}


def start(sim: Any, name: str) -> list[str]:
    """Make the cluster and return what ``init`` prints."""
    answer = sim.run("init", "--from", str(DATA / name / "slurm.conf"), env={"SLIMSCHED_NOTES": "1"})
    assert (answer.code, answer.err) == (0, "")
    return list(answer.out.splitlines())


@pytest.mark.parametrize(("name", "shape"), SHAPES.items())
def test_the_first_minutes(sim: Any, name: str, shape: Shape) -> None:
    said = start(sim, name)
    assert said[0] == shape.summary
    assert [line.strip().partition(":")[0] for line in said if line.startswith("  ")] == shape.differences
    listed = [line.rstrip() for line in sim("sinfo -h -o '%P %l %D %T %N'").splitlines()]
    assert listed == shape.sinfo or (not shape.sinfo and len(listed) == 50)
    assert sim("sbatch --sim-runtime 60 --wrap x") == "Submitted batch job 1\n"
    assert sim("squeue -h -o '%t %N'").strip() == shape.job
    assert sim.run("explain 1").code == 0
    assert sim.run("doctor").code == 0
    sim("advance 1h")
    assert sim.run("scontrol reconfigure").code == 0
    assert sim("squeue -h").strip().startswith("1") is (name == "containers")


@pytest.mark.parametrize(("name", "cpus", "memory"), [("superpod", 16, 240000), ("gpu-lab", 1, 30000)])
def test_jobs_with_a_gpu_go_where_most_are_free(sim: Any, name: str, cpus: int, memory: int) -> None:
    start(sim, name)
    for _ in range(9):
        sim("sbatch --gpus=1 -t 10 --sim-runtime 60 --wrap x")
    nodes = ["lab"] * 8 if name == "gpu-lab" else [f"dgx-h100-00{k}" for k in range(1, 9)]
    lines = sim("squeue -h -S i -o '%t %N'").splitlines()
    assert lines[:8] == [f"R {node}" for node in nodes]
    assert lines[8].strip() == ("PD" if name == "gpu-lab" else "R dgx-h100-009")
    held = "gres/gpu=1,gres/gpu:h100=1" if name == "superpod" else "gres/gpu=1"
    assert f"   AllocTRES=cpu={cpus},mem={memory}M,node=1,billing={cpus},{held}\n" in sim("scontrol show job 8")
    if name == "gpu-lab":
        assert "  lab: 0 of 8 gpu free, wanted 1; jobs 1, 2, 3, ... until 2026-01-01T00:10:00\n" in sim("explain 9")


def test_jobs_of_a_cloud_wait_for_its_nodes(sim: Any) -> None:
    start(sim, "cloud-partitions")
    sim("sbatch -p compute -N2 --sim-runtime 100 --wrap x")
    sim("advance 300s")
    assert sim("squeue -h -o '%t %N'") == "R ghpc-computeset-[0-1]\n"
    assert sim("sinfo -h -p compute -o '%T %N'") == "idle~ ghpc-computeset-[2-19]\nallocated ghpc-computeset-[0-1]\n"
    sim("advance 100s")
    assert sim("sinfo -h -n ghpc-computeset-0 -p compute -o %T") == "idle%\n"  # PowerDownOnIdle
    sim("sbatch --sim-runtime 100 --wrap x")
    sim("advance 1h")
    assert sim("sinfo -h -n ghpc-debugset-0 -p debug -o %T") == "idle\n"  # SuspendExcParts


def test_nodes_of_containers_register_themselves(sim: Any) -> None:
    assert start(sim, "containers")[-1].startswith("No nodes yet. To add one: sim slurmd -Z -N NAME")
    sim("sbatch --sim-runtime 60 --wrap x")
    for number in (1, 2):
        sim("slurmd", "-Z", "-N", f"c{number}", "--conf", "CPUs=2 RealMemory=2000 Feature=cpu")
    sim("slurmd", "-Z", "-N", "g1", "--conf", "CPUs=2 RealMemory=2000 Feature=gpu Gres=gpu:nvidia:1")
    assert sim("squeue -h -o '%t %N'") == "R c1\n"
    assert sim("sinfo -h -o '%P %T %N'") == "cpu* mixed c1\ncpu* idle c2\ngpu idle g1\n"


NUMBERED = ("SlurmctldHost", "Prolog", "Epilog")
NOT_SHOWN = {
    "ControlMachine": "of before SlurmctldHost",
    "ControlAddr": "of before SlurmctldHost",
    "CacheGroups": "defunct",
    "FastSchedule": "defunct",
    "AccountingStoreJobComment": "defunct",
    "DefMemPerGPU": "is in JobDefaults",
    "NodeSet": "shown by partitions",
    "DownNodes": "shown by nodes",
}
UNIT = re.compile(r" (sec|min|nodes/min|MB|usec|hours|days)$")
NODE_KEYS = {"CPUs": "CPUTot", "Procs": "CPUTot", "Feature": "ActiveFeatures", "Features": "ActiveFeatures"}
PARTITION_KEYS = {"Default", "State", "MaxNodes", "Hidden", "RootOnly"}
OF_STATE = {"State", "NodeAddr", "NodeHostName", "SocketsPerBoard"}


def records(text: str) -> list[dict[str, str]]:
    return [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in text.splitlines()]


def lines(name: str) -> Iterator[list[tuple[str, str]]]:
    """Yield the keys and values of each line of a configuration and of what it includes."""
    for path in sorted((DATA / name).glob("*.conf")):
        if path.name in {"gres.conf", "topology.conf", "cgroup.conf"}:
            continue
        for line in path.read_text().replace("\\\n", " ").splitlines():
            found = re.findall(r'(\w+)=("[^"]*"|\S+)', re.sub(r"(?<!\\)#.*", "", line))
            if found:
                yield [(key, value.strip('"')) for key, value in found]


@pytest.mark.parametrize("name", SHAPES)
def test_what_the_file_says_is_what_is_shown(sim: Any, name: str) -> None:
    sim("init", "--force", "--from", str(DATA / name / "slurm.conf"))
    config = dict(line.split("=", 1) for line in sim("scontrol show config").splitlines() if " = " in line)
    values = {key.strip().lower(): UNIT.sub("", value.strip()).lower() for key, value in config.items()}
    partitions = {each["PartitionName"]: each for each in records(sim("scontrol -o show partition"))}
    nodes = {each["NodeName"]: each for each in records(sim("scontrol -o show node")) if "NodeName" in each}
    met = Counter[str]()
    for (kind, named), *pairs in lines(name):
        if named == "DEFAULT" or kind in NOT_SHOWN:
            continue
        if kind == "NodeName":
            for node in expand(named, dialect="slurm")[::50]:
                shown = {key: nodes[node].get(NODE_KEYS.get(key, key)) for key, _ in pairs if key not in OF_STATE}
                assert shown == {key: value for key, value in pairs if key not in OF_STATE}
        elif kind == "PartitionName":
            given = {key: value for key, value in pairs if key in PARTITION_KEYS}
            assert {key: partitions[named][key].upper() for key in given} == {k: v.upper() for k, v in given.items()}
        elif kind not in FORMS and not named.endswith("/none"):  # the others: tests/render/config
            place = f"[{met[kind]}]" if kind in NUMBERED else ""
            met[kind] += 1
            assert values[f"{kind}{place}".lower()] == named.lower(), kind


def test_partitions_name_their_node_sets(sim: Any) -> None:
    sim("init", "--force", "--from", str(DATA / "cloud-partitions" / "slurm.conf"))
    assert "\n   NodeSets=debugset\n   Nodes=ghpc-debugset-[0-3]\n" in sim("scontrol show partition debug")
    shown = json.loads(sim("scontrol show partition compute --json"))["partitions"]
    assert [part["node_sets"] for part in shown] == ["computeset"]
