"""A step while it runs: ``srun`` starts its tasks, passes on what they say, signals and orders, and sees them end.

Standard library only. A step's folder holds ``lock`` (held by its srun), ``control`` and ``orders`` (as those of a
run), ``tasks.json`` (process ids by rank), and in the end ``end.json``.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Sequence

from slimsched.executor.local import family, files
from slimsched.executor.local.child import stamp
from slimsched.executor.local.exits import Exits, ranks_text
from slimsched.executor.local.streams import write_all
from slimsched.executor.local.tasks import Plan, Tasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from slimsched.executor.local.files import Json

PASSED_ON = ("SIGUSR1", "SIGUSR2", "SIGALRM")
HANDLED = ("SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGCONT", *PASSED_ON)
IGNORED = ("SIGTTIN", "SIGTTOU")


class StepRun:
    """One step, or several that run as one; `run` returns the record of the end."""

    def __init__(self, plan: Plan, exits: Callable[[Callable[[str], None]], Exits] | None = None) -> None:
        self.plan = plan
        self.folders = [part.folder for part in plan.parts] or [plan.folder]
        self.exits = exits(self.say) if exits else Exits(plan.nodes, plan.ranks, self.say, plan.name, plan.verbose)
        self.tasks = Tasks(plan)
        self.read_to = dict.fromkeys(self.folders, 0)  # offset in the orders
        self.limit, self.warn_at = plan.limit, plan.warn_at
        self.kill_at = self.wait_until = self.interrupted = 0.0
        self.look_at = time.time() + plan.look if family.LINUX and any(plan.memory) else 0.0
        self.stopped = self.aborted = False
        self.by: int | None = None
        self.why = ""
        self.cut = 0  # the signal that ended what its tasks, which had ended, left behind

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
        flags = os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC
        fifos = [os.open(files.path(folder, "control"), flags) for folder in self.folders]
        bell = self._hear()
        for fd in (*fifos, bell):
            self.tasks.poll.register(fd, select.POLLIN)
        self._tell_start()
        self.tasks.start(self._directory())
        if plan.verbose:
            for node, ranks in zip(plan.nodes, plan.ranks, strict=True):
                self.say(f"Node {node}, {len(ranks)} tasks started")
        self._orders()
        self._reap()
        while self.tasks.busy:
            for fd, _ in self.tasks.poll.poll(self._pause()):
                self._ready(fd, fifos, bell)
            self._reap()
            self._timers(time.time())
        self.tasks.drain()
        self.exits.tell()
        if not self.aborted and self.exits.forced:
            self.say(f"Force Terminated StepId={plan.name}")
        return {
            **self.exits.record(),
            **({"signal": self.cut} if self.cut else {}),
            **{"why": self.why, "by": self.by, "start": began, "end": time.time(), "stopped": 0},
        }

    def _tell_start(self) -> None:
        """Say where the tasks go, to those who want to know, and that there is no terminal."""
        if self.plan.pty and not self.tasks.pty:
            self.say("error: ioctl(TIOCGWINSZ): Inappropriate ioctl for device")
            self.say("error: Not using a pseudo-terminal, disregarding --pty option")
        if not self.plan.verbose:
            return
        self.say("CpuBindType=(null type)")
        for node, ranks in zip(self.plan.nodes, self.plan.ranks, strict=True):
            listed = ranks_text(ranks).partition(" ")[2]
            self.say(f"launching StepId={self.plan.name} on host {node}, {len(ranks)} tasks: {listed}")

    def _hear(self) -> int:
        """Have signals wake the loop from now on; return the descriptor that tells their numbers."""
        bell, ring = os.pipe()
        for fd in (bell, ring):
            os.set_blocking(fd, False)
        signal.set_wakeup_fd(ring, warn_on_full_buffer=False)
        numbers = [getattr(signal, name) for name in (*HANDLED, "SIGCHLD", *(["SIGWINCH"] if self.tasks.pty else []))]
        for number in (*numbers, *self.plan.ignored):
            signal.signal(number, lambda *_: None)
        for name in IGNORED:
            signal.signal(getattr(signal, name), signal.SIG_IGN)
        return bell

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

    def _ready(self, fd: int, fifos: Sequence[int], bell: int) -> None:
        """Do what a descriptor is ready for."""
        if fd in fifos:
            os.read(fd, 4096)
            self._orders()
        elif fd == bell:
            for number in os.read(fd, 4096):
                self._signalled(number)
        else:
            self.tasks.ready(fd)

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
            rank = self.tasks.ended(pid, status)
            if rank is not None:
                self.exits.note(rank, status, usage)
                bad |= bool(status)
                if self.plan.wait and not self.wait_until:
                    self.wait_until = time.time() + self.plan.wait
        if bad and self.plan.kill_on_bad_exit and self.tasks.pids and not self.stopped:
            self.exits.tell()
            self.say(f"Terminating StepId={self.plan.name}")
            self._end("DUE TO TASK FAILURE", signal.SIGTERM)

    # time

    def _pause(self) -> float | None:
        """Return for how many milliseconds nothing is to be done."""
        ahead = self.kill_at, self.wait_until, self.limit, self.warn_at, self.look_at, self.exits.tell_at
        instants = [at for at in ahead if at]
        return 1000 * min(60.0, max(0.0, min(instants) - time.time())) + 1 if instants else None

    def _timers(self, now: float) -> None:
        if self.exits.tell_at and now >= self.exits.tell_at:
            self.exits.tell()
        if self.warn_at and now >= self.warn_at:
            self.warn_at = 0.0
            self.tasks.send(self.plan.warning)
        if self.kill_at and now >= self.kill_at:
            self.kill_at = 0.0
            self.tasks.send(signal.SIGKILL)
            self.tasks.gone.clear()
        if self.look_at and now >= self.look_at:
            self._look_at_memory(now)
        if self.limit and now >= self.limit and not self.stopped:
            self.limit = 0.0
            self._end("DUE TO TIME LIMIT", signal.SIGTERM)
        if self.wait_until and now >= self.wait_until and self.tasks.pids:
            self.wait_until = 0.0
            self.say(f"First task exited {self.plan.wait}s ago")
            self._status()
            self.say(f"Terminating StepId={self.plan.name}")
            self._abort(signal.SIGKILL)
            self.exits.forced = False

    def _look_at_memory(self, now: float) -> None:
        """End the step if its tasks use more memory on a node than they may there."""
        self.look_at = 0.0 if self.stopped else now + self.plan.look
        for used, most in zip(self.tasks.memory(), self.plan.memory, strict=True):
            if used > most > 0 and not self.stopped:
                self.log(f"StepId={self.plan.name} exceeded memory limit ({used} > {most}), being killed")
                self.by = os.getuid()
                self._abort(signal.SIGKILL)

    # signals and orders

    def _signalled(self, number: int) -> None:
        """Do what a signal to ``srun`` asks for."""
        if number in self.plan.ignored:
            return
        name = signal.Signals(number).name
        if name == "SIGINT":
            self._interrupt()
        elif name in ("SIGTERM", "SIGHUP", "SIGQUIT"):
            self.say("forcing job termination")
            self._abort(signal.SIGKILL)
        elif name == "SIGCONT":
            self.say("got SIGCONT")
        elif name == "SIGWINCH":
            from slimsched.executor.local import terminal

            terminal.resize(self.tasks.terminal)
        elif name in PASSED_ON:
            self.tasks.send(number)

    def _interrupt(self) -> None:
        """Control-C: the first one tells how the tasks are, or goes to them; another within a second ends them."""
        now = time.time()
        if self.plan.quit_on_interrupt or now - self.interrupted < 1:
            self.say(f"sending Ctrl-C to StepId={self.plan.name}")
            self.say("forcing job termination")
            self.exits.silent = True
            self.why = "CANCELLED"
            self._abort(signal.SIGKILL)
            return
        self.interrupted = now
        if self.plan.forward_interrupts:
            self.tasks.send(signal.SIGINT)
            return
        self.say("interrupt (one more within 1 sec to abort)")
        self._status()

    def _status(self) -> None:
        """Say which tasks run, and which have ended."""
        running = sorted(self.tasks.pids.values())
        over = sorted(set(range(len(self.plan.words))) - set(running))
        for ranks, state in ((running, "running"), (over, "exited")):
            if ranks:
                self.say(f"StepId={self.plan.name} {ranks_text(ranks)}: {state}")

    def _orders(self) -> None:
        """Carry out what commands have asked for since the last look; what has ended until now ended before."""
        self._reap()
        for folder in self.folders:
            found, self.read_to[folder] = files.orders(folder, self.read_to[folder])
            for order in found:
                if order["do"] == "attach":
                    self.tasks.attach(folder, order)
                else:
                    ORDERS[order["do"]](self, order)

    def _order_stop(self, order: Json) -> None:
        text = order.get("text") or "DUE to SIGNAL Terminated"
        number = signal.SIGKILL if text.endswith("Killed") else signal.SIGTERM
        self.by = order.get("by")
        if self.stopped:
            return
        if "SIGNAL" in text:
            self._abort(number)
        else:
            self._end(text, number)

    def _order_signal(self, order: Json) -> None:
        self.tasks.send(int(order["number"]))

    def _order_lose(self, order: Json) -> None:
        """End the tasks of a node that has failed, or all of them unless the step is to go on."""
        if not self.plan.no_kill:
            self._order_stop(order)
            return
        place = self.plan.nodes.index(order["node"])
        self.tasks.send(signal.SIGKILL, self.plan.ranks[place])

    def _order_notify(self, order: Json) -> None:
        self.say(order["text"])

    def _order_limit(self, order: Json) -> None:
        self.limit = float(order["limit"])

    def _abort(self, number: int) -> None:
        """End the tasks on somebody's word, unless they are about to end."""
        if self.stopped:
            return
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
            self.cut = 0 if self.tasks.pids else number
        self.stopped = True
        self.tasks.send(number)
        if number != signal.SIGKILL:
            self.tasks.send(signal.SIGCONT)


ORDERS: dict[str, Callable[[StepRun, Json], None]] = {
    "stop": StepRun._order_stop,
    "signal": StepRun._order_signal,
    "limit": StepRun._order_limit,
    "lose": StepRun._order_lose,
    "notify": StepRun._order_notify,
}
