"""The script's own process: its files, directory, limits and environment. Standard library only."""

from __future__ import annotations

import errno
import os
import resource
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal

    from slimsched.executor.local.files import Json
else:
    import _signal as signal  # what `signal` is made of, without its enums

MISSING = "/tmp"
"""Where a job runs whose directory cannot be entered."""

RESET = ("SIGPIPE", "SIGXFZ", "SIGXFSZ")  # SIGXFZ: the name that some Pythons give it
"""Signals that Python ignores, and a program must not."""


def stamp(at: float) -> str:
    """Return an instant with milliseconds, in local time."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(at)) + f".{int(at * 1000) % 1000:03}"


def message(spec: Json, text: str) -> bytes:
    """Return a line for the job's output, as the step daemon writes it."""
    prefix: str = spec["prefix"]
    return f"{prefix.format(at=stamp(time.time()))}{text}\n".encode("utf-8", "surrogateescape")


class Failure(Exception):
    """The script cannot be run; ``code``: the exit code of the job."""

    def __init__(self, text: str, code: int = 0) -> None:
        super().__init__(text)
        self.code = code


def open_streams(spec: Json) -> tuple[tuple[int, int, int], int]:
    """Open input, output and error; return their descriptors, and that of the file that messages go to.

    Raises `Failure`. A folder that is missing is made.
    """
    mask = os.umask(spec["umask"])
    groups = os.getgroups() if spec["uid"] else []
    if spec["uid"]:  # what another user's job reads and writes, that user must be able to
        os.initgroups(spec["user"], spec["gid"])
    if spec["gid"]:
        os.setegid(spec["gid"])
    if spec["uid"]:
        os.seteuid(spec["uid"])
    try:
        extra = os.O_APPEND if spec["append"] else os.O_TRUNC
        try:
            read = os.open(spec["input"], os.O_RDONLY | os.O_CLOEXEC)
            out = _create(spec["output"], extra)
            same = spec["error"] in ("", spec["output"])
            err = out if same else _create(spec["error"], extra)
        except OSError as fault:
            raise Failure(f"error: Could not open {fault.filename}: {fault.strerror}") from fault
    finally:
        if spec["uid"]:
            os.seteuid(0)
        if spec["gid"]:
            os.setegid(os.getgid())
        if spec["uid"]:
            os.setgroups(groups)
        os.umask(mask)
    return (read, out, err), err


def _create(name: str, extra: int) -> int:
    os.makedirs(os.path.dirname(name), exist_ok=True)
    return os.open(name, os.O_WRONLY | os.O_CREAT | extra | os.O_CLOEXEC | os.O_NOCTTY, 0o666)


def begin(spec: Json, streams: tuple[int, int, int], said: int) -> int:
    """Start the script and return its process id. Raises `Failure` if it cannot be executed."""
    environment = spec["environment"]
    if spec["login"]:
        from slimsched.executor.local.login import login_environment

        environment = {**login_environment(spec["login"], lambda: drop(spec)), **environment}
    path = environment.get("PATH")
    if path and spec["commands"] and spec["commands"] not in path.split(os.pathsep):
        environment = {**environment, "PATH": f"{spec['commands']}{os.pathsep}{path}"}
    heard, told = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            os.close(heard)
            _become(spec, streams, said)
            own = {**environment, "SLURM_TASK_PID": str(os.getpid())}
            if spec["task_prolog"]:
                own = _prepared(spec, own, said)
            os.execve(spec["script"], [spec["script"], *spec["arguments"]], own)
        except OSError as fault:
            os.write(told, str(fault.errno).encode())
        finally:
            os._exit(1)
    os.close(told)
    with os.fdopen(heard, "rb") as file:
        number = int(file.read() or 0)
    if not number:
        return pid
    os.waitpid(pid, 0)
    raise Failure(_refusal(spec, number), number)


def _prepared(spec: Json, environment: dict[str, str], said: int) -> dict[str, str]:
    """Run the site's prolog of a task; this process ends if that fails."""
    from slimsched.executor.local import site

    try:
        return site.task_prolog(spec["task_prolog"], environment)
    except OSError as fault:
        os.write(said, message(spec, f"error: TaskProlog failed status={fault.errno}"))
        os._exit(1)


def after_task(spec: Json, environment: dict[str, str]) -> None:
    """Run the site's epilog of a task as the job's user, and wait for it; what it prints is lost."""
    pid = os.fork()
    if not pid:
        try:
            null = os.open(os.devnull, os.O_RDWR)
            _become({**spec, "limits": {}}, (null, null, null), null)
            os.execve(spec["task_epilog"], [spec["task_epilog"]], environment)
        finally:
            os._exit(127)
    os.waitpid(pid, 0)


def _refusal(spec: Json, number: int) -> str:
    """Say why a script could not be executed, as the step daemon does."""
    what = os.path.basename(spec["script"])
    with open(spec["script"], "rb") as file:
        first = file.readline(4096)
    interpreter = (first[2:].split() or [b""])[0].decode("utf-8", "surrogateescape")
    if first.startswith(b"#!") and number in (errno.ENOENT, errno.EACCES):
        what = f"bad interpreter({interpreter})"
    return f"error: execve(): {what}: {os.strerror(number)}"


def _become(spec: Json, streams: tuple[int, int, int], said: int) -> None:
    """Turn this process into the one that the script runs in."""
    os.setsid()
    for number, fd in enumerate(streams):
        os.dup2(fd, number)
    for name in RESET:
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    for name, pair in spec["limits"].items():
        _limit(getattr(resource, name, None), pair)
    drop(spec)
    os.umask(spec["umask"])
    try:
        os.chdir(spec["directory"])
    except OSError as fault:
        text = f"error: couldn't chdir to `{spec['directory']}': {fault.strerror}: going to {MISSING} instead"
        os.write(said, 2 * message(spec, text))
        os.chdir(MISSING)


def drop(spec: Json) -> None:
    """Become the job's user, for good, if that is another one."""
    if spec["uid"]:
        os.initgroups(spec["user"], spec["gid"])
    if spec["gid"]:
        os.setgid(spec["gid"])
    if spec["uid"]:
        os.setuid(spec["uid"])


def _limit(which: int | None, pair: list[int]) -> None:
    """Set a limit of resources; one that cannot be raised stays as it is."""
    if which is None:
        return
    try:
        resource.setrlimit(which, (pair[0], pair[1]))
    except (OSError, ValueError):
        return
