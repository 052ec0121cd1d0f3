"""``sim fault`` and ``sim calls``: scripted faults at the command boundary, and the log of commands."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

import pytest

from slimsched.state import faults

TIMED_OUT = "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation"
UNREACHABLE = "Unable to contact slurm controller (connect failure)\n"
DATABASE = (
    "{0}: error: _open_persist_conn: failed to open persistent connection to host:localhost:6819: Connection refused\n"
    "{0}: error: Sending PersistInit msg: Connection refused\n"
)
DOWN = "*****************************************\n** RESTORE SLURMCTLD DAEMON TO SERVICE **\n" + "*" * 41 + "\n"


def test_an_answer_in_place_of_the_work(sim: Any) -> None:
    assert sim("fault", "add", "sbatch", "--times", "2", "--stderr", TIMED_OUT) == "1\n"

    answers = [sim.run("sbatch", "--wrap", "true") for _ in range(3)]

    assert answers[0] == answers[1] == (1, "", TIMED_OUT + "\n")
    assert answers[2] == (0, "Submitted batch job 1\n", "")
    assert sim("fault list") == ""
    assert not (sim.state / "faults.json").exists()


def test_a_lost_answer(sim: Any) -> None:
    sim("fault", "add", "sbatch", "--run", "--times", "1", "--stderr", TIMED_OUT)

    assert sim.run("sbatch", "--wrap", "sleep 60") == (1, "", TIMED_OUT + "\n")
    assert sim("squeue -h -o %i") == "1\n"


def test_a_lost_answer_of_a_command_that_fails(sim: Any) -> None:
    sim("fault add scancel --run --exit 0")

    assert sim.run("scancel 99") == (0, "", "")


def test_calls_that_go_well_first_and_half_an_answer(sim: Any) -> None:
    sim("fault add squeue --after 2 --times 1 --truncate 13")
    whole = sim("squeue")

    assert [sim("squeue") for _ in range(3)] == [whole, whole[:13], whole]


def test_half_an_answer_ends_within_a_character(sim: Any) -> None:
    sim("sbatch --hold --job-name ä --wrap true")
    sim("fault add squeue --times 1 --truncate 1")

    assert sim("squeue -h -o %j") == "\N{REPLACEMENT CHARACTER}"


def test_faults_of_a_command_follow_one_another(sim: Any) -> None:
    sim("fault add sinfo --times 1 --exit 3")
    sim("fault add sinfo --times 1 --stdout later")
    sim("fault add squeue --exit 4")

    assert [sim.run("sinfo -h -o %n")[:2] for _ in range(2)] == [(3, ""), (0, "later\n")]
    assert sim("sinfo -h -o %P") == "debug*\n"
    assert sim("fault list") == "3: squeue --exit 4\n"


def test_a_delay_is_real(sim: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    sim("fault add squeue --delay 2m")

    sim("squeue")

    assert waits == [120]


def test_wrong_options_and_help_use_nothing_up(sim: Any) -> None:
    sim("fault add squeue --times 1 --exit 7")

    assert sim.run("squeue --nosuch").code == 1
    assert sim("squeue --version").startswith("slurm ")
    assert sim("fault list") == "1: squeue --times 1 --exit 7\n"


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("sbatch --wrap true", (1, "", "sbatch: error: Batch job submission failed: " + UNREACHABLE)),
        ("srun true", (1, "", "srun: error: Unable to allocate resources: " + UNREACHABLE)),
        ("squeue", (1, "", "slurm_load_jobs error: " + UNREACHABLE)),
        ("sinfo", (1, "", "slurm_load_partitions: " + UNREACHABLE)),
        ("scancel 1", (8, "", "scancel: error: Kill job error on job id 1: " + UNREACHABLE)),
        ("scancel -u nobody", (1, "", "slurm_load_jobs error: " + UNREACHABLE)),
        ("scontrol show node", (1, "", "slurm_load_node error: " + UNREACHABLE)),
        ("scontrol show jobs", (1, "", "slurm_load_jobs error: " + UNREACHABLE)),
        ("scontrol update jobid=1 name=x", (1, "", "slurm_update error: " + UNREACHABLE)),
        ("scontrol ping", (1, "Slurmctld(primary) at localhost is DOWN\n" + DOWN, "")),
        (
            "sacct",
            (1, "", DATABASE.format("sacct") + "sacct: error: Problem talking to the database: Connection refused\n"),
        ),
        ("sacctmgr show user", (1, "", DATABASE.format("sacctmgr"))),
        ("sacctmgr ping", (1, "slurmdbd(primary) at localhost is DOWN\n", DATABASE.format("sacctmgr"))),
        (
            "sreport cluster utilization",
            (
                1,
                "",
                DATABASE.format("sreport") + "sreport: fatal: Problem connecting to the database: Connection refused\n",
            ),
        ),
    ],
)
def test_nobody_can_be_reached(line: str, answer: object, sim: Any) -> None:
    sim("fault", "add", line.split()[0], "--unreachable")

    assert sim.run(line) == answer


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("add squeue", "say what goes wrong"),
        ("add squeue --times 1", "say what goes wrong"),
        ("add squeue --exit 1 --truncate 3", "exclude each other"),
        ("add squeue --unreachable --stdout x", "exclude each other"),
        ("add squeue --run --delay 1s", "--run needs the answer"),
        ("add sdiag --unreachable", "what sdiag says when nobody can be reached is not known"),
        ("add squeue --delay soon", "soon"),
        ("add init --exit 1", "'init' is not one of"),
        ("add squeue --exit 256", "'256' is not a whole number"),
        ("clear 4", "no such fault: 4"),
    ],
)
def test_refusals(line: str, said: str, sim: Any) -> None:
    answer = sim.run(f"fault {line}")

    assert answer.code
    assert said in answer.err
    assert sim("fault list") == ""


def test_clear_and_a_new_cluster(sim: Any) -> None:
    for code in (1, 2, 3):
        sim(f"fault add squeue --exit {code}")
    sim("fault clear 2")
    assert sim("fault list") == "1: squeue --exit 1\n3: squeue --exit 3\n"

    sim("init --force")
    assert sim("fault list") == ""

    sim("fault add squeue --exit 1")
    sim("fault clear")
    assert sim("squeue -h") == ""


def test_a_list_that_cannot_be_read(sim: Any) -> None:
    sim("squeue")
    (sim.state / "faults.json").write_text('[{"number": "x"}]')

    answer = sim.run("squeue")

    assert (answer.code, answer.out) == (2, "")
    assert "faults.json: is damaged" in answer.err


def test_the_doctor_knows_the_files(sim: Any) -> None:
    sim("fault add sbatch --exit 1")
    sim("calls --on")

    assert sim.run("doctor").code == 0


def test_each_time_is_used_up_once_by_commands_at_the_same_time(sim: Any) -> None:
    sim("fault add sinfo --times 3 --exit 9")
    code = (
        "import sys\nfrom slimsched.cli.main import main\nfor _ in range(3): print(main(['sinfo', '-h', '-o', '%P']))"
    )
    env = {**os.environ, "SLIMSCHED_STATE": str(sim.state)}
    running = [
        subprocess.Popen([sys.executable, "-c", code], env=env, stdout=subprocess.PIPE, text=True) for _ in range(4)
    ]
    said = [line for process in running for line in process.communicate(timeout=60)[0].split() if line != "debug*"]

    assert sorted(said) == ["0"] * 9 + ["9"] * 3


def test_without_faults_nothing_is_imported_for_them(sim: Any) -> None:
    code = (
        "import sys\nfrom slimsched.cli.main import main\nmain(['squeue'])\n"
        "print([name for name in sys.modules if name.endswith(('.faults', 'state.calls'))])"
    )
    env = {**os.environ, "SLIMSCHED_STATE": str(sim.state)}
    sim("squeue")
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True, timeout=60)

    assert done.stdout.splitlines()[-1] == "[]"


def test_take_counts_only_its_command(sim: Any) -> None:
    sim("fault add squeue --after 1 --exit 1")
    before = (sim.state / "faults.json").read_bytes()

    assert faults.take(str(sim.state), "sinfo") is None
    assert (sim.state / "faults.json").read_bytes() == before
    assert faults.take(str(sim.state), "squeue") is None
    assert faults.take(str(sim.state), "squeue") == faults.Fault(number=1, command="squeue", exit_code=1)


# calls


def test_calls(sim: Any) -> None:
    answer = sim.run("calls")
    assert (answer.code, answer.err.splitlines()[0]) == (1, "sim: error: no list of the commands is kept")

    sim("calls --on")
    sim("sbatch", "--hold", "--wrap", "echo 'a b'")
    sim.run("squeue --nosuch")
    sim("events")  # a look of our own
    sim("--state", str(sim.state), "squeue", "-h", "-o", "%i")
    sim.run("scancel", b"\xff".decode("utf-8", "surrogateescape"))

    assert sim("calls").splitlines() == [
        "sbatch --hold --wrap 'echo '\"'\"'a b'\"'\"''",
        "squeue --nosuch",
        "squeue -h -o %i",
        "scancel '\N{REPLACEMENT CHARACTER}'",
    ]
    last = json.loads(sim("calls --json").splitlines()[0])
    assert (last["command"], last["args"]) == ("sbatch", ["--hold", "--wrap", "echo 'a b'"])
    assert (last["pid"], last["cwd"]) == (os.getpid(), str(sim.cwd))

    sim("calls --on")  # goes on
    assert len(sim("calls").splitlines()) == 4
    sim("calls --clear")
    assert sim("calls") == ""
    sim("calls --off")
    sim("squeue")
    assert not (sim.state / "calls.jsonl").exists()


def test_a_line_that_is_being_written_is_left_out(sim: Any) -> None:
    sim("calls --on")
    sim("squeue -h")
    with open(sim.state / "calls.jsonl", "ab") as log:
        log.write(b'{"time": 1')

    assert sim("calls") == "squeue -h\n"


def test_accounting_that_is_behind(sim: Any) -> None:
    sim("fault add sacct --lag 1m")
    found = []
    sim("sbatch --begin now+2minutes --wrap 'sleep 120; exit 3'")
    for _ in range(7):
        found.append(sim("sacct -n -X -P -j 1 -o State,ExitCode,Start,NodeList").strip())
        sim("advance 50s")

    begun = "2026-01-01T00:02:00|node01"
    assert found[0] == found[1] == ""
    assert found[2:4] == ["PENDING|0:0|Unknown|None assigned"] * 2
    assert found[4:6] == [f"RUNNING|0:0|{begun}"] * 2
    assert found[6] == f"FAILED|3:0|{begun}"
    assert sim("fault list") == "1: sacct --lag 60s\n"
    assert "--lag is there for sacct" in sim.run("fault add squeue --lag 1m").err
