"""After Slurm's words a refused submission is told what was wrong in it and what there is instead."""

from __future__ import annotations

from typing import Any

import pytest

SLURM_CONF = """\
ClusterName=c
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
GresTypes=gpu
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageEnforce=associations,limits,qos
EnforcePartLimits=ALL
Licenses=matlab:4
NodeName=node[01-02] CPUs=8 RealMemory=16000 Gres=gpu:a100:4 Feature=intel,avx
NodeName=node[03-04] CPUs=4 RealMemory=8000 Feature=amd
PartitionName=debug Nodes=node[01-04] Default=YES MaxTime=1:00:00 MaxNodes=3
PartitionName=long Nodes=node[03-04] State=DRAIN
PartitionName=vip Nodes=node[03-04] AllowQos=high
PartitionName=root Nodes=node[03-04] RootOnly=YES
PartitionName=lease Nodes=node[03-04] ReqResv=YES
"""
ACCOUNTS = (
    "add qos high",
    "add account lab",
    "add user alice account=lab",
    "modify qos where name=high set MaxSubmitJobsPerUser=0",
)


@pytest.fixture
def cluster(configured: Any) -> Any:
    """A cluster with GPUs, licenses, accounts and five partitions."""
    return configured(SLURM_CONF, ACCOUNTS)


TABLE = [
    ("--gres=gpu:8", "no node with 1 CPU, gpu:8; wanted: 1", "node[01-02]: Gres=gpu:a100:4, wanted gpu:8"),
    (
        "--gres=gpu:h100:1",
        "node[01-02]: Gres=gpu:a100:4, wanted gpu:h100:1",
        "node[03-04]: Gres=none, wanted gpu:h100:1",
    ),
    ("--gres=gpux:1", "no gres 'gpux'; did you mean gpu?", "nodes have gpu:a100:4"),
    ("--gpus=16", "node[01-04]: all suitable nodes together are too small: they have 8 GPUs"),
    ("-N1-1 -n20", "node[01-04]: all suitable nodes together are too small: they have 8 CPUs"),
    ("-N2 --gres=gpu:2 -w node03", "2 nodes with 1 CPU, gpu:2; wanted: node03", "node[03-04]: Gres=none, wanted gpu:2"),
    ("-L comsol", "no license 'comsol'; there is: matlab"),
    ("-L matlba", "no license 'matlba'; did you mean matlab?"),
    ("-L matlab:9", "license matlab: 9 wanted, the cluster has 4"),
    ("-d after_ok:1", "no type of dependency 'after_ok'; did you mean afterok?"),
    ("-d afterok:77", "there is no job 77, or it is over and forgotten (MinJobAge)"),
    ("-p debgu", "no partition 'debgu'; did you mean debug?"),
    ("-p gpus", "no partition 'gpus'; there are: debug, lease, long, root, vip"),
    ("-w nod01", "no node 'nod01'; did you mean node01 or node04?"),
    ("-w x1", "no node 'x1'; there are: node[01-04]"),
    ("-w node01 -x node[01-02]", "--nodelist wants node01, and --exclude does not"),
    ("-C nvme", "no node has the feature 'nvme'; there are: amd, avx, intel"),
    ("-C intl", "no node has the feature 'intl'; did you mean intel?"),
    (
        "-C intel&amd",
        "no node satisfying --constraint=intel&amd; wanted: 1",
        "node[01-02]: features intel,avx, wanted amd",
        "node[03-04]: features amd, wanted intel",
    ),
    ("-t 2:00:00", "TimeLimit=2:00:00, partition debug allows 1:00:00"),
    ("-N 4", "NumNodes=4, partition debug allows 1 to 3 of its 4 nodes"),
    ("-n 100", "NumCPUs=100, partition debug allows 24, all that it has"),
    ("--mem=64G", "node[01-02]: RealMemory=16000, wanted 65536", "node[03-04]: RealMemory=8000, wanted 65536"),
    ("--tmp=100G", "node[01-04]: TmpDisk=0, wanted 102400"),
    ("-p long", "partition long is DRAIN; sim scontrol update partitionname=long state=up opens it"),
    ("-p vip", "partition vip does not let qos normal in: AllowQos=high"),
    ("-p root --uid alice", "partition root is for root only (RootOnly=YES)"),
    ("-p lease", "partition lease takes jobs in a reservation only (ReqResv=YES): --reservation=NAME"),
    ("--uid alice -A lb", "user alice has no association with account 'lb'; did you mean lab?"),
    ("--uid bob", "user bob has no association, and no default account"),
    ("--uid alice -q hihg", "no QOS 'hihg'; did you mean high?"),
    (
        "--uid alice -q high",
        "user alice may not use the QOS 'high'; there is: normal",
        "to allow it: sim sacctmgr -i modify user where name=alice set qos+=high",
    ),
    ("-a 0-5000", "write 0-9, 1,3,5 or 0-99%4 (four at once); numbers go up to 1000 (MaxArraySize=1001)"),
    ("--reservation=foo", "no reservation 'foo'; there is none"),
    (f"--comment={'x' * 2000}", "comment has 2000 bytes, at most 1024 are allowed"),
    ("--tiem=5", "no option --tiem; did you mean --time?"),
    (
        "-t 1h",
        "1h is written 1:00:00: a time is MINUTES, MINUTES:SECONDS, HOURS:MINUTES:SECONDS, DAYS-HOURS or UNLIMITED",
    ),
    ("--mem=4.5Gb", "a size is a whole number and K, M (without a letter, too), G or T; did you mean 4G?"),
    ("-b tomorow", "did you mean tomorrow?"),
    ("-b later", "a time is 16:30, 2026-01-31, 2026-01-31T16:30, now+1hour, now+90minutes, midnight or noon"),
    ("-n 0", "a whole number from 1 is wanted, not '0'"),
    ("--open-mode=x", "the words are append, truncate"),
]


@pytest.mark.usefixtures("with_notes")
@pytest.mark.parametrize("row", TABLE, ids=[row[0][:40] for row in TABLE])
def test_a_refusal_says_what_there_is(row: tuple[str, ...], cluster: Any) -> None:
    options, *notes = row
    answer = cluster.run("sbatch", *options.split(), "--wrap", "true")
    lines = answer.err.splitlines()
    first = next(place for place, line in enumerate(lines) if line.startswith("sbatch: note: "))
    silent = cluster.run("sbatch", *options.split(), "--wrap", "true", env={"SLIMSCHED_NOTES": "0"})

    assert answer.code == silent.code != 0
    assert [f"sbatch: note: {note}" for note in notes if f"sbatch: note: {note}" not in lines] == []
    assert lines[:first] == silent.err.splitlines()  # Slurm's words, first and alone
    assert all(line.startswith("sbatch: note: ") for line in lines[first:])


@pytest.mark.usefixtures("with_notes")
def test_srun_and_a_test_only_say_it_too(cluster: Any) -> None:
    note = "node[01-02]: Gres=gpu:a100:4, wanted gpu:h100:1"

    assert f"srun: note: {note}" in cluster.run("srun --gres=gpu:h100:1 true").err
    assert f"salloc: note: {note}" in cluster.run("salloc --gres=gpu:h100:1 true").err
    assert f"sbatch: note: {note}" in cluster.run("sbatch --test-only --gres=gpu:h100:1 --wrap true").err


@pytest.mark.usefixtures("with_notes")
def test_the_line_that_raises_a_limit_raises_it(cluster: Any) -> None:
    cluster("sacctmgr -i modify user where name=alice set qos+=high")
    refused = cluster.run("sbatch --uid alice -q high --wrap true").err.splitlines()
    line = refused[-1].removeprefix("sbatch: note: to raise it: sim ")

    assert refused[-2] == (
        "sbatch: note: QOS high: MaxSubmitJobsPerUser=0; 0 in use by user alice, this job asks for 1"
    )
    cluster(line)
    assert cluster("sbatch --uid alice -q high --wrap true").startswith("Submitted batch job ")


SCRIPT = """\
#!/bin/sh
#SBTACH -n 4
# SBATCH -N 2
##SBATCH -n 3
# a plain - remark
sleep 1
#SBATCH --mem=1G
"""


@pytest.mark.usefixtures("with_notes")
def test_directives_that_are_none(sim: Any) -> None:
    (sim.cwd / "job.sh").write_text(SCRIPT, encoding="utf-8")
    answer = sim.run("sbatch job.sh")

    assert (answer.code, answer.out) == (0, "Submitted batch job 1\n")
    assert answer.err.splitlines() == [
        "sbatch: note: job.sh: line 2: #SBTACH -n 4 is a comment; did you mean #SBATCH -n 4?",
        "sbatch: note: job.sh: line 3: # SBATCH -N 2 is a comment; did you mean #SBATCH -N 2?",
        "sbatch: note: job.sh: line 7: #SBATCH --mem=1G is ignored, because line 6 is a command already",
    ]
    assert sim("sbatch job.sh", env={"SLIMSCHED_NOTES": "0"}) == "Submitted batch job 2\n"


@pytest.mark.usefixtures("with_notes")
@pytest.mark.parametrize(
    ("name", "text", "note"),
    [
        ("jop.sh", "#!/bin/sh\n", "no file 'jop.sh'; did you mean job.sh?"),
        ("no/job.sh", "#!/bin/sh\n", "there is no directory 'no'"),
        ("..", "#!/bin/sh\n", ".. is a directory; name the script in it"),
        ("job.sh", "sleep 1\n", "to submit a program that is not a script: sbatch --wrap job.sh"),
        ("job.sh", "#!/bin/sh\r\nls\r\n", "to mend it: sed -i 's/\\r$//' job.sh"),
        ("job.sh", "", "name a file that holds the script, or give a command: --wrap 'COMMAND'"),
    ],
)
def test_scripts_that_are_none(name: str, text: str, note: str, sim: Any) -> None:
    (sim.cwd / "job.sh").write_text(text, encoding="utf-8", newline="")
    answer = sim.run("sbatch", name)

    assert answer.code == 1
    assert answer.err.splitlines()[-1] == f"sbatch: note: {note}"


@pytest.mark.usefixtures("with_notes")
def test_options_of_every_command_are_suggested(sim: Any) -> None:
    words = {"squeue": "usre", "sinfo": "partitoin", "sacct": "fromat", "scancel": "naem", "sacctmgr": "imediate"}
    said = {name: sim.run(name, f"--{word}").err.splitlines()[-1] for name, word in words.items()}

    assert said == {
        "squeue": "squeue: note: no option --usre; did you mean --user?",
        "sinfo": "sinfo: note: no option --partitoin; did you mean --partition?",
        "sacct": "sacct: note: no option --fromat; did you mean --format?",
        "scancel": "scancel: note: no option --naem; did you mean --name?",
        "sacctmgr": "sacctmgr: note: no option --imediate; did you mean --immediate?",
    }


@pytest.mark.usefixtures("with_notes")
@pytest.mark.parametrize(
    ("body", "line", "lasts"),
    [
        ("if [ -f x ]; then sleep 100; else sleep 50; fi\nsleep 10\n", 2, "for 10 s"),
        ("for i in 1 2; do\n  sleep 4 # seconds\ndone\n", 3, "for 4 s"),
        ("while true; do sleep infinity; done\n", 2, "without end"),
        ("# if you sleep\nif true; then echo; fi\nsleep 5\n", 0, ""),
        ("echo 'for a while'; sleep 5\nfi.sh; done.sh\n", 0, ""),
    ],
)
def test_a_sleep_that_a_simulated_job_does_not_follow(body: str, line: int, lasts: str, cluster: Any) -> None:
    (cluster.cwd / "job.sh").write_text(f"#!/bin/sh\n{body}")
    note = (
        f"sbatch: note: job.sh: line {line}: the job is simulated {lasts}: what is in an if is left out, "
        "loops run once; --sim-runtime=1h says how long\n"
    )
    assert cluster.run("sbatch", "job.sh").err == (note if line else "")
    assert cluster.run("sbatch", "--sim-runtime=5", "job.sh").err == ""
    assert cluster.run("sbatch", "job.sh", env={"SLIMSCHED_NOTES": "0"}).err == ""
