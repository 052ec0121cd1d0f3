"""A step while it runs: ``srun`` starts its tasks, passes on what they say, signals and orders, and sees them end.

Standard library only. A step's folder holds ``lock`` (held by its srun), ``control`` and ``orders`` (as those of a
run), ``tasks.json`` (process ids by rank), and in the end ``end.json``.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from slimsched.executor.local import family, files, launch
from slimsched.executor.local.child import stamp
from slimsched.executor.local.exits import Exits, ranks_text
from slimsched.executor.local.files import Json
from slimsched.executor.local.streams import Feed, Sink, Source, write_all

ALL = ""
"""A file name: what ``srun`` itself has, for input as for output."""

PASSED_ON = ("SIGUSR1", "SIGUSR2", "SIGALRM")
HANDLED = ("SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGCONT", *PASSED_ON)
IGNORED = ("SIGTTIN", "SIGTTOU")


class Plan(NamedTuple):
    """What a step is to run. Lists go by rank, but those of nodes (``nodes``, ``ranks``)."""

    folder: str
    name: str  # "7.0"
    nodes: Sequence[str]
    ranks: Sequence[Sequence[int]]
    words: Sequence[Sequence[str]]
    environment: Callable[[int, int], Mapping[str, str]]  # of a rank on a node
    directory: str
    input: Sequence[str]  # files; ALL, or /dev/null
    output: Sequence[str]
    error: Sequence[str]
    append: bool = False
    label: bool = False
    unbuffered: bool = False
    pty: bool = False
    kill_wait: int = 30
    kill_on_bad_exit: bool = False
    wait: int = 0  # seconds after the first end of a task, 0: for ever
    limit: float = 0.0  # instant, 0: none
    quit_on_interrupt: bool = False
    verbose: bool = False
    prefix: str = "[{at}] "


class StepRun:
    """One step; `run` returns the record of its end."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.exits = Exits(plan.nodes, plan.ranks, self.say, plan.name)
        self.poll = select.poll()
        self.sources: dict[int, Source] = {}
        self.feed: Feed | None = None
        self.pids: dict[int, int] = {}  # process id -> rank, of those that run
        self.read_to = 0  # offset in the orders
        self.limit = plan.limit
        self.kill_at = self.wait_until = self.interrupted = 0.0
        self.stopped = self.aborted = False
        self.by: int | None = None
        self.why = ""

    def say(self, text: str) -> None:
        """Print a message of ``srun``."""
        write_all(2, f"srun: {text}\n".encode("utf-8", "surrogateescape"))

    def log(self, text: str) -> None:
        """Print a message of the step daemon."""
        line = f"{self.plan.prefix.format(at=stamp(time.time()))}error: {text}\n"
        write_all(2, line.encode("utf-8", "surrogateescape"))

    # the run

    def run(self) -> Json:
        """Start the tasks, wait for their ends."""
        plan, began = self.plan, time.time()
        family.adopt()
        fifo = os.open(files.path(plan.folder, "control"), os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        bell = self._hear()
        for fd in (fifo, bell):
            self.poll.register(fd, select.POLLIN)
        self._start()
        self._orders()
        self._reap()
        while self.pids:
            for fd, _ in self.poll.poll(self._pause()):
                self._ready(fd, fifo, bell)
            self._reap()
            self._timers(time.time())
        self._drain()
        self.exits.tell()
        if not self.aborted and self.exits.forced:
            self.say(f"Force Terminated StepId={plan.name}")
        return {
            **self.exits.record(),
            **{"why": self.why, "by": self.by, "start": began, "end": time.time(), "stopped": 0},
        }

    def _hear(self) -> int:
        """Have signals wake the loop from now on; return the descriptor that tells their numbers."""
        bell, ring = os.pipe()
        for fd in (bell, ring):
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(ring, warn_on_full_buffer=False)
        for name in (*HANDLED, "SIGCHLD"):
            signal.signal(getattr(signal, name), lambda *_: None)
        for name in IGNORED:
            signal.signal(getattr(signal, name), signal.SIG_IGN)
        return bell

    def _start(self) -> None:
        """Start all tasks."""
        plan = self.plan
        width = len(str(len(plan.words) - 1)) if plan.label else 0
        sinks: dict[str, Sink] = {}
        directory = self._directory()
        feeds: list[int] = []
        for node, ranks in enumerate(plan.ranks):
            for local, rank in enumerate(ranks):
                words, environment = plan.words[rank], plan.environment(node, local)
                if plan.pty and rank == 0:
                    from slimsched.executor.local import terminal

                    theirs, ours = terminal.opened()
                    self._listen(ours, rank, Sink(1, whole=False))
                    feeds.append(os.dup(ours))
                    given, tty = (theirs, theirs, theirs), True
                else:
                    read = self._input(plan.input[rank], feeds)
                    out = self._output(plan.output[rank], 1, rank, sinks, width)
                    err = self._output(plan.error[rank], 2, rank, sinks, width)
                    given, tty = (read, out, err), False
                pid = launch.start(words, environment, directory, given, tty)
                self.pids[pid] = rank
                for fd in set(given):
                    os.close(fd)
        if feeds:
            self._serve(Feed(0, feeds))
        pids = {str(rank): pid for pid, rank in self.pids.items()}
        files.write(plan.folder, "tasks.json", {"pids": pids}, durable=False)

    def _directory(self) -> str:
        """Return where the tasks run: where they should, or elsewhere, with a word about it."""
        wanted = self.plan.directory
        try:
            os.close(os.open(wanted, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
        except OSError as fault:
            for _ in range(2):
                self.log(f"couldn't chdir to `{wanted}': {fault.strerror}: going to /tmp instead")
            return "/tmp"
        return wanted

    def _input(self, name: str, feeds: list[int]) -> int:
        if name != ALL:
            return os.open(name, os.O_RDONLY | os.O_CLOEXEC)
        theirs, ours = os.pipe()
        os.set_blocking(ours, False)
        feeds.append(ours)
        return theirs

    def _output(self, name: str, own: int, rank: int, sinks: dict[str, Sink], width: int) -> int:
        """Return what a task writes into: a pipe to the file, or to what ``srun`` has itself."""
        if name == os.devnull:
            return os.open(name, os.O_WRONLY | os.O_CLOEXEC)
        key = name or str(own)
        if key not in sinks:
            fd = own
            if name:
                extra = os.O_APPEND if self.plan.append else os.O_TRUNC
                if folder := os.path.dirname(name):
                    os.makedirs(folder, exist_ok=True)
                fd = os.open(name, os.O_WRONLY | os.O_CREAT | extra | os.O_CLOEXEC | os.O_NOCTTY, 0o666)
            sinks[key] = Sink(fd, width, whole=not self.plan.unbuffered)
        ours, theirs = os.pipe()
        self._listen(ours, rank, sinks[key])
        return theirs

    def _listen(self, fd: int, rank: int, sink: Sink) -> None:
        os.set_blocking(fd, False)
        self.sources[fd] = Source(fd, rank, sink)
        self.poll.register(fd, select.POLLIN)

    def _serve(self, feed: Feed) -> None:
        self.feed = feed
        try:
            self.poll.register(0, select.POLLIN)
        except OSError:
            feed.over = True

    def _ready(self, fd: int, fifo: int, bell: int) -> None:
        """Do what a descriptor is ready for."""
        if fd in self.sources:
            self._read(fd)
        elif fd == fifo:
            os.read(fd, 4096)
            self._orders()
        elif fd == bell:
            for number in os.read(fd, 4096):
                self._signalled(number)
        elif self.feed is not None:
            self._pump(self.feed, fd)

    def _read(self, fd: int) -> bool:
        if self.sources[fd].read():
            return True
        self.poll.unregister(fd)
        del self.sources[fd]
        os.close(fd)
        return False

    def _pump(self, feed: Feed, fd: int) -> None:
        """Move standard input on; it is read again when all tasks have taken what there was."""
        before = set(feed.full)
        if fd == feed.fd:
            feed.read()
        else:
            feed.write(fd)
        full = set(feed.full)
        for pipe in before - full:
            try:
                self.poll.unregister(pipe)
            except (KeyError, ValueError):
                continue
        for pipe in full - before:
            self.poll.register(pipe, select.POLLOUT)
        if fd == feed.fd and not feed.hungry:
            self.poll.unregister(feed.fd)
        elif fd != feed.fd and feed.hungry:
            self.poll.register(feed.fd, select.POLLIN)

    def _reap(self) -> None:
        """Take note of tasks that have ended."""
        bad = False
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                break
            if not pid:
                break
            rank = self.pids.pop(pid, None)
            if rank is not None:
                self.exits.note(rank, status, usage)
                bad |= bool(status)
                if self.plan.wait and not self.wait_until:
                    self.wait_until = time.time() + self.plan.wait
        if bad and self.plan.kill_on_bad_exit and self.pids and not self.stopped:
            self.exits.tell()
            self.say(f"Terminating StepId={self.plan.name}")
            self._end("DUE TO TASK FAILURE", signal.SIGTERM)

    def _drain(self) -> None:
        """Pass on what is left to be read, and end what the tasks have left behind."""
        self._sweep()
        until = time.monotonic() + 1
        while self.sources and time.monotonic() < until:
            for fd, _ in self.poll.poll(100):
                if fd in self.sources:
                    self._read(fd)
                else:
                    self.poll.unregister(fd)
        if self.plan.pty:
            from slimsched.executor.local import terminal

            terminal.restore()

    def _sweep(self) -> None:
        """Kill what the tasks have left behind."""
        while True:
            try:
                pid = os.waitpid(-1, os.WNOHANG)[0]
            except ChildProcessError:
                return
            if not pid:
                if not (family.LINUX and family.kill(0)):
                    return
                time.sleep(0.001)

    # time

    def _pause(self) -> float | None:
        """Return for how many milliseconds nothing is to be done."""
        instants = [at for at in (self.kill_at, self.wait_until, self.limit, self.exits.tell_at) if at]
        return 1000 * min(60.0, max(0.0, min(instants) - time.time())) + 1 if instants else None

    def _timers(self, now: float) -> None:
        if self.exits.tell_at and now >= self.exits.tell_at:
            self.exits.tell()
        if self.kill_at and now >= self.kill_at:
            self.kill_at = 0.0
            self._send(signal.SIGKILL)
        if self.limit and now >= self.limit and not self.stopped:
            self.limit = 0.0
            self._end("DUE TO TIME LIMIT", signal.SIGTERM)
        if self.wait_until and now >= self.wait_until and self.pids:
            self.wait_until = 0.0
            self.say(f"First task exited {self.plan.wait}s ago")
            self._status()
            self.say(f"Terminating StepId={self.plan.name}")
            self._abort(signal.SIGKILL)
            self.exits.forced = False

    # signals and orders

    def _signalled(self, number: int) -> None:
        """Do what a signal to ``srun`` asks for."""
        name = signal.Signals(number).name
        if name == "SIGINT":
            self._interrupt()
        elif name in ("SIGTERM", "SIGHUP", "SIGQUIT"):
            self.say("forcing job termination")
            self._abort(signal.SIGKILL)
        elif name == "SIGCONT":
            self.say("got SIGCONT")
        elif name in PASSED_ON:
            self._send(number)

    def _interrupt(self) -> None:
        """Control-C: the first one tells how the tasks are, another within a second ends them."""
        now = time.time()
        if self.plan.quit_on_interrupt or now - self.interrupted < 1:
            self.say(f"sending Ctrl-C to StepId={self.plan.name}")
            self.say("forcing job termination")
            self.exits.silent = True
            self.why = "CANCELLED"
            self._abort(signal.SIGKILL)
            return
        self.interrupted = now
        self.say("interrupt (one more within 1 sec to abort)")
        self._status()

    def _status(self) -> None:
        """Say which tasks run, and which have ended."""
        running = sorted(self.pids.values())
        over = sorted(set(range(len(self.plan.words))) - set(running))
        for ranks, state in ((running, "running"), (over, "exited")):
            if ranks:
                self.say(f"StepId={self.plan.name} {ranks_text(ranks)}: {state}")

    def _orders(self) -> None:
        """Carry out what commands have asked for since the last look."""
        try:
            with open(files.path(self.plan.folder, "orders"), "rb") as file:
                file.seek(self.read_to)
                lines = file.read().split(b"\n")
        except OSError:
            return
        for line in lines[:-1]:
            self.read_to += len(line) + 1
            ORDERS[json.loads(line)["do"]](self, json.loads(line))

    def _order_stop(self, order: Json) -> None:
        text = order.get("text") or "DUE to SIGNAL Terminated"
        number = signal.SIGKILL if text.endswith("Killed") else signal.SIGTERM
        self.by = order.get("by")
        if "SIGNAL" in text:
            self._abort(number)
        else:
            self._end(text, number)

    def _order_signal(self, order: Json) -> None:
        self._send(int(order["number"]))

    def _order_limit(self, order: Json) -> None:
        self.limit = float(order["limit"])

    def _abort(self, number: int) -> None:
        """End the tasks on somebody's word."""
        if not self.aborted:
            self.aborted = True
            if number == signal.SIGKILL and self.by is None:
                self.by = os.getuid()
            self.say(f"Job step aborted: Waiting up to {self.plan.kill_wait + 2} seconds for job step to finish.")
        text = "Killed" if number == signal.SIGKILL else "Terminated"
        self._end(f"DUE to SIGNAL {text}", number)

    def _end(self, text: str, number: int) -> None:
        """End the tasks: TERM now, and KILL once the patience is over, or KILL at once."""
        if not self.stopped:
            at = stamp(time.time()).partition(".")[0]
            self.log(f"*** STEP {self.plan.name} ON {self.plan.nodes[0]} CANCELLED AT {at} {text} ***")
            self.kill_at = time.time() + self.plan.kill_wait
        self.stopped = True
        self._send(number)
        if number != signal.SIGKILL:
            self._send(signal.SIGCONT)

    def _send(self, number: int) -> None:
        """Send a signal to all tasks and their children."""
        for pid in self.pids:
            try:
                os.killpg(pid, number)
            except ProcessLookupError:  # it has not come to be the leader of its group
                try:
                    os.kill(pid, number)
                except OSError:
                    continue
            except OSError:
                continue


ORDERS: dict[str, Callable[[StepRun, Json], None]] = {
    "stop": StepRun._order_stop,
    "signal": StepRun._order_signal,
    "limit": StepRun._order_limit,
}


def exit_status(record: Json) -> int:
    """Return the exit status of ``srun`` for a step's end."""
    return 128 + int(record["signal"]) if record["signal"] else int(record["code"])


def flush() -> None:
    """Write out what Python holds back, ahead of what the tasks write."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
