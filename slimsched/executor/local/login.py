"""The environment that a login of a user has (``su -``). Standard library only."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable

PATIENCE = 10.0  # seconds for the files that a login reads
PATHS = {True: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", False: "/usr/local/bin:/usr/bin:/bin"}


def login_environment(account: dict[str, str], become: Callable[[], None]) -> dict[str, str]:
    """Return what a login shell has in its environment; that of the account alone if it does not answer.

    ``account``: HOME, SHELL and USER of the user; ``become``: makes a process that user's.
    """
    name = account["USER"]
    base = {
        **account,
        **{"LOGNAME": name, "MAIL": f"/var/mail/{name}", "PATH": PATHS[name == "root"]},
    }
    heard, told = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.setsid()
            become()
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, 0)
            os.dup2(told, 1)
            os.dup2(null, 2)
            os.execve(account["SHELL"], [account["SHELL"], "-l", "-c", "env -0"], base)
        finally:
            os._exit(127)
    os.close(told)
    text = _read(heard, pid)
    os.close(heard)
    os.waitpid(pid, 0)
    pairs = (item.partition("=") for item in text.split("\0") if "=" in item)
    return {name: value for name, _, value in pairs if name not in ("PWD", "OLDPWD", "_")} or base


def _read(heard: int, pid: int) -> str:
    """Return all that a process writes; it is killed if it takes too long."""
    end = time.monotonic() + PATIENCE
    parts: list[bytes] = []
    while select.select([heard], [], [], max(0.0, end - time.monotonic()))[0]:
        data = os.read(heard, 65536)
        if not data:
            return b"".join(parts).decode("utf-8", "surrogateescape")
        parts.append(data)
    os.killpg(pid, signal.SIGKILL)
    return ""
