"""One task of a step: the process in which its command is executed. Standard library only."""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Mapping, Sequence
from typing import NoReturn

from slimsched.executor.local import family
from slimsched.executor.local.child import RESET, stamp

OURS = ("SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGCHLD", "SIGCONT", "SIGALRM", "SIGTTIN")
"""Signals that ``srun`` handles itself."""


def start(
    words: Sequence[str],
    environment: Mapping[str, str],
    directory: str,
    streams: tuple[int, int, int],
    *,
    tty: bool = False,
    prologs: Sequence[str] = (),
    limit: tuple[int, int],
    prefix: str,
) -> int:
    """Start a task and return its process id; it says itself if its command, or its prolog, cannot be executed.

    ``limit``: that of the files it may open. ``prefix``: what begins such a message, with the instant ``at``.

    A signal for a task that is about to begin waits until it is no longer one of srun's own.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    pid = os.fork()
    if pid:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return pid
    try:
        signal.set_wakeup_fd(-1)
        os.setsid()
        family.end_with_parent()
        for number, fd in enumerate(streams):
            os.dup2(fd, number)
        if tty:
            import fcntl
            import termios

            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        for name in (*RESET, *OURS):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os.chdir(directory)
        own: Mapping[str, str] = {**environment, "SLURM_TASK_PID": str(os.getpid())}
        for prolog in prologs:
            own = _prepared(prolog, own, prefix)
        _execute(words, own, prefix)
    finally:
        os._exit(1)


NO_FULL_PATH = (
    "error: run_command: user task_prolog is not a fully qualified pathname ({})",
    "error: user task_prolog did not exit normally. reason: Run command failed - configuration error",
    "error: --task-prolog failed status=1",
)


def _prepared(prolog: str, environment: Mapping[str, str], prefix: str) -> Mapping[str, str]:
    """Run the site's prolog of a task; this process ends if that fails."""
    from slimsched.executor.local import site

    if not prolog.startswith("/"):
        for text in NO_FULL_PATH:
            _say(prefix, text.format(prolog))
        os._exit(1)
    try:
        return site.task_prolog(prolog, dict(environment))
    except OSError as fault:
        _say(prefix, f"error: TaskProlog failed status={fault.errno}")
        os._exit(1)


def _execute(words: Sequence[str], environment: Mapping[str, str], prefix: str) -> NoReturn:
    """Become the command; end with the number of the error."""
    name = words[0]
    places = [name] if "/" in name else [f"{path}/{name}" for path in environment.get("PATH", "").split(":") if path]
    fault: OSError = FileNotFoundError(2, os.strerror(2))
    for place in places:
        try:
            os.execve(place, list(words), environment)
        except (FileNotFoundError, NotADirectoryError) as missing:
            fault = missing
            if "/" in name and (interpreter := _interpreter(place)):
                name = f"bad interpreter({interpreter})"
        except OSError as other:
            fault = other
            break
    _say(prefix, f"error: execve(): {name}: {os.strerror(fault.errno or 0)}")
    os._exit(fault.errno or 1)


def _say(prefix: str, text: str) -> None:
    import time

    os.write(2, f"{prefix.format(at=stamp(time.time()))}{text}\n".encode("utf-8", "surrogateescape"))


def _interpreter(place: str) -> str:
    """Return the interpreter that a script names, "" for what is none."""
    try:
        with open(place, "rb") as file:
            first = file.readline(4096)
    except OSError:
        return ""
    return os.fsdecode((first[2:].split() or [b""])[0]) if first.startswith(b"#!") else ""
