"""The store: what is committed is there again."""

from __future__ import annotations

from pathlib import Path

from slimsched.model.cluster import Cluster
from slimsched.model.job import COMPLETED, Job
from slimsched.model.request import JobRequest
from slimsched.state.store import Store


def submit(cluster: Cluster, **fields: object) -> Job:
    job = Job(job_id=cluster.next_job_id, request=JobRequest(name="x"), submit_time=cluster.now)
    cluster.next_job_id += 1
    cluster.jobs[job.job_id] = job
    cluster.touch_job(job)
    cluster.events.append({"event": "submit", "job": job.job_id})
    for name, value in fields.items():
        setattr(job, name, value)
    return job


def test_a_first_command_makes_the_default_cluster(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "state")) as store:
        cluster = store.load()

    assert [node.name for node in cluster.nodes] == ["node01", "node02", "node03"]
    assert cluster.default_partition == "debug"
    assert cluster.config.extra_constraints
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700


def test_a_committed_job_is_there_again(tmp_path: Path) -> None:
    with Store.open(str(tmp_path / "state"), write=True) as store:
        cluster = store.load()
        store.save_script(1, "#!/bin/sh\n\udcff")
        submit(cluster)
        store.commit(cluster)
    with Store.open(str(tmp_path / "state")) as store:
        again = store.load()

        assert again.jobs == cluster.jobs
        assert again.next_job_id == 2
        assert store.script(1) == "#!/bin/sh\n\udcff"
        assert store.script(2) is None


def test_gone_jobs_move_to_the_archive(tmp_path: Path) -> None:
    for _ in range(3):
        with Store.open(str(tmp_path / "state"), write=True) as store:
            cluster = store.load()
            job = submit(cluster, state=COMPLETED, end_time=cluster.now + 5)
            cluster.gone_jobs.append(cluster.jobs.pop(job.job_id))
            store.commit(cluster)
    with Store.open(str(tmp_path / "state"), write=True) as store:
        assert not store.load().jobs
        assert [j.job_id for j in store.archive.between(0, 1 << 40)] == [1, 2, 3]
        store.archive.store()
        assert [j.job_id for j in store.archive.between(0, 1 << 40)] == [1, 2, 3]
        assert [j.job_id for j in store.archive.get(2)] == [2]
