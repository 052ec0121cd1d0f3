"""Where a node's ``Extra`` data comes from: the load of this machine, a file, or what a command prints."""

from __future__ import annotations

import os

from slimsched.errors import UserError

LOAD = "load"
PATIENCE = 60  # seconds that a command may take


def read(source: str) -> str:
    """Return the data: of ``load``, of a file, else of a shell command. Raises `UserError` if there is none."""
    if source == LOAD:
        return load()
    if os.path.isfile(source):
        try:
            with open(source, encoding="utf-8", errors="surrogateescape") as file:
                return file.read().strip()
        except OSError as fault:
            raise UserError(f"--extra-from {source}: {fault.strerror}") from None
    return _printed(source)


def load() -> str:
    """Return the load averages as JSON: ``load``, of the last minute and for each CPU, and those of `uptime`."""
    import json

    one, five, fifteen = os.getloadavg()
    found = {LOAD: one / (os.cpu_count() or 1), "load1": one, "load5": five, "load15": fifteen}
    return json.dumps({name: round(value, 2) for name, value in found.items()})


def _printed(command: str) -> str:
    import subprocess

    try:
        done = subprocess.run(
            command, shell=True, capture_output=True, text=True, errors="surrogateescape", timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        raise UserError(f"--extra-from {command}: it has not ended after {PATIENCE} seconds") from None
    if done.returncode:
        said = done.stderr.strip().rpartition("\n")[2] or f"exit status {done.returncode}"
        raise UserError(f"--extra-from {command}: {said}")
    return done.stdout.strip()
