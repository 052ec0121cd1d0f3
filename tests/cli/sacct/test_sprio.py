"""``sim sprio`` and ``sim sshare``: the parts of a priority, the tree of shares."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
import scene
import world

from slimsched.cli.sacct import sprio, sshare
from slimsched.controller.core import Controller
from slimsched.model.account import Book
from slimsched.model.cluster import Cluster

WEIGHTS = {
    "PriorityType": "priority/multifactor",
    "PriorityWeightAge": "1000",
    "PriorityWeightFairshare": "10000",
    "PriorityWeightPartition": "100",
    "PriorityWeightQOS": "2000",
    "PriorityWeightTRES": "CPU=1000,Mem=800",
}


class Whole(scene.Scene):
    @contextmanager
    def session(self, *, write=True):
        yield Controller(self.cluster)


def call(cluster, command, argv, capsys):
    app = Whole(cluster)
    code = app.guard(lambda: command.main(app, argv))
    return (code, *capsys.readouterr())


def cluster(**keys: str) -> Cluster:
    made = Cluster(world.recorded(), scene.at("08:00:00"))
    made.config.slurm |= WEIGHTS | keys
    made.config.usage = {"alice": 300.0, "bob": 100.0}
    book = Book(made)
    book.put("qos normal", {"ID": "1", "Priority": "0"})
    book.put("qos high", {"ID": "2", "Priority": "10"})
    book.put("account lab", {})
    book.put("assoc lab", {"ID": "3", "ParentName": "root", "Fairshare": "3"})
    for number, user in enumerate(("alice", "bob")):
        book.put(f"user {user}", {"DefaultAccount": "lab"})
        book.put(f"assoc lab {user}", {"ID": str(4 + number), "ParentName": "lab", "Fairshare": "1"})
    for job_id, user, uid in ((1, "alice", 1001), (2, "bob", 1002)):
        job = scene.add(made, job_id, "07:00:00", qos="high" if user == "bob" else "", num_tasks=4)
        job.user_name, job.user_id, job.accrue_time = user, uid, scene.at("07:00:00")
    scene.add(made, 3, "07:00:00", name="held", hold=True, priority=0)
    both = scene.add(made, 4, "07:00:00", partition="debug,batch")
    both.user_name = "bob"
    for job in made.jobs.values():
        if job.priority:
            job.priority = Controller(made).priority.set(0, job)
    return made


def test_a_column_for_each_weight_and_a_line_for_each_partition(capsys):
    code, out, err = call(cluster(), sprio.command, [], capsys)
    lines = out.splitlines()

    assert (code, err) == (0, "")
    assert {len(line) for line in lines} == {112}
    assert lines[1][:60] == "              1 debug           3604          0          6  "
    assert [line.split() for line in lines] == [
        ["JOBID", "PARTITION", "PRIORITY", "SITE", "AGE", "FAIRSHARE", "PARTITION", "QOS", "TRES"],
        ["1", "debug", "3604", "0", "6", "3333", "100", "0", "cpu=125,mem=40"],
        ["2", "debug", "8937", "0", "6", "6667", "100", "2000", "cpu=125,mem=40"],
        ["4", "debug", "6813", "0", "6", "6667", "100", "0", "cpu=31,mem=10"],
        ["4", "batch", "6855", "0", "6", "6667", "100", "0", "cpu=63,mem=20"],
    ]


def test_normalized_weights_and_own_formats(capsys):
    made = cluster()
    own = ["-h", "-j", "2", "-o", "%i %f %q %N %u %n"]

    weights = call(made, sprio.command, ["-w"], capsys)[1].splitlines()[1]
    assert weights.split() == ["Weights", "1", "1000", "10000", "100", "2000", "CPU=1000,Mem=800"]
    assert call(made, sprio.command, own, capsys)[1] == "2 0.6666667 1.0000000 0 bob high\n"


@pytest.mark.parametrize(
    ("argv", "ids"),
    [
        (["-u", "1001"], ["1"]),
        (["-p", "batch"], ["4"]),
        (["-j", "1,2"], ["1", "2"]),
        (["-j", "99"], []),
        (["-j", "3"], []),
    ],
)
def test_choice(argv, ids, capsys):
    out = call(cluster(), sprio.command, ["-h", "-o", "%i", *argv], capsys)[1]

    assert out.splitlines() == ids


@pytest.mark.parametrize(
    ("argv", "out"),
    [
        (["-S", "-i"], "4 4 2 1"),
        (["-S", "Y"], "1 4 4 2"),
        (["-S", "r,-i"], "4 4 2 1"),
        (["-S", "-q,-u"], "2 4 4 1"),
        (["-S", "-n,t"], "4 4 1 2"),
        (["-j", "1"], "1"),
        (["-o%i", "-j", "--", "2"], "2"),
        (["-u", "nobody-here"], ""),
    ],
)
def test_order_and_choice(argv, out, capsys):
    code, found, _ = call(cluster(), sprio.command, ["-h", "-o", "%i", *argv], capsys)

    assert (code, found.split()) == (0, out.split())


@pytest.mark.parametrize(
    ("argv", "err"),
    [
        (["-S", "b"], "error: Invalid sort specification: b"),
        (["-l", "-o", "%i"], f"fatal: {sprio.TOGETHER}"),
        (["4"], "error: Unrecognized option: 4"),
        (["-j", "x"], "error: Invalid job id: x"),
    ],
)
def test_refusals(argv, err, capsys):
    code, _, said = call(cluster(), sprio.command, argv, capsys)

    assert (code, said) == (1, f"sprio: {err}\n")


def test_formats(capsys, monkeypatch):
    made = cluster()
    made.jobs[1].request.priority = made.jobs[1].priority = 77
    by_hand = "1 0 0 0 77 77.00000000000000 \n2 1.0000000 2000 0 8937 0.00000208080746 CPU=0.12,Mem=0.05\n"

    fields = call(made, sprio.command, ["-h", "-j1,2", "-o", "%i %q %Q %N %Y %y %t"], capsys)[1]
    assert fields.replace("cpu", "CPU").replace("mem", "Mem") == by_hand
    assert call(made, sprio.command, ["-nwh"], capsys)[1].split() == ["Weights", "1000", "10000", "100", "2000"]
    long = call(made, sprio.command, ["-l"], capsys)[1].splitlines()[0].split()
    assert long[:6] == ["JOBID", "PARTITION", "USER", "ACCOUNT", "PRIORITY", "SITE"]
    assert call(made, sprio.command, ["--helpformat"], capsys)[1].splitlines()[0] == "".join(
        f"%{letter:<5}" for letter in "aAbBcfFi"
    )
    assert call(made, sprio.command, ["-h", "-j0+1", "-o", "a%i %z|%3x%u"], capsys)[:2] == (1, "")
    assert call(made, sprio.command, ["-h", "-j1+1", "-o", "a%i %z|%3x%u"], capsys) == (
        0,
        "a2 bob\n",
        "sprio: error: Invalid job format specification: z\nsprio: error: Invalid job format specification: x\n",
    )
    monkeypatch.setenv("SPRIO_FORMAT", "%u")
    assert call(made, sprio.command, ["-h", "-j1"], capsys)[1] == "alice\n"
    assert call(made, sprio.command, ["-hv", "-j1"], capsys)[1].splitlines()[1:3] == [
        "format     = %u",
        "job_flag   = 1",
    ]


def test_priority_basic_has_no_parts(capsys):
    answer = call(cluster(PriorityType="priority/basic"), sprio.command, ["-l"], capsys)

    assert answer == (
        1,
        "",
        "You are not running a supported priority plugin\n(priority/basic).\n"
        "Only 'priority/multifactor' is supported.\n",
    )


def test_shares(capsys):
    assert call(cluster(), sshare.command, ["-aP"], capsys)[1] == (
        "Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare\n"
        "root|||0.000000|400|1.000000|\n"
        " root|root|1|0.250000|0|0.000000|1.000000\n"
        " lab||3|0.750000|400|1.000000|\n"
        "  lab|alice|1|0.500000|300|0.750000|0.333333\n"
        "  lab|bob|1|0.500000|100|0.250000|0.666667\n"
    )
    assert (
        call(cluster(), sshare.command, ["-hU", "-u", "bob", "-o", "user%5,levelfs,id"], capsys)[1]
        == "  bob   2.000000      5 \n"
    )


def test_shares_without_weights_are_as_recorded(capsys):
    made = Cluster(world.recorded(), scene.at("08:00:00"))
    book = Book(made)
    book.put("account acct", {})
    book.put("assoc acct", {"ID": "3", "ParentName": "root"})
    book.put("assoc acct root", {"ID": "4", "ParentName": "acct"})

    assert call(made, sshare.command, ["-Pa"], capsys)[1] == (
        "Account|User|RawShares|NormShares|RawUsage|EffectvUsage|FairShare\n"
        "root||||0|0.000000|\n root|root|1||0|0.000000|0.000000\n"
        " acct||1||0|0.000000|\n  acct|root|1||0|0.000000|0.000000\n"
    )
    made.config.slurm["AccountingStorageType"] = "accounting_storage/none"
    assert call(made, sshare.command, ["-P"], capsys)[1].count("\n") == 1


def test_no_job_waits(capsys):
    made = cluster()
    made.jobs.clear()

    assert call(made, sprio.command, ["-j", "1"], capsys)[1] == "Unable to find jobs matching user/id(s) specified\n"


def test_an_unknown_partition_is_told(sim, with_notes):
    sim("init --partition gpu --set PriorityType=priority/multifactor")
    answer = sim.run("sprio -h -p gpuu,gpu")
    assert answer == (0, "", "sprio: note: no partition 'gpuu'; did you mean gpu?\n")
