"""The supervisor: runs one batch job and outlives the command that started it. Standard library only.

It starts the script, waits for its end, for orders and for instants (time limit, warning, the end of the patience),
ends what is left of the family, and writes how the job ended, durably. Then it becomes the command that tells the
cluster.
"""

from __future__ import annotations

import os
import select
import sys
import time

from slimsched.executor.local import family, files, plain_json
from slimsched.executor.local.child import Failure, after_task, begin, message, open_streams, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
    from typing import NoReturn

    from slimsched.executor.local.files import Json
else:
    import _signal as signal  # what `signal` is made of, without its enums

UNABLE = 53  # the "signal" of a job whose files could not be opened
DEADLY: dict[int, str] = {signal.SIGTERM: "Terminated", signal.SIGKILL: "Killed"}
"""Signals that the step daemon tells of."""


class Supervisor:
    """One run. Instants are seconds since 1970, with fractions; 0: not set."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        spec = files.read(folder, "spec.json")
        if spec is None:
            sys.exit(1)
        self.spec: Json = spec
        self.script = 0  # process id, once it runs
        self.said = -1  # descriptor of the file that messages go to
        self.status: int | None = None
        self.limit: float = spec["limit"]
        self.warn: Json | None = spec["warn"]
        self.fate: Json | None = spec.get("fate")
        self.codes: list[int] | None = None  # that the fate gives
        self.kill_at = self.stopped = 0.0
        self.why = ""  # the state that the job ends in, if somebody or its limit ends it
        self.poll_at = time.time() + spec["poll"] if spec["memory"] else 0.0
        self.by: int | None = None  # who killed it for that
        self.usage = (0.0, 0.0, 0)  # user and system seconds, most resident kB
        self.read_to = 0  # offset in the orders

    # the run

    def run(self) -> Json:
        """Run the script; return the record of its end."""
        family.adopt()
        control = files.path(self.folder, "control")
        if not os.path.exists(control):
            os.mkfifo(control, 0o600)
        fifo = os.open(control, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        bell, ring = os.pipe()
        os.set_blocking(ring, False)
        signal.set_wakeup_fd(ring, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for ignored in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(ignored, signal.SIG_IGN)
        began = time.time()
        files.write(self.folder, "started", {"pid": os.getpid(), "at": began})
        failed = self._before()
        code, number = (1, 0) if failed else self._start()
        if self.script:
            while self.status is None:
                self._orders()
                self._reap()
                if self.status is not None:
                    break
                ready = select.select([fifo, bell], [], [], self._pause())[0]
                for fd in ready:
                    os.read(fd, 4096)
                self._timers(time.time())
            code, number = os.waitstatus_to_exitcode(self.status), 0
            code, number = (0, -code) if code < 0 else (code, 0)
            self._sweep()
            if self.fate and not self.fate["at"] and not self.stopped:
                self._meet(self.fate)
            code, number = self.codes or (code, number)
        failed = self._after(code, number) or failed
        user, system, most = self.usage
        return {
            **{"code": code, "signal": number, "why": self.why, "start": began, "end": time.time()},
            **{"stopped": self.stopped, "user": user, "system": system, "rss": most},
            **{"failed": failed, "by": self.by},
        }

    def _before(self) -> Json | None:
        """Run the prologs; return what failed: the node, why it is drained, and that nothing was launched."""
        if not self.spec["before"]:
            return None
        from slimsched.executor.local import site

        call = site.run(self.spec["before"], {})
        return {"node": call["node"], "reason": call["reason"], "launched": False} if call else None

    def _after(self, code: int, number: int) -> Json | None:
        """Run the epilogs, first that of the script as a task; return what failed."""
        if self.script and self.spec["task_epilog"]:
            after_task(self.spec, self.spec["environment"])
        if not self.spec["after"]:
            return None
        from slimsched.executor.local import site

        call = site.run(self.spec["after"], site.ended(code, number, time.time()))
        return {"node": call["node"], "reason": call["reason"], "launched": True} if call else None

    def _start(self) -> tuple[int, int]:
        """Start the script; return the exit code and signal of a job that could not start."""
        try:
            streams, self.said = open_streams(self.spec)
        except Failure as fault:
            self.say(str(fault))
            return 0, UNABLE
        try:
            self.script = begin(self.spec, streams, self.said)
        except Failure as fault:
            self.say(str(fault))
            return fault.code, 0
        finally:
            for fd in set(streams) - {self.said}:
                os.close(fd)
        return 0, 0

    def _reap(self) -> None:
        """Take note of children that have ended, adopted ones among them."""
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if not pid:
                return
            if pid == self.script:
                self.status = status
                self.usage = usage.ru_utime, usage.ru_stime, usage.ru_maxrss // (1 if family.LINUX else 1024)

    def _sweep(self) -> None:
        """End what the script left behind; steps get the time that they need to say so."""
        if self.tell_steps({"do": "stop", "why": "CANCELLED"}):
            self._outlast(self.spec["kill_wait"] + 2)
        while family.kill(self.script) and family.LINUX:
            self._outlast(0.002)
        self._reap()

    def _outlast(self, seconds: float) -> None:
        """Wait until the family has gone, for some seconds at most."""
        end = time.monotonic() + seconds
        while family.members(self.script) and time.monotonic() < end:
            time.sleep(0.001)
            self._reap()

    # time

    def _pause(self) -> float | None:
        """Return how long nothing is to be done, None for ever; never more than a minute, should the clock be set."""
        instants = [at for at in (self.kill_at, self.poll_at) if at]
        if not self.stopped:
            ahead = self.limit, self.warn["at"] if self.warn else 0, self.fate["at"] if self.fate else 0
            instants += [at for at in ahead if at]
        return min(60.0, max(0.0, min(instants) - time.time())) if instants else None

    def _timers(self, now: float) -> None:
        """Do what is due."""
        if self.kill_at and now >= self.kill_at:
            self.kill_at = 0.0
            family.kill(self.script)
        if self.poll_at and now >= self.poll_at:
            self._look_at_memory(now)
        if self.stopped:
            return
        if self.warn and now >= self.warn["at"]:
            warn, self.warn = self.warn, None
            self._signal({"number": warn["signal"], "to": warn["to"]})
        if self.limit and now >= self.limit:
            self._stop({"why": "TIMEOUT", "text": "DUE TO TIME LIMIT"})
        elif self.fate and 0 < self.fate["at"] <= now:
            self._meet(self.fate)

    def _meet(self, fate: Json) -> None:
        """End the run as was decided: stop it, or let it look as if it had ended by itself."""
        if not fate["codes"] and self.status is None:
            self._stop(fate)
            return
        self.why, self.codes, self.stopped = fate["why"], fate["codes"], time.time()
        if fate["said"]:
            self.say(fate["said"])
        family.kill(self.script)

    def _look_at_memory(self, now: float) -> None:
        used = family.memory(family.members(self.script, files.tasks(self.folder)))  # steps look after theirs
        most = self.spec["memory"]
        self.poll_at = now + self.spec["poll"]
        if used > most:
            self.poll_at = 0.0
            self.say(f"error: StepId={self.spec['id']}.batch exceeded memory limit ({used} > {most}), being killed")
            self.stopped, self.by = now, os.getuid()
            family.kill(self.script)

    # orders

    def _orders(self) -> None:
        """Carry out what commands have asked for since the last look."""
        try:
            with open(files.path(self.folder, "orders"), "rb") as file:
                file.seek(self.read_to)
                lines = file.read().split(b"\n")
        except OSError:
            return
        for line in lines[:-1]:  # what follows the last line's end is not whole yet
            self.read_to += len(line) + 1
            order = plain_json.loads(line)
            ORDERS[order["do"]](self, order)

    def _stop(self, order: Json) -> None:
        """End the run: TERM now, KILL once the patience (``KillWait``) is over."""
        if self.stopped:
            return
        self.stopped = time.time()
        self.why = order["why"]
        if order.get("text"):
            self._say_cancelled(order["text"])
        self.tell_steps({**order, "do": "stop"})
        family.send(self.script, signal.SIGTERM, signal.SIGCONT, apart=files.tasks(self.folder))
        self.kill_at = self.stopped + self.spec["kill_wait"]

    def _kill(self, order: Json) -> None:
        """End the run at once, without a word."""
        self.stopped = self.stopped or time.time()
        self.why = self.why or order["why"]
        family.kill(self.script)

    def _signal(self, order: Json) -> None:
        """Send a signal to the script (``script``), to all processes (``all``), or to the steps alone (``steps``)."""
        number, target = int(order["number"]), order["to"]
        if target != "steps" and number in DEADLY:
            self._say_cancelled(f"DUE to SIGNAL {DEADLY[number]}")
        if target == "script":
            try:
                os.kill(self.script, number)
            except OSError:
                return
        else:
            self.tell_steps({"do": "signal", "number": number})
            if target == "all":
                family.send(self.script, number, apart=files.tasks(self.folder))

    def _set_limit(self, order: Json) -> None:
        self.limit = order["limit"]
        warn = order["warn"]
        self.warn = warn if warn and (self.warn or warn["at"] > time.time()) else None

    def _set_fate(self, order: Json) -> None:
        self.fate = order["fate"]

    def _notify(self, order: Json) -> None:
        self.say(f"error: {order['text']}")

    def tell_steps(self, order: Json) -> bool:
        """Pass an order on to the job's steps; whether there are any."""
        places = [os.path.join(self.folder, name) for name in os.listdir(self.folder) if name.startswith("step-")]
        found = [place for place in places if files.held(files.path(place, "lock"))]
        for place in found:
            files.order(place, order)
        return bool(found)

    def _say_cancelled(self, text: str) -> None:
        at = stamp(time.time()).partition(".")[0]
        self.say(f"error: *** JOB {self.spec['id']} ON {self.spec['nodes'][0]} CANCELLED AT {at} {text} ***")

    def say(self, text: str) -> None:
        """Write a message into the job's output, as the step daemon does."""
        if self.said >= 0:
            os.write(self.said, message(self.spec, text))


ORDERS = {
    "stop": Supervisor._stop,
    "kill": Supervisor._kill,
    "signal": Supervisor._signal,
    "limit": Supervisor._set_limit,
    "fate": Supervisor._set_fate,
    "notify": Supervisor._notify,
}


def main() -> NoReturn:
    """Run the job of the folder given; its lock, held by whoever started this, is passed on as a descriptor."""
    folder, lock = sys.argv[1], int(sys.argv[2])
    os.set_inheritable(lock, False)
    os.chdir("/")
    run = Supervisor(folder)
    record = run.run()
    files.write(folder, "end.json", record)
    files.sync(os.path.dirname(folder))  # whoever made the folder did not wait for that
    tell(run.spec["report"], run.spec["state"])


def tell(words: list[str], state: str, ring: bytes = files.ENDED) -> NoReturn:
    """Become the command that brings the cluster up to date, unless one is about to: then ring for it, and say why."""
    try:
        turn = files.take(os.path.join(state, files.NEXT_REPORT))
        if turn < 0 and files.nudge(os.path.join(state, files.REPORT), ring):
            turn = files.take(os.path.join(state, files.NEXT_REPORT))  # it may have gone without hearing
    except OSError:  # the cluster has gone
        os._exit(0)
    if turn < 0:
        os._exit(0)
    os.set_inheritable(turn, True)
    os.execv(words[0], [*words, str(turn)])
