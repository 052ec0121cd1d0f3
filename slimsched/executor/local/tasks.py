"""The tasks of a step: their processes, and what goes in and out of them. Standard library only."""

from __future__ import annotations

import os
import resource
import select
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence

from slimsched.executor.local import family, files, launch
from slimsched.executor.local.streams import Feed, Sink, Source
from slimsched.slurm.rows import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from slimsched.executor.local.files import Json
    from slimsched.executor.local.followers import Followers

REMEMBERED = 128
"""How many of the last messages of the tasks those hear who attach to the step later, as in Slurm."""

ALL = ""
"""A file name: what ``srun`` itself has, for input as for output."""


class Part(Row):
    """One of several steps that run as one: its folder, nodes, its own ranks on each, its first rank in the whole."""

    folder: str
    nodes: Sequence[str]
    ranks: Sequence[Sequence[int]]
    first: int

    @property
    def tasks(self) -> range:
        """The ranks of its tasks in the whole."""
        return range(self.first, self.first + sum(map(len, self.ranks)))


class Plan(Row):
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
    prologs: Sequence[str] = ()  # programs that run around each task, in their order
    epilogs: Sequence[str] = ()
    warn_at: float = 0.0  # instant at which the tasks get a signal, 0: none
    warning: int = 0  # that signal
    forward_interrupts: bool = False
    ignored: Sequence[int] = ()  # signals to srun that do nothing
    no_kill: bool = False  # goes on when a node fails
    wait_for_children: bool = False  # until what a task has left behind has ended, too (Linux)
    memory: Sequence[int] = ()  # bytes by node that its tasks may use there (0: any amount)
    look: int = 30  # seconds between two looks at that
    parts: Sequence[Part] = ()  # of the steps of a heterogeneous job that run as one: this one, and the others


class Tasks:
    """The tasks that run (``pids``: process id -> rank) and their streams."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.parts = plan.parts or (Part(plan.folder, plan.nodes, plan.ranks, 0),)
        self.poll = select.poll()
        self.sources: dict[int, Source] = {}
        self.said: deque[tuple[int, int, bytes]] = deque(maxlen=REMEMBERED)
        self.followers: Followers | None = None
        self.feed: Feed | None = None
        self.taking: dict[int, int] = {}  # the pipe that a task reads, by rank
        self.pids: dict[int, int] = {}
        self.gone: list[int] = []  # tasks that have ended, whose children are waited for
        self.epilogs: dict[int, list[Json]] = {}  # calls, by the rank of the task that is to end
        self.pty = plan.pty and os.isatty(0)  # whether the first task gets a terminal
        self.terminal = -1  # our side of that

    def start(self, directory: str) -> None:
        """Start all tasks."""
        plan = self.plan
        limit = _more_files(FILES_OF_A_TASK * len(plan.words))
        width = len(str(len(plan.words) - 1)) if plan.label else 0
        sinks: dict[str, Sink] = {}
        feeds: list[int] = []
        for node, ranks in enumerate(plan.ranks):
            for local, rank in enumerate(ranks):
                words, environment = plan.words[rank], plan.environment(node, local)
                if self.pty and rank == 0:
                    from slimsched.executor.local import terminal

                    theirs, ours = terminal.opened()
                    self._listen(ours, rank, Sink(1, whole=False), 1)
                    self.terminal = os.dup(ours)
                    feeds.append(self.terminal)
                    self.taking[rank] = feeds[-1]
                    given, tty = (theirs, theirs, theirs), True
                else:
                    read = self._input(plan.input[rank], rank, feeds)
                    out = self._output(plan.output[rank], 1, rank, sinks, width)
                    err = self._output(plan.error[rank], 2, rank, sinks, width)
                    given, tty = (read, out, err), False
                pid = launch.start(
                    words, environment, directory, given, tty=tty, prologs=plan.prologs, limit=limit, prefix=plan.prefix
                )
                self.pids[pid] = rank
                if plan.epilogs:
                    call = {"environment": environment, "node": ""}
                    self.epilogs[rank] = [{"path": path, **call} for path in plan.epilogs]
                for fd in set(given):
                    os.close(fd)
        if feeds:
            self._serve(Feed(0, feeds))
        for part in self.parts:
            pids = {str(rank - part.first): pid for pid, rank in self.pids.items() if rank in part.tasks}
            found = {"pids": pids, "nodes": part.nodes, "ranks": part.ranks, "all": list(self.pids)}
            files.write(part.folder, "tasks.json", found, durable=False)

    def ended(self, pid: int, status: int) -> int | None:
        """Return the rank of a task that has ended, None if the process was none; the site's epilog runs."""
        rank = self.pids.pop(pid, None)
        if rank is not None and self.plan.wait_for_children:
            self.gone.append(pid)
        if rank is not None and self.followers is not None:
            self.followers.tell((rank, 0, str(status).encode()))
        if rank in self.epilogs:
            from slimsched.executor.local import site

            for call in self.epilogs.pop(rank):
                site.run([call], {})
        return rank

    def attach(self, folder: str, order: Json) -> None:
        """Let somebody follow what the tasks say."""
        if self.followers is None:
            from slimsched.executor.local.followers import Followers

            self.followers = Followers(self.poll)
        part = next(part for part in self.parts if part.folder == folder)
        self.followers.join(folder, order, self.said, part.tasks)

    def _heard(self, rank: int, stream: int, data: bytes) -> None:
        """Remember what a task has said, for those who follow the step."""
        self.said.append((rank, stream, data))
        if self.followers is not None:
            self.followers.tell(self.said[-1])

    def _input(self, name: str, rank: int, feeds: list[int]) -> int:
        if name != ALL:
            return os.open(name, os.O_RDONLY | os.O_CLOEXEC)
        theirs, ours = os.pipe()
        os.set_blocking(ours, False)
        feeds.append(ours)
        self.taking[rank] = ours
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
        self._listen(ours, rank, sinks[key], own)
        return theirs

    def _listen(self, fd: int, rank: int, sink: Sink, stream: int) -> None:
        os.set_blocking(fd, False)
        self.sources[fd] = Source(fd, rank, sink, stream, self._heard)
        self.poll.register(fd, select.POLLIN)

    def _serve(self, feed: Feed) -> None:
        self.feed = feed
        try:
            self.poll.register(0, select.POLLIN)
        except OSError:
            feed.over = True

    def ready(self, fd: int) -> None:
        """Move on what a descriptor is ready for."""
        if fd in self.sources:
            self._read(fd)
        elif self.followers is not None and self.followers.knows(fd):
            ranks, data = self.followers.ready(fd)
            if data and self.feed is not None:
                self._give(self.feed, data, [self.taking[one] for one in ranks if one in self.taking])
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
        self._watch(feed, before)
        if fd == feed.fd and not feed.hungry:
            self.poll.unregister(feed.fd)
        elif fd != feed.fd and feed.hungry:
            self.poll.register(feed.fd, select.POLLIN)

    def _give(self, feed: Feed, data: bytes, pipes: Iterable[int]) -> None:
        """Pass on what somebody who follows the step has typed."""
        before = set(feed.full)
        feed.add(data, pipes)
        self._watch(feed, before)

    def _watch(self, feed: Feed, before: set[int]) -> None:
        """Wait for the pipes that are full now, and no more for those that were."""
        full = set(feed.full)
        for pipe in before - full:
            try:
                self.poll.unregister(pipe)
            except (KeyError, ValueError):
                continue
        for pipe in full - before:
            self.poll.register(pipe, select.POLLOUT)

    @property
    def busy(self) -> bool:
        """Whether there are tasks, or children of theirs, that are waited for."""
        if self.pids or not self.gone:
            return bool(self.pids)
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return False
        return True

    def drain(self) -> None:
        """Pass on what is left to be read, and end what the tasks have left behind."""
        self._sweep()
        until = time.monotonic() + 1
        while self.sources and time.monotonic() < until:
            for fd, _ in self.poll.poll(100):
                if fd in self.sources:
                    self._read(fd)
                else:
                    self.poll.unregister(fd)
        if self.followers is not None:
            self.followers.close()
        if self.pty:
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

    def memory(self) -> list[int]:
        """Return the bytes that the tasks of each node have in memory, with what they have started."""
        children, place = family.children(), {rank: n for n, ranks in enumerate(self.plan.ranks) for rank in ranks}
        used = [0] * len(self.plan.nodes)
        for pid, rank in self.pids.items():
            used[place[rank]] += family.memory([pid, *family.descendants(pid, children)])
        return used

    def send(self, number: int, ranks: Sequence[int] | None = None) -> None:
        """Send a signal to all tasks, or to those of some ranks, and to their children."""
        chosen = (*self.pids, *self.gone) if ranks is None else [p for p, rank in self.pids.items() if rank in ranks]
        for pid in chosen:
            try:
                os.killpg(pid, number)
            except ProcessLookupError:  # it has not come to be the leader of its group
                try:
                    os.kill(pid, number)
                except OSError:
                    continue
            except OSError:
                continue


FILES_OF_A_TASK = 6
"""How many descriptors srun holds for a task at most: three pipes, their files, one to spare."""


def _more_files(count: int) -> tuple[int, int]:
    """Raise the limit of open files for so many more, as far as may be; return the limit that there was."""
    soft, hard = before = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + FEW if hard == resource.RLIM_INFINITY else min(hard, count + FEW)
    if soft not in (resource.RLIM_INFINITY, hard) and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return before


FEW = 64
"""Descriptors that srun holds for itself."""


def flush() -> None:
    """Write out what Python holds back, ahead of what the tasks write."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
