"""``scontrol reconfigure`` of a cluster that was read from a ``slurm.conf``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

CONF = "ClusterName=c\nNodeName=n[1-2] CPUs=4\nPartitionName=p Nodes=n[1-2] Default=YES MaxTime=60\n"
REFUSED = "slurm_reconfigure error: Unspecified error\n"


@pytest.fixture
def conf(sim: Any, tmp_path: Path) -> Path:
    path = tmp_path / "slurm.conf"
    path.write_text(CONF)
    sim("init", "--from", str(path), "--node-boot", "90s")
    sim("sbatch -w n2 --sim-runtime 600 --wrap x")
    return path


def test_what_the_file_says_now_holds(sim: Any, conf: Path) -> None:
    conf.write_text(CONF.replace("n[1-2]", "n[1-3]").replace("MaxTime=60", "MaxTime=30") + "MinJobAge=77\n")
    assert sim("sinfo -h -o '%D %l'") == "2 1:00:00\n"
    assert sim("scontrol reconfigure") == ""
    assert sim("sinfo -h -o '%D %l'") == "3 30:00\n"
    assert "MinJobAge               = 77 sec\n" in sim("scontrol show config")
    assert sim("squeue -h -o '%i %t %N'") == "1 R n2\n"
    assert 'node_boot = "90s"\n' in (sim.state / "cluster.toml").read_text()
    (conf.parent / "gres.conf").write_text("Name=gpu Type=t\n")
    conf.write_text(CONF.replace("CPUs=4", "CPUs=4 Gres=gpu:1") + "GresTypes=gpu\n")
    sim("scontrol reconfigure")
    assert sim("sinfo -h -o %G") == "gpu:t:1\n"


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (CONF + "Foo=1\n", "{0}:4: Parsing error at unrecognized key: Foo"),
        (CONF.replace("Nodes=n[1-2]", "Nodes=n[1-3]"), "{0}:3: PartitionName=p: Nodes: no such node: n3"),
        (CONF + "SchedulerParameters=max_job_bf=9\n", "{0}:4: SchedulerParameters: Invalid parameter max_job_bf"),
        (CONF.replace("n[1-2]", "n1"), "{0}: node n2 is no longer in it, but job 1 is on it"),
        ("", "{0}: there are no nodes"),
    ],
)
def test_with_a_fault_the_old_configuration_stays(sim: Any, conf: Path, with_notes: None, text: str, note: str) -> None:
    conf.write_text(text)
    before = (sim.state / "cluster.toml").read_bytes()
    answer = sim.run("scontrol reconfigure")
    assert (answer.code, answer.out) == (1, "")
    lines = answer.err.splitlines()
    assert lines[0] + "\n" == REFUSED
    assert lines[1].startswith("scontrol: note: " + note.format(conf))
    assert lines[2] == "scontrol: note: the old configuration stays"
    assert (sim.state / "cluster.toml").read_bytes() == before
    assert sim("squeue -h -o '%i %t %N'") == "1 R n2\n"


def test_a_file_that_says_nothing_new_leaves_edits_alone(sim: Any, conf: Path) -> None:
    toml = sim.state / "cluster.toml"
    toml.write_text(toml.read_text().replace('MaxTime = "01:00:00"', 'MaxTime = "00:50:00"'))
    conf.write_text(f"# a remark\n{CONF}")
    sim("scontrol reconfigure")
    assert sim("sinfo -h -o %l") == "50:00\n"
    conf.unlink()
    sim("scontrol reconfigure")
    assert sim("sinfo -h -o %l") == "50:00\n"
