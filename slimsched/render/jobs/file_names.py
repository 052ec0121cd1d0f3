"""The names of a job's files: the given pattern or Slurm's default, with its placeholders replaced.

    %A array's job id   %a task   %j job id   %J job id   %b task modulo 10   %x name   %u user   %N first node
    %n node number   %s step   %t task rank   %% a percent sign;  digits before a letter pad a number with zeros

Source: sbatch(1) "filename pattern".
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from slimsched.render.jobs.job_view import NO_TASK, View

_PADDED = 10  # most digits that a number is padded to


def pattern(view: View, stream: str) -> str:
    """Return the pattern of ``output``, ``error`` or ``input`` as submitted; "" if that stream has no file."""
    given = getattr(view.request, stream)
    if given is not None or not view.request.batch:
        return str(given or "")
    if stream == "output":
        return "slurm-%A_%a.out" if view.of_array else "slurm-%j.out"
    return "/dev/null" if stream == "input" else ""


def path(view: View, stream: str) -> str:
    """Return the full path of a stream's file, "" if it has none."""
    text = pattern(view, stream)
    return posixpath.join(view.request.work_dir, expand(text, view)) if text else ""


def expand(text: str, view: View) -> str:
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
        done.append(_replace(piece, view))
        position += 1
    return "".join(done)


def _replace(piece: str, view: View) -> str:
    """Replace the letter that a piece after a percent sign begins with."""
    letter = piece.lstrip("0123456789")
    width = piece[: len(piece) - len(letter)]
    value = _LETTERS.get(letter[:1])
    if value is None:
        return "%" + piece
    text = value(view)
    if width and text.isdigit():
        text = text.rjust(min(int(width[:3]), _PADDED), "0")
    return text + letter[1:]


def _task(view: View) -> int:
    return NO_TASK if view.task is None else view.task


_LETTERS: dict[str, Callable[[View], str]] = {
    "A": lambda v: str(v.array_id),
    "a": lambda v: str(_task(v)),
    "b": lambda v: str(_task(v) % 10),
    "j": lambda v: str(v.job.job_id),
    "J": lambda v: str(v.job.job_id),
    "x": lambda v: v.request.name,
    "u": lambda v: v.job.user_name,
    "N": lambda v: v.batch_host,
    "n": lambda _: "0",
    "s": lambda _: "batch",
    "t": lambda _: "0",
}
