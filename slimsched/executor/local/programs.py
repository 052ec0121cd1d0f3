"""Programs that run because of something that has happened (`Executor.run_program`). Standard library only.

Nobody waits for them, and they print nowhere.
"""

from __future__ import annotations

import os
import pwd
import signal

from slimsched.executor.local.files import orphaned


def run(words: list[str], user_id: int, environment: dict[str, str] | None = None) -> None:
    """Start a program, in the root directory, as a user if we are root and as ourselves otherwise."""
    if not orphaned():
        return
    try:
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        for caught in (signal.SIGINT, signal.SIGPIPE, signal.SIGTERM, signal.SIGHUP):
            signal.signal(caught, signal.SIG_DFL)
        os.chdir("/")
        if user_id and not os.geteuid():
            user = pwd.getpwuid(user_id)
            os.initgroups(user.pw_name, user.pw_gid)
            os.setgid(user.pw_gid)
            os.setuid(user_id)
        os.execve(words[0], words, os.environ if environment is None else environment)
    finally:
        os._exit(127)
