"""File names of a job: the pattern that was given, or Slurm's default, and what it stands for.

    %A array's job id   %a task   %j job id   %J job id   %b task modulo 10   %x name   %u user   %N first node
    %n node number   %s step   %t task rank   %% a percent sign;  digits before a letter pad a number with zeros

Source: sbatch(1) "filename pattern".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slimsched.model.job import Job

NO_TASK = 0xFFFFFFFE  # what %a in a file name becomes for a job that is no single task
_PADDED = 10  # most digits that a number is padded to


def pattern(job: Job, stream: str) -> str:
    """Return the pattern of ``output``, ``error`` or ``input`` as submitted; "" if that stream has no file."""
    request = job.request
    given = getattr(request, stream)
    if given is not None or not request.batch:
        return str(given or "")
    if stream == "output":
        return "slurm-%A_%a.out" if job.array_job_id or job.array_tasks else "slurm-%j.out"
    return "/dev/null" if stream == "input" else ""


def letters(job: Job, task: int | None, node: str) -> dict[str, str]:
    """Return what each letter stands for in the file names of a batch job, or of a ``task`` of one."""
    number = NO_TASK if task is None else task
    return {
        "A": str(job.array_job_id or job.job_id),
        "a": str(number),
        "b": str(number % 10),
        "j": str(job.job_id),
        "J": str(job.job_id),
        "x": job.request.name,
        "u": job.user_name,
        "N": node,
        "n": "0",
        "r": str(job.restarts),
        "s": "batch",
        "t": "0",
    }


def expand(text: str, meant: Mapping[str, str]) -> str:
    """Return a file name with its patterns replaced; a backslash turns them off."""
    if "\\" in text:
        return text.replace("\\", "")
    pieces = text.split("%")
    done = [pieces[0]]
    position = 1
    while position < len(pieces):
        piece = pieces[position]
        if not piece and position + 1 < len(pieces):
            done.append("%" + pieces[position + 1])
            position += 2
            continue
        done.append(_replace(piece, meant))
        position += 1
    return "".join(done)


def _replace(piece: str, meant: Mapping[str, str]) -> str:
    """Replace the letter that a piece after a percent sign begins with; a sign that ends the name goes."""
    if not piece:
        return ""
    letter = piece.lstrip("0123456789")
    width = piece[: len(piece) - len(letter)]
    text = meant.get(letter[:1])
    if text is None:
        return "%" + piece
    if width and text.isdigit():
        text = text.rjust(min(int(width[:3]), _PADDED), "0")
    return text + letter[1:]
