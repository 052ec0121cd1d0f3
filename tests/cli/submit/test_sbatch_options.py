"""Values of the submission options: accepted ones as request fields, refused ones in Slurm's words."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded import recorded
from world import START

from slimsched.cli.submit import environment
from slimsched.cli.submit.options import readers
from slimsched.cli.submit.options.numbers import leading
from slimsched.cli.submit.options.request import Draft, read
from slimsched.cli.submit.options.values import Later
from slimsched.errors import UserError
from slimsched.model.request import INFINITE, JobRequest
from slimsched.slurm.getopt import NONE, OPTIONAL, OURS, RECORDED, REQUIRED, Scanner
from slimsched.slurm.options import SubmitOption, options_of

LETTERS = {"sbatch": "b", "srun": "s", "salloc": "a"}


def draft(*argv: str, letter: str = "b") -> Draft:
    return Draft(read(Scanner("sbatch", options_of(letter), argv, posix=True, exit_code=255)))


def request(*argv: str) -> JobRequest:
    return draft(*argv).request(START)


@pytest.mark.parametrize("record", recorded("sbatch_refusals.jsonl"))
def test_recorded_refusals(record: dict[str, Any], sim: Any) -> None:
    answer = sim.run("sbatch", *record["args"])

    assert (answer.code, answer.out, answer.err) == (record["rc"], "", record["err"])
    assert not sim.state.exists()  # refused without looking at the cluster


@pytest.mark.parametrize(
    ("argv", "fields"),
    [
        (["-t", "0"], {"time_limit": INFINITE}),
        (["-t", "5:30"], {"time_limit": 6}),
        (["-t", "1-2:3:4"], {"time_limit": 1564}),
        (["--time-min=5"], {"time_min": 5}),
        (["--begin", "now+1hour"], {"begin_time": START + 3600}),
        (["--begin", "16:00"], {"begin_time": START + 16 * 3600}),
        (["--deadline", "2026-02-01"], {"deadline": START + 31 * 86400}),
        (["-N", "2"], {"min_nodes": 2, "max_nodes": 2}),
        (["-N", "2-4"], {"min_nodes": 2, "max_nodes": 4}),
        (["-N", "2-2"], {"min_nodes": 2, "max_nodes": 2}),
        (["-N", "0-2"], {"min_nodes": 0, "max_nodes": 2}),
        (["-N", "2,4"], {"min_nodes": 2, "max_nodes": 4, "job_size": "2,4"}),
        (["-N", "1-8:2"], {"min_nodes": 1, "max_nodes": 7, "job_size": "1,3,5,7"}),
        (["-N", "1k"], {"min_nodes": 1024, "max_nodes": 1024}),
        (["-N", "-1"], {"min_nodes": 1, "max_nodes": 1}),
        (["-N", "4", "-N", "1-2"], {"min_nodes": 1, "max_nodes": 2}),
        (["-n", "5", "-c2", "--ntasks-per-node=2"], {"num_tasks": 5, "cpus_per_task": 2, "ntasks_per_node": 2}),
        (["--tasks-per-node=3"], {"ntasks_per_node": 3}),
        (["-B", "2:4:1"], {"sockets_per_node": 2, "cores_per_socket": 4, "threads_per_core": 1}),
        (["-B", "2:*"], {"sockets_per_node": 2, "cores_per_socket": None}),
        (["--mem", "10K"], {"mem_per_node": 1}),
        (["--mem", "1G"], {"mem_per_node": 1024}),
        (["--mem", "0"], {"mem_per_node": 0}),
        (["--mem-per-cpu=100MB"], {"mem_per_cpu": 100}),
        (["--tmp=1G"], {"min_tmp_disk": 1024}),
        (["--nice"], {"nice": 100}),
        (["--nice="], {"nice": 100}),
        (["--nice=-50"], {"nice": -50}),
        (["--nice=abc"], {"nice": 0}),
        (["--nice=1.5"], {"nice": 1}),
        (["--priority=TOP"], {"priority": 4294967293}),
        (["--priority=abc"], {"priority": 0}),
        (["--exclusive"], {"exclusive": "NODE"}),
        (["--exclusive=user"], {"exclusive": "USER"}),
        (["-s"], {"oversubscribe": True}),
        (["--share"], {"oversubscribe": True}),
        (["--requeue"], {"requeue": True}),
        (["--requeue", "--no-requeue"], {"requeue": False}),
        (["--kill-on-invalid-dep=yes"], {"kill_on_invalid_dep": True}),
        (["-w", "n[1-2]", "-x", "n1"], {"nodelist": "n[1-2]", "exclude": "n1"}),
        (["-w", ""], {"nodelist": "", "min_nodes": None}),
        (["--extra", ""], {"extra": ""}),
        (["-C", "a&b", "--prefer=c"], {"features": "a&b", "prefer": "c"}),
        (["--switches=2@10:00"], {"switches": 2, "wait_for_switches": 600}),
        (["--open-mode=a"], {"open_mode": "append"}),
        (["-o", "none", "-e", "x_%j"], {"output": "/dev/null", "error": "x_%j"}),
        (["-D", "/tmp"], {"work_dir": "/tmp"}),
        (["--signal=B:USR1@60"], {"signal": "B:USR1@60"}),
        (["--mail-type=end,fail"], {"mail_type": "END,FAIL"}),
        (["-m", "block:cyclic,pack"], {"distribution": "block:cyclic,pack"}),
        (["--comment="], {"comment": ""}),
        (["-H"], {"hold": True}),
        (["--sim-runtime=10m", "--sim-exit=3"], {"sim_runtime": 600, "sim_exit": 3}),
        (["--sim-runtime=90"], {"sim_runtime": 90}),
        (["--sim-runtime", "84805.60"], {"sim_runtime": 84806}),
        (["--sim-runtime=1:30:00"], {"sim_runtime": 5400}),
        (["--sim-runtime=-1"], {"sim_runtime": INFINITE}),
        (["--get-user-env=L"], {"recorded": {"get-user-env": "L"}}),
        (["--bb=x", "-k", "--propagate"], {"recorded": {"bb": "x", "no-kill": "set", "propagate": ""}}),
    ],
)
def test_values(argv: list[str], fields: dict[str, object]) -> None:
    made = request(*argv)

    assert {name: getattr(made, name) for name in fields} == fields


@pytest.mark.parametrize(
    ("argv", "text", "code"),
    [
        (["-N", "1-9:0"], '"1-9:0" is not a valid node count', 255),
        (["-N", "1,x"], '"1,x" is not a valid node count', 255),
        (["-N", "5-1:1"], '"5-1:1" is not a valid node count', 255),
        (["-N", "1-99999999999:1"], '"1-99999999999:1" is not a valid node count', 255),
        (["-n", "99999999999"], "Numeric argument (99999999999) to big for --ntasks.", 1),
        (["-n", "²"], 'Invalid numeric value "²" for --ntasks.', 1),
        (["--mem", "9" * 18 + "P"], "Invalid --mem specification", 255),
        (["--requeue=now"], "Invalid --requeue specification", 255),
        (["--signal=@9"], "Invalid --signal specification", 255),
        (["--signal=X:9"], "Invalid --signal specification", 255),
        (["--signal=9@x"], "Invalid --signal specification", 255),
        (["--signal=65536"], "Invalid --signal specification", 255),
        (["-m", "block:bogus"], "Invalid --distribution specification", 255),
        (["-m", "plane=x"], "Invalid --distribution specification", 255),
        (["-m", "block,xpack"], "Invalid --distribution specification", 255),
        (["--sim-exit=256"], "Invalid --sim-exit specification (0 to 255)", 255),
        (["--sim-runtime=" + "9" * 16], "Invalid --sim-runtime specification", 255),
        (["--sim-runtime=x"], "Invalid --sim-runtime specification", 255),
        (["-w", "/no/hosts"], "slurm_allocate_resources error opening file /no/hosts, No such file or directory", 1),
    ],
)
def test_refused_values(argv: list[str], text: str, code: int) -> None:
    with pytest.raises(UserError) as caught:
        request(*argv)

    assert (caught.value.message, caught.value.exit_code) == (text, code)


def test_nodes_from_a_file(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("n1\nn2, n[3-4]\n")

    assert request("-F", str(hosts)).nodelist == "n1,n2,n[3-4]"
    assert request("-x", str(hosts)).exclude == "n1,n2,n[3-4]"


@pytest.mark.parametrize("command", LETTERS)
def test_no_option_is_given_twice(command: str) -> None:
    options = options_of(LETTERS[command])
    longs = [option.long for option in options]
    shorts = [option.short for option in options if option.short]

    assert len(longs) == len(set(longs))
    assert len(shorts) == len(set(shorts))
    for option in options:
        assert option.field == "" or option.field in JobRequest.__struct_fields__, option.long


@pytest.mark.parametrize("record", recorded("sbatch_option_names.jsonl"), ids=lambda r: r["command"])
def test_every_option_of_the_real_command_is_known(record: dict[str, Any]) -> None:
    kinds = {"none": NONE, "required": REQUIRED, "optional": OPTIONAL}
    own = {"help", "usage", "version"}
    known = {option.long: option for option in options_of(LETTERS[record["command"]])}
    for long, short, kind in record["options"]:
        if long not in own:
            assert (known[long].short, known[long].kind) == (short, kinds.get(kind, known[long].kind)), long


# precedence and environment


def levels(environ: list[str], script: list[str], line: list[str]) -> Draft:
    return Draft(*(draft(*argv).readings for argv in (environ, script, line)))


def test_the_command_line_wins_over_script_and_environment() -> None:
    made = levels(["-p", "e", "-t", "1", "-J", "e"], ["-p", "s", "-t", "2"], ["-p", "c"]).request(START)

    assert (made.partition, made.time_limit, made.name) == ("c", 2, "e")


@pytest.mark.parametrize("command", LETTERS)
def test_every_variable_names_an_option(command: str) -> None:
    prefix = {"sbatch": "SBATCH", "srun": "SLURM", "salloc": "SALLOC"}[command]
    names = {option.long for option in options_of(LETTERS[command])}

    elsewhere = {"kill-on-invalid-dep", "multi-prog"}  # options that not every build of the command has
    assert set(environment.variables(prefix).values()) - elsewhere <= names


def test_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    variables = {
        "SBATCH_PARTITION": "p",
        "SBATCH_TIMELIMIT": "7",
        "SBATCH_MEM_PER_NODE": "5",
        "SBATCH_EXCLUSIVE": "",
        "SBATCH_OVERCOMMIT": "1",
        "SBATCH_REQ_SWITCH": "2",
        "SBATCH_WAIT4SWITCH": "1:00",
        "SBATCH_EXTRA": "a==",  # not read
        "SBATCH_NOSUCH": "1",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    made = Draft(environment.read("SBATCH", options_of("b"))).request(START)

    assert (made.partition, made.time_limit, made.mem_per_node, made.exclusive) == ("p", 7, 5, "NODE")
    assert (made.overcommit, made.switches, made.wait_for_switches, made.extra) == (True, 2, 60, None)


def test_a_wrong_variable_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SBATCH_TIMELIMIT", "soon")
    with pytest.raises(UserError, match="Invalid --time specification"):
        environment.read("SBATCH", options_of("b"))


# properties


@given(st.sampled_from(options_of("b") + options_of("s") + options_of("a")), st.text(max_size=40))
def test_a_reader_answers_or_complains(option: SubmitOption, text: str) -> None:
    try:
        value = readers.find(option.reader)(option.long, text)
    except UserError:
        return

    assert isinstance(value, (str, int, bool, dict, Later))


@given(st.text(max_size=12))
def test_leading_number_is_what_c_reads(text: str) -> None:
    found = re.match(r"[ \t\n\v\f\r]*([+-]?[0-9]+)", text)

    assert leading(text) == (int(found[1]) if found else 0)


def test_statuses_say_where_an_option_goes() -> None:
    for option in options_of("b"):
        if option.status == RECORDED:
            assert option.note, option.long
        if option.status == OURS:
            assert option.help, option.long


@pytest.mark.parametrize("words", [("sbatch", "--wrap", "true"), ("srun", "true"), ("salloc", "true")])
def test_a_directory_that_has_been_removed(sim, words):
    sim("init")
    gone = sim.cwd / "gone"
    gone.mkdir()
    shell = ["sh", "-c", 'rmdir "$PWD"; exec "$@"', "sh", sys.executable, "-m", "slimsched.cli.main", *words]
    env = {**os.environ, "SLIMSCHED_STATE": str(sim.state)}
    found = subprocess.run(shell, cwd=gone, env=env, capture_output=True, text=True, check=False, timeout=60)

    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr == f"{words[0]}: error: getcwd failed: No such file or directory\n"
    assert sim("squeue", "-h", "-t", "all") == ""


def test_a_quote_without_an_end_in_export_is_told(sim):
    answer = sim.run("sbatch", "--export=A,X='a,Z=1", "--wrap", "true")

    assert answer.code == 0
    assert answer.err.startswith("sbatch: error: Improperly formed environment variable (X='a,Z=1)\n")
