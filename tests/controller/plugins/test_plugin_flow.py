"""The controller calls a select plugin in the order of the guide; every call is written down."""

from __future__ import annotations

import pytest
import tracing
import world

from slimsched.controller.life import pauses
from slimsched.slurm.errno import Errno

TOML = """
[slurm]
SelectType = "select/{select}"
SchedulerType = "sched/builtin"
{more}
[[nodes]]
NodeName = "node[1-2]"
CPUs = 4
RealMemory = 1000
[[partitions]]
PartitionName = "debug"
Nodes = "ALL"
Default = true
"""

START = ["init", "node_init", "node_ranking", "state_restore", "job_init"]
END = ["state_save", "fini", "node_init"]  # cons_tres empties its books by node_init


@pytest.fixture(autouse=True)
def _plugins(monkeypatch):
    tracing.install(monkeypatch)


@pytest.fixture
def cluster(sim):
    def make(select, more=""):
        sim.init(TOML.format(select=select, more=more))
        return sim

    return make


def calls(after=()):
    """Return the calls since the last look."""
    found = [call for call in tracing.CALLS if call not in after]
    tracing.CALLS.clear()
    return found


def test_a_job_from_submission_to_end(cluster):
    sim = cluster("tracing")
    sim("sbatch -N1 --exclusive --wrap 'sleep 60'")
    assert calls() == [*START, "job_test RUN_NOW", "job_begin", "update_node_state", "job_ready", *END]

    sim("scontrol suspend 1")
    assert calls() == [*START, "job_suspend", *END]
    sim("scontrol resume 1")
    assert calls() == [*START, "job_resume", *END]
    sim("scancel -s USR1 1")
    assert calls() == [*START, "job_signal", *END]
    sim("advance 2m")
    assert calls() == [*START, "job_fini", "update_node_state", *END]


def test_a_job_that_must_wait_is_tested_on_the_configured_nodes(cluster):
    """What is available now does not do; what is configured would."""
    sim = cluster("tracing")
    sim("sbatch -N2 --exclusive --wrap 'sleep 60'")
    calls()
    sim("sbatch -N2 --exclusive --wrap 'sleep 60'")

    assert calls()[5:6] == ["job_test RUN_NOW"]
    assert sim("squeue -h -o %i:%t:%r") == "2:PD:Resources\n1:R:None\n"


def test_nodes_that_are_down_are_asked_about_once_more():
    """All that is up would never do; all that is configured would: the job waits."""
    ctl = world.controller(SelectType="select/tracing", SchedulerType="sched/builtin")
    ctl.cluster.nodes[0].change(state="DOWN")
    ctl.cluster.changed("state")
    job = world.job(ctl, num_tasks=32, min_nodes=1)

    tests = [call for call in tracing.CALLS if call.startswith("job_test")]
    assert tests[:2] == ["job_test RUN_NOW", "job_test TEST_ONLY"]
    assert (job.state, job.reason) == ("PENDING", "ReqNodeNotAvail")


def test_the_job_stays_configuring_until_its_nodes_are_ready(cluster):
    sim = cluster("slow")
    tracing.READY_AFTER[0] = 3
    sim("sbatch --wrap 'sleep 10'")
    assert sim("squeue -h -o '%t %S'") == "CF 2026-01-01T00:00:00\n"

    sim("advance 2s")
    assert sim("squeue -h -o '%t %S'") == "CF 2026-01-01T00:00:00\n"
    sim("advance 1s")
    assert sim("squeue -h -o '%t %S'") == "R 2026-01-01T00:00:03\n"
    calls()
    sim("advance 10s")
    assert calls(("init",)) == [*START[1:], "job_fini", "update_node_state", *END]
    assert sim("squeue -h") == ""


def test_nodes_that_never_become_ready_give_the_job_back(cluster):
    sim = cluster("slow", 'ResumeTimeout = "20"')
    tracing.READY_AFTER[0] = 10**6
    sim("sbatch --wrap 'sleep 10'")
    sim("advance 19s")
    assert sim("squeue -h -o '%t %r'") == "CF None\n"
    sim("advance 1s")
    assert sim("squeue -h -o '%t %r'") == "PD BeginTime\n"
    assert tracing.CALLS.count("job_ready") == 21


def test_a_job_that_cannot_begin_stays_in_the_queue():
    ctl = world.controller(SelectType="select/no_nodes", SchedulerType="sched/builtin")
    job = world.job(ctl, num_tasks=1)

    assert (job.state, job.reason, job.nodes, job.cpus) == ("PENDING", "SystemFailure", "", [])
    assert (job.start_time, job.end_time, job.request.time_limit) == (0, 0, None)
    assert not ctl.select.plugin.ledger.holds


def test_saved_state_comes_back(cluster):
    sim = cluster("saved")
    sim("sbatch --wrap 'sleep 60'")
    assert "restored False" in calls()
    sim("scontrol suspend 1")
    assert "restored True" in calls()


def test_a_failing_restore_stops_the_command(cluster):
    sim = cluster("amnesiac")
    sim("sbatch --wrap 'sleep 60'")
    before = sim("squeue")
    answer = sim.run("sbatch --wrap 'sleep 60'")

    assert (answer.code, answer.out) == (1, "")
    assert answer.err == "sbatch: error: select/amnesiac: saved state has the wrong magic number 7\n"
    assert sim("squeue") == before


def test_another_select_plugin_does_not_get_the_state_of_the_last_one(cluster):
    sim = cluster("amnesiac")
    sim("sbatch --wrap 'sleep 60'")
    cluster("cons_tres")
    sim("sbatch --wrap 'sleep 60'")
    assert sim("squeue -h -o %t") == "R\nR\n"


def test_a_refused_suspension_leaves_the_job_alone(monkeypatch):
    ctl = world.controller()
    first = world.job(ctl, num_tasks=4, nodelist="node1")
    pauses.suspend_job(ctl, first)
    second = world.job(ctl, num_tasks=4, nodelist="node1")
    assert second.state == "RUNNING"

    from slimsched.controller.life import suspend

    assert [f.errno for f in suspend.resume(ctl, ["1"])] == [Errno.NODES_BUSY]
    assert (first.state, first.suspend_time) == ("SUSPENDED", world.START)


def test_a_changed_limit_reaches_the_plugin(sim):
    """The start planned behind a job moves with the job's limit."""
    sim.init(TOML.format(select="cons_tres", more="").replace("sched/builtin", "sched/backfill"))
    sim("sbatch -N2 --exclusive -t 60 --wrap 'sleep 36000'")
    sim("sbatch -N2 --exclusive -t 10 --wrap 'sleep 60'")
    sim("advance 1s")
    assert sim("squeue -h -j 2 -o %S") == "2026-01-01T01:00:00\n"
    sim("scontrol update jobid=1 timelimit=30")
    assert sim("squeue -h -j 2 -o %S") == "2026-01-01T00:30:00\n"


def test_a_node_that_changes_state(cluster):
    sim = cluster("tracing")
    sim("scontrol update nodename=node1 state=drain reason=x")
    assert "update_node_state" in calls()


def test_the_scheduler_hears_of_waiting_jobs(monkeypatch):
    ctl = world.controller()
    heard = []
    monkeypatch.setattr(ctl.sched, "job_is_pending", lambda: heard.append(True))
    world.job(ctl, num_tasks=1)
    assert not heard
    world.fill(ctl)
    assert heard


@pytest.mark.usefixtures("with_notes")
def test_faults_are_reported(cluster):
    sim = cluster("raising")
    sim("sbatch --job-name bad --wrap 'sleep 60'")
    answer = sim.run("sdiag")

    assert answer.code == 0
    assert answer.err == "sdiag: note: plugin faults: select/raising job_test: 2\n"
    assert '"select/raising job_test": 2' in sim("sdiag --json")
    assert sim("squeue -h -o '%t %r'") == "PD SystemFailure\n"
