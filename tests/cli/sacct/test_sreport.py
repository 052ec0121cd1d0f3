"""``sim sreport``: each report by its whole output, units, resources, conditions and refusals."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import scene
import world

from slimsched.cli.sacct.sreport import command
from slimsched.model.account import Book
from slimsched.model.cluster import Cluster
from slimsched.model.reservation import Reservation

DAY = "start=2026-11-21 end=2026-11-22"


class Store:
    """An archive with the finished jobs of a cluster in it, and a history."""

    def __init__(self, jobs) -> None:
        self.archive, self.jobs, self.commits = self, jobs, []

    def history(self):
        return self.commits

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
    store = Store(finished)
    monkeypatch.setattr(scene.Scene, "store", store, raising=False)

    def run(line: str):
        return scene.call(cluster, command, line.split(), capsys)

    run.store = store
    return run


RULE = "-" * 80


def test_utilization(sreport):
    assert sreport(f"cluster utilization {DAY}") == (
        0,
        f"{RULE}\nCluster Utilization 2026-11-21T00:00:00 - 2026-11-21T23:59:59\n"
        f"Usage reported in CPU Minutes\n{RULE}\n"
        "  Cluster Allocate     Down PLND Dow     Idle  Planned Reported \n"
        "--------- -------- -------- -------- -------- -------- -------- \n"
        "   oracle      600        0        0     3240        0     3840 \n",
        "",
    )
    assert sreport(f"-nP -t hourper cluster util {DAY}")[1] == (
        "oracle|10(15.62%)|0(0.00%)|0(0.00%)|54(84.38%)|0(0.00%)|64(8.33%)\n"
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
        "   oracle             lab       ann                      480        0 \n"
        "   oracle             sub                                120        0 \n"
        "   oracle             sub       ann                       60        0 \n"
        "   oracle             sub       bob                       60        0 \n"
    )
    assert sreport(f"-nP -t Hours cluster au tree {DAY} format=account%20,login,used users=ann")[1] == (
        "  lab|ann|8\n   sub|ann|1\n"
    )
    assert (
        sreport(f"-nP cluster aq {DAY}")[1]
        == "oracle|root|high|60|0\noracle|root|normal|540|0\noracle|lab|high|60|0\noracle|lab|normal|540|0\n"
        "oracle|sub|high|60|0\noracle|sub|normal|60|0\n"
    )
    assert sreport(f"-nP cluster au accounts=sub {DAY}")[1] == (
        "oracle|sub|||120|0\noracle|sub|ann||60|0\noracle|sub|bob||60|0\n"
    )
    assert sreport(f"-nP -T gres/nosuch,mem,cpu cluster au users=bob {DAY}")[1] == (
        "oracle|sub|bob||cpu|60\noracle|sub|bob||mem|6000\n"
    )


def test_users(sreport):
    assert sreport(f"-nP cluster ua {DAY}")[1] == (
        "oracle|ann||lab|480|0\noracle|ann||sub|60|0\noracle|bob||sub|60|0\n"
    )
    assert sreport(f"user top topcount=1 {DAY}")[1] == (
        f"{RULE}\nTop 1 Users 2026-11-21T00:00:00 - 2026-11-21T23:59:59 (86400 secs)\n"
        f"Usage reported in CPU Minutes\n{RULE}\n"
        "  Cluster     Login     Proper Name         Account     Used   Energy \n"
        "--------- --------- --------------- --------------- -------- -------- \n"
        "   oracle       ann                             lab      480        0 \n"
    )
    assert sreport(f"-nP user top group {DAY}")[1] == "oracle|ann||lab, sub|540|0\noracle|bob||sub|60|0\n"
    assert sreport(f"-nP -t percent user topusage account=sub {DAY}")[1] == (
        "oracle|ann||sub|1.56%|0.00%\noracle|bob||sub|1.56%|0.00%\n"
    )
    assert sreport(f"-P -T mem user top partitions=batch {DAY}")[1].splitlines()[-2:] == [
        "Cluster|Login|Proper Name|Account|TRES Name|Used",
        "oracle|bob||sub|mem|6000",
    ]


def test_sizes_of_jobs(sreport):
    assert sreport(f"job sizesbyaccount grouping=2,4 {DAY}")[1] == (
        f"{RULE}\nJob Sizes 2026-11-21T00:00:00 - 2026-11-21T23:59:59 (86400 secs)\nTime reported in Minutes\n{RULE}\n"
        "  Cluster   Account      0-1 CPUs      2-3 CPUs     >= 4 CPUs Total Count % of cluster \n"
        "--------- --------- ------------- ------------- ------------- ----------- ------------ \n"
        "   oracle      root            60           120           480         660      100.00% \n"
    )
    assert sreport(f"-P job sizes printjobcount {DAY}")[1].splitlines()[2:] == [
        "Units are in number of jobs ran",
        RULE,
        "Cluster|Account|0-49 CPUs|50-249 CPUs|250-499 CPUs|500-999 CPUs|>= 1000 CPUs|Total Count|% of cluster",
        "oracle|root|3|0|0|0|0|3|100.00%",
    ]
    assert sreport(f"-nP job sizes printjobcount flatview grouping=9 {DAY}")[1] == (
        "oracle|lab|1|0|1|33.33%\noracle|sub|2|0|2|66.67%\n"
    )
    assert sreport(f"-nP job sizes accounts=lab grouping=9 {DAY}")[1] == "oracle|lab|660|0|660|100.00%\n"
    assert sreport(f"-nP job sizes accounts=lab acctasparent grouping=9 {DAY}")[1] == "oracle|sub|180|0|180|100.00%\n"


def test_reservations(sreport, cluster):
    resv = Reservation(name="maint", nodes="node1", start_time=scene.at("08:00:00"), end_time=scene.at("10:00:00"))
    cluster.reservations["maint"] = resv
    cluster.jobs[2].resv_name = "maint"

    assert sreport(f"-nP reservation utilization {DAY}")[1] == (
        "oracle|maint|2026-11-21T08:00:00|2026-11-21T10:00:00|cpu|60|420\n"
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
    ("user top topcount=x", "sreport: error: Invalid value (x)\n"),
    ("-T bogus user top", "sreport: fatal: No valid TRES given\n"),
]


@pytest.mark.parametrize(("line", "said"), REFUSALS)
def test_refusals(line, said, sreport):
    code, out, err = sreport(line)

    assert (code, out) == (1, "")
    assert err.startswith(said)


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("user top bogus=1", 1, " Unknown condition: bogus=1\nUse keyword set to modify value\n"),
        ("user top format=cluster,login,proper,account,used,bogus,energy", 1, " Unknown field 'bogus'\n"),
        ("-t bogus user top", 0, "unknown time format bogus\n"),
        ("-s bogus user top", 0, "unknown timesort format bogus\n"),
        ("user top start=bogus", 0, "Invalid time specification (pos=0): bogus\n"),
        ("-M elsewhere user top", 0, ""),
    ],
)
def test_reports_with_a_mistake(line, code, said, sreport):
    assert sreport(line) == (code, sreport("user top")[1], said)


def test_keys_and_wider_columns(sreport, cluster):
    head = (
        f"{RULE}\nJob Sizes by Wckey 2026-11-21T00:00:00 - 2026-11-21T23:59:59 (86400 secs)\nTime reported in Minutes"
    )
    assert sreport(f"job sizesbywckey grouping=9 {DAY}")[1] == (
        f"{head}\n{RULE}\n  Cluster     Wckey      0-8 CPUs     >= 9 CPUs Total Count % of cluster \n"
        "--------- --------- ------------- ------------- ----------- ------------ \n"
    )
    assert sreport(f"cluster wckeyutilizationbyuser {DAY}")[1].splitlines()[4:] == [
        "  Cluster           WCKey     Login     Proper Name     Used ",
        "--------- --------------- --------- --------------- -------- ",
    ]
    cluster.config.slurm["TrackWCKey"] = "yes"
    cluster.jobs[2].request.wckey = "k"
    assert sreport(f"-nP cluster wu {DAY}")[1].splitlines()[-2:] == ["oracle|k|||60", "oracle|k|bob||60"]
    assert sreport(f"-nP cluster uw users=bob {DAY}")[1] == "oracle|bob||k|60\n"
    assert sreport(f"-nP job sizesbyw grouping=9 users=bob {DAY}")[1] == "oracle|k|120|0|120|100.00%\n"
    assert sreport(f"-t minper cluster ua users=bob {DAY}")[1].splitlines()[4:] == [
        "  Cluster     Login     Proper Name         Account              Used            Energy ",
        "--------- --------- --------------- --------------- ----------------- ----------------- ",
        "   oracle       bob                             sub         60(1.56%)          0(0.00%) ",
    ]


def test_lines_of_standard_input(sreport, monkeypatch):
    table = sreport("user top")[1]
    monkeypatch.setattr("sys.stdin", ["user top\n", "nosuch\n", "exit\n", "user top\n"])

    assert sreport("") == (
        1,
        f"sreport: user top\n{table}sreport: nosuch\nsreport: exit\n",
        "invalid keyword: nosuch\n",
    )
    monkeypatch.setattr("sys.stdin", [])
    assert sreport("") == (0, "sreport: \n", "")


WORDS = [
    (("version",), 0, "slurm 26.11.0-0rc1\n", ""),
    (("vers",), 0, "slurm 26.11.0-0rc1\n", ""),
    (("ver",), 1, "", "invalid keyword: ver\n"),
    (("version", "x"), 1, "", "too many arguments for keyword:version\n"),
    (("time",), 1, "", "too few arguments for keyword:time\n"),
    (("time", "hours"), 0, "", ""),
    (("parsable2",), 0, "", ""),
    (("exit",), 0, "", ""),
]


@pytest.mark.parametrize(("args", "code", "out", "err"), WORDS)
def test_words_that_are_no_reports(sim, args, code, out, err):
    assert sim.run("sreport", *args) == (code, out, err)


def test_a_session_keeps_what_its_words_set(sim):
    lines = "parsable2\ntime hours\ncluster util\nnonparsable\ncluster util\nexit\ncluster util\n"
    answer = sim.run("sreport", stdin=lines)
    assert answer.code == 0
    assert answer.out.count("Usage reported in CPU Hours\n") == 2
    assert "Cluster|Allocated|Down|PLND Down|Idle|Planned|Reported\n" in answer.out
    assert "  Cluster Allocate     Down" in answer.out.partition("nonparsable")[2]
    assert answer.out.endswith("sreport: exit\n")


def event(node, clock, state, reason=""):
    told = {"event": "node", "node": node, "time": scene.at(clock), "state": state, "reason": reason}
    return SimpleNamespace(events=[told], user="root")


def hours(sreport, words=""):
    """Return Allocated, Down, PlannedDown, Idle, Planned, Reported in minutes of CPUs."""
    line = sreport(f"-nP cluster utilization {words or DAY}")[1].strip()
    return [int(text) for text in line.split("|")[1:]]


def reserve(cluster, name, nodes, start, end, *flags):
    cluster.reservations[name] = Reservation(
        name=name, nodes=nodes, start_time=scene.at(start), end_time=scene.at(end), flags=list(flags)
    )


def test_nodes_that_are_down(sreport):
    """node2 has 4 CPUs; the hour that has not passed does not count."""
    sreport.store.commits = [event("node2", "08:30:00", "DOWN"), event("node2", "09:15:00", "IDLE")]
    assert hours(sreport) == [600, 180, 0, 3060, 0, 3840]
    sreport.store.commits = [event("node2", "09:30:00", "IDLE+DRAIN", "disk")]
    assert hours(sreport) == [600, 120, 0, 3120, 0, 3840]


def test_reservations_count_as_used_or_as_planned_down_time(sreport, cluster):
    reserve(cluster, "maint", "node2", "08:00:00", "09:00:00", "MAINT")
    assert hours(sreport) == [600, 0, 240, 3000, 0, 3840]
    sreport.store.commits = [event("node2", "08:30:00", "DOWN"), event("node2", "09:15:00", "IDLE")]
    assert hours(sreport) == [600, 60, 240, 2940, 0, 3840]
    reserve(cluster, "maint", "node2", "08:00:00", "09:00:00")
    assert hours(sreport) == [720, 180, 0, 2940, 0, 3840]
    reserve(cluster, "maint", "node2", "08:00:00", "09:00:00", "IGNORE_JOBS")
    assert hours(sreport) == [600, 180, 0, 3060, 0, 3840]


def test_a_job_in_a_reservation_counts_once(sreport, cluster):
    reserve(cluster, "mine", "node1", "09:00:00", "10:00:00")
    assert hours(sreport)[0] == 840
    cluster.jobs[2].resv_name = "mine"
    assert hours(sreport)[0] == 780


def test_cpus_that_jobs_waited_for(sreport, cluster):
    cluster.jobs[2].eligible_time = scene.at("08:30:00")
    assert hours(sreport) == [600, 0, 0, 3180, 60, 3840]
    scene.add(cluster, 9, "09:00:00", num_tasks=2, cpus_per_task=3, array_tasks="1-4", array_job_id=9)
    assert hours(sreport) == [600, 0, 0, 1740, 1500, 3840]
    scene.add(cluster, 10, "09:30:00", num_tasks=1000)
    assert hours(sreport) == [600, 0, 0, 1590, 30 + 1620, 3840]
    assert (
        sreport(f"-nP -T cpu,mem cluster utilization {DAY}")[1].splitlines()[1]
        == "oracle|mem|60000|0|0|900000|0|960000"
    )


def test_down_time_gives_way_to_allocated_time(sreport):
    sreport.store.commits = [event(f"node{number}", "07:00:00", "DOWN") for number in range(1, 9)]
    allocated, down, *rest = hours(sreport)
    assert (allocated, allocated + down, rest) == (600, 3840, [0, 0, 0, 3840])


CONDITIONS = [
    ("user top jobs=2 format='login,used'", "bob|60\n"),
    ('user top users="bob"', "oracle|bob||sub|60|0\n"),
    ("user top jobs=2", "oracle|bob||sub|60|0\n"),
    ("user top jobs=1.0,3", "oracle|ann||lab|480|0\noracle|ann||sub|60|0\n"),
    ("user top wckeys=k", "oracle|bob||sub|60|0\n"),
    ("user top nodes=node[2-3]", ""),
    ("user top nodes=node[1-2] users=bob", "oracle|bob||sub|60|0\n"),
    ("user top gid=root jobs=2", "oracle|bob||sub|60|0\n"),
    ("user top gid=0 jobs=2", "oracle|bob||sub|60|0\n"),
    ("user top gid=nosuch", ""),
    ("user top clusters=elsewhere", ""),
    ("user top clusters=elsewhere,oracle jobs=2", "oracle|bob||sub|60|0\n"),
    ("user top clusters=elsewhere all_clusters jobs=2", "oracle|bob||sub|60|0\n"),
    ("-s name user top users=ann,bob", "oracle|ann||lab|480|0\noracle|ann||sub|60|0\noracle|bob||sub|60|0\n"),
    ("job sizes grouping=individual", "oracle|root|60|120|480|660|100.00%\n"),
    ("job sizes grouping=individual jobs=2 printjobcount", "oracle|root|1|1|100.00%\n"),
    ("reservation utilization names=maint", "oracle|maint|2026-11-21T08:00:00|2026-11-21T10:00:00|cpu|0|480\n"),
    ("reservation utilization names=other", ""),
    ("reservation utilization nodes=node[2-8]", ""),
]


@pytest.mark.parametrize(("line", "out"), CONDITIONS)
def test_conditions(line, out, sreport, cluster):
    cluster.jobs[2].request.wckey = "k"
    reserve(cluster, "maint", "node1", "08:00:00", "10:00:00")
    assert sreport(f"-nP {line} {DAY}") == (0, out, "")


def test_the_order_of_users(sreport, cluster):
    job(cluster, 4, "aaa", "lab", 1, "08:00:00", "08:10:00")
    assert [line.split("|")[1] for line in sreport(f"-nP user top {DAY}")[1].splitlines()] == [
        "ann",
        "ann",
        "bob",
        "aaa",
    ]
    by_name = sreport(f"-nP -s name user top group {DAY}")[1].splitlines()
    assert [line.split("|")[1] for line in by_name] == ["aaa", "ann", "bob"]


def test_a_heading_for_each_size(sreport):
    assert sreport(f"-P job sizes grouping=individual {DAY}")[1].splitlines()[4] == (
        "Cluster|Account|1 CPUs|2 CPUs|4 CPUs|Total Count|% of cluster"
    )
