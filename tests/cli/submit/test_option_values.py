"""Values of the submission options as Slurm reads them: numbers, words, lists, and what is said of wrong ones."""

from __future__ import annotations

from typing import Any

import pytest
from world import START

from slimsched.cli.submit.options.request import Draft, read
from slimsched.errors import UserError
from slimsched.model.request import JobRequest
from slimsched.slurm.getopt import Scanner
from slimsched.slurm.options import options_of


def request(letter: str, *argv: str) -> JobRequest:
    return Draft(read(Scanner("sbatch", options_of(letter), argv, posix=True, exit_code=255))).request(START)


@pytest.mark.parametrize(
    ("letter", "argv", "fields"),
    [
        ("b", ["-n", " 5"], {"num_tasks": 5}),
        ("b", ["-n", "+5"], {"num_tasks": 5}),
        ("b", ["--core-spec="], {"core_spec": 0}),
        ("b", ["-N", " 2 "], {"min_nodes": 2, "max_nodes": 2}),
        ("b", ["-N", "-4"], {"min_nodes": 1, "max_nodes": 4}),
        ("b", ["-N", "3-0"], {"min_nodes": 3, "max_nodes": None}),
        ("b", ["-N", "1k-2K"], {"min_nodes": 1024, "max_nodes": 2048}),
        ("b", ["-N", "1km"], {"min_nodes": 1 << 30, "max_nodes": 1 << 30}),
        ("b", ["--mem= +5"], {"mem_per_node": 5}),
        ("b", ["-B", "2-4:1-2:1"], {"sockets_per_node": 2, "cores_per_socket": 1, "threads_per_core": 1}),
        ("b", ["-B", "*:2:"], {"sockets_per_node": None, "cores_per_socket": 2, "threads_per_core": None}),
        ("b", ["-B", "1:2:3:4"], {"sockets_per_node": 1, "cores_per_socket": 2, "threads_per_core": 3}),
        ("b", ["-B", "1k"], {"sockets_per_node": 1024}),
        ("b", ["-B", "0"], {"sockets_per_node": 0}),
        ("b", ["--exclusive="], {"exclusive": "NODE"}),
        ("b", ["--exclusive=Exclusive"], {"exclusive": "NODE"}),
        ("b", ["--exclusive=TOPO"], {"exclusive": "TOPO"}),
        ("b", ["--exclusive=mcs", "--exclusive=oversubscribe"], {"exclusive": "", "oversubscribe": True}),
        ("b", ["--open-mode=Append"], {"open_mode": "append"}),
        ("b", ["--open-mode=trash"], {"open_mode": "truncate"}),
        ("b", ["-m", "*"], {"distribution": "block"}),
        ("b", ["-m", "CYCLIC"], {"distribution": "cyclic"}),
        ("b", ["-m", "cyclic:*"], {"distribution": "cyclic:cyclic"}),
        ("b", ["-m", "*:block:*"], {"distribution": "block:block:block"}),
        ("b", ["-m", "*:*:*,NoPack"], {"distribution": "block:cyclic:cyclic,nopack"}),
        ("b", ["-m", "block:fcyclic"], {"distribution": "block:fcyclic"}),
        ("b", ["-m", "hostfile"], {"distribution": "arbitrary"}),
        ("b", ["-m", "pack"], {"distribution": "pack"}),
        ("b", ["-m", "plane=4"], {"distribution": "plane=4"}),
        ("b", ["--mail-type=BOGUS,end"], {"mail_type": "END"}),
        ("b", ["--mail-type=END", "--mail-type=begin"], {"mail_type": "BEGIN,END"}),
        ("b", ["--mail-type=ALL"], {"mail_type": "INVALID_DEPEND,BEGIN,END,FAIL,REQUEUE,STAGE_OUT"}),
        (
            "b",
            ["--mail-type=TIME_LIMIT,TIME_LIMIT_50,ARRAY_TASKS"],
            {"mail_type": "ARRAY_TASKS,TIME_LIMIT_50,TIME_LIMIT"},
        ),
        ("b", ["--mail-type=END,NONE"], {"mail_type": ""}),
        ("b", ["--mail-type=END", "--mail-type=NONE"], {"mail_type": "END"}),
        ("b", ["--signal=SIGUSR1"], {"signal": "SIGUSR1"}),
        ("b", ["--signal=RB:10"], {"signal": "RB:10"}),
        ("b", ["--signal=BR:usr2@0"], {"signal": "BR:usr2@0"}),
        ("b", ["--signal=Bterm@65535"], {"signal": "Bterm@65535"}),
        ("b", ["--signal=65535"], {"signal": "65535"}),
        ("a", ["--signal=R:INT@5"], {"signal": "R:INT@5"}),
        ("b", ["--switches=1@bogus"], {"switches": 1, "wait_for_switches": None}),
        ("b", ["--switches=1@5"], {"switches": 1, "wait_for_switches": 300}),
        ("b", ["--switches=1@UNLIMITED"], {"switches": 1, "wait_for_switches": None}),
        ("b", ["--profile=Task,Energy"], {"recorded": {"profile": "Energy,Task"}}),
        ("b", ["--profile=none,all"], {"recorded": {"profile": "None"}}),
        ("b", ["--acctg-freq=task=30,energy=5"], {"recorded": {"acctg-freq": "task=30,energy=5"}}),
        ("b", ["--gres-flags=Enforce-Binding"], {"recorded": {"gres-flags": "enforce-binding"}}),
        ("s", ["--gres-flags=allow-task-sharing"], {"recorded": {"gres-flags": "allow-task-sharing"}}),
        ("b", ["-koff"], {"recorded": {"no-kill": "off"}}),
        ("b", ["--segment=4"], {"recorded": {"segment": "4"}}),
        ("b", ["--cpu-freq=low-high:OnDemand"], {"recorded": {"cpu-freq": "low-high:OnDemand"}}),
        ("b", ["--gpu-freq=medium,memory=high,verbose"], {"tres_freq": "gpu:medium,memory=high,verbose"}),
        ("b", ["--gpu-bind=verbose,single:2"], {"tres_bind": "gres/gpu:verbose,single:2"}),
        ("b", ["--mem-bind=v,map_mem:0,1"], {"recorded": {"mem-bind": "v,map_mem:0,1"}}),
        ("s", ["--cpu-bind=q,map_cpu:0,1"], {"recorded": {"cpu-bind": "q,map_cpu:0,1"}}),
        ("b", ["--propagate=RLIMIT_NOFILE,core"], {"recorded": {"propagate": "RLIMIT_NOFILE,core"}}),
        ("a", ["-K"], {"recorded": {"kill-command": "TERM"}}),
        ("a", ["-K9"], {"recorded": {"kill-command": "KILL"}}),
        ("s", ["--treewidth=off"], {"recorded": {"treewidth": "65533"}}),
        ("s", ["--kill-on-bad-exit", "-W0"], {"recorded": {"kill-on-bad-exit": "1", "wait": "0"}}),
        ("b", ["--wait-all-nodes=1"], {"wait_all_nodes": 1}),
    ],
)
def test_accepted(letter: str, argv: list[str], fields: dict[str, Any]) -> None:
    made = request(letter, *argv)

    assert {name: getattr(made, name) for name in fields} == fields


NUMERIC = 'Invalid numeric value "{}" for {}.'


@pytest.mark.parametrize(
    ("letter", "argv", "text", "code"),
    [
        ("b", ["-N", ""], '"" is not a valid node count', 255),
        ("b", ["-N", "x-3"], '"x" is not a valid node count', 255),
        ("b", ["-N", "1-2-3"], '"2-3" is not a valid node count', 255),
        ("b", ["-N", "-x"], '"x" is not a valid node count', 255),
        ("b", ["-N", "3-"], "Maximum node count -1 is less than minimum node count 3", 255),
        ("b", ["-c", ""], NUMERIC.format("", "--cpus-per-task"), 1),
        ("b", ["-n", "5 "], NUMERIC.format("5 ", "--ntasks"), 1),
        ("b", ["--switches=0"], NUMERIC.format("0", "--switches"), 1),
        ("b", ["--thread-spec=0"], NUMERIC.format("0", "--thread-spec"), 1),
        ("b", ["--mincpus=x"], NUMERIC.format("x", "--mincpus"), 1),
        ("b", ["--core-spec=-1"], NUMERIC.format("-1", "--core-spec"), 1),
        ("b", ["-B", "x"], NUMERIC.format("x", "first arg of -B"), 1),
        ("b", ["-B", "1:-2"], NUMERIC.format("-2", "second arg of -B"), 1),
        ("b", ["-B", "1:1:2-0"], NUMERIC.format("2-0", "third arg of -B"), 1),
        ("b", ["-B", "3000000000"], "Numeric argument (3000000000) to big for first arg of -B.", 1),
        ("a", ["-Ix"], NUMERIC.format("x", "immediate"), 1),
        ("s", ["--resv-ports=x"], NUMERIC.format("x", "--resv-port"), 1),
        ("s", ["-r-1"], NUMERIC.format("-1", "--relative"), 1),
        ("s", ["-T0"], NUMERIC.format("0", "--threads"), 1),
        ("b", ["--wait-all-nodes=2"], "Invalid --wait-all-nodes specification", 255),
        ("b", ["--wait-all-nodes=x"], NUMERIC.format("x", "--wait-all-nodes"), 1),
        ("b", ["--exclusive=node"], "Invalid --exclusive specification", 255),
        ("b", ["--open-mode="], "Invalid --open-mode specification", 255),
        ("b", ["-m", "fcyclic"], "Invalid --distribution specification", 255),
        ("b", ["-m", "block:block:block:block"], "Invalid --distribution specification", 255),
        ("b", ["-m", "plane"], "Invalid --distribution specification", 255),
        ("b", ["-m", "plane=0"], "Invalid --distribution specification", 255),
        ("b", ["-m", ",pack"], "Invalid --distribution specification", 255),
        ("b", ["-m", "arbitrary:block"], "Invalid --distribution specification", 255),
        ("b", ["--mail-type="], "Invalid --mail-type specification", 255),
        ("b", ["--signal=SEGV"], "Invalid --signal specification", 255),
        ("b", ["--signal=0"], "Invalid --signal specification", 255),
        ("b", ["--signal=9@65536"], "Invalid --signal specification", 255),
        ("a", ["--signal=B:INT"], "Invalid --signal specification", 255),
        ("b", ["--profile=bogus"], "invalid --profile=bogus option", 255),
        ("b", ["--acctg-freq=task=x"], "Invalid --acctg-freq specification: task=x", 255),
        ("b", ["--acctg-freq=bogus=5"], "Invalid --acctg-freq specification: bogus=5", 255),
        ("b", ["--delay-boot=soon"], "Invalid --delay-boot specification", 255),
        ("b", ["--segment=x"], "Invalid --segment specification", 255),
        ("b", ["--segment=65534"], "Invalid --segment specification", 255),
        ("b", ["-kmaybe"], "Invalid --no-kill specification", 255),
        ("b", ["--gres-flags=x"], "Invalid --gres-flags specification: x", 255),
        ("b", ["--gres-flags=allow-task-sharing"], "--gres-flags=allow-task-sharing is only used with srun.", 255),
        (
            "b",
            ["--gres-flags=enforce-binding,disable-binding"],
            "Invalid --gres-flags combo: disable-binding and enforce-binding are mutually exclusive.",
            255,
        ),
        ("b", ["--hint=fast"], 'unrecognized --hint argument "fast", see --hint=help', 1),
        ("b", ["--cpu-freq=fast"], "Invalid --cpu-freq argument", 255),
        ("b", ["--gpu-freq=fast"], "Invalid --gpu-freq argument: gpu:fast", 255),
        ("b", ["--gpu-bind=near"], "Invalid --gpu-bind argument: near", 255),
        ("b", ["--mem-bind=near"], 'unrecognized --mem-bind argument "near"', 255),
        ("s", ["--cpu-bind=near"], 'unrecognized --cpu-bind argument "near"', 1),
        ("b", ["--propagate=BOGUS"], "Bad rlimit name: BOGUS\n--propagate=BOGUS is not valid.", 1),
        ("a", ["-Kbogus"], "Invalid --kill-command specification", 255),
        ("s", ["--treewidth=x"], "Invalid --treewidth value: x", 255),
        ("s", ["--send-libs=maybe"], "Invalid --send-libs specification", 255),
    ],
)
def test_refused(letter: str, argv: list[str], text: str, code: int) -> None:
    with pytest.raises(UserError) as caught:
        request(letter, *argv)

    assert (caught.value.message, caught.value.exit_code) == (text, code)


def test_the_plane_size_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_DIST_PLANESIZE", "3")

    assert request("b", "-m", "plane").distribution == "plane=3"
    assert request("b", "-m", "plane=2").distribution == "plane=2"
