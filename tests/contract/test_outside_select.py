"""A select plugin of a package that is not ours: each function of the guide is reached, and what it answers holds."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import outside_package as package
import pytest

from slimsched.select.api import SelectPlugin

ONE = "sbatch -N1 -t 10 --wrap 'sleep 300'"
TWO = "sbatch -N2 -t 10 --wrap 'sleep 300'"
STEPS = "sbatch -N2 -t 10 --wrap 'srun -n1 sleep 30 & srun -n2 sleep 60 & wait; srun -n1 true'"
RESERVE = "scontrol create reservation starttime=now+1hour duration=60 users=root"
JOIN = ("salloc -N1 --no-shell", "salloc -N1 --no-shell -d expand:1")

FIRST = {
    "init": ("squeue",),
    "fini": ("squeue",),
    "jobinfo_alloc": (ONE,),
    "jobinfo_copy": (ONE,),
    "jobinfo_free": (ONE,),
    "jobinfo_pack": (ONE,),
    "jobinfo_unpack": (ONE,),
    "jobinfo_get": (ONE,),
    "jobinfo_set": (ONE,),
    "jobinfo_sprint": (ONE,),
    "jobinfo_xstrdup": (ONE,),
    "job_fini": (ONE,),
    "job_signal": (ONE,),
    "job_mem_confirm": (ONE,),
    "job_suspend": (ONE,),
    "job_resume": (ONE, "scontrol suspend 1"),
    "job_expand_allow": JOIN[:1],
    "job_expand": JOIN,
    "job_resized": (TWO,),
    "step_finish": (STEPS,),
}
"""Function -> the commands that come ahead of the one that reaches it."""

PAGE = Path(__file__).parent.parent.parent / "docs" / "plugins.md"
ROWS = re.findall(
    r"^\| `(\w+)` \| `\(.+?`: .+ \| `(.+?)`.* \| `[^`]+` \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
)
REACHED = dict(ROWS)
"""Function -> the command that reaches it, as the table of the page says."""


@pytest.fixture
def outside(monkeypatch):
    return package.install(monkeypatch)


@pytest.fixture
def cluster(sim, outside):
    sim.init(package.TOML)
    return sim


def words(command):
    return [word for k, word in enumerate(shlex.split(command)) if k or word != "sim"]


def called(outside, name):
    """Return the arguments of the calls of a function since the last look."""
    found = [args for function, args in outside.CALLS if function == name]
    outside.CALLS.clear()
    return found


def test_the_table_has_every_function_of_the_guide():
    assert set(REACHED) == {
        name for name, value in vars(SelectPlugin).items() if callable(value) and not name.startswith("_")
    }
    assert len(REACHED) == 43


@pytest.mark.parametrize("function", REACHED)
def test_a_command_reaches_it(cluster, outside, function):
    for command in (*FIRST.get(function, ()), REACHED[function]):
        outside.CALLS.clear()
        assert cluster.run(*words(command)).code == 0
    assert called(outside, function)


def test_what_it_says_can_never_run_is_refused(cluster, outside):
    outside.TOLD["never"] = ["bad"]
    for command in ("sbatch -J bad --wrap true", "srun -J bad true", "salloc -J bad true"):
        outside.CALLS.clear()
        answer = cluster.run(command)
        assert answer.code == 1
        assert answer.err.endswith(": Requested node configuration is not available\n"), answer.err
        modes = [args[1] for args in called(outside, "job_test")]
        assert modes[0] == "RUN_NOW"
        assert modes[-1] == "TEST_ONLY"
    assert cluster("squeue -h") == ""


@pytest.mark.parametrize(
    ("told", "text"),
    [
        ({"resv": None}, "nodecnt=2"),
        ({"resv": 0b0010}, "nodecnt=2"),  # too few
        ({"resv": 0b1111}, "nodecnt=2"),  # too many
        ({"resv": 0b110000}, "nodecnt=2"),  # nodes that there are not
        ({"resv": "n1"}, "nodecnt=2"),
        ({}, "corecnt=2"),  # this plugin knows nothing of cores
        ({"resv": 0b1, "cores": {}}, "corecnt=2"),
        ({"resv": 0b1, "cores": {0: 5}}, "corecnt=2"),
        ({"resv": 0b1, "cores": {1: 2}}, "corecnt=2"),
        ({"resv": 0b1, "cores": {0: 2}}, "nodecnt=1"),
        ({}, "nodes=n1 corecnt=2"),
    ],
)
def test_a_reservation_that_it_refuses_is_not_made(cluster, outside, told, text):
    outside.TOLD.update(told)
    answer = cluster.run(f"{RESERVE} {text}")

    assert answer.code == 1
    assert answer.err.endswith("Error creating the reservation: Requested nodes are busy\n")
    assert cluster("scontrol show reservation") == "No reservations in the system\n"


@pytest.mark.parametrize(
    ("told", "text", "shown"),
    [
        ({"resv": 0b1100}, "nodecnt=2", "Nodes=n[3-4] NodeCnt=2 CoreCnt=8"),
        ({"resv": 0b0100, "cores": {2: 3}}, "corecnt=3", "Nodes=n3 NodeCnt=1 CoreCnt=3"),
        ({"resv": 0b0010, "cores": {1: 2}}, "nodes=n2 corecnt=2", "Nodes=n2 NodeCnt=1 CoreCnt=2"),
    ],
)
def test_a_reservation_gets_what_it_chooses(cluster, outside, told, text, shown):
    outside.TOLD.update(told)
    assert cluster.run(f"{RESERVE} {text}").out == "Reservation created: root_1\n"
    assert shown in cluster("scontrol show reservation")


def test_the_built_in_one_gives_cores_of_the_nodes_that_are_named(sim):
    sim.init(package.TOML.replace("select/outside", "select/cons_tres"))
    sim(f"{RESERVE} nodes=n[2-3] corecnt=4")
    assert "Nodes=n[2-3] NodeCnt=2 CoreCnt=4" in sim("scontrol show reservation")
    assert sim.run(f"{RESERVE} nodes=n4 corecnt=9").err.endswith("Requested nodes are busy\n")


RANKS = {"n1": 3, "n2": 2, "n3": 1, "n4": 0}


@pytest.mark.parametrize(("ranked", "nodes"), [(True, "n4"), (False, "n1")])
def test_ranks_order_the_nodes_if_it_says_so(cluster, outside, ranked, nodes):
    outside.TOLD.update(ranks=RANKS, ranked=ranked, step=None)
    cluster(ONE)
    assert cluster("squeue -h -o %N") == f"{nodes}\n"
    cluster("scancel 1")
    cluster.run(f"{RESERVE} nodecnt=1")  # the function of the base class
    assert f"Nodes={nodes} " in cluster("scontrol show reservation")


def test_ranks_are_read_again_when_a_node_changes(cluster, outside):
    cluster("scontrol update nodename=n2 weight=5")
    assert len(called(outside, "node_ranking")) == 2  # at the start, and for the node


@pytest.mark.usefixtures("with_notes")
def test_a_rank_that_is_no_number_is_a_fault(cluster, outside):
    outside.TOLD.update(ranks={"n2": "first"}, ranked=True)
    cluster(ONE)
    assert cluster("squeue -h -o %N") == "n1\n"
    assert "select/outside node_ranking: 1" in cluster.run("sdiag").err


def test_restored_jobs_are_told_of(cluster, outside):
    cluster(ONE)
    cluster(ONE)
    cluster("sbatch --hold --wrap true")
    outside.CALLS.clear()
    cluster("scontrol update nodename=n1 weight=5")
    assert called(outside, "nodeinfo_set") == [(1,), (2,)]


def test_a_look_ends_it_without_its_state(cluster, outside):
    cluster("plugins show")
    names = [name for name, _ in outside.CALLS]
    assert names[-1] == "fini"
    assert "state_save" not in names


def test_a_refused_command_ends_it_too(cluster, outside):
    outside.TOLD["never"] = ["bad"]
    cluster.run("sbatch -J bad --test-only --wrap true")
    assert [name for name, _ in outside.CALLS].count("fini") == 1


def test_nodes_change_state_when_jobs_begin_and_end(cluster, outside):
    cluster(TWO)
    assert called(outside, "update_node_state") == [("n1",), ("n2",)]
    cluster("scancel 1")
    assert called(outside, "update_node_state") == [("n1",), ("n2",)]


SIGNAL = "scancel: error: Kill job error on job id 1: select/outside: job_signal fails as asked\n"
RECONFIGURE = "scontrol: error: select/outside: reconfigure fails as asked\n"


@pytest.mark.parametrize(
    ("function", "command", "said"),
    [
        (
            "job_signal",
            "scancel -s USR1 1",
            SIGNAL,
        ),
        (
            "job_signal",
            "scancel 1",
            SIGNAL,
        ),
        ("reconfigure", "scontrol reconfigure", "scontrol: error: select/outside: reconfigure fails as asked\n"),
        (
            "reconfigure",
            "scontrol update partitionname=debug maxtime=5",
            "scontrol: error: select/outside: reconfigure fails as asked\n",
        ),
    ],
)
def test_a_failure_is_told(cluster, outside, function, command, said):
    cluster(ONE)
    outside.TOLD["fail"] = [function]
    answer = cluster.run(command)
    assert (answer.code, answer.err) == (1, said)


def test_what_failed_beside_the_plugin_holds(cluster, outside):
    """A job that is cancelled ends, and a partition that is changed stays so, whatever the plugin says."""
    cluster(ONE)
    outside.TOLD["fail"] = ["job_signal", "reconfigure"]
    cluster.run("scancel 1")
    cluster.run("scontrol update partitionname=debug maxtime=5")
    assert cluster("squeue -h") == ""
    assert "MaxTime=00:05:00" in cluster("scontrol show partition debug")


def test_a_cancelled_job_gets_sigkill(cluster, outside):
    cluster(ONE)
    outside.CALLS.clear()
    cluster("scancel 1")
    names = [name for name, _ in outside.CALLS]
    assert ("job_signal", (1, 9)) in outside.CALLS
    assert names.index("job_signal") < names.index("job_fini")


def step_calls(outside):
    """Return the calls about steps since the last look: job and number of nodes, or step and whether it is killed."""
    places = {"step_pick_nodes": (0, 2), "step_finish": (1, 2)}
    found = [(name, *(args[k] for k in places[name])) for name, args in outside.CALLS if name in places]
    outside.CALLS.clear()
    return found


def test_the_steps_of_a_script(cluster, outside):
    """Two run at a time, on one and on two nodes; the third follows when both have ended, and takes no time."""
    cluster(STEPS)
    assert step_calls(outside) == [("step_pick_nodes", 1, 1), ("step_pick_nodes", 1, 2)]
    cluster("advance 45s")
    assert step_calls(outside) == [("step_finish", 0, False)]
    cluster("advance 1h")
    assert step_calls(outside) == [("step_finish", 1, False), ("step_pick_nodes", 1, 1), ("step_finish", 2, False)]


def test_a_step_that_is_cancelled(cluster, outside):
    cluster(STEPS)
    outside.CALLS.clear()
    cluster("scancel 1.0")
    assert step_calls(outside) == [("step_finish", 0, True), ("step_finish", 0, False)]
    cluster("scancel 1")
    assert step_calls(outside) == [("step_finish", 1, True), ("step_finish", 1, False)]


@pytest.mark.parametrize(("end", "killed"), [("scontrol requeue 1", True), ("advance 10m", True)])
def test_steps_end_with_their_job(cluster, outside, end, killed):
    cluster("sbatch -N1 -t 5 --wrap 'srun sleep 3600'")
    outside.CALLS.clear()
    cluster(end)
    assert step_calls(outside)[:2] == [("step_finish", 0, True), ("step_finish", 0, False)]


@pytest.mark.parametrize("told", [{"fail": ["step_pick_nodes"]}, {"step": None}, {"step": 0b1000}, {"step": "n1"}])
def test_the_controller_chooses_where_it_does_not(cluster, outside, told):
    cluster(TWO)
    outside.TOLD.update(told)
    cluster("srun --jobid=1 -N1 true")
    steps = [json.loads(line) for line in cluster("events --json").splitlines() if '"step"' in line]
    assert [step["nodes"] for step in steps] == ["n1"]


def test_it_chooses_the_nodes_of_a_step(cluster, outside):
    cluster(TWO)
    cluster("srun --jobid=1 -N1 true")
    cluster("srun --jobid=1 -N1 -w n1 true")
    steps = [json.loads(line) for line in cluster("events --json").splitlines() if '"step"' in line]
    assert [step["nodes"] for step in steps] == ["n2", "n1"]


def test_what_it_tells_of_nodes_and_jobs(cluster):
    cluster(ONE)
    nodes = "n1 owner=1\nn2 owner=0\nn3 owner=0\nn4 owner=0\n"
    assert cluster("plugins show") == f"select/outside: Whole nodes, by rank\nCR_PLUGIN=0 dimensions=4\n{nodes}"
    assert cluster("plugins show --field owner") == "n1 1\nn2 0\nn3 0\nn4 0\n"
    assert cluster("plugins show 1") == "job 1 colour=blue\n"
    assert cluster("plugins show 1 --width 9") == "job 1 colour=bl\n"
    assert cluster("plugins show 1 --field colour") == "job 1 blue\n"


def test_records_that_are_allocated_are_freed(cluster, outside):
    cluster(ONE)
    for command in ("plugins show", "plugins show --json", "plugins show 1"):
        outside.CALLS.clear()
        cluster(command)
        names = [name for name, _ in outside.CALLS]
        for kind in ("nodeinfo", "jobinfo"):
            made = names.count(f"{kind}_alloc") + names.count(f"{kind}_copy") + names.count(f"{kind}_unpack")
            assert names.count(f"{kind}_free") == made


def test_node_names_are_checked_if_asked_for(sim, outside):
    sim.init(package.TOML.replace("n[1-4]", "na,nb"))
    assert sim.run("plugins show").code == 0
    answer = sim.run("plugins show --sanity-check")
    assert (answer.code, answer.err) == (1, "sim: error: select/outside: node names are no coordinates\n")


def test_it_keeps_to_the_contract(sim, outside):
    answer = sim.run("plugins check select/outside")
    assert answer.code == 0, answer.out
