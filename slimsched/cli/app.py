"""The command boundary: it opens the state, runs one command, settles, commits, and turns errors into text.

Nothing below this file prints or exits.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

from slimsched import ASKER
from slimsched.errors import SimError, SlurmError, StateError, SyntaxFault, UserError
from slimsched.state import layout

if TYPE_CHECKING:
    from slimsched.controller.core import Controller
    from slimsched.state.store import Store

SIMULATED = "the job is simulated: no process runs and nothing is printed; sim init --live makes jobs run"
PREFIXES = {"error": "{}: error: ", "fatal": "{}: fatal: ", "bare": "{}: ", "plain": ""}
"""Level of a `UserError` -> the text before each of its lines."""

LOUDNESS = {"error": 1, "fatal": 2, "bare": 0}
"""Level -> the number of ``-Q`` that silences it; other levels are always printed."""


@contextmanager
def asker_restored() -> Iterator[None]:
    """Put back whom commands ask as, once a command line that may name somebody else is done."""
    before = os.environ.get(ASKER)
    try:
        yield
    finally:
        os.environ.pop(ASKER, None)
        if before is not None:
            os.environ[ASKER] = before


class Application:
    """The context of every command: the place of the state, and the printing.

    ``command`` is the Slurm command's name, or ``sim``, ``argv`` the words after it; ``subcommand`` is what the
    history calls it;
    ``refusal`` stands ahead of the text of a `SlurmError`; ``store`` is
    the open state directory inside `session`.
    """

    store: Store

    def __init__(self, state: str | None = None, command: str = "sim") -> None:
        self.state = state
        self.command = command
        self.subcommand = ""
        self.argv: Sequence[str] = ()
        self.refusal = ""
        self.plain = os.environ.get("SLIMSCHED_PLAIN", "0") not in ("", "0")  # no tables drawn for a terminal
        self.live = False  # whether the cluster that was opened last is live
        self.lag = 0  # seconds by which accounting is behind, for a fault
        self.quiet = 0  # 2: no errors either, 3: not even fatal ones
        self.remarks: list[str] = []  # notes on a line that is carried out or refused all the same
        self._held: list[str] | None = None  # what is printed once the state is closed
        self.moved = False  # whether the virtual clock was moved for this command, and need not be

    @contextmanager
    def session(self, *, write: bool = True, gathering: bool = False) -> Iterator[Controller]:
        """Lock and load the state, bring it up to date, yield the controller; on success run the pass and commit.

        ``gathering``: more submissions of the same instant may follow before anybody looks (virtual clock only).
        An exception inside leaves the state as it was, unless it says that it ``commits``.
        What is printed inside appears when the state is closed again, and not at all if it could not be written.
        """
        with self._holding_back(write), ExitStack() as afterwards, ExitStack() as stack:
            controller = self._open(stack, write)
            if not write and (controller.cluster.arrays_due or self._step(controller) or self._news(controller)):
                stack.close()
                with suppress(StateError), self.session():
                    pass  # what a reading command shows must stay, such as the ids of an array's tasks
                controller = self._open(stack, write)
            afterwards.callback(controller.follow_up)
            controller.gathering = gathering and controller.cluster.config.clock == "virtual"
            with self._true_answers(write), controller.session(write=write):
                if not write:
                    controller.refresh_priorities()
                elif seconds := self._step(controller):
                    self._move(controller, seconds)
                yield controller
            for fault in self.store.archive.faults.values():  # the answer is not complete
                self.note(str(fault))
                self.note(fault.repair)

    def _open(self, stack: ExitStack, write: bool) -> Controller:
        from slimsched.controller.core import Controller
        from slimsched.state.store import Store

        release()
        self.tell_of_waiting()
        self.store = stack.enter_context(Store.open(self.state, write=write))
        if self.store.made:
            self.note(f"made a simulated cluster in {self.store.folder}; sim init makes another")
        controller = Controller.load(self.store)
        if write:
            from slimsched.controller.requests.users import invoking_name

            controller.cluster.origin = self.subcommand or self.command, invoking_name()
        self.live = controller.cluster.config.live
        stack.callback(_ended.append, (self, controller))
        return controller

    def state_holds(self, file: Callable[[str], str]) -> bool:
        """Whether a file of the state directory (of `state.layout`) exists; false if there is no state directory."""
        try:
            return os.path.lexists(file(layout.locate(self.state)))
        except (StateError, ValueError):  # the command itself reports this, if it needs the state
            return False

    def tell_of_waiting(self) -> None:
        """Tell the user which lock a command waits for, if it waits long."""
        from slimsched.state import lock

        lock.told = lambda path: self.note(f"waiting for {path}, which another command holds")

    def _step(self, controller: Controller) -> int:
        """Return by how much the command moves the virtual clock, once, before its work (``[clock] step``)."""
        from slimsched.state import clock

        return 0 if self.moved or self.command == "sim" else clock.step(controller.cluster.config)

    def _news(self, controller: Controller) -> bool:
        """Whether something has happened on a live cluster that a reading command has to store."""
        cluster = controller.cluster
        if not cluster.config.live:
            return False
        controller.catch_up()
        return bool(cluster.events or cluster.dirty_jobs or cluster.pass_due) or controller.executor.behind

    def _move(self, controller: Controller, seconds: int) -> None:
        from slimsched.controller.schedule import event_loop

        self.moved = True
        event_loop.advance(controller, controller.cluster.now + seconds)

    @contextmanager
    def _true_answers(self, write: bool) -> Iterator[None]:
        """Forget the answer of a writing command whose state could not be written."""
        try:
            yield
        except StateError:
            if write and self._held:
                self._held.clear()
            raise

    @contextmanager
    def _holding_back(self, write: bool) -> Iterator[None]:
        """Hold back what is printed until the lock is free, because its reader (``| less``) may be slow.

        A look at a terminal prints at once: its tables are drawn by Rich.
        """
        if self._held is not None or (sys.stdout.isatty() and not write):
            yield
            return
        self._held = []
        try:
            yield
        finally:
            self._print_held()
            self._held = None

    def _print_held(self) -> None:
        if self._held:
            _write(sys.stdout, "".join(self._held))
            self._held.clear()

    # printing

    @property
    def draws(self) -> bool:
        """Whether tables are drawn for a person: on a terminal, with nothing held back, without --plain."""
        return not self.plain and self._held is None and sys.stdout.isatty()

    def out(self, text: str, *, end: str = "\n") -> None:
        """Print to standard output."""
        if self._held is None:
            _write(sys.stdout, text + end)
        else:
            self._held.append(text + end)

    def ask(self, question: str) -> str:
        """Print what was held back and a question, and return the answering line, "" at the end of input."""
        self.out(question, end="")
        self._print_held()
        sys.stdout.flush()
        return sys.stdin.readline()

    def err(self, text: str) -> None:
        """Print a line to standard error."""
        _write(sys.stderr, text + "\n")

    def note(self, text: str) -> None:
        """Print a line of our own, one that the real command would not print (``SLIMSCHED_NOTES=0``: not)."""
        if os.environ.get("SLIMSCHED_NOTES") != "0" and self.quiet <= LOUDNESS["error"]:
            self.err(f"{self.command}: note: {text}")

    def tell_simulated(self) -> None:
        """Say that a job runs nothing, to those who may wonder why it prints nothing."""
        self.note(SIMULATED)

    def tell_remarks(self) -> None:
        """Print the notes that waited for the command to have its say."""
        while self.remarks:
            self.note(self.remarks.pop(0))

    # errors

    def guard(self, run: Callable[[], int]) -> int:
        """Run a command and return its exit code, with every expected error turned into text."""
        for name in ("stdin", "stdout", "stderr"):
            if getattr(sys, name) is None:  # closed by the process that started us
                setattr(sys, name, open(os.devnull, "r+", encoding="utf-8"))  # noqa: SIM115
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")
        try:
            try:
                code = run()
            except SimError as error:
                code = self.report(error)
            self.tell_remarks()
            sys.stdout.flush()
        except BrokenPipeError:
            # The reader of our output has gone; nothing more can be printed, not even at interpreter exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 141
        except OSError as error:
            self._lines("error", f"{error.filename or 'standard output'}: {error.strerror}")
            return 1
        except KeyboardInterrupt:
            return 130
        return code

    def report(self, error: SimError) -> int:
        """Print an error as the command words it and return the exit code."""
        if isinstance(error, SlurmError):
            self._lines("error", error.detail)
            self._lines("error", self.refusal + error.message)
            self._notes(error.notes)
        elif isinstance(error, UserError):
            self._lines("plain", error.preface)
            self._lines(error.level, error.message, self.out if error.stdout else self.err)
            self._notes(error.notes)
        elif isinstance(error, StateError):
            self._lines("error", str(error))
            self._notes((error.repair,))
        elif isinstance(error, SyntaxFault):
            self._lines("error", "\n".join(error.lines()))
        else:
            self._lines("error", str(error))
        return error.exit_code

    def _lines(self, level: str, text: str, write: Callable[[str], None] | None = None) -> None:
        if self.quiet > LOUDNESS.get(level, self.quiet):
            return
        prefix = PREFIXES[level].format(self.command)
        for line in text.split("\n") if text else ():
            (write or self.err)(prefix + line if line else "")

    def _notes(self, notes: tuple[str, ...]) -> None:
        for line in notes:
            self.note(line)


_ended: list[tuple[Application, Controller]] = []


def release() -> None:
    """Release what ended sessions have loaded; only a process that continues needs to call this.

    The controller and its plugins refer to each other, and the garbage collector seldom comes (see `Store`).
    """
    while _ended:
        app, controller = _ended.pop()
        vars(controller).clear()
        vars(app).pop("store", None)


def _write(stream: TextIO, text: str) -> None:
    """Write text; control characters of data never reach a terminal as they are."""
    if not text.isprintable() and stream.isatty():
        text = "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)
    stream.write(text)
