"""GPUs as resources on a cluster of nodes with eight: what a job asks for and gets, and everywhere that is shown."""

from __future__ import annotations

import json

import pytest

SLURM_CONF = """\
ClusterName=ai
SlurmctldHost=head
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageTRES=gres/gpu,gres/gpu:a100,gres/gpu:h100
DefMemPerCPU=4000
NodeName=a[1-2] Sockets=2 CoresPerSocket=32 ThreadsPerCore=1 RealMemory=1000000 Gres=gpu:a100:8
NodeName=h1 Sockets=2 CoresPerSocket=32 ThreadsPerCore=1 RealMemory=2000000 Gres=gpu:h100:8
PartitionName=a100 Nodes=a[1-2] Default=YES DefCpuPerGPU=8 DefMemPerGPU=120000
PartitionName=h100 Nodes=h1 TRESBillingWeights=CPU=0.5,Mem=0.1G,GRES/gpu=10,GRES/gpu:h100=5
PartitionName=plain Nodes=a[1-2]
"""


@pytest.fixture
def cluster(sim):
    (sim.cwd / "slurm.conf").write_text(SLURM_CONF)
    sim("init", "--from", "slurm.conf", "--force")
    return sim


def sbatch(sim, *options):
    return sim("sbatch", "--parsable", "-t", "60", *options, "--wrap", "sleep 600").strip()


def tres(sim, job):
    shown = sim("squeue", "-h", "-j", job, "-O", "tres-alloc:90").strip()
    text = sim("scontrol", "show", "job", job)
    found = [line.strip().partition("=")[2] for line in text.split("\n") if "TRES=" in line]
    assert found[1] in (shown, "(null)")
    return found


def test_jobs_of_one_gpu_go_where_most_are_free_until_all_are_taken(cluster):
    for _ in range(17):
        sbatch(cluster, "--gpus=1")

    assert cluster("squeue", "-h", "-S", "i", "-o", "%i %t %N %C").split("\n")[:-1] == [
        *(f"{job} R a{2 - job % 2} 8" for job in range(1, 17)),
        "17 PD  1",
    ]


@pytest.mark.parametrize(
    ("options", "asked", "got"),
    [
        (
            ["--gres=gpu:2"],
            "cpu=16,mem=240000M,node=1,billing=16,gres/gpu=2",
            "cpu=16,mem=240000M,node=1,billing=16,gres/gpu=2,gres/gpu:a100=2",
        ),
        (
            ["--gpus-per-node=a100:1", "-N2", "--mem=10G"],
            "cpu=16,mem=20G,node=2,billing=16,gres/gpu=2,gres/gpu:a100=2",
            "cpu=16,mem=20G,node=2,billing=16,gres/gpu=2,gres/gpu:a100=2",
        ),
        (
            ["--gpus-per-task=1", "-n3", "-c2", "--mem-per-gpu=1000"],
            "cpu=6,mem=3000M,node=1,billing=6,gres/gpu=3",
            "cpu=6,mem=3000M,node=1,billing=6,gres/gpu=3,gres/gpu:a100=3",
        ),
        (
            ["-p", "h100", "--gpus=h100:1", "-n4", "--mem=10G"],
            "cpu=4,mem=10G,node=1,billing=18,gres/gpu=1,gres/gpu:h100=1",
            "cpu=4,mem=10G,node=1,billing=18,gres/gpu=1,gres/gpu:h100=1",
        ),
        (
            ["-p", "plain", "--gres=gpu:1"],
            "cpu=1,mem=4000M,node=1,billing=1,gres/gpu=1",
            "cpu=1,mem=4000M,node=1,billing=1,gres/gpu=1,gres/gpu:a100=1",
        ),
        (["-n2"], "cpu=2,mem=8000M,node=1,billing=2", "cpu=2,mem=8000M,node=1,billing=2"),
    ],
)
def test_what_a_job_asks_for_and_gets(cluster, options, asked, got):
    job = sbatch(cluster, *options)

    assert tres(cluster, job) == [asked, got]
    [shown] = json.loads(cluster("squeue", "--json"))["jobs"]
    assert (shown["tres_req_str"], shown["tres_alloc_str"]) == (asked, got)
    by_name = [",".join(sorted(text.split(","), key=lambda item: item.split("=")[0])) for text in (asked, got)]
    assert cluster("sacct", "-nXP", "-o", "reqtres,alloctres").strip() == "|".join(by_name)


def test_nodes_and_partitions(cluster):
    sbatch(cluster, "--gpus=3")

    def line(*words):
        return [line.strip() for line in cluster("scontrol", "show", *words).split("\n") if "TRES" in line]

    assert line("node", "a1") == [
        "CfgTRES=cpu=64,mem=1000000M,billing=64,gres/gpu=8,gres/gpu:a100=8",
        "AllocTRES=cpu=24,mem=360000M,gres/gpu=3,gres/gpu:a100=3",
    ]
    assert line("partition", "h100") == [
        "TRES=cpu=64,mem=2000000M,node=1,billing=347,gres/gpu=8,gres/gpu:h100=8",
        "TRESBillingWeights=CPU=0.5,Mem=0.1G,GRES/gpu=10,GRES/gpu:h100=5",
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [("DefCpuPerGPU=2", "DefCpuPerGPU=2"), ("defmempergpu=10,DefCpuPerGPU=4", "DefCpuPerGPU=4,DefMemPerGPU=10")],
)
def test_job_defaults_of_an_update_replace_those_of_the_partition(cluster, text, shown):
    assert "JobDefaults=DefCpuPerGPU=8,DefMemPerGPU=120000\n" in cluster("scontrol", "show", "partition", "a100")
    cluster("scontrol", "update", "PartitionName=a100", f"JobDefaults={text}")
    assert f"JobDefaults={shown}\n" in cluster("scontrol", "show", "partition", "a100")


def test_job_defaults_that_are_none(cluster):
    answer = cluster.run("scontrol", "update", "PartitionName=a100", "JobDefaults=DefCpuPerGPU=x")
    assert answer == (1, "", "slurm_update error: Invalid JobDefaults specification\n")


def test_the_published_configuration_of_dgx_nodes(sim):
    """DeepOps' template (NVIDIA/deepops, roles/slurm) filled in for DGX nodes, with the defaults of a GPU added."""
    (sim.cwd / "slurm.conf").write_text(
        "ClusterName=deepops\nSlurmctldHost=mgmt\nGresTypes=gpu\nSelectType=select/cons_tres\n"
        "SelectTypeParameters=CR_Core_Memory,CR_CORE_DEFAULT_DIST_BLOCK,CR_ONE_TASK_PER_CORE\nTaskPlugin=affinity,cgroup\n"
        "AccountingStorageType=accounting_storage/slurmdbd\nAccountingStorageTRES=gres/gpu\n"
        "DefCpuPerGPU=28\nDefMemPerGPU=125000\n"
        "NodeName=dgx[01-02] Gres=gpu:8 CPUs=256 Sockets=2 CoresPerSocket=64 ThreadsPerCore=2 RealMemory=1031614\n"
        "PartitionName=batch Nodes=ALL Default=YES DefMemPerCPU=0 OverSubscribe=NO\n"
    )
    files = "Name=gpu File=/dev/nvidia[0-3] Cores=0-63\nName=gpu File=/dev/nvidia[4-7] Cores=64-127\n"
    (sim.cwd / "gres.conf").write_text(files)
    sim("init", "--from", "slurm.conf", "--force")
    for _ in range(9):
        sbatch(sim, "--gres=gpu:1")

    assert sim("squeue", "-h", "-S", "i", "-o", "%i %t %N %C").splitlines() == [
        f"{job} R dgx0{2 - job % 2} 28" for job in range(1, 10)
    ]
    assert tres(sim, "8") == ["cpu=28,mem=125000M,node=1,billing=28,gres/gpu=1"] * 2
    assert "AllocTRES=cpu=140,mem=625000M,gres/gpu=5\n" in sim("scontrol", "show", "node", "dgx01")
