"""The files of a run's folder, as its supervisor and the commands use them. Standard library only.

spec.json    what is to run (see `spec`)
lock         held by the supervisor for as long as it lives
started      there once the supervisor has begun
orders       what commands ask of the supervisor, one JSON object a line
control      a FIFO: a byte in it says that there are new orders
end.json     how the run ended
slurm_script the script
"""

from __future__ import annotations

import fcntl
import os
import select

from slimsched.executor.local import plain_json

TYPE_CHECKING = False  # as in `typing`, whose import costs a supervisor more than its own work
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

WAKER_LOCK, WAKER = "waker.lock", "waker"
"""In the state directory: the lock that the waker holds, and the FIFO through which it hears of later events."""

NEXT_REPORT, REPORT = "report.next", "report"
"""In the state directory: the lock that the next report holds, and the FIFO through which it hears what to do."""

ENDED, DUE = b"\n", b"!"
"""What it hears: a run has ended and left its record; an event is due."""

ELSEWHERE = "slimsched-job-"
"""What the name of a folder begins with that holds the script of another user."""

PARTING = 2.0
"""Seconds after which an order to the run that the sender is a part of is given, even if the sender is still there."""

TRIES, TRY_AGAIN = 500, 0.002
"""How often what somebody else holds for a moment is tried again, and after how many seconds."""


def path(folder: str, name: str) -> str:
    """Return the path of a file of a run."""
    return os.path.join(folder, name)


def read(folder: str, name: str) -> Json | None:
    """Return the content of a JSON file, None if there is none that is whole."""
    try:
        with open(path(folder, name), encoding="utf-8", errors="surrogateescape") as file:
            found = plain_json.loads(file.read())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def write(folder: str, name: str, value: Json, *, durable: bool = True) -> None:
    """Write a JSON file, whole or not at all."""
    place = path(folder, name)
    fd = os.open(place + ".new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(plain_json.dumps(value))
        file.flush()
        if durable:
            os.fsync(file.fileno())
    os.replace(place + ".new", place)
    if durable:
        sync(folder)


def script_folder(spec: Json) -> str:
    """Return the folder that a run's script has for itself, as that of another user; "" if it has none."""
    place = os.path.dirname(str(spec.get("script", "")))
    return place if os.path.basename(place).startswith(ELSEWHERE) else ""


def sync(folder: str) -> None:
    """Wait until a folder's entries are on the disk."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def take(place: str) -> int:
    """Lock a file, made if need be; return its descriptor, -1 if another process holds it."""
    fd = os.open(place, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    if not retake(fd):
        os.close(fd)
        return -1
    return fd


def retake(fd: int) -> bool:
    """Lock an open file again; whether that could be done."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def release(fd: int) -> None:
    """Unlock an open file."""
    fcntl.flock(fd, fcntl.LOCK_UN)


_held: dict[str, int] = {}  # folder -> descriptor of its lock, of those that this process holds


def hold(folder: str) -> None:
    """Make a folder and lock it for as long as this process lives, or until it lets go."""
    os.makedirs(folder, 0o700)
    os.mkfifo(path(folder, "control"), 0o600)
    _held[folder] = take(path(folder, "lock"))


def steps(folder: str) -> list[str]:
    """Return the folders of a run's steps that a process holds."""
    try:
        found = [path(folder, name) for name in os.listdir(folder) if name.startswith("step-")]
    except FileNotFoundError:
        return []
    return [step for step in found if held(path(step, "lock"))]


def let_go(folder: str) -> None:
    """Give up the lock on a folder."""
    fd = _held.pop(folder, -1)
    if fd >= 0:
        os.close(fd)


def held(place: str) -> bool:
    """Whether a process holds the lock on a file. Whoever wants to take it at this very moment has to try again."""
    try:
        fd = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(fd)
    return False


def tasks(folder: str) -> frozenset[int]:
    """Return the process ids of the tasks of a run's steps, which hear from their srun."""
    found: set[int] = set()
    for step in steps(folder):
        found.update((read(step, "tasks.json") or {}).get("all") or ())
    return frozenset(found)


def nudge(fifo: str, data: bytes = b"\n") -> bool:
    """Write to a FIFO; false if nobody listens."""
    try:
        fd = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        os.write(fd, data)
    except OSError:
        return isinstance(fd, int)  # full: whoever listens has something to read
    finally:
        os.close(fd)
    return True


def order(folder: str, value: Json) -> None:
    """Ask something of a supervisor, be it up already or only about to start."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        fd = os.open(path(folder, "orders"), flags, 0o600)
    except FileNotFoundError:  # the run is over, its folder gone
        return
    try:
        os.write(fd, plain_json.dumps(value).encode() + b"\n")
    finally:
        os.close(fd)
    nudge(path(folder, "control"))


def orders(folder: str, start: int) -> tuple[list[Json], int]:
    """Return the orders from an offset on, and the offset behind them."""
    try:
        with open(path(folder, "orders"), "rb") as file:
            file.seek(start)
            lines = file.read().split(b"\n")[:-1]  # what follows the last line's end is not whole yet
    except OSError:
        return [], start
    return [plain_json.loads(line) for line in lines], start + sum(len(line) + 1 for line in lines)


def orphaned() -> bool:
    """Fork a process in a session of its own, for which nobody waits; True in it, False in the caller.

    Its standard files are /dev/null. It must end with an exec or `os._exit`.
    """
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return False
    try:
        os.setsid()
        if os.fork():
            os._exit(0)
        null = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
    except BaseException:
        os._exit(127)
    return True


def left_behind() -> bool:
    """Fork a process as `orphaned` does, which goes on once the caller has ended, or has taken too long (`PARTING`)."""
    ends, held_open = os.pipe()  # the caller does not close its end: it does so when it ends, however it ends
    if not orphaned():
        os.close(ends)
        return False
    try:
        os.close(held_open)
        select.select([ends], [], [], PARTING)
    except BaseException:
        os._exit(127)
    return True


_detached: list[int] = []  # processes that were started here and may have ended


def detach(words: list[str], lock: int) -> None:
    """Start a program as a process of its own, with a lock that it holds; nobody waits for it.

    Its standard files are /dev/null. ``words``: the program's path and its arguments, the last one being the number
    of the lock's descriptor. It is no fork: to copy the memory of a command takes longer than all else that starts one.
    """
    _detached[:] = [pid for pid in _detached if not _gone(pid)]
    null = os.open(os.devnull, os.O_RDWR)
    os.set_inheritable(lock, True)
    try:
        actions: list[tuple[int, ...]] = [(os.POSIX_SPAWN_DUP2, null, number) for number in (0, 1, 2)]
        actions += [(os.POSIX_SPAWN_CLOSE, fd) for fd in _inherited() if fd != lock]
        words = [*words, str(lock)]
        _detached.append(os.posix_spawn(words[0], words, os.environ, file_actions=actions, setsid=True))
    finally:
        os.set_inheritable(lock, False)
        os.close(null)


def _inherited() -> list[int]:
    """Return the descriptors that a program would get from us, besides the standard files."""
    found = []
    for fd in map(int, os.listdir("/dev/fd")):
        try:
            if fd > 2 and os.get_inheritable(fd):
                found.append(fd)
        except OSError:  # that of the listing
            continue
    return found


def _gone(pid: int) -> bool:
    """Whether a process that this one has started has ended; nothing is left of it then."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == pid
    except ChildProcessError:
        return True
