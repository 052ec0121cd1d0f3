"""Dependencies: texts, what they wait for, and what becomes of those that can never be."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest
import world

from slimsched.controller.life import cancel, dependency, selectors
from slimsched.errors import SlurmError
from slimsched.slurm.errno import Errno


@pytest.mark.parametrize(
    "text",
    [
        "afterok",
        "bogus:1",
        "afterok:abc",
        "afterok:1?afterany:2,afterok:3",
        "",
        ":1",
        "afterok:",
        "afterok:1+5",
        "afterok:1_x",
        "afterok:0",
        "after:1+0",
        "after:1+",
        "5,afterok:6",
        "singleton:5",
        "afterok:1_[x]",
        "x5",
    ],
)
def test_bad_texts(text):
    with pytest.raises(SlurmError) as caught:
        dependency.parse(text)
    assert caught.value.errno == Errno.DEPENDENCY


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("5", "afterany:5"),
        ("5,7_2", "afterany:5 afterany:7_2"),
        ("afterok:6,5", "afterok:6 afterany:5"),
        ("AfterOK:6:7", "afterok:6 afterok:7"),
        ("after:6+10:7", "after:6+10 after:7"),
        ("afterok:3_*", "afterok:3_*"),
        ("afterok:3_[1-2,5]:4", "afterok:3_1 afterok:3_2 afterok:3_5 afterok:4"),
        ("afterburstbuffer:6", "afterburstbuffer:6"),
        ("Singleton,afterany:1", "singleton afterany:1"),
        ("afterok:1?singleton", "afterok:1 singleton"),
    ],
)
def test_texts(text, items):
    found, _ = dependency.parse(text)

    assert " ".join(str(item).removesuffix("(unfulfilled)") for item in found) == items


def test_nothing_to_wait_for():
    ctl = world.controller()

    assert world.job(ctl, dependency="0").state == "RUNNING"
    assert dependency.resolve(ctl.cluster, "0") == dependency.resolve(ctl.cluster, "") == ""


def test_unknown_jobs():
    ctl = world.controller()

    assert world.job(ctl, dependency="afterany:77").state == "RUNNING"
    assert world.job(ctl, dependency="after:77").state == "RUNNING"
    for kind in ("afterok", "afternotok", "aftercorr"):
        with pytest.raises(SlurmError, match="Job dependency problem"):
            world.job(ctl, dependency=f"{kind}:77")
    with pytest.raises(SlurmError, match="Requested operation not supported"):
        world.job(ctl, dependency="expand:1")


def scenario(runtime=60):
    """Return the controller of scenario dependencies: job 1 ends well, job 2 badly, after ``runtime`` seconds."""
    ctl = world.controller()
    world.job(ctl, name="ok", runtime=runtime)
    world.job(ctl, name="fail", runtime=runtime, sim_exit=1)
    return ctl


@pytest.mark.parametrize(
    ("text", "before", "after", "reason"),
    [
        ("afterok:1", "afterok:1(unfulfilled)", "", "None"),
        ("afterok:2", "afterok:2(unfulfilled)", "afterok:2(failed)", "DependencyNeverSatisfied"),
        ("afternotok:2", "afternotok:2(unfulfilled)", "", "None"),
        ("afternotok:1", "afternotok:1(unfulfilled)", "afternotok:1(failed)", "DependencyNeverSatisfied"),
        ("afterany:1:2", "afterany:1(unfulfilled),afterany:2(unfulfilled)", "", "None"),
        ("afterok:1?afterok:2", "afterok:1(unfulfilled)?afterok:2(unfulfilled)", "", "None"),
        (
            "afterok:1,afterok:2",
            "afterok:1(unfulfilled),afterok:2(unfulfilled)",
            "afterok:2(failed)",
            "DependencyNeverSatisfied",
        ),
        (
            "afterok:2?afternotok:1",
            "afterok:2(unfulfilled)?afternotok:1(unfulfilled)",
            None,
            "DependencyNeverSatisfied",
        ),
        ("after:1", "", "", "None"),
    ],
)
def test_as_recorded(text, before, after, reason):
    ctl = scenario()
    job = world.job(ctl, dependency=text)

    assert job.dependency == before
    assert (job.state, job.reason) == (("PENDING", "Dependency") if before else ("RUNNING", "None"))
    world.later(ctl, 60)
    assert (job.reason, job.state) == (reason, "PENDING" if reason != "None" else "RUNNING")
    if after is not None:
        assert job.dependency == after


def test_a_hopeless_job_is_cancelled_if_it_asked_for_it():
    ctl = scenario()
    job = world.job(ctl, dependency="afterok:2", kill_on_invalid_dep=True)
    world.later(ctl, 60)

    assert (job.state, job.reason) == ("CANCELLED", "DependencyNeverSatisfied")


def test_after_with_minutes_waits_for_the_clock():
    ctl = scenario(runtime=3600)
    job = world.job(ctl, dependency="after:1+2")

    assert job.dependency == "after:1+2(unfulfilled)"
    assert dependency.next_instant(ctl.cluster, job) == world.START + 120
    world.later(ctl, 119)
    assert job.pending
    world.later(ctl, 1)
    assert (job.state, job.start_time) == ("RUNNING", world.START + 120)


def test_singleton_waits_for_jobs_of_the_same_name_and_user():
    ctl = scenario()
    job = world.job(ctl, name="ok", dependency="singleton")
    other = world.job(ctl, name="other", dependency="singleton")

    assert (job.dependency, other.state) == ("singleton(unfulfilled)", "RUNNING")
    world.later(ctl, 60)
    assert job.state == "RUNNING"


def test_chain_of_cancelled_jobs():
    ctl = scenario(runtime=600)
    second = world.job(ctl, dependency="afterok:1")
    third = world.job(ctl, dependency=f"afterok:{second.job_id}")
    cancel.cancel(ctl, selectors.parse("1"))
    ctl.settle()

    assert (second.dependency, third.dependency) == ("afterok:1(failed)", "afterok:3(unfulfilled)")
    cancel.cancel(ctl, selectors.parse("3"))
    ctl.settle()
    assert (third.dependency, third.reason) == ("afterok:3(failed)", "DependencyNeverSatisfied")


def test_whole_arrays_single_tasks_and_corresponding_tasks():
    ctl = world.controller()
    world.job(ctl, array="1-3", runtime=60)
    whole = world.job(ctl, dependency="afterok:1")
    task = world.job(ctl, dependency="afterok:1_1")
    pair = world.job(ctl, array="1-3", dependency="aftercorr:1")
    failing = next(j for j in ctl.cluster.jobs.values() if j.array_job_id == 1 and j.array_task_id == 2)
    failing.sim_exit_code = 1

    assert [j.dependency for j in (whole, task, pair)] == [
        *("afterok:1_*(unfulfilled)", "afterok:1_1(unfulfilled)", "aftercorr:1_*(unfulfilled)"),
    ]
    world.later(ctl, 60)

    assert (whole.reason, whole.dependency) == ("DependencyNeverSatisfied", "afterok:1_*(failed)")
    assert task.state == "RUNNING"
    tasks = {j.array_task_id: j.state for j in ctl.cluster.jobs.values() if j.array_job_id == pair.array_job_id}
    assert tasks[1] == tasks[3] == "RUNNING"
    waiting = [j for j in ctl.cluster.jobs.values() if j.array_job_id == pair.array_job_id and j.pending]
    assert [(j.reason, j.dependency) for j in waiting] == [("DependencyNeverSatisfied", "aftercorr:1_*(failed)")]


def test_circles_are_refused():
    ctl = world.controller()
    world.job(ctl, hold=True)
    world.job(ctl, dependency="afterok:1")
    for text in ("afterok:1", "afterok:2"):
        with pytest.raises(SlurmError) as caught:
            dependency.resolve(ctl.cluster, text, own_id=1)
        assert caught.value.errno == Errno.CIRCULAR_DEPENDENCY


def test_a_job_that_is_gone_from_memory_holds_nobody_up():
    ctl = scenario()
    job = world.job(ctl, dependency="afterok:1", hold=True)
    del ctl.cluster.jobs[1]

    assert dependency.evaluate(ctl.cluster, job)
    assert job.dependency == ""


def test_singletons_run_one_at_a_time():
    ctl = world.controller()
    for name in "abab":
        world.job(ctl, name=name, dependency="singleton", runtime=60)
    world.job(ctl, user=world.User(7, "other", 7, "other"), name="a", dependency="singleton", runtime=60)
    found = [[job.state for job in ctl.cluster.jobs.values()]]
    world.later(ctl, 60)
    found.append([job.state for job in ctl.cluster.jobs.values()])

    assert found == [
        ["RUNNING", "RUNNING", "PENDING", "PENDING", "RUNNING"],
        ["COMPLETED", "COMPLETED", "RUNNING", "RUNNING", "COMPLETED"],
    ]


def test_a_pass_looks_at_namesakes_only(monkeypatch):
    ctl = world.controller()
    for number in range(40):
        world.job(ctl, name=f"n{number % 20}", dependency="singleton", hold=number >= 20)
    asked = []
    rival = dependency._rival
    monkeypatch.setattr(dependency, "_rival", lambda job, other: asked.append(other) or rival(job, other))
    for job in ctl.cluster.jobs.values():
        job.priority = job.priority or 1
    ctl.cluster.pass_due = True
    ctl.settle()

    assert 0 < len(asked) <= 20 * 2 * 2  # not 20 * 40


def test_a_chain_is_not_looked_at_again_and_again(monkeypatch):
    """At each end only those behind the job that ended are judged: the work grows with the chain, not its square."""
    ctl = world.controller()
    for number in range(1, 61):
        world.job(ctl, dependency=f"afterok:{number - 1}" if number > 1 else "", runtime=60)
    judged = []
    evaluate = dependency.evaluate
    monkeypatch.setattr(
        dependency, "evaluate", lambda cluster, job, jobs: judged.append(job.job_id) or evaluate(cluster, job, jobs)
    )
    world.later(ctl, 70 * 60)

    assert {job.state for job in ctl.cluster.jobs.values()} <= {"COMPLETED"}
    assert len(judged) < 60 * 4


KINDS = (
    *("", "", "afterok:{}", "afterok:{}", "afterany:{}", "afternotok:{}", "after:{}", "after:{}+2", "singleton"),
    *("afterok:{}?afterany:1", "aftercorr:{}", "afterok:{},singleton", "afterany:{}_1"),
)


def story(seed, remembering, monkeypatch):
    """Let jobs and arrays with dependencies of every kind come, end and be cancelled; return what was seen."""
    with monkeypatch.context() as patch:
        if not remembering:
            patch.setattr(dependency.Waiting, "holds", lambda self, job: False)
        dice, ctl, seen = random.Random(seed), world.controller(), []
        for _ in range(60):
            act = dice.random()
            known = sorted(ctl.cluster.jobs)
            if act < 0.6 or not known:
                other = dice.choice(known or [1])
                text = dice.choice(KINDS)
                tasks = dice.choice(["", "", "0-3", "1-2%1"])
                fields = {"name": dice.choice("ab"), "runtime": dice.randint(1, 200), "sim_exit": dice.randint(0, 1)}
                with suppress(SlurmError):
                    world.job(ctl, dependency=text.format(other), array=tasks, **fields)
            elif act < 0.7:
                with suppress(SlurmError):
                    cancel.cancel(ctl, selectors.parse(str(dice.choice(known))))
            else:
                world.later(ctl, dice.randint(1, 300))
            seen.append([(job.job_id, job.state, job.reason, job.dependency) for job in ctl.cluster.jobs.values()])
    return seen


@pytest.mark.parametrize("seed", range(12))
def test_what_is_remembered_of_waiting_jobs_changes_nothing(seed, monkeypatch):
    assert story(seed, True, monkeypatch) == story(seed, False, monkeypatch)
