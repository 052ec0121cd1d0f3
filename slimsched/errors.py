"""Every error of the toolkit, in one tree.

    SimError
    +-- UserError        the command or its input is wrong; printed as Slurm prints it
    |   +-- SlurmError   ... with one of Slurm's own error numbers (see slurm/errno.py)
    +-- SyntaxFault      a text in one of the small languages is wrong; knows where (also a ValueError)
    +-- NotNow           the job cannot start at present (select, sched)
    +-- Never            the job can never start on this cluster
    +-- PluginError      a plugin could not be loaded, or broke its contract
    |   +-- PluginFault  ... by an error that its interface does not know
    +-- StateError       the state directory cannot be used; names the file and the way out

Only the command boundary (``cli/app.py``) turns one of these into text.
"""

from __future__ import annotations

from slimsched.slurm.errno import ErrorCode
from slimsched.slurm.reasons import BAD_CONSTRAINTS, RESOURCES, Reason


class SimError(Exception):
    """Root of the tree. ``exit_code`` is the process's exit status if nobody handles it.

    ``commits`` is set where a refusal itself changed the cluster (a job id was used up), which must be kept.
    """

    exit_code = 1
    commits = False


class UserError(SimError):
    """A wrong command or wrong input.

    ``message`` may have several lines; ``level`` says how each is printed by command ``cmd``:
    ``error`` -> ``cmd: error: line``, ``fatal`` -> ``cmd: fatal: line``, ``bare`` -> ``cmd: line``,
    ``plain`` -> ``line``. ``preface`` is printed plainly ahead of it; ``notes`` are lines of our own, printed
    after it as ``cmd: note: line``.
    """

    def __init__(
        self,
        message: str,
        *,
        exit_code: int = 1,
        level: str = "error",
        notes: tuple[str, ...] = (),
        stdout: bool = False,
        preface: str = "",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.exit_code = exit_code
        self.level = level
        self.notes = notes
        self.stdout = stdout
        self.preface = preface


class SlurmError(UserError):
    """A refusal with Slurm's error number; the command adds its own lead-in.

    ``detail`` holds the lines that the real controller sends ahead of it (``sbatch: error: <detail>``).
    """

    def __init__(self, errno: ErrorCode, *, detail: str = "", notes: tuple[str, ...] = (), exit_code: int = 1) -> None:
        super().__init__(errno.text, notes=notes, exit_code=exit_code)
        self.errno = errno
        self.detail = detail


class SyntaxFault(SimError, ValueError):
    """A text does not follow its grammar; ``span`` is the faulty part, in characters from 0."""

    def __init__(self, message: str, text: str, span: tuple[int, int], hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.text = text
        self.span = span
        self.hint = hint

    @property
    def offset(self) -> int:
        """First character of the fault, from 0."""
        return self.span[0]

    def lines(self, width: int = 72) -> tuple[str, ...]:
        """Return the text, a caret line under the fault, and the message, cut to ``width`` characters."""
        start, end = self.span
        left = max(0, min(start - width // 2, len(self.text) - width))
        shown = "".join(c if c.isprintable() else "?" for c in self.text[left : left + width])
        lead, tail = "..." if left else "", "..." if left + width < len(self.text) else ""
        carets = "^" * max(1, min(end, left + width) - start)
        pad = " " * (len(lead) + start - left)
        said = (f"{lead}{shown}{tail}", f"{pad}{carets}", self.message)
        return (*said, self.hint) if self.hint else said


class NotNow(SimError):
    """The job cannot start at present; ``reason`` is Slurm's reason word (``Resources``)."""

    def __init__(self, reason: Reason = RESOURCES) -> None:
        super().__init__(reason)
        self.reason = reason


class Never(SimError):
    """The job can never start on this cluster as configured; ``reason`` as in `NotNow`."""

    def __init__(self, reason: Reason = BAD_CONSTRAINTS) -> None:
        super().__init__(reason)
        self.reason = reason


class PluginError(SimError):
    """A plugin could not be loaded or broke its contract."""


class PluginFault(PluginError):
    """An error that its interface does not know came out of a plugin."""


class StateError(SimError):
    """The state directory cannot be used: which file, why, and what to do about it."""

    exit_code = 2

    def __init__(self, path: str, problem: str, repair: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path
        self.problem = problem
        self.repair = repair
