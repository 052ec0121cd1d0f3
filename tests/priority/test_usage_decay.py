"""What jobs use, how it fades, and when it is cleared: against sums worked out period by period."""

from __future__ import annotations

import pytest

from slimsched.model.account import Book
from slimsched.model.cluster import Cluster
from slimsched.model.config import Config, PartitionConf
from slimsched.model.job import Job
from slimsched.model.request import JobRequest
from slimsched.priority import usage
from slimsched.priority.fairshare import FairShare
from slimsched.priority.usage import Fading, UsageLedger

BEGIN = 1_767_225_600  # 2026-01-01, a Thursday
BOB = "assoc lab bob"


def cluster(**keys):
    """Return a cluster that keeps usage: the account lab with bob, and the QOS ``lasting`` that does not fade."""
    slurm = {"PriorityType": "priority/multifactor", "PriorityDecayHalfLife": "0-1", "PriorityCalcPeriod": "5", **keys}
    made = Cluster(Config(slurm=slurm, partitions=[PartitionConf(partition_name="debug")]), BEGIN)
    book = Book(made)
    book.put("account lab", {})
    book.put("assoc lab", {"ParentName": "root"})
    book.put("user bob", {"DefaultAccount": "lab"})
    book.put(BOB, {"ParentName": "lab"})
    book.put("qos lasting", {"Flags": "NoDecay"})
    book.put("qos dear", {"UsageFactor": "2.5"})
    return made


def job(made, start, cpus=2, qos="", number=1, user="bob"):
    request = JobRequest(account="lab" if Book(made).defined else "", qos=qos, partition="debug", gres="gpu:1")
    found = Job(job_id=number, request=request, user_name=user, partition="debug", state="RUNNING")
    found.start_time, found.cpus, found.memory, found.gres = BEGIN + start, [cpus], [100], ["gpu:1"]
    made.jobs[number] = found
    return found


def end(made, found, at):
    made.now = BEGIN + at
    usage.charge(made, found)
    found.state, found.end_time = "COMPLETED", made.now


def stepped(runs, until, keeps, period=300):
    """Return the usage after ``until`` seconds of (start, end) runs of one unit, as slurmctld works it out."""
    total = 0.0
    for tick in range(period, until + 1, period):
        total *= keeps**period
        for first, last in runs:
            ran = max(0, min(last, tick) - max(first, tick - period))
            total += ran * keeps**ran
            if tick - period < last < tick:  # charged when it ended, so that the tick makes it fade as a whole
                total += ran * keeps**ran * (keeps**period - 1)
    return total


KEEPS = 1 - 0.693 / 3600


@pytest.mark.parametrize("runs", [[(0, 3000)], [(100, 250)], [(10, 2890)], [(299, 301)], [(0, 700), (800, 900)]])
def test_as_worked_out_period_by_period(runs):
    made = cluster()
    for number, (first, last) in enumerate(runs, 1):
        end(made, job(made, first, cpus=1, number=number), last)

    made.now = BEGIN + 6000
    found = UsageLedger(made).of(BOB)

    assert found["cpu"] == pytest.approx(stepped(runs, 6000, KEEPS))
    assert found["cpu"] == found["wall"] == found["billing"] == found["gres/gpu"]
    assert found["mem"] == pytest.approx(100 * found["cpu"])


@pytest.mark.parametrize("until", [0, 299, 300, 310, 599, 600, 3000])
def test_a_running_job_is_charged_up_to_the_last_calculation(until):
    made = cluster()
    job(made, 30, cpus=4)
    made.now = BEGIN + until

    found = UsageLedger(made).of(BOB).get("cpu", 0.0)

    assert found == pytest.approx(4 * stepped([(30, 10**9)], until, KEEPS))


def test_it_makes_no_difference_how_often_one_looks():
    seen = []
    for stops in ((), (100, 250, 700, 1500)):
        made = cluster()
        first, second = job(made, 50), job(made, 80, cpus=1, number=2)
        for stop in stops:
            made.now = BEGIN + stop
            FairShare(made)
        end(made, first, 1700)
        end(made, second, 1800)
        made.now = BEGIN + 9000
        seen.append(UsageLedger(made).of(BOB))

    assert seen[0] == seen[1]


def test_without_decay_usage_is_what_ran():
    made = cluster(PriorityDecayHalfLife="0")
    end(made, job(made, 17), 1234)

    assert UsageLedger(made).of(BOB)["cpu"] == 2 * (1234 - 17)


def test_the_factor_of_a_qos_and_a_qos_that_does_not_fade():
    made = cluster()
    end(made, job(made, 0, qos="dear"), 300)
    end(made, job(made, 300, qos="lasting"), 600)
    made.now = BEGIN + 7200

    ledger = UsageLedger(made)

    assert ledger.of("qos lasting")["cpu"] == 600
    assert ledger.of("qos dear")["cpu"] == pytest.approx(2.5 * 2 * 300 * KEEPS**7200)
    assert ledger.of("qos dear")["wall"] == pytest.approx(2.5 * 300 * KEEPS**7200)


def test_accounts_have_what_their_users_have():
    made = cluster(PriorityDecayHalfLife="0")
    Book(made).put("assoc lab eve", {"ParentName": "lab"})
    end(made, job(made, 0), 100)
    job(made, 0, number=2, user="eve")
    made.now = BEGIN + 300

    groups = UsageLedger(made).groups

    assert groups["assoc lab"] == groups["assoc root"]
    assert groups["assoc lab"]["cpu"] == 2 * 100 + 2 * 300
    assert groups["assoc lab eve"]["cpu"] == 600


DAY = 86400
RESETS = [
    ("NONE", 400 * DAY, 0),
    ("DAILY", 5 * DAY + 77, 5 * DAY),
    ("WEEKLY", 2 * DAY, -4 * DAY),  # Saturday: cleared the Sunday before
    ("WEEKLY", 3 * DAY, 3 * DAY),
    ("MONTHLY", 40 * DAY, 31 * DAY),
    ("QUARTERLY", 100 * DAY, 90 * DAY),
    ("YEARLY", 200 * DAY, 0),
    ("weekly", 4 * DAY, 3 * DAY),
]


@pytest.mark.parametrize(("period", "now", "cleared"), RESETS)
def test_reset_periods(period, now, cleared):
    made = cluster(PriorityUsageResetPeriod=period)

    assert Fading(made).cleared(BEGIN + now) == (BEGIN + cleared if period != "NONE" else 0)


def test_usage_is_cleared_and_running_jobs_count_anew():
    made = cluster(PriorityUsageResetPeriod="DAILY", PriorityDecayHalfLife="0")
    end(made, job(made, 0), 1000)
    running = job(made, 500, cpus=1, number=2)
    made.now = BEGIN + DAY + 600
    assert UsageLedger(made).of(BOB)["cpu"] == 600

    end(made, running, DAY + 700)
    assert UsageLedger(made).of(BOB)["cpu"] == 700
    made.now = BEGIN + 2 * DAY
    assert UsageLedger(made).of(BOB) == {}


def test_usage_that_is_cleared_by_hand_counts_from_then_on():
    made = cluster(PriorityDecayHalfLife="0")
    job(made, 0)
    made.now = BEGIN + 600
    UsageLedger(made).clear(BOB)
    assert UsageLedger(made).of(BOB).get("cpu", 0.0) == 0
    made.now = BEGIN + 900
    assert UsageLedger(made).of(BOB)["cpu"] == 600


def test_only_multifactor_keeps_usage():
    made = cluster(PriorityType="priority/basic")
    end(made, job(made, 0), 1000)

    assert made.usage == {}
    assert UsageLedger(made).of(BOB) == {}


def test_a_cluster_without_accounts_keeps_usage_by_user():
    made = cluster(PriorityDecayHalfLife="0")
    made.accounting.clear()
    end(made, job(made, 0), 900)
    made.config.usage = {"eve": 900.0}
    tree = FairShare(made)

    assert tree.factor("", "bob") < tree.factor("", "eve")
    assert {share.user: share.usage for share in tree.rows() if share.user} == {"bob": 1800.0, "eve": 900.0}


def test_the_table_of_the_configuration_is_where_usage_begins():
    made = cluster()
    made.config.usage = {"lab/bob": 1000.0, "lab": 500.0}
    made.now = BEGIN + 3600
    tree = FairShare(made)

    left = KEEPS**3600
    assert [(row.account, row.user, row.usage) for row in tree.rows()][2:] == [
        ("lab", "", pytest.approx(1500 * left)),
        ("lab", "bob", pytest.approx(1000 * left)),
    ]
