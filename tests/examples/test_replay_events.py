"""The replay of a simulator's workload: made-up events on a small cluster of our own, and its audit."""

from __future__ import annotations

import gzip
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from slimsched.model.job import Job
from slimsched.model.request import JobRequest

SLURM_CONF = """\
ClusterName=made-up
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerType=sched/backfill
NodeName=DEFAULT CPUs=4 RealMemory=8000
NodeName=a[1-3] Feature=fast
NodeName=b1 CPUs=8 RealMemory=32000
PartitionName=DEFAULT State=UP DefMemPerCPU=1000
PartitionName=main Nodes=ALL Default=YES MaxTime=1-00:00:00
PartitionName=short Nodes=a[1-3] MaxTime=10
"""

EVENTS = """\
# a comment, and another kind of event, are passed over
-dt 0.00 -e set_time | whatever
-dt   1.00 -e submit_batch_job | -sim-walltime   60.00 --uid=user001 -J j01 -N 1 -n 4 -t 00:10:00 -p main pseudo.job
-dt   1.25 -e submit_batch_job | -sim-walltime  600.00 --uid=user002 -J j02 -N 4 -n 4 -t 00:10:00 -p main pseudo.job
-dt   1.50 -e submit_batch_job | -sim-walltime   30.00 --uid=user001 -J j03 -n 1 -t 00:01:00 -p short pseudo.job
-dt   2.00 -e submit_batch_job | -sim-walltime  300.00 --uid=user003 -J j04 -n 8 -t 00:20:00 --mem=16G pseudo.job
-dt   2.00 -e submit_batch_job | -sim-walltime    0.00 --uid=user003 -J j05 -n 1 -t 00:20:00 pseudo.job
-dt  10.00 -e submit_batch_job | -sim-walltime 5000.00 --uid=user001 -J j06 -N 1 -n 2 -t 00:30:00 pseudo.job
-dt  11.00 -e submit_batch_job | -sim-walltime   90.00 --uid=user002 -J j07 -N 2 -n 6 -t 00:05:00 -C fast pseudo.job
-dt  12.00 -e submit_batch_job | -sim-walltime   90.00 --uid=user002 -J j08 -N 2-3 -n 6 -t 00:05:00 pseudo.job
-dt  60.00 -e submit_batch_job | -sim-walltime  120.00 --uid=user004 -J j09 -n 3 -t 00:03:00 -p short pseudo.job
-dt  61.00 -e submit_batch_job | -sim-walltime  120.00 --uid=user004 -J j10 -n 3 -t 00:03:00 -p short pseudo.job
-dt  62.00 -e submit_batch_job | -sim-walltime  120.00 --uid=user004 -J j11 -n 3 -t 00:03:00 -p short pseudo.job
-dt  63.00 -e submit_batch_job | -sim-walltime  120.00 --uid=user004 -J j12 -n 3 -t 00:03:00 -p short pseudo.job
-dt 100.00 -e submit_batch_job | -sim-walltime   45.50 --uid=user001 -J j13 -n 20 -t 00:01:00 pseudo.job
-dt 100.00 -e submit_batch_job | -sim-walltime   10.00 --uid=user005 -J j14 -n 1 --mem=30000 -t 00:01:00 pseudo.job
-dt 100.00 -e submit_batch_job | -sim-walltime   10.00 --uid=user005 -J j15 -n 1 --mem-per-cpu=4G -t 1 pseudo.job
-dt 400.00 -e submit_batch_job | -sim-walltime   20.00 --uid=user001 -J j16 -n 1 -w a2 -t 00:01:00 pseudo.job
-dt 400.00 -e submit_batch_job | -sim-walltime   20.00 --uid=user001 -J j17 -n 1 -x a[1-3] -t 00:01:00 pseudo.job
-dt 401.00 -e submit_batch_job | -sim-walltime   20.00 --uid=user001 -J j18 --exclusive -t 00:01:00 pseudo.job
-dt 9000.0 -e submit_batch_job | -sim-walltime    5.00 --uid=user006 -J j19 -c 2 -n 2 -t 00:01:00 pseudo.job
-dt 9000.0 -e submit_batch_job | -sim-walltime    5.00 --uid=user006 -J j20 -n 2 --nice=10 -t 00:01:00 pseudo.job
"""


@pytest.fixture
def example(sim, monkeypatch, tmp_path) -> ModuleType:
    """The example, with its commands run in this process."""
    path = Path(__file__).parents[2] / "examples" / "replay_events.py"
    spec = importlib.util.spec_from_file_location("replay_events", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.setattr(module, "sim", sim)
    monkeypatch.setenv("SLIMSCHED_STATE", str(sim.state))
    (tmp_path / "slurm.conf").write_text(SLURM_CONF, encoding="utf-8")
    return module


@pytest.mark.parametrize("packed", [False, True])
def test_every_job_comes_to_its_end_and_no_node_is_overbooked(example, sim, monkeypatch, tmp_path, capsys, packed):
    events = tmp_path / ("events.gz" if packed else "events")
    events.write_bytes(gzip.compress(EVENTS.encode()) if packed else EVENTS.encode())
    monkeypatch.setattr(sys, "argv", ["replay_events.py", str(tmp_path / "slurm.conf"), str(events)])

    assert example.main() == 0
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "20 jobs submitted, 20 found: {'COMPLETED': 19, 'TIMEOUT': 1}",
        "no node overbooked",
    ]
    rows = [row.split("|") for row in sim("sacct -X -n -P -a -o JobName,User,Submit,Elapsed,State").splitlines()]
    assert ["j01", "user001", "2026-01-01T00:00:01", "00:01:00", "COMPLETED"] in rows
    assert ["j06", "user001", "2026-01-01T00:00:10", "00:30:00", "TIMEOUT"] in rows
    assert ["j20", "user006", "2026-01-01T02:30:00", "00:00:05", "COMPLETED"] in rows


def test_only_so_many_jobs_are_submitted_as_asked_for(example, sim, monkeypatch, tmp_path, capsys):
    (tmp_path / "events").write_text(EVENTS, encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["replay_events.py", str(tmp_path / "slurm.conf"), str(tmp_path / "events"), "3"])

    assert example.main() == 0
    assert "3 jobs submitted, 3 found" in capsys.readouterr().out


def test_the_audit_finds_a_lost_job_and_an_overbooked_node(example, sim, capsys):
    sim("sbatch --wrap 'sleep 5'")
    assert example.audit([1]) == 1  # it runs still
    sim("advance --until-idle")
    assert example.audit([1]) == 0
    assert example.audit([1, 2]) == 1
    assert "2 jobs submitted, 1 found" in capsys.readouterr().out

    jobs = [
        Job(job_id=n, request=JobRequest(), nodes="a1", cpus=[3], memory=[10], start_time=n, end_time=n + 2)
        for n in (1, 2)
    ]
    assert example.overbooked(jobs, {"a1": 6}, {"a1": 20}) == []
    assert example.overbooked(jobs, {"a1": 5}, {"a1": 20}) == ["a1: 6 of 5 CPUs, 20 of 20 MB"]
    assert example.overbooked(jobs, {"a1": 6}, {"a1": 19}) == ["a1: 6 of 6 CPUs, 20 of 19 MB"]
