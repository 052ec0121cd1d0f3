"""The five calls of `Cluster`, in memory and over a state directory; the page that documents them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from slimsched import Cluster
from slimsched.errors import UserError
from slimsched.state import logs

ROOT = Path(__file__).parents[2]


@pytest.fixture(params=["memory", "directory"])
def cluster(request, sim):
    if request.param == "memory":
        return Cluster(nodes="n[1-2]", cpus=4, memory=1000)
    sim("init", "--nodes", "n[1-2]", "--cpus", "4", "--memory", "1000")
    return Cluster.load(sim.state)


def test_a_job_from_submission_to_its_end(cluster):
    began = cluster.now
    first = cluster.submit("sleep 600", num_tasks=8, min_nodes=2, user="ann", time_limit=20)
    second = cluster.submit(num_tasks=1, sim_runtime=60, time_limit=5, name="later")

    assert [(job.job_id, job.state, job.nodes) for job in cluster.jobs()] == [
        (first, "RUNNING", ["n1", "n2"]),
        (second, "PENDING", []),
    ]
    assert [(node.name, node.jobs) for node in cluster.nodes()] == [("n1", [first]), ("n2", [first])]
    assert cluster.advance(60) == began + 60
    assert cluster.advance("9m") == began + 600
    assert [job.job_id for job in cluster.jobs("RUNNING", "PENDING")] == [second]
    assert cluster.advance() == began + 660
    ended = cluster.job(second)
    assert (ended.name, ended.start, ended.end, ended.limit, ended.cpus) == ("later", began + 600, began + 660, 5, 1)
    assert cluster.job(first).user == "ann"


def test_jobs_that_left_the_memory_are_still_known(cluster):
    job = cluster.submit(sim_runtime=10, time_limit=1)
    cluster.advance("1h")
    cluster.submit(sim_runtime=10, time_limit=1)
    cluster.advance("1h")

    assert cluster.job(job).state == "COMPLETED"
    assert [one.job_id for one in cluster.jobs("COMPLETED")] == [job, job + 1]
    assert cluster.jobs("RUNNING") == []


def test_events_are_told_once(cluster):
    job = cluster.submit(sim_runtime=10, time_limit=1)
    cluster.advance()

    told = [(event.event, event.details.get("job")) for event in cluster.events()]
    assert [event for event in told if event[1]] == [("submit", job), ("start", job), ("end", job)]
    assert cluster.events() == []
    later = cluster.submit(sim_runtime=10, time_limit=1)
    assert [(event.event, event.details.get("job")) for event in cluster.events()] == [
        ("submit", later),
        ("start", later),
    ]


def test_events_of_a_directory_are_read_from_where_they_were(sim):
    read, cluster = [], Cluster.load(sim("init") and sim.state)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            logs, "decode", lambda *args, decode=logs.decode: read.append(len(args[2].bodies)) or decode(*args)
        )
        for _ in range(3):
            sim("sbatch", "--wrap", "sleep 60")
            told = [event.event for event in cluster.events()]
        assert told == ["submit", "start"]
        assert read[-1] == 1  # the last commit, after the three that were read when the state was loaded
    sim("init", "--force")
    assert "start" not in [event.event for event in cluster.events()]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda c: c.submit(ntasks=3), "job request: no field 'ntasks'; there are name, partition,"),
        (lambda c: c.submit(num_tasks="3"), "job request: Expected `int | null`, got `str` - at `$.num_tasks`"),
        (lambda c: c.submit(partition="nosuch"), "Invalid partition name specified"),
        (lambda c: c.submit(gres="gpu:1"), "Invalid generic resource (gres) specification"),
        (lambda c: c.job(99), "Invalid job id specified"),
        (lambda c: c.advance(-1), "the clock does not go back"),
    ],
)
def test_refusals(cluster, call, said):
    with pytest.raises(UserError, match=re.escape(said)):
        call(cluster)


def test_a_cluster_is_loaded_from_a_configuration(tmp_path):
    path = tmp_path / "slurm.conf"
    path.write_text("ClusterName=c\nNodeName=a[1-3] CPUs=2\nPartitionName=p Nodes=ALL Default=YES\n", encoding="ascii")

    assert [(node.name, node.cpus) for node in Cluster.load(path).nodes()] == [("a1", 2), ("a2", 2), ("a3", 2)]
    with pytest.raises(UserError, match=r"nosuch\.conf: No such file or directory"):
        Cluster.load("nosuch.conf")


def test_the_package_imports_nothing_before_it_is_asked():
    code = "import slimsched, sys; print(sorted(name for name in sys.modules if name.startswith('slimsched')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "['slimsched']\n"


def test_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("SLIMSCHED_NOTES", "0")
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 5
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/api.md", "exec"), names)


def test_changes_go_through_the_parsers_of_scontrol(cluster):
    waiting = cluster.submit(num_tasks=1, time_limit=5, sim_runtime=60)
    cluster.update(JobId=waiting, TimeLimit=7)
    assert cluster.job(waiting).limit == 7
    cluster.update(nodename="n[1-2]", state="DOWN", reason="test")
    assert [node.state for node in cluster.nodes()] == ["DOWN", "DOWN"]
    cluster.update(nodename="n2", state="RESUME", extra='{"rack": 7}')
    assert [(node.state, node.extra) for node in cluster.nodes()] == [("DOWN", ""), ("IDLE", '{"rack": 7}')]
    name = cluster.reserve(nodes="n2", user="root", starttime="now+1day", duration=10)
    cluster.update(reservationname=name, duration=20)
    cluster.update(partitionname="debug", state="DRAIN")


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"extra": "{}"}, "an update names one of jobid, nodename, reservationname, partitionname"),
        ({"nodename": "n9", "extra": "{}"}, "Invalid node name specified"),
        ({"jobid": 99, "timelimit": 5}, "Invalid job id specified"),
    ],
)
def test_changes_that_are_refused(cluster, fields, said):
    with pytest.raises(UserError, match=f"^{said}$"):
        cluster.update(**fields)
