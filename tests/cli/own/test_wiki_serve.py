"""``sim wiki serve`` over standard input and over a socket."""

from __future__ import annotations

import socket
import threading
from contextlib import suppress

import pytest
from world import START

from slimsched.sched.wiki.message import checksum

TOML = '[slurm]\nSchedulerType = "sched/{kind}"\nSelectTypeParameters = "CR_CPU"\n'
TOML += '[[nodes]]\nNodeName = "node[1-2]"\nCPUs = 2\n'
TOML += '[[partitions]]\nPartitionName = "debug"\nNodes = "ALL"\nDefault = true\n'


def signed(payload, key=42, now=START):
    body = f"TS={now} AUTH=root DT=CMD={payload}".encode()
    body = b"CK=%s %s" % (checksum(key, body).encode(), body)
    return b"%08d\n" % len(body) + body


def payloads(out):
    return [part.partition(" DT=")[2] for part in out.split("\0")[:-1]]


@pytest.fixture
def wiki(sim):
    sim.init(TOML.format(kind="wiki"))
    (sim.state / "wiki.conf").write_text("AuthKey=42\n")
    return sim


def test_a_scheduler_on_standard_input(wiki):
    wiki("sbatch --wrap 'sleep 60'")
    requests = signed("GETJOBS ARG=0:ALL") + signed("STARTJOB ARG=1 TASKLIST=node2") + signed("GETJOBS ARG=0:1")
    answer = wiki.run("wiki", "serve", "--stdin", stdin=requests)

    assert (answer.code, answer.err) == (0, "")
    first, second, third = payloads(answer.out)
    assert first.startswith("SC=0 ARG=1#1:STATE=Idle;")
    assert second == "SC=0 RESPONSE=job 1 started successfully"
    assert third.startswith("SC=0 ARG=1#1:STATE=Running;TASKLIST=:node2;")
    assert wiki("squeue -h -o '%i %t %N'") == "1 R node2\n"


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        (signed("STARTJOB ARG=1 TASKLIST=node2", key=43), ["SC=-422 RESPONSE=bad checksum"]),
        (signed("STARTJOB ARG=1 TASKLIST=node2", now=START + 301), ["SC=-350 RESPONSE=TS value too far from NOW"]),
        (b"00000021\nCMD=GETJOBS ARG=0:ALL", ["SC=-300 RESPONSE=request lacks AUTH"]),
        (b"00000003\n\xff\xfe\x00", ["SC=-300 RESPONSE=request lacks AUTH"]),
        (b"00000099\nshort", []),
        (b"nonsense!", []),
        (b"", []),
    ],
)
def test_what_is_refused_changes_nothing(wiki, request_, said):
    wiki("sbatch --wrap 'sleep 60'")
    answer = wiki.run("wiki", "serve", "--stdin", stdin=request_)

    assert (answer.code, answer.err, payloads(answer.out)) == (0, "", said)
    assert wiki("squeue -h -o '%i %t %r'") == "1 PD JobHeldAdmin\n"


def test_version_2_by_configuration(sim):
    sim.init(TOML.format(kind="wiki2"))
    answer = sim.run("wiki serve --stdin")
    assert (answer.code, answer.out) == (1, "")
    assert answer.err == f"sim: fatal: {sim.state}/wiki.conf has no AuthKey\n"

    (sim.state / "wiki.conf").write_text("AuthKey=42\n")
    answer = sim.run("wiki", "serve", "--stdin", stdin=signed("INITIALIZE ARG=USEHOSTEXP=F"))
    assert payloads(answer.out) == ["SC=0 RESPONSE=EPORT=0 USEHOSTEXP=F"]


@pytest.mark.usefixtures("with_notes")
def test_without_a_key_version_1_is_open_and_says_so(sim):
    sim.init(TOML.format(kind="wiki"))
    answer = sim.run("wiki", "serve", "--stdin", stdin=b"00000021\nCMD=GETJOBS ARG=0:ALL")
    assert payloads(answer.out) == ["SC=0 ARG=0#"]
    assert answer.err == f"sim: note: {sim.state}/wiki.conf has no AuthKey: requests are not verified\n"


def test_a_cluster_that_schedules_by_itself(sim):
    answer = sim.run("wiki serve --stdin")
    assert (
        answer.err
        == "sim: error: the cluster schedules its jobs itself: SchedulerType=sched/backfill, not sched/wiki\n"
    )


def on_a_socket(wiki, requests, talk):
    """Serve ``requests`` connections, and meanwhile run ``talk(connect)`` beside it; returns the command's answer."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]

    def connect():
        for _ in range(400):
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=5)
            except ConnectionRefusedError:
                threading.Event().wait(0.01)
        raise AssertionError("nobody listens")

    thread = threading.Thread(target=talk, args=(connect,))
    thread.start()
    answer = wiki.run("wiki", "serve", "--port", str(port), "--requests", str(requests))
    thread.join()
    assert (answer.code, answer.out) == (0, f"127.0.0.1:{port}\n")
    return answer


def heard(connection):
    return b"".join(iter(lambda: connection.recv(4096), b""))


def test_a_scheduler_on_a_socket(wiki):
    wiki("sbatch --wrap 'sleep 60'")
    said = []

    def talk(connect):
        for request in (signed("GETNODES ARG=0:ALL"), b"torn", signed("STARTJOB ARG=1 TASKLIST=node1")):
            with connect() as connection:
                connection.sendall(request)
                connection.shutdown(socket.SHUT_WR)
                said.append(heard(connection))

    on_a_socket(wiki, 3, talk)

    assert b"SC=0 ARG=2#node1:STATE=Idle;" in said[0]
    assert said[1] == b""
    assert b"job 1 started successfully" in said[2]
    assert wiki("squeue -h -o %t") == "R\n"


def test_who_says_nothing_keeps_nobody_waiting(wiki):
    said = []

    def talk(connect):
        silent = [connect() for _ in range(20)]
        for connection in silent:
            connection.sendall(b"0")
        with connect() as connection:
            connection.sendall(signed("GETNODES ARG=0:ALL"))
            said.append(heard(connection))
        for connection in silent:
            connection.close()

    on_a_socket(wiki, 21, talk)
    assert b"SC=0 ARG=2#node1:STATE=Idle;" in said[0]


def test_a_request_has_one_deadline_however_often_a_byte_comes(wiki, monkeypatch):
    from slimsched.cli.own import wiki_socket

    monkeypatch.setattr(wiki_socket, "PATIENCE", 0.05)
    ended = []

    def talk(connect):
        with connect() as connection, suppress(ConnectionError):
            connection.sendall(b"01000000\n")
            for _ in range(300):
                connection.sendall(b"x")
                threading.Event().wait(0.01)
            ended.append("never")

    on_a_socket(wiki, 1, talk)
    assert ended == []


def test_the_oldest_of_too_many_connections_is_dropped(wiki, monkeypatch):
    from slimsched.cli.own import wiki_socket

    monkeypatch.setattr(wiki_socket, "MOST_OPEN", 2)
    said = []

    def talk(connect):
        first, second, third = connect(), connect(), connect()
        said.append(heard(first))
        for connection in (second, third):
            connection.sendall(signed("GETJOBS ARG=0:ALL"))
            said.append(heard(connection).partition(b" DT=")[2])
            connection.close()
        first.close()

    on_a_socket(wiki, 3, talk)
    assert said == [b"", b"SC=0 ARG=0#\0", b"SC=0 ARG=0#\0"]


def test_the_example(wiki, monkeypatch, capsys):
    """examples/external_scheduler.py, with the command run in this process."""
    import runpy
    import subprocess
    import sys
    from pathlib import Path
    from types import SimpleNamespace

    for tasks in (4, 1, 2, 1):
        wiki(f"sbatch -n{tasks} --wrap 'sleep 60'")

    def run(command, *, input, **more):
        answer = wiki.run(*command[1:], stdin=input)
        assert answer.code == 0
        return SimpleNamespace(stdout=answer.out.encode())

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(sys, "argv", ["x", "--state", str(wiki.state), "--key", "42"])
    example = Path(__file__).parents[3] / "examples" / "external_scheduler.py"
    runpy.run_path(str(example), run_name="__main__")

    assert capsys.readouterr().out.splitlines() == [f"job {k} started successfully" for k in (2, 4, 3)]
    assert wiki("squeue -h -S i -o '%i %t %N'") == "1 PD \n2 R node1\n3 R node2\n4 R node1\n"
