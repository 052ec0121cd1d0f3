"""Job ids as command lines name jobs, tasks of arrays, parts of heterogeneous jobs, and steps.

    name = job [ "_" ( task | "*" | "[" tasks "]" ) ] [ "+" offset ] [ "." step ]

``tasks`` is an idset; a throttle behind it (``%2``) counts for nothing. Which of these parts a command knows, and what
it says of a name that is none, is the command's own. Source: squeue(1), scancel(1), sbatch(1) ``--dependency``.
"""

from __future__ import annotations

from typing import NamedTuple

from slimsched.errors import SyntaxFault
from slimsched.text import idset
from slimsched.text.sizes import is_number, strtol

LARGEST = 2**31 - 1  # job id that a client takes
NAMED_STEPS = ("batch", "extern", "interactive")
DIGITS = 10


class JobId(NamedTuple):
    """A job, or a part of it, and the text that named it.

    ``tasks`` is an idset, "" for the whole job; ``every_task`` tells ``12_*`` from ``12``. ``offset`` is what stands
    behind a ``+``, ``step`` what stands behind a dot; None where there is no such sign.
    """

    text: str
    job_id: int
    tasks: str = ""
    every_task: bool = False
    offset: int | None = None
    step: str | None = None

    @property
    def task(self) -> int | None:
        """The one task that is named, None for none or several."""
        return int(self.tasks) if self.tasks.isdigit() else None

    @property
    def job(self) -> str:
        """The text without the step."""
        return self.text.partition(".")[0]


def read(text: str) -> JobId:
    """Return what a whole text names. Raises SyntaxFault."""
    body, dot, step = text.partition(".")
    body, plus, offset = body.partition("+")
    job, under, tasks = body.partition("_")
    if not is_number(job, DIGITS) or (plus and not is_number(offset)):
        raise _fault(text)
    every = tasks == "*"
    named = _tasks(tasks, text) if under and not every else ""
    return JobId(text, int(job), named, every, int(offset) if plus else None, step if dot else None)


def one(text: str, *, steps: bool = True, offsets: bool = False) -> JobId:
    """Return the job, or the one task, that a text names, perhaps with a step. Raises SyntaxFault for anything else.

    ``offsets``: it may also name one component of a heterogeneous job.
    """
    named = read(text)
    several = named.every_task or (named.tasks and named.task is None) or (named.offset is not None and not offsets)
    if several or (named.step is not None and not steps):
        raise _fault(text)
    return named


def leading(text: str) -> JobId:
    """Return the job, task or component whose numbers a text begins with, as C's strtol reads them, and the step.

    What stands between the numbers and the dot counts for nothing. Raises SyntaxFault for no number of a job.
    """
    body, dot, step = text.partition(".")
    job, rest = strtol(body)
    if not 0 < job <= LARGEST:
        raise _fault(text)
    if rest[:2] == "_[":
        raise _fault(text)  # a list takes single tasks only
    task = str(max(0, strtol(rest[1:])[0])) if rest[:1] == "_" else ""
    offset = max(0, strtol(rest[1:])[0]) if rest[:1] == "+" else None
    return JobId(text, job, task, offset=offset, step=step if dot else None)


def split(text: str, sign: str = ",") -> list[str]:
    """Cut a list at a sign; what stands within brackets stays together."""
    found: list[str] = []
    for piece in text.split(sign):
        if found and found[-1].count("[") > found[-1].count("]"):
            found[-1] += f"{sign}{piece}"
        else:
            found.append(piece)
    return found


def is_step(text: str) -> bool:
    """Whether a text is the number or the name of a step."""
    return is_number(text) or text in NAMED_STEPS


def _tasks(text: str, whole: str) -> str:
    """Return ``3`` or ``[1,3-4%2]`` as an idset."""
    bracketed = text.startswith("[") and text.endswith("]")
    listed = text[1:-1].partition("%")[0] if bracketed else text
    if not bracketed and not is_number(listed, DIGITS):
        raise _fault(whole)
    found = idset.encode_ranges(idset.ranges(listed if bracketed else str(int(listed))))
    if not found:
        raise _fault(whole)
    return found


def _fault(text: str) -> SyntaxFault:
    return SyntaxFault("Invalid job id", text, (0, len(text)))
