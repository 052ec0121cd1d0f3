"""Changes of the cluster during a replay: ``--events FILE``."""

from __future__ import annotations

import csv
import os

import pytest

CONF = """\
ClusterName=t
SlurmctldHost=n1
SelectType=select/cons_tres
SelectTypeParameters=CR_CORE
SchedulerParameters=extra_constraints
NodeName=n[1-4] CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE
"""
JOBS = """\
-dt 0 -e submit_batch_job | -J a_1 -sim-walltime 50 -n 4 -t 2 --extra load<0.5 x.sh
-dt 10 -e submit_batch_job | -J a_2 -sim-walltime 600 -n 4 -t 20 -w n4 x.sh
-dt 150 -e submit_batch_job | -J a_3 -sim-walltime 60 -n 4 -t 2 -w n2 x.sh
"""
CHANGES = """\
# loads, a reservation, and a node that fails and comes back

0 scontrol update nodename=n[1-4] extra='{"load": 0.9}'
400 scontrol update nodename=n4 state=RESUME
100 scontrol update nodename=n3 'extra={"load": 0.1}'
120 scontrol create reservation starttime=@200 endtime=@300 user=nobody nodes=n2
150 scontrol update nodename=n4 state=DOWN reason=broken
9999999 scontrol update nodename=n1 extra=
"""


@pytest.fixture
def cluster(sim):
    for name, text in (("slurm.conf", CONF), ("j.events", JOBS), ("changes", CHANGES)):
        (sim.cwd / name).write_text(text, encoding="ascii")
    return sim


WORDS = ("replay", "j.events", "--cluster", "slurm.conf", "--events", "changes", "--out", "out")


def table(sim, name):
    with open(sim.cwd / "out" / name, encoding="ascii", newline="") as lines:
        return list(csv.DictReader(lines))


def test_extra_data_reservations_and_failures_take_part(cluster):
    cluster(*WORDS)

    assert {
        row["job"]: (row["start"], row["end"], row["nodes"], row["extra"]) for row in table(cluster, "jobs.csv")
    } == {
        "1": ("100", "150", "n3", "load<0.5"),  # when its load fell
        "2": ("400", "1000", "n4", ""),  # it ran from 10 to 150, and began anew when the node came back
        "3": ("300", "360", "n2", ""),  # after the reservation, which it would have met
    }
    said = [(row["time"], row["node"], row["state"], row["extra"]) for row in table(cluster, "nodes.csv")]
    assert said == [
        *(("0", f"n{n}", "IDLE", '{"load": 0.9}') for n in range(1, 5)),
        ("100", "n3", "IDLE", '{"load": 0.1}'), ("150", "n4", "DOWN", '{"load": 0.9}'),
        ("400", "n4", "IDLE", '{"load": 0.9}'),
    ]  # fmt: skip


def test_under_an_exact_policy_a_second_is_still_one_of_the_trace(sim):
    (sim.cwd / "t.swf").write_text("1 5 -1 100 2\n2 6 -1 7 1\n3 200 -1 10 4\n", encoding="ascii")
    (sim.cwd / "changes").write_text(
        "7 scontrol update nodename=n1 state=DOWN reason=x\n91 scontrol update nodename=n1 state=RESUME\n"
        "150 scontrol create reservation starttime=@190 endtime=@205 user=nobody nodes=n1\n", encoding="ascii"
    )  # fmt: skip
    sim("replay", "t.swf", "--nodes", "4", "--policy", "easy", "--events", "changes", "--out", "out")

    assert {row["job"]: (row["start"], row["end"]) for row in table(sim, "jobs.csv")} == {
        "1": ("9", "109"),  # it lost n1 at 7, and begins anew when the requeue's 120 s of the cluster have passed
        "2": ("6", "13"),
        "3": ("205", "215"),
    }


def test_an_interrupted_run_is_resumed_to_the_same_bytes(cluster, interrupted):
    cluster(*WORDS)
    whole = {path.name: path.read_bytes() for path in (cluster.cwd / "out").iterdir()}
    for stop in range(1, 8):
        with interrupted(stop):
            assert cluster.run(*WORDS).code == 130
        assert cluster.run(*WORDS, "--resume").code == 0
        assert {path.name: path.read_bytes() for path in (cluster.cwd / "out").iterdir()} == whole


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("5 scontrol update nodename=zz extra=", "slurm_update error: Invalid node name specified"),
        ("5 scontrol update nodename=n1 extra=load", "slurm_update error: Invalid extra constraints specification"),
        ("5 rm -rf /", "a change is: SECONDS scontrol update|create|delete WORD..."),
        ("5 scontrol shutdown now", "a change is: SECONDS scontrol update|create|delete WORD..."),
        ("soon scontrol update nodename=n1 extra=", "'soon' is not a number"),
        ("5 scontrol update 'nodename=n1", "No closing quotation"),
        ("99999999999999999 scontrol update nodename=n1 extra=", "99999999999999999 is too large"),
    ],
)
def test_what_cannot_be_is_refused_by_its_line(cluster, line, said):
    (cluster.cwd / "changes").write_text(f"\n{line}\n", encoding="ascii")

    assert cluster.run(*WORDS) == (1, "", f"sim: error: changes: line 2: {said}\n")


def test_another_file_of_changes_is_another_cell(cluster):
    from slimsched.replay import sweep

    os.chdir(cluster.cwd)
    grid = '[grid]\ntrace = "j.events"\ncluster = "slurm.conf"\nevents = "changes"\n'
    (cluster.cwd / "grid.toml").write_text(grid, encoding="ascii")
    before = sweep.cells("grid.toml", "out")[0]
    (cluster.cwd / "changes").write_text("", encoding="ascii")

    assert "--events changes" in " ".join(before.words)
    assert sweep.cells("grid.toml", "out")[0].folder != before.folder
