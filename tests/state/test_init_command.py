"""`sim init` and `sim doctor` as their users see them."""

from __future__ import annotations

import errno
import json
import os
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from slimsched.state.store import Store

DATA = Path(__file__).parent.parent / "data" / "conf"


def test_init_makes_the_default_cluster(sim: Any) -> None:
    assert sim("init") == (
        f"Cluster cluster: 3 nodes with 36 CPUs, partition debug*\nConfiguration: {sim.state}/cluster.toml\n"
    )
    assert sim("sinfo", "-h", "-o", "%P %D %c %N") == "debug* 3 12 node[01-03]\n"


def test_init_describes_a_cluster(sim: Any) -> None:
    words = "--nodes a[1-4] --sockets 2 --cores 4 --threads 2 --memory 4G --features ssd,gpu --gres gpu:2 --weight 5"
    out = sim("init", *words.split(), "--partition", "x", "--partition", "y", "--set", "minjobage=60")

    assert out.startswith("Cluster cluster: 4 nodes with 64 CPUs, partitions x*,y\n")
    text = (sim.state / "cluster.toml").read_text()
    for line in ('NodeName = "a[1-4]"', "RealMemory = 4096", 'Features = "ssd,gpu"', 'MinJobAge = "60"', "Weight = 5"):
        assert line in text


@pytest.mark.usefixtures("with_notes")
def test_init_from_slurm_conf(sim: Any) -> None:
    answer = sim.run("init", "--from", f"{DATA}/slurm.conf")

    assert answer.code == 0
    assert answer.out == (
        "Cluster zoo: 7 nodes with 128 CPUs, partitions cpu*,gpu,all\n"
        f"Configuration: {sim.state}/cluster.toml\n"
        "Kept, and of no effect here: ControlMachine, CpuBind, FrontendName, JobCompLoc\n"
        "Your cluster would behave differently because of:\n"
        "  Cores (gres.conf): the cores of a job need not be near its GPUs\n"
        "  CpuSpecList: these CPUs are not kept from jobs; CoreSpecCount does that\n"
        "  JobSubmitPlugins: it is not called: what it would change or refuse stays\n"
    )
    assert answer.err == (
        f"sim: note: {DATA}/gres.conf:4: nodes that are not in the cluster: x9\n"
        f"sim: note: {DATA}/topology.conf:1: nodes that are not in the cluster: c[5-6]\n"
    )


@pytest.mark.usefixtures("with_notes")
def test_an_existing_cluster_is_replaced_only_by_force(sim: Any) -> None:
    sim("init --set FirstJobId=70")
    sim("sbatch --wrap 'sleep 60'")
    answer = sim.run("init")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err == (
        f"sim: error: {sim.state} already holds a cluster\n"
        "sim: note: --force replaces it and deletes its jobs; --from FILE --merge keeps them\n"
    )
    assert sim("squeue -h -o %i") == "70\n"
    sim("init --force")
    assert sim("squeue -h -o %i") == ""
    assert sim("sbatch --parsable --wrap 'sleep 60'") == "1\n"


def test_merge_takes_a_changed_file_and_keeps_jobs_and_our_settings(sim: Any, tmp_path: Path) -> None:
    conf = tmp_path / "slurm.conf"
    conf.write_text("NodeName=n[1-2] CPUs=4\nPartitionName=p Nodes=n[1-2] Default=YES\n")
    sim("init", "--from", str(conf))
    path = sim.state / "cluster.toml"
    path.write_text(path.read_text().replace('"sleep"', '"limit"'))
    sim("sbatch -n5 --wrap 'sleep 60'")
    assert sim("squeue -h -o '%i %t'") == "1 R\n"
    conf.write_text("NodeName=n[1-3] CPUs=4\nPartitionName=p Nodes=n[1-3] Default=YES\n")
    sim("init", "--from", str(conf), "--merge")
    assert sim("squeue -h -o '%i %t'") == "1 R\n"
    assert sim("sinfo -h -o '%D %t %N'") == "1 mix n2\n1 alloc n1\n1 idle n3\n"
    assert 'runtime = "limit"' in path.read_text()
    conf.write_text("NodeName=n1 CPUs=4\nPartitionName=p Nodes=n1 Default=YES\n")
    answer = sim.run("init", "--from", str(conf), "--merge")
    assert answer.code == 2
    assert answer.err.startswith(f"sim: error: {path}: node n2 is no longer in it, but job 1 is on it\n")
    assert sim("squeue -h -o '%i %t'") == "1 R\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--cpus x", "CPUs: should be a whole number, not 'x'"),
        ("--nodes a[1", "--nodes a[1: NodeName: '[' without its ']'"),
        ("--set Bogus=1", "--set Bogus=1: no such key"),
        ("--cpus 99999999999999999999", "CPUs: is too large"),
        ("--from ''", "--from: no file is given"),
        ("--from nowhere", "nowhere: No such file or directory"),
        (
            "--from x --nodes y",
            "--from takes nodes and partitions from the file: omit the options that describe them",
        ),
        ("--merge", "--merge needs --from FILE"),
        ("--merge --force --from x", "--merge keeps the jobs and --force removes them: choose one"),
    ],
)
def test_wrong_options(sim: Any, words: str, said: str) -> None:
    answer = sim.run("init", *shlex.split(words))

    assert (answer.code, answer.out, answer.err) == (1, "", f"sim: error: {said}\n")
    assert not (sim.state / "cluster.toml").exists()


@pytest.mark.usefixtures("with_notes")
def test_doctor(sim: Any) -> None:
    assert sim("doctor") == f"ok        {sim.state}: no cluster yet; the first command creates one\n"
    sim("sbatch --wrap 'sleep 60'")
    snapshot = sim.state / "snapshot.json"
    fine = (
        f"ok        {sim.state}/cluster.toml: tables of nodes: 1, partitions: 1, virtual clock\n"
        f"ok        {snapshot}: format 2, jobs: 0\n"
        f"ok        {sim.state}/data-1/journal: commits: 1\n"
        f"ok        {sim.state}/data-1/archive: finished jobs: 0\n"
    )
    assert sim("doctor") == fine
    snapshot.write_bytes(snapshot.read_bytes().replace(b"now", b"new", 1))
    answer = sim.run("squeue")
    assert answer.code == 2
    assert answer.err == (
        f"squeue: error: {snapshot}: is damaged: part 'meta' does not have the content that was written\n"
        "squeue: note: run: sim doctor --rebuild\n"
    )
    answer = sim.run("doctor")
    assert (answer.code, answer.err) == (2, "")
    assert answer.out.endswith(
        f"damaged   {snapshot}: is damaged: part 'meta' does not have the content that was written\n"
        "          run: sim doctor --rebuild\n"
    )
    answer = sim.run("doctor --rebuild")
    assert (answer.code, answer.err) == (1, "")
    assert answer.out == (
        f"repaired  {snapshot} is damaged: part 'meta' does not have the content that was written\n"
        f"repaired  {snapshot} was kept as snapshot.json.damaged-1\n"
        f"repaired  {snapshot}: rebuilt, jobs: 1\n"
        f"repaired  {sim.state}/data-1 was renamed to data-1.damaged-1\n"
    ) + fine.replace("format 2, jobs: 0", "format 2, jobs: 1").replace("data-1", "data-2")
    assert sim("squeue -h -o '%i %t'") == "1 R\n"


DOUBTFUL = [  # option, line of slurm.conf, what is said
    (
        ("--extra", '{"a":'),
        'NodeName=a CPUs=1 Extra={"a":',
        [
            "{}: Extra is not JSON that constraints can read",
            '{{"a":',
            "     ^",
            "ill-formed JSON: expecting value",
            'for example: {{"load": 0.45, "gpu": true, "site": "north"}}',
        ],
    ),
    (
        ("--set", "SelectType=select/nosuch"),
        "SelectType=select/nosuch\nNodeName=a CPUs=1",
        [
            "SelectType: Couldn't find the specified plugin name for select/nosuch "
            "(the built-in ones are cons_res, cons_tres, cray_aries, linear, processors)"
        ],
    ),
]


@pytest.mark.parametrize(("option", "conf", "said"), DOUBTFUL)
@pytest.mark.usefixtures("with_notes")
def test_what_cannot_work_is_refused_from_options_and_noted_of_a_file(sim, option, conf, said):
    answer = sim.run("init", *option)
    assert (answer.code, answer.out) == (1, "")
    assert answer.err == "".join(f"sim: error: {line.format('node[01-03]')}\n" for line in said)
    assert not sim.state.exists()

    (sim.cwd / "slurm.conf").write_text(
        f"SchedulerParameters=extra_constraints\n{conf}\nPartitionName=p Nodes=a\n", encoding="utf-8"
    )
    answer = sim.run("init", "--from", "slurm.conf")
    assert answer.code == 0
    assert answer.err == "".join(f"sim: note: {line.format('a')}\n" for line in said)


def test_with_extra_constraints_off_any_text_is_stored(sim):
    sim("init", "--extra", "not json", "--set", "SchedulerParameters=defer")
    assert "   Extra=not json\n" in sim("scontrol show node node01")


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("--cpus 4 --cpus 8", "--cpus is given more than once"),
        ("--clock wall --clock wall", "--clock is given more than once"),
        (
            "--nodes a1 --cpus 7 --sockets 2",
            "a1: CPUs=7 should be 2, by Sockets=2, CoresPerSocket=1 and ThreadsPerCore=1: leave out one of the numbers",
        ),
        (
            "--nodes a1 --cpus 8 --sockets 2",
            "a1: CPUs=8 should be 2, by Sockets=2, CoresPerSocket=1 and ThreadsPerCore=1: add CoresPerSocket=4, "
            "or leave out one of the numbers",
        ),
    ],
)
def test_numbers_that_contradict_each_other(words: str, text: str, sim: Any) -> None:
    assert sim.run(f"init {words}") == (1, "", f"sim: error: {text}\n")
    assert not sim.state.exists()


@pytest.mark.parametrize(
    "words", ["--cpus 2 --sockets 2", "--cpus 8 --sockets 2 --cores 4", "--cpus 4 --sockets 1 --cores 4 --threads 2"]
)
def test_numbers_that_fit(words: str, sim: Any) -> None:
    assert sim.run(f"init {words}").code == 0


@pytest.mark.parametrize("words", ["--nodes n[1-2] --cpus 4", "--nodes node[01-03] --cpus 4", "--clock wall"])
@pytest.mark.parametrize("call", ["mkdir", "write", "replace", "fsync"])
def test_init_force_is_done_or_not_done(sim: Any, monkeypatch: Any, words: str, call: str) -> None:
    """F2: the old cluster or the new one, whole, however the two differ."""
    sim("init")
    sim("sbatch -J keep -n 36 --wrap 'sleep 7200'")
    sim("advance 1s")
    old = (sim.state / "cluster.toml").read_text()
    sim.state.rename(sim.state.with_name("template"))
    for number in range(40):
        shutil.rmtree(sim.state, ignore_errors=True)
        shutil.copytree(sim.state.with_name("template"), sim.state)
        real, left = getattr(os, call), [number]

        def fail(*args: Any, real: Any = real, left: list[int] = left, **options: Any) -> Any:
            left[0] -= 1
            if left[0] == -1:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(*args, **options)

        with monkeypatch.context() as patch:
            patch.setattr(os, call, fail)
            answer = sim.run(f"init --force {words}")
        done = answer.code == 0
        assert sim("squeue -h -o '%j %t'") == ("" if done else "keep R\n")
        assert ((sim.state / "cluster.toml").read_text() != old) == done
        assert sim.run("doctor").code == 0
        if left[0] >= 0:
            break
    assert number > 1


@pytest.mark.usefixtures("with_notes")
def test_init_force_that_cannot_clear_up_is_done(sim: Any, monkeypatch: Any) -> None:
    """F10"""
    sim("init")
    sim("sbatch --wrap 'sleep 7200'")

    def fail(path: str) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(os, "rmdir", fail)
        answer = sim.run("init --force --nodes n1 --cpus 4")
    assert answer.code == 0
    assert answer.out.startswith("Cluster cluster: 1 node with 4 CPUs")
    assert answer.err.startswith(f"sim: note: the new cluster was created, but {sim.state}/data-1")
    assert sim("sinfo -h -o %N") == "n1\n"
    assert sim.run("doctor --rebuild").code == 1
    assert sim("doctor").count("\n") == 4


@pytest.mark.usefixtures("with_notes")
def test_sacct_says_that_its_archive_was_cut_short(sim: Any) -> None:
    """F19"""
    sim("init --set MinJobAge=1")
    for _ in range(3):
        sim("sbatch --wrap 'sleep 10'")
    sim("advance 1h")
    with Store.open(str(sim.state), write=True) as store:
        store.load()
        store.checkpoint()
    assert sim("sacct -X -n -o jobid").split() == ["1", "2", "3"]
    path = sim.state / "data-1" / "archive" / "000000"
    os.truncate(path, path.stat().st_size - 40)
    for words in ("sacct -X -n -o jobid", "sacct -X -n -o jobid -j 1,2,3"):
        answer = sim.run(words)
        assert (answer.code, answer.out.split()) == (0, ["1", "2"])
        assert answer.err == (
            f"sacct: note: {path}: is shorter than it was: finished jobs are missing\n"
            "sacct: note: run: sim doctor --rebuild\n"
        )
    assert sim.run("doctor --rebuild").code == 1
    assert sim("sacct -X -n -o jobid").split() == ["1", "2", "3"]


def test_files_called_json_are_json(sim: Any) -> None:
    sim("init --set MinJobAge=1")
    sim("sbatch --wrap 'sleep 10'")
    sim("sbatch --array 0-2 --comment 'a\\n{\"}' --wrap 'sleep 9000'")
    sim("advance 1h")
    with Store.open(str(sim.state), write=True) as store:
        store.load()
        store.checkpoint()
    snapshot = json.loads((sim.state / "snapshot.json").read_text())
    files = sorted(path.name for path in sim.state.rglob("*.json"))

    assert files == ["index.json", "snapshot.json"]
    assert snapshot["head"]["slimsched"] == 2
    assert [job["job_id"] for job in snapshot["jobs"]] == [2, 3, 4]
    assert json.loads((sim.state / "data-1/archive/index.json").read_text())["files"].keys() == {"0"}
    assert json.loads((sim.state / "cluster.cache").read_text())["config"]["slurm"]["MinJobAge"] == "1"
