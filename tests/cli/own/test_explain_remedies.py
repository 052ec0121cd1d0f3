"""The commands that ``sim explain`` names do what it says: applied to a copy of the cluster, they are accepted, and
where one thing alone keeps a job from starting, the job starts, or others that waited for the same get there first.
"""

from __future__ import annotations

import json
import random
import shlex
import shutil
from typing import Any

import pytest

CLUSTER = """
[slurm]
SelectType = "select/{select}"
SchedulerType = "sched/{sched}"
SchedulerParameters = "extra_constraints,bf_interval=1"
Licenses = "matlab:2"
DefMemPerCPU = "100"
GresTypes = "gpu"
[[nodes]]
NodeName = "n[1-3]"
CPUs = 4
RealMemory = 1000
Features = "intel"
[[nodes]]
NodeName = "n[4-6]"
CPUs = 8
RealMemory = 2000
Features = "amd,big"
Gres = "gpu:2"
Weight = 10
[[partitions]]
PartitionName = "debug"
Nodes = "ALL"
Default = true
MaxTime = "2:00:00"
DefaultTime = "30:00"
[[partitions]]
PartitionName = "batch"
Nodes = "n[4-6]"
MaxTime = "1-0"
MaxNodes = 2
"""

OPTIONS: list[tuple[float, tuple[str, ...]]] = [
    (1.0, ("-t1", "-t5", "-t20", "-t30", "-t60", "-t110")),
    (0.5, ("-pdebug", "-pbatch", "-pdebug,batch")),
    (0.4, ("--exclusive",)),
    (0.3, ("-N1", "-N2", "-N3", "-N5")),
    (0.2, ("--extra=load<0.5", "--extra=load>0.2", "--extra=a=1")),
    (0.2, ("-Cintel", "-Camd", "-Cintel|amd", "-C[intel|amd]", "-C[intel*1&amd*1]")),
    (0.2, ("-n3", "-n7", "-n12")),
    (0.1, ("--array=0-3%2", "--array=0-2")),
    (0.1, ("-wn1", "-wn4", "-wn[1-2]")),
    (0.1, ("-xn1", "-xn[2-5]")),
    (0.1, ("-Lmatlab:1", "-Lmatlab:2")),
    (0.1, ("--gres=gpu:1", "--gres=gpu:2")),
    (0.1, ("-H", "-bnow+1hour", "-dsingleton", "-dafterok:1", "-dafter:1+5", "--reservation=r")),
    (0.1, ("--mem=900", "--mem=1500")),
    (0.1, ("--requires=intel", "--requires=host:n2")),
]


def crowd(sim: Any, seed: int) -> None:
    """Make a cluster with sixteen random jobs, some tagged or drained nodes, perhaps a reservation."""
    chance = random.Random(seed)
    sched = "builtin" if seed % 4 == 0 else "backfill"
    sim.init(CLUSTER.format(select=chance.choice(["linear", "cons_tres"]), sched=sched))
    for name in (f"nodename=n{i}" for i in range(1, 7)):
        if chance.random() < 0.5:
            sim("scontrol", "update", name, f'extra={{"load": {chance.random():.1f}}}')
        if chance.random() < 0.15:
            sim("scontrol", "update", name, "state=drain", "reason=x")
    if chance.random() < 0.4:
        nodes = chance.choice(["n1", "n[1-3]", "n[4-6]"])
        begin = f"starttime=now+{chance.choice([0, 5, 30])}minutes"
        sim.run("scontrol", "create", "reservation=r", begin, "duration=20", "users=root", f"nodes={nodes}")
    for _ in range(16):
        asked = [chance.choice(words) for share, words in OPTIONS if chance.random() < share]
        sim.run("sbatch", "--uid=root", *asked, "--wrap", f"sleep {chance.randint(200, 5000)}")
    sim("advance", str(chance.randint(1, 300)))


def remedies(answer: dict[str, Any]) -> list[tuple[bool, str]]:
    """Return the commands that are offered, and whether what each removes is all that keeps the job."""
    views = answer["partitions"]
    alone = len(answer["hurdles"]) == 1 and any(not view["hurdles"] for view in views)
    found = [(alone, change) for hurdle in answer["hurdles"] for change in hurdle["changes"]]
    for view in views:
        alone = not answer["hurdles"] and len(view["hurdles"]) == 1
        found += [(alone, change) for hurdle in view["hurdles"] for change in hurdle["changes"]]
    return [
        (alone, change["command"])
        for alone, change in found
        if change["command"] and change["command"].count("&&") == change["text"].count("; ")
    ]


def running(sim: Any) -> set[str]:
    return set(sim("squeue -h -r -t R -o %A").split())


def blocked(sim: Any, job: str) -> bool:
    """Whether a job still waits, for another reason than that others are ahead of it."""
    states = sim("squeue", "-h", "-r", "-j", job, "-o", "%T %r").splitlines()
    return bool(states) and all(state.startswith("PENDING") and state != "PENDING Priority" for state in states)


@pytest.mark.parametrize("seed", range(20))
def test_remedies_help(make_sim, tmp_path, seed):
    sim = make_sim("cluster")
    crowd(sim, seed)
    before, state, useless = running(sim), sim.state, []
    for job in dict.fromkeys(sim("squeue -h -t PD -o %i").replace("_", " ").split("\n")[:-1]):
        job = job.split()[0]
        answer = json.loads(sim("explain", job, "--json"))
        for alone, command in remedies(answer) if answer["state"] == "PENDING" else ():
            sim.state = tmp_path / "copy"
            shutil.copytree(state, sim.state)
            for each in command.split(" && "):
                done = sim.run(*shlex.split(each)[1:])
                if alone and (done.code or done.err):
                    useless.append((job, each, done.err))
            sim("advance", "1")
            if alone and blocked(sim, job) and running(sim) <= before:
                useless.append((job, command, sim("squeue", "-h", "-j", job)))
            shutil.rmtree(sim.state)
            sim.state = state
    assert useless == []
