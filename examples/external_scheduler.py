"""An external scheduler: it asks a cluster for nodes and jobs and starts the jobs, smallest first.

It speaks version 1 of the Wiki protocol with ``sim wiki serve --stdin`` and needs nothing but the standard library.
The cluster must have ``SchedulerType = "sched/wiki"`` in its cluster.toml, and its key in wiki.conf beside it::

    python examples/external_scheduler.py --state DIR --key 42
"""

from __future__ import annotations

import argparse
import subprocess
from binascii import crc_hqx

ROUNDS = (
    (0xCBA4E531, 0x12BE4590),
    (0x537158EB, 0xAB54CE58),
    (0x145CDC3C, 0x6954C7A6),
    (0x0D3FDEB2, 0x15A2CA46),
)
MASK = 0xFFFFFFFF
TOO_FAR = "SC=-350 "


def checksum(key: int, text: bytes) -> str:
    """Return the signature of a message."""
    left, right = crc_hqx(text, 0), key
    for first, second in ROUNDS:
        low, high = (right ^ first) & 0xFFFF, (right ^ first) >> 16
        turned = (low * low + (~(high * high) & MASK)) & MASK
        turned = (turned >> 16 | turned << 16) & MASK
        left, right = right, left ^ (((turned ^ second) + low * high) & MASK)
    return f"{left:08x}{right:08x}"


class Cluster:
    """The other side; every request is a process, as every command is."""

    def __init__(self, state: str, key: int) -> None:
        self.command = ["sim", "--state", state, "wiki", "serve", "--stdin"]
        self.key, self.now = key, 0

    def ask(self, payload: str) -> str:
        """Return the payload of the answer; the cluster's time is learnt from the first one."""
        said = self._once(payload)
        return self._once(payload) if said.startswith(TOO_FAR) else said

    def _once(self, payload: str) -> str:
        body = f"TS={self.now} AUTH=example DT=CMD={payload}".encode()
        body = b"CK=%s %s" % (checksum(self.key, body).encode(), body)
        done = subprocess.run(self.command, input=b"%08d\n" % len(body) + body, stdout=subprocess.PIPE, check=True)
        said = done.stdout[9:].rstrip(b"\0").decode()
        self.now = int(said.partition("TS=")[2].split()[0])
        return said.partition(" DT=")[2]

    def records(self, payload: str) -> dict[str, dict[str, str]]:
        """Return the records of a list: name -> field -> value."""
        count, _, rest = self.ask(payload).removeprefix("SC=0 ARG=").partition("#")
        found = {}
        for record in rest.split("#") if int(count) else []:
            name, _, fields = record.partition(":")
            found[name] = dict(field.split("=", 1) for field in fields.split(";") if field)
        return found


def main() -> None:
    """Start what fits on idle CPUs, one job after the other."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--state", required=True)
    parser.add_argument("--key", type=int, required=True)
    options = parser.parse_args()
    cluster = Cluster(options.state, options.key)
    nodes, jobs = cluster.records("GETNODES ARG=0:ALL"), cluster.records("GETJOBS ARG=0:ALL")
    free = {name: int(node["CPROC"]) for name, node in nodes.items() if node["STATE"] in {"Idle", "Running"}}
    for job in jobs.values():
        for name in filter(None, job.get("TASKLIST", "").split(":")):
            free[name] -= int(job["DPROCS"])
    waiting = {job_id: job for job_id, job in jobs.items() if job["STATE"] == "Idle"}
    for job_id in sorted(waiting, key=lambda job_id: (int(waiting[job_id]["TASKS"]), int(job_id))):
        tasks, size = int(waiting[job_id]["TASKS"]), int(waiting[job_id]["DPROCS"])
        places = [name for name, cpus in free.items() for _ in range(cpus // size)][:tasks]
        if len(places) < tasks:
            break
        answer = cluster.ask(f"STARTJOB ARG={job_id} TASKLIST={':'.join(places)}")
        print(answer.partition("RESPONSE=")[2])
        if answer.startswith("SC=0 "):
            for name in places:
                free[name] -= size


if __name__ == "__main__":
    main()
