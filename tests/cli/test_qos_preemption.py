"""Preemption by QOS from end to end: as sacctmgr defines it, as sbatch asks for it, as sacct tells of it."""

from __future__ import annotations

import pytest

SLURM_CONF = """\
ClusterName=tiny
SlurmctldHost=head
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
PreemptType=preempt/qos
PreemptMode={mode}
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageEnforce=qos,limits
NodeName=n[1-2] CPUs=4 RealMemory=1000
PartitionName=main Nodes=ALL Default=YES MaxTime=60
"""


@pytest.fixture
def start(sim):
    """Make a cluster on which the QOS high may preempt low, and root may use both; returns how commands are run."""

    def make(mode="REQUEUE", **settings):
        (sim.cwd / "slurm.conf").write_text(SLURM_CONF.format(mode=mode))
        sim("init", "--from", "slurm.conf", "--force")
        options = [f"{name}={value}" for name, value in settings.items()]
        sim("sacctmgr", "-i", "add", "qos", "low", *options)
        sim("sacctmgr", "-i", "add", "qos", "high", "Priority=100", "Preempt=low")
        sim("sacctmgr", "-i", "add", "account", "lab", "qos=low,high")
        sim("sacctmgr", "-i", "add", "user", "root", "account=lab")
        sim("sacctmgr", "-i", "modify", "user", "root", "set", "DefaultAccount=lab")
        return sim

    return make


def submit(sim, qos, *more):
    return sim("sbatch", "--parsable", "-q", qos, "-t", "30", *more, "--wrap", "sleep 600").strip()


def states(sim):
    return sim("squeue", "-h", "-o", "%i %q %t").split("\n")[:-1]


@pytest.mark.parametrize(
    ("mode", "seen"),
    [("REQUEUE", ["1 low PD", "2 high R"]), ("CANCEL", ["2 high R"]), ("SUSPEND,GANG", ["2 high R", "1 low S"])],
)
def test_modes_of_the_cluster(start, mode, seen):
    sim = start(mode)
    submit(sim, "low", "-n8")
    submit(sim, "high", "-n8")

    assert sorted(states(sim)) == sorted(seen)


def test_the_mode_of_the_qos_goes_before_the_clusters(start):
    sim = start("REQUEUE", PreemptMode="cancel")
    submit(sim, "low", "-n8")
    submit(sim, "high", "-n1")

    assert states(sim) == ["2 high R"]
    assert sim("sacct", "-nXP", "-j", "1", "-o", "state") == "PREEMPTED\n"


def test_only_those_whom_the_qos_names_are_preempted(start):
    sim = start()
    submit(sim, "high", "-n8")
    submit(sim, "high", "-n1")
    submit(sim, "low", "-n1")

    assert sorted(states(sim)) == ["1 high R", "2 high PD", "3 low PD"]


def test_time_of_grace(start):
    sim = start("CANCEL", GraceTime="120")
    submit(sim, "low", "-n8")
    submit(sim, "high", "-n8")
    assert sorted(states(sim)) == ["1 low R", "2 high PD"]

    sim("advance", "119s")
    assert sorted(states(sim)) == ["1 low R", "2 high PD"]
    sim("advance", "1s")
    assert states(sim) == ["2 high R"]


def test_jobs_are_spared_for_a_time(start):
    sim = start("CANCEL", PreemptExemptTime="00:05:00")
    submit(sim, "low", "-n8")
    submit(sim, "high", "-n8")
    assert sorted(states(sim)) == ["1 low R", "2 high PD"]

    sim("advance", "300s")
    sim("scontrol", "update", "jobid=2", "nice=0")
    sim("advance", "60s")
    assert states(sim) == ["2 high R"]


def test_jobs_of_the_lowest_qos_go_first(start):
    sim = start("CANCEL", Priority="10")
    sim("sacctmgr", "-i", "add", "qos", "lower", "Priority=1")
    sim("sacctmgr", "-i", "modify", "qos", "high", "set", "Preempt+=lower")
    sim("sacctmgr", "-i", "modify", "account", "lab", "set", "qos+=lower")
    submit(sim, "lower", "-n4")
    submit(sim, "low", "-n4")
    submit(sim, "high", "-n4")

    assert sorted(states(sim)) == ["2 low R", "3 high R"]
    assert sim("sacctmgr", "-nP", "show", "qos", "high", "format=name,preempt") == "high|low,lower\n"


def test_a_qos_that_may_not_be_used_is_refused(start):
    sim = start()
    answer = sim.run("sbatch", "-q", "normal", "--wrap", "true")

    assert answer.code == 1
    assert answer.err == "sbatch: error: Batch job submission failed: Invalid qos specification\n"


def test_limits_are_told_as_slurm_tells_them(start):
    sim = start(MaxJobsPU="1", MaxSubmitJobsPU="2")
    for _ in range(2):
        submit(sim, "low", "-n1")
    answer = sim.run("sbatch", "-q", "low", "--wrap", "true")

    assert sim("squeue", "-h", "-S", "i", "-o", "%i %r") == "1 None\n2 QOSMaxJobsPerUserLimit\n"
    assert (answer.code, answer.err) == (
        1,
        "sbatch: error: QOSMaxSubmitJobPerUserLimit\nsbatch: error: Batch job submission failed: Job violates "
        "accounting/QOS policy (job submit limit, user's size and/or time limits)\n",
    )


@pytest.mark.parametrize(("settings", "seen"), [({}, "PD"), ({"Flags": "NoReserve"}, "R")])
def test_jobs_that_reserve_nothing_hold_nobody_up(start, settings, seen):
    sim = start("OFF", **settings)
    submit(sim, "high", "-n6")
    submit(sim, "low", "-n8")
    sim("sbatch", "-q", "high", "-t", "60", "-n2", "--nice=100", "--wrap", "sleep 3000")
    sim("advance", "60s")

    assert sim("squeue", "-h", "-j", "3", "-o", "%t").strip() == seen
    begins = sim("squeue", "-h", "--start", "-j", "2", "-o", "%S")
    assert begins != "N/A\n"  # Slurm plans the job all the same; only the nodes are left to others
    assert sim("scontrol", "show", "job", "2").count(f"StartTime={begins.strip()} ") == 1
