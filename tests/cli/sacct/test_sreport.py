"""``sim sreport``: each report by its whole output, units, resources, conditions and refusals."""

from __future__ import annotations

import pytest
import scene
import world

from slimsched.cli.sacct.sreport import command
from slimsched.model.account import Book
from slimsched.model.cluster import Cluster
from slimsched.model.reservation import Reservation

DAY = "start=2026-11-21 end=2026-11-22"


class Store:
    """An archive with the finished jobs of a cluster in it."""

    def __init__(self, jobs) -> None:
        self.archive, self.jobs = self, jobs

    def between(self, start, end):
        return [job for job in self.jobs if job.submit_time <= end and job.end_time >= start]


@pytest.fixture
def cluster() -> Cluster:
    """Return a cluster of 32 CPUs at half past ten that was made at eight: jobs of ann (2 h, 4 CPUs), bob and eve."""
    made = Cluster(world.recorded(), scene.at("08:00:00"))
    made.now = scene.at("10:30:00")
    book = Book(made)
    for account, parent in (("lab", "root"), ("sub", "lab")):
        book.put(f"account {account}", {})
        book.put(f"assoc {account}", {"ParentName": parent})
    for account, user in (("lab", "ann"), ("sub", "bob")):
        book.put(f"user {user}", {"DefaultAccount": account})
        book.put(f"assoc {account} {user}", {"ParentName": account})
    job(made, 1, "ann", "lab", 4, "08:00:00", "10:00:00")
    job(made, 2, "bob", "sub", 2, "09:30:00", None, qos="high", partition="batch")
    job(made, 3, "ann", "sub", 1, "08:00:00", "09:00:00")
    return made


def job(made, number, user, account, cpus, start, end, **more):
    found = scene.add(made, number, start, user_name=user, account=account, **more)
    scene.run(made, found, "node1", [cpus], [100 * cpus], start)
    if end:
        found.state, found.end_time = "COMPLETED", scene.at(end)


@pytest.fixture
def sreport(cluster, capsys, monkeypatch):
    finished = [each for each in cluster.jobs.values() if each.finished]
    cluster.jobs = {number: each for number, each in cluster.jobs.items() if not each.finished}
    monkeypatch.setattr(scene.Scene, "store", Store(finished), raising=False)

    def run(line: str):
        return scene.call(cluster, command, line.split(), capsys)

    return run


RULE = "-" * 80


def test_utilization(sreport):
    assert sreport(f"cluster utilization {DAY}") == (
        0,
        f"{RULE}\nCluster Utilization 2026-11-21T00:00:00 - 2026-11-21T23:59:59\n"
        f"Usage reported in CPU Minutes\n{RULE}\n"
        "  Cluster    Allocated         Down    PLND Down         Idle      Planned      Reported \n"
        "--------- ------------ ------------ ------------ ------------ ------------ ------------- \n"
        "   oracle          600            0            0         3240            0          3840 \n",
        "",
    )
    assert sreport(f"-nP -t hourper cluster util {DAY}")[1] == (
        "oracle|10(15.62%)|0(0.00%)|0(0.00%)|54(84.38%)|0(0.00%)|64(100.00%)\n"
    )
    assert sreport(f"-nP -T cpu,mem,node cluster ut {DAY}")[1] == (
        "oracle|cpu|600|0|0|3240|0|3840\noracle|mem|60000|0|0|900000|0|960000\noracle|node|210|0|0|750|0|960\n"
    )
    assert sreport("-nP cluster utilization start=2026-11-19 end=2026-11-20")[1] == ""


def test_accounts_and_their_users(sreport):
    assert sreport(f"cluster AccountUtilizationByUser {DAY}")[1] == (
        f"{RULE}\nCluster/Account/User Utilization 2026-11-21T00:00:00 - 2026-11-21T23:59:59 (86400 secs)\n"
        f"Usage reported in CPU Minutes\n{RULE}\n"
        "  Cluster         Account     Login     Proper Name     Used   Energy \n"
        "--------- --------------- --------- --------------- -------- -------- \n"
        "   oracle            root                                600        0 \n"
        "   oracle             lab                                600        0 \n"
        "   oracle             lab       ann             ann      480        0 \n"
        "   oracle             sub                                120        0 \n"
        "   oracle             sub       ann             ann       60        0 \n"
        "   oracle             sub       bob             bob       60        0 \n"
    )
    assert sreport(f"-nP -t Hours cluster au tree {DAY} format=account%20,login,used users=ann")[1] == (
        "root||9\n lab||9\n  lab|ann|8\n  sub||1\n   sub|ann|1\n"
    )
    assert (
        sreport(f"-nP cluster aq {DAY}")[1] == "oracle|lab|normal|480|0\noracle|sub|high|60|0\noracle|sub|normal|60|0\n"
    )


def test_users(sreport):
    assert sreport(f"-nP cluster ua {DAY}")[1] == (
        "oracle|ann|ann|lab|480|0\noracle|ann|ann|sub|60|0\noracle|bob|bob|sub|60|0\n"
    )
    assert sreport(f"user top topcount=1 {DAY}")[1] == (
        f"{RULE}\nTop 1 Users 2026-11-21T00:00:00 - 2026-11-21T23:59:59 (86400 secs)\n"
        f"Usage reported in CPU Minutes\n{RULE}\n"
        "  Cluster     Login     Proper Name         Account     Used   Energy \n"
        "--------- --------- --------------- --------------- -------- -------- \n"
        "   oracle       ann             ann             lab      480        0 \n"
    )
    assert sreport(f"-nP user top group {DAY}")[1] == "oracle|ann|ann||540|0\noracle|bob|bob||60|0\n"
    assert sreport(f"-nP -t percent user topusage account=sub {DAY}")[1] == (
        "oracle|ann|ann|sub|1.56%|0.00%\noracle|bob|bob|sub|1.56%|0.00%\n"
    )
    assert sreport(f"-P -T mem user top partitions=batch {DAY}")[1].splitlines()[-2:] == [
        "Cluster|Login|Proper Name|Account|TRES Name|Used",
        "oracle|bob|bob|sub|mem|6000",
    ]


def test_sizes_of_jobs(sreport):
    assert sreport(f"job sizesbyaccount grouping=2,4 {DAY}")[1] == (
        f"{RULE}\nJob Sizes 2026-11-21T00:00:00 - 2026-11-21T23:59:59 (86400 secs)\nTime reported in Minutes\n{RULE}\n"
        "  Cluster   Account      0-1 CPUs      2-3 CPUs     >= 4 CPUs % of cluster \n"
        "--------- --------- ------------- ------------- ------------- ------------ \n"
        "   oracle      root            60           120           480      100.00% \n"
    )
    assert sreport(f"-P job sizes printjobcount {DAY}")[1].splitlines()[2:] == [
        "Units are in number of jobs ran",
        RULE,
        "Cluster|Account|0-49 CPUs|50-249 CPUs|250-499 CPUs|500-999 CPUs|>= 1000 CPUs|% of cluster",
        "oracle|root|3|0|0|0|0|100.00%",
    ]
    assert sreport(f"-nP job sizes printjobcount flatview grouping=9 {DAY}")[1] == (
        "oracle|lab|1|0|33.33%\noracle|sub|2|0|66.67%\n"
    )
    assert sreport(f"-nP job sizes accounts=lab grouping=9 {DAY}")[1] == "oracle|lab|660|0|100.00%\n"
    assert sreport(f"-nP job sizes accounts=lab acctasparent grouping=9 {DAY}")[1] == "oracle|sub|180|0|100.00%\n"


def test_reservations(sreport, cluster):
    resv = Reservation(name="maint", nodes="node1", start_time=scene.at("08:00:00"), end_time=scene.at("10:00:00"))
    cluster.reservations["maint"] = resv
    cluster.jobs[2].resv_name = "maint"

    assert sreport(f"-nP reservation utilization {DAY}")[1] == (
        "oracle|maint|2026-11-21T08:00:00|2026-11-21T10:00:00|60|420\n"
    )


def test_periods(sreport):
    def line(words: str) -> str:
        return sreport(f"-P user top {words}")[1].splitlines()[1]

    assert line("") == "Top 10 Users 2026-11-20T00:00:00 - 2026-11-21T00:59:59 (90000 secs)"
    assert line("start=2026-11-21T09:10:11 end=2026-11-21T09:20:00") == (
        "Top 10 Users 2026-11-21T09:00:00 - 2026-11-21T09:59:59 (3600 secs)"
    )


def test_job_sizes_in_a_format_and_for_a_resource(sreport):
    code, out, err = sreport("-P -T cpu job sizes format=account,0-49")

    assert (code, err) == (0, "")
    assert "Account|0-49 CPUs" in out.splitlines()


REFUSALS = [
    ("bogus top", "invalid keyword: bogus\n"),
    ("c top", "invalid keyword: c\n"),
    ("user", "too few arguments for keyword:user\n"),
    ("cluster bogus", 'Not valid report bogus\nValid cluster reports are, "AccountUtilizationByUser", "Account'),
    ("user bogus", 'Not valid report bogus\nValid user reports are, "Top"\n'),
    ("user top bogus=1", " Unknown condition: bogus=1\nUse keyword set to modify value\n"),
    ("user top format=bogus", " Unknown field 'bogus'\n"),
    ("user top topcount=x", "sreport: error: Invalid value (x)\n"),
    ("-t bogus user top", "unknown time format bogus\n"),
    ("-T bogus user top", "sreport: error: No valid TRES given: bogus\n"),
    ("user top start=bogus", "sreport: error: Invalid time specification (pos=0): bogus\n"),
]


@pytest.mark.parametrize(("line", "said"), REFUSALS)
def test_refusals(line, said, sreport):
    code, out, err = sreport(line)

    assert (code, out) == (1, "")
    assert err.startswith(said)
