"""All plugins of all kinds keep to their contract, those of another package too, and that package really works."""

from __future__ import annotations

import json

import contract_lab as lab
import pytest

from slimsched import plugins
from slimsched.cli.own.plugins import families
from slimsched.controller.plugins import sched_contract
from slimsched.priority import contract as priority_contract
from slimsched.priority.basic import Basic
from slimsched.priority.registry import BUILTIN as PRIORITY
from slimsched.priority.registry import FAMILY as PRIORITY_FAMILY
from slimsched.sched.api import Entry, SchedPlugin
from slimsched.sched.backfill import Backfill
from slimsched.sched.registry import BUILTIN as SCHED
from slimsched.sched.registry import FAMILY as SCHED_FAMILY

OLD = """
from slimsched.select.cons_tres import ConsTres
class Old(ConsTres):
    api_version = (9, 2)
class Odd:
    pass
class Wordy(ConsTres):
    api_version = "1.0"
"""

TOML = """
[slurm]
SelectType = "select/mine"
SchedulerType = "sched/shortest"
PriorityType = "priority/modest"
[[nodes]]
NodeName = "node[1-4]"
CPUs = 4
RealMemory = 1000
[[partitions]]
PartitionName = "debug"
Nodes = "ALL"
Default = true
MaxTime = 60
"""


@pytest.fixture(autouse=True)
def _installed(tmp_path, monkeypatch):
    folder = tmp_path / "site"
    extra = {"select": {"old": "old_plugins:Old", "odd": "old_plugins:Odd", "wordy": "old_plugins:Wordy"}}
    extra["sched"] = {"gone": "no_such_module:Gone", "backfill": "old_plugins:Odd"}
    lab.install(folder, monkeypatch, extra)
    (folder / "old_plugins.py").write_text(OLD)


@pytest.mark.parametrize("one", sched_contract.CHECKS, ids=lambda c: c.__name__)
@pytest.mark.parametrize("name", SCHED)
def test_sched(name, one):
    one(plugins.find(SCHED_FAMILY, name))


@pytest.mark.parametrize("one", priority_contract.CHECKS, ids=lambda c: c.__name__)
@pytest.mark.parametrize("name", PRIORITY)
def test_priority(name, one):
    one(plugins.find(PRIORITY_FAMILY, name))


@pytest.mark.parametrize("name", ["select/mine", "sched/shortest", "priority/modest", "select/linear", "sched/wiki"])
def test_the_command_checks_them(sim, name):
    answer = sim.run("plugins", "check", name)
    assert (answer.code, answer.err) == (0, ""), answer.out
    assert all(line.startswith("ok  ") for line in answer.out.splitlines())


class Eager(SchedPlugin):
    """Starts what it likes, as soon as it fits."""

    plugin_type = "sched/eager"
    keeps_head = True

    def schedule(self):
        for entry in reversed(self.host.queue()):
            if entry.job.pending:
                self.host.attempt(entry.job, entry.partition, 0, "Eager")
        return 0

    def try_job(self, entry: Entry) -> bool:
        return self.host.attempt(entry.job, entry.partition, 0, "Eager").started is not None


class Releasing(SchedPlugin):
    def schedule(self):
        for job in self.host.cluster.jobs.values():
            job.priority = job.priority or 7
        return 0


class Rising(SchedPlugin):
    """Last in, first out."""

    plugin_type = "sched/rising"

    def initial_priority(self, max_prio):
        return max_prio + 1


class Endless(SchedPlugin):
    def initial_priority(self, max_prio):
        return 1 << 32


class Forgetful(SchedPlugin):
    """Gives nobody a second chance."""

    plugin_type = "sched/forgetful"

    def schedule(self):
        for entry in self.host.queue():
            if entry.job.restarts:
                entry.job.request.begin_time = self.host.cluster.now + 10**6
        return 0


class Confused(Backfill):
    def strerror(self, errnum):
        return 7

    def get_errno(self):
        return 12


class Silent(Backfill):
    def schedule(self):
        return None


@pytest.mark.parametrize(
    ("plugin", "broken"),
    [
        (Eager, "keeps_the_head"),
        (Releasing, "held_jobs_stay_held"),
        (Endless, "first_priorities"),
        (Forgetful, "requeued_jobs_run_again"),
        (Confused, "errors_are_explained"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_the_contract_finds_faults(plugin, broken):
    assert dict(plugins.run_checks(plugin, sched_contract.CHECKS))[broken]


def test_the_order_of_the_plugin_is_no_fault():
    assert [name for name, fault in plugins.run_checks(Rising, sched_contract.CHECKS) if fault] == []


def test_one_fault_is_one_failure():
    assert [name for name, fault in plugins.run_checks(Endless, sched_contract.CHECKS) if fault] == ["first_priorities"]


class Zero(Basic):
    def set(self, last_prio, job):
        return 0


class Liberator(Basic):
    calls = 0

    def recalculate(self, jobs):
        for job in self.cluster.jobs.values():
            job.priority = job.priority or 5

    def set(self, last_prio, job):
        Liberator.calls += 1
        return Liberator.calls


@pytest.mark.parametrize(
    ("plugin", "broken"),
    [(Zero, "numbers_are_priorities"), (Liberator, "held_jobs_stay_held"), (Liberator, "answers_repeat")],
)
def test_the_priority_contract_finds_faults(plugin, broken):
    assert dict(plugins.run_checks(plugin, priority_contract.CHECKS))[broken]


def test_the_list(sim):
    lines = [" ".join(line.split()) for line in sim("plugins").splitlines()]

    assert lines[0] == "NAME ORIGIN API STATUS"
    for expected in (
        "select/cons_tres built in 1.0 ok",
        "select/mine slimsched-lab 1.0 1.0 ok",
        "select/old slimsched-lab 1.0 9.2 refused: select/old: made for select API 9.2, this is 1.0",
        "select/wordy slimsched-lab 1.0 ? refused: select/wordy: its api_version is '1.0', not a pair of numbers",
        "sched/wiki built in 0.0 ok",
        "sched/backfill slimsched-lab 1.0 ? hidden by the built-in plugin",
        "sched/shortest slimsched-lab 1.0 0.0 ok",
        "priority/modest slimsched-lab 1.0 1.0 ok",
    ):
        assert expected in lines
    assert any(line.startswith("select/odd") and line.endswith("is not a SelectPlugin") for line in lines)
    assert any(line.startswith("sched/gone") and "ModuleNotFoundError" in line for line in lines)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("select/old", "sim: error: select/old: made for select API 9.2, this is 1.0\n"),
        ("nonsense", "sim: error: nonsense: write select/NAME, sched/NAME or priority/NAME\n"),
    ],
)
def test_what_cannot_be_checked(sim, name, said):
    answer = sim.run("plugins", "check", name)
    assert (answer.code, answer.out, answer.err) == (1, "", said)


def test_a_cluster_with_plugins_of_another_package(sim):
    """select/mine gives whole nodes from the end, sched/shortest lets the short go first, priority/modest the small."""
    sim.init(TOML)
    sim("sbatch -N1 -t 10 --wrap 'sleep 300'")
    sim("sbatch -N4 -t 30 --wrap 'sleep 60'")
    sim("sbatch -N3 -t 20 --wrap 'sleep 60'")
    assert sim("squeue -h -S i -o '%i %t %N'") == "1 R node4\n2 PD \n3 R node[1-3]\n"

    sim("scontrol update jobid=3 numnodes=1")
    assert sim("squeue -h -S i -o '%i %t %N'") == "1 R node4\n2 PD \n3 R node1\n"
    sim("advance 10m")
    assert sim("squeue -h -S i -o '%i %t %N'") == ""


def test_a_cluster_whose_plugin_is_refused(sim):
    sim.init(TOML.replace("select/mine", "select/old"))
    answer = sim.run("sbatch -N1 --wrap true")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err == "sbatch: error: select/old: made for select API 9.2, this is 1.0\n"


def test_what_a_plugin_tells(sim):
    sim.init(TOML.replace("select/mine", "select/cons_tres").replace("node[1-4]", "node[000-001]"))
    sim("sbatch -n4 --wrap 'sleep 60'")
    assert sim("plugins show").splitlines()[1] == "CR_PLUGIN=2 dimensions=1x1x2"
    assert sim("plugins show 1").startswith("job 1 ")
    packed = json.loads(sim("plugins show --json"))
    assert packed["node000"]["protocol_version"] == 1
    assert json.loads(sim("plugins show --json 1"))["protocol_version"] == 1
    assert sim.run("plugins show 9").err == "sim: error: job 9 is not running\n"


def test_there_are_three_kinds():
    assert [family.kind for family in families()] == ["select", "sched", "priority"]
    with pytest.raises(plugins.Broken):
        raise plugins.Broken("an error of its own kind")
