"""Whatever a plugin of another package does, a command ends with an answer or an error, and nothing is lost."""

from __future__ import annotations

import contract_lab as lab
import evil_plugins as evil
import pytest
from evil_plugins import loops, loops_inside, prints_and_leaves, raises, recurses, returns

from slimsched import outside
from slimsched.errors import NotNow, PluginError

TOML = """
[slurm]
SelectType = "select/evil"
SchedulerType = "sched/evil"
PriorityType = "priority/evil"
[[nodes]]
NodeName = "node[1-4]"
CPUs = 4
RealMemory = 1000
[[partitions]]
PartitionName = "debug"
Nodes = "ALL"
Default = true
MaxTime = 60
[[partitions]]
PartitionName = "other"
Nodes = "ALL"
MaxTime = 60
"""


@pytest.fixture(autouse=True)
def _installed(tmp_path, monkeypatch):
    evils = {kind: {"evil": f"evil_plugins:{kind.capitalize()}"} for kind in ("select", "sched", "priority")}
    evils["select"]["bad"] = "bad_plugin:Bad"
    lab.install(tmp_path / "site", monkeypatch, evils)
    monkeypatch.setattr(outside, "TICK", 0.005)
    monkeypatch.setattr(outside, "MOST_SECONDS", 0.02)
    yield
    evil.behave()


def answers(**wrong):
    """Return a deed of job_test: the right answer but for these fields."""

    def deed(self, request, mode):
        found = evil.ConsTres.job_test(self, request, mode)
        for name, value in wrong.items():
            setattr(found, name, value)
        return found

    return deed


class Wordless:
    """Cannot even be shown or compared."""

    def __repr__(self):
        raise ValueError("no words")

    def __eq__(self, other):
        raise ValueError("no like")

    __hash__ = None


class Texts(list):
    """No list that can be written."""


SAID = {
    "ZeroDivisionError: no": raises(ZeroDivisionError("no")),
    "Unspeakable: (without a text)": raises(evil.Unspeakable()),
    "ValueError: \\ud800": raises(ValueError("\ud800")),
    "SystemExit: 0": prints_and_leaves,
    "Overrun: still running after 0.02 s of processor time": loops,
    "Overrun: still running after 0.02 s of processor time ": loops_inside,
    "RecursionError: maximum recursion depth exceeded": recurses,
    "NotNow: None": raises(NotNow(None)),
    "None": raises(PluginError(None)),
}
"""What is said of a deed -> the deed. (One text belongs to two deeds and ends in a space the second time.)"""

STARTS = ["__init__", "init", "node_init", "node_ranking", "state_restore", "job_init", "state_save"]
REFUSED = [f"select.{name}" for name in STARTS] + ["sched.__init__", "priority.__init__"]
"""Functions without which no command can go on."""

WAITS = ["select.job_test", "select.job_begin"]
"""Functions whose failure leaves the job in the queue."""

GOES_ON = [
    *(f"select.{name}" for name in ("job_ready", "fini")),
    *(f"sched.{name}" for name in ("schedule", "initial_priority", "job_is_pending")),
    *(f"priority.{name}" for name in ("set", "recalculate", "in_partition")),
]
"""Functions that something else stands in for."""

GARBAGE = {
    "select.job_test": [
        None,
        object(),
        (1, [1]),
        answers(bitmap="1"),
        answers(bitmap=-1),
        answers(bitmap=1 << 70),
        answers(bitmap=0),
        answers(cpus=None),
        answers(cpus=[1.5]),
        answers(cpus=[1, 1]),
        answers(cpus=[1 << 80]),
        answers(memory=["much"]),
        answers(gres=[object()]),
        answers(gres=Texts(["gpu:1"])),
        answers(gres=["gpu:1", ""]),
        answers(start_time="now"),
        answers(start_time=1 << 80),
        answers(preempted=None),
        answers(preempted=[object()]),
    ],
    "sched.initial_priority": [None, "high", -1, 1.0, True, 1 << 32, evil.Select, Wordless()],
    "sched.schedule": [None, "done", -5, 1 << 80, object(), Wordless()],
    "priority.set": [None, "high", -1, 0.5, 1 << 32, Wordless()],
    "priority.in_partition": [None, "high", -1, 1 << 32],
}
"""Function -> answers that are none."""

STATES = [None, 5, [], {"magic": object()}, {1: {(1, 2): 3}}, {1: 2}, {"magic": "\ud800"}, {"x": float("nan")}]
"""What ``state_save`` must not return."""


def pairs(functions):
    """Return each function with every third deed, so that all deeds meet all kinds of functions."""
    return [(name, said) for k, name in enumerate(functions) for said in list(SAID)[k % 3 :: 3]]


def after(sim):
    """Return the jobs once the plugins behave again; whatever was acknowledged is there, and the state is sound."""
    evil.behave()
    assert sim.run("doctor").code == 0
    listed = sim("squeue -h -S i -o '%i %t'").splitlines()
    assert listed[0] == "1 R"
    return listed[1:]


def submitted(sim, function, deed):
    """Submit a job before and a job while a function goes wrong."""
    sim.init(TOML)
    sim("sbatch -n1 --wrap 'sleep 600'")
    evil.commit(function, deed)
    return sim.run("sbatch -n1 -p debug,other --wrap 'sleep 600'")


@pytest.mark.parametrize(("function", "said"), pairs(REFUSED))
def test_a_command_ends_with_the_plugin_s_error(sim, function, said):
    answer = submitted(sim, function, SAID[said])
    kind, _, name = function.partition(".")
    where = f"{kind}/evil: " if said == "None" else f"{kind}/evil: {name}: "
    printed = "goodbye\n" if said.startswith("SystemExit") else ""
    assert answer == (1, "", f"{printed}sbatch: error: {where}{said.rstrip()}\n")
    assert after(sim) == []


@pytest.mark.parametrize(("function", "said"), pairs(WAITS + GOES_ON))
def test_a_command_goes_on(sim, function, said):
    answer = submitted(sim, function, SAID[said])
    assert answer[:2] == (0, "Submitted batch job 2\n")
    assert set(answer.err.splitlines()) <= {"goodbye"}
    shown = sim.run("squeue -h -j 2 -o '%t %r'")
    assert shown[:2] == (0, "PD SystemFailure\n" if function in WAITS else f"{_state(function)} None\n")
    assert after(sim) == [shown.out.split()[0].join(["2 ", ""])]


def _state(function):
    return "CF" if function == "select.job_ready" else "R"


@pytest.mark.parametrize(("function", "answer"), [(name, one) for name, some in GARBAGE.items() for one in some])
def test_garbage(sim, function, answer):
    deed = answer if getattr(answer, "__name__", "") == "deed" else returns(answer)
    assert submitted(sim, function, deed) == (0, "Submitted batch job 2\n", "")
    waits = function == "select.job_test"
    assert sim("squeue -h -j 2 -o '%t %r'") == ("PD SystemFailure\n" if waits else "R None\n")
    assert after(sim) == ["2 PD" if waits else "2 R"]


@pytest.mark.parametrize("value", [0, -1, None, 1 << 32, Wordless()])
def test_a_recalculation_that_leaves_no_priority(sim, value):
    def deed(self, jobs):
        for job in jobs:
            job.priority = value

    sim.init(TOML)
    sim("sbatch -n1 --wrap 'sleep 600'")
    sim("sbatch -N4 --exclusive --wrap 'sleep 600'")
    evil.commit("priority.recalculate", deed)
    sim("scontrol update jobid=2 comment=x")
    assert sim("squeue -h -j 2 -o %Q") == "4294901758\n"
    assert after(sim) == ["2 PD"]


@pytest.mark.parametrize("deed", [{"nodes": "\0"}, {"nodes": "elsewhere"}, {"nodes": ""}, {"cpus": []}, {"memory": []}])
def test_a_job_that_is_put_where_no_node_is(sim, deed):
    def misplace(_plugin, job):
        for field, value in deed.items():
            setattr(job, field, value)

    assert submitted(sim, "select.job_begin", misplace)[:2] == (0, "Submitted batch job 2\n")
    assert sim("squeue -h -j 2 -o '%t %r'") == "PD SystemFailure\n"
    assert after(sim) == ["2 PD"]


@pytest.mark.parametrize("state", STATES)
def test_state_that_cannot_be_written(sim, state):
    answer = submitted(sim, "select.state_save", returns(state))
    assert answer[:2] == (1, "")
    assert answer.err.startswith("sbatch: error: select/evil: state_save: ")
    assert answer.err.count("\n") == 1
    assert after(sim) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("while True: pass", "Overrun: still running after 0.02 s of processor time"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("print('hello'); raise KeyError('x')", "KeyError: 'x'"),
    ],
)
def test_an_import_that_goes_wrong(sim, tmp_path, text, said):
    (tmp_path / "site" / "bad_plugin.py").write_text(text)
    sim.init(TOML.replace("select/evil", "select/bad"))
    answer = sim.run("sbatch -n1 --wrap true")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err == ("hello\n" if "hello" in text else "") + f"sbatch: error: select/bad: {said}\n"


def test_checks_of_a_plugin_that_loops(sim):
    evil.commit("select.job_test", loops)
    answer = sim.run("plugins check select/evil")
    assert answer.code == 1
    assert "FAILED  modes_nest: Overrun: still running after 0.02 s of processor time\n" in answer.out
